#include "device/emulator/emu_cuda.h"

#include <limits.h>

/* Sides that a function's name promises; the rest is up to the address. */
enum sides { ANY = 0, DST_DEVICE = 1, SRC_DEVICE = 2 };

static bool known(const void *p, struct emu_range *range_out)
{
    return emu_query(p, range_out) == EMU_OK;
}

static bool in_device(const void *p)
{
    struct emu_range range;

    return known(p, &range) &&
           (range.kind & (EMU_PINNED | EMU_REGISTERED)) == 0;
}

/* A "device pointer" of the ABI is whatever the driver knows, pinned host
 * memory too. */
static hc_cu_result check_sides(const struct emu_copy *copy, enum sides sides)
{
    struct emu_range range;

    if (copy->width == 0 || copy->height == 0)
        return HC_CU_SUCCESS;
    if (((sides & DST_DEVICE) != 0 && !known(copy->dst, &range)) ||
        ((sides & SRC_DEVICE) != 0 && !known(copy->src, &range)))
        return HC_CU_INVALID_VALUE;
    return HC_CU_SUCCESS;
}

static hc_cu_result copy_async(const char            *function,
                               const struct emu_copy *copy, enum sides sides,
                               struct hc_cu_stream *handle)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(function, handle, &stream);

    if (result == HC_CU_SUCCESS)
        result = check_sides(copy, sides);
    return result == HC_CU_SUCCESS ? emu_copy(stream, copy, false) : result;
}

static bool waits_for_device(const void *p)
{
    struct emu_range range;

    return known(p, &range) && range.sync_memops;
}

#define EARLY_BYTES ((size_t)64 << 10)

/*
 * What the driver documents for its synchronous copies: within devices none is
 * waited for, unless the memory has SYNC_MEMOPS; a short one from pageable
 * memory returns as soon as the bytes are taken; all others are complete.
 */
static bool must_wait(const struct emu_copy *copy)
{
    struct emu_range range;
    bool             to_device = in_device(copy->dst);

    if (waits_for_device(copy->dst) || waits_for_device(copy->src))
        return true;
    if (to_device && in_device(copy->src))
        return false;
    return !(to_device && !known(copy->src, &range) && copy->height == 1 &&
             copy->width <= EARLY_BYTES);
}

/* On the legacy stream. */
static hc_cu_result copy_sync(const char *function, const struct emu_copy *copy,
                              enum sides sides)
{
    struct emu_context *context;
    hc_cu_result        result = emu_cuda_enter_context(function, &context);

    if (result == HC_CU_SUCCESS)
        result = check_sides(copy, sides);
    return result == HC_CU_SUCCESS
               ? emu_copy(emu_stream_legacy(context), copy, must_wait(copy))
               : result;
}

static struct emu_copy linear(void *dst, const void *src, size_t bytes)
{
    return (struct emu_copy){
        .dst = dst, .src = src, .width = bytes, .height = 1};
}

hc_cu_result cuMemcpy(hc_cu_ptr dst, hc_cu_ptr src, size_t bytes)
{
    struct emu_copy copy =
        linear(emu_cuda_address(dst), emu_cuda_address(src), bytes);

    return copy_sync(__func__, &copy, ANY);
}

hc_cu_result cuMemcpyAsync(hc_cu_ptr dst, hc_cu_ptr src, size_t bytes,
                           struct hc_cu_stream *stream)
{
    struct emu_copy copy =
        linear(emu_cuda_address(dst), emu_cuda_address(src), bytes);

    return copy_async(__func__, &copy, ANY, stream);
}

hc_cu_result cuMemcpyHtoD_v2(hc_cu_ptr dst, const void *src, size_t bytes)
{
    struct emu_copy copy = linear(emu_cuda_address(dst), src, bytes);

    return copy_sync(__func__, &copy, DST_DEVICE);
}

hc_cu_result cuMemcpyDtoH_v2(void *dst, hc_cu_ptr src, size_t bytes)
{
    struct emu_copy copy = linear(dst, emu_cuda_address(src), bytes);

    return copy_sync(__func__, &copy, SRC_DEVICE);
}

hc_cu_result cuMemcpyDtoD_v2(hc_cu_ptr dst, hc_cu_ptr src, size_t bytes)
{
    struct emu_copy copy =
        linear(emu_cuda_address(dst), emu_cuda_address(src), bytes);

    return copy_sync(__func__, &copy, DST_DEVICE | SRC_DEVICE);
}

hc_cu_result cuMemcpyHtoDAsync_v2(hc_cu_ptr dst, const void *src, size_t bytes,
                                  struct hc_cu_stream *stream)
{
    struct emu_copy copy = linear(emu_cuda_address(dst), src, bytes);

    return copy_async(__func__, &copy, DST_DEVICE, stream);
}

hc_cu_result cuMemcpyDtoHAsync_v2(void *dst, hc_cu_ptr src, size_t bytes,
                                  struct hc_cu_stream *stream)
{
    struct emu_copy copy = linear(dst, emu_cuda_address(src), bytes);

    return copy_async(__func__, &copy, SRC_DEVICE, stream);
}

hc_cu_result cuMemcpyDtoDAsync_v2(hc_cu_ptr dst, hc_cu_ptr src, size_t bytes,
                                  struct hc_cu_stream *stream)
{
    struct emu_copy copy =
        linear(emu_cuda_address(dst), emu_cuda_address(src), bytes);

    return copy_async(__func__, &copy, DST_DEVICE | SRC_DEVICE, stream);
}

/* The contexts of a peer copy must live; the addresses say the rest. */
static hc_cu_result check_peers(struct hc_cu_context *dst_context,
                                struct hc_cu_context *src_context)
{
    return emu_context_valid((struct emu_context *)dst_context) &&
                   emu_context_valid((struct emu_context *)src_context)
               ? HC_CU_SUCCESS
               : HC_CU_INVALID_CONTEXT;
}

hc_cu_result cuMemcpyPeer(hc_cu_ptr dst, struct hc_cu_context *dst_context,
                          hc_cu_ptr src, struct hc_cu_context *src_context,
                          size_t bytes)
{
    struct emu_copy copy =
        linear(emu_cuda_address(dst), emu_cuda_address(src), bytes);
    hc_cu_result result = check_peers(dst_context, src_context);

    return result == HC_CU_SUCCESS
               ? copy_sync(__func__, &copy, DST_DEVICE | SRC_DEVICE)
               : result;
}

hc_cu_result cuMemcpyPeerAsync(hc_cu_ptr dst, struct hc_cu_context *dst_context,
                               hc_cu_ptr src, struct hc_cu_context *src_context,
                               size_t bytes, struct hc_cu_stream *stream)
{
    struct emu_copy copy =
        linear(emu_cuda_address(dst), emu_cuda_address(src), bytes);
    hc_cu_result result = check_peers(dst_context, src_context);

    return result == HC_CU_SUCCESS
               ? copy_async(__func__, &copy, DST_DEVICE | SRC_DEVICE, stream)
               : result;
}

/* ------------------------------------------------------------------ rows */

/* The address of one corner; NULL: none, or an array (not emulated). */
static void *corner(unsigned type, const void *host, hc_cu_ptr device,
                    size_t pitch, size_t x_bytes, size_t y)
{
    uintptr_t base =
        type == HC_CU_MEMORYTYPE_HOST ? (uintptr_t)host : (uintptr_t)device;

    if (type < HC_CU_MEMORYTYPE_HOST || type > HC_CU_MEMORYTYPE_UNIFIED ||
        type == HC_CU_MEMORYTYPE_ARRAY || base == 0)
        return NULL;
    return (void *)(base + y * pitch + x_bytes);
}

/* Of rows that begin x bytes in.  Drivers look at it even for a single row. */
static bool is_pitch(size_t pitch, size_t x_bytes, size_t width)
{
    return pitch <= EMU_CUDA_MAX_PITCH && x_bytes <= pitch &&
           width <= pitch - x_bytes;
}

/* A pitch of 0 is the width. */
static hc_cu_result translate(const struct hc_cu_copy_2d *c,
                              struct emu_copy *copy_out, enum sides *sides_out)
{
    size_t dst_pitch, src_pitch;

    if (c == NULL)
        return HC_CU_INVALID_VALUE;
    dst_pitch = c->dst_pitch ? c->dst_pitch : c->width_bytes;
    src_pitch = c->src_pitch ? c->src_pitch : c->width_bytes;
    *copy_out = (struct emu_copy){
        .dst = corner(c->dst_type, c->dst_host, c->dst_device, dst_pitch,
                      c->dst_x_bytes, c->dst_y),
        .src = corner(c->src_type, c->src_host, c->src_device, src_pitch,
                      c->src_x_bytes, c->src_y),
        .width = c->width_bytes,
        .height = c->height,
        .dst_pitch = dst_pitch,
        .src_pitch = src_pitch,
    };
    *sides_out = (c->dst_type == HC_CU_MEMORYTYPE_DEVICE ? DST_DEVICE : ANY) |
                 (c->src_type == HC_CU_MEMORYTYPE_DEVICE ? SRC_DEVICE : ANY);
    if (copy_out->dst == NULL || copy_out->src == NULL)
        return c->dst_type == HC_CU_MEMORYTYPE_ARRAY ||
                       c->src_type == HC_CU_MEMORYTYPE_ARRAY
                   ? HC_CU_NOT_SUPPORTED
                   : HC_CU_INVALID_VALUE;
    if (!is_pitch(dst_pitch, c->dst_x_bytes, c->width_bytes) ||
        !is_pitch(src_pitch, c->src_x_bytes, c->width_bytes))
        return HC_CU_INVALID_VALUE;
    return HC_CU_SUCCESS;
}

hc_cu_result cuMemcpy2D_v2(const struct hc_cu_copy_2d *c)
{
    struct emu_copy copy;
    enum sides      sides;
    hc_cu_result    result = translate(c, &copy, &sides);

    return result == HC_CU_SUCCESS ? copy_sync(__func__, &copy, sides) : result;
}

hc_cu_result cuMemcpy2DUnaligned_v2(const struct hc_cu_copy_2d *c)
{
    return cuMemcpy2D_v2(c);
}

hc_cu_result cuMemcpy2DAsync_v2(const struct hc_cu_copy_2d *c,
                                struct hc_cu_stream        *stream)
{
    struct emu_copy copy;
    enum sides      sides;
    hc_cu_result    result = translate(c, &copy, &sides);

    return result == HC_CU_SUCCESS ? copy_async(__func__, &copy, sides, stream)
                                   : result;
}

/* -------------------------------------------------------------------- fill */

static hc_cu_result fill_async(const char            *function,
                               const struct emu_fill *fill,
                               struct hc_cu_stream   *handle)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(function, handle, &stream);

    return result == HC_CU_SUCCESS ? emu_fill(stream, fill, false) : result;
}

/* Device memory is filled asynchronously here, too, as the driver documents. */
static hc_cu_result fill_sync(const char *function, const struct emu_fill *fill)
{
    struct emu_context *context;
    hc_cu_result        result = emu_cuda_enter_context(function, &context);

    if (result != HC_CU_SUCCESS)
        return result;
    return emu_fill(emu_stream_legacy(context), fill,
                    !in_device(fill->dst) || waits_for_device(fill->dst));
}

static struct emu_fill rows(hc_cu_ptr dst, size_t pitch, uint32_t value,
                            unsigned element_bytes, size_t count, size_t height)
{
    return (struct emu_fill){.dst = emu_cuda_address(dst),
                             .value = value,
                             .element_bytes = element_bytes,
                             .count = count,
                             .height = height,
                             .pitch = pitch};
}

hc_cu_result cuMemsetD8_v2(hc_cu_ptr dst, unsigned char value, size_t count)
{
    struct emu_fill fill = rows(dst, 0, value, 1, count, 1);

    return fill_sync(__func__, &fill);
}

hc_cu_result cuMemsetD16_v2(hc_cu_ptr dst, unsigned short value, size_t count)
{
    struct emu_fill fill = rows(dst, 0, value, 2, count, 1);

    return fill_sync(__func__, &fill);
}

hc_cu_result cuMemsetD32_v2(hc_cu_ptr dst, unsigned value, size_t count)
{
    struct emu_fill fill = rows(dst, 0, value, 4, count, 1);

    return fill_sync(__func__, &fill);
}

hc_cu_result cuMemsetD8Async(hc_cu_ptr dst, unsigned char value, size_t count,
                             struct hc_cu_stream *stream)
{
    struct emu_fill fill = rows(dst, 0, value, 1, count, 1);

    return fill_async(__func__, &fill, stream);
}

hc_cu_result cuMemsetD16Async(hc_cu_ptr dst, unsigned short value, size_t count,
                              struct hc_cu_stream *stream)
{
    struct emu_fill fill = rows(dst, 0, value, 2, count, 1);

    return fill_async(__func__, &fill, stream);
}

hc_cu_result cuMemsetD32Async(hc_cu_ptr dst, unsigned value, size_t count,
                              struct hc_cu_stream *stream)
{
    struct emu_fill fill = rows(dst, 0, value, 4, count, 1);

    return fill_async(__func__, &fill, stream);
}

hc_cu_result cuMemsetD2D8_v2(hc_cu_ptr dst, size_t pitch, unsigned char value,
                             size_t width, size_t height)
{
    struct emu_fill fill = rows(dst, pitch, value, 1, width, height);

    return fill_sync(__func__, &fill);
}

hc_cu_result cuMemsetD2D16_v2(hc_cu_ptr dst, size_t pitch, unsigned short value,
                              size_t width, size_t height)
{
    struct emu_fill fill = rows(dst, pitch, value, 2, width, height);

    return fill_sync(__func__, &fill);
}

hc_cu_result cuMemsetD2D32_v2(hc_cu_ptr dst, size_t pitch, unsigned value,
                              size_t width, size_t height)
{
    struct emu_fill fill = rows(dst, pitch, value, 4, width, height);

    return fill_sync(__func__, &fill);
}

hc_cu_result cuMemsetD2D8Async(hc_cu_ptr dst, size_t pitch, unsigned char value,
                               size_t width, size_t height,
                               struct hc_cu_stream *stream)
{
    struct emu_fill fill = rows(dst, pitch, value, 1, width, height);

    return fill_async(__func__, &fill, stream);
}

hc_cu_result cuMemsetD2D16Async(hc_cu_ptr dst, size_t pitch,
                                unsigned short value, size_t width,
                                size_t height, struct hc_cu_stream *stream)
{
    struct emu_fill fill = rows(dst, pitch, value, 2, width, height);

    return fill_async(__func__, &fill, stream);
}

hc_cu_result cuMemsetD2D32Async(hc_cu_ptr dst, size_t pitch, unsigned value,
                                size_t width, size_t height,
                                struct hc_cu_stream *stream)
{
    struct emu_fill fill = rows(dst, pitch, value, 4, width, height);

    return fill_async(__func__, &fill, stream);
}
