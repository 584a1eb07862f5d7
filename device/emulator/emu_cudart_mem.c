/*
 * The emulated CUDA runtime: allocation, registration, attributes, pools.
 */

#include "device/emulator/emu_cudart.h"

#include <string.h>

/* Rows of pitched memory begin at multiples of this (bytes), as on today's
 * devices. */
#define PITCH_BYTES 512

/* CUpointer_attribute, CUmemorytype and cudaMemoryType */
enum { ATTR_TYPE = 2, ATTR_DEVICE_PTR, ATTR_HOST_PTR };
enum { ATTR_MANAGED = 8, ATTR_ORDINAL = 9 };
enum { DRIVER_HOST = 1, DRIVER_DEVICE = 2 };
enum { TYPE_UNREGISTERED, TYPE_HOST, TYPE_DEVICE, TYPE_MANAGED };

struct pointer_attributes {
    int   type;
    int   device;
    void *device_ptr;
    void *host_ptr;
#if EMU_CUDART >= 13000
    long reserved[8];
#endif
};

/* cudaMalloc(&p, 0) succeeds with NULL; the driver would refuse it. */
RT_API int cudaMalloc(void **ptr, size_t bytes)
{
    uintptr_t address = 0;
    int       code = rt_ready();

    if (!ptr)
        return rt_result(RT_INVALID_VALUE);
    if (code == RT_SUCCESS && bytes > 0)
        code = cuMemAlloc_v2(&address, bytes);
    if (code == RT_SUCCESS)
        *ptr = (void *)address;
    return rt_result(code);
}

RT_API int cudaMallocPitch(void **ptr, size_t *pitch_bytes, size_t width_bytes,
                           size_t height)
{
    size_t pitch = (width_bytes + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
    size_t bytes;
    int    code;

    if (!pitch_bytes || pitch < width_bytes ||
        __builtin_mul_overflow(pitch, height, &bytes))
        return rt_result(RT_INVALID_VALUE);
    code = cudaMalloc(ptr, bytes);
    if (code == RT_SUCCESS)
        *pitch_bytes = pitch;
    return code;
}

/* cudaFree(NULL) is the usual way to make the runtime initialise. */
RT_API int cudaFree(void *ptr)
{
    int code = rt_ready();

    if (code == RT_SUCCESS && ptr)
        code = cuMemFree_v2((uintptr_t)ptr);
    return rt_result(code);
}

RT_API int cudaHostAlloc(void **ptr, size_t bytes, unsigned flags)
{
    void *host = NULL;
    int   code = rt_ready();

    if (!ptr)
        return rt_result(RT_INVALID_VALUE);
    if (code == RT_SUCCESS && bytes > 0)
        code = cuMemHostAlloc(&host, bytes, flags);
    if (code == RT_SUCCESS)
        *ptr = host;
    return rt_result(code);
}

RT_API int cudaMallocHost(void **ptr, size_t bytes)
{
    return cudaHostAlloc(ptr, bytes, 0);
}

RT_API int cudaFreeHost(void *ptr)
{
    int code = rt_ready();

    if (code == RT_SUCCESS && ptr)
        code = cuMemFreeHost(ptr);
    return rt_result(code);
}

RT_API int cudaHostRegister(void *ptr, size_t bytes, unsigned flags)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemHostRegister_v2(ptr, bytes, flags);
    return rt_result(code);
}

RT_API int cudaHostUnregister(void *ptr)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemHostUnregister(ptr);
    return rt_result(code);
}

RT_API int cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    uintptr_t address = 0;
    int       code = rt_ready();

    if (!device)
        return rt_result(RT_INVALID_VALUE);
    if (code == RT_SUCCESS)
        code = cuMemHostGetDevicePointer_v2(&address, host, flags);
    if (code == RT_SUCCESS)
        *device = (void *)address;
    return rt_result(code);
}

RT_API int cudaHostGetFlags(unsigned *flags, void *ptr)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemHostGetFlags(flags, ptr);
    return rt_result(code);
}

RT_API int cudaMallocManaged(void **ptr, size_t bytes, unsigned flags)
{
    uintptr_t address = 0;
    int       code = rt_ready();

    if (!ptr)
        return rt_result(RT_INVALID_VALUE);
    if (code == RT_SUCCESS)
        code = cuMemAllocManaged(&address, bytes, flags);
    if (code == RT_SUCCESS)
        *ptr = (void *)address;
    return rt_result(code);
}

RT_API int cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemGetInfo_v2(free_bytes, total_bytes);
    return rt_result(code);
}

RT_API int cudaPointerGetAttributes(struct pointer_attributes *out,
                                    const void                *ptr)
{
    unsigned type = 0;
    int      managed = 0, ordinal = -2;
    void    *device_ptr = NULL, *host_ptr = NULL;
    int      names[] = {ATTR_TYPE, ATTR_DEVICE_PTR, ATTR_HOST_PTR, ATTR_MANAGED,
                        ATTR_ORDINAL};
    void    *values[] = {&type, &device_ptr, &host_ptr, &managed, &ordinal};
    int      code = rt_ready();

    if (!out)
        return rt_result(RT_INVALID_VALUE);
    if (code == RT_SUCCESS)
        code = cuPointerGetAttributes(5, names, values, (uintptr_t)ptr);
    if (code != RT_SUCCESS)
        return rt_result(code);

    memset(out, 0, sizeof(*out));
    out->device = ordinal;
    out->device_ptr = device_ptr;
    out->host_ptr = host_ptr;
    if (managed & 0xff) /* the driver writes one byte */
        out->type = TYPE_MANAGED;
    else if (type == DRIVER_HOST)
        out->type = TYPE_HOST;
    else if (type == DRIVER_DEVICE)
        out->type = TYPE_DEVICE;
    else
        out->host_ptr = (void *)ptr; /* taken for ordinary host memory */
    return RT_SUCCESS;
}

static int prefetch(const void *ptr, size_t bytes, int device, void *stream)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemPrefetchAsync((uintptr_t)ptr, bytes, device, stream);
    return rt_result(code);
}

static int advise(const void *ptr, size_t bytes, int advice, int device)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemAdvise((uintptr_t)ptr, bytes, advice, device);
    return rt_result(code);
}

/* CUDA 13 took the plain names for what CUDA 12 calls _v2. */
#if EMU_CUDART >= 13000
#define PREFETCH_LOCATION      cudaMemPrefetchAsync
#define PREFETCH_LOCATION_PTSZ cudaMemPrefetchAsync_ptsz
#define ADVISE_LOCATION        cudaMemAdvise
#else
#define PREFETCH_LOCATION      cudaMemPrefetchAsync_v2
#define PREFETCH_LOCATION_PTSZ cudaMemPrefetchAsync_v2_ptsz
#define ADVISE_LOCATION        cudaMemAdvise_v2

RT_API int cudaMemPrefetchAsync(const void *ptr, size_t bytes, int device,
                                void *stream)
{
    return prefetch(ptr, bytes, device, stream);
}

RT_API int cudaMemPrefetchAsync_ptsz(const void *ptr, size_t bytes, int device,
                                     void *stream)
{
    return prefetch(ptr, bytes, device, rt_per_thread(stream));
}

RT_API int cudaMemAdvise(const void *ptr, size_t bytes, int advice, int device)
{
    return advise(ptr, bytes, advice, device);
}
#endif

#if EMU_CUDART >= 12000
/* The older interface names a device, -1 the host; the newer a location. */
static int device_of(struct rt_location location)
{
    return location.type == 1 ? location.id : -1;
}

RT_API int PREFETCH_LOCATION(const void *ptr, size_t bytes,
                             struct rt_location location, unsigned flags,
                             void *stream)
{
    if (flags)
        return rt_result(RT_INVALID_VALUE);
    return prefetch(ptr, bytes, device_of(location), stream);
}

RT_API int PREFETCH_LOCATION_PTSZ(const void *ptr, size_t bytes,
                                  struct rt_location location, unsigned flags,
                                  void *stream)
{
    return PREFETCH_LOCATION(ptr, bytes, location, flags,
                             rt_per_thread(stream));
}

RT_API int ADVISE_LOCATION(const void *ptr, size_t bytes, int advice,
                           struct rt_location location)
{
    return advise(ptr, bytes, advice, device_of(location));
}
#endif
