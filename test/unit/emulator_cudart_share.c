/*
 * The emulated CUDA runtime between processes and devices, and its launches.
 */

#include "test/unit/emulator_cudart.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHARED_BYTES 70000

static struct ipc_handle from_hex(const char *text)
{
    struct ipc_handle handle;

    role_unhex(text, handle.bytes);
    return handle;
}

/* Reads the pattern of seed 4, writes that of seed 5. */
int role_import(const char *argument)
{
    struct ipc_handle handle = from_hex(argument);
    unsigned char    *data = malloc(SHARED_BYTES);
    void             *one, *two;

    if (rt.cudaIpcOpenMemHandle(&one, handle, 1) ||
        rt.cudaIpcOpenMemHandle(&two, handle, 1) || one != two)
        return 1;
    if (rt.cudaMemcpy(data, one, SHARED_BYTES, TO_HOST) ||
        !pattern_is(data, SHARED_BYTES, 4))
        return 2;
    if (rt.cudaIpcCloseMemHandle(two))
        return 3;
    pattern_fill(data, SHARED_BYTES, 5);
    if (rt.cudaMemcpy(one, data, SHARED_BYTES, TO_DEVICE))
        return 4;
    if (rt.cudaIpcCloseMemHandle(one) ||
        rt.cudaIpcCloseMemHandle(one) != INVALID_VALUE)
        return 5;
    free(data);
    return 0;
}

void another_process_opens_a_handle(void **state)
{
    struct ipc_handle handle;
    unsigned char    *data = malloc(SHARED_BYTES);
    char              text[129];
    void             *ptr, *pool, *opened;

    (void)state;
    pattern_fill(data, SHARED_BYTES, 4);
    assert_ok(rt.cudaMalloc(&ptr, SHARED_BYTES));
    assert_ok(rt.cudaMemcpy(ptr, data, SHARED_BYTES, TO_DEVICE));
    assert_ok(rt.cudaIpcGetMemHandle(&handle, (char *)ptr + 100));
    role_hex(handle.bytes, text);
    assert_int_equal(role_run("import", text, NULL), 0);
    assert_ok(rt.cudaMemcpy(data, ptr, SHARED_BYTES, TO_HOST));
    assert_true(pattern_is(data, SHARED_BYTES, 5));
    assert_rt(OWN_HANDLE, rt.cudaIpcOpenMemHandle(&opened, handle, 1));
    assert_ok(rt.cudaMallocAsync(&pool, 100, NULL));
    assert_rt(INVALID_VALUE, rt.cudaIpcGetMemHandle(&handle, pool));
    assert_ok(rt.cudaFreeAsync(pool, NULL));
    assert_ok(rt.cudaFree(ptr));
    free(data);
}

int role_event(const char *argument)
{
    void *event;

    if (rt.cudaIpcOpenEventHandle(&event, from_hex(argument)))
        return 1;
    if (rt.cudaEventQuery(event) != NOT_READY)
        return 2;
    if (rt.cudaEventSynchronize(event) || rt.cudaEventQuery(event))
        return 3;
    return rt.cudaEventDestroy(event) ? 4 : 0;
}

void another_process_waits_for_an_event(void **state)
{
    struct ipc_handle handle;
    char              text[129];
    void             *device, *host, *event;

    (void)state;
    assert_ok(rt.cudaSetDevice(SLOW_DEVICE));
    assert_ok(rt.cudaMalloc(&device, 8 * SLOW_BYTES));
    assert_ok(rt.cudaMallocHost(&host, 8 * SLOW_BYTES));
    assert_ok(rt.cudaEventCreateWithFlags(&event, 2 | 4));
    assert_ok(rt.cudaIpcGetEventHandle(&handle, event));
    assert_ok(
        rt.cudaMemcpyAsync(device, host, 8 * SLOW_BYTES, TO_DEVICE, NULL));
    assert_ok(rt.cudaEventRecord(event, NULL));
    role_hex(handle.bytes, text);
    assert_int_equal(role_run("event", text, NULL), 0);
    assert_ok(rt.cudaEventQuery(event));
    assert_ok(rt.cudaEventDestroy(event));
    assert_ok(rt.cudaFree(device));
    assert_ok(rt.cudaFreeHost(host));
    assert_ok(rt.cudaSetDevice(0));
}

/* Which devices have a primary context, as bits; -1: the driver fails. */
static int active_devices(void)
{
    int bits = 0;

    for (int i = 0; i < 3; i++) {
        unsigned flags;
        int      active;

        if (rt.cuDevicePrimaryCtxGetState(i, &flags, &active))
            return -1;
        bits |= active << i;
    }
    return bits;
}

/* cudaSetDevice makes the context from CUDA 12 on; before, the next call. */
int role_lazy(void)
{
    int   count, device, code;
    void *ptr;

    if (rt.cudaGetDeviceCount(&count) || active_devices() != 0)
        return 1;
    if (rt.cudaSetDevice(1) || active_devices() != (CUDART_MAJOR >= 12 ? 2 : 0))
        return 2;
    if (rt.cudaGetDevice(&device) || device != 1)
        return 3;
    if (rt.cudaMalloc(&ptr, 100) || active_devices() != 2)
        return 4;
    code = rt.cudaSetDevice(0);
    if (code || rt.cudaFree(NULL) || active_devices() != 3)
        return 5;
    return rt.cudaFree(ptr) ? 6 : 0;
}

/* A thread's own device, and contexts that all make at once. */
static void *first_call(void *argument)
{
    int   device = (int)(intptr_t)argument % 3, is = -1;
    void *ptr;

    return rt.cudaSetDevice(device) || rt.cudaMalloc(&ptr, KB) ||
                   rt.cudaMemset(ptr, 1, KB) || rt.cudaFree(ptr) ||
                   rt.cudaGetDevice(&is) || is != device
               ? "failed"
               : NULL;
}

/* Nobody has called CUDA before these threads do. */
int role_start(void)
{
    pthread_t threads[8];
    void     *why;
    int       failures = 0;

    for (int i = 0; i < 8; i++) {
        if (pthread_create(&threads[i], NULL, first_call, (void *)(intptr_t)i))
            return 99;
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], &why);
        failures += why != NULL;
    }
    return failures;
}

void threads_may_all_be_first(void **state)
{
    (void)state;
    assert_int_equal(role_run("start", NULL, NULL), 0);
}

void contexts_are_made_when_the_version_makes_them(void **state)
{
    (void)state;
    assert_int_equal(role_run("lazy", NULL, NULL), 0);
}

void devices_copy_between_each_other(void **state)
{
    unsigned char data[1000], back[1000];
    void         *one, *two;
    int           can = 0;

    (void)state;
    pattern_fill(data, sizeof(data), 6);
    assert_ok(rt.cudaDeviceCanAccessPeer(&can, 0, 2));
    assert_int_equal(can, 1);
    assert_ok(rt.cudaDeviceEnablePeerAccess(2, 0));
    assert_rt(PEER_ALREADY_ENABLED, rt.cudaDeviceEnablePeerAccess(2, 0));
    assert_ok(rt.cudaMalloc(&one, 1000));
    assert_ok(rt.cudaSetDevice(2));
    assert_ok(rt.cudaMalloc(&two, 1000));
    assert_ok(rt.cudaMemcpy(one, data, 1000, TO_DEVICE));
    assert_ok(rt.cudaMemcpyPeer(two, 2, one, 0, 1000));
    assert_ok(rt.cudaMemcpy(back, two, 1000, TO_HOST));
    assert_true(pattern_is(back, 1000, 6));
    assert_rt(INVALID_DEVICE, rt.cudaMemcpyPeer(two, 7, one, 0, 1000));
    assert_ok(rt.cudaFree(one));
    assert_ok(rt.cudaFree(two));
    assert_ok(rt.cudaSetDevice(0));
}

void a_reset_device_is_usable_again(void **state)
{
    void *ptr;

    (void)state;
    assert_ok(rt.cudaSetDevice(2));
    assert_ok(rt.cudaMalloc(&ptr, 100));
    assert_ok(rt.cudaDeviceReset());
    assert_rt(INVALID_VALUE, rt.cudaFree(ptr)); /* it went with the context */
    assert_ok(rt.cudaMalloc(&ptr, 100));
    assert_ok(rt.cudaMemset(ptr, 0, 100));
    assert_ok(rt.cudaFree(ptr));
    assert_ok(rt.cudaSetDevice(0));
}

void a_forked_child_is_not_initialised(void **state)
{
    int   status = 0, count;
    void *ptr;
    pid_t pid;

    (void)state;
    assert_ok(rt.cudaGetDeviceCount(&count));
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        bool all = rt.cudaGetDeviceCount(&count) == NOT_INITIALIZED &&
                   rt.cudaMalloc(&ptr, 100) == NOT_INITIALIZED &&
                   rt.cudaSetDevice(0) == NOT_INITIALIZED;
        _exit(all ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

void without_devices_there_is_no_device(void **state)
{
    const char *const unset[] = {"HCOMM_EMULATE", NULL};
    const char *const hidden[] = {"CUDA_VISIBLE_DEVICES=", NULL};
    const char *const two[] = {"CUDA_VISIBLE_DEVICES=2,0", NULL};

    (void)state;
    assert_int_equal(role_run("count", NULL, unset), NO_DEVICE);
    assert_int_equal(role_run("count", NULL, hidden), NO_DEVICE);
    assert_int_equal(role_run("count", NULL, two), 202);
}

void kernels_are_refused(void **state)
{
    struct dim3 one = {1, 1, 1};

    (void)state;
    assert_rt(NOT_SUPPORTED,
              rt.cudaLaunchKernel("no stub", one, one, NULL, 0, NULL));
    assert_rt(NOT_SUPPORTED, rt.cudaGetLastError());
    assert_rt(NOT_SUPPORTED, rt.cudaMallocArray());
}

void launch_configurations_nest(void **state)
{
    struct dim3 first = {1, 2, 3}, second = {4, 5, 6}, grid, block;
    size_t      bytes;
    void       *stream;

    (void)state;
    rt.cudaGetLastError();
    assert_int_equal(rt.__cudaPushCallConfiguration(first, second, 7, &grid),
                     0);
    assert_int_equal(rt.__cudaPushCallConfiguration(second, first, 8, NULL), 0);
    assert_ok(rt.__cudaPopCallConfiguration(&grid, &block, &bytes, &stream));
    assert_int_equal(grid.x, 4);
    assert_int_equal(bytes, 8);
    assert_null(stream);
    assert_ok(rt.__cudaPopCallConfiguration(&grid, &block, &bytes, &stream));
    assert_memory_equal(&grid, &first, sizeof(first));
    assert_memory_equal(&block, &second, sizeof(second));
    assert_ptr_equal(stream, &grid);
    assert_rt(MISSING_CONFIGURATION,
              rt.__cudaPopCallConfiguration(&grid, &block, &bytes, &stream));
}
