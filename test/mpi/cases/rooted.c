/* Rooted collectives, and point to point, between memory of all kinds. */
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- bcast between unlike memory */

/* {4 int, 8 double}: 80 bytes, no gap. */
enum { RECORD_INTS = 4, RECORD_DOUBLES = 8, RECORD_BYTES = 80 };

static MPI_Datatype record_type(void)
{
    int          lengths[] = {RECORD_INTS, RECORD_DOUBLES};
    MPI_Aint     places[] = {0, RECORD_INTS * sizeof(int)};
    MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE}, type;

    MPI_Type_create_struct(2, lengths, places, parts, &type);
    MPI_Type_commit(&type);
    return type;
}

/* As many bytes as 4-byte cells: what is in them is not looked at by MPI. */
static bool bcast_from_to(enum mem_kind root_kind, enum mem_kind other_kind,
                          MPI_Datatype type, size_t count, size_t extent,
                          int root)
{
    bool       is_root = cases.rank == root;
    size_t     n = count * extent / sizeof(int);
    struct mem mem = cells(is_root ? root_kind : other_kind, I32, n,
                           is_root ? root : -1, is_root ? 3 : 0);
    bool       right;

    right = CALL(MPI_Bcast(mem.buffer, (int)count, type, root, MPI_COMM_WORLD));
    put(&mem, I32, 0, n, root, 3);
    return ends_as_put(&mem, "bcast") & right;
}

static bool bcast_counts(enum mem_kind root_kind, enum mem_kind other_kind)
{
    static const size_t counts[] = {1, 17, 512, 65530, 4 << 20};
    size_t              n = COUNT_OF(counts) - (cases.is_long ? 0 : 1);
    MPI_Datatype        record = record_type();
    bool                right = true;

    for (size_t c = 0; c < n; c++) {
        int root = (int)c % cases.nranks;

        right &= bcast_from_to(root_kind, other_kind, MPI_INT, counts[c],
                               sizeof(int), root);
        if (c + 1 < n || cases.is_long) /* megabytes once are enough */
            right &= bcast_from_to(root_kind, other_kind, record, counts[c],
                                   RECORD_BYTES, root);
    }
    MPI_Type_free(&record);
    return right;
}

static bool bcast_to(enum mem_kind kind, enum mem_kind other)
{
    return !cases_everywhere(mem_available(other, cases.device)) ||
           bcast_counts(kind, other);
}

static bool bcast_to_every_kind(enum mem_kind kind)
{
    bool right = true;

    for (int other = 0; other < MEM_KINDS; other++)
        right &= bcast_to(kind, (enum mem_kind)other);
    return right;
}

static bool bcast_from_host(enum mem_kind kind)
{
    return bcast_counts(MEM_HOST, kind);
}

/* --- point to point */

static bool ring_exchanged(enum mem_kind kind, size_t count, int first)
{
    int        left = (cases.rank + cases.nranks - 1) % cases.nranks;
    int        right_hand = (cases.rank + 1) % cases.nranks;
    struct mem send = cells(kind, F64, count, first * cases.rank, 1);
    struct mem recv = cells(kind, F64, count, -1, 0);
    bool       right;

    right = CALL(MPI_Sendrecv(send.buffer, (int)count, MPI_DOUBLE, right_hand,
                              5, recv.buffer, (int)count, MPI_DOUBLE, left, 5,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    put(&recv, F64, 0, count, (int64_t)first * left, 1);
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

static bool ring_after_host_bcast(enum mem_kind kind)
{
    int  number = cases.rank == 0 ? 7 : -1;
    bool right = ring_exchanged(kind, 2, 10);

    right &= CALL(MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD));
    right &= number == 7;
    return ring_exchanged(kind, 2, 10) & right;
}

/* Rank 0 to every other one, and back. */
static bool sent_over(enum mem_kind from, enum mem_kind to, size_t bytes)
{
    size_t     n = bytes / sizeof(int);
    struct mem mem = cells(cases.rank == 0 ? from : to, I32, n,
                           cases.rank == 0 ? 11 : -1, cases.rank == 0 ? 7 : 0);
    bool       right = true;

    for (int other = 1; other < cases.nranks; other++) {
        if (cases.rank == 0)
            right &= CALL(MPI_Send(mem.buffer, (int)n, MPI_INT, other, 1,
                                   MPI_COMM_WORLD));
        else if (cases.rank == other)
            right &= CALL(MPI_Recv(mem.buffer, (int)n, MPI_INT, 0, 1,
                                   MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    put(&mem, I32, 0, n, 11, 7);
    return ends_as_put(&mem, "message") & right;
}

static bool sent_in_sizes(enum mem_kind from, enum mem_kind to)
{
    static const size_t sizes[] = {0, 4, 64 << 10, (3 << 20) + 4};
    bool                right = true;

    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        right &= sent_over(from, to, sizes[i]);
    if (cases.is_long)
        right &= sent_over(from, to, (size_t)1 << 30);
    return right;
}

static bool host_to_device(enum mem_kind kind)
{
    return sent_in_sizes(MEM_HOST, kind);
}

static bool device_to_host(enum mem_kind kind)
{
    return sent_in_sizes(kind, MEM_HOST);
}

static bool device_to_device(enum mem_kind kind)
{
    return sent_in_sizes(kind, kind);
}

/* --- gather */

static bool gathered(enum mem_kind kind, enum mem_kind root_kind, size_t bytes,
                     int root)
{
    size_t     blocks = cases.rank == root ? (size_t)cases.nranks : 0;
    struct mem send = cells(kind, U8, bytes, cases.rank * 50, 1);
    struct mem recv = blank(root_kind, blocks * bytes);
    bool       right;

    right = CALL(MPI_Gather(send.buffer, (int)bytes, MPI_BYTE, recv.buffer,
                            (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD));
    for (size_t from = 0; from < blocks; from++)
        put(&recv, U8, from * bytes, bytes, (int64_t)from * 50, 1);
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

static bool gathered_to(enum mem_kind kind, enum mem_kind root_kind)
{
    static const size_t sizes[] = {1, 4, 1000, 6001, 65536, 1 << 20};
    bool                right = true;

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        right &= gathered(kind, root_kind, sizes[i], 0);
        right &= gathered(kind, root_kind, sizes[i], 5 % cases.nranks);
    }
    return right;
}

static bool gather_to_device(enum mem_kind kind)
{
    return gathered_to(kind, kind);
}

static bool gather_to_host(enum mem_kind kind)
{
    return gathered_to(kind, MEM_HOST);
}

/* --- scatterv with zeros */

enum { MAX_RANKS = 64 };

/* Non-root ranks give nothing that means anything. */
static int scatterv(const struct mem *send, const int *counts,
                    const int *places, struct mem *recv, int mine, int root)
{
    if (cases.rank == root)
        return MPI_Scatterv(send->buffer, counts, places, MPI_INT, recv->buffer,
                            mine, MPI_INT, root, MPI_COMM_WORLD);
    return MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL,
                        mine > 0 ? recv->buffer : NULL, mine, MPI_INT, root,
                        MPI_COMM_WORLD);
}

static bool scattered_with_zeros(enum mem_kind kind, int root)
{
    int        counts[MAX_RANKS], places[MAX_RANKS], mine, total = 0;
    struct mem send, recv;
    bool       right;

    for (int to = 0; to < cases.nranks && to < MAX_RANKS; to++) {
        counts[to] = to % 2 == 1 ? 0 : 3 + to;
        places[to] = total;
        total += counts[to];
    }
    mine = counts[cases.rank];
    send = cells(kind, I32, (size_t)total, 0, 1);
    recv = cells(kind, I32, 100, -1, 0);
    right = CALL(scatterv(&send, counts, places, &recv, mine, root));
    put(&recv, I32, 0, (size_t)mine, places[cases.rank], 1);
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

static bool scatterv_takes_zeros(enum mem_kind kind)
{
    bool right = scattered_with_zeros(kind, 0);

    return scattered_with_zeros(kind, cases.nranks - 1) && right;
}

/* --- in place */

struct in_place {
    MPI_Comm   comm;
    int        rank, nranks, root, n;
    struct mem all, one; /* nranks blocks, one block */
};

static struct in_place in_place_new(enum mem_kind kind, MPI_Comm comm, int n)
{
    struct in_place t = {.comm = comm, .n = n};

    MPI_Comm_rank(comm, &t.rank);
    MPI_Comm_size(comm, &t.nranks);
    t.root = t.nranks - 1;
    t.all = cells(kind, I32, (size_t)(t.nranks * n), 1000 * t.rank, 1);
    t.one = cells(kind, I32, (size_t)n, 1000 * t.rank + t.rank * n, 1);
    return t;
}

static bool in_place_end(struct in_place *t, bool right, const char *call)
{
    right &= ends_as_put(&t->all, call);
    return ends_as_put(&t->one, call) & right;
}

/* Block b of rank r holds 1000 * r + b * n, and so on. */
static void put_block(struct in_place *t, struct mem *mem, int at, int rank,
                      int block)
{
    put(mem, I32, (size_t)(at * t->n), (size_t)t->n,
        1000 * (int64_t)rank + (int64_t)block * t->n, 1);
}

static bool scatter_in_place(enum mem_kind kind, MPI_Comm comm, int n)
{
    struct in_place t = in_place_new(kind, comm, n);
    bool            is_root = t.rank == t.root, right;

    right = CALL(MPI_Scatter(is_root ? t.all.buffer : NULL, n, MPI_INT,
                             is_root ? MPI_IN_PLACE : t.one.buffer, n, MPI_INT,
                             t.root, comm));
    if (!is_root)
        put_block(&t, &t.one, 0, t.root, t.rank);
    return in_place_end(&t, right, "scatter");
}

static bool gather_in_place(enum mem_kind kind, MPI_Comm comm, int n)
{
    struct in_place t = in_place_new(kind, comm, n);
    bool            is_root = t.rank == t.root, right;

    right = CALL(MPI_Gather(is_root ? MPI_IN_PLACE : t.one.buffer, n, MPI_INT,
                            is_root ? t.all.buffer : NULL, n, MPI_INT, t.root,
                            comm));
    for (int from = 0; from < t.nranks && is_root; from++)
        put_block(&t, &t.all, from, from, from);
    return in_place_end(&t, right, "gather");
}

static bool allgather_in_place(enum mem_kind kind, MPI_Comm comm, int n)
{
    struct in_place t = in_place_new(kind, comm, n);
    bool            right;

    right = CALL(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, t.all.buffer,
                               n, MPI_INT, comm));
    for (int from = 0; from < t.nranks; from++)
        put_block(&t, &t.all, from, from, from);
    return in_place_end(&t, right, "allgather");
}

static bool alltoall_in_place(enum mem_kind kind, MPI_Comm comm, int n)
{
    struct in_place t = in_place_new(kind, comm, n);
    bool            right;

    right = CALL(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, t.all.buffer,
                              n, MPI_INT, comm));
    for (int from = 0; from < t.nranks; from++)
        put_block(&t, &t.all, from, from, t.rank);
    return in_place_end(&t, right, "alltoall");
}

static bool all_in_place(enum mem_kind kind, MPI_Comm comm)
{
    static const int counts[] = {1, 17, 4096};
    bool             right = true;

    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        right &= scatter_in_place(kind, comm, counts[c]);
        right &= gather_in_place(kind, comm, counts[c]);
        right &= allgather_in_place(kind, comm, counts[c]);
        right &= alltoall_in_place(kind, comm, counts[c]);
    }
    return right;
}

static bool in_place_alone(enum mem_kind kind)
{
    return all_in_place(kind, MPI_COMM_SELF);
}

static bool in_place_together(enum mem_kind kind)
{
    return all_in_place(kind, MPI_COMM_WORLD);
}

static const struct test_case table[] = {
    EACH_KIND("case 18: bcast from a root in this memory to every kind",
              bcast_to_every_kind),
    EACH_KIND("case 18: bcast from a root in host memory", bcast_from_host),
    EACH_KIND("case 20: a ring exchange after a host bcast is as before it",
              ring_after_host_bcast),
    EACH_KIND("case 21: send from host memory, 0 B to 3 MB", host_to_device),
    EACH_KIND("case 21: send to host memory, 0 B to 3 MB", device_to_host),
    EACH_KIND("case 21: send within this memory, 0 B to 3 MB",
              device_to_device),
    EACH_KIND("case 22: gather, 1 B to 1 MiB", gather_to_device),
    EACH_KIND("case 22: gather to a root in host memory", gather_to_host),
    EACH_KIND("case 24: scatterv with zeros; nonsense where it is not root",
              scatterv_takes_zeros),
    EACH_KIND("case 25: in place on MPI_COMM_SELF", in_place_alone),
    EACH_KIND("case 25: in place among all", in_place_together),
    END_OF_CASES,
};

int main(int argc, char **argv)
{
    return cases_main(argc, argv, table);
}
