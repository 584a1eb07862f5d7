/* Devices, contexts and threads. */
#include "cases.h"
#include "driver.h"
#include "flight.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- contexts */

static bool no_context(enum mem_kind kind)
{
    bool none = true;

    for (int device = 0; device < driver_devices(kind); device++)
        none &= !driver_has_context(kind, device);
    if (kind == MEM_CUDA && driver_devices(kind) > 0)
        none &= driver_current(kind) == NULL;
    return none;
}

/* A host collective too, where everyone learns who has devices. */
static bool init_makes_no_context(enum mem_kind kind)
{
    int  one = 1;
    bool right;

    (void)kind;
    right = CALL(
        MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    if (driver_devices(MEM_CUDA) + driver_devices(MEM_HIP) == 0)
        return cases_skip("no driver here");
    return no_context(MEM_CUDA) && no_context(MEM_HIP) && right;
}

static bool reduced_in(enum mem_kind send_kind, enum mem_kind recv_kind,
                       size_t count)
{
    int        p = cases.nranks;
    struct mem send = cells(send_kind, I32, count, cases.rank, 1);
    struct mem recv = cells(recv_kind, I32, count, -1, 0);
    bool       right;

    right = CALL(MPI_Allreduce(send.buffer, recv.buffer, (int)count, MPI_INT,
                               MPI_SUM, MPI_COMM_WORLD));
    put(&recv, I32, 0, count, p * (p - 1) / 2, p);
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

static bool has_device(enum mem_kind kind)
{
    return kind == MEM_CUDA || kind == MEM_HIP;
}

static bool only_the_used_device(enum mem_kind kind)
{
    int  n = driver_devices(kind), mine;
    bool right = reduced_in(kind, kind, 1000);

    if (!cases_everywhere(has_device(kind) && n > 1))
        return cases_skip("needs two devices of a vendor that tells");
    mine = cases.device % n;
    for (int device = 0; device < n; device++)
        if (driver_has_context(kind, device) != (device == mine)) {
            cases_note("device %d of %d, %d is in use: context %d", device, n,
                       mine, driver_has_context(kind, device));
            right = false;
        }
    return right;
}

/* --- buffers on another device than the current one.  mem.h works with one
 * device: what it allocated is on that one, whatever is current. */

static bool from_another_device(enum mem_kind kind)
{
    enum { COUNT = 5000 };
    int        p = cases.nranks, n = driver_devices(kind);
    struct mem send, recv;
    void      *before;
    bool       right;

    if (!cases_everywhere(has_device(kind) && n > 1))
        return cases_skip("needs two devices of a vendor with a current one");
    send = cells(kind, I32, COUNT, cases.rank, 1);
    recv = cells(kind, I32, COUNT, -1, 0);
    driver_set_device(kind, (cases.device + 1) % n);
    before = driver_current(kind);
    right = CALL(MPI_Allreduce(send.buffer, recv.buffer, COUNT, MPI_INT,
                               MPI_SUM, MPI_COMM_WORLD));
    put(&recv, I32, 0, COUNT, p * (p - 1) / 2, p);
    right &= driver_current(kind) == before;
    right &= is_as_put(&recv, "allreduce");
    driver_set_device(kind, (cases.device + 1) % n);
    right &=
        CALL(MPI_Bcast(send.buffer, COUNT, MPI_INT, p - 1, MPI_COMM_WORLD));
    right &= driver_current(kind) == before;
    put(&send, I32, 0, COUNT, p - 1, 1);
    right &= ends_as_put(&send, "bcast");
    return ends_as_put(&recv, "recv") & right;
}

/* Send on one device, receive on the next, neither current. */
static bool between_devices(enum mem_kind kind)
{
    enum { COUNT = 5000 };
    int        p = cases.nranks, n = driver_devices(kind);
    struct mem send, recv;
    void      *before;
    bool       right;

    if (!cases_everywhere(has_device(kind) && n > 1))
        return cases_skip("needs two devices of a vendor with a current one");
    send = driver_new_on(kind, 0, COUNT * sizeof(int));
    recv = driver_new_on(kind, 1, COUNT * sizeof(int));
    put(&send, I32, 0, COUNT, cases.rank, 1);
    mem_upload(&send);
    mem_upload(&recv);
    /* Those copies were on the default stream of the device that was current:
     * they may have returned before their end. */
    driver_wait(kind);
    driver_set_device(kind, cases.rank % 2);
    before = driver_current(kind);
    right = CALL(MPI_Allreduce(send.buffer, recv.buffer, COUNT, MPI_INT,
                               MPI_SUM, MPI_COMM_WORLD));
    right &= driver_current(kind) == before;
    put(&recv, I32, 0, COUNT, p * (p - 1) / 2, p);
    right &= is_as_put(&send, "send");
    right &= is_as_put(&recv, "recv");
    driver_delete(&send);
    driver_delete(&recv);
    return right;
}

/* --- jobs of their own */

static bool ring(enum mem_kind kind, size_t bytes)
{
    int         p = cases.nranks, next = (cases.rank + 1) % p;
    int         last = (cases.rank + p - 1) % p;
    struct mem  send = cells(kind, U8, bytes, cases.rank, 1);
    struct mem  recv = cells(kind, U8, bytes, -1, 0);
    MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    bool        right;

    right = CALL(MPI_Irecv(recv.buffer, (int)bytes, MPI_BYTE, last, 3,
                           MPI_COMM_WORLD, &r[0]));
    right &= CALL(MPI_Isend(send.buffer, (int)bytes, MPI_BYTE, next, 3,
                            MPI_COMM_WORLD, &r[1]));
    right &= CALL(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    put(&recv, U8, 0, bytes, last, 1);
    right &= ends_as_put(&send, "send");
    return ends_as_put(&recv, "recv") & right;
}

static bool ring_and_allreduce(enum mem_kind kind)
{
    bool right;

    if (has_device(kind) && driver_devices(kind) != 1) {
        cases_note("%d devices are visible", driver_devices(kind));
        return false;
    }
    right = ring(kind, 288);
    right &= ring(kind, 65536);
    return reduced_in(kind, kind, 10000) & right;
}

static bool all_on_one_device(enum mem_kind kind)
{
    bool right = ring(kind, 288);

    right &= ring(kind, 4 << 20);
    right &= reduced_in(kind, kind, 2);
    right &= reduced_in(kind, kind, 100003);
    for (int i = 0; i < flight_calls; i++) {
        struct flight f = flight_start(kind, MPI_COMM_WORLD, i, i);

        right &= CALL(MPI_Wait(&f.request, MPI_STATUS_IGNORE));
        right &= flight_end(&f);
    }
    return right;
}

/* --- threads */

struct helper {
    pthread_t     thread;
    enum mem_kind kind;
    MPI_Comm      comm;
    int           seed;
    struct mem    a, b; /* allocated by the main thread */
    bool          right;
};

static void *call_from_thread(void *argument)
{
    enum { COUNT = 1000 };
    struct helper *h = argument;
    void *before = has_device(h->kind) ? driver_current(h->kind) : NULL;

    h->right = CALL(MPI_Bcast(h->a.buffer, COUNT, MPI_INT, 0, h->comm));
    h->right &= CALL(MPI_Allreduce(h->a.buffer, h->b.buffer, COUNT, MPI_INT,
                                   MPI_SUM, h->comm));
    if (has_device(h->kind))
        h->right &= driver_current(h->kind) == before;
    if (h->kind == MEM_CUDA)
        h->right &= before == NULL;
    return NULL;
}

static bool thread_without_context(enum mem_kind kind)
{
    enum { COUNT = 1000 };
    struct helper h = {.kind = kind,
                       .comm = MPI_COMM_WORLD,
                       .a = cells(kind, I32, COUNT, 100 * cases.rank + 1, 1),
                       .b = cells(kind, I32, COUNT, -1, 0)};

    if (pthread_create(&h.thread, NULL, call_from_thread, &h) != 0)
        MPI_Abort(MPI_COMM_WORLD, 99);
    pthread_join(h.thread, NULL);
    put(&h.a, I32, 0, COUNT, 1, 1);
    put(&h.b, I32, 0, COUNT, cases.nranks, cases.nranks);
    h.right &= ends_as_put(&h.a, "bcast");
    return ends_as_put(&h.b, "allreduce") & h.right;
}

/* Whose request it is makes no difference. */
static void *wait_from_thread(void *argument)
{
    struct flight *flight = argument;

    flight->right &= CALL(MPI_Wait(&flight->request, MPI_STATUS_IGNORE));
    return NULL;
}

static bool thread_that_waits(enum mem_kind kind)
{
    bool right = true;

    for (int i = 0; i < flight_calls; i++) {
        struct flight f = flight_start(kind, MPI_COMM_WORLD, i, i);
        pthread_t     thread;

        if (pthread_create(&thread, NULL, wait_from_thread, &f) != 0)
            MPI_Abort(MPI_COMM_WORLD, 99);
        pthread_join(thread, NULL);
        right &= flight_end(&f);
    }
    return right;
}

enum { HELPERS = 4, ROUNDS = 12, MESSAGE = 700 };

/* A nonblocking reduction under way while messages go round. */
static bool one_round(struct helper *h, int seed)
{
    int         p = cases.nranks, next = (cases.rank + 1) % p;
    int         last = (cases.rank + p - 1) % p;
    struct mem  give = cells(h->kind, I32, MESSAGE, cases.rank + seed, 1);
    struct mem  take = cells(h->kind, I32, MESSAGE, -1, 0);
    struct mem  sum = cells(h->kind, I32, MESSAGE, -1, 0);
    MPI_Request r[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    bool        right;

    right = CALL(MPI_Iallreduce(give.buffer, sum.buffer, MESSAGE, MPI_INT,
                                MPI_SUM, h->comm, &r[0]));
    right &= CALL(
        MPI_Irecv(take.buffer, MESSAGE, MPI_INT, last, seed, h->comm, &r[1]));
    right &= CALL(
        MPI_Isend(give.buffer, MESSAGE, MPI_INT, next, seed, h->comm, &r[2]));
    right &= CALL(MPI_Waitall(3, r, MPI_STATUSES_IGNORE));
    put(&take, I32, 0, MESSAGE, last + seed, 1);
    put(&sum, I32, 0, MESSAGE, p * (p - 1) / 2 + p * seed, p);
    right &= ends_as_put(&give, "send");
    right &= ends_as_put(&take, "recv");
    return ends_as_put(&sum, "sum") & right;
}

static void *rounds_from_thread(void *argument)
{
    struct helper *h = argument;

    h->right = true;
    for (int i = 0; i < ROUNDS && h->right; i++)
        h->right &= one_round(h, h->seed + i);
    return NULL;
}

static bool four_threads(enum mem_kind kind)
{
    struct helper helpers[HELPERS];
    bool          right = true;
    int           provided;

    MPI_Query_thread(&provided);
    if (provided < MPI_THREAD_MULTIPLE)
        return cases_skip("this Open MPI has no MPI_THREAD_MULTIPLE");
    for (int i = 0; i < HELPERS; i++) {
        helpers[i] = (struct helper){.kind = kind, .seed = 100 * i};
        MPI_Comm_dup(MPI_COMM_WORLD, &helpers[i].comm);
    }
    for (int i = 0; i < HELPERS; i++)
        if (pthread_create(&helpers[i].thread, NULL, rounds_from_thread,
                           &helpers[i]) != 0)
            MPI_Abort(MPI_COMM_WORLD, 99);
    for (int i = 0; i < HELPERS; i++) {
        pthread_join(helpers[i].thread, NULL);
        right &= helpers[i].right;
    }
    for (int i = 0; i < HELPERS; i++)
        MPI_Comm_free(&helpers[i].comm);
    return right;
}

static const struct test_case table[] = {
    ONCE("case 42: MPI_Init leaves no context behind", init_makes_no_context),
    EACH_KIND("case 42: only the device that is used has a context",
              only_the_used_device),
    EACH_KIND("case 43: buffers on a device that is not current",
              from_another_device),
    EACH_KIND("case 43: send on one device, receive on another",
              between_devices),
    WHEN_ASKED("case 44: ring and allreduce, one visible device per rank",
               ring_and_allreduce),
    WHEN_ASKED("case 45: all ranks on one device", all_on_one_device),
    EACH_KIND("case 46: a thread without a context", thread_without_context),
    EACH_KIND("case 46: a thread that waits for another's requests",
              thread_that_waits),
    EACH_KIND("case 46: four threads, nonblocking and point to point",
              four_threads),
    END_OF_CASES,
};

int main(int argc, char **argv)
{
    int result, provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    result = cases_run(argc, argv, table);
    MPI_Finalize();
    return result;
}
