/*
 * How point-to-point ends, with two ranks.
 *
 *   p2p_end pending    MPI_Finalize while requests run
 *   p2p_end alone      our functions are out of Open MPI's table after it
 *   p2p_end wrapped    the same, where someone else wraps one of them
 */
#include "ints.h"

#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "ompi_config.h"
#include "ompi/mca/pml/pml.h"

enum { TAG = 5, LONG_COUNT = 50000 };

static int rank;

/* As in MPI's own example: the receive may come when the sender is in
 * MPI_Finalize, and its request is gone.  Another never gets a message. */
static bool pending_is_right(void)
{
    struct mem  mem = ints_new(MEM_CUDA, LONG_COUNT, rank == 0 ? 1 : -1);
    struct mem  never = ints_new(MEM_CUDA, LONG_COUNT, 0);
    MPI_Request request;
    bool        right = true;

    MPI_Irecv(never.buffer, LONG_COUNT, MPI_INT, 1 - rank, TAG + 1,
              MPI_COMM_WORLD, &request);
    if (rank == 0) {
        MPI_Isend(mem.buffer, LONG_COUNT, MPI_INT, 1, TAG, MPI_COMM_WORLD,
                  &request);
        MPI_Request_free(&request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(mem.buffer, LONG_COUNT, MPI_INT, 0, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        ints_expect(&mem, 0, LONG_COUNT, 1);
        right = ints_are_right(&mem) && ints_are_right(&never);
    }
    MPI_Finalize();
    return right;
}

static bool is_hcomm(const void *function, bool *is_mapped)
{
    Dl_info info;

    *is_mapped = dladdr(function, &info) != 0;
    return *is_mapped && strstr(info.dli_fname, "hcomm") != NULL;
}

static void *send_of_table(void)
{
    void *function;

    memcpy(&function, &mca_pml.pml_send, sizeof function);
    return function;
}

static bool alone_is_right(void)
{
    bool  mapped;
    void *ours = send_of_table();
    bool  right = is_hcomm(ours, &mapped);

    MPI_Finalize();
    return right && send_of_table() != ours;
}

static mca_pml_base_module_send_fn_t wrapped;

static int wrapper(const void *buffer, size_t count, MPI_Datatype type, int dst,
                   int tag, mca_pml_base_send_mode_t mode, MPI_Comm comm)
{
    return wrapped(buffer, count, type, dst, tag, mode, comm);
}

/* The wrapper stays, and what it calls is still there. */
static bool wrapped_is_right(void)
{
    bool  mapped;
    void *ours = send_of_table();
    bool  right = is_hcomm(ours, &mapped);

    wrapped = mca_pml.pml_send;
    mca_pml.pml_send = wrapper;
    MPI_Finalize();
    return right && mca_pml.pml_send == wrapper && is_hcomm(ours, &mapped);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    bool        right = false;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!mem_available(MEM_CUDA, rank))
        MPI_Abort(MPI_COMM_WORLD, 77);
    if (strcmp(mode, "pending") == 0)
        right = pending_is_right();
    else if (strcmp(mode, "alone") == 0)
        right = alone_is_right();
    else if (strcmp(mode, "wrapped") == 0)
        right = wrapped_is_right();
    printf("rank %d: %s\n", rank, right ? "right" : "wrong");
    return right ? 0 : 1;
}
