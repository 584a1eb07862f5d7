#include "between.h"

#include <stdlib.h>

enum { COUNT = 1003 };

struct sides {
    MPI_Comm      comm;
    enum mem_kind kind;
    int           side, rank; /* here */
    int           others;     /* ranks of the other side */
};

/* What rank `from` of a side gives to rank `to`; cells go up by one. */
static int64_t given(int side, int from, int to)
{
    return 1000000 * (int64_t)(side + 1) + 10000 * (int64_t)from +
           2000 * (int64_t)to;
}

static struct mem to_all(const struct sides *s, int blocks)
{
    struct mem mem = mem_new(s->kind, (size_t)(blocks * COUNT) * sizeof(int));

    for (int to = 0; to < blocks; to++)
        put(&mem, I32, (size_t)(to * COUNT), COUNT, given(s->side, s->rank, to),
            1);
    mem_upload(&mem);
    return mem;
}

static struct mem from_all(const struct sides *s, int blocks)
{
    return blank(s->kind, (size_t)(blocks * COUNT) * sizeof(int));
}

/* Block `at` is what rank `from` of the other side gave to rank `to`. */
static void put_block(const struct sides *s, struct mem *mem, int at, int from,
                      int to)
{
    put(mem, I32, (size_t)(at * COUNT), COUNT, given(1 - s->side, from, to), 1);
}

/* The sum over the other side of what each gave to `to`. */
static void put_sum(const struct sides *s, struct mem *mem, int to)
{
    int64_t sum = 0;

    for (int from = 0; from < s->others; from++)
        sum += given(1 - s->side, from, to);
    put(mem, I32, 0, COUNT, sum, s->others);
}

static bool ended(struct mem *send, struct mem *recv, bool right,
                  const char *call)
{
    right &= ends_as_put(send, call);
    return ends_as_put(recv, call) & right;
}

/* --- from and to a root: rank 0 of side 0, as the group with the root and the
 * other see it */

static int root_argument(const struct sides *s)
{
    if (s->side == 1)
        return 0;
    return s->rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
}

static bool bcast(const struct sides *s)
{
    struct mem mem = s->side == 0 ? to_all(s, 1) : from_all(s, 1);
    bool       right;

    right =
        CALL(MPI_Bcast(mem.buffer, COUNT, MPI_INT, root_argument(s), s->comm));
    if (s->side == 1)
        put_block(s, &mem, 0, 0, 0);
    return ends_as_put(&mem, "bcast") & right;
}

static bool reduce(const struct sides *s)
{
    struct mem send = to_all(s, 1), recv = from_all(s, 1);
    bool       right;

    right = CALL(MPI_Reduce(send.buffer, recv.buffer, COUNT, MPI_INT, MPI_SUM,
                            root_argument(s), s->comm));
    if (root_argument(s) == MPI_ROOT)
        put_sum(s, &recv, 0);
    return ended(&send, &recv, right, "reduce");
}

static bool gather(const struct sides *s)
{
    struct mem send = to_all(s, 1), recv = from_all(s, s->others);
    bool       right;

    right = CALL(MPI_Gather(send.buffer, COUNT, MPI_INT, recv.buffer, COUNT,
                            MPI_INT, root_argument(s), s->comm));
    for (int from = 0; root_argument(s) == MPI_ROOT && from < s->others; from++)
        put_block(s, &recv, from, from, 0);
    return ended(&send, &recv, right, "gather");
}

static bool scatter(const struct sides *s)
{
    struct mem send = to_all(s, s->others), recv = from_all(s, 1);
    bool       right;

    right = CALL(MPI_Scatter(send.buffer, COUNT, MPI_INT, recv.buffer, COUNT,
                             MPI_INT, root_argument(s), s->comm));
    if (s->side == 1)
        put_block(s, &recv, 0, 0, s->rank);
    return ended(&send, &recv, right, "scatter");
}

/* --- each group gets the other's */

static bool allreduce(const struct sides *s)
{
    struct mem send = to_all(s, 1), recv = from_all(s, 1);
    bool       right;

    right = CALL(MPI_Allreduce(send.buffer, recv.buffer, COUNT, MPI_INT,
                               MPI_SUM, s->comm));
    put_sum(s, &recv, 0);
    return ended(&send, &recv, right, "allreduce");
}

static bool iallreduce(const struct sides *s)
{
    struct mem  send = to_all(s, 1), recv = from_all(s, 1);
    MPI_Request request = MPI_REQUEST_NULL;
    bool        right;

    right = CALL(MPI_Iallreduce(send.buffer, recv.buffer, COUNT, MPI_INT,
                                MPI_SUM, s->comm, &request));
    right &= CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    put_sum(s, &recv, 0);
    return ended(&send, &recv, right, "iallreduce");
}

static bool allgather(const struct sides *s)
{
    struct mem send = to_all(s, 1), recv = from_all(s, s->others);
    bool       right;

    right = CALL(MPI_Allgather(send.buffer, COUNT, MPI_INT, recv.buffer, COUNT,
                               MPI_INT, s->comm));
    for (int from = 0; from < s->others; from++)
        put_block(s, &recv, from, from, 0);
    return ended(&send, &recv, right, "allgather");
}

static bool alltoall(const struct sides *s)
{
    struct mem send = to_all(s, s->others), recv = from_all(s, s->others);
    bool       right;

    right = CALL(MPI_Alltoall(send.buffer, COUNT, MPI_INT, recv.buffer, COUNT,
                              MPI_INT, s->comm));
    for (int from = 0; from < s->others; from++)
        put_block(s, &recv, from, from, s->rank);
    return ended(&send, &recv, right, "alltoall");
}

/* Every pair of ranks, one from each side. */
static bool messages(const struct sides *s)
{
    struct mem   send = to_all(s, s->others), recv = from_all(s, s->others);
    int          n = s->others;
    size_t       bytes = COUNT * sizeof(int);
    MPI_Request *requests = malloc((size_t)(2 * n) * sizeof(MPI_Request));
    bool         right = requests != NULL;

    for (int other = 0; other < n && right; other++) {
        size_t at = (size_t)other * bytes;

        requests[2 * other] = requests[2 * other + 1] = MPI_REQUEST_NULL;
        right &= CALL(MPI_Irecv(recv.buffer + at, COUNT, MPI_INT, other, 4,
                                s->comm, &requests[2 * other]));
        right &= CALL(MPI_Isend(send.buffer + at, COUNT, MPI_INT, other, 4,
                                s->comm, &requests[2 * other + 1]));
    }
    right = right && CALL(MPI_Waitall(2 * n, requests, MPI_STATUSES_IGNORE));
    for (int from = 0; from < n; from++)
        put_block(s, &recv, from, from, s->rank);
    free(requests);
    return ended(&send, &recv, right, "messages");
}

static struct sides sides_of(MPI_Comm comm, int side, enum mem_kind kind)
{
    struct sides s = {.comm = comm, .kind = kind, .side = side};

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &s.rank);
    MPI_Comm_remote_size(comm, &s.others);
    return s;
}

bool between_collectives_are_right(MPI_Comm comm, int side, enum mem_kind kind)
{
    static bool (*const calls[])(const struct sides *) = {
        bcast,     reduce,     gather,    scatter,
        allreduce, iallreduce, allgather, alltoall};
    struct sides s = sides_of(comm, side, kind);
    bool         right = true;

    for (size_t i = 0; i < COUNT_OF(calls); i++)
        right &= calls[i](&s);
    return right;
}

bool between_messages_are_right(MPI_Comm comm, int side, enum mem_kind kind)
{
    struct sides s = sides_of(comm, side, kind);

    return messages(&s);
}

bool within_is_right(MPI_Comm comm, enum mem_kind kind)
{
    int        rank, p;
    struct mem send, recv;
    bool       right;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    send = cells(kind, I32, COUNT, rank, 1);
    recv = cells(kind, I32, COUNT, -1, 0);
    right = CALL(
        MPI_Allreduce(send.buffer, recv.buffer, COUNT, MPI_INT, MPI_SUM, comm));
    put(&recv, I32, 0, COUNT, p * (p - 1) / 2, p);
    right &= is_as_put(&recv, "allreduce");
    right &= CALL(MPI_Bcast(send.buffer, COUNT, MPI_INT, p - 1, comm));
    put(&send, I32, 0, COUNT, p - 1, 1);
    return ended(&send, &recv, right, "bcast");
}

/* On an intercommunicator each group gets the other's minimum. */
bool between_all(MPI_Comm comm, bool here)
{
    int mine = here, others = 0;

    MPI_Allreduce(&mine, &others, 1, MPI_INT, MPI_MIN, comm);
    mine = here && others != 0;
    MPI_Allreduce(&mine, &others, 1, MPI_INT, MPI_MIN, comm);
    return mine != 0 && others != 0;
}
