/*
 * The emulated HIP runtime: streams, events, capture, threads, last errors.
 */

#include "test/unit/emulator_hip.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { TO_DEV = HC_HIP_COPY_HOST_DEV, TO_HOST = HC_HIP_COPY_DEV_HOST };

/* Buffers on the device with the slow link; the copy takes 0.2 s. */
struct slow {
    void *device, *host, *stream;
};

static struct slow slow_create(unsigned stream_flags)
{
    struct slow s;

    assert_ok(hip.hipSetDevice(SLOW_DEVICE));
    assert_ok(hip.hipMalloc(&s.device, SLOW_BYTES));
    assert_ok(hip.hipHostMalloc(&s.host, SLOW_BYTES, 0));
    memset(s.host, 0x77, SLOW_BYTES);
    assert_ok(hip.hipStreamCreateWithFlags(&s.stream, stream_flags));
    return s;
}

static void slow_start(const struct slow *s)
{
    assert_ok(
        hip.hipMemcpyAsync(s->device, s->host, SLOW_BYTES, TO_DEV, s->stream));
}

static void slow_destroy(const struct slow *s)
{
    assert_ok(hip.hipStreamDestroy(s->stream));
    assert_ok(hip.hipFree(s->device));
    assert_ok(hip.hipHostFree(s->host));
    assert_ok(hip.hipSetDevice(0));
}

void an_asynchronous_copy_returns_early(void **state)
{
    struct slow   s = slow_create(0);
    unsigned char last = 0;
    void         *event;

    (void)state;
    assert_ok(hip.hipEventCreate(&event));
    slow_start(&s);
    assert_ok(hip.hipEventRecord(event, s.stream));
    assert_hip(HC_HIP_NOT_READY, hip.hipStreamQuery(s.stream));
    assert_hip(HC_HIP_NOT_READY, hip.hipEventQuery(event));
    assert_ok(hip.hipEventSynchronize(event));
    assert_ok(hip.hipEventQuery(event));
    assert_ok(hip.hipStreamSynchronize(s.stream));
    assert_ok(hip.hipStreamQuery(s.stream));
    assert_ok(
        hip.hipMemcpy(&last, (char *)s.device + SLOW_BYTES - 1, 1, TO_HOST));
    assert_int_equal(last, 0x77);
    assert_ok(hip.hipEventDestroy(event));
    slow_destroy(&s);
}

void freeing_waits_for_the_copy(void **state)
{
    struct slow s = slow_create(HC_HIP_STREAM_NON_BLOCKING);

    (void)state;
    slow_start(&s);
    assert_ok(hip.hipFree(s.device));
    assert_ok(hip.hipStreamQuery(s.stream));
    s.device = NULL;
    slow_destroy(&s);
}

/* Which byte a copy on the default stream finds behind a slow copy. */
static unsigned char seen_by_default_stream(unsigned stream_flags)
{
    struct slow    s = slow_create(stream_flags);
    unsigned char *seen;

    assert_ok(hip.hipHostMalloc((void **)&seen, 1, 0));
    assert_ok(hip.hipMemset(s.device, 0x11, SLOW_BYTES));
    slow_start(&s);
    assert_ok(hip.hipMemcpyAsync(seen, (char *)s.device + SLOW_BYTES - 1, 1,
                                 TO_HOST, NULL));
    assert_ok(hip.hipStreamSynchronize(NULL));
    stream_flags = *seen;
    assert_ok(hip.hipStreamSynchronize(s.stream));
    assert_ok(hip.hipHostFree(seen));
    slow_destroy(&s);
    return (unsigned char)stream_flags;
}

void the_default_stream_waits_for_blocking_streams(void **state)
{
    (void)state;
    assert_int_equal(seen_by_default_stream(0), 0x77);
}

void a_non_blocking_stream_does_not_wait(void **state)
{
    (void)state;
    assert_int_equal(seen_by_default_stream(HC_HIP_STREAM_NON_BLOCKING), 0x11);
}

void a_stream_waits_for_an_event(void **state)
{
    struct slow    s = slow_create(HC_HIP_STREAM_NON_BLOCKING);
    unsigned char *seen;
    void          *other, *event;

    (void)state;
    assert_ok(hip.hipHostMalloc((void **)&seen, 1, 0));
    assert_ok(hip.hipStreamCreateWithFlags(&other, HC_HIP_STREAM_NON_BLOCKING));
    assert_ok(hip.hipEventCreateWithFlags(&event, HC_HIP_EVENT_DISABLE_TIMING));
    slow_start(&s);
    assert_ok(hip.hipEventRecord(event, s.stream));
    assert_ok(hip.hipStreamWaitEvent(other, event, 0));
    assert_ok(hip.hipMemcpyAsync(seen, (char *)s.device + SLOW_BYTES - 1, 1,
                                 TO_HOST, other));
    assert_ok(hip.hipStreamSynchronize(other));
    assert_int_equal(*seen, 0x77);
    assert_ok(hip.hipEventDestroy(event));
    assert_ok(hip.hipStreamDestroy(other));
    assert_ok(hip.hipHostFree(seen));
    slow_destroy(&s);
}

void events_measure_time(void **state)
{
    struct slow s = slow_create(0);
    void       *start, *end, *untimed;
    float       ms = 0;

    (void)state;
    assert_ok(hip.hipEventCreate(&start));
    assert_ok(hip.hipEventCreate(&end));
    assert_ok(hip.hipEventQuery(start)); /* never recorded: done */
    assert_hip(HC_HIP_INVALID_HANDLE, hip.hipEventElapsedTime(&ms, start, end));
    assert_ok(hip.hipEventRecord(start, s.stream));
    slow_start(&s);
    assert_ok(hip.hipEventRecord(end, s.stream));
    assert_hip(HC_HIP_NOT_READY, hip.hipEventElapsedTime(&ms, start, end));
    assert_ok(hip.hipEventSynchronize(end));
    assert_ok(hip.hipEventElapsedTime(&ms, start, end));
    assert_true(ms >= 190 && ms < 10000); /* 2 MiB at 10 MB/s: 210 ms */
    assert_ok(
        hip.hipEventCreateWithFlags(&untimed, HC_HIP_EVENT_DISABLE_TIMING));
    assert_ok(hip.hipEventRecord(untimed, s.stream));
    assert_ok(hip.hipEventSynchronize(untimed));
    assert_hip(HC_HIP_INVALID_HANDLE,
               hip.hipEventElapsedTime(&ms, start, untimed));
    assert_hip(HC_HIP_INVALID_VALUE, hip.hipEventCreateWithFlags(
                                         &untimed, HC_HIP_EVENT_INTERPROCESS));
    assert_ok(hip.hipEventDestroy(untimed));
    assert_ok(hip.hipEventDestroy(start));
    assert_ok(hip.hipEventDestroy(end));
    slow_destroy(&s);
}

struct order {
    atomic_int next;
    int        host, callback;
    void      *stream;
    int        status;
};

static void on_host(void *data)
{
    struct order *order = data;

    order->host = atomic_fetch_add(&order->next, 1);
}

static void on_callback(void *stream, int status, void *data)
{
    struct order *order = data;

    order->callback = atomic_fetch_add(&order->next, 1);
    order->stream = stream;
    order->status = status;
}

void callbacks_run_in_order(void **state)
{
    struct order order = {.host = -1, .callback = -1, .status = -1};
    struct slow  s = slow_create(0);

    (void)state;
    slow_start(&s);
    assert_ok(hip.hipLaunchHostFunc(s.stream, on_host, &order));
    assert_ok(hip.hipStreamAddCallback(s.stream, on_callback, &order, 0));
    assert_int_equal(atomic_load(&order.next), 0); /* behind the copy */
    assert_ok(hip.hipStreamSynchronize(s.stream));
    assert_int_equal(order.host, 0);
    assert_int_equal(order.callback, 1);
    assert_ptr_equal(order.stream, s.stream);
    assert_int_equal(order.status, HC_HIP_SUCCESS);
    slow_destroy(&s);
}

void bad_handles_are_errors(void **state)
{
    int   no_handle;
    void *stream;

    (void)state;
    assert_hip(HC_HIP_CONTEXT_DESTROYED, hip.hipStreamQuery(&no_handle));
    assert_hip(HC_HIP_INVALID_HANDLE, hip.hipStreamDestroy(NULL));
    assert_hip(HC_HIP_INVALID_HANDLE, hip.hipEventQuery(&no_handle));
    assert_hip(HC_HIP_INVALID_HANDLE, hip.hipEventRecord(NULL, NULL));
    assert_ok(hip.hipStreamCreate(&stream));
    assert_ok(hip.hipStreamDestroy(stream));
    assert_hip(HC_HIP_CONTEXT_DESTROYED, hip.hipStreamDestroy(stream));
    assert_ok(hip.hipStreamQuery(HC_HIP_STREAM_PER_THREAD));
}

/* ---------------------------------------------------------------- capture */

void capture_is_seen_and_ended(void **state)
{
    void *stream, *graph = NULL;
    int   status = -1;

    (void)state;
    assert_ok(hip.hipStreamCreate(&stream));
    assert_ok(hip.hipStreamIsCapturing(stream, &status));
    assert_int_equal(status, HC_HIP_CAPTURE_NONE);
    assert_hip(HC_HIP_CAPTURE_UNSUPPORTED,
               hip.hipStreamBeginCapture(NULL, HC_HIP_CAPTURE_GLOBAL));
    assert_ok(hip.hipStreamBeginCapture(stream, HC_HIP_CAPTURE_GLOBAL));
    assert_ok(hip.hipStreamIsCapturing(stream, &status));
    assert_int_equal(status, HC_HIP_CAPTURE_ACTIVE);
    assert_hip(HC_HIP_CAPTURE_IMPLICIT,
               hip.hipStreamIsCapturing(NULL, &status));
    assert_ok(hip.hipStreamEndCapture(stream, &graph));
    assert_non_null(graph);
    assert_ok(hip.hipGraphDestroy(graph));
    assert_ok(hip.hipStreamIsCapturing(NULL, &status));
    assert_ok(hip.hipStreamDestroy(stream));
}

void a_capture_forbids_unsafe_calls(void **state)
{
    void *stream, *ptr, *graph;
    int   status = -1;

    (void)state;
    assert_ok(hip.hipStreamCreate(&stream));
    assert_ok(hip.hipStreamBeginCapture(stream, HC_HIP_CAPTURE_GLOBAL));
    assert_hip(HC_HIP_CAPTURE_UNSUPPORTED, hip.hipMalloc(&ptr, 100));
    assert_ok(hip.hipStreamIsCapturing(stream, &status));
    assert_int_equal(status, HC_HIP_CAPTURE_IS_INVALIDATED);
    assert_hip(HC_HIP_CAPTURE_INVALIDATED,
               hip.hipStreamEndCapture(stream, &graph));
    assert_null(graph);
    assert_ok(hip.hipMalloc(&ptr, 100));
    assert_ok(hip.hipFree(ptr));
    assert_ok(hip.hipStreamDestroy(stream));
}

void relaxed_mode_allows_them(void **state)
{
    int   mode = HC_HIP_CAPTURE_RELAXED;
    void *stream, *ptr, *graph;

    (void)state;
    assert_ok(hip.hipStreamCreate(&stream));
    assert_ok(hip.hipStreamBeginCapture(stream, HC_HIP_CAPTURE_GLOBAL));
    assert_ok(hip.hipThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, HC_HIP_CAPTURE_GLOBAL);
    assert_ok(hip.hipMalloc(&ptr, 100));
    assert_ok(hip.hipThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, HC_HIP_CAPTURE_RELAXED);
    assert_ok(hip.hipStreamEndCapture(stream, &graph));
    assert_ok(hip.hipGraphDestroy(graph));
    assert_ok(hip.hipFree(ptr));
    assert_ok(hip.hipStreamDestroy(stream));
}

/* ---------------------------------------------------------------- threads */

#define THREADS 4

/* Returns NULL when every copy was exact. */
static void *copy_for_a_while(void *argument)
{
    unsigned      seed = (unsigned)(uintptr_t)argument;
    size_t        bytes = 10000 + seed;
    unsigned char from[10100], to[10100];
    void         *stream, *ptr;

    if (hip.hipSetDevice(seed % 2 ? 2 : 0) || hip.hipStreamCreate(&stream))
        return "no stream";
    pattern_fill(from, bytes, seed);
    for (int i = 0; i < 20; i++) {
        memset(to, 0, bytes);
        if (hip.hipMalloc(&ptr, bytes) ||
            hip.hipMemcpyAsync(ptr, from, bytes, TO_DEV, stream) ||
            hip.hipMemcpyAsync(to, ptr, bytes, TO_HOST, stream) ||
            hip.hipStreamSynchronize(stream) || hip.hipFree(ptr))
            return "a call failed";
        if (!pattern_is(to, bytes, seed))
            return "other bytes arrived";
    }
    return hip.hipStreamDestroy(stream) ? "no end" : NULL;
}

void threads_copy_at_once(void **state)
{
    pthread_t threads[THREADS];

    (void)state;
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, copy_for_a_while,
                                        (void *)(i + 1)),
                         0);
    for (size_t i = 0; i < THREADS; i++) {
        void *why = NULL;

        pthread_join(threads[i], &why);
        assert_null(why);
    }
}

/* Until HIP 6 the last error is the last call's result, success included; from
 * 7 on it is the last failure. */
void the_last_error_is_kept_as_the_major_does(void **state)
{
    int device, kept = HIP_MAJOR >= 7 ? HC_HIP_INVALID_DEVICE : HC_HIP_SUCCESS;

    (void)state;
    hip.hipGetLastError();
    assert_hip(HC_HIP_INVALID_DEVICE, hip.hipSetDevice(99));
    assert_hip(HC_HIP_INVALID_DEVICE, hip.hipPeekAtLastError());
    assert_ok(hip.hipGetDevice(&device));
    assert_hip(kept, hip.hipGetLastError());
    assert_ok(hip.hipGetLastError());
    assert_string_equal(hip.hipGetErrorName(1), "hipErrorInvalidValue");
    assert_string_equal(hip.hipGetErrorString(1), "invalid argument");
}
