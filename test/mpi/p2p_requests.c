/*
 * Requests for device memory, from start to end by every call that MPI has for
 * them.  Two ranks; where not said, rank 0 sends and rank 1 receives.
 */
#include "ints.h"
#include "tap.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* For a call that only Open MPI itself makes. */
#include "ompi_config.h"
#include "ompi/mca/pml/pml.h"

enum {
    TAG = 5,
    MANY = 120,
    COUNT = 1000,
    LONG_COUNT = 50000,
    SOME = 8, /* requests at once */
    PATIENCE = 1000000
};

static int           rank;
static enum mem_kind kind;

static const enum mem_kind kinds[] = {MEM_CUDA, MEM_HIP, MEM_ZE, MEM_POOL};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Rank 0's has numbers from first on, rank 1's others. */
static struct mem block(int count, int first)
{
    return ints_new(kind, count, rank == 0 ? first : -1000000);
}

static void start(struct mem *mem, int count, int tag, MPI_Request *request)
{
    if (rank == 0)
        MPI_Isend(mem->buffer, count, MPI_INT, 1, tag, MPI_COMM_WORLD, request);
    else
        MPI_Irecv(mem->buffer, count, MPI_INT, 0, tag, MPI_COMM_WORLD, request);
}

static bool end(struct mem *mem, int count, int first)
{
    bool right;

    ints_expect(mem, 0, count, first);
    right = ints_are_right(mem);
    mem_delete(mem);
    return right;
}

/* Posted in one order and sent in the other. */
static bool many_are_right(void)
{
    struct mem  mems[MANY];
    MPI_Request requests[MANY];
    bool        right = true;

    for (int i = 0; i < MANY; i++) {
        int tag = rank == 0 ? i : MANY - 1 - i;

        mems[i] = block(COUNT, tag * 10);
        start(&mems[i], COUNT, tag, &requests[i]);
    }
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MANY; i++)
        right &= end(&mems[i], COUNT, (rank == 0 ? i : MANY - 1 - i) * 10);
    return right;
}

/* Each finishes some, and says how many in all are finished then. */
static int finish_by_wait(MPI_Request *requests, int done)
{
    MPI_Wait(&requests[done], MPI_STATUS_IGNORE);
    return done + 1;
}

static int finish_by_test(MPI_Request *requests, int done)
{
    int flag;

    MPI_Test(&requests[done], &flag, MPI_STATUS_IGNORE);
    return done + flag;
}

static int finish_by_waitany(MPI_Request *requests, int done)
{
    int index = MPI_UNDEFINED;

    MPI_Waitany(SOME, requests, &index, MPI_STATUS_IGNORE);
    return done + (index != MPI_UNDEFINED);
}

static int finish_by_testany(MPI_Request *requests, int done)
{
    int index = MPI_UNDEFINED, flag;

    MPI_Testany(SOME, requests, &index, &flag, MPI_STATUS_IGNORE);
    return done + (flag && index != MPI_UNDEFINED);
}

static int finish_by_waitsome(MPI_Request *requests, int done)
{
    int n, indices[SOME];

    MPI_Waitsome(SOME, requests, &n, indices, MPI_STATUSES_IGNORE);
    return done + n;
}

static int finish_by_testsome(MPI_Request *requests, int done)
{
    int n, indices[SOME];

    MPI_Testsome(SOME, requests, &n, indices, MPI_STATUSES_IGNORE);
    return done + n;
}

static int finish_by_testall(MPI_Request *requests, int done)
{
    int flag;

    MPI_Testall(SOME, requests, &flag, MPI_STATUSES_IGNORE);
    return flag ? SOME : done;
}

static int finish_by_get_status(MPI_Request *requests, int done)
{
    MPI_Status status;
    int        flag, count = -1;

    MPI_Request_get_status(requests[done], &flag, &status);
    if (!flag)
        return done;
    MPI_Get_count(&status, MPI_INT, &count);
    if (rank == 1 && (count != COUNT || status.MPI_SOURCE != 0))
        printf("# the status is wrong\n");
    MPI_Wait(&requests[done], MPI_STATUS_IGNORE);
    return done + 1;
}

typedef int finish(MPI_Request *requests, int done);

/* Every second one is on the host, so that requests are of both kinds. */
static bool finishes(finish *by)
{
    struct mem  mems[SOME];
    MPI_Request requests[SOME];
    bool        right = true;
    int         done = 0;

    for (int i = 0; i < SOME; i++) {
        mems[i] = ints_new(i % 2 == 1 ? MEM_HOST : kind, COUNT,
                           rank == 0 ? i : -1000);
        start(&mems[i], COUNT, i, &requests[i]);
    }
    while (done < SOME)
        done = by(requests, done);
    for (int i = 0; i < SOME; i++)
        right &= requests[i] == MPI_REQUEST_NULL && end(&mems[i], COUNT, i);
    return right;
}

static bool every_end_is_right(void)
{
    static finish *const ends[] = {
        finish_by_wait,    finish_by_test,       finish_by_waitany,
        finish_by_testany, finish_by_waitsome,   finish_by_testsome,
        finish_by_testall, finish_by_get_status,
    };
    bool right = true;

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        right &= finishes(ends[i]);
    return right;
}

/* A receive that nothing came for. */
static bool is_cancelled(MPI_Request *request)
{
    MPI_Status status;
    int        cancelled = 0;

    MPI_Cancel(request);
    MPI_Wait(request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    return cancelled != 0;
}

static bool cancel_is_right(void)
{
    struct mem  mem = ints_new(kind, COUNT, 7);
    MPI_Request request;
    bool        right;

    MPI_Irecv(mem.buffer, COUNT, MPI_INT, 1 - rank, TAG, MPI_COMM_WORLD,
              &request);
    right = is_cancelled(&request);
    return end(&mem, COUNT, 7) && right;
}

/* The message has come: it can't be cancelled. */
static bool late_cancel_is_right(void)
{
    struct mem  mem = block(COUNT, 3);
    MPI_Request request;
    MPI_Status  status;
    int         cancelled = 1;

    start(&mem, COUNT, TAG, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int flag = 0; !flag;)
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    return end(&mem, COUNT, 3) && !cancelled;
}

/* A cancelled one starts again, and then a message comes. */
static bool persistent_cancel_is_right(void)
{
    struct mem  mem = block(COUNT, 9);
    MPI_Request request;
    bool        right = true;

    if (rank == 1) {
        MPI_Recv_init(mem.buffer, COUNT, MPI_INT, 0, TAG, MPI_COMM_WORLD,
                      &request);
        MPI_Start(&request);
        right = is_cancelled(&request);
        MPI_Start(&request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(mem.buffer, COUNT, MPI_INT, 1, TAG, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    return end(&mem, COUNT, 9) && right;
}

/* The message must come although its request is gone; it is long, so that it
 * can't have left before. */
static bool freed_send_is_right(void)
{
    struct mem  mem = block(LONG_COUNT, 4);
    MPI_Request request;

    if (rank == 0) {
        MPI_Isend(mem.buffer, LONG_COUNT, MPI_INT, 1, TAG, MPI_COMM_WORLD,
                  &request);
        MPI_Request_free(&request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(mem.buffer, LONG_COUNT, MPI_INT, 0, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    return end(&mem, LONG_COUNT, 4);
}

static bool comes_at_last(const struct mem *mem, int first)
{
    struct mem seen = *mem;
    bool       here = false;
    int        flag, is, should;

    ints_expect(&seen, 0, COUNT, first);
    for (int i = 0; i < PATIENCE && !here; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, TAG + 1, MPI_COMM_WORLD, &flag,
                   MPI_STATUS_IGNORE);
        here = mem_compare(&seen, &is, &should) == LONG_MIN;
    }
    return here;
}

static bool freed_receive_is_right(void)
{
    struct mem  mem = block(COUNT, 5);
    MPI_Request request;
    bool        right = true;

    start(&mem, COUNT, TAG, &request);
    if (rank == 1) {
        MPI_Request_free(&request);
        right = comes_at_last(&mem, 5);
    } else {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return end(&mem, COUNT, 5) && right;
}

/* Never started; started once and freed after; freed while it runs. */
static bool freed_persistent_is_right(void)
{
    struct mem  mem = block(COUNT, 6);
    MPI_Request requests[3];
    bool        right = true;

    for (int i = 0; i < 3; i++) {
        if (rank == 0)
            MPI_Send_init(mem.buffer, COUNT, MPI_INT, 1, TAG, MPI_COMM_WORLD,
                          &requests[i]);
        else
            MPI_Recv_init(mem.buffer, COUNT, MPI_INT, 0, TAG, MPI_COMM_WORLD,
                          &requests[i]);
    }
    MPI_Request_free(&requests[0]);
    MPI_Start(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[1]);
    ints_expect(&mem, 0, COUNT, 6);
    right = ints_are_right(&mem);
    if (rank == 0) {
        ints_expect(&mem, 0, COUNT, 60);
        mem_upload(&mem);
    }
    MPI_Start(&requests[2]);
    MPI_Request_free(&requests[2]);
    return comes_at_last(&mem, 60) && end(&mem, COUNT, 60) && right;
}

/* An inactive one is complete, and its status is empty. */
static bool inactive_is_right(void)
{
    struct mem  mem = ints_new(kind, COUNT, 1);
    MPI_Request request;
    MPI_Status  status;
    int         flag = 0, count = -1;

    MPI_Recv_init(mem.buffer, COUNT, MPI_INT, 1 - rank, TAG, MPI_COMM_WORLD,
                  &request);
    MPI_Test(&request, &flag, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Request_free(&request);
    return end(&mem, COUNT, 1) && flag && count == 0 &&
           status.MPI_SOURCE == MPI_ANY_SOURCE;
}

/* Open MPI's own persistent requests are started through the PML's table, with
 * tags that programs can't have; some here are for host memory. */
static bool internal_is_right(void)
{
    struct mem   mems[SOME];
    MPI_Request  requests[SOME];
    MPI_Datatype type = MPI_INT;
    MPI_Comm     comm = MPI_COMM_WORLD;
    bool         right = true;

    for (int i = 0; i < SOME; i++) {
        enum { TAG_BELOW_ANY = -2000 };
        int tag = TAG_BELOW_ANY - i;

        mems[i] =
            ints_new(i % 3 == 1 ? MEM_HOST : kind, COUNT, rank == 0 ? i : -50);
        if (rank == 0)
            mca_pml.pml_isend_init(mems[i].buffer, COUNT, type, 1, tag,
                                   MCA_PML_BASE_SEND_STANDARD, comm,
                                   &requests[i]);
        else
            mca_pml.pml_irecv_init(mems[i].buffer, COUNT, type, 0, tag, comm,
                                   &requests[i]);
    }
    right = mca_pml.pml_start(SOME, requests) == 0;
    MPI_Waitall(SOME, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < SOME; i++) {
        MPI_Request_free(&requests[i]);
        right &= end(&mems[i], COUNT, i);
    }
    return right;
}

/* A message, kept in an attached buffer on the device until it is received. */
static bool attached_is_right(int count)
{
    int        bytes = count * (int)sizeof(int) + MPI_BSEND_OVERHEAD, size = 0;
    struct mem mem = ints_new(kind, count, rank == 0 ? 3 : -1);
    struct mem buffer = mem_new(kind, (size_t)bytes);
    void      *back = NULL;
    bool       right;

    MPI_Buffer_attach(buffer.buffer, bytes);
    if (rank == 0)
        MPI_Bsend(mem.buffer, count, MPI_INT, 1, TAG, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(mem.buffer, count, MPI_INT, 0, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&back, &size);
    right = back == buffer.buffer && size == bytes;
    mem_delete(&buffer);
    return end(&mem, count, 3) && right;
}

static bool attaching_is_right(void)
{
    return attached_is_right(COUNT);
}

static const struct {
    const char *name;
    bool (*is_right)(void);
} cases[] = {
    {"many at once", many_are_right},
    {"every call that ends one", every_end_is_right},
    {"cancel", cancel_is_right},
    {"cancel too late", late_cancel_is_right},
    {"cancel a persistent one", persistent_cancel_is_right},
    {"free a send that runs", freed_send_is_right},
    {"free a receive that runs", freed_receive_is_right},
    {"free persistent ones", freed_persistent_is_right},
    {"an inactive one", inactive_is_right},
    {"attach device memory for buffered sends", attaching_is_right},
    {"internal ones, started together", internal_is_right},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void check_all(void)
{
    char what[128];

    for (int c = 0; c < CASES; c++) {
        snprintf(what, sizeof what, "%s: %s", mem_kind_name(kind),
                 cases[c].name);
        tap_ok(cases[c].is_right(), what);
    }
}

/* With the argument attach, only that Open MPI never touches such a buffer:
 * it does where its library calls itself directly. */
int main(int argc, char **argv)
{
    bool only_attach = argc > 1 && strcmp(argv[1], "attach") == 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    tap_plan(KINDS * (only_attach ? 1 : CASES));
    for (int k = 0; k < KINDS; k++) {
        kind = kinds[k];
        if (!mem_available(kind, rank))
            MPI_Abort(MPI_COMM_WORLD, 77);
        if (only_attach)
            tap_ok(attached_is_right(LONG_COUNT), mem_kind_name(kind));
        else
            check_all();
    }
    MPI_Finalize();
    return 0;
}
