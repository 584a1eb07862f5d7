#include "test/unit/emulator_cuda.h"

#include <sys/prctl.h>

/* Memory and events of other processes.  Every scene forks its peer before
 * either opens the library. */

#define BYTES (3 * MB)

struct handles {
    struct hc_cu_ipc_mem_handle   memory, interior;
    struct hc_cu_ipc_event_handle event;
};

static void acknowledge(int socket)
{
    send_bytes(socket, "", 1, -1);
}

static void await(int socket)
{
    char byte;

    receive_bytes(socket, &byte, 1);
}

/* --------------------------------------------------------- legacy handles */

static void import_memory(int socket)
{
    static char    data[BYTES];
    struct handles handles;
    hc_cu_ptr      p, again, mine;
    char           junk[64];

    open_device();
    receive_bytes(socket, &handles, sizeof handles);
    EXPECT(HC_CU_INVALID_VALUE, cuIpcOpenMemHandle_v2(&p, handles.memory, 0));
    OK(cuIpcOpenMemHandle_v2(&p, handles.memory, HC_CU_IPC_LAZY_PEER_ACCESS));
    OK(cuMemcpyDtoH_v2(data, p, BYTES));
    CHECK(has_pattern(data, BYTES, 1));
    fill_pattern(data, BYTES, 2);
    OK(cuMemcpyHtoD_v2(p, data, BYTES));
    OK(cuCtxSynchronize());
    acknowledge(socket);

    /* Again, by a handle made from inside: the same address, counted. */
    OK(cuIpcOpenMemHandle_v2(&again, handles.interior,
                             HC_CU_IPC_LAZY_PEER_ACCESS));
    CHECK(again == p);
    EXPECT(HC_CU_INVALID_VALUE,
           cuIpcGetMemHandle((struct hc_cu_ipc_mem_handle *)junk, p));
    EXPECT(HC_CU_INVALID_VALUE, cuMemFree_v2(p));
    EXPECT(HC_CU_INVALID_VALUE, cuIpcCloseMemHandle(p + 8));
    OK(cuMemAlloc_v2(&mine, 64));
    EXPECT(HC_CU_INVALID_VALUE, cuIpcCloseMemHandle(mine));
    OK(cuIpcCloseMemHandle(p));
    OK(cuMemcpyDtoH_v2(data, p, 64));
    OK(cuIpcCloseMemHandle(p));
    EXPECT(HC_CU_INVALID_VALUE, cuIpcCloseMemHandle(p));
    EXPECT(HC_CU_INVALID_VALUE, cuMemcpyDtoH_v2(data, p, 64));
    memset(&handles.memory, 5, sizeof handles.memory);
    EXPECT(
        HC_CU_INVALID_VALUE,
        cuIpcOpenMemHandle_v2(&p, handles.memory, HC_CU_IPC_LAZY_PEER_ACCESS));
    await(socket); /* the exporter has freed it */
    EXPECT(HC_CU_INVALID_VALUE,
           cuIpcOpenMemHandle_v2(&p, handles.interior,
                                 HC_CU_IPC_LAZY_PEER_ACCESS));
}

static void export_memory(void)
{
    struct peer    peer = start_peer(import_memory);
    static char    data[BYTES];
    struct handles handles;
    hc_cu_ptr      p, own;

    open_device();
    OK(cuMemAlloc_v2(&p, BYTES));
    fill_pattern(data, BYTES, 1);
    OK(cuMemcpyHtoD_v2(p, data, BYTES));
    OK(cuIpcGetMemHandle(&handles.memory, p));
    OK(cuIpcGetMemHandle(&handles.interior, p + MB));
    EXPECT(HC_CU_INVALID_CONTEXT,
           cuIpcOpenMemHandle_v2(&own, handles.memory,
                                 HC_CU_IPC_LAZY_PEER_ACCESS));
    OK(cuCtxSynchronize());
    send_bytes(peer.socket, &handles, sizeof handles, -1);
    await(peer.socket);
    OK(cuMemcpyDtoH_v2(data, p, BYTES));
    CHECK(has_pattern(data, BYTES, 2));
    OK(cuMemFree_v2(p));
    OK(cuMemAlloc_v2(&p, BYTES)); /* in its place, but no longer the same */
    acknowledge(peer.socket);
    finish_peer(peer);
}

/* As on a cluster: no privilege, and no right to trace each other. */
static void export_memory_unprivileged(void)
{
    if (getuid() == 0)
        CHECK(setgid(65534) == 0 && setuid(65534) == 0);
    prctl(PR_SET_DUMPABLE, 1); /* as after exec: setuid took it away */
    export_memory();
}

static void memory_is_shared_by_handle(void **state)
{
    (void)state;
    run_scene(export_memory, NULL);
    run_scene(export_memory_unprivileged, NULL);
}

/* ------------------------------------------------- devices of both sides */

static void open_from_device_0(int socket, int expected)
{
    struct handles handles;
    hc_cu_ptr      p;
    int            ordinal;

    open_device();
    receive_bytes(socket, &handles, sizeof handles);
    EXPECT(expected, cuIpcOpenMemHandle_v2(&p, handles.memory,
                                           HC_CU_IPC_LAZY_PEER_ACCESS));
    if (expected != HC_CU_SUCCESS)
        return;
    OK(cuPointerGetAttribute(&ordinal, HC_CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                             p));
    CHECK(ordinal == 1); /* whose memory it is, not who opened it */
}

static void open_of_peer(int socket)
{
    open_from_device_0(socket, HC_CU_SUCCESS);
}

static void open_of_no_peer(int socket)
{
    open_from_device_0(socket, HC_CU_PEER_ACCESS_UNSUPPORTED);
}

static void open_of_hidden(int socket)
{
    setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    open_from_device_0(socket, HC_CU_INVALID_DEVICE);
}

static void export_from_device_1(void (*importer)(int socket))
{
    struct peer           peer = start_peer(importer);
    struct hc_cu_context *context;
    struct handles        handles;
    hc_cu_ptr             p;

    open_device();
    OK(cuDevicePrimaryCtxRetain(&context, 1));
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc_v2(&p, BYTES));
    OK(cuIpcGetMemHandle(&handles.memory, p));
    send_bytes(peer.socket, &handles, sizeof handles, -1);
    finish_peer(peer);
}

static void share_with_peer(void)
{
    export_from_device_1(open_of_peer);
}

static void share_with_no_peer(void)
{
    export_from_device_1(open_of_no_peer);
}

static void share_with_one_who_does_not_see(void)
{
    export_from_device_1(open_of_hidden);
}

static void handles_open_where_the_device_is_reachable(void **state)
{
    (void)state;
    run_scene(share_with_peer, "HCOMM_EMULATE=nvidia:2", NULL);
    run_scene(share_with_no_peer, "HCOMM_EMULATE=nvidia:2", "HCOMM_EMU_PEER=0",
              NULL);
    run_scene(share_with_one_who_does_not_see, "HCOMM_EMULATE=nvidia:2", NULL);
}

/* ----------------------------------------------------------------- events */

static void wait_for_foreign_event(int socket)
{
    struct handles                handles;
    struct hc_cu_event           *event;
    struct hc_cu_stream          *stream;
    struct hc_cu_ipc_event_handle again;

    open_device();
    receive_bytes(socket, &handles, sizeof handles);
    OK(cuIpcOpenEventHandle(&event, handles.event));
    EXPECT(HC_CU_NOT_READY, cuEventQuery(event));
    OK(cuStreamCreate(&stream, HC_CU_STREAM_NON_BLOCKING));
    OK(cuStreamWaitEvent(stream, event, 0));
    EXPECT(HC_CU_NOT_READY, cuStreamQuery(stream));
    OK(cuStreamSynchronize(stream));
    OK(cuEventQuery(event));
    EXPECT(HC_CU_INVALID_HANDLE, cuIpcGetEventHandle(&again, event));
    OK(cuEventDestroy_v2(event));
}

static void share_event(void)
{
    struct peer          peer = start_peer(wait_for_foreign_event);
    struct handles       handles;
    struct hc_cu_event  *event, *plain;
    struct hc_cu_stream *stream;
    hc_cu_ptr            p;
    void                *pinned;

    open_device();
    OK(cuEventCreate(&event,
                     HC_CU_EVENT_INTERPROCESS | HC_CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&plain, 0));
    EXPECT(HC_CU_INVALID_HANDLE, cuIpcGetEventHandle(&handles.event, plain));
    OK(cuIpcGetEventHandle(&handles.event, event));
    EXPECT(HC_CU_INVALID_CONTEXT, cuIpcOpenEventHandle(&plain, handles.event));
    OK(cuStreamCreate(&stream, 0));
    OK(cuMemAlloc_v2(&p, 4 * MB));
    OK(cuMemHostAlloc(&pinned, 4 * MB, 0));
    OK(cuMemcpyHtoDAsync_v2(p, pinned, 4 * MB, stream)); /* 2 s */
    OK(cuEventRecord(event, stream));
    send_bytes(peer.socket, &handles, sizeof handles, -1);
    OK(cuEventSynchronize(event));
    finish_peer(peer);
}

static void events_are_shared_by_handle(void **state)
{
    (void)state;
    run_scene(share_event, "HCOMM_EMU_LINK=*/h2d=2MB/s", NULL);
}

/* ---------------------------------------------------- pools and VMM memory */

static void import_pool(int socket)
{
    struct hc_cu_pool_pointer pointer;
    struct hc_cu_pool        *pool;
    static char               data[BYTES];
    hc_cu_ptr                 p, own;
    int                       fd;

    open_device();
    fd = receive_bytes(socket, &pointer, sizeof pointer);
    CHECK(fd >= 0);
    OK(cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd,
                                          HC_CU_HANDLE_FD, 0));
    OK(cuMemPoolImportPointer(&p, pool, &pointer));
    OK(cuMemcpyDtoH_v2(data, p, BYTES));
    CHECK(has_pattern(data, BYTES, 4));
    EXPECT(HC_CU_INVALID_VALUE, cuMemAllocFromPoolAsync(&own, 64, pool, NULL));
    OK(cuMemFreeAsync(p, NULL));
    OK(cuStreamSynchronize(NULL));
    EXPECT(HC_CU_INVALID_VALUE, cuMemcpyDtoH_v2(data, p, 64));
    acknowledge(socket);
}

static void share_pool(void)
{
    struct peer               peer = start_peer(import_pool);
    struct hc_cu_pool_props   props = {.type = HC_CU_ALLOCATION_PINNED,
                                       .handle_types = HC_CU_HANDLE_FD,
                                       .location = {HC_CU_LOCATION_DEVICE, 0}};
    struct hc_cu_pool        *pool, *standard;
    struct hc_cu_pool_pointer pointer;
    static char               data[BYTES];
    uint64_t                  used;
    hc_cu_ptr                 p;
    int                       fd = -1;

    open_device();
    OK(cuDeviceGetDefaultMemPool(&standard, 0));
    EXPECT(HC_CU_INVALID_VALUE,
           cuMemPoolExportToShareableHandle(&fd, standard, HC_CU_HANDLE_FD, 0));
    EXPECT(HC_CU_INVALID_VALUE, cuMemPoolDestroy(standard));
    OK(cuMemPoolCreate(&pool, &props));
    OK(cuMemAllocFromPoolAsync(&p, BYTES, pool, NULL));
    /* The pool goes first. */
    EXPECT(HC_CU_INVALID_VALUE, cuMemPoolExportPointer(&pointer, p));
    OK(cuMemPoolExportToShareableHandle(&fd, pool, HC_CU_HANDLE_FD, 0));
    OK(cuMemPoolExportPointer(&pointer, p));
    OK(cuMemPoolGetAttribute(pool, HC_CU_POOL_USED_CURRENT, &used));
    CHECK(used == BYTES);
    fill_pattern(data, BYTES, 4);
    OK(cuMemcpyHtoD_v2(p, data, BYTES));
    OK(cuStreamSynchronize(NULL));
    send_bytes(peer.socket, &pointer, sizeof pointer, fd);
    await(peer.socket);
    OK(cuMemFreeAsync(p, NULL));
    OK(cuStreamSynchronize(NULL));
    OK(cuMemPoolGetAttribute(pool, HC_CU_POOL_USED_CURRENT, &used));
    CHECK(used == 0);
    OK(cuMemPoolDestroy(pool));
    finish_peer(peer);
}

static void pool_memory_is_shared_by_its_pool(void **state)
{
    (void)state;
    run_scene(share_pool, NULL);
}

static const struct hc_cu_access to_device_0 = {
    .location = {HC_CU_LOCATION_DEVICE, 0}, .flags = HC_CU_ACCESS_READWRITE};

static void import_vmm(int socket)
{
    size_t    bytes;
    hc_cu_vmm handle;
    hc_cu_ptr p;
    char      data[64];
    int       fd;

    open_device();
    fd = receive_bytes(socket, &bytes, sizeof bytes);
    OK(cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)fd,
                                      HC_CU_HANDLE_FD));
    OK(cuMemAddressReserve(&p, bytes, 0, 0, 0));
    OK(cuMemMap(p, bytes, 0, handle, 0));
    EXPECT(HC_CU_INVALID_VALUE, cuMemcpyDtoH_v2(data, p, sizeof data));
    OK(cuMemSetAccess(p, bytes, &to_device_0, 1));
    OK(cuMemcpyDtoH_v2(data, p, sizeof data));
    CHECK(has_pattern(data, sizeof data, 6));
    EXPECT(HC_CU_INVALID_VALUE, cuMemAddressFree(p, bytes));
    OK(cuMemUnmap(p, bytes));
    OK(cuMemRelease(handle));
    EXPECT(HC_CU_INVALID_VALUE, cuMemRelease(handle));
    OK(cuMemAddressFree(p, bytes));
}

static void share_vmm(void)
{
    struct peer                  peer = start_peer(import_vmm);
    struct hc_cu_allocation_prop prop = {
        .type = HC_CU_ALLOCATION_PINNED,
        .requested_handle_types = HC_CU_HANDLE_FD,
        .location = {HC_CU_LOCATION_DEVICE, 0}};
    size_t    half = 4 * MB, grain;
    hc_cu_vmm handle, second, retained;
    hc_cu_ptr p, plain;
    char      data[64];
    int       fd = -1;

    open_device();
    OK(cuMemGetAllocationGranularity(&grain, &prop, 0));
    CHECK(grain == 2 * MB);
    EXPECT(HC_CU_INVALID_VALUE, cuMemCreate(&handle, grain + 1, &prop, 0));
    OK(cuMemCreate(&handle, half, &prop, 0));
    OK(cuMemCreate(&second, half, &prop, 0));
    OK(cuMemAddressReserve(&p, 2 * half, 0, 0, 0));
    EXPECT(HC_CU_NOT_SUPPORTED, cuMemMap(p, half / 2, 0, handle, 0));
    /* Two mappings side by side: copies may span them. */
    OK(cuMemMap(p, half, 0, handle, 0));
    OK(cuMemMap(p + half, half, 0, second, 0));
    EXPECT(HC_CU_INVALID_VALUE, cuMemMap(p, half, 0, handle, 0));
    OK(cuMemSetAccess(p, 2 * half, &to_device_0, 1));
    fill_pattern(data, sizeof data, 6);
    OK(cuMemcpyHtoD_v2(p + half, data, sizeof data));
    OK(cuMemsetD8_v2(p + half - 32, 9, 32));
    OK(cuMemcpyDtoH_v2(data, p + half - 32, sizeof data));
    CHECK(data[31] == 9 && has_pattern(data + 32, 32, 6));
    OK(cuMemRetainAllocationHandle(&retained,
                                   (void *)(uintptr_t)(p + half + 100)));
    CHECK(retained == second);
    OK(cuMemExportToShareableHandle(&fd, retained, HC_CU_HANDLE_FD, 0));
    OK(cuMemAlloc_v2(&plain, 64));
    EXPECT(HC_CU_INVALID_VALUE,
           cuMemRetainAllocationHandle(&retained, (void *)(uintptr_t)plain));
    send_bytes(peer.socket, &half, sizeof half, fd);
    finish_peer(peer);
    EXPECT(HC_CU_INVALID_VALUE, cuMemUnmap(p, 2 * MB));
    OK(cuMemUnmap(p, 2 * half));
    OK(cuMemAddressFree(p, 2 * half));
}

static void mapped_memory_is_shared_by_descriptor(void **state)
{
    (void)state;
    run_scene(share_vmm, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_shared_by_handle),
        cmocka_unit_test(handles_open_where_the_device_is_reachable),
        cmocka_unit_test(events_are_shared_by_handle),
        cmocka_unit_test(pool_memory_is_shared_by_its_pool),
        cmocka_unit_test(mapped_memory_is_shared_by_descriptor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
