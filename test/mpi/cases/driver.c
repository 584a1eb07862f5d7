#include "driver.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/abi_cuda.h"
#include "device/abi_hip.h"

enum { STREAM_NON_BLOCKING = 1 };

static void must(int result, const char *what)
{
    if (result == 0)
        return;
    fprintf(stderr, "# %s failed with %d\n", what, result);
    exit(99);
}

static void *open_any(const char *const *names, int n)
{
    void *library = NULL;

    for (int i = 0; i < n && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static void *cuda_library(void)
{
    static const char *const names[] = {"libcuda.so.1"};

    return open_any(names, 1);
}

/* In the order of mem.c, so that it is the same one. */
static void *hip_library(void)
{
    static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                        "libamdhip64.so.5"};

    return open_any(names, 3);
}

static void *symbol(void *library, const char *name)
{
    void *address = library != NULL ? dlsym(library, name) : NULL;

    if (address == NULL)
        must(1, name);
    return address;
}

/* Drivers, by the names that are used here. */
static struct {
    bool is_open;
    int (*cuInit)(unsigned flags);
    int (*cuDeviceGetCount)(int *count);
    int (*cuDevicePrimaryCtxGetState)(int device, unsigned *flags, int *active);
    int (*cuDevicePrimaryCtxRetain)(void **context, int device);
    int (*cuCtxGetCurrent)(void **context);
    int (*cuCtxSetCurrent)(void *context);
    int (*cuCtxGetDevice)(int *device);
    int (*cuCtxSynchronize)(void);
    int (*cuMemGetInfo_v2)(size_t *available, size_t *total);
    int (*cuMemPoolCreate)(void **pool, const struct hc_cu_pool_props *props);
    int (*cuMemAllocFromPoolAsync)(uint64_t *ptr, size_t bytes, void *pool,
                                   void *stream);
    int (*cuMemFreeAsync)(uint64_t ptr, void *stream);
    int (*cuMemAlloc_v2)(uint64_t *ptr, size_t bytes);
    int (*cuMemFree_v2)(uint64_t ptr);
    int (*cuStreamCreate)(void **stream, unsigned flags);
    int (*cuStreamSynchronize)(void *stream);
    int (*cuStreamDestroy_v2)(void *stream);
    int (*cuMemsetD32Async)(uint64_t ptr, unsigned value, size_t count,
                            void *stream);
    int (*cuMemcpyHtoDAsync_v2)(uint64_t dst, const void *src, size_t bytes,
                                void *stream);
    int (*cuMemcpyDtoHAsync_v2)(void *dst, uint64_t src, size_t bytes,
                                void *stream);
    int (*cuIpcGetMemHandle)(struct driver_handle *handle, uint64_t ptr);
    int (*cuIpcOpenMemHandle_v2)(uint64_t *ptr, struct driver_handle handle,
                                 unsigned flags);
    int (*cuIpcCloseMemHandle)(uint64_t ptr);
} cuda;

static struct {
    bool is_open;
    int (*hipGetDeviceCount)(int *count);
    int (*hipDevicePrimaryCtxGetState)(int device, unsigned *flags,
                                       int *active);
    int (*hipGetDevice)(int *device);
    int (*hipSetDevice)(int device);
    int (*hipDeviceSynchronize)(void);
    int (*hipMemGetInfo)(size_t *available, size_t *total);
    int (*hipMalloc)(void **ptr, size_t bytes);
    int (*hipFree)(void *ptr);
    int (*hipIpcGetMemHandle)(struct driver_handle *handle, void *ptr);
    int (*hipIpcOpenMemHandle)(void **ptr, struct driver_handle handle,
                               unsigned flags);
    int (*hipIpcCloseMemHandle)(void *ptr);
} hip;

#define LOAD(table, name) (*(void **)&table.name = symbol(library, #name))
#define MUST(table, call) must(table.call, #call)

static bool open_cuda(void)
{
    void *library = cuda.is_open ? NULL : cuda_library();

    if (library == NULL)
        return cuda.is_open;
    LOAD(cuda, cuInit);
    LOAD(cuda, cuDeviceGetCount);
    LOAD(cuda, cuDevicePrimaryCtxGetState);
    LOAD(cuda, cuDevicePrimaryCtxRetain);
    LOAD(cuda, cuCtxGetCurrent);
    LOAD(cuda, cuCtxSetCurrent);
    LOAD(cuda, cuCtxGetDevice);
    LOAD(cuda, cuCtxSynchronize);
    LOAD(cuda, cuMemGetInfo_v2);
    LOAD(cuda, cuMemPoolCreate);
    LOAD(cuda, cuMemAllocFromPoolAsync);
    LOAD(cuda, cuMemFreeAsync);
    LOAD(cuda, cuMemAlloc_v2);
    LOAD(cuda, cuMemFree_v2);
    LOAD(cuda, cuStreamCreate);
    LOAD(cuda, cuStreamSynchronize);
    LOAD(cuda, cuStreamDestroy_v2);
    LOAD(cuda, cuMemsetD32Async);
    LOAD(cuda, cuMemcpyHtoDAsync_v2);
    LOAD(cuda, cuMemcpyDtoHAsync_v2);
    LOAD(cuda, cuIpcGetMemHandle);
    LOAD(cuda, cuIpcOpenMemHandle_v2);
    LOAD(cuda, cuIpcCloseMemHandle);
    cuda.is_open = cuda.cuInit(0) == 0;
    return cuda.is_open;
}

static bool open_hip(void)
{
    void *library = hip.is_open ? NULL : hip_library();

    if (library == NULL)
        return hip.is_open;
    LOAD(hip, hipGetDeviceCount);
    LOAD(hip, hipDevicePrimaryCtxGetState);
    LOAD(hip, hipGetDevice);
    LOAD(hip, hipSetDevice);
    LOAD(hip, hipDeviceSynchronize);
    LOAD(hip, hipMemGetInfo);
    LOAD(hip, hipMalloc);
    LOAD(hip, hipFree);
    LOAD(hip, hipIpcGetMemHandle);
    LOAD(hip, hipIpcOpenMemHandle);
    LOAD(hip, hipIpcCloseMemHandle);
    hip.is_open = true;
    return true;
}

static bool is_open(enum mem_kind kind)
{
    if (kind == MEM_CUDA)
        return open_cuda();
    return kind == MEM_HIP && open_hip();
}

/* Before any call that has no answer for "not here". */
static void need(enum mem_kind kind)
{
    if (!is_open(kind))
        must(1, "opening the driver");
}

void *driver_symbol(enum mem_kind kind, const char *name)
{
    need(kind);
    return symbol(kind == MEM_HIP ? hip_library() : cuda_library(), name);
}

int driver_devices(enum mem_kind kind)
{
    int count = 0, result;

    if (!is_open(kind))
        return 0;
    result = kind == MEM_HIP ? hip.hipGetDeviceCount(&count)
                             : cuda.cuDeviceGetCount(&count);
    return result == 0 ? count : 0;
}

bool driver_has_context(enum mem_kind kind, int device)
{
    unsigned flags = 0;
    int      active = 0;

    need(kind);
    if (kind == MEM_HIP)
        MUST(hip, hipDevicePrimaryCtxGetState(device, &flags, &active));
    else
        MUST(cuda, cuDevicePrimaryCtxGetState(device, &flags, &active));
    return active != 0;
}

void *driver_current(enum mem_kind kind)
{
    void *context = NULL;
    int   device = 0;

    need(kind);
    if (kind == MEM_HIP) {
        MUST(hip, hipGetDevice(&device));
        return (void *)(intptr_t)device;
    }
    MUST(cuda, cuCtxGetCurrent(&context));
    return context;
}

void driver_set_device(enum mem_kind kind, int device)
{
    static void *contexts[16];

    need(kind);
    if (kind == MEM_HIP) {
        MUST(hip, hipSetDevice(device));
        return;
    }
    if (device < 0 || device >= 16)
        must(1, "a device over 15");
    if (contexts[device] == NULL)
        MUST(cuda, cuDevicePrimaryCtxRetain(&contexts[device], device));
    MUST(cuda, cuCtxSetCurrent(contexts[device]));
}

void driver_wait(enum mem_kind kind)
{
    need(kind);
    if (kind == MEM_HIP)
        MUST(hip, hipDeviceSynchronize());
    else
        MUST(cuda, cuCtxSynchronize());
}

size_t driver_free_bytes(enum mem_kind kind)
{
    size_t available = 0, total;

    driver_wait(kind);
    if (kind == MEM_HIP)
        MUST(hip, hipMemGetInfo(&available, &total));
    else
        MUST(cuda, cuMemGetInfo_v2(&available, &total));
    return available;
}

/* --- blocks of our own */

/* A block of host memory becomes one of the device's. */
static struct mem adopt(struct mem mem, enum mem_kind kind, char *block)
{
    free(mem.block);
    mem.kind = kind;
    mem.block = block;
    mem.buffer = block + MEM_GUARD_BYTES;
    return mem;
}

static void forget(struct mem *mem)
{
    mem->block = NULL;
    mem_delete(mem);
}

struct mem driver_new_on(enum mem_kind kind, int device, size_t bytes)
{
    struct mem mem = mem_new(MEM_HOST, bytes);
    uint64_t   address = 0;
    void      *ptr = NULL;

    driver_set_device(kind, device);
    if (kind == MEM_HIP) {
        MUST(hip, hipMalloc(&ptr, mem.block_bytes));
        return adopt(mem, kind, ptr);
    }
    MUST(cuda, cuMemAlloc_v2(&address, mem.block_bytes));
    return adopt(mem, kind, (char *)(uintptr_t)address);
}

void driver_delete(struct mem *mem)
{
    if (mem->kind == MEM_HIP)
        MUST(hip, hipFree(mem->block));
    else
        MUST(cuda, cuMemFree_v2((uintptr_t)mem->block));
    forget(mem);
}

/* --- pools */

/* Of the device that is current when it is first needed; never destroyed. */
static void *pool;

struct mem driver_pool_new(size_t bytes)
{
    struct hc_cu_pool_props props = {.type = HC_CU_ALLOCATION_PINNED,
                                     .location = {HC_CU_LOCATION_DEVICE, 0}};
    struct mem              mem = mem_new(MEM_HOST, bytes);
    uint64_t                address = 0;

    need(MEM_CUDA);
    MUST(cuda, cuCtxGetDevice(&props.location.id));
    if (pool == NULL)
        MUST(cuda, cuMemPoolCreate(&pool, &props));
    MUST(cuda, cuMemAllocFromPoolAsync(&address, mem.block_bytes, pool, NULL));
    MUST(cuda, cuCtxSynchronize());
    return adopt(mem, MEM_CUDA, (char *)(uintptr_t)address); /* copied so */
}

void driver_pool_delete(struct mem *mem)
{
    MUST(cuda, cuMemFreeAsync((uintptr_t)mem->block, NULL));
    MUST(cuda, cuCtxSynchronize());
    forget(mem);
}

/* --- streams */

void *driver_stream(void)
{
    void *stream = NULL;

    need(MEM_CUDA);
    MUST(cuda, cuStreamCreate(&stream, STREAM_NON_BLOCKING));
    return stream;
}

void driver_stream_wait(void *stream)
{
    MUST(cuda, cuStreamSynchronize(stream));
}

void driver_stream_delete(void *stream)
{
    MUST(cuda, cuStreamDestroy_v2(stream));
}

void driver_set_ints(struct mem *mem, int value, size_t count, void *stream)
{
    need(MEM_CUDA);
    MUST(cuda, cuMemsetD32Async((uintptr_t)mem->buffer, (unsigned)value, count,
                                stream));
}

void driver_write(struct mem *mem, const struct mem *pinned, size_t bytes,
                  void *stream)
{
    need(MEM_CUDA);
    MUST(cuda, cuMemcpyHtoDAsync_v2((uintptr_t)mem->buffer, pinned->buffer,
                                    bytes, stream));
}

void driver_read(const struct mem *mem, struct mem *pinned, size_t bytes,
                 void *stream)
{
    need(MEM_CUDA);
    MUST(cuda, cuMemcpyDtoHAsync_v2(pinned->buffer, (uintptr_t)mem->buffer,
                                    bytes, stream));
    MUST(cuda, cuStreamSynchronize(stream));
}

/* --- handles */

struct driver_handle driver_export(const struct mem *mem)
{
    struct driver_handle handle;

    need(mem->kind);
    if (mem->kind == MEM_HIP)
        MUST(hip, hipIpcGetMemHandle(&handle, mem->block));
    else
        MUST(cuda, cuIpcGetMemHandle(&handle, (uintptr_t)mem->block));
    return handle;
}

/* Flag 1 of either opening: map peers' memory when it is needed. */
struct mem driver_import(enum mem_kind kind, struct driver_handle handle,
                         size_t bytes)
{
    struct mem mem = mem_new(MEM_HOST, bytes);
    uint64_t   address = 0;
    void      *ptr = NULL;

    need(kind);
    if (kind == MEM_HIP) {
        MUST(hip, hipIpcOpenMemHandle(&ptr, handle, HC_HIP6_IPC_LAZY_PEER));
        return adopt(mem, kind, ptr);
    }
    MUST(cuda, cuIpcOpenMemHandle_v2(&address, handle, 1));
    return adopt(mem, kind, (char *)(uintptr_t)address);
}

void driver_import_delete(struct mem *mem)
{
    if (mem->kind == MEM_HIP)
        MUST(hip, hipIpcCloseMemHandle(mem->block));
    else
        MUST(cuda, cuIpcCloseMemHandle((uintptr_t)mem->block));
    forget(mem);
}
