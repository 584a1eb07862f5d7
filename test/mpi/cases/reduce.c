/* Blocking reductions. */
#include "cases.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static bool allreduce_is_the_sum(enum mem_kind kind)
{
    static const int counts[] = {10, 0, 1, 3, 17, 1000, 65537, (1 << 20) + 1};
    size_t           tried = COUNT_OF(counts) - (cases.is_long ? 0 : 1);
    bool             right = true;

    for (size_t c = 0; c < tried; c++) {
        size_t     count = (size_t)counts[c];
        struct mem send = cells(kind, I32, count, 0, 1);
        struct mem recv = cells(kind, I32, count, -1, 0);

        right &= CALL(MPI_Allreduce(send.buffer, recv.buffer, counts[c],
                                    MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        put(&recv, I32, 0, count, 0, cases.nranks);
        right &= ends_as_put(&send, "send");
        right &= ends_as_put(&recv, "recv");
    }
    return right;
}

/* Only a rank's own part of the result is defined: the rest of its buffer is
 * not looked at. */
static bool scattered_in_place(enum mem_kind kind, size_t n)
{
    size_t     rank = (size_t)cases.rank, p = (size_t)cases.nranks;
    struct mem mem = cells(kind, F64, p * n, cases.rank + 1, 1);
    bool       right;

    right = CALL(MPI_Reduce_scatter_block(MPI_IN_PLACE, mem.buffer, (int)n,
                                          MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    put(&mem, F64, 0, n, (int64_t)(p * (p + 1) / 2 + p * rank * n), (int64_t)p);
    right &= range_is_as_put(&mem, 0, n * 8, "own part");
    right &= range_is_as_put(&mem, p * n * 8, p * n * 8 + MEM_GUARD_BYTES,
                             "guard behind");
    mem_delete(&mem);
    return right;
}

static bool reduce_scatter_block_in_place(enum mem_kind kind)
{
    bool right = scattered_in_place(kind, 1);

    right &= scattered_in_place(kind, 17);
    right &= scattered_in_place(kind, 1 << (cases.is_long ? 20 : 14));
    return right;
}

/* Non-root ranks give recv; the root has a buffer of its own. */
static bool reduced_with(enum mem_kind kind, void *recv_elsewhere)
{
    enum { COUNT = 1000 };
    int        root = cases.nranks - 1, p = cases.nranks;
    struct mem send = cells(kind, I32, COUNT, cases.rank, 3);
    struct mem recv = cells(kind, I32, COUNT, -1, 0);
    bool       right;

    right = CALL(MPI_Reduce(send.buffer,
                            cases.rank == root ? recv.buffer : recv_elsewhere,
                            COUNT, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
    if (cases.rank == root)
        put(&recv, I32, 0, COUNT, p * (p - 1) / 2, (int64_t)3 * p);
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

static bool reduce_ignores_null(enum mem_kind kind)
{
    return reduced_with(kind, NULL);
}

static bool reduce_ignores_freed(enum mem_kind kind)
{
    struct mem gone = blank(kind, 4000);
    void      *freed = gone.buffer;

    mem_delete(&gone);
    return reduced_with(kind, freed);
}

static bool reduce_ignores_one(enum mem_kind kind)
{
    return reduced_with(kind, (void *)1);
}

static bool reduce_ignores_a_live_buffer(enum mem_kind kind)
{
    struct mem live = blank(kind, 4000);
    bool       right = reduced_with(kind, live.buffer);

    return ends_as_put(&live, "recv that means nothing") & right;
}

static bool reduced_locally(enum mem_kind in_kind, enum mem_kind inout_kind)
{
    bool right = true;

    for (size_t count = 0; count <= 65537; count = count * 37 + 1) {
        struct mem in = cells(in_kind, F32, count, 0, 1);
        struct mem inout = cells(inout_kind, F32, count, 0, 2);

        right &= CALL(MPI_Reduce_local(in.buffer, inout.buffer, (int)count,
                                       MPI_FLOAT, MPI_SUM));
        put(&inout, F32, 0, count, 0, 3);
        right &= ends_as_put(&in, "in");
        right &= ends_as_put(&inout, "inout");
    }
    return right;
}

static bool reduce_local_works(enum mem_kind kind)
{
    return reduced_locally(kind, kind);
}

static bool reduce_local_into_host(enum mem_kind kind)
{
    return reduced_locally(kind, MEM_HOST);
}

static bool reduce_local_from_host(enum mem_kind kind)
{
    return reduced_locally(MEM_HOST, kind);
}

/* --- value and index */

struct pair_type {
    MPI_Datatype type;
    enum cell    value;
    size_t       index_at, extent;
};

static void put_pair(struct mem *mem, const struct pair_type *type, size_t i,
                     int64_t value, int index)
{
    put_at(mem, i * type->extent, type->value, value);
    put_at(mem, i * type->extent + type->index_at, I32, index);
}

/* Goes up and down over the ranks, below zero too, with ties. */
static int pair_value(int rank, size_t i)
{
    return (rank * 3 + (int)(i % 5)) % 4 - 2;
}

static void put_extreme(struct mem *mem, const struct pair_type *type, size_t i,
                        int sign)
{
    int best = 0;

    for (int rank = 1; rank < cases.nranks; rank++)
        if (sign * pair_value(rank, i) < sign * pair_value(best, i))
            best = rank;
    put_pair(mem, type, i, pair_value(best, i), best);
}

static bool pairs_reduced(enum mem_kind kind, const struct pair_type *type,
                          bool is_min, bool is_allreduce)
{
    enum { PAIRS = 33 };
    MPI_Op     op = is_min ? MPI_MINLOC : MPI_MAXLOC;
    struct mem send = mem_new(kind, PAIRS * type->extent);
    struct mem recv = blank(kind, PAIRS * type->extent);
    bool       right;

    for (size_t i = 0; i < PAIRS; i++)
        put_pair(&send, type, i, pair_value(cases.rank, i), cases.rank);
    mem_upload(&send);
    if (is_allreduce)
        right = CALL(MPI_Allreduce(send.buffer, recv.buffer, PAIRS, type->type,
                                   op, MPI_COMM_WORLD));
    else
        right = CALL(MPI_Reduce(send.buffer, recv.buffer, PAIRS, type->type, op,
                                0, MPI_COMM_WORLD));
    for (size_t i = 0; i < PAIRS && (is_allreduce || cases.rank == 0); i++)
        put_extreme(&recv, type, i, is_min ? 1 : -1);
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

static bool pairs_have_an_extent(enum mem_kind kind)
{
    const struct pair_type types[] = {{MPI_2INT, I32, 4, 8},
                                      {MPI_FLOAT_INT, F32, 4, 8},
                                      {MPI_DOUBLE_INT, F64, 8, 16},
                                      {MPI_LONG_INT, I64, 8, 16},
                                      {MPI_SHORT_INT, I16, 4, 8}};
    bool                   right = true;

    for (size_t i = 0; i < COUNT_OF(types); i++)
        for (int way = 0; way < 4; way++)
            right &= pairs_reduced(kind, &types[i], way % 2 == 0, way / 2 == 0);
    return right;
}

/* --- small integers */

static bool all_reduced(enum mem_kind kind, enum cell cell, MPI_Op op,
                        size_t count, int64_t mine, int64_t result)
{
    struct mem send = cells(kind, cell, count, mine, 0);
    struct mem recv = cells(kind, cell, count, 1, 0);
    bool       right;

    right = CALL(MPI_Allreduce(send.buffer, recv.buffer, (int)count,
                               cell_type(cell), op, MPI_COMM_WORLD));
    put(&recv, cell, 0, count, result, 0);
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

static bool small_integers_wrap(enum mem_kind kind)
{
    static const size_t counts[] = {1, 8, 64, 1000};
    int                 p = cases.nranks;
    bool                right = true;

    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        right &= all_reduced(kind, I16, MPI_SUM, counts[c], 16384, 16384 * p);
        right &= all_reduced(kind, U16, MPI_SUM, counts[c], 40000, 40000 * p);
        right &= all_reduced(kind, I8, MPI_SUM, counts[c], 100, 100 * p);
        right &= all_reduced(kind, I8, MPI_SUM, counts[c], -100, -100 * p);
        right &= all_reduced(kind, U8, MPI_SUM, counts[c], 200, 200 * p);
    }
    return right;
}

static bool extremes_have_a_sign(enum mem_kind kind)
{
    int  rank = cases.rank, last = cases.nranks - 1;
    bool right = true;

    for (enum cell cell = I8; cell <= U64; cell++) {
        right &= all_reduced(kind, cell, MPI_MIN, 3, rank, 0);
        right &= all_reduced(kind, cell, MPI_MAX, 3, rank, last);
        if (cell % 2 == I8 % 2) { /* signed ones alternate with the others */
            right &= all_reduced(kind, cell, MPI_MIN, 3, -rank, -last);
            right &= all_reduced(kind, cell, MPI_MAX, 3, -rank, 0);
        } else { /* close to the largest value */
            right &= all_reduced(kind, cell, MPI_MIN, 3, -1 - rank, -1 - last);
            right &= all_reduced(kind, cell, MPI_MAX, 3, -1 - rank, -1);
        }
    }
    return right;
}

/* --- 16-bit floats by a user's operation */

enum { HALF_BIAS = 15, HALF_FRACTION = 10 };

static unsigned short half_of(int value)
{
    int exponent = 0;

    if (value == 0)
        return 0;
    while (value >> (exponent + 1) != 0)
        exponent++;
    return (unsigned short)(((exponent + HALF_BIAS) << HALF_FRACTION) |
                            ((value << HALF_FRACTION >> exponent) & 0x3ff));
}

static int int_of(unsigned short half)
{
    int exponent = (half >> HALF_FRACTION) - HALF_BIAS;

    if (half == 0)
        return 0;
    return ((half & 0x3ff) | 0x400) << exponent >> HALF_FRACTION;
}

static int unreadable_arguments, wrong_types, counts_out_of_range;

static bool host_can_read(void *address, size_t bytes)
{
    char         first[2];
    struct iovec here = {first, sizeof first}, there = {address, sizeof first};

    if (bytes < sizeof first)
        return true;
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) ==
           (ssize_t)sizeof first;
}

static void half_sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    size_t          bytes = (size_t)*count * sizeof(short);
    unsigned short *a = in, *b = inout;

    wrong_types += *type != MPI_UNSIGNED_SHORT;
    counts_out_of_range += *count < 1 || *count > 65537;
    if (!host_can_read(in, bytes) || !host_can_read(inout, bytes)) {
        unreadable_arguments++;
        return;
    }
    for (int i = 0; i < *count; i++)
        b[i] = half_of(int_of(a[i]) + int_of(b[i]));
}

static bool halves_summed(enum mem_kind kind, MPI_Op op, size_t count,
                          bool is_blocking)
{
    struct mem  send = cells(kind, U16, count, half_of(1), 0);
    struct mem  recv = cells(kind, U16, count, 0, 0);
    MPI_Request request = MPI_REQUEST_NULL;
    bool        right;

    if (is_blocking)
        right = CALL(MPI_Allreduce(send.buffer, recv.buffer, (int)count,
                                   MPI_UNSIGNED_SHORT, op, MPI_COMM_WORLD));
    else
        right = CALL(MPI_Iallreduce(send.buffer, recv.buffer, (int)count,
                                    MPI_UNSIGNED_SHORT, op, MPI_COMM_WORLD,
                                    &request));
    right &= CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    put(&recv, U16, 0, count, half_of(cases.nranks), 0);
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

static bool own_operation(enum mem_kind kind, bool is_blocking)
{
    static const size_t counts[] = {1, 1000, 65537};
    MPI_Op              op;
    bool                right = true;

    unreadable_arguments = wrong_types = counts_out_of_range = 0;
    MPI_Op_create(half_sum, 1, &op);
    for (size_t c = 0; c < COUNT_OF(counts); c++)
        right &= halves_summed(kind, op, counts[c], is_blocking);
    MPI_Op_free(&op);
    if (unreadable_arguments + wrong_types + counts_out_of_range > 0)
        cases_note("the operation was called with %d unreadable arguments, %d "
                   "other types, %d odd counts",
                   unreadable_arguments, wrong_types, counts_out_of_range);
    return right && unreadable_arguments == 0 && wrong_types == 0 &&
           counts_out_of_range == 0;
}

static bool own_operation_blocking(enum mem_kind kind)
{
    return own_operation(kind, true);
}

static bool own_operation_nonblocking(enum mem_kind kind)
{
    return own_operation(kind, false);
}

static const struct test_case table[] = {
    EACH_KIND("case 1: allreduce of device memory gives the sum",
              allreduce_is_the_sum),
    EACH_KIND("case 3: reduce_scatter_block in place takes every rank's part",
              reduce_scatter_block_in_place),
    EACH_KIND("case 5: reduce ignores a non-root receive buffer (NULL)",
              reduce_ignores_null),
    EACH_KIND("case 5: reduce ignores a non-root receive buffer (freed)",
              reduce_ignores_freed),
    EACH_KIND(
        "case 5: reduce ignores a non-root receive buffer (the address 1)",
        reduce_ignores_one),
    EACH_KIND("case 5: reduce leaves a non-root receive buffer alone",
              reduce_ignores_a_live_buffer),
    EACH_KIND("case 6: reduce_local", reduce_local_works),
    EACH_KIND("case 6: reduce_local into host memory", reduce_local_into_host),
    EACH_KIND("case 6: reduce_local from host memory", reduce_local_from_host),
    EACH_KIND("case 7: MINLOC and MAXLOC of pair types with padding and ties",
              pairs_have_an_extent),
    EACH_KIND("case 9: sums of 8- and 16-bit integers wrap at every count",
              small_integers_wrap),
    EACH_KIND("case 10: MIN and MAX know signed from unsigned integers",
              extremes_have_a_sign),
    EACH_KIND(
        "case 11: a user's operation sees host memory and the user's type "
        "(allreduce)",
        own_operation_blocking),
    EACH_KIND(
        "case 11: a user's operation sees host memory and the user's type "
        "(iallreduce)",
        own_operation_nonblocking),
    END_OF_CASES,
};

int main(int argc, char **argv)
{
    return cases_main(argc, argv, table);
}
