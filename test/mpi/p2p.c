/*
 * Every way to send and to receive, on every kind of memory.  The ranks stand
 * in a ring, so that one alone sends to itself; each checks every byte of both
 * its buffers, gaps and guards included, and what the status says.
 *
 *   p2p [small|large]    only counts up to 1000, or above
 */
#include "mem.h"
#include "tap.h"
#include "types.h"

#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 17, ROUNDS = 3 };

static int  rank, nranks, right, left;
static bool counts_small = true, counts_large = true;

/* Where odd and even ranks' buffers lie. */
struct placement {
    const char   *name;
    enum mem_kind send[2], recv[2];
};

#define SAME(kind) \
    {              \
        kind, kind \
    }
static const struct placement placements[] = {
    {"host", SAME(MEM_HOST), SAME(MEM_HOST)},
    {"pinned", SAME(MEM_PINNED), SAME(MEM_PINNED)},
    {"managed", SAME(MEM_MANAGED), SAME(MEM_MANAGED)},
    {"pool", SAME(MEM_POOL), SAME(MEM_POOL)},
    {"cuda", SAME(MEM_CUDA), SAME(MEM_CUDA)},
    {"hip", SAME(MEM_HIP), SAME(MEM_HIP)},
    {"ze", SAME(MEM_ZE), SAME(MEM_ZE)},
    {"ze managed", SAME(MEM_ZE_MANAGED), SAME(MEM_ZE_MANAGED)},
    {"cuda send, host recv", SAME(MEM_CUDA), SAME(MEM_HOST)},
    {"host send, hip recv", SAME(MEM_HOST), SAME(MEM_HIP)},
    {"hip send, pool recv", SAME(MEM_HIP), SAME(MEM_POOL)},
    {"cuda and hip by rank", {MEM_CUDA, MEM_HIP}, {MEM_CUDA, MEM_HIP}},
    {"ze and cuda by rank", {MEM_ZE, MEM_CUDA}, {MEM_ZE, MEM_CUDA}},
    {"host and cuda by rank", {MEM_HOST, MEM_CUDA}, {MEM_HOST, MEM_CUDA}},
};
enum { PLACEMENTS = sizeof placements / sizeof placements[0] };

struct trial {
    const struct test_type *type;
    const struct placement *placement;
    int                     count;
    struct mem              send, recv;
    MPI_Status              status; /* of the receive */
    bool                    failed;
};

/* What rank sends in a round. */
static void write_values(const struct trial *t, struct mem *mem, int from,
                         int round)
{
    for (size_t i = 0; i < (size_t)t->count; i++)
        t->type->value(mem->elements + i * t->type->extent, from + 100 * round,
                       i);
}

static void fill(struct trial *t, int round)
{
    write_values(t, &t->send, rank, round);
    mem_upload(&t->send);
}

/* MPI may be given NULL where there is nothing. */
#define SEND(t)                                                              \
    ((t)->count > 0 ? (t)->send.buffer : NULL), (t)->count, (t)->type->type, \
        right, TAG
#define RECV(t)                                                              \
    ((t)->count > 0 ? (t)->recv.buffer : NULL), (t)->count, (t)->type->type, \
        left, TAG

static void complain(struct trial *t, const char *way, const char *what)
{
    if (!t->failed)
        printf("# rank %d of %d: %s of %d %s, %s: %s\n", rank, nranks, way,
               t->count, t->type->name, t->placement->name, what);
    t->failed = true;
}

static void check_bytes(struct trial *t, const char *way, const char *side,
                        const struct mem *mem)
{
    char what[96];
    int  is = 0, should = 0;
    long at = mem_compare(mem, &is, &should);

    if (at == LONG_MIN)
        return;
    snprintf(what, sizeof what, "byte %ld of %s is %#x, not %#x", at, side,
             (unsigned)is, (unsigned)should);
    complain(t, way, what);
}

static void check(struct trial *t, const char *way, int round)
{
    int count = -1;

    MPI_Get_count(&t->status, t->type->type, &count);
    if (count != t->count || t->status.MPI_SOURCE != left ||
        t->status.MPI_TAG != TAG)
        complain(t, way, "the status is wrong");
    write_values(t, &t->recv, left, round);
    check_bytes(t, way, "send", &t->send);
    check_bytes(t, way, "recv", &t->recv);
}

/* Blocking sends around the ring: every other rank receives first. */
static void ring(struct trial *t, int (*send)(const void *, int, MPI_Datatype,
                                              int, int, MPI_Comm))
{
    MPI_Request request;

    if (nranks == 1) {
        MPI_Irecv(RECV(t), MPI_COMM_WORLD, &request);
        send(SEND(t), MPI_COMM_WORLD);
        MPI_Wait(&request, &t->status);
        return;
    }
    if (rank % 2 == 0)
        send(SEND(t), MPI_COMM_WORLD);
    MPI_Recv(RECV(t), MPI_COMM_WORLD, &t->status);
    if (rank % 2 == 1)
        send(SEND(t), MPI_COMM_WORLD);
}

static void attach(const struct trial *t)
{
    int each = t->count * (int)t->type->extent + MPI_BSEND_OVERHEAD + 64;
    int bytes = each * ROUNDS;

    MPI_Buffer_attach(malloc((size_t)bytes), bytes);
}

static void detach(void)
{
    void *buffer;
    int   bytes;

    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
}

static void by_send(struct trial *t)
{
    ring(t, MPI_Send);
}

static void by_ssend(struct trial *t)
{
    ring(t, MPI_Ssend);
}

static void by_bsend(struct trial *t)
{
    attach(t);
    MPI_Bsend(SEND(t), MPI_COMM_WORLD);
    MPI_Recv(RECV(t), MPI_COMM_WORLD, &t->status);
    detach();
}

static void by_rsend(struct trial *t)
{
    MPI_Request request;

    MPI_Irecv(RECV(t), MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(SEND(t), MPI_COMM_WORLD);
    MPI_Wait(&request, &t->status);
}

typedef int start_send(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                       MPI_Request *);

static void nonblocking(struct trial *t, start_send *isend)
{
    MPI_Request requests[2];
    MPI_Status  statuses[2];

    MPI_Irecv(RECV(t), MPI_COMM_WORLD, &requests[0]);
    if (isend == MPI_Irsend)
        MPI_Barrier(MPI_COMM_WORLD);
    isend(SEND(t), MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    t->status = statuses[0];
}

static void by_isend(struct trial *t)
{
    nonblocking(t, MPI_Isend);
}

static void by_issend(struct trial *t)
{
    nonblocking(t, MPI_Issend);
}

static void by_irsend(struct trial *t)
{
    nonblocking(t, MPI_Irsend);
}

static void by_ibsend(struct trial *t)
{
    attach(t);
    nonblocking(t, MPI_Ibsend);
    detach();
}

/* Each round has other data, since what matters is what is there at the start;
 * the last one is left to the caller's check. */
static void persistent(struct trial *t, start_send *send_init, const char *way)
{
    MPI_Request requests[2];
    MPI_Status  statuses[2];

    MPI_Recv_init(RECV(t), MPI_COMM_WORLD, &requests[0]);
    send_init(SEND(t), MPI_COMM_WORLD, &requests[1]);
    for (int round = ROUNDS - 1; round >= 0; round--) {
        fill(t, round);
        if (send_init == MPI_Rsend_init) {
            MPI_Start(&requests[0]);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Start(&requests[1]);
        } else {
            MPI_Startall(2, requests);
        }
        MPI_Waitall(2, requests, statuses);
        t->status = statuses[0];
        check(t, way, round);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void by_send_init(struct trial *t)
{
    persistent(t, MPI_Send_init, "send_init");
}

static void by_ssend_init(struct trial *t)
{
    persistent(t, MPI_Ssend_init, "ssend_init");
}

static void by_rsend_init(struct trial *t)
{
    persistent(t, MPI_Rsend_init, "rsend_init");
}

static void by_bsend_init(struct trial *t)
{
    attach(t);
    persistent(t, MPI_Bsend_init, "bsend_init");
    detach();
}

static void by_sendrecv(struct trial *t)
{
    MPI_Sendrecv(SEND(t), RECV(t), MPI_COMM_WORLD, &t->status);
}

#if OMPI_MAJOR_VERSION >= 5
static void by_isendrecv(struct trial *t)
{
    MPI_Request request;

    MPI_Isendrecv(SEND(t), RECV(t), MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &t->status);
}
#endif

/* The buffer of both is recv: it has what is sent first. */
static void by_sendrecv_replace(struct trial *t)
{
    void *buffer = t->count > 0 ? t->recv.buffer : NULL;

    write_values(t, &t->recv, rank, 0);
    mem_upload(&t->recv);
    MPI_Sendrecv_replace(buffer, t->count, t->type->type, right, TAG, left, TAG,
                         MPI_COMM_WORLD, &t->status);
}

static void by_probe(struct trial *t)
{
    MPI_Request request;
    MPI_Status  probed;
    int         count = -1;

    MPI_Isend(SEND(t), MPI_COMM_WORLD, &request);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &probed);
    MPI_Get_count(&probed, t->type->type, &count);
    if (count != t->count)
        complain(t, "probe", "the count is wrong");
    MPI_Recv(t->recv.buffer, count, t->type->type, MPI_ANY_SOURCE, MPI_ANY_TAG,
             MPI_COMM_WORLD, &t->status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void by_mprobe(struct trial *t)
{
    MPI_Request request;
    MPI_Message message;
    MPI_Status  probed;

    MPI_Isend(SEND(t), MPI_COMM_WORLD, &request);
    MPI_Mprobe(left, TAG, MPI_COMM_WORLD, &message, &probed);
    MPI_Mrecv(t->recv.buffer, t->count, t->type->type, &message, &t->status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void by_improbe(struct trial *t)
{
    MPI_Request requests[2];
    MPI_Status  statuses[2];
    MPI_Message message;
    int         found = 0;

    MPI_Isend(SEND(t), MPI_COMM_WORLD, &requests[1]);
    while (!found)
        MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &found, &message,
                    MPI_STATUS_IGNORE);
    MPI_Imrecv(t->recv.buffer, t->count, t->type->type, &message, &requests[0]);
    MPI_Waitall(2, requests, statuses);
    t->status = statuses[0];
}

static const struct way {
    const char *name;
    void (*go)(struct trial *t);
} ways[] = {
    {"send", by_send},
    {"ssend", by_ssend},
    {"bsend", by_bsend},
    {"rsend", by_rsend},
    {"isend", by_isend},
    {"issend", by_issend},
    {"ibsend", by_ibsend},
    {"irsend", by_irsend},
    {"send_init", by_send_init},
    {"ssend_init", by_ssend_init},
    {"bsend_init", by_bsend_init},
    {"rsend_init", by_rsend_init},
    {"sendrecv", by_sendrecv},
#if OMPI_MAJOR_VERSION >= 5
    {"isendrecv", by_isendrecv},
#endif
    {"sendrecv_replace", by_sendrecv_replace},
    {"probe", by_probe},
    {"mprobe, mrecv", by_mprobe},
    {"improbe, imrecv", by_improbe},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static bool possible(const struct placement *p)
{
    for (int i = 0; i < 2; i++)
        if (!mem_available(p->send[i], rank) ||
            !mem_available(p->recv[i], rank))
            return false;
    return true;
}

/* Where Open MPI's pml/ob1 sends a buffered message by rendezvous, the second
 * start of a persistent one sends other data, on host memory alike. */
static bool is_beyond_open_mpi(const struct way *way, size_t bytes)
{
    const char *pml = getenv("OMPI_MCA_pml");

    return way->go == by_bsend_init && bytes > 512 &&
           (pml == NULL || strcmp(pml, "ucx") != 0);
}

static bool try_one(const struct way *way, struct trial t, int count)
{
    size_t bytes = (size_t)count * t.type->extent;

    if (is_beyond_open_mpi(way, bytes))
        return false;
    t.count = count;
    t.send = mem_new(t.placement->send[rank % 2], bytes);
    t.recv = mem_new(t.placement->recv[rank % 2], bytes);
    fill(&t, 0);
    mem_upload(&t.recv);
    way->go(&t);
    check(&t, way->name, 0);
    mem_delete(&t.send);
    mem_delete(&t.recv);
    return t.failed;
}

/* Large counts are tried with every type, way and placement, but not with each
 * combination of them; the largest is beyond what is staged in one piece. */
static bool run(const struct way *way, const struct test_type *types,
                const struct placement *placement)
{
    static const int small[] = {0, 1, 7, 1000};
    int              shift = (int)(placement - placements) + (int)(way - ways);
    bool             failed = false;

    for (int type = 0; type < TEST_TYPES; type++) {
        struct trial t = {.type = &types[type], .placement = placement};

        for (size_t c = 0; counts_small && c < 4; c++)
            failed |= try_one(way, t, small[c]);
        if (!counts_large)
            continue;
        if ((type + shift) % 6 == 0)
            failed |= try_one(way, t, t.type->has_gaps ? 5003 : 65537);
        if (type == 0 && shift % 4 == 0)
            failed |= try_one(way, t, 1200001);
    }
    return failed;
}

int main(int argc, char **argv)
{
    struct test_type types[TEST_TYPES];
    char             what[128];

    MPI_Init(&argc, &argv);
    counts_small = argc < 2 || strcmp(argv[1], "small") == 0;
    counts_large = argc < 2 || strcmp(argv[1], "large") == 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    right = (rank + 1) % nranks;
    left = (rank + nranks - 1) % nranks;
    tap_plan(PLACEMENTS * WAYS);
    types_create(types);
    for (int p = 0; p < PLACEMENTS; p++) {
        bool here = possible(&placements[p]);

        for (int w = 0; w < WAYS; w++) {
            bool failed = !here || run(&ways[w], types, &placements[p]);

            snprintf(what, sizeof what, "%s: %s%s", ways[w].name,
                     placements[p].name, here ? "" : ", which is not here");
            tap_ok(!failed, what);
        }
    }
    types_free(types);
    MPI_Finalize();
    return 0;
}
