/* A job that starts another, and a communicator over both. */
#include "device_sum.h"

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    enum { CHILDREN = 2 };
    MPI_Comm parent, between, all;
    bool     right;
    int      rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0,
                       MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
    else
        between = parent;
    MPI_Intercomm_merge(between, parent != MPI_COMM_NULL, &all);
    MPI_Comm_rank(all, &rank);
    right = device_sum_is_right(MPI_COMM_WORLD, 1);
    right &= device_sum_is_right(all, 2);
    printf("rank %d of all: %s\n", rank, right ? "right" : "wrong");
    fflush(stdout);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&between);
    MPI_Finalize();
    return right ? 0 : 1;
}
