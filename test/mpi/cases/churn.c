/* What comes and goes by the thousand leaves nothing behind. */
#include "cases.h"
#include "footprint.h"

#include <stdlib.h>

struct loop {
    enum mem_kind kind;
    struct mem    send, recv; /* of one int each */
};

static bool sum_is_right(struct loop *l, MPI_Comm comm)
{
    int rank, p;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    put(&l->send, I32, 0, 1, rank + 1, 0);
    mem_upload(&l->send);
    if (!CALL(MPI_Allreduce(l->send.buffer, l->recv.buffer, 1, MPI_INT, MPI_SUM,
                            comm)))
        return false;
    put(&l->recv, I32, 0, 1, p * (p + 1) / 2, 0);
    return is_as_put(&l->recv, "sum");
}

static bool dup_once(struct loop *l)
{
    MPI_Comm comm;
    bool     right;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    right = sum_is_right(l, comm);
    MPI_Comm_free(&comm);
    return right;
}

static bool idup_once(struct loop *l)
{
    MPI_Comm    comm;
    MPI_Request request;
    bool        right;

    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    right = sum_is_right(l, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    right &= sum_is_right(l, comm);
    MPI_Comm_free(&comm);
    return right;
}

/* Even and odd ranks: another sum for each. */
static bool split_once(struct loop *l)
{
    MPI_Comm comm;
    bool     right;

    MPI_Comm_split(MPI_COMM_WORLD, cases.rank % 2, cases.rank, &comm);
    right = sum_is_right(l, comm);
    MPI_Comm_free(&comm);
    return right;
}

static bool iallreduce_once(struct loop *l)
{
    MPI_Request request;

    return CALL(MPI_Iallreduce(l->send.buffer, l->recv.buffer, 1, MPI_INT,
                               MPI_SUM, MPI_COMM_WORLD, &request)) &&
           CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static bool message_once(struct loop *l)
{
    int         next = (cases.rank + 1) % cases.nranks;
    int         last = (cases.rank + cases.nranks - 1) % cases.nranks;
    MPI_Request r[2];

    return CALL(MPI_Irecv(l->recv.buffer, 1, MPI_INT, last, 5, MPI_COMM_WORLD,
                          &r[0])) &&
           CALL(MPI_Isend(l->send.buffer, 1, MPI_INT, next, 5, MPI_COMM_WORLD,
                          &r[1])) &&
           CALL(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
}

static bool type_once(struct loop *l)
{
    MPI_Datatype type;
    bool         right;

    MPI_Type_vector(1, 1, 1, MPI_INT, &type);
    MPI_Type_commit(&type);
    right = CALL(MPI_Bcast(l->recv.buffer, 1, type, 0, MPI_COMM_WORLD));
    MPI_Type_free(&type);
    return right;
}

static bool loops(enum mem_kind kind, bool (*once)(struct loop *), int times,
                  const char *what)
{
    struct loop      l = {.kind = kind,
                          .send = cells(kind, I32, 1, 0, 0),
                          .recv = cells(kind, I32, 1, 0, 0)};
    struct footprint marks[FOOTPRINT_MARKS];
    bool             right = true;

    for (int mark = 0; mark < FOOTPRINT_MARKS; mark++) {
        for (int i = 0; i < times / FOOTPRINT_MARKS && right; i++)
            right &= once(&l);
        marks[mark] = footprint_mark(kind);
    }
    right = right && footprint_is_flat(marks, times / FOOTPRINT_MARKS, what);
    mem_delete(&l.send);
    mem_delete(&l.recv);
    return right;
}

static bool dups(enum mem_kind kind)
{
    return loops(kind, dup_once, cases.is_long ? 20000 : 600, "dup, free");
}

static bool idups(enum mem_kind kind)
{
    return loops(kind, idup_once, cases.is_long ? 5000 : 1500, "idup, free");
}

static bool splits(enum mem_kind kind)
{
    return loops(kind, split_once, cases.is_long ? 20000 : 600, "split, free");
}

static bool requests(enum mem_kind kind)
{
    return loops(kind, iallreduce_once, cases.is_long ? 100000 : 10000,
                 "iallreduce");
}

static bool messages(enum mem_kind kind)
{
    return loops(kind, message_once, cases.is_long ? 100000 : 5000,
                 "isend, irecv");
}

static bool types(enum mem_kind kind)
{
    return loops(kind, type_once, cases.is_long ? 20000 : 2000, "type, bcast");
}

static const struct test_case table[] = {
    EACH_KIND("case 48f: split, allreduce, free: nothing is left behind",
              splits),
    EACH_KIND("case 48f: dup, allreduce, free: nothing is left behind", dups),
    EACH_KIND("case 48f: idup, allreduce, free: nothing is left behind", idups),
    EACH_KIND("churn: ten thousand iallreduces leave nothing behind", requests),
    EACH_KIND("churn: thousands of messages leave nothing behind", messages),
    EACH_KIND("churn: thousands of datatypes leave nothing behind", types),
    END_OF_CASES,
};

int main(int argc, char **argv)
{
    return cases_main(argc, argv, table);
}
