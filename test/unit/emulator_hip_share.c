/*
 * The emulated HIP runtime between processes, and the environment.
 */

#include "test/unit/emulator_hip.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHARED_BYTES 70000

static unsigned lazy_peer(void)
{
    return hc_hip_ipc_lazy_peer(HIP_MAJOR);
}

static struct hc_hip_ipc_handle from_hex(const char *text)
{
    struct hc_hip_ipc_handle handle;

    role_unhex(text, handle.bytes);
    return handle;
}

/* The importer: reads the pattern of seed 4 and writes that of seed 5; the
 * second open gives the same address, and the last close ends it. */
int role_import(const char *argument)
{
    struct hc_hip_ipc_handle handle = from_hex(argument);
    unsigned char           *data = malloc(SHARED_BYTES);
    void                    *one, *two;
    size_t                   bytes;
    void                    *base;

    if (hip.hipIpcOpenMemHandle(&one, handle, lazy_peer() ^ 1u) !=
        HC_HIP_INVALID_VALUE)
        return 1;
    if (hip.hipIpcOpenMemHandle(&one, handle, lazy_peer()) ||
        hip.hipIpcOpenMemHandle(&two, handle, lazy_peer()) || one != two)
        return 2;
    if (hip.hipMemGetAddressRange(&base, &bytes, (char *)one + 5) ||
        base != one || bytes != SHARED_BYTES)
        return 3;
    if (hip.hipMemcpy(data, one, SHARED_BYTES, HC_HIP_COPY_DEV_HOST) ||
        !pattern_is(data, SHARED_BYTES, 4))
        return 4;
    if (hip.hipIpcCloseMemHandle(two))
        return 5;
    pattern_fill(data, SHARED_BYTES, 5);
    if (hip.hipMemcpy(one, data, SHARED_BYTES, HC_HIP_COPY_HOST_DEV))
        return 6;
    if (hip.hipIpcCloseMemHandle(one) ||
        hip.hipIpcCloseMemHandle(one) != HC_HIP_INVALID_VALUE)
        return 7;
    free(data);
    return 0;
}

void another_process_opens_a_handle(void **state)
{
    unsigned char *data = malloc(SHARED_BYTES);
    void          *ptr;

    (void)state;
    assert_ok(hip.hipMalloc(&ptr, SHARED_BYTES));
    /* Wherever the address points, the handle is of the whole allocation. */
    for (size_t offset = 0; offset <= 1000; offset += 1000) {
        struct hc_hip_ipc_handle handle;
        char                     text[129];

        pattern_fill(data, SHARED_BYTES, 4);
        assert_ok(hip.hipMemcpy(ptr, data, SHARED_BYTES, HC_HIP_COPY_HOST_DEV));
        assert_ok(hip.hipIpcGetMemHandle(&handle, (char *)ptr + offset));
        role_hex(handle.bytes, text);
        assert_int_equal(role_run("import", text, NULL), 0);
        assert_ok(hip.hipMemcpy(data, ptr, SHARED_BYTES, HC_HIP_COPY_DEV_HOST));
        assert_true(pattern_is(data, SHARED_BYTES, 5));
    }
    assert_ok(hip.hipFree(ptr));
    free(data);
}

/* Exit status: the code of opening. */
int role_open(const char *argument)
{
    void *ptr;

    return hip.hipIpcOpenMemHandle(&ptr, from_hex(argument), lazy_peer());
}

void a_handle_of_freed_memory_is_refused(void **state)
{
    struct hc_hip_ipc_handle handle;
    char                     text[129];
    void                    *ptr;

    (void)state;
    assert_ok(hip.hipMalloc(&ptr, 100));
    assert_ok(hip.hipIpcGetMemHandle(&handle, ptr));
    role_hex(handle.bytes, text);
    assert_int_equal(role_run("open", text, NULL), 0);
    assert_ok(hip.hipFree(ptr));
    assert_int_equal(role_run("open", text, NULL),
                     HC_HIP_INVALID_DEVICE_POINTER);
}

void ones_own_handle_is_refused(void **state)
{
    struct hc_hip_ipc_handle handle;
    void                    *ptr, *opened;

    (void)state;
    assert_ok(hip.hipMalloc(&ptr, 100));
    assert_ok(hip.hipIpcGetMemHandle(&handle, ptr));
    assert_hip(HC_HIP_INVALID_CONTEXT,
               hip.hipIpcOpenMemHandle(&opened, handle, lazy_peer()));
    assert_hip(HC_HIP_INVALID_VALUE, hip.hipIpcCloseMemHandle(ptr));
    assert_ok(hip.hipFree(ptr));
}

void pool_managed_and_host_memory_have_no_handle(void **state)
{
    struct hc_hip_ipc_handle handle;
    void                    *pool, *managed, *pinned;
    int                      mine;

    (void)state;
    assert_ok(hip.hipMallocAsync(&pool, 100, NULL));
    assert_ok(hip.hipMallocManaged(&managed, 100, 1));
    assert_ok(hip.hipHostMalloc(&pinned, 100, 0));
    assert_hip(HC_HIP_INVALID_VALUE, hip.hipIpcGetMemHandle(&handle, pool));
    assert_hip(HC_HIP_INVALID_VALUE, hip.hipIpcGetMemHandle(&handle, managed));
    assert_hip(HC_HIP_INVALID_VALUE, hip.hipIpcGetMemHandle(&handle, pinned));
    assert_hip(HC_HIP_INVALID_VALUE, hip.hipIpcGetMemHandle(&handle, &mine));
    assert_ok(hip.hipFree(pool));
    assert_ok(hip.hipFree(managed));
    assert_ok(hip.hipHostFree(pinned));
}

#define POOL_FD 77 /* inherited by the other process under this number */

/* Reads the pattern of seed 7 from the pool's allocation that data names. */
int role_pool(const char *argument)
{
    unsigned char data[64], back[1000];
    void         *pool, *ptr;

    role_unhex(argument, (char *)data);
    if (hip.hipMemPoolImportFromShareableHandle(&pool, (void *)POOL_FD, 1, 0) ||
        hip.hipMemPoolImportPointer(&ptr, pool, data))
        return 1;
    if (hip.hipMemcpy(back, ptr, 1000, HC_HIP_COPY_DEV_HOST) ||
        !pattern_is(back, 1000, 7))
        return 2;
    if (hip.hipFreeAsync(ptr, NULL) || hip.hipStreamSynchronize(NULL))
        return 3;
    return hip.hipMemPoolDestroy(pool) ? 4 : 0;
}

void another_process_imports_a_pool(void **state)
{
    /* hipMemPoolProps: pinned, exportable as descriptor, on device 0 */
    const int     props[22] = {1, 1, 1, 0};
    unsigned char data[64], bytes[1000];
    char          text[129];
    void         *pool, *ptr, *plain;
    int           fd = -1;

    (void)state;
    pattern_fill(bytes, sizeof(bytes), 7);
    assert_ok(hip.hipDeviceGetDefaultMemPool(&plain, 0));
    assert_true(hip.hipMemPoolExportToShareableHandle(&fd, plain, 1, 0));
    assert_ok(hip.hipMemPoolCreate(&pool, props));
    assert_ok(hip.hipMallocFromPoolAsync(&ptr, 1000, pool, NULL));
    assert_ok(hip.hipMemcpy(ptr, bytes, 1000, HC_HIP_COPY_HOST_DEV));
    assert_ok(hip.hipMemPoolExportToShareableHandle(&fd, pool, 1, 0));
    assert_ok(hip.hipMemPoolExportPointer(data, ptr));
    assert_int_equal(dup2(fd, POOL_FD), POOL_FD);
    role_hex((const char *)data, text);
    assert_int_equal(role_run("pool", text, NULL), 0);
    close(POOL_FD);
    close(fd);
    assert_ok(hip.hipFreeAsync(ptr, NULL));
    assert_ok(hip.hipStreamSynchronize(NULL));
    assert_ok(hip.hipMemPoolDestroy(pool));
}

/* Waits for the other process's event; 0 when it came after some time. */
int role_event(const char *argument)
{
    void *event;

    if (hip.hipIpcOpenEventHandle(&event, from_hex(argument)))
        return 1;
    if (hip.hipEventQuery(event) != HC_HIP_NOT_READY)
        return 2;
    if (hip.hipStreamWaitEvent(NULL, event, 0) ||
        hip.hipStreamSynchronize(NULL))
        return 3;
    if (hip.hipEventQuery(event))
        return 4;
    return hip.hipEventDestroy(event) ? 5 : 0;
}

void another_process_waits_for_an_event(void **state)
{
    struct hc_hip_ipc_handle handle;
    char                     text[129];
    void                    *device, *host, *stream, *event, *plain;

    (void)state;
    assert_ok(hip.hipSetDevice(SLOW_DEVICE));
    assert_ok(hip.hipMalloc(&device, 8 * SLOW_BYTES));
    assert_ok(hip.hipHostMalloc(&host, 8 * SLOW_BYTES, 0));
    assert_ok(hip.hipStreamCreate(&stream));
    assert_ok(hip.hipEventCreateWithFlags(
        &event, HC_HIP_EVENT_INTERPROCESS | HC_HIP_EVENT_DISABLE_TIMING));
    assert_ok(hip.hipEventCreateWithFlags(&plain, 0));
    assert_hip(HC_HIP_INVALID_CONFIGURATION,
               hip.hipIpcGetEventHandle(&handle, plain));
    assert_ok(hip.hipIpcGetEventHandle(&handle, event));
    assert_ok(hip.hipMemcpyAsync(device, host, 8 * SLOW_BYTES,
                                 HC_HIP_COPY_HOST_DEV, stream));
    assert_ok(hip.hipEventRecord(event, stream));
    role_hex(handle.bytes, text);
    assert_int_equal(role_run("event", text, NULL), 0);
    assert_ok(hip.hipEventQuery(event));
    assert_ok(hip.hipEventDestroy(event));
    assert_ok(hip.hipEventDestroy(plain));
    assert_ok(hip.hipStreamDestroy(stream));
    assert_ok(hip.hipFree(device));
    assert_ok(hip.hipHostFree(host));
    assert_ok(hip.hipSetDevice(0));
}

void peer_access_is_counted(void **state)
{
    unsigned char data[1000], back[1000];
    void         *one, *two;
    int           can = -1;

    (void)state;
    assert_ok(hip.hipDeviceCanAccessPeer(&can, 0, 2));
    assert_int_equal(can, 1);
    assert_ok(hip.hipDeviceCanAccessPeer(&can, 0, 0));
    assert_int_equal(can, 0);
    assert_hip(HC_HIP_PEER_NOT_ENABLED, hip.hipDeviceDisablePeerAccess(2));
    assert_ok(hip.hipDeviceEnablePeerAccess(2, 0));
    assert_hip(HC_HIP_PEER_ALREADY_ENABLED,
               hip.hipDeviceEnablePeerAccess(2, 0));
    assert_hip(HC_HIP_INVALID_DEVICE, hip.hipDeviceEnablePeerAccess(0, 0));
    assert_ok(hip.hipDeviceDisablePeerAccess(2));

    pattern_fill(data, sizeof(data), 6);
    assert_ok(hip.hipMalloc(&one, 1000));
    assert_ok(hip.hipSetDevice(2));
    assert_ok(hip.hipMalloc(&two, 1000));
    assert_ok(hip.hipMemcpy(one, data, 1000, HC_HIP_COPY_HOST_DEV));
    assert_ok(hip.hipMemcpyPeer(two, 2, one, 0, 1000));
    assert_ok(hip.hipMemcpy(back, two, 1000, HC_HIP_COPY_DEV_HOST));
    assert_true(pattern_is(back, 1000, 6));
    assert_hip(HC_HIP_INVALID_DEVICE, hip.hipMemcpyPeer(two, 7, one, 0, 1000));
    assert_ok(hip.hipFree(one));
    assert_ok(hip.hipFree(two));
    assert_ok(hip.hipSetDevice(0));
}

void a_forked_child_is_not_initialised(void **state)
{
    int   status = 0, count;
    void *ptr;
    pid_t pid;

    (void)state;
    assert_ok(hip.hipGetDeviceCount(&count));
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        bool all = hip.hipInit(0) == HC_HIP_NOT_INITIALIZED &&
                   hip.hipGetDeviceCount(&count) == HC_HIP_NOT_INITIALIZED &&
                   hip.hipMalloc(&ptr, 100) == HC_HIP_NOT_INITIALIZED &&
                   hip.hipDeviceSynchronize() == HC_HIP_NOT_INITIALIZED;
        _exit(all ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

void without_devices_there_is_no_device(void **state)
{
    const char *const unset[] = {"HCOMM_EMULATE", NULL};
    const char *const other[] = {"HCOMM_EMULATE=nvidia:2", NULL};

    (void)state;
    assert_int_equal(role_run("count", NULL, unset), HC_HIP_NO_DEVICE);
    assert_int_equal(role_run("count", NULL, other), HC_HIP_NO_DEVICE);
}

void asking_makes_no_context(void **state)
{
    (void)state;
    assert_int_equal(role_run("ask", NULL, NULL), 0);
}

void threads_may_all_be_first(void **state)
{
    (void)state;
    assert_int_equal(role_run("start", NULL, NULL), 0);
}

void visible_devices_are_obeyed(void **state)
{
    const char *const one[] = {"HIP_VISIBLE_DEVICES=2", NULL};
    const char *const swapped[] = {"HIP_VISIBLE_DEVICES=1,0", NULL};
    const char *const none[] = {"HIP_VISIBLE_DEVICES=", NULL};

    (void)state;
    assert_int_equal(role_run("count", NULL, one), 201);
    assert_int_equal(role_run("first-bus", NULL, one), 0x62);
    assert_int_equal(role_run("count", NULL, swapped), 202);
    assert_int_equal(role_run("first-bus", NULL, swapped), 0x61);
    assert_int_equal(role_run("count", NULL, none), HC_HIP_NO_DEVICE);
}

void a_malformed_variable_fails_initialisation(void **state)
{
    const char *const set[] = {"HCOMM_EMULATE=amd:many", NULL};

    (void)state;
    assert_int_equal(role_run("count", NULL, set), HC_HIP_INVALID_VALUE);
}

void faults_are_injected_by_name(void **state)
{
    const char *const set[] = {"HCOMM_EMU_FAULT=hipMemset@2=2,hipMalloc@3+=46",
                               NULL};

    (void)state;
    assert_int_equal(role_run("fault", NULL, set), 0);
}

void what_is_not_emulated_says_so(void **state)
{
    void *module;

    (void)state;
    assert_hip(HC_HIP_NOT_SUPPORTED, hip.hipMallocArray());
    assert_hip(HC_HIP_NOT_SUPPORTED, hip.hipModuleLoad(&module, "none"));
}

void exit_with_copies_in_flight_is_clean(void **state)
{
    (void)state;
    assert_int_equal(role_run("exit-in-flight", NULL, NULL), 0);
}
