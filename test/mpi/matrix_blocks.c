/* Blocks, the matter that plans are made of. */
#include "matrix_plan.h"

int mx_level(const struct mx_plan *p, enum mx_factor factor)
{
    return p->c->level[factor];
}

int mx_call_of(const struct mx_plan *p)
{
    return mx_level(p, F_CALL);
}

bool mx_in_place(const struct mx_plan *p)
{
    return mx_level(p, F_PLACE) == PLACE_IN;
}

int mx_my_id(const struct mx_plan *p)
{
    return p->comm->base + p->comm->rank;
}

int mx_id_of(const struct mx_plan *p, int peer)
{
    return p->comm->remote_base + peer;
}

bool mx_is_w(int call)
{
    return call == CALL_ALLTOALLW || call == CALL_NEIGHBOR_ALLTOALLW;
}

static bool is_v(int call)
{
    return call == CALL_GATHERV || call == CALL_SCATTERV ||
           call == CALL_ALLGATHERV || call == CALL_ALLTOALLV ||
           call == CALL_NEIGHBOR_ALLGATHERV || call == CALL_NEIGHBOR_ALLTOALLV;
}

/* All of it, the half, nothing. */
int mx_part_of(const struct mx_plan *p, int key)
{
    if (!is_v(mx_call_of(p)) && !mx_is_w(mx_call_of(p)) &&
        mx_call_of(p) != CALL_REDUCE_SCATTER)
        return p->count;
    return key % 3 == 0 ? p->count : key % 3 == 1 ? (p->count + 1) / 2 : 0;
}

/* Elements that go from one rank to another; in place as many go back. */
int mx_pair_count(const struct mx_plan *p, int from, int to)
{
    return mx_part_of(p, mx_in_place(p) ? from + to : from + 2 * to);
}

static bool is_uniform(const struct mx_plan *p)
{
    return mx_level(p, F_LAYOUT) != LAYOUT_STRUCT;
}

const struct mx_type *mx_recv_type(const struct mx_plan *p)
{
    return mx_level(p, F_MATCH) == MATCH_SIGNATURE ? &p->flat : &p->layout;
}

/* The w-variants take another type for every second pair. */
const struct mx_type *mx_pair_type(const struct mx_plan *p, int from, int to,
                                   bool receives)
{
    if (receives && mx_level(p, F_MATCH) == MATCH_SIGNATURE)
        return &p->flat;
    return mx_is_w(mx_call_of(p)) && is_uniform(p) && (from + to) % 2 == 1
               ? &p->flat
               : &p->layout;
}

/* `count` is of elements of the layout. */
static int in_type(const struct mx_plan *p, const struct mx_type *type,
                   int count)
{
    return type == &p->flat ? count * p->layout.items : count;
}

/* ---- blocks ---- */

struct mx_block mx_block(const struct mx_plan *p, const struct mx_type *type,
                         int count)
{
    struct mx_block b = {.type = type, .count = in_type(p, type, count)};

    return b;
}

struct mx_block mx_from_one(struct mx_block b, int from, int to)
{
    b.first = from;
    b.last = from + 1;
    b.to = to;
    return b;
}

void mx_before(struct mx_side *side, struct mx_block b)
{
    side->block[side->blocks++] = b;
}

void mx_after(struct mx_side *side, struct mx_block b)
{
    side->result[side->results++] = b;
}

/* One block that is a side's all. */
void mx_whole(struct mx_side *side, struct mx_block b)
{
    side->count = b.count;
    side->type = b.type->type;
    side->is_significant = true;
}

void mx_send_whole(struct mx_plan *p, const struct mx_type *type, int count,
                   int to)
{
    struct mx_block b = mx_from_one(mx_block(p, type, count), mx_my_id(p), to);

    mx_whole(&p->send, b);
    mx_before(&p->send, b);
}

void mx_recv_whole(struct mx_plan *p, int count, int from, int to)
{
    struct mx_block b =
        mx_from_one(mx_block(p, mx_recv_type(p), count), from, to);

    mx_whole(&p->recv, b);
    mx_after(&p->recv, b);
}

/* The next of a side's blocks for each peer.  The v-variants have them in
 * reverse order with an element between them, the w-variants in bytes. */
static long next_place(const struct mx_plan *p, const struct mx_block *b,
                       long *end)
{
    long at = *end;

    if (mx_is_w(mx_call_of(p))) {
        at -= b->type->first < 0 ? b->type->first : 0;
        *end = at + b->type->end + b->count * b->type->extent;
        *end = (*end + 31) / 32 * 32;
    } else {
        *end = at + (b->count + is_v(mx_call_of(p))) * b->type->extent;
    }
    return at;
}

void mx_measure(struct mx_side *side, const struct mx_block *b)
{
    long begin = b->at + b->type->first;
    long end = b->at + (b->count - 1) * b->type->extent + b->type->end;

    if (b->count == 0)
        return;
    if (-begin > side->head)
        side->head = (-begin + 63) / 64 * 64;
    if (end > side->bytes)
        side->bytes = end;
}

/* Also where there is no peer, and nothing comes, a block has room. */
void mx_place(const struct mx_plan *p, struct mx_side *side, struct mx_block *b,
              int n)
{
    long end = 0;

    for (int i = n - 1; i >= 0; i--) {
        int slot = is_v(mx_call_of(p)) ? i : n - 1 - i;

        b[slot].at = next_place(p, &b[slot], &end);
        side->counts[slot] = b[slot].count;
        side->displs[slot] = mx_is_w(mx_call_of(p))
                                 ? (int)b[slot].at
                                 : (int)(b[slot].at / b[slot].type->extent);
        side->addresses[slot] = b[slot].at;
        side->types[slot] = b[slot].type->type;
        mx_measure(side, &b[slot]);
    }
    side->slots = n;
    if (n > 0)
        mx_whole(side, b[0]);
    else
        mx_whole(side, mx_block(p, &p->layout, p->count));
}

int mx_peers(const struct mx_plan *p, bool outgoing, const int **ranks_out)
{
    static const int all[] = {0, 1, 2, 3, 4, 5, 6, 7};

    *ranks_out = all;
    if (!mx_is_neighbor(mx_call_of(p)))
        return p->comm->remote_size;
    *ranks_out = outgoing ? p->comm->destination : p->comm->source;
    return outgoing ? p->comm->destinations : p->comm->sources;
}
