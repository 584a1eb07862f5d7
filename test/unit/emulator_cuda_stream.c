#include "test/unit/emulator_cuda.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>

/* Streams and events: what returns early, and in which order work is done.
 * A slow link makes "under way" last long enough to look. */

#define SLOW       "HCOMM_EMU_LINK=*/h2d=40MB/s"
#define SLOW_BYTES (4 * MB) /* 0.1 s */

static hc_cu_ptr device_memory;
static void     *pinned;

static void prepare(void)
{
    open_device();
    OK(cuMemAlloc_v2(&device_memory, SLOW_BYTES));
    OK(cuMemHostAlloc(&pinned, SLOW_BYTES, 0));
}

static void keep_busy(struct hc_cu_stream *stream)
{
    OK(cuMemcpyHtoDAsync_v2(device_memory, pinned, SLOW_BYTES, stream));
}

static struct hc_cu_stream *new_stream(unsigned flags)
{
    struct hc_cu_stream *stream;

    OK(cuStreamCreate(&stream, flags));
    return stream;
}

static struct hc_cu_event *recorded_on(struct hc_cu_stream *stream)
{
    struct hc_cu_event *event;

    OK(cuEventCreate(&event, HC_CU_EVENT_DISABLE_TIMING));
    OK(cuEventRecord(event, stream));
    return event;
}

static void copy_asynchronously(void)
{
    struct hc_cu_stream *stream;
    static char          pageable[SLOW_BYTES];
    hc_cu_ptr            other;

    prepare();
    stream = new_stream(HC_CU_STREAM_NON_BLOCKING);
    keep_busy(stream);
    EXPECT(HC_CU_NOT_READY, cuStreamQuery(stream));
    EXPECT(HC_CU_NOT_READY, cuEventQuery(recorded_on(stream)));
    OK(cuStreamSynchronize(stream));
    OK(cuStreamQuery(stream));

    /* Short pageable memory is taken at once, and may then be reused. */
    fill_pattern(pageable, 32768, 1);
    keep_busy(stream);
    OK(cuMemcpyHtoDAsync_v2(device_memory, pageable, 32768, stream));
    EXPECT(HC_CU_NOT_READY, cuStreamQuery(stream));
    memset(pageable, 0, 32768);
    OK(cuMemcpyDtoHAsync_v2(pageable, device_memory, 32768, stream));
    OK(cuStreamQuery(stream)); /* to pageable memory: complete */
    CHECK(has_pattern(pageable, 32768, 1));
    /* Long pageable memory, too, may be reused at once. */
    fill_pattern(pageable, sizeof pageable, 2);
    OK(cuMemcpyHtoDAsync_v2(device_memory, pageable, sizeof pageable, stream));
    memset(pageable, 0, sizeof pageable);
    OK(cuMemcpyDtoH_v2(pageable, device_memory, sizeof pageable));
    CHECK(has_pattern(pageable, sizeof pageable, 2));

    /* Synchronous ones within the device aren't waited for... */
    OK(cuMemAlloc_v2(&other, SLOW_BYTES));
    keep_busy(NULL);
    OK(cuMemcpyDtoD_v2(other, device_memory, SLOW_BYTES));
    OK(cuMemsetD8_v2(other, 1, SLOW_BYTES));
    OK(cuMemcpyHtoD_v2(other, pageable, 64));
    EXPECT(HC_CU_NOT_READY, cuStreamQuery(NULL));
    /* ... unless the memory asks for it. */
    OK(cuPointerSetAttribute(&(unsigned){1},
                             HC_CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, other));
    OK(cuMemcpyDtoD_v2(other, device_memory, SLOW_BYTES));
    OK(cuStreamQuery(NULL));
    keep_busy(stream);
    OK(cuMemcpyDtoDAsync_v2(other, device_memory, 64, stream));
    EXPECT(HC_CU_NOT_READY, cuStreamQuery(stream));
}

static void copies_return_early_as_documented(void **state)
{
    (void)state;
    run_scene(copy_asynchronously, SLOW, NULL);
}

static void order_against_the_legacy_stream(void)
{
    struct hc_cu_stream *blocking, *free_one;

    prepare();
    blocking = new_stream(0);
    free_one = new_stream(HC_CU_STREAM_NON_BLOCKING);

    keep_busy(blocking);
    OK(cuEventQuery(recorded_on(HC_CU_STREAM_PER_THREAD)));
    EXPECT(HC_CU_NOT_READY, cuEventQuery(recorded_on(NULL)));
    EXPECT(HC_CU_NOT_READY, cuStreamQuery(HC_CU_STREAM_LEGACY));
    OK(cuEventQuery(recorded_on(free_one)));
    OK(cuEventSynchronize(recorded_on(NULL)));
    OK(cuStreamQuery(blocking));

    keep_busy(NULL);
    EXPECT(HC_CU_NOT_READY, cuEventQuery(recorded_on(blocking)));
    EXPECT(HC_CU_NOT_READY, cuEventQuery(recorded_on(HC_CU_STREAM_PER_THREAD)));
    OK(cuEventQuery(recorded_on(free_one)));
    OK(cuStreamSynchronize(blocking));
    OK(cuStreamSynchronize(HC_CU_STREAM_PER_THREAD));
    OK(cuStreamQuery(NULL));

    keep_busy(free_one);
    OK(cuEventQuery(recorded_on(NULL)));
    OK(cuStreamSynchronize(NULL));
    EXPECT(HC_CU_NOT_READY, cuStreamQuery(free_one));
    OK(cuCtxSynchronize());
    OK(cuStreamQuery(free_one));

    keep_busy(blocking);
    OK(cuStreamSynchronize(NULL)); /* stands for the blocking ones */
    OK(cuStreamQuery(blocking));
}

static void the_legacy_stream_orders_blocking_ones_only(void **state)
{
    (void)state;
    run_scene(order_against_the_legacy_stream, SLOW, NULL);
}

static void wait_for_events(void)
{
    struct hc_cu_stream *first, *second;
    struct hc_cu_event  *start, *end, *untimed, *event;
    float                ms;

    prepare();
    first = new_stream(HC_CU_STREAM_NON_BLOCKING);
    second = new_stream(HC_CU_STREAM_NON_BLOCKING);
    OK(cuEventCreate(&start, 0));
    OK(cuEventCreate(&end, 0));
    OK(cuEventQuery(start)); /* never recorded: complete */
    OK(cuEventSynchronize(start));
    EXPECT(HC_CU_INVALID_HANDLE, cuEventElapsedTime(&ms, start, end));

    OK(cuEventRecord(start, first));
    keep_busy(first);
    OK(cuEventRecord(end, first));
    EXPECT(HC_CU_NOT_READY, cuEventElapsedTime(&ms, start, end));
    OK(cuStreamWaitEvent(second, end, 0));
    EXPECT(HC_CU_NOT_READY, cuEventQuery(recorded_on(second)));
    OK(cuStreamSynchronize(second));
    OK(cuEventQuery(end));
    OK(cuEventElapsedTime(&ms, start, end));
    CHECK(ms >= 95 && ms < 60000);
    untimed = recorded_on(first);
    EXPECT(HC_CU_INVALID_HANDLE, cuEventElapsedTime(&ms, start, untimed));

    EXPECT(HC_CU_INVALID_VALUE, cuEventCreate(&event, 8));
    EXPECT(HC_CU_INVALID_VALUE,
           cuEventCreate(&event, HC_CU_EVENT_INTERPROCESS));
    /* Destroyed before it was reached: the work goes on. */
    keep_busy(first);
    event = recorded_on(first);
    OK(cuStreamWaitEvent(second, event, 0));
    OK(cuEventDestroy_v2(event));
    EXPECT(HC_CU_INVALID_HANDLE, cuEventQuery(event));
    OK(cuStreamDestroy_v2(first));
    EXPECT(HC_CU_INVALID_HANDLE, cuStreamQuery(first));
    EXPECT(HC_CU_NOT_READY, cuStreamQuery(second));
    OK(cuCtxSynchronize());
    OK(cuStreamQuery(second));
    EXPECT(HC_CU_INVALID_HANDLE, cuStreamDestroy_v2(NULL));
    EXPECT(HC_CU_INVALID_VALUE, cuStreamCreate(&first, 2));
}

static void events_order_streams_and_measure(void **state)
{
    (void)state;
    run_scene(wait_for_events, SLOW, NULL);
}

struct called {
    atomic_int times;
    int        count_result, alloc_result;
};

static void called_back(void *argument)
{
    struct called *called = argument;
    hc_cu_ptr      p;
    int            n;

    called->count_result = cuDeviceGetCount(&n);
    called->alloc_result = cuMemAlloc_v2(&p, 64);
    called->times++;
}

static void called_back_with_status(struct hc_cu_stream *stream,
                                    hc_cu_result result, void *argument)
{
    (void)stream;
    if (result == HC_CU_SUCCESS)
        called_back(argument);
}

static void call_the_host(void)
{
    static struct called called;
    struct hc_cu_stream *stream;

    prepare();
    stream = new_stream(0);
    keep_busy(stream);
    OK(cuLaunchHostFunc(stream, called_back, &called));
    OK(cuStreamAddCallback(stream, called_back_with_status, &called, 0));
    CHECK(called.times == 0);
    OK(cuStreamSynchronize(stream));
    CHECK(called.times == 2);
    CHECK(called.count_result == HC_CU_NOT_PERMITTED);
    CHECK(called.alloc_result == HC_CU_NOT_PERMITTED);
}

static void host_functions_run_in_order_and_may_not_call(void **state)
{
    (void)state;
    run_scene(call_the_host, SLOW, NULL);
}

/* What waits for the device, and what doesn't. */
static void free_while_busy(void)
{
    struct hc_cu_stream *stream;
    hc_cu_ptr            other;
    void                *host;
    static char          own[4096];

    prepare();
    stream = new_stream(HC_CU_STREAM_NON_BLOCKING);
    keep_busy(stream);
    OK(cuMemAlloc_v2(&other, MB));
    OK(cuMemHostAlloc(&host, MB, 0));
    OK(cuMemHostRegister_v2(own, sizeof own, 0));
    EXPECT(HC_CU_NOT_READY, cuStreamQuery(stream));
    OK(cuMemFree_v2(other));
    OK(cuStreamQuery(stream));
    keep_busy(stream);
    OK(cuMemFreeHost(host));
    OK(cuStreamQuery(stream));
    keep_busy(stream);
    OK(cuMemHostUnregister(own));
    OK(cuStreamQuery(stream));
    OK(cuMemAllocAsync(&other, MB, stream));
    keep_busy(stream);
    OK(cuMemFreeAsync(other, stream));
    EXPECT(HC_CU_NOT_READY, cuStreamQuery(stream));
    OK(cuMemFree_v2(device_memory)); /* the one in use */
    OK(cuStreamQuery(stream));
}

static void freeing_waits_for_the_device(void **state)
{
    (void)state;
    run_scene(free_while_busy, SLOW, NULL);
}

static void time_links(void)
{
    struct hc_cu_stream *one, *two;
    double               start, seconds;

    prepare();
    one = new_stream(HC_CU_STREAM_NON_BLOCKING);
    two = new_stream(HC_CU_STREAM_NON_BLOCKING);
    start = now_s();
    keep_busy(one);
    OK(cuStreamSynchronize(one));
    seconds = now_s() - start;
    CHECK(seconds >= 0.099 && seconds < 30);
    /* Two streams share the link. */
    start = now_s();
    keep_busy(one);
    keep_busy(two);
    OK(cuCtxSynchronize());
    seconds = now_s() - start;
    CHECK(seconds >= 0.199);
    /* The other direction has its own: a latency. */
    start = now_s();
    OK(cuMemcpyDtoHAsync_v2(pinned, device_memory, 64, one));
    OK(cuStreamSynchronize(one));
    seconds = now_s() - start;
    CHECK(seconds >= 0.099 && seconds < 30);
}

static void links_take_the_time_they_are_given(void **state)
{
    (void)state;
    run_scene(time_links, "HCOMM_EMU_LINK=nvidia:*/h2d=40MB/s,*/d2h=100ms",
              NULL);
}

/* ---------------------------------------------------------------- threads */

#define THREADS 4
#define ROUNDS  50

static struct hc_cu_context *shared_context;
static struct hc_cu_stream  *shared_stream;
static struct hc_cu_event   *shared_event;

static void one_round(unsigned seed)
{
    struct hc_cu_stream *mine;
    hc_cu_ptr            p, pool, other;
    char                 sent[3000], got[3000];
    unsigned             type;

    mine = new_stream(seed % 2);
    fill_pattern(sent, sizeof sent, seed);
    OK(cuMemAlloc_v2(&p, sizeof sent));
    OK(cuMemAlloc_v2(&other, 64));
    OK(cuMemAllocAsync(&pool, sizeof sent, mine));
    OK(cuMemcpyHtoDAsync_v2(p, sent, sizeof sent, mine));
    OK(cuEventRecord(shared_event, shared_stream));
    OK(cuStreamWaitEvent(mine, shared_event, 0));
    OK(cuMemcpyDtoDAsync_v2(pool, p, sizeof sent, mine));
    OK(cuEventRecord(shared_event, mine));
    OK(cuStreamWaitEvent(shared_stream, shared_event, 0));
    /* Not into p: another thread may have recorded the event meanwhile. */
    OK(cuMemsetD8Async(other, 1, 64, shared_stream));
    OK(cuMemcpyDtoHAsync_v2(got, pool, sizeof got, mine));
    OK(cuStreamSynchronize(mine));
    CHECK(has_pattern(got, sizeof got, seed));
    OK(cuPointerGetAttribute(&type, HC_CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    OK(cuMemFreeAsync(pool, mine));
    OK(cuStreamDestroy_v2(mine));
    OK(cuMemFree_v2(other));
    OK(cuMemFree_v2(p));
}

static void *work(void *argument)
{
    unsigned thread = (unsigned)(uintptr_t)argument;

    OK(cuCtxSetCurrent(shared_context));
    for (unsigned i = 0; i < ROUNDS; i++)
        one_round(thread * ROUNDS + i);
    return NULL;
}

static void work_in_threads(void)
{
    pthread_t threads[THREADS];

    shared_context = open_device();
    shared_stream = new_stream(0);
    OK(cuEventCreate(&shared_event, 0));
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    OK(cuCtxSynchronize());
}

static void threads_may_share_everything(void **state)
{
    (void)state;
    run_scene(work_in_threads, NULL);
}

static void *use_own_stream(void *unused)
{
    char      sent[64], got[64];
    hc_cu_ptr p;

    (void)unused;
    OK(cuCtxSetCurrent(shared_context));
    OK(cuMemAlloc_v2(&p, sizeof sent));
    fill_pattern(sent, sizeof sent, 8);
    OK(cuMemcpyHtoDAsync_v2(p, sent, sizeof sent, HC_CU_STREAM_PER_THREAD));
    OK(cuMemsetD8Async(p, 0, 1, HC_CU_STREAM_PER_THREAD));
    OK(cuMemcpyDtoHAsync_v2(got, p, sizeof got, HC_CU_STREAM_PER_THREAD));
    CHECK(got[0] == 0 && memcmp(got + 1, sent + 1, sizeof got - 1) == 0);
    OK(cuMemFree_v2(p));
    return NULL;
}

static int thread_count(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int  count = 0;

    CHECK(tasks != NULL);
    while (readdir(tasks) != NULL)
        count++;
    closedir(tasks);
    return count;
}

static void use_many_threads(void)
{
    pthread_t thread;
    int       before;

    shared_context = open_device();
    before = thread_count();
    for (int i = 0; i < 50; i++) {
        CHECK(pthread_create(&thread, NULL, use_own_stream, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    usleep(100000); /* the last stream's thread may still be on its way out */
    CHECK(thread_count() < before + 10);
}

static void a_threads_own_stream_ends_with_it(void **state)
{
    (void)state;
    run_scene(use_many_threads, NULL);
}

static void exit_while_busy(void)
{
    struct hc_cu_stream *stream;

    prepare();
    stream = new_stream(0);
    for (int i = 0; i < 600; i++) /* a minute of work */
        keep_busy(stream);
    keep_busy(NULL);
}

static void a_program_may_exit_with_copies_in_flight(void **state)
{
    double start = now_s();

    (void)state;
    run_scene(exit_while_busy, SLOW, NULL);
    assert_true(now_s() - start < 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_return_early_as_documented),
        cmocka_unit_test(the_legacy_stream_orders_blocking_ones_only),
        cmocka_unit_test(events_order_streams_and_measure),
        cmocka_unit_test(host_functions_run_in_order_and_may_not_call),
        cmocka_unit_test(freeing_waits_for_the_device),
        cmocka_unit_test(links_take_the_time_they_are_given),
        cmocka_unit_test(threads_may_share_everything),
        cmocka_unit_test(a_threads_own_stream_ends_with_it),
        cmocka_unit_test(a_program_may_exit_with_copies_in_flight),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
