/* The alltoall family, and derived datatypes. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_RANKS = 64 };

/* Who sends how much to whom, with displacements. */
struct blocks {
    int send[MAX_RANKS], send_at[MAX_RANKS], nsend;
    int recv[MAX_RANKS], recv_at[MAX_RANKS], nrecv;
};

static struct blocks blocks_of(int (*count)(int from, int to))
{
    struct blocks b = {.nsend = 0};

    for (int other = 0; other < cases.nranks && other < MAX_RANKS; other++) {
        b.send[other] = count(cases.rank, other);
        b.recv[other] = count(other, cases.rank);
        b.send_at[other] = b.nsend;
        b.recv_at[other] = b.nrecv;
        b.nsend += b.send[other];
        b.nrecv += b.recv[other];
    }
    return b;
}

static int64_t given(int from, int to)
{
    return 10000 * (int64_t)from + 100 * (int64_t)to;
}

static struct mem blocks_to_send(enum mem_kind kind, const struct blocks *b)
{
    struct mem mem = mem_new(kind, (size_t)b->nsend * sizeof(int));

    for (int to = 0; to < cases.nranks; to++)
        put(&mem, I32, (size_t)b->send_at[to], (size_t)b->send[to],
            given(cases.rank, to), 1);
    mem_upload(&mem);
    return mem;
}

static void put_received(struct mem *mem, const struct blocks *b)
{
    for (int from = 0; from < cases.nranks; from++)
        put(mem, I32, (size_t)b->recv_at[from], (size_t)b->recv[from],
            given(from, cases.rank), 1);
}

/* A rank with nothing at all gives NULL where `nulls` says so. */
static bool exchanged(enum mem_kind kind, const struct blocks *b, bool nulls)
{
    struct mem send = blocks_to_send(kind, b);
    struct mem recv = blank(kind, (size_t)b->nrecv * sizeof(int));
    bool       right;

    right = CALL(MPI_Alltoallv(nulls && b->nsend == 0 ? NULL : send.buffer,
                               b->send, b->send_at, MPI_INT,
                               nulls && b->nrecv == 0 ? NULL : recv.buffer,
                               b->recv, b->recv_at, MPI_INT, MPI_COMM_WORLD));
    put_received(&recv, b);
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

/* Ranks 0 and 1 only. */
static int few_pairs(int from, int to)
{
    if (from > 1 || to > 1)
        return 0;
    return from == to ? 0 : 5 + from;
}

static int symmetric(int from, int to)
{
    return (from + to) % 3 == 0 ? 0 : from + to;
}

static int neighbours(int from, int to)
{
    int distance = from - to;

    return distance == 1 || distance == -1 ? 1000 + from : 0;
}

static bool alltoallv_of_few(enum mem_kind kind)
{
    struct blocks b = blocks_of(few_pairs);

    return exchanged(kind, &b, true);
}

static bool alltoallv_in_place(enum mem_kind kind)
{
    struct blocks b = blocks_of(symmetric);
    struct mem    mem = blocks_to_send(kind, &b);
    bool          right;

    right = CALL(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL,
                               mem.buffer, b.recv, b.recv_at, MPI_INT,
                               MPI_COMM_WORLD));
    put_received(&mem, &b);
    return ends_as_put(&mem, "in place") & right;
}

static bool alltoallv_of_neighbours(enum mem_kind kind)
{
    struct blocks b = blocks_of(neighbours);

    return exchanged(kind, &b, false);
}

static bool alltoallv_of_nothing(enum mem_kind kind)
{
    struct blocks b = {.nsend = 0};

    bool right = exchanged(kind, &b, false);

    return exchanged(kind, &b, true) && right;
}

/* Half of the ranks have no data, and pad, on a communicator whose ranks are
 * reversed. */
static bool alltoall_with_padding(enum mem_kind kind)
{
    enum { N = 100, PADDING = -7 };
    MPI_Comm   comm;
    int        rank, p = cases.nranks;
    struct mem send = mem_new(kind, (size_t)(N * p) * sizeof(long long));
    struct mem recv = blank(kind, (size_t)(N * p) * sizeof(long long));
    bool       right;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -cases.rank, &comm);
    MPI_Comm_rank(comm, &rank);
    for (int to = 0; to < p; to++)
        put(&send, I64, (size_t)(N * to), N,
            rank < (p + 1) / 2 ? given(rank, to) << 32 : PADDING,
            rank < (p + 1) / 2);
    mem_upload(&send);
    right = CALL(MPI_Alltoall(send.buffer, N, MPI_LONG_LONG, recv.buffer, N,
                              MPI_LONG_LONG, comm));
    for (int from = 0; from < p; from++)
        put(&recv, I64, (size_t)(N * from), N,
            from < (p + 1) / 2 ? given(from, rank) << 32 : PADDING,
            from < (p + 1) / 2);
    MPI_Comm_free(&comm);
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

/* --- columns */

/* A rank has n rows of a matrix of n * P columns; rank q gets columns [q * n,
 * q * n + n) of them, which it stores column after column. */
static MPI_Datatype column_type(int n)
{
    MPI_Datatype vector, column;

    MPI_Type_vector(n, 1, n * cases.nranks, MPI_DOUBLE, &vector);
    MPI_Type_create_resized(vector, 0, sizeof(double), &column);
    MPI_Type_commit(&column);
    MPI_Type_free(&vector);
    return column;
}

static bool transposed(enum mem_kind kind, int n)
{
    size_t       width = (size_t)n * (size_t)cases.nranks, rows = (size_t)n;
    MPI_Datatype column = column_type(n);
    struct mem   send =
        cells(kind, F64, rows * width, (int64_t)(rows * width) * cases.rank, 1);
    struct mem recv = blank(kind, rows * width * sizeof(double));
    bool       right;

    right = CALL(MPI_Alltoall(send.buffer, n, column, recv.buffer, n * n,
                              MPI_DOUBLE, MPI_COMM_WORLD));
    for (size_t from = 0; from < (size_t)cases.nranks; from++)
        for (size_t c = 0; c < rows; c++)
            put(&recv, F64, (from * rows + c) * rows, rows,
                (int64_t)(from * rows * width + (size_t)cases.rank * rows + c),
                (int64_t)width);
    MPI_Type_free(&column);
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

static bool transpose_small(enum mem_kind kind)
{
    return transposed(kind, 16);
}

static bool transpose_large(enum mem_kind kind)
{
    return transposed(kind, cases.is_long ? 2048 / cases.nranks : 64);
}

/* --- host buffers */

/* The same by subarrays, ints, in one alltoallw. */
static void put_blocks(struct mem *mem, int block, int n)
{
    for (int row = 0; row < n; row++)
        put(mem, I32, (size_t)(block * n * n + row * n), (size_t)n,
            given(block, cases.rank) + 1000 * row, 1);
}

static bool alltoallw_of_host_subarrays(enum mem_kind kind)
{
    enum { N = 24 };
    int          p = cases.nranks, width = N * p, sizes[] = {N, width};
    int          block[] = {N, N}, ones[MAX_RANKS], zeros[MAX_RANKS] = {0};
    int          places[MAX_RANKS];
    MPI_Datatype send_types[MAX_RANKS], recv_types[MAX_RANKS];
    struct mem   send = mem_new(kind, (size_t)(N * width) * sizeof(int));
    struct mem   recv = blank(kind, (size_t)(N * width) * sizeof(int));
    bool         right;

    for (int other = 0; other < p; other++) {
        int at[] = {0, other * N};

        MPI_Type_create_subarray(2, sizes, block, at, MPI_ORDER_C, MPI_INT,
                                 &send_types[other]);
        MPI_Type_commit(&send_types[other]);
        MPI_Type_contiguous(N * N, MPI_INT, &recv_types[other]);
        MPI_Type_commit(&recv_types[other]);
        ones[other] = 1;
        places[other] = other * N * N * (int)sizeof(int);
        for (int row = 0; row < N; row++)
            put(&send, I32, (size_t)(row * width + other * N), N,
                given(cases.rank, other) + 1000 * row, 1);
    }
    mem_upload(&send);
    right =
        CALL(MPI_Alltoallw(send.buffer, ones, zeros, send_types, recv.buffer,
                           ones, places, recv_types, MPI_COMM_WORLD));
    for (int other = 0; other < p; other++) {
        put_blocks(&recv, other, N);
        MPI_Type_free(&send_types[other]);
        MPI_Type_free(&recv_types[other]);
    }
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

/* --- lower bounds */

enum { BOUND_EXTENT = 32, BOUND_INTS = 3 };

/* Three ints where the element is, whatever its bounds say. */
static MPI_Datatype bounded_type(MPI_Aint lower)
{
    MPI_Datatype ints, type;

    MPI_Type_contiguous(BOUND_INTS, MPI_INT, &ints);
    MPI_Type_create_resized(ints, lower, BOUND_EXTENT, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&ints);
    return type;
}

static void put_bounded(struct mem *mem, size_t at, size_t count, int rank)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < BOUND_INTS; k++)
            put_at(mem, (at + i) * BOUND_EXTENT + k * sizeof(int), I32,
                   1000 * rank + (int)(10 * i + k));
}

static bool bcast_bounded(enum mem_kind kind, MPI_Datatype type, size_t count)
{
    int        root = cases.nranks - 1;
    struct mem mem = mem_new(kind, count * BOUND_EXTENT);
    bool       right;

    if (cases.rank == root)
        put_bounded(&mem, 0, count, root);
    mem_upload(&mem);
    right = CALL(MPI_Bcast(mem.buffer, (int)count, type, root, MPI_COMM_WORLD));
    put_bounded(&mem, 0, count, root);
    return ends_as_put(&mem, "bcast") & right;
}

static bool allgather_bounded(enum mem_kind kind, MPI_Datatype type,
                              size_t count)
{
    size_t     p = (size_t)cases.nranks;
    struct mem send = mem_new(kind, count * BOUND_EXTENT);
    struct mem recv = blank(kind, p * count * BOUND_EXTENT);
    bool       right;

    put_bounded(&send, 0, count, cases.rank);
    mem_upload(&send);
    right = CALL(MPI_Allgather(send.buffer, (int)count, type, recv.buffer,
                               (int)count, type, MPI_COMM_WORLD));
    for (size_t from = 0; from < p; from++)
        put_bounded(&recv, from * count, count, (int)from);
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

static bool bounds_are_no_data(enum mem_kind kind)
{
    static const MPI_Aint bounds[] = {16, -8};
    static const size_t   counts[] = {1, 5, 1003};
    bool                  right = true;

    for (size_t b = 0; b < COUNT_OF(bounds); b++) {
        MPI_Datatype type = bounded_type(bounds[b]);

        for (size_t c = 0; c < COUNT_OF(counts); c++) {
            right &= bcast_bounded(kind, type, counts[c]);
            right &= allgather_bounded(kind, type, counts[c]);
        }
        MPI_Type_free(&type);
    }
    return right;
}

/* 16 bytes into an allocation. */
static bool reduced_off_the_start(enum mem_kind kind)
{
    enum { SKIPPED = 4, COUNT = 1000 };
    struct mem send = cells(kind, I32, SKIPPED + COUNT, cases.rank, 1);
    struct mem recv = cells(kind, I32, SKIPPED + COUNT, -1, 0);
    int        p = cases.nranks;
    bool       right;

    right = CALL(MPI_Allreduce(send.buffer + SKIPPED * sizeof(int),
                               recv.buffer + SKIPPED * sizeof(int), COUNT,
                               MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    put(&recv, I32, SKIPPED, COUNT, p * (p - 1) / 2 + (int64_t)p * SKIPPED, p);
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

static const struct test_case table[] = {
    EACH_KIND("case 27: alltoallv of few pairs, NULL where there is nothing",
              alltoallv_of_few),
    EACH_KIND("case 27: alltoallv in place with zeros", alltoallv_in_place),
    EACH_KIND("case 28: alltoallv between neighbours only",
              alltoallv_of_neighbours),
    EACH_KIND("case 28: alltoallv of zero-size buffers", alltoallv_of_nothing),
    EACH_KIND("case 29: alltoall of long long with padding, ranks reversed",
              alltoall_with_padding),
    ONCE("case 30: alltoallw of host subarrays", alltoallw_of_host_subarrays),
    EACH_KIND("case 30: alltoallw of subarrays", alltoallw_of_host_subarrays),
    EACH_KIND("case 31: transposing by a type of columns, small",
              transpose_small),
    EACH_KIND("case 31: transposing by a type of columns, large",
              transpose_large),
    EACH_KIND("case 33: types whose lower bound is 16 or -8",
              bounds_are_no_data),
    EACH_KIND("case 33: allreduce 16 bytes into an allocation",
              reduced_off_the_start),
    END_OF_CASES,
};

int main(int argc, char **argv)
{
    return cases_main(argc, argv, table);
}
