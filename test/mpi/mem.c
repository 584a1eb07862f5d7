#include "mem.h"
#include "mem_ze.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The public ABI of the drivers (Level Zero is in mem_ze.c); result 0 is
 * success. */
static struct {
    int (*cuInit)(unsigned flags);
    int (*cuDeviceGetCount)(int *count);
    int (*cuDevicePrimaryCtxRetain)(void **context, int device);
    int (*cuCtxSetCurrent)(void *context);
    int (*cuCtxSynchronize)(void);
    int (*cuMemAlloc_v2)(uint64_t *ptr, size_t bytes);
    int (*cuMemFree_v2)(uint64_t ptr);
    int (*cuMemAllocManaged)(uint64_t *ptr, size_t bytes, unsigned flags);
    int (*cuMemAllocAsync)(uint64_t *ptr, size_t bytes, void *stream);
    int (*cuMemFreeAsync)(uint64_t ptr, void *stream);
    int (*cuMemHostAlloc)(void **ptr, size_t bytes, unsigned flags);
    int (*cuMemFreeHost)(void *ptr);
    int (*cuMemcpyHtoD_v2)(uint64_t dst, const void *src, size_t bytes);
    int (*cuMemcpyDtoH_v2)(void *dst, uint64_t src, size_t bytes);
    void *context;
} cuda;

static struct {
    int (*hipGetDeviceCount)(int *count);
    int (*hipSetDevice)(int device);
    int (*hipMalloc)(void **ptr, size_t bytes);
    int (*hipFree)(void *ptr);
    int (*hipMemcpy)(void *dst, const void *src, size_t bytes, int direction);
    int device;
} hip;

enum { HIP_TO_DEVICE = 1, HIP_TO_HOST = 2, CUDA_ATTACH_GLOBAL = 1 };

static void must(int result, const char *what)
{
    if (result == 0)
        return;
    fprintf(stderr, "# %s failed with %d\n", what, result);
    exit(99);
}

#define MUST(table, call) must(table.call, #call)

static void *symbol(void *library, const char *name)
{
    void *address = dlsym(library, name);

    if (address == NULL) {
        fprintf(stderr, "# the driver lacks %s\n", name);
        exit(99);
    }
    return address;
}

#define LOAD(table, library, name) \
    (*(void **)&table.name = symbol(library, #name))

static bool open_cuda(int which)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int   count = 0;

    if (library == NULL)
        return false;
    LOAD(cuda, library, cuInit);
    LOAD(cuda, library, cuDeviceGetCount);
    LOAD(cuda, library, cuDevicePrimaryCtxRetain);
    LOAD(cuda, library, cuCtxSetCurrent);
    LOAD(cuda, library, cuCtxSynchronize);
    LOAD(cuda, library, cuMemAlloc_v2);
    LOAD(cuda, library, cuMemFree_v2);
    LOAD(cuda, library, cuMemAllocManaged);
    LOAD(cuda, library, cuMemAllocAsync);
    LOAD(cuda, library, cuMemFreeAsync);
    LOAD(cuda, library, cuMemHostAlloc);
    LOAD(cuda, library, cuMemFreeHost);
    LOAD(cuda, library, cuMemcpyHtoD_v2);
    LOAD(cuda, library, cuMemcpyDtoH_v2);
    if (cuda.cuInit(0) != 0 || cuda.cuDeviceGetCount(&count) != 0 || count == 0)
        return false;
    MUST(cuda, cuDevicePrimaryCtxRetain(&cuda.context, which % count));
    return true;
}

static bool open_hip(int which)
{
    static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                        "libamdhip64.so.5"};
    void                    *library = NULL;
    int                      count = 0;

    for (int i = 0; i < 3 && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return false;
    LOAD(hip, library, hipGetDeviceCount);
    LOAD(hip, library, hipSetDevice);
    LOAD(hip, library, hipMalloc);
    LOAD(hip, library, hipFree);
    LOAD(hip, library, hipMemcpy);
    if (hip.hipGetDeviceCount(&count) != 0 || count == 0)
        return false;
    hip.device = which % count;
    return true;
}

enum vendor { NONE, CUDA, HIP, ZE, VENDORS };

static enum vendor vendor_of(enum mem_kind kind)
{
    switch (kind) {
    case MEM_PINNED:
    case MEM_MANAGED:
    case MEM_POOL:
    case MEM_CUDA:
        return CUDA;
    case MEM_HIP:
        return HIP;
    case MEM_ZE:
    case MEM_ZE_PINNED:
    case MEM_ZE_MANAGED:
        return ZE;
    case MEM_HOST:
    case MEM_KINDS:
        break;
    }
    return NONE;
}

/* Memory that the CPU copies to and from. */
static bool is_hosts(enum mem_kind kind)
{
    return kind == MEM_HOST || kind == MEM_PINNED || kind == MEM_ZE_PINNED;
}

const char *mem_kind_name(enum mem_kind kind)
{
    static const char *const names[] = {"host", "pinned",    "managed",
                                        "pool", "cuda",      "hip",
                                        "ze",   "ze-pinned", "ze-managed"};

    return names[kind];
}

bool mem_available(enum mem_kind kind, int which)
{
    static bool (*const opens[VENDORS])(int) = {
        [CUDA] = open_cuda, [HIP] = open_hip, [ZE] = mem_ze_open};
    enum { UNKNOWN, NO, YES };
    static int  known[VENDORS] = {[NONE] = YES};
    enum vendor vendor = vendor_of(kind);

    if (known[vendor] == UNKNOWN)
        known[vendor] = opens[vendor](which) ? YES : NO;
    return known[vendor] == YES;
}

/* Threads start without a current context. */
static void make_current(enum mem_kind kind)
{
    enum vendor vendor = vendor_of(kind);

    if (vendor == HIP)
        MUST(hip, hipSetDevice(hip.device));
    else if (vendor == CUDA)
        MUST(cuda, cuCtxSetCurrent(cuda.context));
}

static char *allocate(enum mem_kind kind, size_t bytes)
{
    uint64_t address = 0;
    void    *ptr = NULL;

    make_current(kind);
    switch (kind) {
    case MEM_HOST:
        ptr = malloc(bytes);
        break;
    case MEM_PINNED:
        MUST(cuda, cuMemHostAlloc(&ptr, bytes, 0));
        break;
    case MEM_MANAGED:
        MUST(cuda, cuMemAllocManaged(&address, bytes, CUDA_ATTACH_GLOBAL));
        break;
    case MEM_POOL:
        MUST(cuda, cuMemAllocAsync(&address, bytes, NULL));
        MUST(cuda, cuCtxSynchronize());
        break;
    case MEM_CUDA:
        MUST(cuda, cuMemAlloc_v2(&address, bytes));
        break;
    case MEM_HIP:
        MUST(hip, hipMalloc(&ptr, bytes));
        break;
    case MEM_ZE:
        must(mem_ze_device(&ptr, bytes), "zeMemAllocDevice");
        break;
    case MEM_ZE_PINNED:
        must(mem_ze_pinned(&ptr, bytes), "zeMemAllocHost");
        break;
    case MEM_ZE_MANAGED:
        must(mem_ze_managed(&ptr, bytes), "zeMemAllocShared");
        break;
    case MEM_KINDS:
        break;
    }
    return ptr != NULL ? ptr : (char *)(uintptr_t)address;
}

static void release(enum mem_kind kind, char *block)
{
    make_current(kind);
    switch (kind) {
    case MEM_HOST:
        free(block);
        break;
    case MEM_PINNED:
        MUST(cuda, cuMemFreeHost(block));
        break;
    case MEM_MANAGED:
    case MEM_CUDA:
        MUST(cuda, cuMemFree_v2((uintptr_t)block));
        break;
    case MEM_POOL:
        MUST(cuda, cuMemFreeAsync((uintptr_t)block, NULL));
        MUST(cuda, cuCtxSynchronize());
        break;
    case MEM_HIP:
        MUST(hip, hipFree(block));
        break;
    case MEM_ZE:
    case MEM_ZE_PINNED:
    case MEM_ZE_MANAGED:
        must(mem_ze_free(block), "zeMemFree");
        break;
    case MEM_KINDS:
        break;
    }
}

enum mem_kind mem_second(int which)
{
    return mem_available(MEM_HIP, which) ? MEM_HIP : MEM_CUDA;
}

struct mem mem_new(enum mem_kind kind, size_t bytes)
{
    struct mem mem = {.kind = kind};

    mem.block_bytes = bytes + (size_t)2 * MEM_GUARD_BYTES;
    mem.block = allocate(kind, mem.block_bytes);
    mem.image = malloc(mem.block_bytes);
    if (mem.block == NULL || mem.image == NULL)
        must(1, "malloc");
    mem.buffer = mem.block + MEM_GUARD_BYTES;
    mem.elements = mem.image + MEM_GUARD_BYTES;
    for (size_t i = 0; i < mem.block_bytes; i++)
        mem.image[i] = (unsigned char)(0xa0 + i % 23);
    return mem;
}

void mem_delete(struct mem *mem)
{
    if (mem->block != NULL)
        release(mem->kind, mem->block);
    free(mem->image);
    *mem = (struct mem){.kind = MEM_HOST};
}

void mem_upload(const struct mem *mem)
{
    enum vendor vendor = vendor_of(mem->kind);

    make_current(mem->kind);
    if (is_hosts(mem->kind))
        memcpy(mem->block, mem->image, mem->block_bytes);
    else if (vendor == HIP)
        MUST(hip, hipMemcpy(mem->block, mem->image, mem->block_bytes,
                            HIP_TO_DEVICE));
    else if (vendor == ZE)
        must(mem_ze_copy(mem->block, mem->image, mem->block_bytes),
             "a Level Zero copy");
    else
        MUST(cuda, cuMemcpyHtoD_v2((uintptr_t)mem->block, mem->image,
                                   mem->block_bytes));
}

void mem_download(const struct mem *mem, void *copy)
{
    enum vendor vendor = vendor_of(mem->kind);

    make_current(mem->kind);
    if (is_hosts(mem->kind))
        memcpy(copy, mem->block, mem->block_bytes);
    else if (vendor == HIP)
        MUST(hip, hipMemcpy(copy, mem->block, mem->block_bytes, HIP_TO_HOST));
    else if (vendor == ZE)
        must(mem_ze_copy(copy, mem->block, mem->block_bytes),
             "a Level Zero copy");
    else
        MUST(cuda,
             cuMemcpyDtoH_v2(copy, (uintptr_t)mem->block, mem->block_bytes));
}

long mem_compare(const struct mem *mem, int *is, int *should)
{
    unsigned char *copy = malloc(mem->block_bytes);
    long           differs = LONG_MIN;

    if (copy == NULL)
        must(1, "malloc");
    mem_download(mem, copy);
    for (size_t i = 0; i < mem->block_bytes && differs == LONG_MIN; i++) {
        if (copy[i] == mem->image[i])
            continue;
        differs = (long)i - MEM_GUARD_BYTES;
        *is = copy[i];
        *should = mem->image[i];
    }
    free(copy);
    return differs;
}
