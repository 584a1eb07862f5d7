#ifndef HC_COLLECTIVES_STAGED_H
#define HC_COLLECTIVES_STAGED_H

/*
 * Which blocks a rank moves when a call runs on host memory that stands in for
 * its buffers: a pure function of the call's arguments.  A rank stages its own
 * buffers and no one else's, so nothing here needs agreement.
 */

#include <stdbool.h>
#include <stddef.h>

/* Variants with counts and displacements move the same blocks as those
 * without: how long and where each is, the buffer's description says. */
enum hc_staged_call {
    HC_STAGED_ALLGATHER,
    HC_STAGED_ALLREDUCE,
    HC_STAGED_ALLTOALL,
    HC_STAGED_BARRIER,
    HC_STAGED_BCAST, /* its one buffer is the receive side on every rank */
    HC_STAGED_EXSCAN,
    HC_STAGED_GATHER,
    HC_STAGED_NEIGHBOR_ALLGATHER,
    HC_STAGED_NEIGHBOR_ALLTOALL,
    HC_STAGED_RECV_ONE, /* from one rank */
    HC_STAGED_REDUCE,
    HC_STAGED_REDUCE_LOCAL,
    HC_STAGED_REDUCE_SCATTER,
    HC_STAGED_SCAN,
    HC_STAGED_SCATTER,
    HC_STAGED_SEND_ONE, /* to one rank */
};

enum hc_staged_side { HC_STAGED_SEND, HC_STAGED_RECV, HC_STAGED_SIDES };

/* In calls with a root.  Between two groups, a root moves nothing of its own
 * group's, and the other ranks of its group stand by. */
enum hc_staged_role { HC_STAGED_LEAF, HC_STAGED_ROOT, HC_STAGED_BYSTANDER };

struct hc_staged_args {
    enum hc_staged_call call;
    enum hc_staged_role role;
    bool                inter;    /* between two groups */
    bool                in_place; /* this rank gave MPI_IN_PLACE */
    int                 rank;
    int                 npeers; /* ranks of the group that it talks to */
    int                 nsources, ndestinations; /* neighbours */
    bool                has_holes; /* some neighbours are MPI_PROC_NULL */
    size_t send_count; /* elements of one block, where all are alike; of the
                        * whole vector in a reduce-scatter */
    size_t recv_count; /* likewise; of the whole vector in other reductions */
};

/* Blocks [first, first + nblocks) of one side, of count elements each unless
 * the side has counts of its own.  nblocks 0: nothing. */
struct hc_staged_range {
    int    first, nblocks;
    size_t count;
};

struct hc_staged_plan {
    /* What the call reads.  The argument of a side that is neither read nor
     * written is not significant on this rank: it may be any pointer. */
    struct hc_staged_range reads[HC_STAGED_SIDES];
    struct hc_staged_range writes; /* of the receive side */
};

struct hc_staged_plan hc_staged_plan(const struct hc_staged_args *args);

#endif
