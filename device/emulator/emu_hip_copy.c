/*
 * The emulated HIP runtime: copies and fills.
 */

#include "device/emulator/emu_hip.h"

/* hipMemcpyDeviceToDeviceNoCU, from HIP 6 on */
#define COPY_DEV_DEV_NO_CU 1024

static bool kind_is_valid(int kind)
{
#if EMU_HIP >= 6
    if (kind == COPY_DEV_DEV_NO_CU)
        return true;
#endif
    return kind >= HC_HIP_COPY_HOST_HOST && kind <= HC_HIP_COPY_DEFAULT;
}

/* Two pageable sides are a copy within the host, whatever the kind says; only
 * HostToHost and Default may say so. */
static int check_sides(const void *dst, const void *src, int kind)
{
    struct emu_range range;

    if (!kind_is_valid(kind))
        return HC_HIP_INVALID_DIRECTION;
    if (!dst || !src)
        return HC_HIP_INVALID_VALUE;
    if (kind == HC_HIP_COPY_HOST_HOST || kind == HC_HIP_COPY_DEFAULT)
        return HC_HIP_SUCCESS;
    return emu_query(dst, &range) && emu_query(src, &range)
               ? HC_HIP_INVALID_VALUE
               : HC_HIP_SUCCESS;
}

/* code: how entering went */
static int copy_entered(int code, const struct emu_copy *what, int kind,
                        void *handle, bool wait)
{
    struct emu_stream *stream;

    if (code == EMU_OK && wait)
        code = emu_capture_unsafe();
    if (code != EMU_OK || what->width == 0 || what->height == 0)
        return hip_leave(code);
    code = check_sides(what->dst, what->src, kind);
    if (code == HC_HIP_SUCCESS && what->height > 1 &&
        (what->width > what->dst_pitch || what->width > what->src_pitch))
        code = HC_HIP_INVALID_PITCH;
    if (code == HC_HIP_SUCCESS && what->height > 1 &&
        (what->dst_pitch > HIP_MAX_PITCH || what->src_pitch > HIP_MAX_PITCH))
        code = HC_HIP_INVALID_VALUE;
    if (code == HC_HIP_SUCCESS)
        code = hip_stream(handle, &stream);
    if (code == HC_HIP_SUCCESS)
        code = emu_copy(stream, what, wait);
    return hip_leave(code);
}

static int copy(const char *function, const struct emu_copy *what, int kind,
                void *handle, bool wait)
{
    struct emu_context *context;
    int                 code = hip_enter_context(function, &context);

    return copy_entered(code, what, kind, handle, wait);
}

static struct emu_copy linear(void *dst, const void *src, size_t bytes)
{
    return (struct emu_copy){
        .dst = dst,
        .src = src,
        .width = bytes,
        .height = 1,
        .dst_pitch = bytes,
        .src_pitch = bytes,
    };
}

static int copy_linear(const char *function, void *dst, const void *src,
                       size_t bytes, int kind, void *handle, bool wait)
{
    struct emu_copy what = linear(dst, src, bytes);

    return copy(function, &what, kind, handle, wait);
}

HIP_API int hipMemcpy(void *dst, const void *src, size_t bytes, int kind)
{
    return copy_linear(__func__, dst, src, bytes, kind, NULL, true);
}

HIP_API int hipMemcpyWithStream(void *dst, const void *src, size_t bytes,
                                int kind, void *handle)
{
    return copy_linear(__func__, dst, src, bytes, kind, handle, true);
}

HIP_API int hipMemcpyAsync(void *dst, const void *src, size_t bytes, int kind,
                           void *handle)
{
    return copy_linear(__func__, dst, src, bytes, kind, handle, false);
}

HIP_API int hipMemcpyHtoD(void *dst, void *src, size_t bytes)
{
    return copy_linear(__func__, dst, src, bytes, HC_HIP_COPY_HOST_DEV, NULL,
                       true);
}

HIP_API int hipMemcpyDtoH(void *dst, void *src, size_t bytes)
{
    return copy_linear(__func__, dst, src, bytes, HC_HIP_COPY_DEV_HOST, NULL,
                       true);
}

HIP_API int hipMemcpyDtoD(void *dst, void *src, size_t bytes)
{
    return copy_linear(__func__, dst, src, bytes, HC_HIP_COPY_DEV_DEV, NULL,
                       true);
}

HIP_API int hipMemcpyHtoDAsync(void *dst, void *src, size_t bytes, void *handle)
{
    return copy_linear(__func__, dst, src, bytes, HC_HIP_COPY_HOST_DEV, handle,
                       false);
}

HIP_API int hipMemcpyDtoHAsync(void *dst, void *src, size_t bytes, void *handle)
{
    return copy_linear(__func__, dst, src, bytes, HC_HIP_COPY_DEV_HOST, handle,
                       false);
}

HIP_API int hipMemcpyDtoDAsync(void *dst, void *src, size_t bytes, void *handle)
{
    return copy_linear(__func__, dst, src, bytes, HC_HIP_COPY_DEV_DEV, handle,
                       false);
}

static int copy_peer(const char *function, void *dst, int dst_device,
                     const void *src, int src_device, size_t bytes,
                     void *handle, bool wait)
{
    struct emu_copy     what = linear(dst, src, bytes);
    struct emu_context *context;
    int                 code = hip_enter_context(function, &context);

    if (code == EMU_OK)
        code = hip_check_device(dst_device);
    if (code == EMU_OK)
        code = hip_check_device(src_device);
    return copy_entered(code, &what, HC_HIP_COPY_DEV_DEV, handle, wait);
}

HIP_API int hipMemcpyPeer(void *dst, int dst_device, const void *src,
                          int src_device, size_t bytes)
{
    return copy_peer(__func__, dst, dst_device, src, src_device, bytes, NULL,
                     true);
}

HIP_API int hipMemcpyPeerAsync(void *dst, int dst_device, const void *src,
                               int src_device, size_t bytes, void *handle)
{
    return copy_peer(__func__, dst, dst_device, src, src_device, bytes, handle,
                     false);
}

HIP_API int hipMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src,
                             size_t src_pitch, size_t width, size_t height,
                             int kind, void *handle)
{
    struct emu_copy what = {dst, src, width, height, dst_pitch, src_pitch};

    return copy(__func__, &what, kind, handle, false);
}

HIP_API int hipMemcpy2D(void *dst, size_t dst_pitch, const void *src,
                        size_t src_pitch, size_t width, size_t height, int kind)
{
    struct emu_copy what = {dst, src, width, height, dst_pitch, src_pitch};

    return copy(__func__, &what, kind, NULL, true);
}

/* hip_Memcpy2D names host and device pointers apart and starts inside. */
static int copy_param(const char *function, const struct hc_hip_copy_2d *param,
                      void *handle, bool wait)
{
    struct emu_copy what;
    const char     *src;
    char           *dst;
    int             host = hc_hip_type_host(EMU_HIP);

    if (!param || param->src_array || param->dst_array)
        return hip_leave(param ? HC_HIP_NOT_SUPPORTED : HC_HIP_INVALID_VALUE);
    src = param->src_type == host ? param->src_host : param->src_device;
    dst = param->dst_type == host ? param->dst_host : param->dst_device;
    if (!src || !dst)
        return hip_leave(HC_HIP_INVALID_VALUE);
    what = (struct emu_copy){
        .dst = dst + param->dst_y * param->dst_pitch_bytes + param->dst_x_bytes,
        .src = src + param->src_y * param->src_pitch_bytes + param->src_x_bytes,
        .width = param->width_bytes,
        .height = param->height,
        .dst_pitch = param->dst_pitch_bytes,
        .src_pitch = param->src_pitch_bytes,
    };
    return copy(function, &what, HC_HIP_COPY_DEFAULT, handle, wait);
}

HIP_API int hipMemcpyParam2D(const struct hc_hip_copy_2d *param)
{
    return copy_param(__func__, param, NULL, true);
}

HIP_API int hipMemcpyParam2DAsync(const struct hc_hip_copy_2d *param,
                                  void                        *handle)
{
    return copy_param(__func__, param, handle, false);
}

/* ------------------------------------------------------------------ fills */

static int fill(const char *function, const struct emu_fill *what, void *handle,
                bool wait)
{
    struct emu_context *context;
    struct emu_stream  *stream;
    struct emu_range    range;
    int                 code = hip_enter_context(function, &context);

    if (code == EMU_OK && wait)
        code = emu_capture_unsafe();
    if (code != EMU_OK || what->count == 0 || what->height == 0)
        return hip_leave(code);
    if (emu_query(what->dst, &range))
        code = HC_HIP_INVALID_VALUE;
    if (code == HC_HIP_SUCCESS)
        code = hip_stream(handle, &stream);
    if (code == HC_HIP_SUCCESS)
        code = emu_fill(stream, what, wait);
    return hip_leave(code);
}

static int fill_linear(const char *function, void *dst, uint32_t value,
                       unsigned element_bytes, size_t count, void *handle,
                       bool wait)
{
    struct emu_fill what = {
        .dst = dst,
        .value = value,
        .element_bytes = element_bytes,
        .count = count,
        .height = 1,
        .pitch = count * element_bytes,
    };

    return fill(function, &what, handle, wait);
}

HIP_API int hipMemset(void *dst, int value, size_t bytes)
{
    return fill_linear(__func__, dst, value & 0xff, 1, bytes, NULL, true);
}

HIP_API int hipMemsetAsync(void *dst, int value, size_t bytes, void *handle)
{
    return fill_linear(__func__, dst, value & 0xff, 1, bytes, handle, false);
}

HIP_API int hipMemsetD8(void *dst, unsigned char value, size_t count)
{
    return fill_linear(__func__, dst, value, 1, count, NULL, true);
}

HIP_API int hipMemsetD8Async(void *dst, unsigned char value, size_t count,
                             void *handle)
{
    return fill_linear(__func__, dst, value, 1, count, handle, false);
}

HIP_API int hipMemsetD16(void *dst, unsigned short value, size_t count)
{
    return fill_linear(__func__, dst, value, 2, count, NULL, true);
}

HIP_API int hipMemsetD16Async(void *dst, unsigned short value, size_t count,
                              void *handle)
{
    return fill_linear(__func__, dst, value, 2, count, handle, false);
}

HIP_API int hipMemsetD32(void *dst, int value, size_t count)
{
    return fill_linear(__func__, dst, (uint32_t)value, 4, count, NULL, true);
}

HIP_API int hipMemsetD32Async(void *dst, int value, size_t count, void *handle)
{
    return fill_linear(__func__, dst, (uint32_t)value, 4, count, handle, false);
}

static int fill_2d(const char *function, void *dst, size_t pitch, int value,
                   size_t width, size_t height, void *handle, bool wait)
{
    struct emu_fill what = {
        .dst = dst,
        .value = value & 0xff,
        .element_bytes = 1,
        .count = width,
        .height = height,
        .pitch = pitch,
    };

    if (width > pitch)
        return hip_leave(HC_HIP_INVALID_VALUE);
    return fill(function, &what, handle, wait);
}

HIP_API int hipMemset2D(void *dst, size_t pitch, int value, size_t width,
                        size_t height)
{
    return fill_2d(__func__, dst, pitch, value, width, height, NULL, true);
}

HIP_API int hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width,
                             size_t height, void *handle)
{
    return fill_2d(__func__, dst, pitch, value, width, height, handle, false);
}
