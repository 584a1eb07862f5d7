#include "tap.h"

#include <mpi.h>
#include <stdio.h>

void tap_plan(int tests)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("1..%d\n", tests);
}

void tap_ok(bool here, const char *what)
{
    static int number;
    int        rank, all = here;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!here)
        printf("# not on rank %d: %s\n", rank, what);
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s %d - %s\n", all ? "ok" : "not ok", ++number, what);
    fflush(stdout);
}
