/* Nonblocking and persistent collectives. */
#include "cases.h"
#include "flight.h"
#include "test/mpi/persistent.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool two_reductions_by_test(enum mem_kind kind)
{
    enum { COUNT = 1000 };
    int         p = cases.nranks, root = p / 2, done = 0;
    struct mem  send = cells(kind, F32, COUNT, cases.rank, 1);
    struct mem  all = cells(kind, F32, COUNT, -1, 0);
    struct mem  one = cells(kind, F32, COUNT, -1, 0);
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    bool        right;

    right = CALL(MPI_Iallreduce(send.buffer, all.buffer, COUNT, MPI_FLOAT,
                                MPI_SUM, MPI_COMM_WORLD, &requests[0]));
    right &= CALL(MPI_Ireduce(send.buffer, one.buffer, COUNT, MPI_FLOAT,
                              MPI_SUM, root, MPI_COMM_WORLD, &requests[1]));
    for (int i = 0; done < 2; i++) { /* a test of a null request succeeds */
        int first, second;

        right &= CALL(MPI_Test(&requests[i % 2], &first, MPI_STATUS_IGNORE));
        right &=
            CALL(MPI_Test(&requests[1 - i % 2], &second, MPI_STATUS_IGNORE));
        done = first + second;
    }
    put(&all, F32, 0, COUNT, p * (p - 1) / 2, p);
    if (cases.rank == root)
        put(&one, F32, 0, COUNT, p * (p - 1) / 2, p);
    right &= ends_as_put(&send, "send");
    right &= ends_as_put(&all, "iallreduce's recv");
    return ends_as_put(&one, "ireduce's recv") & right;
}

static void shuffle(int *order, int n, unsigned seed)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = rand_r(&seed) % (i + 1), swap = order[i];

        order[i] = order[j];
        order[j] = swap;
    }
}

static bool waited_one_by_one(struct flight *flights, int n, const int *order)
{
    bool right = true;

    for (int i = 0; i < n; i++) {
        struct flight *f = &flights[order[i]];

        right &= CALL(MPI_Wait(&f->request, MPI_STATUS_IGNORE));
        right &= flight_end(f);
    }
    return right;
}

enum { MAX_FLIGHTS = 64 };

static bool waited_any(struct flight *flights, int n, const int *order)
{
    MPI_Request requests[MAX_FLIGHTS];
    bool        right = true;
    int         at;

    for (int i = 0; i < n; i++)
        requests[i] = flights[order[i]].request;
    for (int i = 0; i < n; i++) {
        right &= CALL(MPI_Waitany(n, requests, &at, MPI_STATUS_IGNORE));
        if (!right || at == MPI_UNDEFINED)
            return false;
        right &= flight_end(&flights[order[at]]);
    }
    return right;
}

static bool tested_some(struct flight *flights, int n, const int *order)
{
    MPI_Request requests[MAX_FLIGHTS];
    int         done[MAX_FLIGHTS], ndone = 0;
    bool        right = true;

    for (int i = 0; i < n; i++)
        requests[i] = flights[order[i]].request;
    for (int left = n; left > 0 && right; left -= ndone) {
        right &=
            CALL(MPI_Testsome(n, requests, &ndone, done, MPI_STATUSES_IGNORE));
        for (int i = 0; i < ndone; i++)
            right &= flight_end(&flights[order[done[i]]]);
    }
    return right;
}

/* Calls which..., round robin over the communicators, a rank late. */
static bool all_in_flight(enum mem_kind kind, MPI_Comm *comms, int ncomms,
                          int n, int ncalls, int way)
{
    struct flight flights[MAX_FLIGHTS];
    int           order[MAX_FLIGHTS];

    if (cases.rank == way % cases.nranks)
        usleep(cases.is_long ? 1000000 : 100000);
    for (int i = 0; i < n; i++)
        flights[i] = flight_start(kind, comms[i % ncomms], i / ncomms % ncalls,
                                  way * 7 + i);
    shuffle(order, n, (unsigned)(cases.rank * 31 + way));
    if (way == 0)
        return waited_one_by_one(flights, n, order);
    return way == 1 ? waited_any(flights, n, order)
                    : tested_some(flights, n, order);
}

static bool over_dups(enum mem_kind kind, int ncomms, int n, int ncalls,
                      int way)
{
    MPI_Comm comms[4];
    bool     right;

    comms[0] = MPI_COMM_WORLD;
    for (int i = 1; i < ncomms; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    right = all_in_flight(kind, comms, ncomms, n, ncalls, way);
    for (int i = 1; i < ncomms; i++)
        MPI_Comm_free(&comms[i]);
    return right;
}

/* The four calls of the report on four communicators. */
static bool sixteen_by_waitany(enum mem_kind kind)
{
    return over_dups(kind, 4, 16, 4, 1);
}

static bool forty_by_wait(enum mem_kind kind)
{
    return over_dups(kind, 3, 40, flight_calls, 0);
}

static bool forty_by_waitany(enum mem_kind kind)
{
    return over_dups(kind, 3, 40, flight_calls, 1);
}

static bool forty_by_testsome(enum mem_kind kind)
{
    return over_dups(kind, 3, 40, flight_calls, 2);
}

/* Every call once, alone: says which of them fails when many do. */
static bool each_call_alone(enum mem_kind kind)
{
    bool right = true;

    for (int i = 0; i < flight_calls; i++) {
        struct flight f = flight_start(kind, MPI_COMM_WORLD, i, 5 * i);

        right &= CALL(MPI_Wait(&f.request, MPI_STATUS_IGNORE));
        right &= flight_end(&f);
    }
    return right;
}

static bool many_one_after_another(enum mem_kind kind)
{
    int         times = 1000, n = 16, p = cases.nranks;
    struct mem  send = cells(kind, I32, (size_t)n, cases.rank, 1);
    struct mem  recv = cells(kind, I32, (size_t)n, 0, 0);
    MPI_Request request = MPI_REQUEST_NULL;
    bool        right = true;

    for (int i = 0; i < times && right; i++) {
        right &= CALL(MPI_Iallreduce(send.buffer, recv.buffer, n, MPI_INT,
                                     MPI_SUM, MPI_COMM_WORLD, &request));
        if (i % 3 == 0 && right) {
            int done = 0;

            while (!done && right)
                right &= CALL(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        }
        right &= CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    put(&recv, I32, 0, (size_t)n, p * (p - 1) / 2, p);
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

/* --- handles that are gone before the call is complete */

static void int_sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

enum { PAIRS = 500, PAIR_STRIDE = 3 /* ints from pair to pair */ };

/* Two of every three ints. */
static void put_pairs(struct mem *mem, int first)
{
    for (size_t i = 0; i < PAIRS; i++)
        put(mem, I32, i * PAIR_STRIDE, 2, first + (int64_t)i, 1000);
}

/* On memory that the CPU may touch Open MPI has the call, whose own collectives
 * do not hold their communicator and may die of its end. */
static bool is_held(enum mem_kind kind)
{
    return kind != MEM_HOST && kind != MEM_PINNED && kind != MEM_ZE_PINNED;
}

static bool freed_under_way(enum mem_kind kind)
{
    int          p = cases.nranks;
    struct mem   sum = cells(kind, I32, PAIRS, cases.rank, 1);
    struct mem   pairs = mem_new(kind, PAIRS * PAIR_STRIDE * sizeof(int));
    MPI_Request  r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Comm     comm;
    MPI_Datatype type;
    MPI_Op       op;
    bool         right;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Op_create(int_sum, 1, &op);
    MPI_Type_vector(PAIRS, 2, PAIR_STRIDE, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (cases.rank == p - 1)
        put_pairs(&pairs, 7);
    mem_upload(&pairs);
    right = CALL(MPI_Iallreduce(MPI_IN_PLACE, sum.buffer, PAIRS, MPI_INT, op,
                                comm, &r[0]));
    right &= CALL(MPI_Ibcast(pairs.buffer, 1, type, p - 1, comm, &r[1]));
    MPI_Type_free(&type);
    MPI_Op_free(&op);
    if (is_held(kind))
        MPI_Comm_free(&comm);
    right &= CALL(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    if (!is_held(kind))
        MPI_Comm_free(&comm);
    put(&sum, I32, 0, PAIRS, p * (p - 1) / 2, p);
    put_pairs(&pairs, 7);
    right &= ends_as_put(&sum, "allreduce");
    return ends_as_put(&pairs, "bcast") && right;
}

/* A status can be had without the request being freed. */
static bool looked_at(enum mem_kind kind)
{
    struct flight f = flight_start(kind, MPI_COMM_WORLD, 4, 9);
    int           done = 0;
    bool          right = true;

    while (!done && right)
        right &=
            CALL(MPI_Request_get_status(f.request, &done, MPI_STATUS_IGNORE));
    right &= f.request != MPI_REQUEST_NULL;
    right &= CALL(MPI_Wait(&f.request, MPI_STATUS_IGNORE));
    right &= f.request == MPI_REQUEST_NULL;
    return flight_end(&f) && right;
}

/* --- persistent */

enum { ROUNDS = 3, PERSISTENT_COUNT = 1003 };

static bool persistent_allreduce(enum mem_kind kind)
{
    enum { COUNT = PERSISTENT_COUNT };
    int         p = cases.nranks;
    struct mem  send = blank(kind, COUNT * sizeof(double));
    struct mem  recv = blank(kind, COUNT * sizeof(double));
    MPI_Request request = MPI_REQUEST_NULL;
    bool        right;

    right = CALL(MPI_Allreduce_init(send.buffer, recv.buffer, COUNT, MPI_DOUBLE,
                                    MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                    &request));
    right &= is_as_put(&recv, "recv before the start");
    for (int round = 0; round < ROUNDS && right; round++) {
        put(&send, F64, 0, COUNT, cases.rank + round, round);
        put(&recv, F64, 0, COUNT, -1, 0);
        mem_upload(&send);
        mem_upload(&recv);
        right &= CALL(MPI_Start(&request));
        right &= CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
        put(&recv, F64, 0, COUNT, p * (p - 1) / 2 + p * round,
            (int64_t)p * round);
        right &= is_as_put(&send, "send");
        right &= is_as_put(&recv, "recv");
    }
    if (request != MPI_REQUEST_NULL)
        right &= CALL(MPI_Request_free(&request));
    mem_delete(&send);
    mem_delete(&recv);
    return right;
}

/* Two at once, started together, and a third that never starts. */
static bool persistent_together(enum mem_kind kind)
{
    enum { COUNT = PERSISTENT_COUNT };
    int         root = cases.nranks - 1, p = cases.nranks;
    struct mem  mem = blank(kind, COUNT * sizeof(int));
    struct mem  sum = blank(kind, COUNT * sizeof(int));
    MPI_Request r[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    bool        right;

    right = CALL(MPI_Bcast_init(mem.buffer, COUNT, MPI_INT, root,
                                MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
    right &=
        CALL(MPI_Allreduce_init(MPI_IN_PLACE, sum.buffer, COUNT, MPI_INT,
                                MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]));
    right &= CALL(MPI_Bcast_init(mem.buffer, COUNT, MPI_INT, 0, MPI_COMM_WORLD,
                                 MPI_INFO_NULL, &r[2]));
    for (int round = 0; round < ROUNDS && right; round++) {
        put(&mem, I32, 0, COUNT, 1000 * cases.rank + round, 1);
        put(&sum, I32, 0, COUNT, cases.rank, round);
        mem_upload(&mem);
        mem_upload(&sum);
        right &= CALL(MPI_Startall(2, r));
        right &= CALL(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
        put(&mem, I32, 0, COUNT, 1000 * root + round, 1);
        put(&sum, I32, 0, COUNT, p * (p - 1) / 2, (int64_t)p * round);
        right &= is_as_put(&mem, "bcast");
        right &= is_as_put(&sum, "allreduce");
    }
    for (int i = 0; i < 3; i++)
        if (r[i] != MPI_REQUEST_NULL)
            right &= CALL(MPI_Request_free(&r[i]));
    mem_delete(&mem);
    mem_delete(&sum);
    return right;
}

static const struct test_case table[] = {
    EACH_KIND("case 15: iallreduce and ireduce together, completed by tests",
              two_reductions_by_test),
    EACH_KIND("case 15: every nonblocking collective by itself",
              each_call_alone),
    EACH_KIND("case 15: a thousand iallreduces one after another",
              many_one_after_another),
    EACH_KIND("case 15: communicator, type and op are freed before the end",
              freed_under_way),
    EACH_KIND("case 15: a request that is looked at stays", looked_at),
    EACH_KIND("case 16: 16 collectives on 4 communicators by waitany, a rank "
              "late",
              sixteen_by_waitany),
    EACH_KIND("case 16: 40 collectives on 3 communicators, each rank waits in "
              "its own order",
              forty_by_wait),
    EACH_KIND("case 16: 40 collectives on 3 communicators by waitany",
              forty_by_waitany),
    EACH_KIND("case 16: 40 collectives on 3 communicators by testsome",
              forty_by_testsome),
    EACH_KIND("case 17: a persistent allreduce takes what is there at its "
              "start",
              persistent_allreduce),
    EACH_KIND("case 17: persistent collectives started together; one never",
              persistent_together),
    END_OF_CASES,
};

int main(int argc, char **argv)
{
    return cases_main(argc, argv, table);
}
