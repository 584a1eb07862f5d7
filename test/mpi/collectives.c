/*
 * The five collectives on every kind of memory, with every rank checking every
 * byte of its buffers, gaps and guards included.
 *
 *   collectives [small|large]    only counts up to 1000, or above
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

static int  rank, nranks;
static bool counts_small = true, counts_large = true;

/* Where a rank's buffers lie, by what it is to the call. */
struct placement {
    const char   *name;
    enum mem_kind send[2], recv[2]; /* indexed by `other` */
    enum { ALIKE, ODD_RANKS, NOT_ROOT } other;
};

#define SAME(kind) \
    {              \
        kind, kind \
    }
static const struct placement placements[] = {
    {"host", SAME(MEM_HOST), SAME(MEM_HOST), ALIKE},
    {"pinned", SAME(MEM_PINNED), SAME(MEM_PINNED), ALIKE},
    {"managed", SAME(MEM_MANAGED), SAME(MEM_MANAGED), ALIKE},
    {"pool", SAME(MEM_POOL), SAME(MEM_POOL), ALIKE},
    {"cuda", SAME(MEM_CUDA), SAME(MEM_CUDA), ALIKE},
    {"hip", SAME(MEM_HIP), SAME(MEM_HIP), ALIKE},
    {"ze", SAME(MEM_ZE), SAME(MEM_ZE), ALIKE},
    {"ze managed", SAME(MEM_ZE_MANAGED), SAME(MEM_ZE_MANAGED), ALIKE},
    {"cuda send, host recv", SAME(MEM_CUDA), SAME(MEM_HOST), ALIKE},
    {"host send, cuda recv", SAME(MEM_HOST), SAME(MEM_CUDA), ALIKE},
    {"hip send, pool recv", SAME(MEM_HIP), SAME(MEM_POOL), ALIKE},
    {"ze send, ze pinned recv", SAME(MEM_ZE), SAME(MEM_ZE_PINNED), ALIKE},
    {"cuda and hip by rank",
     {MEM_CUDA, MEM_HIP},
     {MEM_CUDA, MEM_HIP},
     ODD_RANKS},
    {"ze and cuda by rank", {MEM_ZE, MEM_CUDA}, {MEM_ZE, MEM_CUDA}, ODD_RANKS},
    {"host and cuda by rank",
     {MEM_HOST, MEM_CUDA},
     {MEM_HOST, MEM_CUDA},
     ODD_RANKS},
    {"root cuda, rest host",
     {MEM_CUDA, MEM_HOST},
     {MEM_CUDA, MEM_HOST},
     NOT_ROOT},
    {"root ze, rest hip", {MEM_ZE, MEM_HIP}, {MEM_ZE, MEM_HIP}, NOT_ROOT},
    {"root host, rest hip", {MEM_HOST, MEM_HIP}, {MEM_HOST, MEM_HIP}, NOT_ROOT},
};
enum { PLACEMENTS = sizeof placements / sizeof placements[0] };

struct trial {
    const struct test_type *type;
    const struct placement *placement;
    size_t                  count;
    int                     root;
    bool                    in_place;
    struct mem              send, recv;
    bool                    failed;
};

static int other(const struct trial *t)
{
    if (t->placement->other == ODD_RANKS)
        return rank % 2;
    return t->placement->other == NOT_ROOT && rank != t->root;
}

/* Elements [first, first + count) of a buffer get what `from` contributed. */
static void write_values(const struct trial *t, struct mem *mem, size_t first,
                         size_t count, int from)
{
    for (size_t i = 0; i < count; i++)
        t->type->value(mem->elements + (first + i) * t->type->extent, from, i);
}

static void write_reduced(const struct trial *t, struct mem *mem)
{
    for (size_t i = 0; i < t->count; i++)
        types_reduced(t->type, mem->elements + i * t->type->extent, nranks, i);
}

static void new_buffers(struct trial *t, size_t send_count, size_t recv_count)
{
    t->send =
        mem_new(t->placement->send[other(t)], send_count * t->type->extent);
    t->recv =
        mem_new(t->placement->recv[other(t)], recv_count * t->type->extent);
}

static void upload(const struct trial *t)
{
    mem_upload(&t->send);
    mem_upload(&t->recv);
}

/* MPI may be given NULL where there is nothing. */
static void *buffer_of(const struct trial *t, const struct mem *mem)
{
    return t->count > 0 ? mem->buffer : NULL;
}

static const void *send_of(const struct trial *t)
{
    return t->in_place ? MPI_IN_PLACE : buffer_of(t, &t->send);
}

static void complain(struct trial *t, const char *call, const char *side,
                     const struct mem *mem)
{
    int  is = 0, should = 0;
    long at = mem_compare(mem, &is, &should);

    if (at == LONG_MIN)
        return;
    if (!t->failed)
        printf("# rank %d of %d: %s of %zu %s%s, %s, root %d: byte %ld of %s "
               "is %#x, not %#x\n",
               rank, nranks, call, t->count, t->type->name,
               t->in_place ? " in place" : "", t->placement->name, t->root, at,
               side, (unsigned)is, (unsigned)should);
    t->failed = true;
}

static void check(struct trial *t, const char *call, int rc)
{
    if (rc != MPI_SUCCESS) {
        printf("# rank %d: %s returned %d\n", rank, call, rc);
        t->failed = true;
    }
    complain(t, call, "send", &t->send);
    complain(t, call, "recv", &t->recv);
    mem_delete(&t->send);
    mem_delete(&t->recv);
}

static void try_allreduce(struct trial *t)
{
    int rc;

    new_buffers(t, t->count, t->count);
    write_values(t, t->in_place ? &t->recv : &t->send, 0, t->count, rank);
    upload(t);
    rc = MPI_Allreduce(send_of(t), buffer_of(t, &t->recv), (int)t->count,
                       t->type->type, t->type->op, MPI_COMM_WORLD);
    write_reduced(t, &t->recv);
    check(t, "allreduce", rc);
}

/* Only the root's receive buffer means anything: the others give nonsense. */
static void *reduce_recv(const struct trial *t)
{
    static void *const nonsense[] = {NULL, (void *)1, (void *)8};

    if (rank == t->root)
        return buffer_of(t, &t->recv);
    return nonsense[(size_t)rank % 3];
}

static void try_reduce(struct trial *t)
{
    bool in_place = t->in_place && rank == t->root;
    int  rc;

    new_buffers(t, t->count, t->count);
    write_values(t, in_place ? &t->recv : &t->send, 0, t->count, rank);
    upload(t);
    rc = MPI_Reduce(in_place ? MPI_IN_PLACE : buffer_of(t, &t->send),
                    reduce_recv(t), (int)t->count, t->type->type, t->type->op,
                    t->root, MPI_COMM_WORLD);
    if (rank == t->root)
        write_reduced(t, &t->recv);
    check(t, "reduce", rc);
}

static void try_bcast(struct trial *t)
{
    int rc;

    new_buffers(t, 0, t->count);
    if (rank == t->root)
        write_values(t, &t->recv, 0, t->count, t->root);
    upload(t);
    rc = MPI_Bcast(buffer_of(t, &t->recv), (int)t->count, t->type->type,
                   t->root, MPI_COMM_WORLD);
    write_values(t, &t->recv, 0, t->count, t->root);
    check(t, "bcast", rc);
}

static void try_allgather(struct trial *t)
{
    int rc;

    new_buffers(t, t->count, t->count * (size_t)nranks);
    if (t->in_place)
        write_values(t, &t->recv, (size_t)rank * t->count, t->count, rank);
    else
        write_values(t, &t->send, 0, t->count, rank);
    upload(t);
    rc = MPI_Allgather(send_of(t), (int)t->count, t->type->type,
                       buffer_of(t, &t->recv), (int)t->count, t->type->type,
                       MPI_COMM_WORLD);
    for (int from = 0; from < nranks; from++)
        write_values(t, &t->recv, (size_t)from * t->count, t->count, from);
    check(t, "allgather", rc);
}

static bool possible(const struct placement *p)
{
    for (int i = 0; i < 2; i++)
        if (!mem_available(p->send[i], rank) ||
            !mem_available(p->recv[i], rank))
            return false;
    return true;
}

/* A type with gaps is copied out piece by piece: fewer elements do. */
static size_t large_count(const struct test_type *type)
{
    return type->has_gaps ? 5003 : 65537;
}

/* Open MPI 4.1's ring allreduce allocates by the extent and forgets where the
 * data begins, so that it writes outside, also without hcomm. */
static bool is_beyond_open_mpi(void (*try)(struct trial *),
                               const struct test_type *type, size_t count)
{
    return try == try_allreduce && type->is_shifted && count > 7;
}

static bool try_one(void (*try)(struct trial *), struct trial t, size_t count)
{
    if (is_beyond_open_mpi(try, t.type, count))
        return false;
    t.count = count;
    try(&t);
    return t.failed;
}

/* The large count is tried with every type and every placement, but not with
 * each pair of them. */
static bool run(void (*try)(struct trial *), const struct test_type *types,
                const struct placement *placement, int root, bool in_place)
{
    static const size_t small[] = {0, 1, 7, 1000};
    int                 shift = (int)(placement - placements);
    bool                failed = false;

    for (int type = 0; type < TEST_TYPES; type++) {
        struct trial t = {.type = &types[type],
                          .placement = placement,
                          .root = root,
                          .in_place = in_place};

        for (size_t c = 0; counts_small && c < 4; c++)
            failed |= try_one(try, t, small[c]);
        if (counts_large && (type + shift) % 4 == 0)
            failed |= try_one(try, t, large_count(&types[type]));
    }
    return failed;
}

static void report(bool failed, const char *call, const char *placement)
{
    char what[128];

    snprintf(what, sizeof what, "%s: %s", call, placement);
    tap_ok(!failed, what);
}

static void run_placement(const struct test_type *types,
                          const struct placement *p)
{
    int  last = nranks - 1;
    bool failed;

    if (!possible(p)) {
        for (int i = 0; i < 4; i++)
            report(true, "no such memory here", p->name);
        return;
    }
    failed = run(try_allreduce, types, p, 0, false);
    failed |= run(try_allreduce, types, p, 0, true);
    report(failed, "allreduce", p->name);
    failed = run(try_reduce, types, p, 0, false);
    failed |= run(try_reduce, types, p, last, true);
    report(failed, "reduce", p->name);
    failed = run(try_bcast, types, p, last, false);
    failed |= run(try_bcast, types, p, 0, false);
    report(failed, "bcast", p->name);
    failed = run(try_allgather, types, p, 0, false);
    failed |= run(try_allgather, types, p, 0, true);
    report(failed, "allgather", p->name);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct test_type types[TEST_TYPES];

    MPI_Init(&argc, &argv);
    counts_small = argc < 2 || strcmp(argv[1], "small") == 0;
    counts_large = argc < 2 || strcmp(argv[1], "large") == 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    tap_plan(PLACEMENTS * 4);
    types_create(types);
    for (int p = 0; p < PLACEMENTS; p++)
        run_placement(types, &placements[p]);
    types_free(types);
    MPI_Finalize();
    return 0;
}
