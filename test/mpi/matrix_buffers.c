/* Buffers in memory: where they lie, what is in them before a call, and what
 * every byte of them is to be after it. */
#include "matrix_plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static bool has_other_memory(const struct mx_plan *p, bool receives)
{
    switch (mx_level(p, F_SPREAD)) {
    case SPREAD_SIDES:
        return receives;
    case SPREAD_BY_RANK:
        return mx_my_id(p) % 2 == 1;
    case SPREAD_ROOT:
        return mx_is_rooted(mx_call_of(p)) ? !p->is_root : mx_my_id(p) != 0;
    default:
        return false;
    }
}

/* A type of absolute addresses lives as long as the plan. */
static MPI_Datatype absolute(struct mx_plan *p, MPI_Datatype type,
                             const void *address)
{
    return p->made[p->types_made++] = mx_type_at(type, address);
}

static void give_bottom(struct mx_plan *p, struct mx_side *side)
{
    side->type = absolute(p, side->type, side->buffer);
    for (int i = 0; mx_is_w(mx_call_of(p)) && i < side->slots; i++)
        side->types[i] = absolute(p, side->types[i], side->buffer);
    side->buffer = MPI_BOTTOM;
}

/* What MPI must not look at is given as nonsense, such as memory that was
 * freed; not as 1, which Open MPI takes for MPI_IN_PLACE. */
static void *nonsense(const struct mx_plan *p, enum mem_kind kind)
{
    static void *const bad[] = {NULL, (void *)8, (void *)-16};
    struct mem         mem;
    void              *freed;

    if (mx_my_id(p) % 4 < 3)
        return bad[mx_my_id(p) % 4];
    mem = mem_new(kind, 1);
    freed = mem.buffer;
    mem_delete(&mem);
    return freed;
}

/* Where there is nothing, there is no buffer. */
static void allocate(struct mx_plan *p, struct mx_side *side, bool receives)
{
    side->kind = (enum mem_kind)mx_level(
        p, has_other_memory(p, receives) ? F_OTHER : F_MEMORY);
    for (int i = 0; i < side->blocks; i++)
        mx_measure(side, &side->block[i]);
    for (int i = 0; i < side->results; i++)
        mx_measure(side, &side->result[i]);
    side->mem = mem_new(side->kind, (size_t)(side->head + side->bytes));
    if (!side->is_significant) {
        side->buffer = nonsense(p, side->kind);
        side->type = MPI_DATATYPE_NULL;
        side->count = -1;
    } else if (side->head + side->bytes > 0) {
        side->buffer = side->mem.buffer + side->head;
        if (mx_level(p, F_ADDRESS) == ADDRESS_BOTTOM)
            give_bottom(p, side);
    }
}

static void check_extent(const struct mx_type *t)
{
    MPI_Aint lb, extent;

    MPI_Type_get_extent(t->type, &lb, &extent);
    if (extent != t->extent)
        abort();
}

void mx_plan_make(struct mx_plan *p, const struct mx_case *c)
{
    *p = (struct mx_plan){.c = c,
                          .comm = mx_comm(c->level[F_COMM]),
                          .base = mx_base(c->level[F_TYPE]),
                          .count = mx_count(c),
                          .request = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}};
    p->layout = mx_type_new(c->level[F_LAYOUT], p->base);
    p->flat = mx_type_new(LAYOUT_PLAIN, p->base);
    check_extent(&p->layout);
    p->op = mx_op_new(p);
    if (mx_is_rooted(c->level[F_CALL]))
        mx_plan_root(p);
    mx_plan_call(p);
    allocate(p, &p->send, false);
    allocate(p, &p->recv, true);
}

void mx_plan_free_handles(struct mx_plan *p)
{
    mx_type_delete(&p->layout);
    mx_op_delete(&p->op);
    while (p->types_made > 0)
        MPI_Type_free(&p->made[--p->types_made]);
}

void mx_plan_free(struct mx_plan *p)
{
    for (int i = 0; i < 2; i++)
        if (p->request[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&p->request[i]);
    mx_plan_free_handles(p);
    mem_delete(&p->send.mem);
    mem_delete(&p->recv.mem);
}

/* ---- contents ---- */

static void write_item(const struct mx_block *b, const struct mx_base *base,
                       int op, unsigned char *item, size_t k)
{
    unsigned char next[64];

    mx_contribution(base, op, item, b->first, b->to, k);
    for (int id = b->first + 1; id < b->last; id++) {
        mx_contribution(base, op, next, id, b->to, k);
        mx_combine(base, op, item, next);
    }
}

static void write_block(const struct mx_plan *p, struct mx_side *side,
                        const struct mx_block *b)
{
    unsigned char *element = side->mem.elements + side->head + b->at;
    size_t         k = b->k;

    for (int i = 0; i < b->count; i++, element += b->type->extent)
        for (int j = 0; j < b->type->items; j++)
            write_item(b, b->type->item[j].base, mx_level(p, F_OP),
                       element + b->type->item[j].at, k++);
}

/* The six bytes of a long double that are no part of it: an op writes ten bytes
 * or sixteen, and which of the operands' it leaves is its own affair.  Zero in
 * all of them, they are zero in the result. */
static void clear_padding(struct mx_plan *p)
{
    for (int i = 0; i < p->recv.results; i++) {
        struct mx_block *b = &p->recv.result[i];

        for (long n = 0; n < b->count; n++)
            memset(p->recv.mem.elements + p->recv.head + b->at +
                       n * b->type->extent,
                   0, (size_t)b->type->extent);
    }
}

static bool has_padding(const struct mx_plan *p)
{
    return p->base->number == NUMBER_FLOAT && p->base->bytes == 16 &&
           mx_is_reduction(mx_call_of(p)) &&
           mx_level(p, F_LAYOUT) == LAYOUT_PLAIN;
}

void mx_plan_fill(struct mx_plan *p)
{
    struct mx_side *sides[] = {&p->send, &p->recv};

    if (has_padding(p))
        clear_padding(p);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < sides[s]->blocks; i++)
            write_block(p, sides[s], &sides[s]->block[i]);
    mem_upload(&p->send.mem);
    mem_upload(&p->recv.mem);
}

/* In place, what lies behind a reduce_scatter's result is nobody's: as it was,
 * or spoilt.  The gaps between its items are still the program's. */
static void allow_any(const struct mx_side *side, const struct mx_block *b)
{
    unsigned char *is = malloc(side->mem.block_bytes),
                  *should = side->mem.image;
    long offset = MEM_GUARD_BYTES + side->head + b->at;

    if (is == NULL)
        abort();
    mem_download(&side->mem, is);
    for (int i = 0; i < b->count; i++, offset += b->type->extent) {
        for (int j = 0; j < b->type->items; j++) {
            const struct mx_base *base = b->type->item[j].base;
            long                  at = offset + b->type->item[j].at;

            memcpy(should + at, is + at, (size_t)base->bytes);
            memcpy(should + at + base->at, is + at + base->at,
                   (size_t)base->second_bytes);
        }
    }
    free(is);
}

void mx_plan_expect(struct mx_plan *p)
{
    int call = mx_call_of(p);

    if (mx_in_place(p) &&
        (call == CALL_REDUCE_SCATTER || call == CALL_REDUCE_SCATTER_BLOCK))
        allow_any(&p->recv, &p->recv.block[0]);
    for (int i = 0; i < p->recv.results; i++)
        write_block(p, &p->recv, &p->recv.result[i]);
}
