/* The emulated Level Zero driver: lists, queues, events, fences. */

#include "test/unit/emulator_ze.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int append(void *list, void *dst, const void *src, size_t bytes,
                  void *signal, void *wait)
{
    return ze.zeCommandListAppendMemoryCopy(list, dst, src, bytes, signal,
                                            wait != NULL ? 1 : 0,
                                            wait != NULL ? &wait : NULL);
}

/* Pageable memory, too, is not read before its turn. */
void an_immediate_copy_returns_early(void **state)
{
    unsigned char *data = calloc(1, SLOW_BYTES), *back = malloc(SLOW_BYTES);
    void          *device, *go, *event;
    double         start;

    (void)state;
    assert_ok(alloc_device(SLOW_DEVICE, SLOW_BYTES, &device));
    assert_ok(new_event(&go));
    assert_ok(new_event(&event));
    assert_ok(
        append(bench.lists[SLOW_DEVICE], device, data, SLOW_BYTES, event, go));
    pattern_fill(data, SLOW_BYTES, 1);
    assert_ze(HC_ZE_NOT_READY, ze.zeEventQueryStatus(event));
    start = now_s();
    assert_ok(ze.zeEventHostSignal(go));
    assert_ok(ze.zeEventHostSynchronize(event, UINT64_MAX));
    assert_true(now_s() - start > 0.15);
    assert_ok(ze.zeEventQueryStatus(event));
    assert_ok(copy_on(SLOW_DEVICE, back, device, SLOW_BYTES));
    assert_true(pattern_is(back, SLOW_BYTES, 1));
    assert_ok(ze.zeEventDestroy(go));
    assert_ok(ze.zeEventDestroy(event));
    assert_ok(ze.zeMemFree(bench.context, device));
    free(data);
    free(back);
}

void a_synchronous_list_returns_late(void **state)
{
    unsigned char *data = calloc(1, SLOW_BYTES);
    void          *device, *list;
    double         start;

    (void)state;
    assert_ok(alloc_device(SLOW_DEVICE, SLOW_BYTES, &device));
    assert_ok(open_list(SLOW_DEVICE, 0, HC_ZE_QUEUE_SYNCHRONOUS, &list));
    start = now_s();
    assert_ok(append(list, device, data, SLOW_BYTES, NULL, NULL));
    assert_true(now_s() - start > 0.15);
    assert_ok(ze.zeCommandListDestroy(list));
    assert_ok(ze.zeMemFree(bench.context, device));
    free(data);
}

void a_list_waits_for_a_signal_that_comes_later(void **state)
{
    unsigned char data[100], back[100] = {0};
    void         *device, *go, *done;

    (void)state;
    pattern_fill(data, sizeof data, 2);
    assert_ok(alloc_device(0, sizeof data, &device));
    assert_ok(new_event(&go));
    assert_ok(new_event(&done));
    assert_ok(append(bench.lists[0], device, data, sizeof data, NULL, go));
    assert_ok(ze.zeCommandListAppendBarrier(bench.lists[0], NULL, 0, NULL));
    assert_ok(append(bench.lists[0], back, device, sizeof data, done, NULL));
    assert_ze(HC_ZE_NOT_READY, ze.zeEventHostSynchronize(done, 50 * MS));
    assert_ok(ze.zeEventHostSignal(go));
    assert_ok(ze.zeEventHostSynchronize(done, UINT64_MAX));
    assert_true(pattern_is(back, sizeof back, 2));
    assert_ok(ze.zeEventDestroy(go));
    assert_ok(ze.zeEventDestroy(done));
    assert_ok(ze.zeMemFree(bench.context, device));
}

/* The chain 0 -> 1 -> 2 is submitted from its end. */
void lists_of_two_devices_wait_for_each_other(void **state)
{
    unsigned char *data = malloc(SLOW_BYTES), *back = calloc(1, SLOW_BYTES);
    void          *one, *two, *first, *second, *last;

    (void)state;
    pattern_fill(data, SLOW_BYTES, 3);
    assert_ok(alloc_device(SLOW_DEVICE, SLOW_BYTES, &one));
    assert_ok(alloc_device(2, SLOW_BYTES, &two));
    assert_ok(new_event(&first));
    assert_ok(new_event(&second));
    assert_ok(new_event(&last));
    assert_ok(append(bench.lists[0], back, two, SLOW_BYTES, last, second));
    assert_ok(append(bench.lists[2], two, one, SLOW_BYTES, second, first));
    assert_ok(
        append(bench.lists[SLOW_DEVICE], one, data, SLOW_BYTES, first, NULL));
    assert_ok(ze.zeEventHostSynchronize(last, UINT64_MAX));
    assert_true(pattern_is(back, SLOW_BYTES, 3));
    assert_ok(ze.zeEventDestroy(first));
    assert_ok(ze.zeEventDestroy(second));
    assert_ok(ze.zeEventDestroy(last));
    assert_ok(ze.zeMemFree(bench.context, one));
    assert_ok(ze.zeMemFree(bench.context, two));
    free(data);
    free(back);
}

void waiting_ends_after_its_time(void **state)
{
    void  *event;
    double start = now_s(), took;

    (void)state;
    assert_ok(new_event(&event));
    assert_ze(HC_ZE_NOT_READY, ze.zeEventHostSynchronize(event, 0));
    assert_true(now_s() - start < 5);
    start = now_s();
    assert_ze(HC_ZE_NOT_READY, ze.zeEventHostSynchronize(event, 100 * MS));
    took = now_s() - start;
    assert_true(took > 0.09 && took < 5);
    assert_ok(ze.zeEventHostSignal(event));
    assert_ok(ze.zeEventHostSynchronize(event, 0));
    assert_ok(ze.zeEventDestroy(event));
}

void events_go_up_and_down_in_the_lists_order(void **state)
{
    void *list = bench.lists[0], *event, *go, *done;

    (void)state;
    assert_ok(new_event(&event));
    assert_ok(new_event(&go));
    assert_ok(new_event(&done));
    assert_ok(ze.zeCommandListAppendSignalEvent(list, event));
    assert_ok(ze.zeEventHostSynchronize(event, UINT64_MAX));
    assert_ok(ze.zeEventHostReset(event));
    assert_ze(HC_ZE_NOT_READY, ze.zeEventQueryStatus(event));

    /* It is up when the wait is submitted, and down when its turn comes. */
    assert_ok(ze.zeEventHostSignal(event));
    assert_ok(ze.zeCommandListAppendWaitOnEvents(list, 1, &go));
    assert_ok(ze.zeCommandListAppendEventReset(list, event));
    assert_ok(ze.zeCommandListAppendWaitOnEvents(list, 1, &event));
    assert_ok(ze.zeCommandListAppendBarrier(list, done, 0, NULL));
    assert_ok(ze.zeEventQueryStatus(event));
    assert_ok(ze.zeEventHostSignal(go));
    assert_ze(HC_ZE_NOT_READY, ze.zeEventHostSynchronize(done, 50 * MS));
    assert_ze(HC_ZE_NOT_READY, ze.zeEventQueryStatus(event));
    assert_ok(ze.zeEventHostSignal(event));
    assert_ok(ze.zeEventHostSynchronize(done, UINT64_MAX));
    assert_ok(ze.zeEventDestroy(event));
    assert_ok(ze.zeEventDestroy(go));
    assert_ok(ze.zeEventDestroy(done));
}

void an_event_may_be_destroyed_while_it_is_used(void **state)
{
    unsigned char *data = calloc(1, SLOW_BYTES);
    void          *device, *event, *done;

    (void)state;
    assert_ok(alloc_device(SLOW_DEVICE, SLOW_BYTES, &device));
    assert_ok(new_event(&event));
    assert_ok(new_event(&done));
    assert_ok(append(bench.lists[SLOW_DEVICE], device, data, SLOW_BYTES, event,
                     NULL));
    assert_ok(ze.zeCommandListAppendBarrier(bench.lists[0], done, 1, &event));
    assert_ok(ze.zeEventDestroy(event));
    assert_ok(ze.zeEventHostSynchronize(done, UINT64_MAX));
    assert_ze(HC_ZE_INVALID_ARGUMENT, ze.zeEventQueryStatus(event));
    assert_ok(ze.zeEventDestroy(done));
    assert_ok(ze.zeMemFree(bench.context, device));
    free(data);
}

enum { PASSED_BYTES = 100000 }; /* 10 ms on the slow link */

/* Bytes of one value go through the slow device's memory.  Returns the value
 * that comes back, or 99.  first: what the first copy signals, or NULL. */
static int pass_on(bool barrier, void *first, void *ptr, int value)
{
    static unsigned char data[PASSED_BYTES], back[PASSED_BYTES];
    void                *list = bench.lists[SLOW_DEVICE], *done;

    memset(data, value, sizeof data);
    if (new_event(&done) || append(list, ptr, data, sizeof data, first, NULL) ||
        (barrier && ze.zeCommandListAppendBarrier(list, NULL, 0, NULL)) ||
        append(list, back, ptr, sizeof back, NULL, NULL) ||
        ze.zeCommandListAppendBarrier(list, done, 0, NULL) ||
        ze.zeEventHostSynchronize(done, UINT64_MAX) || ze.zeEventDestroy(done))
        return 99;
    return back[sizeof back - 1];
}

/* Exit status: what came through without a barrier: 1 is what was there before,
 * 2 what was sent.  With a barrier it must be the latter. */
int role_overtake(void)
{
    void *ptr, *event;
    int   without;

    if (open_driver() || alloc_device(SLOW_DEVICE, PASSED_BYTES, &ptr) ||
        new_event(&event) || pass_on(true, NULL, ptr, 1) != 1)
        return 98;
    without = pass_on(false, NULL, ptr, 2);
    /* A copy that signals is not late, but the one after it may be. */
    if (pass_on(true, NULL, ptr, 3) != 3 || pass_on(true, event, ptr, 4) != 4)
        return 97;
    /* Late, and nothing comes after it. */
    return append(bench.lists[SLOW_DEVICE], ptr, &without, 1, NULL, NULL) ||
                   ze.zeCommandListDestroy(bench.lists[SLOW_DEVICE])
               ? 96
               : without;
}

void without_a_barrier_copies_overtake_when_asked_to(void **state)
{
    const char *const on[] = {"HCOMM_EMU_OVERTAKE=1", NULL};
    const char *const off[] = {"HCOMM_EMU_OVERTAKE=0", NULL};

    (void)state;
    assert_int_equal(role_run("overtake", NULL, on), 1);
    assert_int_equal(role_run("overtake", NULL, off), 2);
}

/* ------------------------------------------------- queues and their lists */

static void open_queue(int device, uint32_t group, void **queue, void **list)
{
    const struct hc_ze_queue_desc queue_desc = {.stype = HC_ZE_IS_QUEUE_DESC,
                                                .group = group};
    const struct emu_ze_list_desc list_desc = {.stype = EMU_ZE_IS_LIST_DESC,
                                               .group = group};

    assert_ok(ze.zeCommandQueueCreate(bench.context, bench.devices[device],
                                      &queue_desc, queue));
    assert_ok(ze.zeCommandListCreate(bench.context, bench.devices[device],
                                     &list_desc, list));
}

static int execute(void *queue, void *list, void *fence)
{
    return ze.zeCommandQueueExecuteCommandLists(queue, 1, &list, fence);
}

void a_closed_list_is_executed_again_and_again(void **state)
{
    unsigned char data[1000], back[1000];
    void         *queue, *list, *device;

    (void)state;
    open_queue(0, 1, &queue, &list);
    assert_ok(alloc_device(0, sizeof data, &device));
    assert_ok(append(list, device, data, sizeof data, NULL, NULL));
    assert_ok(ze.zeCommandListAppendBarrier(list, NULL, 0, NULL));
    assert_ok(append(list, back, device, sizeof data, NULL, NULL));
    assert_ok(ze.zeCommandListClose(list));
    for (unsigned seed = 1; seed < 4; seed++) {
        memset(back, 0, sizeof back);
        pattern_fill(data, sizeof data, seed);
        assert_ok(execute(queue, list, NULL));
        assert_ok(ze.zeCommandQueueSynchronize(queue, UINT64_MAX));
        assert_true(pattern_is(back, sizeof back, seed));
    }
    /* Emptied, it does nothing. */
    assert_ok(ze.zeCommandListReset(list));
    assert_ok(ze.zeCommandListClose(list));
    memset(back, 0, sizeof back);
    assert_ok(execute(queue, list, NULL));
    assert_ok(ze.zeCommandQueueSynchronize(queue, UINT64_MAX));
    assert_int_equal(back[1] | back[2], 0);
    assert_ok(ze.zeCommandListDestroy(list));
    assert_ok(ze.zeCommandQueueDestroy(queue));
    assert_ok(ze.zeMemFree(bench.context, device));
}

void a_list_that_is_not_ready_is_refused(void **state)
{
    void *queue, *list, *other, *other_list, *event;
    char  byte = 0;

    (void)state;
    open_queue(0, 0, &queue, &list);
    open_queue(0, 1, &other, &other_list);
    assert_ok(new_event(&event));
    assert_ze(HC_ZE_INVALID_ARGUMENT, execute(queue, list, NULL));
    assert_ok(ze.zeCommandListClose(list));
    assert_ze(HC_ZE_INVALID_ARGUMENT,
              append(list, &byte, &byte, 1, NULL, NULL));
    assert_ze(HC_ZE_INVALID_COMMAND_LIST, execute(other, list, NULL));
    assert_ze(HC_ZE_INVALID_COMMAND_LIST, execute(queue, bench.lists[0], NULL));
    assert_ze(HC_ZE_INVALID_SYNC_OBJECT, execute(queue, list, event));
    assert_ok(execute(queue, list, NULL));
    assert_ok(ze.zeEventDestroy(event));
    assert_ok(ze.zeCommandListDestroy(list));
    assert_ok(ze.zeCommandListDestroy(other_list));
    assert_ok(ze.zeCommandQueueDestroy(queue));
    assert_ok(ze.zeCommandQueueDestroy(other));
}

void a_fence_goes_up_after_its_lists(void **state)
{
    const struct emu_ze_fence_desc desc = {.stype = EMU_ZE_IS_FENCE_DESC};
    void                          *queue, *list, *fence, *go;

    (void)state;
    open_queue(0, 0, &queue, &list);
    assert_ok(ze.zeFenceCreate(queue, &desc, &fence));
    assert_ok(new_event(&go));
    assert_ok(ze.zeCommandListAppendWaitOnEvents(list, 1, &go));
    assert_ok(ze.zeCommandListClose(list));
    assert_ok(execute(queue, list, fence));
    assert_ze(HC_ZE_NOT_READY, ze.zeFenceQueryStatus(fence));
    assert_ze(HC_ZE_NOT_READY, ze.zeFenceHostSynchronize(fence, 10 * MS));
    assert_ze(HC_ZE_NOT_READY, ze.zeCommandQueueSynchronize(queue, 0));
    assert_ze(HC_ZE_NOT_READY, ze.zeCommandQueueSynchronize(queue, 10 * MS));
    assert_ok(ze.zeEventHostSignal(go));
    assert_ok(ze.zeFenceHostSynchronize(fence, UINT64_MAX));
    assert_ok(ze.zeFenceQueryStatus(fence));
    assert_ok(ze.zeCommandQueueSynchronize(queue, UINT64_MAX));
    assert_ok(ze.zeFenceReset(fence));
    assert_ze(HC_ZE_NOT_READY, ze.zeFenceQueryStatus(fence));
    assert_ok(ze.zeEventDestroy(go));
    assert_ok(ze.zeFenceDestroy(fence));
    assert_ok(ze.zeCommandListDestroy(list));
    assert_ok(ze.zeCommandQueueDestroy(queue));
}

/* ----------------------------------------------------------------- threads */

enum { THREADS = 4, ROUNDS = 20, THREAD_BYTES = 20000 };

static int copy_round(void *list, void *event, void *ptr, unsigned seed)
{
    unsigned char data[THREAD_BYTES], back[THREAD_BYTES];
    int           code;

    pattern_fill(data, sizeof data, seed);
    memset(back, 0, sizeof back);
    code = append(list, ptr, data, sizeof data, NULL, NULL);
    if (code == HC_ZE_SUCCESS)
        code = ze.zeCommandListAppendBarrier(list, NULL, 0, NULL);
    if (code == HC_ZE_SUCCESS)
        code = append(list, back, ptr, sizeof data, event, NULL);
    if (code == HC_ZE_SUCCESS)
        code = ze.zeEventHostSynchronize(event, UINT64_MAX);
    if (code == HC_ZE_SUCCESS)
        code = ze.zeEventHostReset(event);
    return code == HC_ZE_SUCCESS && pattern_is(back, sizeof back, seed) ? 0 : 1;
}

static void *copy_thread(void *argument)
{
    unsigned first = *(unsigned *)argument;
    void    *list, *event, *ptr;
    int      bad = 0;

    if (open_list(first % 2 ? 2 : 0, first / 2 % 2, HC_ZE_QUEUE_ASYNCHRONOUS,
                  &list) ||
        new_event(&event))
        return "failed";
    for (unsigned i = 0; i < ROUNDS && !bad; i++) {
        bad = alloc_device(0, THREAD_BYTES, &ptr) ||
              copy_round(list, event, ptr, first * 100 + i) ||
              ze.zeMemFree(bench.context, ptr);
    }
    if (ze.zeEventDestroy(event) || ze.zeCommandListDestroy(list))
        bad = 1;
    return bad ? "failed" : NULL;
}

void threads_copy_at_once(void **state)
{
    pthread_t threads[THREADS];
    unsigned  numbers[THREADS];
    void     *why;

    (void)state;
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(
            pthread_create(&threads[i], NULL, copy_thread, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], &why), 0);
        assert_null(why);
    }
}

void bad_handles_are_errors(void **state)
{
    const struct hc_ze_queue_desc none = {.stype = HC_ZE_IS_QUEUE_DESC,
                                          .group = 7};
    void                         *list, *event = &list;
    char                          byte = 0;

    (void)state;
    assert_ze(HC_ZE_INVALID_NULL_HANDLE, ze.zeEventQueryStatus(NULL));
    assert_ze(HC_ZE_INVALID_ARGUMENT, ze.zeEventQueryStatus(&list));
    assert_ze(HC_ZE_INVALID_ARGUMENT, ze.zeEventQueryStatus(bench.context));
    assert_ze(HC_ZE_INVALID_ARGUMENT, ze.zeCommandListClose(bench.pool));
    assert_ze(HC_ZE_INVALID_SYNC_OBJECT,
              append(bench.lists[0], &byte, &byte, 1, event, NULL));
    assert_ze(HC_ZE_INVALID_SYNC_OBJECT,
              append(bench.lists[0], &byte, &byte, 1, NULL, event));
    assert_ze(HC_ZE_INVALID_ARGUMENT,
              ze.zeCommandListCreateImmediate(bench.context, bench.devices[0],
                                              &none, &list));
    assert_ze(HC_ZE_INVALID_ARGUMENT,
              ze.zeCommandListCreateImmediate(bench.devices[0], bench.context,
                                              &none, &list));
}

/* Intel's driver lets it be, and programs do it. */
void an_immediate_list_may_be_closed_and_reset(void **state)
{
    char  from = 1, to = 0;
    void *done;

    (void)state;
    assert_ok(new_event(&done));
    assert_ok(ze.zeCommandListClose(bench.lists[0]));
    assert_ok(ze.zeCommandListReset(bench.lists[0]));
    assert_ok(append(bench.lists[0], &to, &from, 1, done, NULL));
    assert_ok(ze.zeEventHostSynchronize(done, UINT64_MAX));
    assert_int_equal(to, from);
    assert_ok(ze.zeEventDestroy(done));
}
