/*
 * The emulated CUDA runtime: copies and fills.
 *
 * The direction is passed on as the driver call it names, so that a wrong one
 * fails as on hardware.  Names ending in _ptsz and _ptds are what programs call
 * that were compiled with a per-thread default stream.
 */

#include "device/emulator/emu_cudart.h"

static int copy(void *dst, const void *src, size_t bytes, int kind)
{
    uintptr_t to = (uintptr_t)dst, from = (uintptr_t)src;

    switch (kind) {
    case RT_HOST_DEV:
        return cuMemcpyHtoD_v2(to, src, bytes);
    case RT_DEV_HOST:
        return cuMemcpyDtoH_v2(dst, from, bytes);
    case RT_DEV_DEV:
        return cuMemcpyDtoD_v2(to, from, bytes);
    default:
        return cuMemcpy(to, from, bytes);
    }
}

static int copy_async(void *dst, const void *src, size_t bytes, int kind,
                      void *stream)
{
    uintptr_t to = (uintptr_t)dst, from = (uintptr_t)src;

    switch (kind) {
    case RT_HOST_DEV:
        return cuMemcpyHtoDAsync_v2(to, src, bytes, stream);
    case RT_DEV_HOST:
        return cuMemcpyDtoHAsync_v2(dst, from, bytes, stream);
    case RT_DEV_DEV:
        return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
    default:
        return cuMemcpyAsync(to, from, bytes, stream);
    }
}

static int ready_to_copy(int kind)
{
    if (kind < RT_HOST_HOST || kind > RT_DEFAULT)
        return RT_INVALID_DIRECTION;
    return rt_ready();
}

RT_API int cudaMemcpy(void *dst, const void *src, size_t bytes, int kind)
{
    int code = ready_to_copy(kind);

    if (code == RT_SUCCESS && bytes > 0)
        code = copy(dst, src, bytes, kind);
    return rt_result(code);
}

RT_API int cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind,
                           void *stream)
{
    int code = ready_to_copy(kind);

    if (code == RT_SUCCESS && bytes > 0)
        code = copy_async(dst, src, bytes, kind, stream);
    return rt_result(code);
}

RT_API int cudaMemcpyAsync_ptsz(void *dst, const void *src, size_t bytes,
                                int kind, void *stream)
{
    return cudaMemcpyAsync(dst, src, bytes, kind, rt_per_thread(stream));
}

static int finish_thread(int code)
{
    if (code == RT_SUCCESS)
        code = rt_result(cuStreamSynchronize(RT_STREAM_PER_THREAD));
    return code;
}

RT_API int cudaMemcpy_ptds(void *dst, const void *src, size_t bytes, int kind)
{
    return finish_thread(
        cudaMemcpyAsync(dst, src, bytes, kind, RT_STREAM_PER_THREAD));
}

/* The two primary contexts that a copy between devices names. */
static int peer_contexts(int dst_device, int src_device, void **dst_context,
                         void **src_context)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = rt_primary(dst_device, dst_context);
    if (code == RT_SUCCESS)
        code = rt_primary(src_device, src_context);
    return code;
}

RT_API int cudaMemcpyPeer(void *dst, int dst_device, const void *src,
                          int src_device, size_t bytes)
{
    void *to, *from;
    int   code = peer_contexts(dst_device, src_device, &to, &from);

    if (code == RT_SUCCESS && bytes > 0)
        code = cuMemcpyPeer((uintptr_t)dst, to, (uintptr_t)src, from, bytes);
    return rt_result(code);
}

RT_API int cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src,
                               int src_device, size_t bytes, void *stream)
{
    void *to, *from;
    int   code = peer_contexts(dst_device, src_device, &to, &from);

    if (code == RT_SUCCESS && bytes > 0)
        code = cuMemcpyPeerAsync((uintptr_t)dst, to, (uintptr_t)src, from,
                                 bytes, stream);
    return rt_result(code);
}

/* CUmemorytype of each side of a direction; 4 lets the driver find out. */
static unsigned side_type(int kind, bool is_dst)
{
    switch (kind) {
    case RT_HOST_HOST:
        return 1;
    case RT_HOST_DEV:
        return is_dst ? 2 : 1;
    case RT_DEV_HOST:
        return is_dst ? 1 : 2;
    case RT_DEV_DEV:
        return 2;
    default:
        return 4;
    }
}

static int describe_2d(struct rt_copy_2d *out, void *dst, size_t dst_pitch,
                       const void *src, size_t src_pitch, size_t width,
                       size_t height, int kind)
{
    int code = ready_to_copy(kind);

    if (code != RT_SUCCESS)
        return code;
    if (width > dst_pitch || width > src_pitch)
        return RT_INVALID_PITCH;
    *out = (struct rt_copy_2d){
        .src_type = side_type(kind, false),
        .src_host = src,
        .src_device = (uintptr_t)src,
        .src_pitch_bytes = src_pitch,
        .dst_type = side_type(kind, true),
        .dst_host = dst,
        .dst_device = (uintptr_t)dst,
        .dst_pitch_bytes = dst_pitch,
        .width_bytes = width,
        .height = height,
    };
    return RT_SUCCESS;
}

RT_API int cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src,
                        size_t src_pitch, size_t width, size_t height, int kind)
{
    struct rt_copy_2d what;
    int               code =
        describe_2d(&what, dst, dst_pitch, src, src_pitch, width, height, kind);

    if (code == RT_SUCCESS && width > 0 && height > 0)
        code = cuMemcpy2DUnaligned_v2(&what);
    return rt_result(code);
}

RT_API int cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src,
                             size_t src_pitch, size_t width, size_t height,
                             int kind, void *stream)
{
    struct rt_copy_2d what;
    int               code =
        describe_2d(&what, dst, dst_pitch, src, src_pitch, width, height, kind);

    if (code == RT_SUCCESS && width > 0 && height > 0)
        code = cuMemcpy2DAsync_v2(&what, stream);
    return rt_result(code);
}

RT_API int cudaMemcpy2DAsync_ptsz(void *dst, size_t dst_pitch, const void *src,
                                  size_t src_pitch, size_t width, size_t height,
                                  int kind, void *stream)
{
    return cudaMemcpy2DAsync(dst, dst_pitch, src, src_pitch, width, height,
                             kind, rt_per_thread(stream));
}

RT_API int cudaMemcpy2D_ptds(void *dst, size_t dst_pitch, const void *src,
                             size_t src_pitch, size_t width, size_t height,
                             int kind)
{
    return finish_thread(cudaMemcpy2DAsync(dst, dst_pitch, src, src_pitch,
                                           width, height, kind,
                                           RT_STREAM_PER_THREAD));
}

RT_API int cudaMemset(void *ptr, int value, size_t bytes)
{
    int code = rt_ready();

    if (code == RT_SUCCESS && bytes > 0)
        code = cuMemsetD8_v2((uintptr_t)ptr, (unsigned char)value, bytes);
    return rt_result(code);
}

RT_API int cudaMemsetAsync(void *ptr, int value, size_t bytes, void *stream)
{
    int code = rt_ready();

    if (code == RT_SUCCESS && bytes > 0)
        code = cuMemsetD8Async((uintptr_t)ptr, (unsigned char)value, bytes,
                               stream);
    return rt_result(code);
}

RT_API int cudaMemsetAsync_ptsz(void *ptr, int value, size_t bytes,
                                void *stream)
{
    return cudaMemsetAsync(ptr, value, bytes, rt_per_thread(stream));
}

RT_API int cudaMemset_ptds(void *ptr, int value, size_t bytes)
{
    return cudaMemsetAsync(ptr, value, bytes, RT_STREAM_PER_THREAD);
}

RT_API int cudaMemset2D(void *ptr, size_t pitch, int value, size_t width,
                        size_t height)
{
    int code = rt_ready();

    if (width > pitch)
        return rt_result(RT_INVALID_PITCH);
    if (code == RT_SUCCESS && width > 0 && height > 0)
        code = cuMemsetD2D8_v2((uintptr_t)ptr, pitch, (unsigned char)value,
                               width, height);
    return rt_result(code);
}

RT_API int cudaMemset2DAsync(void *ptr, size_t pitch, int value, size_t width,
                             size_t height, void *stream)
{
    int code = rt_ready();

    if (width > pitch)
        return rt_result(RT_INVALID_PITCH);
    if (code == RT_SUCCESS && width > 0 && height > 0)
        code = cuMemsetD2D8Async((uintptr_t)ptr, pitch, (unsigned char)value,
                                 width, height, stream);
    return rt_result(code);
}

RT_API int cudaMemset2DAsync_ptsz(void *ptr, size_t pitch, int value,
                                  size_t width, size_t height, void *stream)
{
    return cudaMemset2DAsync(ptr, pitch, value, width, height,
                             rt_per_thread(stream));
}

RT_API int cudaMemset2D_ptds(void *ptr, size_t pitch, int value, size_t width,
                             size_t height)
{
    return cudaMemset2DAsync(ptr, pitch, value, width, height,
                             RT_STREAM_PER_THREAD);
}
