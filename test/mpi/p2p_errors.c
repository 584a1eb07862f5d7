/*
 * A message that fails on rank 1, which sends or receives it: rank 1 gets an
 * error of the class that argv names, in the call that completes it; rank 0
 * does not wait for ever, and the next message is right.
 *
 *   p2p_errors send|recv WAY MEMORY CLASS
 *
 * WAY     blocking, nonblocking or persistent
 * MEMORY  good: the driver fails (the environment says when);
 *         freed: before the call, or where it is persistent, before its start;
 *         gone: before it is made, so that there is no message: rank 1 sends
 *         or receives it in host memory after
 */
#include "ints.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { TAG = 5, COUNT = 1000 };

static int rank;

static int class_named(const char *name)
{
    if (strcmp(name, "buffer") == 0)
        return MPI_ERR_BUFFER;
    return strcmp(name, "other") == 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static bool class_is(int rc, int expected)
{
    int class = MPI_SUCCESS;

    if (rc != MPI_SUCCESS)
        MPI_Error_class(rc, &class);
    if (class != expected)
        printf("rank %d: error class %d, not %d\n", rank, class, expected);
    return class == expected;
}

static int blocking(bool sends, struct mem *mem)
{
    if (sends)
        return MPI_Send(mem->buffer, COUNT, MPI_INT, 1 - rank, TAG,
                        MPI_COMM_WORLD);
    return MPI_Recv(mem->buffer, COUNT, MPI_INT, 1 - rank, TAG, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE);
}

static int nonblocking(bool sends, void *buffer)
{
    MPI_Request request;
    int         rc;

    if (sends)
        rc = MPI_Isend(buffer, COUNT, MPI_INT, 1 - rank, TAG, MPI_COMM_WORLD,
                       &request);
    else
        rc = MPI_Irecv(buffer, COUNT, MPI_INT, 1 - rank, TAG, MPI_COMM_WORLD,
                       &request);
    class_is(rc, MPI_SUCCESS);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Open MPI frees a request that failed, persistent or not. */
static int persistent(bool sends, struct mem *mem, bool freed)
{
    MPI_Request request;
    int         rc;

    if (sends)
        MPI_Send_init(mem->buffer, COUNT, MPI_INT, 1 - rank, TAG,
                      MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(mem->buffer, COUNT, MPI_INT, 1 - rank, TAG,
                      MPI_COMM_WORLD, &request);
    if (freed)
        mem_delete(mem);
    MPI_Start(&request);
    rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    return rc;
}

static int persistent_without_memory(bool sends, struct mem *mem)
{
    MPI_Request request;
    void       *buffer = mem->buffer;
    int         rc;

    mem_delete(mem);
    if (sends)
        rc = MPI_Send_init(buffer, COUNT, MPI_INT, 1 - rank, TAG,
                           MPI_COMM_WORLD, &request);
    else
        rc = MPI_Recv_init(buffer, COUNT, MPI_INT, 1 - rank, TAG,
                           MPI_COMM_WORLD, &request);
    *mem = ints_new(MEM_HOST, COUNT, 5);
    class_is(blocking(sends, mem), MPI_SUCCESS);
    return rc;
}

static int go(const char *way, bool sends, struct mem *mem, bool freed)
{
    struct mem seen = *mem;

    if (strcmp(way, "persistent") == 0)
        return persistent(sends, mem, freed);
    if (freed)
        mem_delete(mem);
    return strcmp(way, "blocking") == 0 ? blocking(sends, &seen)
                                        : nonblocking(sends, seen.buffer);
}

/* All bits are set in a message that its sender could not read. */
static bool is_right(const struct mem *mem, bool spoilt)
{
    struct mem seen = *mem;

    if (spoilt)
        memset(seen.elements, 0xff, COUNT * sizeof(int));
    else
        ints_expect(&seen, 0, COUNT, 5);
    return ints_are_right(&seen);
}

static bool next_is_right(void)
{
    struct mem mem = ints_new(MEM_CUDA, COUNT, rank == 0 ? 5 : -1000);
    int        rc = blocking(rank == 0, &mem);
    bool       right = is_right(&mem, false);

    mem_delete(&mem);
    return class_is(rc, MPI_SUCCESS) && right;
}

int main(int argc, char **argv)
{
    struct mem mem;
    bool       sends, fails, gone, right;
    int        rc;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (argc != 5 || !mem_available(MEM_CUDA, rank))
        MPI_Abort(MPI_COMM_WORLD, 77);
    fails = rank == 1;
    gone = strcmp(argv[3], "gone") == 0;
    sends = (strcmp(argv[1], "send") == 0) == fails;
    mem = ints_new(MEM_CUDA, COUNT, sends ? 5 : -1000);

    if (fails) {
        rc = gone ? persistent_without_memory(sends, &mem)
                  : go(argv[2], sends, &mem, strcmp(argv[3], "freed") == 0);
        right = class_is(rc, class_named(argv[4]));
    } else {
        rc = blocking(sends, &mem);
        right = class_is(rc, MPI_SUCCESS) && is_right(&mem, !sends && !gone);
    }
    right = next_is_right() && right;
    printf("rank %d: %s\n", rank, right ? "as expected" : "unexpected");
    mem_delete(&mem);
    MPI_Finalize();
    return right ? 0 : 1;
}
