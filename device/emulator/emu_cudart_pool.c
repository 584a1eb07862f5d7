/*
 * The emulated CUDA runtime: stream-ordered allocation and its pools.
 */

#include "device/emulator/emu_cudart.h"

RT_API int cudaMallocFromPoolAsync(void **ptr, size_t bytes, void *pool,
                                   void *stream)
{
    uintptr_t address = 0;
    int       code = rt_ready();

    if (!ptr)
        return rt_result(RT_INVALID_VALUE);
    if (code == RT_SUCCESS && bytes > 0)
        code = cuMemAllocFromPoolAsync(&address, bytes, pool, stream);
    if (code == RT_SUCCESS)
        *ptr = (void *)address;
    return rt_result(code);
}

RT_API int cudaMallocFromPoolAsync_ptsz(void **ptr, size_t bytes, void *pool,
                                        void *stream)
{
    return cudaMallocFromPoolAsync(ptr, bytes, pool, rt_per_thread(stream));
}

RT_API int cudaMallocAsync(void **ptr, size_t bytes, void *stream)
{
    uintptr_t address = 0;
    int       code = rt_ready();

    if (!ptr)
        return rt_result(RT_INVALID_VALUE);
    if (code == RT_SUCCESS && bytes > 0)
        code = cuMemAllocAsync(&address, bytes, stream);
    if (code == RT_SUCCESS)
        *ptr = (void *)address;
    return rt_result(code);
}

RT_API int cudaMallocAsync_ptsz(void **ptr, size_t bytes, void *stream)
{
    return cudaMallocAsync(ptr, bytes, rt_per_thread(stream));
}

RT_API int cudaFreeAsync(void *ptr, void *stream)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemFreeAsync((uintptr_t)ptr, stream);
    return rt_result(code);
}

RT_API int cudaFreeAsync_ptsz(void *ptr, void *stream)
{
    return cudaFreeAsync(ptr, rt_per_thread(stream));
}

RT_API int cudaDeviceGetDefaultMemPool(void **pool, int device)
{
    int code = rt_init();

    if (code == RT_SUCCESS)
        code = cuDeviceGetDefaultMemPool(pool, device);
    return rt_result(code);
}

RT_API int cudaDeviceGetMemPool(void **pool, int device)
{
    int code = rt_init();

    if (code == RT_SUCCESS)
        code = cuDeviceGetMemPool(pool, device);
    return rt_result(code);
}

RT_API int cudaDeviceSetMemPool(int device, void *pool)
{
    int code = rt_init();

    if (code == RT_SUCCESS)
        code = cuDeviceSetMemPool(device, pool);
    return rt_result(code);
}

/* cudaMemPoolProps and cudaMemAccessDesc have the driver's layout. */
RT_API int cudaMemPoolCreate(void **pool, const void *props)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemPoolCreate(pool, props);
    return rt_result(code);
}

RT_API int cudaMemPoolDestroy(void *pool)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemPoolDestroy(pool);
    return rt_result(code);
}

RT_API int cudaMemPoolTrimTo(void *pool, size_t keep_bytes)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemPoolTrimTo(pool, keep_bytes);
    return rt_result(code);
}

RT_API int cudaMemPoolSetAttribute(void *pool, int attribute, void *value)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemPoolSetAttribute(pool, attribute, value);
    return rt_result(code);
}

RT_API int cudaMemPoolGetAttribute(void *pool, int attribute, void *value)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemPoolGetAttribute(pool, attribute, value);
    return rt_result(code);
}

RT_API int cudaMemPoolSetAccess(void *pool, const void *access, size_t count)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemPoolSetAccess(pool, access, count);
    return rt_result(code);
}

RT_API int cudaMemPoolGetAccess(int *flags, void *pool, void *location)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemPoolGetAccess(flags, pool, location);
    return rt_result(code);
}

RT_API int cudaMemPoolExportToShareableHandle(void *handle, void *pool,
                                              int type, unsigned flags)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemPoolExportToShareableHandle(handle, pool, type, flags);
    return rt_result(code);
}

RT_API int cudaMemPoolImportFromShareableHandle(void **pool, void *handle,
                                                int type, unsigned flags)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemPoolImportFromShareableHandle(pool, handle, type, flags);
    return rt_result(code);
}

RT_API int cudaMemPoolExportPointer(void *export_data, void *ptr)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuMemPoolExportPointer(export_data, (uintptr_t)ptr);
    return rt_result(code);
}

RT_API int cudaMemPoolImportPointer(void **ptr, void *pool, void *export_data)
{
    uintptr_t address = 0;
    int       code = rt_ready();

    if (!ptr)
        return rt_result(RT_INVALID_VALUE);
    if (code == RT_SUCCESS)
        code = cuMemPoolImportPointer(&address, pool, export_data);
    if (code == RT_SUCCESS)
        *ptr = (void *)address;
    return rt_result(code);
}
