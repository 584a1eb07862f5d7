/* Case 48: programs that are huge, load oddly, fork, or use streams. */
#include "between.h"
#include "cases.h"
#include "driver.h"
#include "flight.h"
#include "kernel.h"

#include <mpi-ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- b: what programs ask before they use device memory */

#ifndef MPIX_CUDA_AWARE_SUPPORT
#define MPIX_CUDA_AWARE_SUPPORT 0
#endif

/* Compiled into Open MPI: it does not know of us. */
static bool query_answers(enum mem_kind kind)
{
    (void)kind;
    return MPIX_Query_cuda_support() == MPIX_CUDA_AWARE_SUPPORT;
}

/* --- j: vendors by rank */

static bool vendors_by_rank(enum mem_kind kind)
{
    bool right = within_is_right(MPI_COMM_WORLD, kind);

    for (int i = 0; i < flight_calls; i++) {
        struct flight f = flight_start(kind, MPI_COMM_WORLD, i, i);

        right &= CALL(MPI_Wait(&f.request, MPI_STATUS_IGNORE));
        right &= flight_end(&f);
    }
    return right;
}

/* --- d: counts whose bytes don't fit in 32 bits */

/* Set the doubles at a few places, and look there: the whole would take
 * minutes. */
static const size_t places[] = {0, (1u << 28) - 1, 1u << 28, 1u << 29,
                                (1u << 29) + 2};

static void put_places(struct mem *mem, int64_t first)
{
    for (size_t i = 0; i < COUNT_OF(places); i++)
        put_at(mem, places[i] * sizeof(double), F64, first + (int64_t)i);
}

static struct mem huge(enum mem_kind kind, size_t count, int64_t first)
{
    struct mem mem = mem_new(kind, count * sizeof(double));

    memset(mem.elements, 0, count * sizeof(double));
    put_places(&mem, first);
    mem_upload(&mem);
    return mem;
}

static bool big_counts(enum mem_kind kind)
{
    enum { COUNT = (1 << 29) + 3 };
    int        p = cases.nranks;
    struct mem a, b;
    bool       right;

    a = huge(kind, COUNT, cases.rank);
    b = huge(kind, COUNT, -5);
    right = CALL(MPI_Allreduce(a.buffer, b.buffer, COUNT, MPI_DOUBLE, MPI_SUM,
                               MPI_COMM_WORLD));
    for (size_t i = 0; i < COUNT_OF(places); i++)
        put_at(&b, places[i] * sizeof(double), F64,
               p * (p - 1) / 2 + (int64_t)i * p);
    right &= ends_as_put(&b, "allreduce");
    right &=
        CALL(MPI_Bcast(a.buffer, COUNT, MPI_DOUBLE, p - 1, MPI_COMM_WORLD));
    put_places(&a, p - 1);
    return ends_as_put(&a, "bcast") & right;
}

enum { MAX_RANKS = 64, FAR = 300 << 20 /* doubles: over 2 GiB */ };

static bool far_displacements(enum mem_kind kind)
{
    int        counts[MAX_RANKS], at[MAX_RANKS], p = cases.nranks;
    struct mem mine, all;
    bool       right;

    for (int from = 0; from < p; from++) {
        counts[from] = 1000;
        at[from] = from == p - 1 ? FAR : from * 1000;
    }
    mine = cells(kind, F64, 1000, 5000 * cases.rank, 1);
    all = blank(kind, (size_t)(FAR + 1000) * sizeof(double));
    right = CALL(MPI_Allgatherv(mine.buffer, 1000, MPI_DOUBLE, all.buffer,
                                counts, at, MPI_DOUBLE, MPI_COMM_WORLD));
    for (int from = 0; from < p; from++)
        put(&all, F64, (size_t)at[from], 1000, 5000 * (int64_t)from, 1);
    right &= ends_as_put(&mine, "send");
    return ends_as_put(&all, "allgatherv") & right;
}

/* --- h: intercommunicators */

static bool even_and_odd(enum mem_kind kind,
                         bool (*are_right)(MPI_Comm, int, enum mem_kind))
{
    int      side = cases.rank % 2;
    MPI_Comm half, between, all;
    bool     right;

    MPI_Comm_split(MPI_COMM_WORLD, side, cases.rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 6, &between);
    right = are_right(between, side, kind);
    MPI_Intercomm_merge(between, side, &all);
    right &= within_is_right(all, kind);
    MPI_Comm_free(&all);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    return right;
}

static bool collectives_between(enum mem_kind kind)
{
    return even_and_odd(kind, between_collectives_are_right);
}

static bool messages_between(enum mem_kind kind)
{
    return even_and_odd(kind, between_messages_are_right);
}

/* --- i: streams */

enum { STREAMED = 1 << 20 };

/* A device sets send on a stream: by a kernel where there are any, else by a
 * copy that may be slow. */
static void produce(struct mem *send, const struct mem *source, int value,
                    void *stream)
{
    driver_set_ints(send, value - 1, STREAMED, stream);
    if (!kernel_increment(send, STREAMED, stream))
        driver_write(send, source, STREAMED * sizeof(int), stream);
    put(send, I32, 0, STREAMED, value, 0);
}

struct streams {
    struct mem source, send, recv, read;
    void      *producer, *reader;
};

/* Nothing is copied any more once the producer has begun: that would wait. */
static struct streams streams_new(bool is_default)
{
    return (struct streams){
        .source = cells(MEM_PINNED, I32, STREAMED, cases.rank + 10, 0),
        .send = cells(MEM_CUDA, I32, STREAMED, -1, 0),
        .recv = cells(MEM_CUDA, I32, STREAMED, -1, 0),
        .read = blank(MEM_PINNED, STREAMED * sizeof(int)),
        .producer = is_default ? NULL : driver_stream(),
        .reader = driver_stream()};
}

static bool streams_end(struct streams *s, bool is_default)
{
    bool right;

    driver_stream_wait(s->producer);
    driver_stream_delete(s->reader);
    if (!is_default)
        driver_stream_delete(s->producer);
    mem_delete(&s->source);
    right = ends_as_put(&s->send, "send");
    right &= ends_as_put(&s->recv, "recv");
    return ends_as_put(&s->read, "what another stream read") & right;
}

/* Afterwards another stream sees what was received, with no waiting. */
static bool streamed(bool is_default, bool waits)
{
    struct streams s = streams_new(is_default);
    int            p = cases.nranks;
    bool           right;

    produce(&s.send, &s.source, cases.rank + 10, s.producer);
    if (waits)
        driver_stream_wait(s.producer);
    right = CALL(MPI_Allreduce(s.send.buffer, s.recv.buffer, STREAMED, MPI_INT,
                               MPI_SUM, MPI_COMM_WORLD));
    driver_read(&s.recv, &s.read, STREAMED * sizeof(int), s.reader);
    put(&s.recv, I32, 0, STREAMED, p * (p - 1) / 2 + 10 * p, 0);
    put(&s.read, I32, 0, STREAMED, p * (p - 1) / 2 + 10 * p, 0);
    return streams_end(&s, is_default) & right;
}

static bool after_a_wait(enum mem_kind kind)
{
    (void)kind;
    return streamed(false, true);
}

static bool after_the_default_stream(enum mem_kind kind)
{
    (void)kind;
    return streamed(true, false);
}

/* The job sets stream_order to device. */
static bool without_a_wait(enum mem_kind kind)
{
    (void)kind;
    return streamed(false, false);
}

/* --- m: children */

static bool child_ended(void)
{
    int   status = -1;
    pid_t pid = fork();

    if (pid == 0)
        _exit(7);
    waitpid(pid, &status, 0);
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static bool command_ended(void)
{
    return system("exit 7") == 7 << 8;
}

static bool before_any_device_call(enum mem_kind kind)
{
    bool right = child_ended();

    (void)kind;
    return command_ended() && right;
}

static bool children_between_calls(enum mem_kind kind)
{
    bool right = within_is_right(MPI_COMM_WORLD, kind);

    right &= child_ended();
    right &= command_ended();
    return within_is_right(MPI_COMM_WORLD, kind) & right;
}

/* --- o: memory of another process: rank 1 receives in rank 0's buffer */

enum { SHARED = 1 << 20 }; /* ints: an allocation that shares no page */

static bool shares(enum mem_kind kind)
{
    int  same = (int)kind;
    bool ours = kind == MEM_CUDA || kind == MEM_HIP;

    MPI_Bcast(&same, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return cases_everywhere(ours && same == (int)kind);
}

static struct mem share(enum mem_kind kind)
{
    struct driver_handle handle;
    struct mem           mem = {.kind = MEM_HOST};

    memset(&handle, 0, sizeof handle);
    if (cases.rank == 0) {
        mem = cells(kind, I32, SHARED, -1, 0);
        handle = driver_export(&mem);
    }
    MPI_Bcast(&handle, sizeof handle, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (cases.rank == 1) {
        driver_set_device(kind, 0);
        mem = driver_import(kind, handle, SHARED * sizeof(int));
    }
    return mem;
}

static void unshare(struct mem *mem)
{
    if (cases.rank == 1)
        driver_import_delete(mem);
    MPI_Barrier(MPI_COMM_WORLD);
    if (cases.rank == 0)
        mem_delete(mem);
}

static bool moved(struct mem *data, struct mem *shared, bool is_bcast)
{
    struct mem *mem = cases.rank == 1 ? shared : data;

    if (is_bcast)
        return CALL(MPI_Bcast(mem->buffer, SHARED, MPI_INT, 0, MPI_COMM_WORLD));
    if (cases.rank == 0)
        return CALL(
            MPI_Send(mem->buffer, SHARED, MPI_INT, 1, 7, MPI_COMM_WORLD));
    return cases.rank != 1 || CALL(MPI_Recv(mem->buffer, SHARED, MPI_INT, 0, 7,
                                            MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static bool received_in_imported(enum mem_kind kind, bool is_bcast)
{
    struct mem data, shared;
    bool       right;

    if (!shares(kind))
        return cases_skip("needs one vendor that shares memory");
    shared = share(kind);
    data = cells(kind, I32, SHARED, cases.rank == 0 ? 0 : -1,
                 cases.rank == 0 ? 3 : 0);
    right = moved(&data, &shared, is_bcast);
    MPI_Barrier(MPI_COMM_WORLD);
    if (cases.rank == 0) {
        put(&shared, I32, 0, SHARED, 0, 3);
        right &= is_as_put(&shared, "the buffer that the other received in");
    }
    unshare(&shared);
    if (is_bcast && cases.rank > 1)
        put(&data, I32, 0, SHARED, 0, 3);
    return ends_as_put(&data, "data") & right;
}

static bool bcast_to_imported(enum mem_kind kind)
{
    return received_in_imported(kind, true);
}

static bool recv_in_imported(enum mem_kind kind)
{
    return received_in_imported(kind, false);
}

static const struct test_case table[] = {
    ONCE("case 48m: children between MPI_Init and the first device call",
         before_any_device_call),
    ONCE("case 48b: MPIX_Query_cuda_support answers what is compiled in",
         query_answers),
    WHEN_ASKED("case 48j: vendors by rank, every collective", vendors_by_rank),
    EACH_KIND("case 48m: children between device calls",
              children_between_calls),
    WHEN_ASKED("case 48d: allreduce and bcast of over 4 GiB", big_counts),
    WHEN_ASKED("case 48d: allgatherv with displacements over 2 GiB",
               far_displacements),
    EACH_KIND("case 48h: collectives between even and odd ranks",
              collectives_between),
    EACH_KIND("case 48h: messages between even and odd ranks",
              messages_between),
    CUDA_ONLY("case 48i: a stream that was waited for; read on another",
              after_a_wait),
    CUDA_ONLY("case 48i: the legacy default stream without a wait",
              after_the_default_stream),
    {.claim = "case 48i: any stream without a wait, stream_order device",
     .holds = without_a_wait,
     .scope = SCOPE_CUDA,
     .is_asked = true},
    EACH_KIND("case 48o: bcast to memory of another process",
              bcast_to_imported),
    EACH_KIND("case 48o: receive in memory of another process",
              recv_in_imported),
    END_OF_CASES,
};

int main(int argc, char **argv)
{
    return cases_main(argc, argv, table);
}
