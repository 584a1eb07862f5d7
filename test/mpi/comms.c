/* Communicators made in every way, and the collectives on them. */
#include "device_sum.h"
#include "tap.h"

#include <stdio.h>

static int rank, nranks;

static bool dup_works(void)
{
    MPI_Comm comm;
    bool     right;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    right = device_sum_is_right(comm, 3);
    MPI_Comm_free(&comm);
    return right;
}

static bool split_works(void)
{
    MPI_Comm comm;
    bool     right;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
    right = device_sum_is_right(comm, 5);
    MPI_Comm_free(&comm);
    return right;
}

/* All but the last rank, which takes no part in the call. */
static bool create_group_works(void)
{
    MPI_Group world, most;
    MPI_Comm  comm;
    int       last = nranks - 1;
    bool      right = true;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 1, &last, &most);
    if (rank != last) {
        MPI_Comm_create_group(MPI_COMM_WORLD, most, 7, &comm);
        right = device_sum_is_right(comm, 7);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&most);
    MPI_Group_free(&world);
    return right;
}

/* Both at once, so that the communicators come to be inside progress, which
 * the ranks are driven to in different orders. */
static bool two_idups_work_in_opposite_orders(void)
{
    MPI_Comm    comms[2];
    MPI_Request requests[2];
    int         first = rank % 2;
    bool        right = true;

    MPI_Comm_idup(MPI_COMM_WORLD, &comms[0], &requests[0]);
    MPI_Comm_idup(MPI_COMM_WORLD, &comms[1], &requests[1]);
    MPI_Wait(&requests[first], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1 - first], MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++) {
        right &= device_sum_is_right(comms[i], 11 + i);
        MPI_Comm_free(&comms[i]);
    }
    return right;
}

static bool a_collective_runs_while_an_idup_is_under_way(void)
{
    MPI_Comm    comm;
    MPI_Request request;
    bool        right;

    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    right = device_sum_is_right(MPI_COMM_WORLD, 13);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    right &= device_sum_is_right(comm, 17);
    MPI_Comm_free(&comm);
    return right;
}

static bool merged_intercommunicators_work(void)
{
    MPI_Comm half, between, merged;
    int      is_odd = rank % 2;
    bool     right;

    MPI_Comm_split(MPI_COMM_WORLD, is_odd, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - is_odd, 19, &between);
    MPI_Barrier(between);
    MPI_Intercomm_merge(between, is_odd, &merged);
    right = device_sum_is_right(merged, 19);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    return right;
}

static bool cartesian_grids_work(void)
{
    int      sides[] = {0, 0}, wraps[] = {1, 0};
    MPI_Comm grid;
    bool     right;

    MPI_Dims_create(nranks, 2, sides);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, wraps, 0, &grid);
    right = device_sum_is_right(grid, 23);
    MPI_Comm_free(&grid);
    return right;
}

static bool hundreds_come_and_go(void)
{
    enum { TIMES = 300 };
    MPI_Comm comm;
    bool     right = true;

    for (int i = 0; i < TIMES; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (i % 50 == 0)
            right &= device_sum_is_right(comm, i);
        MPI_Comm_free(&comm);
    }
    return right;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    tap_plan(9);
    tap_ok(device_sum_is_right(MPI_COMM_WORLD, 1), "world");
    tap_ok(device_sum_is_right(MPI_COMM_SELF, 2), "self");
    tap_ok(dup_works(), "dup");
    tap_ok(split_works(), "split, ranks reversed");
    tap_ok(create_group_works(), "create_group");
    tap_ok(two_idups_work_in_opposite_orders(), "two idups, opposite orders");
    tap_ok(a_collective_runs_while_an_idup_is_under_way(),
           "a collective while an idup is under way");
    tap_ok(merged_intercommunicators_work() && cartesian_grids_work(),
           "merged intercommunicators and grids");
    tap_ok(hundreds_come_and_go(), "300 come and go");
    MPI_Finalize();
    return 0;
}
