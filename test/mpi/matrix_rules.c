/* Which levels exclude others.  A rule speaks only of levels that are decided,
 * and what it excludes no further decision can save. */
#include "matrix.h"

#include <stdio.h>

static int call_of(const struct mx_case *c)
{
    return c->level[F_CALL];
}

static bool is(const struct mx_case *c, enum mx_factor factor, int level)
{
    return c->level[factor] == level;
}

static bool is_not(const struct mx_case *c, enum mx_factor factor, int level)
{
    return c->level[factor] != MX_ANY && c->level[factor] != level;
}

static bool is_send(int call)
{
    return call >= CALL_SEND && call <= CALL_RSEND;
}

static bool has_one_buffer(int call)
{
    return call == CALL_BCAST || call == CALL_SENDRECV_REPLACE;
}

static bool no_memory(const struct mx_case *c)
{
    int memory = c->level[F_MEMORY], other = c->level[F_OTHER];

    return (memory != MX_ANY && !mx_has_memory(memory)) ||
           (other != MX_ANY && !mx_has_memory(other));
}

static bool no_type(const struct mx_case *c)
{
    int bytes = 0, type = c->level[F_TYPE];

    return type != MX_ANY &&
           (MPI_Type_size(mx_base(type)->type, &bytes) != MPI_SUCCESS ||
            bytes == 0);
}

static bool barrier_data(const struct mx_case *c)
{
    static const enum mx_factor data[] = {
        F_MEMORY, F_OTHER, F_SPREAD, F_PLACE,   F_LAYOUT, F_TYPE,
        F_OP,     F_COUNT, F_ROOT,   F_ADDRESS, F_MATCH};

    for (size_t i = 0; i < sizeof data / sizeof data[0]; i++)
        if (is(c, F_CALL, CALL_BARRIER) && is_not(c, data[i], 0))
            return true;
    return false;
}

static bool receive_unused(const struct mx_case *c)
{
    return call_of(c) != MX_ANY && !is_send(call_of(c)) &&
           is_not(c, F_RECEIVE, RECEIVE_NONE);
}

static bool receive_needed(const struct mx_case *c)
{
    return is_send(call_of(c)) && is(c, F_RECEIVE, RECEIVE_NONE);
}

static bool only_blocking(const struct mx_case *c)
{
    int call = call_of(c);

#if OMPI_MAJOR_VERSION >= 5
    if (call == CALL_SENDRECV || call == CALL_SENDRECV_REPLACE)
        return is(c, F_MODE, MODE_PERSISTENT);
#endif
    return (call == CALL_REDUCE_LOCAL || call == CALL_SENDRECV ||
            call == CALL_SENDRECV_REPLACE) &&
           is_not(c, F_MODE, MODE_BLOCKING);
}

static bool other_unused(const struct mx_case *c)
{
    return is(c, F_SPREAD, SPREAD_ALIKE) && is_not(c, F_OTHER, 0);
}

static bool other_is_same(const struct mx_case *c)
{
    return is_not(c, F_SPREAD, SPREAD_ALIKE) && c->level[F_MEMORY] != MX_ANY &&
           is(c, F_OTHER, c->level[F_MEMORY]);
}

static bool alone(const struct mx_case *c)
{
    return is(c, F_RANKS, 0) &&
           (is(c, F_SPREAD, SPREAD_BY_RANK) || is(c, F_SPREAD, SPREAD_ROOT));
}

static bool one_side(const struct mx_case *c)
{
    return is(c, F_SPREAD, SPREAD_SIDES) &&
           (has_one_buffer(call_of(c)) || is(c, F_PLACE, PLACE_IN));
}

static bool never_in_place(const struct mx_case *c)
{
    int call = call_of(c);

    return is(c, F_PLACE, PLACE_IN) &&
           (has_one_buffer(call) || call == CALL_REDUCE_LOCAL ||
            mx_is_neighbor(call) || mx_is_point_to_point(call) ||
            is(c, F_COMM, COMM_INTER));
}

static bool op_unused(const struct mx_case *c)
{
    return call_of(c) != MX_ANY && !mx_is_reduction(call_of(c)) &&
           is_not(c, F_OP, OP_NONE);
}

static bool op_needed(const struct mx_case *c)
{
    return mx_is_reduction(call_of(c)) && is(c, F_OP, OP_NONE);
}

static bool is_predefined(const struct mx_case *c)
{
    return c->level[F_OP] >= OP_SUM && c->level[F_OP] <= OP_MINLOC;
}

static bool op_on_derived(const struct mx_case *c)
{
    return is_predefined(c) && is_not(c, F_LAYOUT, LAYOUT_PLAIN);
}

static bool op_on_type(const struct mx_case *c)
{
    return is_predefined(c) && c->level[F_TYPE] != MX_ANY &&
           !mx_allows(mx_base(c->level[F_TYPE])->class, c->level[F_OP]);
}

static bool is_topology(const struct mx_case *c)
{
    return c->level[F_COMM] >= COMM_CART;
}

static bool topology_needed(const struct mx_case *c)
{
    return mx_is_neighbor(call_of(c)) && c->level[F_COMM] != MX_ANY &&
           !is_topology(c);
}

static bool topology_unused(const struct mx_case *c)
{
    return call_of(c) != MX_ANY && !mx_is_neighbor(call_of(c)) &&
           is_topology(c);
}

static bool two_groups(const struct mx_case *c)
{
    return is(c, F_COMM, COMM_INTER) && is(c, F_RANKS, 0);
}

static bool not_between_groups(const struct mx_case *c)
{
    return is(c, F_COMM, COMM_INTER) &&
           (is(c, F_CALL, CALL_SCAN) || is(c, F_CALL, CALL_EXSCAN));
}

static bool local(const struct mx_case *c)
{
    return is(c, F_CALL, CALL_REDUCE_LOCAL) && is_not(c, F_COMM, COMM_WORLD);
}

/* Point-to-point: the last root stands for wildcards. */
static bool root_unused(const struct mx_case *c)
{
    return call_of(c) != MX_ANY && !mx_is_rooted(call_of(c)) &&
           !mx_is_point_to_point(call_of(c)) && is(c, F_ROOT, ROOT_LAST);
}

static bool bottom_of_two(const struct mx_case *c)
{
    return mx_is_reduction(call_of(c)) && is(c, F_ADDRESS, ADDRESS_BOTTOM);
}

static bool bottom_of_nothing(const struct mx_case *c)
{
    return is(c, F_COUNT, COUNT_0) && is(c, F_ADDRESS, ADDRESS_BOTTOM);
}

static bool one_type(const struct mx_case *c)
{
    return is(c, F_MATCH, MATCH_SIGNATURE) &&
           (mx_is_reduction(call_of(c)) || is(c, F_PLACE, PLACE_IN) ||
            is(c, F_CALL, CALL_SENDRECV_REPLACE));
}

static bool no_other_type(const struct mx_case *c)
{
    return is(c, F_MATCH, MATCH_SIGNATURE) &&
           (is(c, F_LAYOUT, LAYOUT_PLAIN) || is(c, F_LAYOUT, LAYOUT_STRUCT));
}

static bool ready_too_early(const struct mx_case *c)
{
    return is(c, F_CALL, CALL_RSEND) && is_not(c, F_RECEIVE, RECEIVE_IRECV) &&
           is_not(c, F_RECEIVE, RECEIVE_INIT);
}

static bool receives_blocking(const struct mx_case *c)
{
    int receive = c->level[F_RECEIVE];

    return receive == RECEIVE_RECV || receive >= RECEIVE_PROBE;
}

static bool self_deadlock(const struct mx_case *c)
{
    return (is(c, F_COMM, COMM_SELF) || is(c, F_RANKS, 0)) &&
           is(c, F_MODE, MODE_BLOCKING) && receives_blocking(c) &&
           (is(c, F_CALL, CALL_SEND) || is(c, F_CALL, CALL_SSEND));
}

struct rule {
    bool (*excludes)(const struct mx_case *c);
    const char *because;
};

static const struct rule rules[] = {
    {no_memory, "no such memory here, or not asked for"},
    {no_type, "this MPI was built without the type"},
    {barrier_data, "a barrier has no data"},
    {receive_unused, "only a send needs a way to receive"},
    {receive_needed, "a send needs a way to receive"},
    {only_blocking, "the call only exists blocking"},
    {other_unused, "a second kind of memory is not used where all are alike"},
    {other_is_same, "two kinds of memory have to differ"},
    {alone, "a single rank is like all ranks"},
    {one_side, "a single buffer lies in one kind of memory"},
    {never_in_place, "the call has no in place"},
    {op_unused, "only reductions have an op"},
    {op_needed, "a reduction needs an op"},
    {op_on_derived, "predefined ops are for predefined types"},
    {op_on_type, "the op is not for this class of types"},
    {topology_needed, "neighbours need a topology"},
    {topology_unused, "topologies are for neighbours"},
    {two_groups, "an intercommunicator needs two ranks"},
    {not_between_groups, "no scan between two groups"},
    {local, "reduce_local has no communicator"},
    {root_unused, "the call has neither root nor wildcards"},
    {bottom_of_two, "both buffers of a reduction have one type: not two "
                    "absolute addresses"},
    {bottom_of_nothing, "no buffer, no absolute address"},
    {one_type, "the call has only one type"},
    {no_other_type, "no second type has the signature"},
    {ready_too_early, "a ready send needs a receive posted before"},
    {self_deadlock, "a rank that blocks in a message to itself waits forever"},
};
enum { RULES = sizeof rules / sizeof rules[0] };

/* ---- what stock Open MPI itself gets wrong, in host memory ---- */

/* Checks for aliases before it looks at the count. */
static bool reduce_init_of_nothing(const struct mx_case *c)
{
    return is(c, F_CALL, CALL_REDUCE) && is(c, F_MODE, MODE_PERSISTENT) &&
           is(c, F_COUNT, COUNT_0);
}

/* Groups of unequal size leave a rank without a peer: MPI_PROC_NULL. */
static bool mrecv_of_no_message(const struct mx_case *c)
{
    return c->level[F_RECEIVE] >= RECEIVE_MPROBE && is(c, F_COMM, COMM_INTER) &&
           (is(c, F_RANKS, 2) || is(c, F_RANKS, 4));
}

static bool begins_elsewhere(const struct mx_case *c)
{
    return is(c, F_LAYOUT, LAYOUT_INDEXED) || is(c, F_LAYOUT, LAYOUT_STRUCT) ||
           is(c, F_LAYOUT, LAYOUT_SHIFTED);
}

/* The temporary buffer is allocated by the extent, and written elsewhere. */
static bool reduce_of_shifted(const struct mx_case *c)
{
    bool large = is(c, F_COUNT, COUNT_1000) || is(c, F_COUNT, COUNT_65537);

    if (is(c, F_CALL, CALL_ALLREDUCE))
        return is(c, F_MODE, MODE_BLOCKING) && large && begins_elsewhere(c);
    return is(c, F_CALL, CALL_REDUCE) && is_not(c, F_MODE, MODE_BLOCKING) &&
           begins_elsewhere(c);
}

/* It keeps 16 bytes of an element that comes in two fragments. */
static bool split_large_element(const struct mx_case *c)
{
    bool large = is(c, F_COUNT, COUNT_1000) || is(c, F_COUNT, COUNT_65537);

    return is(c, F_LAYOUT, LAYOUT_STRUCT) && large &&
           c->level[F_TYPE] != MX_ANY &&
           mx_base(c->level[F_TYPE])->extent == 32;
}

/* Only the struct has a displacement there. */
static bool self_alltoallw(const struct mx_case *c)
{
    return is(c, F_CALL, CALL_ALLTOALLW) && is(c, F_MODE, MODE_BLOCKING) &&
           (is(c, F_COMM, COMM_SELF) || is(c, F_RANKS, 0)) &&
           is(c, F_LAYOUT, LAYOUT_STRUCT);
}

static bool inter_v_of_types(const struct mx_case *c)
{
    return is(c, F_COMM, COMM_INTER) && is(c, F_MODE, MODE_BLOCKING) &&
           is(c, F_MATCH, MATCH_SIGNATURE) &&
           (is(c, F_CALL, CALL_GATHERV) || is(c, F_CALL, CALL_SCATTERV));
}

static const struct rule left_out[] = {
    {reduce_init_of_nothing,
     "reduce_init with count 0 and NULL twice: Open MPI calls it an error"},
    {mrecv_of_no_message,
     "mrecv and imrecv of MPI_MESSAGE_NO_PROC: Open MPI 4.1.4 dies of it"},
    {reduce_of_shifted,
     "ireduce, reduce_init and large allreduce of types whose data begin "
     "elsewhere than the element: Open MPI writes outside its buffers"},
    {split_large_element,
     "long structs of types of 32 bytes: Open MPI 4.1.4 dies of unpacking an "
     "element that comes in two fragments"},
    {self_alltoallw,
     "alltoallw of a single rank with displacements: Open MPI takes them for "
     "elements, not bytes"},
    {inter_v_of_types,
     "gatherv and scatterv between groups with another type at the receiver: "
     "Open MPI counts the root's elements in the others' type"},
};
enum { LEFT_OUT = sizeof left_out / sizeof left_out[0] };

const char *mx_impossible(const struct mx_case *c)
{
    for (int i = 0; i < RULES; i++)
        if (rules[i].excludes(c))
            return rules[i].because;
    for (int i = 0; i < LEFT_OUT; i++)
        if (left_out[i].excludes(c))
            return left_out[i].because;
    return NULL;
}

const char *mx_reason(int i)
{
    if (i < RULES)
        return rules[i].because;
    return i - RULES < LEFT_OUT ? left_out[i - RULES].because : NULL;
}

void mx_print_left_out(void)
{
    for (int i = 0; i < LEFT_OUT; i++)
        printf("# left out: %s\n", left_out[i].because);
    printf(
        "# left out: the highest bit in max and min of MPI_UNSIGNED_LONG and "
        "MPI_OFFSET: Open MPI 4.1.4 takes its sign wrong\n"
        "# left out: the second start of a persistent bsend: Open MPI 4.1.4 "
        "sends something else\n");
}
