/* Kinds and lifetimes of memory. */
#include "cases.h"
#include "driver.h"
#include "footprint.h"
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

/* Allreduce, bcast and alltoall, on buffers that a case allocates and frees
 * as it likes; of count ints, count divisible by the ranks' number. */
static bool three_calls(struct mem *send, struct mem *recv, size_t count,
                        int seed)
{
    int  p = cases.nranks, root = seed % p, n = (int)count;
    int  block = n / p;
    bool right;

    put(send, I32, 0, count, cases.rank + seed, 1);
    put(recv, I32, 0, count, -1, 0);
    mem_upload(send);
    mem_upload(recv);
    right = CALL(MPI_Allreduce(send->buffer, recv->buffer, n, MPI_INT, MPI_SUM,
                               MPI_COMM_WORLD));
    put(recv, I32, 0, count, p * (p - 1) / 2 + p * seed, p);
    right &= is_as_put(send, "send");
    right &= is_as_put(recv, "allreduce's recv");
    right &= CALL(MPI_Alltoall(send->buffer, block, MPI_INT, recv->buffer,
                               block, MPI_INT, MPI_COMM_WORLD));
    for (int from = 0; from < p; from++)
        put(recv, I32, (size_t)(from * block), (size_t)block,
            from + seed + cases.rank * block, 1);
    right &= is_as_put(recv, "alltoall's recv");
    right &= CALL(MPI_Bcast(send->buffer, n, MPI_INT, root, MPI_COMM_WORLD));
    put(send, I32, 0, count, root + seed, 1);
    return is_as_put(send, "bcast") & right;
}

static size_t divisible(size_t bytes)
{
    size_t p = (size_t)cases.nranks;

    return (bytes / sizeof(int) + p - 1) / p * p;
}

static const size_t pool_sizes[] = {1 << 10, 1 << 20, 64 << 20};

static size_t pool_sizes_tried(void)
{
    return COUNT_OF(pool_sizes) - (cases.is_long ? 0 : 1);
}

static bool stream_ordered(enum mem_kind kind)
{
    bool right = true;

    (void)kind;
    for (size_t s = 0; s < pool_sizes_tried(); s++) {
        size_t     count = divisible(pool_sizes[s]);
        struct mem send = mem_new(MEM_POOL, count * sizeof(int));
        struct mem recv = mem_new(MEM_POOL, count * sizeof(int));

        right &= three_calls(&send, &recv, count, (int)s);
        mem_delete(&send);
        mem_delete(&recv);
    }
    return right;
}

static bool unexportable_pool(enum mem_kind kind)
{
    bool right = true;

    driver_set_device(kind, cases.device % driver_devices(kind));
    for (size_t s = 0; s < pool_sizes_tried(); s++) {
        size_t     count = divisible(pool_sizes[s]);
        struct mem send = driver_pool_new(count * sizeof(int));
        struct mem recv = driver_pool_new(count * sizeof(int));

        right &= three_calls(&send, &recv, count, (int)s);
        driver_pool_delete(&send);
        driver_pool_delete(&recv);
    }
    return right;
}

/* --- managed */

/* Written and read by the CPU itself, without a copy by the driver. */
static bool managed_by_cpu(enum mem_kind kind)
{
    size_t     count = divisible(1 << 16);
    struct mem send = mem_new(MEM_MANAGED, count * sizeof(int));
    struct mem recv = mem_new(MEM_MANAGED, count * sizeof(int));
    int        p = cases.nranks;
    bool       right;

    (void)kind;
    put(&send, I32, 0, count, cases.rank, 1);
    memcpy(send.block, send.image, send.block_bytes);
    memcpy(recv.block, recv.image, recv.block_bytes);
    right = CALL(MPI_Allreduce(send.buffer, recv.buffer, (int)count, MPI_INT,
                               MPI_SUM, MPI_COMM_WORLD));
    put(&recv, I32, 0, count, p * (p - 1) / 2, p);
    right &= memcmp(send.block, send.image, send.block_bytes) == 0;
    right &= memcmp(recv.block, recv.image, recv.block_bytes) == 0;
    mem_delete(&send);
    mem_delete(&recv);
    return right;
}

static bool managed_by_kernel(enum mem_kind kind)
{
    enum { COUNT = 1 << 16 };
    struct mem mem = mem_new(MEM_MANAGED, COUNT * sizeof(int));
    bool       right, ran;

    (void)kind;
    put(&mem, I32, 0, COUNT, cases.rank, 1);
    memcpy(mem.block, mem.image, mem.block_bytes);
    right = CALL(MPI_Bcast(mem.buffer, COUNT, MPI_INT, 0, MPI_COMM_WORLD));
    ran = kernel_increment(&mem, COUNT, NULL);
    driver_stream_wait(NULL);
    put(&mem, I32, 0, COUNT, ran ? 1 : 0, 1);
    right &= memcmp(mem.block, mem.image, mem.block_bytes) == 0;
    mem_delete(&mem);
    return ran || !right ? right : cases_skip("emulated devices run no kernel");
}

/* Managed, host and device memory: each to each, and another by rank. */
static bool managed_mixed(enum mem_kind kind)
{
    const enum mem_kind kinds[] = {MEM_MANAGED, MEM_HOST, kind};
    size_t              count = divisible(40000);
    bool                right = true;

    for (int way = 0; way < 9; way++) {
        struct mem send = mem_new(kinds[way % 3], count * sizeof(int));
        struct mem recv = mem_new(kinds[(way / 3 + cases.rank * (way % 2)) % 3],
                                  count * sizeof(int));

        right &= three_calls(&send, &recv, count, way);
        mem_delete(&send);
        mem_delete(&recv);
    }
    return right;
}

/* --- lifetimes */

static bool fresh_buffers(enum mem_kind kind)
{
    size_t           bytes = cases.is_long ? 80000000 : 1 << 20;
    int              rounds = cases.is_long ? 200 : 12; /* between marks */
    struct footprint marks[FOOTPRINT_MARKS];
    bool             right = true;

    for (int mark = 0; mark < FOOTPRINT_MARKS; mark++) {
        for (int round = 0; round < rounds && right; round++) {
            struct mem mem = blank(kind, bytes);

            right &= CALL(MPI_Bcast(mem.buffer, (int)bytes, MPI_BYTE, round % 2,
                                    MPI_COMM_WORLD));
            mem_delete(&mem);
        }
        marks[mark] = footprint_mark(kind);
    }
    return right && footprint_is_flat(marks, rounds, "fresh buffers");
}

/* The address is the same again, the size or the contents are not. */
static bool same_address_again(enum mem_kind kind)
{
    static const size_t counts[] = {113, 16, 8, 4, 2};
    enum { ROUNDS = 100, SKIPPED = 32 /* ints: 128 bytes */ };
    int  p = cases.nranks, next = (cases.rank + 1) % p;
    int  last = (cases.rank + p - 1) % p;
    bool right = true;

    for (int round = 0; round < ROUNDS && right; round++) {
        size_t     n = counts[(size_t)round % COUNT_OF(counts)];
        struct mem a = cells(kind, I32, SKIPPED + n, cases.rank + round, 1);
        struct mem b = cells(kind, I32, SKIPPED + n, -1, 0);
        char      *at_a = a.buffer + SKIPPED * sizeof(int);
        char      *at_b = b.buffer + SKIPPED * sizeof(int);
        int        first = round + SKIPPED;

        right &= CALL(MPI_Sendrecv(at_a, (int)n, MPI_INT, next, 1, at_b, (int)n,
                                   MPI_INT, last, 1, MPI_COMM_WORLD,
                                   MPI_STATUS_IGNORE));
        put(&b, I32, SKIPPED, n, last + first, 1);
        right &= is_as_put(&b, "sendrecv");
        right &= CALL(MPI_Allreduce(at_a, at_b, (int)n, MPI_INT, MPI_SUM,
                                    MPI_COMM_WORLD));
        put(&b, I32, SKIPPED, n, p * (p - 1) / 2 + p * first, p);
        right &= ends_as_put(&b, "allreduce");
        right &= ends_as_put(&a, "send");
    }
    return right;
}

static const struct {
    size_t at, bytes;
} slices[] = {
    {0, 64},
    {512, 4096},
    {8193, 1001},
    {65536 + 4, 65536},
    {(1 << 20) + 4, 1 << 20},
    {(4 << 20) + 1, 4 << 20},
};

static bool slice_is_right(struct mem *mem, size_t at, size_t bytes, int seed)
{
    int    root = seed % cases.nranks, p = cases.nranks;
    size_t block = bytes / (size_t)p;
    bool   right;

    put(mem, U8, at, bytes, cases.rank * 7 + seed, 3);
    mem_upload(mem);
    right = CALL(MPI_Bcast(mem->buffer + at, (int)bytes, MPI_BYTE, root,
                           MPI_COMM_WORLD));
    put(mem, U8, at, bytes, root * 7 + seed, 3);
    right &= is_as_put(mem, "bcast of a slice");
    put(mem, U8, at, bytes, cases.rank * 11 + seed, 5);
    mem_upload(mem);
    right &= CALL(MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, mem->buffer + at,
                                (int)block, MPI_BYTE, MPI_COMM_WORLD));
    for (int from = 0; from < p; from++)
        put(mem, U8, at + (size_t)from * block, block,
            from * 11 + seed + 5 * (int64_t)block * from, 5);
    return is_as_put(mem, "allgather in a slice") & right;
}

static bool slices_are_their_own(enum mem_kind kind)
{
    struct mem mem = blank(kind, (8 << 20) + 16);
    bool       right = true;

    for (size_t s = 0; s < COUNT_OF(slices) && right; s++)
        right &= slice_is_right(&mem, slices[s].at, slices[s].bytes, (int)s);
    mem_delete(&mem);
    return right;
}

static const struct test_case table[] = {
    CUDA_ONLY("case 34: stream-ordered allocations", stream_ordered),
    CUDA_ONLY("case 34: a pool whose memory can't be exported",
              unexportable_pool),
    CUDA_ONLY("case 35: managed memory written and read by the CPU",
              managed_by_cpu),
    CUDA_ONLY("case 35: managed memory used by a kernel afterwards",
              managed_by_kernel),
    CUDA_ONLY("case 35: managed, host and device memory mixed", managed_mixed),
    EACH_KIND("case 36: a fresh buffer each time leaves nothing behind",
              fresh_buffers),
    EACH_KIND("case 37: the same address with another allocation",
              same_address_again),
    EACH_KIND("case 39: slices of one allocation, at odd offsets",
              slices_are_their_own),
    END_OF_CASES,
};

int main(int argc, char **argv)
{
    return cases_main(argc, argv, table);
}
