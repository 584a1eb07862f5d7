#include "collectives/staged.h"

static struct hc_staged_range range(enum hc_staged_side side, size_t first,
                                    size_t count)
{
    return (struct hc_staged_range){side, first, count};
}

/* A vector that comes from the send side, or in place from the receive side. */
static void read_vector(struct hc_staged_plan       *plan,
                        const struct hc_staged_args *args, size_t count)
{
    enum hc_staged_side side = args->in_place ? HC_STAGED_RECV : HC_STAGED_SEND;

    plan->elements[side] = count;
    plan->input = range(side, 0, count);
}

static void write_vector(struct hc_staged_plan *plan, size_t count)
{
    plan->elements[HC_STAGED_RECV] = count;
    plan->output = range(HC_STAGED_RECV, 0, count);
}

/* In place, each rank's share already lies in its own block. */
static void read_own_block(struct hc_staged_plan       *plan,
                           const struct hc_staged_args *args)
{
    if (args->in_place)
        plan->input =
            range(HC_STAGED_RECV, (size_t)args->rank * args->recv_count,
                  args->recv_count);
    else
        read_vector(plan, args, args->send_count);
}

struct hc_staged_plan hc_staged_plan(const struct hc_staged_args *args)
{
    struct hc_staged_plan plan = {.elements = {0, 0}};
    bool                  is_root = args->rank == args->root;

    switch (args->call) {
    case HC_STAGED_ALLREDUCE:
        read_vector(&plan, args, args->recv_count);
        write_vector(&plan, args->recv_count);
        break;
    case HC_STAGED_REDUCE:
        read_vector(&plan, args, args->recv_count);
        if (is_root)
            write_vector(&plan, args->recv_count);
        break;
    case HC_STAGED_BCAST:
        plan.elements[HC_STAGED_RECV] = args->recv_count;
        *(is_root ? &plan.input : &plan.output) =
            range(HC_STAGED_RECV, 0, args->recv_count);
        break;
    case HC_STAGED_ALLGATHER:
        read_own_block(&plan, args);
        write_vector(&plan, (size_t)args->nranks * args->recv_count);
        break;
    case HC_STAGED_BARRIER:
        break;
    }
    return plan;
}
