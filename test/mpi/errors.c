/*
 * A collective that fails on rank 1 and on no other: rank 1 gets an error of
 * the class that argv names, the others their result, and nobody waits.
 *
 *   errors freed CLASS [FORM]    rank 1 has freed its send buffer
 *   errors failing CLASS [FORM]  the driver fails rank 1 (the environment says
 *                                when)
 * FORM is blocking, nonblocking or persistent; in the latter two the error is
 * that of the request.
 */
#include "device_sum.h"
#include "mem.h"
#include "persistent.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 1000 };

static int class_named(const char *name)
{
    if (strcmp(name, "buffer") == 0)
        return MPI_ERR_BUFFER;
    if (strcmp(name, "no_mem") == 0)
        return MPI_ERR_NO_MEM;
    return strcmp(name, "other") == 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static bool is_expected(int rc, int rank, int failing_class)
{
    int expected = rank == 1 ? failing_class : MPI_SUCCESS;
    int class = MPI_SUCCESS;

    if (rc != MPI_SUCCESS)
        MPI_Error_class(rc, &class);
    if (class != expected)
        printf("rank %d: error class %d, not %d\n", rank, class, expected);
    return class == expected;
}

/* What the call or its request returns. */
static int allreduce(const char *form, const void *send, void *recv)
{
    MPI_Comm    comm = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;
    int         rc;

    if (strcmp(form, "blocking") == 0)
        return MPI_Allreduce(send, recv, COUNT, MPI_FLOAT, MPI_SUM, comm);
    if (strcmp(form, "nonblocking") == 0) {
        rc = MPI_Iallreduce(send, recv, COUNT, MPI_FLOAT, MPI_SUM, comm,
                            &request);
        return rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc;
    }
    rc = MPI_Allreduce_init(send, recv, COUNT, MPI_FLOAT, MPI_SUM, comm,
                            MPI_INFO_NULL, &request);
    if (rc == MPI_SUCCESS)
        rc = MPI_Start(&request);
    if (rc == MPI_SUCCESS)
        rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    return rc;
}

int main(int argc, char **argv)
{
    bool        freed = argc >= 3 && strcmp(argv[1], "freed") == 0;
    int         failing = argc >= 3 ? class_named(argv[2]) : -1;
    const char *form = argc == 4 ? argv[3] : "blocking";
    struct mem  send, recv;
    void       *buffer;
    int         rank, rc;
    bool        right;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!mem_available(MEM_CUDA, rank))
        MPI_Abort(MPI_COMM_WORLD, 77);
    send = mem_new(MEM_CUDA, COUNT * sizeof(float));
    recv = mem_new(MEM_CUDA, COUNT * sizeof(float));
    memset(send.image, 0, send.block_bytes);
    mem_upload(&send);
    mem_upload(&recv);
    buffer = send.buffer;
    if (freed && rank == 1)
        mem_delete(&send);

    rc = allreduce(form, buffer, recv.buffer);
    right = is_expected(rc, rank, failing);
    /* The communicator lives on. */
    MPI_Barrier(MPI_COMM_WORLD);
    if (!device_sum_is_right(MPI_COMM_WORLD, 1)) {
        printf("rank %d: the next collective is wrong\n", rank);
        right = false;
    }
    printf("rank %d: %s\n", rank, right ? "as expected" : "unexpected");
    mem_delete(&send);
    mem_delete(&recv);
    MPI_Finalize();
    return right ? 0 : 1;
}
