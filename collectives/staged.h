#ifndef HC_COLLECTIVES_STAGED_H
#define HC_COLLECTIVES_STAGED_H

/*
 * Which bytes a rank moves when a collective runs on host memory that stands
 * in for its buffers: a pure function of the call's arguments.  A rank stages
 * its own buffers and no one else's, so nothing here needs agreement.
 */

#include <stdbool.h>
#include <stddef.h>

enum hc_staged_call {
    HC_STAGED_ALLREDUCE,
    HC_STAGED_REDUCE,
    HC_STAGED_BCAST, /* its one buffer is the receive side on every rank */
    HC_STAGED_ALLGATHER,
    HC_STAGED_BARRIER,
};

enum hc_staged_side { HC_STAGED_SEND, HC_STAGED_RECV, HC_STAGED_SIDES };

struct hc_staged_args {
    enum hc_staged_call call;
    int                 rank, nranks;
    int                 root;     /* only where the call has one */
    bool                in_place; /* this rank gave MPI_IN_PLACE */
    size_t send_count; /* elements of the send type, as given to the call */
    size_t recv_count; /* elements of the receive type; per rank in allgather */
};

/* Elements [first, first + count) of one side's buffer; count 0: nothing. */
struct hc_staged_range {
    enum hc_staged_side side;
    size_t              first, count;
};

struct hc_staged_plan {
    /* Elements of each buffer that the call may touch.  0: the argument is not
     * significant on this rank and may be any pointer, so don't look at it. */
    size_t                 elements[HC_STAGED_SIDES];
    struct hc_staged_range input;  /* what the call reads */
    struct hc_staged_range output; /* what the call leaves behind */
};

struct hc_staged_plan hc_staged_plan(const struct hc_staged_args *args);

#endif
