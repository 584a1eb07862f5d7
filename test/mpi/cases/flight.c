#include "flight.h"

/* Counts are odd and small on purpose: what is tested is what happens when,
 * not how much moves. */
struct call {
    struct flight *flight;
    enum mem_kind  kind;
    MPI_Comm       comm;
    int            rank, nranks, root, seed;
    int            n; /* cells per block */
};

/* Cell i of what a rank gives is seed + 100 * rank + i; where there is a block
 * per receiver, 10000 * receiver more. */
static int64_t given(const struct call *c, int from, int to)
{
    return c->seed + 100 * (int64_t)from + 10000 * (int64_t)to;
}

static void new_send(struct call *c, int blocks)
{
    c->flight->send = mem_new(c->kind, (size_t)(blocks * c->n) * sizeof(int));
    for (int to = 0; to < blocks; to++)
        put(&c->flight->send, I32, (size_t)(to * c->n), (size_t)c->n,
            given(c, c->rank, to), 1);
    mem_upload(&c->flight->send);
}

static void new_recv(struct call *c, int blocks)
{
    c->flight->recv = blank(c->kind, (size_t)(blocks * c->n) * sizeof(int));
}

static void expect(struct call *c, int block, int from, int to)
{
    put(&c->flight->recv, I32, (size_t)(block * c->n), (size_t)c->n,
        given(c, from, to), 1);
}

/* The sum over ranks [0, upto) of what they gave to `to`. */
static void expect_sum(struct call *c, int upto, int to)
{
    int64_t sum = 0;

    for (int from = 0; from < upto; from++)
        sum += given(c, from, to);
    put(&c->flight->recv, I32, 0, (size_t)c->n, sum, upto);
}

#define SEND c->flight->send.buffer
#define RECV c->flight->recv.buffer
#define WITH c->comm, &c->flight->request

static int barrier(struct call *c)
{
    new_send(c, 0);
    new_recv(c, 0);
    return MPI_Ibarrier(WITH);
}

static int bcast(struct call *c)
{
    int rc;

    new_send(c, 0);
    new_recv(c, 1);
    if (c->rank == c->root) {
        expect(c, 0, c->root, 0);
        mem_upload(&c->flight->recv);
    }
    rc = MPI_Ibcast(RECV, c->n, MPI_INT, c->root, WITH);
    expect(c, 0, c->root, 0);
    return rc;
}

static int allreduce(struct call *c)
{
    new_send(c, 1);
    new_recv(c, 1);
    expect_sum(c, c->nranks, 0);
    return MPI_Iallreduce(SEND, RECV, c->n, MPI_INT, MPI_SUM, WITH);
}

static int reduce(struct call *c)
{
    new_send(c, 1);
    new_recv(c, 1);
    if (c->rank == c->root)
        expect_sum(c, c->nranks, 0);
    return MPI_Ireduce(SEND, RECV, c->n, MPI_INT, MPI_SUM, c->root, WITH);
}

static int allgather(struct call *c)
{
    new_send(c, 1);
    new_recv(c, c->nranks);
    for (int from = 0; from < c->nranks; from++)
        expect(c, from, from, 0);
    return MPI_Iallgather(SEND, c->n, MPI_INT, RECV, c->n, MPI_INT, WITH);
}

static int gather(struct call *c)
{
    new_send(c, 1);
    new_recv(c, c->rank == c->root ? c->nranks : 0);
    for (int from = 0; from < c->nranks && c->rank == c->root; from++)
        expect(c, from, from, 0);
    return MPI_Igather(SEND, c->n, MPI_INT, RECV, c->n, MPI_INT, c->root, WITH);
}

static int scatter(struct call *c)
{
    new_send(c, c->nranks);
    new_recv(c, 1);
    expect(c, 0, c->root, c->rank);
    return MPI_Iscatter(SEND, c->n, MPI_INT, RECV, c->n, MPI_INT, c->root,
                        WITH);
}

static int alltoall(struct call *c)
{
    new_send(c, c->nranks);
    new_recv(c, c->nranks);
    for (int from = 0; from < c->nranks; from++)
        expect(c, from, from, c->rank);
    return MPI_Ialltoall(SEND, c->n, MPI_INT, RECV, c->n, MPI_INT, WITH);
}

enum { MAX_RANKS = 64 };

/* Blocks come in the opposite order, by displacements.  The vectors belong to
 * the call until it is complete, so one lot serves all calls of one shape. */
static int alltoallv(struct call *c)
{
    static int counts[MAX_RANKS], forward[MAX_RANKS], backward[MAX_RANKS];

    new_send(c, c->nranks);
    new_recv(c, c->nranks);
    for (int from = 0; from < c->nranks; from++) {
        counts[from] = c->n;
        forward[from] = from * c->n;
        backward[from] = (c->nranks - 1 - from) * c->n;
        expect(c, c->nranks - 1 - from, from, c->rank);
    }
    return MPI_Ialltoallv(SEND, counts, forward, MPI_INT, RECV, counts,
                          backward, MPI_INT, WITH);
}

static int reduce_scatter_block(struct call *c)
{
    new_send(c, c->nranks);
    new_recv(c, 1);
    expect_sum(c, c->nranks, c->rank);
    return MPI_Ireduce_scatter_block(SEND, RECV, c->n, MPI_INT, MPI_SUM, WITH);
}

static int scan(struct call *c)
{
    new_send(c, 1);
    new_recv(c, 1);
    expect_sum(c, c->rank + 1, 0);
    return MPI_Iscan(SEND, RECV, c->n, MPI_INT, MPI_SUM, WITH);
}

/* What rank 0 gets from it is undefined: it gives no buffer. */
static int exscan(struct call *c)
{
    new_send(c, 1);
    new_recv(c, 1);
    if (c->rank > 0)
        expect_sum(c, c->rank, 0);
    return MPI_Iexscan(SEND, c->rank > 0 ? RECV : NULL, c->n, MPI_INT, MPI_SUM,
                       WITH);
}

static const struct {
    const char *name;
    int (*start)(struct call *call);
} calls[] = {
    {"ibcast", bcast},         {"iallgather", allgather},
    {"ialltoallv", alltoallv}, {"ireduce_scatter_block", reduce_scatter_block},
    {"iallreduce", allreduce}, {"ireduce", reduce},
    {"igather", gather},       {"iscatter", scatter},
    {"ialltoall", alltoall},   {"iscan", scan},
    {"iexscan", exscan},       {"ibarrier", barrier},
};

const int flight_calls = (int)COUNT_OF(calls);

struct flight flight_start(enum mem_kind kind, MPI_Comm comm, int which,
                           int seed)
{
    struct flight flight = {.call = calls[which % flight_calls].name,
                            .request = MPI_REQUEST_NULL};
    struct call   c = {
          .flight = &flight, .kind = kind, .comm = comm, .seed = seed, .n = 37};

    MPI_Comm_rank(comm, &c.rank);
    MPI_Comm_size(comm, &c.nranks);
    c.root = seed % c.nranks;
    if (c.nranks > MAX_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 99);
    flight.right =
        succeeded(calls[which % flight_calls].start(&c), flight.call);
    return flight;
}

bool flight_end(struct flight *flight)
{
    flight->right &= ends_as_put(&flight->send, flight->call);
    flight->right &= ends_as_put(&flight->recv, flight->call);
    return flight->right;
}
