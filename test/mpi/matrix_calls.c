/* How the collectives are called: each in its three forms. */
#include "matrix.h"
#include "persistent.h"

#include <string.h>

#define ISSUE(Name, name, ...)                       \
    (mode == MODE_BLOCKING ? MPI_##Name(__VA_ARGS__) \
     : mode == MODE_NONBLOCKING                      \
         ? MPI_I##name(__VA_ARGS__, request)         \
         : MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, request))

/* Arguments that count for nothing on this rank. */
#define NONSENSE(array) (side->is_significant ? side->array : (void *)1)

struct given {
    void         *buffer;
    int           count;
    MPI_Datatype  type;
    int          *counts, *displs;
    MPI_Aint     *addresses;
    MPI_Datatype *types;
};

static struct given given(struct mx_side *side, bool in_place)
{
    struct given g = {
        .buffer = in_place ? MPI_IN_PLACE : side->buffer,
        .count = side->count,
        .type = side->type,
        .counts = NONSENSE(counts),
        .displs = NONSENSE(displs),
        .addresses = NONSENSE(addresses),
        .types = NONSENSE(types),
    };

    return g;
}

static int issue_rooted(struct mx_plan *p, int mode, MPI_Request *request)
{
    bool here = p->c->level[F_PLACE] == PLACE_IN && p->is_root;
    bool scatters = p->c->level[F_CALL] == CALL_SCATTER ||
                    p->c->level[F_CALL] == CALL_SCATTERV;
    struct given s = given(&p->send, here && !scatters);
    struct given r = given(&p->recv, here && scatters);
    MPI_Comm     comm = p->comm->comm;
    int          root = p->root;

    switch (p->c->level[F_CALL]) {
    case CALL_BCAST:
        return ISSUE(Bcast, bcast, r.buffer, r.count, r.type, root, comm);
    case CALL_GATHER:
        return ISSUE(Gather, gather, s.buffer, s.count, s.type, r.buffer,
                     r.count, r.type, root, comm);
    case CALL_GATHERV:
        return ISSUE(Gatherv, gatherv, s.buffer, s.count, s.type, r.buffer,
                     r.counts, r.displs, r.type, root, comm);
    case CALL_SCATTER:
        return ISSUE(Scatter, scatter, s.buffer, s.count, s.type, r.buffer,
                     r.count, r.type, root, comm);
    case CALL_SCATTERV:
        return ISSUE(Scatterv, scatterv, s.buffer, s.counts, s.displs, s.type,
                     r.buffer, r.count, r.type, root, comm);
    default:
        return ISSUE(Reduce, reduce, s.buffer, r.buffer, p->count,
                     p->layout.type, p->op, root, comm);
    }
}

static int issue_moving(struct mx_plan *p, int mode, MPI_Request *request)
{
    bool         in_place = p->c->level[F_PLACE] == PLACE_IN;
    struct given s = given(&p->send, in_place), r = given(&p->recv, false);
    MPI_Comm     comm = p->comm->comm;

    switch (p->c->level[F_CALL]) {
    case CALL_ALLGATHER:
        return ISSUE(Allgather, allgather, s.buffer, s.count, s.type, r.buffer,
                     r.count, r.type, comm);
    case CALL_ALLGATHERV:
        return ISSUE(Allgatherv, allgatherv, s.buffer, s.count, s.type,
                     r.buffer, r.counts, r.displs, r.type, comm);
    case CALL_ALLTOALL:
        return ISSUE(Alltoall, alltoall, s.buffer, s.count, s.type, r.buffer,
                     r.count, r.type, comm);
    case CALL_ALLTOALLV:
        return ISSUE(Alltoallv, alltoallv, s.buffer, s.counts, s.displs, s.type,
                     r.buffer, r.counts, r.displs, r.type, comm);
    default:
        return ISSUE(Alltoallw, alltoallw, s.buffer, s.counts, s.displs,
                     s.types, r.buffer, r.counts, r.displs, r.types, comm);
    }
}

static int issue_neighbor(struct mx_plan *p, int mode, MPI_Request *request)
{
    struct given s = given(&p->send, false), r = given(&p->recv, false);
    MPI_Comm     comm = p->comm->comm;

    switch (p->c->level[F_CALL]) {
    case CALL_NEIGHBOR_ALLGATHER:
        return ISSUE(Neighbor_allgather, neighbor_allgather, s.buffer, s.count,
                     s.type, r.buffer, r.count, r.type, comm);
    case CALL_NEIGHBOR_ALLGATHERV:
        return ISSUE(Neighbor_allgatherv, neighbor_allgatherv, s.buffer,
                     s.count, s.type, r.buffer, r.counts, r.displs, r.type,
                     comm);
    case CALL_NEIGHBOR_ALLTOALL:
        return ISSUE(Neighbor_alltoall, neighbor_alltoall, s.buffer, s.count,
                     s.type, r.buffer, r.count, r.type, comm);
    case CALL_NEIGHBOR_ALLTOALLV:
        return ISSUE(Neighbor_alltoallv, neighbor_alltoallv, s.buffer, s.counts,
                     s.displs, s.type, r.buffer, r.counts, r.displs, r.type,
                     comm);
    default:
        return ISSUE(Neighbor_alltoallw, neighbor_alltoallw, s.buffer, s.counts,
                     s.addresses, s.types, r.buffer, r.counts, r.addresses,
                     r.types, comm);
    }
}

static int issue_reducing(struct mx_plan *p, int mode, MPI_Request *request)
{
    void *send =
        p->c->level[F_PLACE] == PLACE_IN ? MPI_IN_PLACE : p->send.buffer;
    void        *recv = p->recv.buffer;
    int         *counts = p->recv.counts;
    MPI_Datatype type = p->layout.type;
    MPI_Comm     comm = p->comm->comm;

    switch (p->c->level[F_CALL]) {
    case CALL_ALLREDUCE:
        return ISSUE(Allreduce, allreduce, send, recv, p->count, type, p->op,
                     comm);
    case CALL_REDUCE_SCATTER:
        return ISSUE(Reduce_scatter, reduce_scatter, send, recv, counts, type,
                     p->op, comm);
    case CALL_REDUCE_SCATTER_BLOCK:
        return ISSUE(Reduce_scatter_block, reduce_scatter_block, send, recv,
                     counts[0], type, p->op, comm);
    case CALL_SCAN:
        return ISSUE(Scan, scan, send, recv, p->count, type, p->op, comm);
    case CALL_EXSCAN:
        return ISSUE(Exscan, exscan, send, recv, p->count, type, p->op, comm);
    default:
        return MPI_Reduce_local(send, recv, p->count, type, p->op);
    }
}

static int issue_barrier(struct mx_plan *p, int mode, MPI_Request *request)
{
    MPI_Comm comm = p->comm->comm;

    return ISSUE(Barrier, barrier, comm);
}

static int issue(struct mx_plan *p, int mode, MPI_Request *request)
{
    int call = p->c->level[F_CALL];

    if (call == CALL_BARRIER)
        return issue_barrier(p, mode, request);
    if (mx_is_rooted(call))
        return issue_rooted(p, mode, request);
    if (mx_is_neighbor(call))
        return issue_neighbor(p, mode, request);
    if (mx_is_reduction(call))
        return issue_reducing(p, mode, request);
    return issue_moving(p, mode, request);
}

/* Some cases wait, others test again and again. */
static int finish(const struct mx_plan *p, MPI_Request *request)
{
    int done = 0, rc = MPI_SUCCESS;

    if ((p->c->level[F_TYPE] + p->c->level[F_CALL]) % 2 == 0)
        return MPI_Wait(request, MPI_STATUS_IGNORE);
    while (!done && rc == MPI_SUCCESS)
        rc = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    return rc;
}

int mx_collective(struct mx_plan *p, const char **fault_out)
{
    int          mode = p->c->level[F_MODE], rc = MPI_SUCCESS;
    MPI_Request *request = &p->request[0];

    if (*request == MPI_REQUEST_NULL)
        rc = issue(p, mode, request);
    if (mode == MODE_PERSISTENT && rc == MPI_SUCCESS)
        rc = MPI_Start(request);
    if (mode == MODE_NONBLOCKING)
        mx_plan_free_handles(p);
    if (mode != MODE_BLOCKING && rc == MPI_SUCCESS)
        rc = finish(p, request);
    *fault_out = mx_op_fault();
    return rc;
}
