#include "test/unit/emulator_cuda.h"

#include <pthread.h>

/* What may be called while a stream is captured.  A forbidden call also
 * invalidates the capture, which its end then tells. */

static struct hc_cu_context *context;
static struct hc_cu_stream  *captured; /* blocking in some scenes */
static struct hc_cu_stream  *other;
static struct hc_cu_event   *event;
static hc_cu_ptr             memory;
static char                  host[4096];
static void                 *pinned;

static void prepare(unsigned captured_flags)
{
    context = open_device();
    OK(cuStreamCreate(&captured, captured_flags));
    OK(cuStreamCreate(&other, HC_CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, HC_CU_EVENT_DISABLE_TIMING));
    OK(cuEventRecord(event, other));
    OK(cuMemAlloc_v2(&memory, sizeof host));
    OK(cuMemHostAlloc(&pinned, sizeof host, 0));
    OK(cuCtxSynchronize());
}

static void begin(unsigned mode)
{
    OK(cuStreamBeginCapture_v2(captured, mode));
}

static unsigned status_of(struct hc_cu_stream *stream)
{
    unsigned status;

    OK(cuStreamIsCapturing(stream, &status));
    return status;
}

/* The capture ends with this code. */
static void end(int expected)
{
    struct hc_cu_graph *graph = NULL;

    CHECK(status_of(captured) == (expected == HC_CU_CAPTURE_INVALIDATED
                                      ? HC_CU_CAPTURE_STATUS_INVALIDATED
                                      : HC_CU_CAPTURE_STATUS_ACTIVE));
    EXPECT(expected, cuStreamEndCapture(captured, &graph));
    CHECK((graph != NULL) == (expected == HC_CU_SUCCESS));
    if (graph != NULL)
        OK(cuGraphDestroy(graph));
    CHECK(status_of(captured) == HC_CU_CAPTURE_STATUS_NONE);
    OK(cuStreamSynchronize(captured));
}

/* During a capture in this mode the call gives the code. */
#define DURING(mode, code, call)                                  \
    do {                                                          \
        begin(mode);                                              \
        EXPECT(code, call);                                       \
        end((code) == HC_CU_SUCCESS ? HC_CU_SUCCESS               \
                                    : HC_CU_CAPTURE_INVALIDATED); \
    } while (0)

static void call_unsafe_functions(void)
{
    hc_cu_ptr p;
    void     *h;
    int       unsafe;

    prepare(HC_CU_STREAM_NON_BLOCKING);
    for (unsigned mode = 0; mode < 3; mode++) {
        unsafe = mode == HC_CU_CAPTURE_RELAXED ? HC_CU_SUCCESS
                                               : HC_CU_CAPTURE_UNSUPPORTED;
        DURING(mode, unsafe, cuMemAlloc_v2(&p, 64));
        DURING(mode, unsafe, cuMemAllocAsync(&p, 64, other));
        DURING(mode, unsafe, cuMemHostAlloc(&h, 64, 0));
        DURING(mode, unsafe, cuMemHostRegister_v2(host, sizeof host, 0));
        if (unsafe == HC_CU_SUCCESS)
            DURING(mode, unsafe, cuMemHostUnregister(host));
        DURING(mode, unsafe, cuStreamSynchronize(other));
        DURING(mode, unsafe, cuStreamQuery(other));
        DURING(mode, unsafe, cuStreamQuery(NULL));
        DURING(mode, unsafe, cuEventQuery(event));
        DURING(mode, unsafe, cuEventSynchronize(event));
        /* In every mode: the captured stream, and all of the context. */
        DURING(mode, HC_CU_CAPTURE_UNSUPPORTED, cuStreamQuery(captured));
        DURING(mode, HC_CU_CAPTURE_UNSUPPORTED, cuStreamSynchronize(captured));
        DURING(mode, HC_CU_CAPTURE_UNSUPPORTED, cuCtxSynchronize());
    }
}

static void unsafe_calls_break_a_capture(void **state)
{
    (void)state;
    run_scene(call_unsafe_functions, NULL);
}

static void call_safe_functions(void)
{
    struct hc_cu_stream        *stream;
    struct hc_cu_event         *new_event;
    struct hc_cu_ipc_mem_handle handle;
    unsigned                    type;

    prepare(HC_CU_STREAM_NON_BLOCKING);
    DURING(0, 0, cuMemcpyHtoDAsync_v2(memory, pinned, 64, captured));
    DURING(0, 0, cuMemcpyHtoDAsync_v2(memory, pinned, 64, other));
    DURING(0, 0, cuMemcpyHtoD_v2(memory, host, 64));
    DURING(0, 0, cuEventRecord(event, other));
    DURING(0, 0, cuEventRecord(event, NULL));
    DURING(0, 0, cuStreamCreate(&stream, 1));
    DURING(0, 0, cuEventCreate(&new_event, 2));
    DURING(0, 0, cuPointerGetAttribute(&type, 2, memory));
    DURING(0, 0, cuIpcGetMemHandle(&handle, memory));
    /* Captured work is not done. */
    memset(pinned, 1, 64);
    OK(cuMemcpyHtoD_v2(memory, pinned, 64));
    memset(pinned, 2, 64);
    DURING(0, 0, cuMemcpyHtoDAsync_v2(memory, pinned, 64, captured));
    OK(cuMemcpyDtoH_v2(host, memory, 64));
    CHECK(host[0] == 1);
}

static void safe_calls_leave_a_capture_alone(void **state)
{
    (void)state;
    run_scene(call_safe_functions, NULL);
}

static void use_the_legacy_stream(void)
{
    unsigned status;

    prepare(0);
    for (unsigned mode = 0; mode < 3; mode++) {
        DURING(mode, HC_CU_CAPTURE_IMPLICIT, cuEventRecord(event, NULL));
        DURING(mode, HC_CU_CAPTURE_IMPLICIT,
               cuMemcpyHtoDAsync_v2(memory, pinned, 64, NULL));
        DURING(mode, HC_CU_CAPTURE_IMPLICIT, cuMemcpyHtoD_v2(memory, host, 64));
        DURING(mode, HC_CU_CAPTURE_IMPLICIT, cuMemsetD8_v2(memory, 1, 64));
        DURING(mode, HC_CU_CAPTURE_IMPLICIT, cuStreamQuery(NULL));
        DURING(mode, HC_CU_CAPTURE_IMPLICIT, cuStreamSynchronize(NULL));
    }
    begin(0);
    EXPECT(HC_CU_CAPTURE_IMPLICIT, cuStreamIsCapturing(NULL, &status));
    end(HC_CU_SUCCESS); /* to ask breaks nothing */
    DURING(0, HC_CU_CAPTURE_IMPLICIT, cuStreamBeginCapture_v2(NULL, 0));
    EXPECT(HC_CU_CAPTURE_UNSUPPORTED, cuStreamBeginCapture_v2(NULL, 0));
}

static void the_legacy_stream_breaks_the_capture_of_a_blocking_one(void **state)
{
    (void)state;
    run_scene(use_the_legacy_stream, NULL);
}

static void exchange_modes(void)
{
    unsigned  mode = HC_CU_CAPTURE_RELAXED;
    hc_cu_ptr p;

    prepare(HC_CU_STREAM_NON_BLOCKING);
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == HC_CU_CAPTURE_GLOBAL);
    DURING(0, 0, cuMemAlloc_v2(&p, 64));
    DURING(0, 0, cuEventQuery(event));
    DURING(0, 0, cuStreamQuery(other));
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == HC_CU_CAPTURE_RELAXED);
    DURING(0, HC_CU_CAPTURE_UNSUPPORTED, cuMemAlloc_v2(&p, 64));
}

static void relaxed_mode_permits_unsafe_calls(void **state)
{
    (void)state;
    run_scene(exchange_modes, NULL);
}

static void join_streams(void)
{
    struct hc_cu_graph *graph;

    prepare(HC_CU_STREAM_NON_BLOCKING);
    /* Fork and join. */
    begin(0);
    OK(cuEventRecord(event, captured));
    OK(cuStreamWaitEvent(other, event, 0));
    CHECK(status_of(other) == HC_CU_CAPTURE_STATUS_ACTIVE);
    OK(cuMemcpyHtoDAsync_v2(memory, pinned, 64, other));
    OK(cuEventRecord(event, other));
    OK(cuStreamWaitEvent(captured, event, 0));
    end(HC_CU_SUCCESS);
    CHECK(status_of(other) == HC_CU_CAPTURE_STATUS_NONE);
    EXPECT(HC_CU_INVALID_VALUE, cuEventQuery(event)); /* until recorded */
    OK(cuEventRecord(event, other));
    OK(cuEventSynchronize(event));
    /* Fork alone. */
    begin(0);
    OK(cuEventRecord(event, captured));
    OK(cuStreamWaitEvent(other, event, 0));
    OK(cuMemcpyHtoDAsync_v2(memory, pinned, 64, other));
    EXPECT(HC_CU_CAPTURE_UNJOINED, cuStreamEndCapture(captured, &graph));
    /* The wrong stream. */
    begin(0);
    OK(cuEventRecord(event, captured));
    OK(cuStreamWaitEvent(other, event, 0));
    EXPECT(HC_CU_CAPTURE_UNMATCHED, cuStreamEndCapture(other, &graph));
    end(HC_CU_CAPTURE_INVALIDATED);
    /* A captured event may not be looked at. */
    begin(0);
    OK(cuEventRecord(event, captured));
    EXPECT(HC_CU_CAPTURED_EVENT, cuEventQuery(event));
    end(HC_CU_CAPTURE_INVALIDATED);
    /* Nor may a capture depend on work outside it. */
    OK(cuEventRecord(event, other));
    DURING(0, HC_CU_CAPTURE_ISOLATION, cuStreamWaitEvent(captured, event, 0));
    /* Two captures don't merge. */
    begin(0);
    OK(cuEventRecord(event, captured));
    OK(cuStreamBeginCapture_v2(other, 0));
    EXPECT(HC_CU_CAPTURE_MERGE, cuStreamWaitEvent(other, event, 0));
    EXPECT(HC_CU_CAPTURE_INVALIDATED, cuStreamEndCapture(other, &graph));
    end(HC_CU_CAPTURE_INVALIDATED);
    EXPECT(HC_CU_ILLEGAL_STATE, cuStreamEndCapture(captured, &graph));
}

static void streams_join_a_capture_by_events(void **state)
{
    (void)state;
    run_scene(join_streams, NULL);
}

struct elsewhere {
    int alloc, end;
};

static void *act_elsewhere(void *argument)
{
    struct elsewhere   *results = argument;
    struct hc_cu_graph *graph = NULL;
    hc_cu_ptr           p;

    OK(cuCtxSetCurrent(context));
    results->alloc = cuMemAlloc_v2(&p, 64);
    results->end = cuStreamEndCapture(captured, &graph);
    if (graph != NULL)
        OK(cuGraphDestroy(graph));
    return NULL;
}

static struct elsewhere in_another_thread(unsigned mode)
{
    struct elsewhere    results;
    struct hc_cu_graph *graph;
    pthread_t           thread;

    begin(mode);
    CHECK(pthread_create(&thread, NULL, act_elsewhere, &results) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    EXPECT(HC_CU_ILLEGAL_STATE, cuStreamEndCapture(captured, &graph));
    return results;
}

static void use_two_threads(void)
{
    struct elsewhere results;

    prepare(HC_CU_STREAM_NON_BLOCKING);
    results = in_another_thread(HC_CU_CAPTURE_GLOBAL);
    CHECK(results.alloc == HC_CU_CAPTURE_UNSUPPORTED);
    CHECK(results.end == HC_CU_CAPTURE_INVALIDATED);
    results = in_another_thread(HC_CU_CAPTURE_THREAD_LOCAL);
    CHECK(results.alloc == HC_CU_SUCCESS);
    CHECK(results.end == HC_CU_CAPTURE_WRONG_THREAD);
    results = in_another_thread(HC_CU_CAPTURE_RELAXED);
    CHECK(results.alloc == HC_CU_SUCCESS && results.end == HC_CU_SUCCESS);
}

static void the_mode_says_which_threads_are_bound(void **state)
{
    (void)state;
    run_scene(use_two_threads, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsafe_calls_break_a_capture),
        cmocka_unit_test(safe_calls_leave_a_capture_alone),
        cmocka_unit_test(
            the_legacy_stream_breaks_the_capture_of_a_blocking_one),
        cmocka_unit_test(relaxed_mode_permits_unsafe_calls),
        cmocka_unit_test(streams_join_a_capture_by_events),
        cmocka_unit_test(the_mode_says_which_threads_are_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
