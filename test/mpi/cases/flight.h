#ifndef TEST_MPI_CASES_FLIGHT_H
#define TEST_MPI_CASES_FLIGHT_H

/* Nonblocking collectives whose results are known when they start. */

#include "cases.h"

struct flight {
    const char *call;
    MPI_Request request;
    struct mem  send, recv; /* images hold what is to come */
    bool        right;
};

/* How many calls there are; which of them is taken modulo. */
extern const int flight_calls;

/* Start a call; every rank gives the same `which` and seed.  comm is an
 * intracommunicator. */
struct flight flight_start(enum mem_kind kind, MPI_Comm comm, int which,
                           int seed);
/* After its request is complete: whether it ended right.  Buffers go. */
bool flight_end(struct flight *flight);

#endif
