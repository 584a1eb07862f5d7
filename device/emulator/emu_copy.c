#include "device/emulator/emu_internal.h"

#include <stdlib.h>
#include <string.h>

/* Of a pageable copy that returns before the device has it; drivers have some
 * such limit, unspecified. */
#define STAGED_BYTES ((size_t)256 << 10)
/* How late a copy may start and still end in time: bytes per second of memcpy,
 * a low guess. */
#define MEMCPY_RATE 4e9

struct copy_op {
    struct emu_op      op;
    struct emu_copy    copy;
    void              *staged;  /* replaces copy.src */
    struct emu_memory *held[2]; /* of emu_copy_later: both sides */
    int                legs;    /* links it crosses */
    struct {
        int                physical;
        enum emu_direction direction;
    } leg[2];
};

struct fill_op {
    struct emu_op   op;
    struct emu_fill fill;
};

/* -------------------------------------------------------- moving the bytes */

static int copy_row(char *dst, const char *src, size_t bytes)
{
    struct emu_memory *to, *from;
    char              *write, *read;
    size_t             run;
    int                status = EMU_OK;

    while (bytes > 0 && status == EMU_OK) {
        run = bytes;
        to = emu_memory_hold(dst, &run, &write);
        from = emu_memory_hold(src, &run, &read);
        if (write == NULL || read == NULL)
            status = EMU_ILLEGAL_ADDRESS;
        else
            memmove(write, read, run);
        emu_memory_unhold(to);
        emu_memory_unhold(from);
        dst += run;
        src += run;
        bytes -= run;
    }
    return status;
}

static int move(const struct emu_copy *copy)
{
    int status = EMU_OK;

    for (size_t row = 0; row < copy->height && status == EMU_OK; row++)
        status = copy_row((char *)copy->dst + row * copy->dst_pitch,
                          (const char *)copy->src + row * copy->src_pitch,
                          copy->width);
    return status;
}

/* The bytes land late, as close to the end as possible: who looks before the
 * copy is complete must not find them there. */
static int run_copy(struct emu_op *op)
{
    struct copy_op *c = (struct copy_op *)op;
    size_t          bytes = c->copy.width * c->copy.height;
    double          end = 0, leg_end;
    int             status;

    for (int i = 0; i < c->legs; i++) {
        leg_end = emu_link_book(c->leg[i].physical, c->leg[i].direction, bytes);
        end = leg_end > end ? leg_end : end;
    }
    if (end > 0)
        emu_stream_sleep_until(op->stream, end - (double)bytes / MEMCPY_RATE);
    status = move(&c->copy);
    if (end > 0)
        emu_stream_sleep_until(op->stream, end);
    return status;
}

static void drop_copy(struct emu_op *op)
{
    struct copy_op *c = (struct copy_op *)op;

    emu_memory_unhold(c->held[0]);
    emu_memory_unhold(c->held[1]);
    free(c->staged);
    free(op);
}

/* --------------------------------------------------------- starting a copy */

static size_t span(size_t width, size_t height, size_t pitch)
{
    return height > 1 ? pitch * (height - 1) + width : width;
}

static void add_leg(struct copy_op *c, int ordinal,
                    enum emu_direction direction)
{
    c->leg[c->legs].physical = emu_device(ordinal)->physical;
    c->leg[c->legs].direction = direction;
    c->legs++;
}

static void choose_links(struct copy_op *c, const struct emu_side *dst,
                         const struct emu_side *src)
{
    bool direct = !src->device || !dst->device ||
                  src->ordinal == dst->ordinal ||
                  emu_can_access_peer(src->ordinal, dst->ordinal);

    if (src->device && dst->device && direct) {
        add_leg(c, src->ordinal, EMU_D2D);
        return;
    }
    /* Devices that can't reach each other go through the host. */
    if (src->device)
        add_leg(c, src->ordinal, EMU_D2H);
    if (dst->device)
        add_leg(c, dst->ordinal, EMU_H2D);
}

/* Pageable memory may be reused as soon as the call returns. */
static bool stage(struct copy_op *c, const struct emu_side *dst,
                  const struct emu_side *src)
{
    if (!src->pageable || !dst->device || c->copy.height != 1 ||
        c->copy.width > STAGED_BYTES)
        return false;
    c->staged = malloc(c->copy.width);
    if (c->staged == NULL)
        return false;
    memcpy(c->staged, c->copy.src, c->copy.width);
    c->copy.src = c->staged;
    return true;
}

static bool slow(const struct copy_op *c)
{
    for (int i = 0; i < c->legs; i++) {
        if (emu_link_slow(c->leg[i].physical, c->leg[i].direction))
            return true;
    }
    return false;
}

static int check(const struct emu_copy *copy, struct emu_side *dst_out,
                 struct emu_side *src_out)
{
    int status;

    if (copy->height > 1 &&
        (copy->dst_pitch < copy->width || copy->src_pitch < copy->width))
        return EMU_INVALID_VALUE;
    status = emu_memory_side(
        copy->dst, span(copy->width, copy->height, copy->dst_pitch), dst_out);
    if (status != EMU_OK)
        return status;
    return emu_memory_side(
        copy->src, span(copy->width, copy->height, copy->src_pitch), src_out);
}

static int new_copy(const struct emu_copy *copy, const struct emu_side *dst,
                    const struct emu_side *src, struct copy_op **op_out)
{
    struct copy_op *c = calloc(1, sizeof *c);

    if (c == NULL)
        return EMU_OUT_OF_MEMORY;
    c->op.run = run_copy;
    c->op.drop = drop_copy;
    c->op.fault = emu_fault_copy();
    c->copy = *copy;
    choose_links(c, dst, src);
    *op_out = c;
    return EMU_OK;
}

int emu_copy(struct emu_stream *stream, const struct emu_copy *copy, bool wait)
{
    struct emu_side dst, src;
    struct copy_op *c;
    bool            staged;
    int             status = emu_context_error(stream->context);

    if (status != EMU_OK)
        return status;
    if (copy->width == 0 || copy->height == 0)
        return EMU_OK;
    status = check(copy, &dst, &src);
    if (status == EMU_OK)
        status = new_copy(copy, &dst, &src, &c);
    if (status != EMU_OK)
        return status;
    staged = stage(c, &dst, &src);
    if (wait || (!staged && (src.pageable || dst.pageable)))
        return emu_submit_soon(stream, &c->op, true);
    /* What a device has taken over lands in no time, unless links are slow. */
    if (staged && !slow(c))
        return emu_submit_soon(stream, &c->op, false);
    return emu_submit(stream, &c->op, NULL);
}

/* Host memory may be pinned in part; no memory of a device may follow it. */
static bool all_host(const char *p, size_t bytes)
{
    struct emu_side side = {0};
    size_t          run;

    for (; bytes > 0 && !side.device; p += run, bytes -= run) {
        char *ignored;

        run = bytes;
        if (emu_memory_side(p, 1, &side) != EMU_OK)
            return false;
        emu_memory_unhold(emu_memory_hold(p, &run, &ignored));
    }
    return !side.device;
}

/* [p, p+bytes) as the engine sees it, which stays as it is until unheld. */
static bool hold_all(const void *p, size_t bytes, struct emu_memory **held_out,
                     char **engine_ptr_out)
{
    size_t run = bytes;

    *held_out = emu_memory_hold(p, &run, engine_ptr_out);
    return *engine_ptr_out != NULL && (run == bytes || all_host(p, bytes));
}

int emu_copy_later(struct emu_stream *stream, const struct emu_copy *copy)
{
    struct emu_side dst, src;
    struct copy_op *c;
    char           *to, *from;
    int             status = emu_context_error(stream->context);

    if (status != EMU_OK || copy->width == 0 || copy->height == 0)
        return status;
    status = check(copy, &dst, &src);
    if (status == EMU_OK)
        status = new_copy(copy, &dst, &src, &c);
    if (status != EMU_OK)
        return status;
    if (!hold_all(copy->dst, span(copy->width, copy->height, copy->dst_pitch),
                  &c->held[0], &to) ||
        !hold_all(copy->src, span(copy->width, copy->height, copy->src_pitch),
                  &c->held[1], &from)) {
        drop_copy(&c->op);
        return EMU_INVALID_VALUE;
    }
    c->copy.dst = to;
    c->copy.src = from;
    return emu_submit(stream, &c->op, NULL);
}

/* ------------------------------------------------------------------- fill */

static void fill_run(char *to, uint32_t value, unsigned element_bytes,
                     size_t bytes)
{
    if (element_bytes == 1) {
        memset(to, (int)(value & 0xff), bytes);
        return;
    }
    for (size_t i = 0; i < bytes; i += element_bytes)
        memcpy(to + i, &value, element_bytes); /* little endian */
}

static int fill_row(char *dst, const struct emu_fill *fill)
{
    size_t             bytes = fill->count * fill->element_bytes, run;
    struct emu_memory *to;
    char              *write;

    while (bytes > 0) {
        run = bytes;
        to = emu_memory_hold(dst, &run, &write);
        if (to == NULL || write == NULL) {
            emu_memory_unhold(to);
            return EMU_ILLEGAL_ADDRESS;
        }
        fill_run(write, fill->value, fill->element_bytes, run);
        emu_memory_unhold(to);
        dst += run;
        bytes -= run;
    }
    return EMU_OK;
}

static int run_fill(struct emu_op *op)
{
    const struct emu_fill *fill = &((struct fill_op *)op)->fill;
    int                    status = EMU_OK;

    for (size_t row = 0; row < fill->height && status == EMU_OK; row++)
        status = fill_row((char *)fill->dst + row * fill->pitch, fill);
    return status;
}

int emu_fill(struct emu_stream *stream, const struct emu_fill *fill, bool wait)
{
    struct emu_side side;
    struct fill_op *f;
    size_t          width = fill->count * fill->element_bytes;
    int             status = emu_context_error(stream->context);

    if (status != EMU_OK)
        return status;
    if (width == 0 || fill->height == 0)
        return EMU_OK;
    if ((uintptr_t)fill->dst % fill->element_bytes != 0 ||
        (fill->height > 1 && fill->pitch < width))
        return EMU_INVALID_VALUE;
    status = emu_memory_side(fill->dst, span(width, fill->height, fill->pitch),
                             &side);
    if (status != EMU_OK)
        return status;
    if (side.pageable)
        return EMU_INVALID_VALUE;
    f = calloc(1, sizeof *f);
    if (f == NULL)
        return EMU_OUT_OF_MEMORY;
    f->op.run = run_fill;
    f->op.drop = emu_op_free;
    f->fill = *fill;
    return wait ? emu_submit_soon(stream, &f->op, true)
                : emu_submit(stream, &f->op, NULL);
}

/* ---------------------------------------------------------------- patterns */

struct pattern_op {
    struct emu_op      op;
    struct emu_memory *held;
    char              *to;
    size_t             bytes, pattern_bytes;
    char               pattern[EMU_MAX_PATTERN];
};

static int run_pattern(struct emu_op *op)
{
    const struct pattern_op *p = (struct pattern_op *)op;
    size_t                   part;

    for (size_t at = 0; at < p->bytes; at += part) {
        part =
            p->bytes - at < p->pattern_bytes ? p->bytes - at : p->pattern_bytes;
        memcpy(p->to + at, p->pattern, part);
    }
    return 0;
}

static void drop_pattern(struct emu_op *op)
{
    emu_memory_unhold(((struct pattern_op *)op)->held);
    free(op);
}

int emu_fill_later(struct emu_stream *stream, void *dst, size_t bytes,
                   const void *pattern, size_t pattern_bytes)
{
    struct emu_side    side;
    struct pattern_op *p;
    int                status = emu_context_error(stream->context);

    if (status != EMU_OK || bytes == 0)
        return status;
    if (pattern_bytes == 0 || pattern_bytes > EMU_MAX_PATTERN)
        return EMU_INVALID_VALUE;
    status = emu_memory_side(dst, bytes, &side);
    if (status != EMU_OK)
        return status;
    p = calloc(1, sizeof *p);
    if (p == NULL)
        return EMU_OUT_OF_MEMORY;
    p->op.run = run_pattern;
    p->op.drop = drop_pattern;
    p->bytes = bytes;
    p->pattern_bytes = pattern_bytes;
    memcpy(p->pattern, pattern, pattern_bytes);
    if (!hold_all(dst, bytes, &p->held, &p->to)) {
        drop_pattern(&p->op);
        return EMU_INVALID_VALUE;
    }
    return emu_submit(stream, &p->op, NULL);
}
