/*
 * The emulated Level Zero driver: the commands.
 */

#include "device/emulator/emu_ze.h"

#include <stdlib.h>
#include <string.h>

static int enter(const char *function, void *list)
{
    int code = ze_enter(function);

    return code == HC_ZE_SUCCESS ? ze_check_open(list) : code;
}

/* What comes after it waits for what came before, also where commands may
 * overtake each other (emu_ze_order.c). */
int zeCommandListAppendBarrier(void *list, void *signal, uint32_t nwait,
                               void **wait)
{
    const struct ze_order order = {signal, nwait, wait};
    int                   code = enter(__func__, list);

    return code == HC_ZE_SUCCESS ? ze_append(list, NULL, 0, &order) : code;
}

int zeCommandListAppendMemoryRangesBarrier(void *list, uint32_t count,
                                           const size_t *bytes,
                                           const void **ptrs, void *signal,
                                           uint32_t nwait, void **wait)
{
    const struct ze_order order = {signal, nwait, wait};
    int                   code = enter(__func__, list);

    (void)count;
    if (code == HC_ZE_SUCCESS && (bytes == NULL || ptrs == NULL))
        code = HC_ZE_INVALID_NULL_POINTER;
    return code == HC_ZE_SUCCESS ? ze_append(list, NULL, 0, &order) : code;
}

/* ------------------------------------------------------------------ copies */

static int append_copy(void *list, void *dst, const void *src, size_t bytes,
                       const struct ze_order *order)
{
    const struct ze_command command = {
        .kind = ZE_COPY,
        .u.copy = {.dst = dst, .src = src, .width = bytes, .height = 1},
    };

    if (dst == NULL || src == NULL)
        return HC_ZE_INVALID_NULL_POINTER;
    return ze_append(list, &command, 1, order);
}

int zeCommandListAppendMemoryCopy(void *list, void *dst, const void *src,
                                  size_t bytes, void *signal, uint32_t nwait,
                                  void **wait)
{
    const struct ze_order order = {signal, nwait, wait};
    int                   code = enter(__func__, list);

    return code == HC_ZE_SUCCESS ? append_copy(list, dst, src, bytes, &order)
                                 : code;
}

int zeCommandListAppendMemoryCopyFromContext(void *list, void *dst,
                                             void *src_context, const void *src,
                                             size_t bytes, void *signal,
                                             uint32_t nwait, void **wait)
{
    const struct ze_order order = {signal, nwait, wait};
    int                   code = enter(__func__, list);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(src_context, ZE_CONTEXT);
    return code == HC_ZE_SUCCESS ? append_copy(list, dst, src, bytes, &order)
                                 : code;
}

/* A box in memory: where its first row lies, and what is between rows and
 * between slices. */
struct box {
    uintptr_t start;
    size_t    pitch, slice_pitch;
};

static struct box box_of(const void *p, const struct hc_ze_region *region,
                         size_t pitch, size_t slice_pitch)
{
    struct box box = {.pitch = pitch, .slice_pitch = slice_pitch};

    box.start =
        (uintptr_t)p + region->x + region->y * pitch + region->z * slice_pitch;
    return box;
}

static bool same_shape(const struct hc_ze_region *a,
                       const struct hc_ze_region *b)
{
    return a->width == b->width && a->height == b->height &&
           a->depth == b->depth;
}

static void make_slices(struct ze_command *commands, size_t depth,
                        const struct box *dst, const struct box *src,
                        const struct hc_ze_region *shape)
{
    for (size_t z = 0; z < depth; z++) {
        commands[z].kind = ZE_COPY;
        commands[z].u.copy = (struct emu_copy){
            .dst = (void *)(dst->start + z * dst->slice_pitch),
            .src = (const void *)(src->start + z * src->slice_pitch),
            .width = shape->width,
            .height = shape->height > 0 ? shape->height : 1,
            .dst_pitch = dst->pitch,
            .src_pitch = src->pitch,
        };
    }
}

static int append_box(struct ze_list *list, const struct box *dst,
                      const struct box *src, const struct hc_ze_region *shape,
                      const struct ze_order *order)
{
    size_t             depth = shape->depth > 0 ? shape->depth : 1;
    struct ze_command *commands = calloc(depth, sizeof *commands);
    int                code;

    if (commands == NULL)
        return HC_ZE_OUT_OF_HOST_MEMORY;
    make_slices(commands, depth, dst, src, shape);
    code = ze_append(list, commands, depth, order);
    free(commands);
    return code;
}

int zeCommandListAppendMemoryCopyRegion(
    void *list, void *dst, const struct hc_ze_region *dst_region,
    uint32_t dst_pitch, uint32_t dst_slice_pitch, const void *src,
    const struct hc_ze_region *src_region, uint32_t src_pitch,
    uint32_t src_slice_pitch, void *signal, uint32_t nwait, void **wait)
{
    const struct ze_order order = {signal, nwait, wait};
    struct box            to, from;
    int                   code = enter(__func__, list);

    if (code == HC_ZE_SUCCESS && (dst == NULL || src == NULL ||
                                  dst_region == NULL || src_region == NULL))
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS && !same_shape(dst_region, src_region))
        code = HC_ZE_INVALID_ARGUMENT;
    if (code != HC_ZE_SUCCESS)
        return code;
    to = box_of(dst, dst_region, dst_pitch, dst_slice_pitch);
    from = box_of(src, src_region, src_pitch, src_slice_pitch);
    return append_box(list, &to, &from, src_region, &order);
}

/* -------------------------------------------------------------------- fill */

int zeCommandListAppendMemoryFill(void *list, void *dst, const void *pattern,
                                  size_t pattern_bytes, size_t bytes,
                                  void *signal, uint32_t nwait, void **wait)
{
    const struct ze_order order = {signal, nwait, wait};
    struct ze_command     command = {.kind = ZE_FILL};
    struct ze_list       *l = list;
    int                   code = enter(__func__, list);

    if (code == HC_ZE_SUCCESS && (dst == NULL || pattern == NULL))
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS &&
        (pattern_bytes == 0 || (pattern_bytes & (pattern_bytes - 1)) != 0 ||
         pattern_bytes > ze_groups[l->group].fill_pattern_max_bytes))
        code = HC_ZE_INVALID_SIZE;
    if (code != HC_ZE_SUCCESS)
        return code;
    command.u.fill.dst = dst;
    command.u.fill.bytes = bytes;
    command.u.fill.pattern_bytes = pattern_bytes;
    memcpy(command.u.fill.pattern, pattern, pattern_bytes);
    return ze_append(l, &command, 1, &order);
}

/* ------------------------------------------------------------------- hints */

static int hint(const char *function, void *list, const void *ptr)
{
    int code = enter(function, list);

    if (code == HC_ZE_SUCCESS && ptr == NULL)
        code = HC_ZE_INVALID_NULL_POINTER;
    return code;
}

int zeCommandListAppendMemoryPrefetch(void *list, const void *ptr, size_t bytes)
{
    (void)bytes;
    return hint(__func__, list, ptr);
}

int zeCommandListAppendMemAdvise(void *list, void *device, const void *ptr,
                                 size_t bytes, int advice)
{
    int code = hint(__func__, list, ptr), ordinal;

    (void)bytes;
    (void)advice;
    return code == HC_ZE_SUCCESS ? ze_check_device(device, &ordinal) : code;
}

/* ------------------------------------------------------------------ events */

int zeCommandListAppendSignalEvent(void *list, void *event)
{
    const struct ze_order order = {.signal = event};
    int                   code = enter(__func__, list);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(event, ZE_EVENT);
    return code == HC_ZE_SUCCESS ? ze_append(list, NULL, 0, &order) : code;
}

int zeCommandListAppendWaitOnEvents(void *list, uint32_t count, void **events)
{
    const struct ze_order order = {NULL, count, events};
    int                   code = enter(__func__, list);

    if (code == HC_ZE_SUCCESS && events == NULL)
        code = HC_ZE_INVALID_NULL_POINTER;
    return code == HC_ZE_SUCCESS ? ze_append(list, NULL, 0, &order) : code;
}

int zeCommandListAppendEventReset(void *list, void *event)
{
    const struct ze_order order = {0};
    struct ze_command     command = {.kind = ZE_RESET};
    int                   code = enter(__func__, list);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(event, ZE_EVENT);
    if (code != HC_ZE_SUCCESS)
        return code;
    command.u.flag = ((struct ze_event *)event)->flag;
    return ze_append(list, &command, 1, &order);
}
