#include "collectives/staged.h"

static struct hc_staged_range one(size_t count)
{
    return (struct hc_staged_range){0, 1, count};
}

static struct hc_staged_range all(int nblocks, size_t count)
{
    return (struct hc_staged_range){0, nblocks, count};
}

/* A vector that comes from the send side, or in place from the receive side. */
static void read_vector(struct hc_staged_plan       *plan,
                        const struct hc_staged_args *args, size_t count)
{
    plan->reads[args->in_place ? HC_STAGED_RECV : HC_STAGED_SEND] = one(count);
}

/* In place, each rank's share already lies in its own block. */
static void read_own_block(struct hc_staged_plan       *plan,
                           const struct hc_staged_args *args)
{
    if (args->in_place)
        plan->reads[HC_STAGED_RECV] =
            (struct hc_staged_range){args->rank, 1, args->recv_count};
    else
        plan->reads[HC_STAGED_SEND] = one(args->send_count);
}

/* Whether this rank gives to a root: within one group the root does so too. */
static bool is_giver(const struct hc_staged_args *args)
{
    return args->role == HC_STAGED_LEAF ||
           (args->role == HC_STAGED_ROOT && !args->inter);
}

static void plan_reduce(struct hc_staged_plan       *plan,
                        const struct hc_staged_args *args)
{
    if (is_giver(args))
        read_vector(plan, args, args->recv_count);
    if (args->role == HC_STAGED_ROOT)
        plan->writes = one(args->recv_count);
}

static void plan_bcast(struct hc_staged_plan       *plan,
                       const struct hc_staged_args *args)
{
    if (args->role == HC_STAGED_ROOT)
        plan->reads[HC_STAGED_RECV] = one(args->recv_count);
    else if (args->role == HC_STAGED_LEAF)
        plan->writes = one(args->recv_count);
}

static void plan_gather(struct hc_staged_plan       *plan,
                        const struct hc_staged_args *args)
{
    if (is_giver(args))
        read_own_block(plan, args);
    if (args->role == HC_STAGED_ROOT)
        plan->writes = all(args->npeers, args->recv_count);
}

static void plan_scatter(struct hc_staged_plan       *plan,
                         const struct hc_staged_args *args)
{
    if (args->role == HC_STAGED_ROOT)
        plan->reads[HC_STAGED_SEND] = all(args->npeers, args->send_count);
    if (is_giver(args) && !args->in_place)
        plan->writes = one(args->recv_count);
}

static void plan_alltoall(struct hc_staged_plan       *plan,
                          const struct hc_staged_args *args)
{
    if (args->in_place)
        plan->reads[HC_STAGED_RECV] = all(args->npeers, args->recv_count);
    else
        plan->reads[HC_STAGED_SEND] = all(args->npeers, args->send_count);
    plan->writes = all(args->npeers, args->recv_count);
}

/* Blocks from MPI_PROC_NULL are left as they are, so they must be known. */
static void plan_neighbors(struct hc_staged_plan       *plan,
                           const struct hc_staged_args *args, int nsent)
{
    if (args->ndestinations > 0)
        plan->reads[HC_STAGED_SEND] = all(nsent, args->send_count);
    plan->writes = all(args->nsources, args->recv_count);
    if (args->has_holes)
        plan->reads[HC_STAGED_RECV] = plan->writes;
}

struct hc_staged_plan hc_staged_plan(const struct hc_staged_args *args)
{
    struct hc_staged_plan plan = {.writes = {0}};

    switch (args->call) {
    case HC_STAGED_ALLGATHER:
        read_own_block(&plan, args);
        plan.writes = all(args->npeers, args->recv_count);
        break;
    case HC_STAGED_ALLREDUCE:
    case HC_STAGED_SCAN:
        read_vector(&plan, args, args->recv_count);
        plan.writes = one(args->recv_count);
        break;
    case HC_STAGED_EXSCAN: /* rank 0 has none before it */
        read_vector(&plan, args, args->recv_count);
        if (args->rank > 0)
            plan.writes = one(args->recv_count);
        break;
    case HC_STAGED_ALLTOALL:
        plan_alltoall(&plan, args);
        break;
    case HC_STAGED_BCAST:
        plan_bcast(&plan, args);
        break;
    case HC_STAGED_GATHER:
        plan_gather(&plan, args);
        break;
    case HC_STAGED_NEIGHBOR_ALLGATHER:
        plan_neighbors(&plan, args, 1);
        break;
    case HC_STAGED_NEIGHBOR_ALLTOALL:
        plan_neighbors(&plan, args, args->ndestinations);
        break;
    case HC_STAGED_REDUCE:
        plan_reduce(&plan, args);
        break;
    case HC_STAGED_REDUCE_LOCAL:
        plan.reads[HC_STAGED_SEND] = one(args->recv_count);
        plan.reads[HC_STAGED_RECV] = one(args->recv_count);
        plan.writes = one(args->recv_count);
        break;
    case HC_STAGED_REDUCE_SCATTER:
        read_vector(&plan, args, args->send_count);
        plan.writes = one(args->recv_count);
        break;
    case HC_STAGED_SCATTER:
        plan_scatter(&plan, args);
        break;
    case HC_STAGED_SEND_ONE:
        plan.reads[HC_STAGED_SEND] = one(args->send_count);
        break;
    case HC_STAGED_RECV_ONE:
        plan.writes = one(args->recv_count);
        break;
    case HC_STAGED_BARRIER:
        break;
    }
    return plan;
}
