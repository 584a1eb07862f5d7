/*
 * What each rank gives to a call, and gets from it: the blocks that lie in its
 * buffers before and after.  All that lies in no block stays as it was.
 */
#include "matrix_plan.h"

static void plan_bcast(struct mx_plan *p)
{
    const struct mx_type *type = p->is_root ? &p->layout : mx_recv_type(p);
    struct mx_block       b = mx_from_one(mx_block(p, type, p->count), 0, 0);

    mx_whole(&p->recv, b);
    if (p->is_root)
        mx_before(&p->recv, b);
    if (!p->is_root && !p->idle)
        mx_after(&p->recv, b);
}

/* Blocks of all in-peers, each the peer's own for everyone. */
static void collect(struct mx_plan *p)
{
    struct mx_block b[MX_NEIGHBORS];
    const int      *rank;
    int             n = mx_peers(p, false, &rank);

    for (int i = 0; i < n; i++) {
        int id = rank[i] < 0 ? 0 : mx_id_of(p, rank[i]);

        b[i] = mx_from_one(
            mx_block(p, mx_recv_type(p), mx_part_of(p, rank[i] < 0 ? 0 : id)),
            id, 0);
    }
    mx_place(p, &p->recv, b, n);
    for (int i = 0; i < n; i++)
        if (rank[i] >= 0)
            mx_after(&p->recv, b[i]);
    if (mx_in_place(p))
        mx_before(&p->recv, b[p->comm->rank]);
}

static void plan_gather(struct mx_plan *p)
{
    if (p->is_root)
        collect(p);
    if (!p->idle && !(p->is_root && (mx_in_place(p) || p->comm->is_inter)))
        mx_send_whole(p, &p->layout, mx_part_of(p, mx_my_id(p)), 0);
}

static void plan_allgather(struct mx_plan *p)
{
    collect(p);
    if (!mx_in_place(p))
        mx_send_whole(p, &p->layout, mx_part_of(p, mx_my_id(p)), 0);
}

/* Blocks for all out-peers, each its own. */
static void distribute(struct mx_plan *p, struct mx_side *side, bool for_all)
{
    struct mx_block b[MX_NEIGHBORS];
    const int      *rank;
    int             n = mx_peers(p, true, &rank), me = mx_my_id(p);

    for (int i = 0; i < n; i++) {
        int to = rank[i] < 0 ? me : mx_id_of(p, rank[i]);
        int count = for_all ? mx_part_of(p, to) : mx_pair_count(p, me, to);

        b[i] = mx_from_one(mx_block(p, mx_pair_type(p, me, to, false), count),
                           me, 1 + to);
    }
    mx_place(p, side, b, n);
    for (int i = 0; i < n; i++)
        if (rank[i] >= 0)
            mx_before(side, b[i]);
}

static int root_id(const struct mx_plan *p)
{
    return p->is_root ? mx_my_id(p) : mx_id_of(p, p->root);
}

static void plan_scatter(struct mx_plan *p)
{
    if (p->is_root)
        distribute(p, &p->send, true);
    if (!p->idle && !(p->is_root && (mx_in_place(p) || p->comm->is_inter)))
        mx_recv_whole(p, mx_part_of(p, mx_my_id(p)), root_id(p),
                      1 + mx_my_id(p));
}

static void plan_alltoall(struct mx_plan *p)
{
    struct mx_block b[MX_NEIGHBORS];
    const int      *rank;
    int             n = mx_peers(p, false, &rank), me = mx_my_id(p);

    distribute(p, mx_in_place(p) ? &p->recv : &p->send, false);
    for (int i = 0; i < n; i++) {
        int from = rank[i] < 0 ? me : mx_id_of(p, rank[i]);

        b[i] = mx_from_one(mx_block(p, mx_pair_type(p, from, me, true),
                                    mx_pair_count(p, from, me)),
                           from, 1 + me);
    }
    mx_place(p, &p->recv, b, n);
    for (int i = 0; i < n; i++)
        if (rank[i] >= 0)
            mx_after(&p->recv, b[i]);
}

/* ---- reductions ---- */

static void contribute(struct mx_plan *p, int count)
{
    struct mx_block b =
        mx_from_one(mx_block(p, &p->layout, count), mx_my_id(p), 0);
    bool mine = mx_in_place(p) && (!mx_is_rooted(mx_call_of(p)) || p->is_root);

    if (mine)
        mx_before(&p->recv, b);
    else
        mx_send_whole(p, &p->layout, count, 0);
    if (mine)
        mx_whole(&p->recv, b);
}

/* Elements [skip, skip + count) of what the ids [first, last) contributed. */
static void reduced(struct mx_plan *p, int skip, int count, int first, int last)
{
    struct mx_block b = mx_block(p, &p->layout, count);

    b.first = first;
    b.last = last;
    b.k = (size_t)skip * (size_t)p->layout.items;
    mx_whole(&p->recv, b);
    if (last > first)
        mx_after(&p->recv, b);
}

static void reduce_all(struct mx_plan *p, int skip, int count)
{
    reduced(p, skip, count, mx_id_of(p, 0), mx_id_of(p, p->comm->remote_size));
}

static void plan_reduce(struct mx_plan *p)
{
    if (p->is_root)
        reduce_all(p, 0, p->count);
    if (!p->idle && !(p->is_root && p->comm->is_inter))
        contribute(p, p->count);
}

/* Between groups both must have the same total, so each rank of one gets as
 * often the count as the other group has ranks. */
static int scatter_count(const struct mx_plan *p, int rank)
{
    if (p->comm->is_inter)
        return p->count * p->comm->remote_size;
    return mx_part_of(p, rank);
}

static void plan_reduce_scatter(struct mx_plan *p)
{
    int skip = 0, total = 0;

    for (int rank = 0; rank < p->comm->size; rank++) {
        p->recv.counts[rank] = scatter_count(p, rank);
        if (rank == p->comm->rank)
            skip = total;
        total += p->recv.counts[rank];
    }
    contribute(p, total);
    reduce_all(p, skip, scatter_count(p, p->comm->rank));
}

static void plan_reduction(struct mx_plan *p)
{
    int base = p->comm->base, me = mx_my_id(p);

    switch (mx_call_of(p)) {
    case CALL_REDUCE:
        plan_reduce(p);
        return;
    case CALL_REDUCE_SCATTER:
    case CALL_REDUCE_SCATTER_BLOCK:
        plan_reduce_scatter(p);
        return;
    case CALL_ALLREDUCE:
        reduce_all(p, 0, p->count);
        break;
    case CALL_SCAN:
        reduced(p, 0, p->count, base, me + 1);
        break;
    case CALL_EXSCAN: /* the first rank gets nothing */
        reduced(p, 0, p->count, base, me);
        break;
    default: /* reduce_local: of two that are both here */
        reduced(p, 0, p->count, me, me + 2);
        mx_before(&p->recv,
                  mx_from_one(mx_block(p, &p->layout, p->count), me + 1, 0));
    }
    contribute(p, p->count);
}

/* ---- point-to-point ---- */

/* To the next, from the one before; between groups to and from the opposite. */
static void plan_exchange(struct mx_plan *p)
{
    const struct mx_comm *c = p->comm;

    p->to = (c->rank + 1) % c->size;
    p->from = (c->rank + c->size - 1) % c->size;
    if (c->is_inter)
        p->to = p->from = c->rank < c->remote_size ? c->rank : MPI_PROC_NULL;
    if (mx_call_of(p) == CALL_SENDRECV_REPLACE) {
        struct mx_block b = mx_block(p, &p->layout, p->count);

        mx_before(&p->recv,
                  mx_from_one(b, mx_my_id(p), 1 + mx_id_of(p, p->to)));
    } else {
        mx_send_whole(p, &p->layout, p->count, 1 + mx_id_of(p, p->to));
    }
    mx_recv_whole(p, p->count, mx_id_of(p, p->from), 1 + mx_my_id(p));
    if (p->from == MPI_PROC_NULL) { /* stays as it is */
        mx_before(&p->recv, p->recv.result[0]);
        p->recv.results = 0;
    }
}

void mx_plan_call(struct mx_plan *p)
{
    switch (mx_call_of(p)) {
    case CALL_BARRIER:
        break;
    case CALL_BCAST:
        plan_bcast(p);
        break;
    case CALL_GATHER:
    case CALL_GATHERV:
        plan_gather(p);
        break;
    case CALL_SCATTER:
    case CALL_SCATTERV:
        plan_scatter(p);
        break;
    case CALL_ALLGATHER:
    case CALL_ALLGATHERV:
    case CALL_NEIGHBOR_ALLGATHER:
    case CALL_NEIGHBOR_ALLGATHERV:
        plan_allgather(p);
        break;
    case CALL_ALLTOALL:
    case CALL_ALLTOALLV:
    case CALL_ALLTOALLW:
    case CALL_NEIGHBOR_ALLTOALL:
    case CALL_NEIGHBOR_ALLTOALLV:
    case CALL_NEIGHBOR_ALLTOALLW:
        plan_alltoall(p);
        break;
    default:
        if (mx_is_reduction(mx_call_of(p)))
            plan_reduction(p);
        else
            plan_exchange(p);
    }
}

void mx_plan_root(struct mx_plan *p)
{
    const struct mx_comm *c = p->comm;
    bool last = mx_level(p, F_ROOT) == ROOT_LAST, ours = (c->base > 0) == last;

    if (!c->is_inter) {
        p->root = last ? c->size - 1 : 0;
        p->is_root = c->rank == p->root;
    } else if (ours) {
        p->is_root = c->rank == (last ? c->size - 1 : 0);
        p->idle = !p->is_root;
        p->root = p->is_root ? MPI_ROOT : MPI_PROC_NULL;
    } else {
        p->root = last ? c->remote_size - 1 : 0;
    }
}
