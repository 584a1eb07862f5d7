/* The levels of every factor, and the rules: which of them exclude another. */
#include "matrix.h"

#include <stdio.h>
#include <string.h>

static bool memory_chosen[MEM_KINDS];

static const char *const calls[CALLS] = {
    "barrier",
    "bcast",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "reduce_scatter_block",
    "scan",
    "exscan",
    "reduce_local",
    "neighbor_allgather",
    "neighbor_allgatherv",
    "neighbor_alltoall",
    "neighbor_alltoallv",
    "neighbor_alltoallw",
    "send",
    "bsend",
    "ssend",
    "rsend",
    "sendrecv",
    "sendrecv_replace",
};

static const char *const modes[] = {"blocking", "nonblocking", "persistent"};
static const char *const receives[] = {"-",     "recv",   "irecv",  "recv_init",
                                       "probe", "mprobe", "improbe"};
static const char *const spreads[] = {"alike", "send/recv", "by rank",
                                      "root/rest"};
static const char *const places[] = {"out of place", "in place"};
static const char *const layouts[] = {"plain",       "contiguous", "vector",
                                      "indexed",     "struct",     "resized",
                                      "interleaved", "shifted"};
static const char *const ops[] = {
    "-",    "sum", "prod", "max",    "min",    "land", "lor",          "lxor",
    "band", "bor", "bxor", "maxloc", "minloc", "user", "user, ordered"};
static const char *const counts[] = {"7", "0", "1", "1000", "65537"};
static const char *const rank_counts[] = {"1", "2", "3", "4", "5"};
static const char *const comms[] = {"world", "reversed", "self",      "inter",
                                    "cart",  "graph",    "dist_graph"};
static const char *const roots[] = {"first", "last"};
static const char *const addresses[] = {"pointer", "bottom"};
static const char *const matches[] = {"same type", "same signature"};

#define NAMED(name, list)                                           \
    {                                                               \
        name, (list), (int)(sizeof(list) / sizeof((list)[0])), NULL \
    }
#define WEIGHED(name, list, weight)                                     \
    {                                                                   \
        name, (list), (int)(sizeof(list) / sizeof((list)[0])), (weight) \
    }

/* Large counts and many ranks are dear, topologies are for few calls. */
static const int layout_weights[] = {4, 1, 1, 1, 1, 1, 1, 1};
static const int count_weights[] = {6, 2, 4, 6, 1};
static const int rank_weights[] = {1, 4, 4, 3, 3};
static const int comm_weights[] = {6, 3, 1, 3, 3, 3, 3};
static const int address_weights[] = {3, 1};

static const struct {
    const char        *name;
    const char *const *levels; /* NULL: kinds of memory, or types */
    int                count;
    const int         *weights; /* NULL: all alike */
} factors[FACTORS] = {
    [F_CALL] = NAMED("call", calls),
    [F_MODE] = NAMED("mode", modes),
    [F_RECEIVE] = NAMED("receive", receives),
    [F_MEMORY] = {"memory", NULL, MEM_KINDS, NULL},
    [F_OTHER] = {"other memory", NULL, MEM_KINDS, NULL},
    [F_SPREAD] = NAMED("spread", spreads),
    [F_PLACE] = NAMED("place", places),
    [F_LAYOUT] = WEIGHED("layout", layouts, layout_weights),
    [F_TYPE] = {"type", NULL, 0, NULL},
    [F_OP] = NAMED("op", ops),
    [F_COUNT] = WEIGHED("count", counts, count_weights),
    [F_RANKS] = WEIGHED("ranks", rank_counts, rank_weights),
    [F_COMM] = WEIGHED("comm", comms, comm_weights),
    [F_ROOT] = NAMED("root", roots),
    [F_ADDRESS] = WEIGHED("address", addresses, address_weights),
    [F_MATCH] = NAMED("match", matches),
};

int mx_levels(enum mx_factor factor)
{
    return factor == F_TYPE ? mx_bases() : factors[factor].count;
}

const char *mx_factor_name(enum mx_factor factor)
{
    return factors[factor].name;
}

const char *mx_level_name(enum mx_factor factor, int level)
{
    if (factor == F_TYPE)
        return mx_base(level)->name;
    if (factors[factor].levels == NULL)
        return mem_kind_name((enum mem_kind)level);
    return factors[factor].levels[level];
}

int mx_weight(enum mx_factor factor, int level)
{
    const int *weights = factors[factor].weights;

    return weights == NULL ? 1 : weights[level];
}

int mx_count(const struct mx_case *c)
{
    static const int values[COUNTS] = {7, 0, 1, 1000, 65537};

    return values[c->level[F_COUNT]];
}

bool mx_is_reduction(int call)
{
    return call >= CALL_REDUCE && call <= CALL_REDUCE_LOCAL;
}

bool mx_is_neighbor(int call)
{
    return call >= CALL_NEIGHBOR_ALLGATHER && call <= CALL_NEIGHBOR_ALLTOALLW;
}

bool mx_is_point_to_point(int call)
{
    return call >= CALL_SEND;
}

bool mx_is_rooted(int call)
{
    return (call >= CALL_BCAST && call <= CALL_SCATTERV) || call == CALL_REDUCE;
}

bool mx_choose_memory(const char *names, int which)
{
    for (int kind = 0; kind < MEM_KINDS; kind++) {
        const char *name = mem_kind_name((enum mem_kind)kind);
        const char *at = names == NULL ? NULL : strstr(names, name);

        memory_chosen[kind] = (names == NULL || at != NULL) &&
                              mem_available((enum mem_kind)kind, which);
        if (at != NULL && !memory_chosen[kind])
            return false;
    }
    return memory_chosen[MEM_HOST];
}

/* ---- rules ---- */

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

    return (memory != MX_ANY && !memory_chosen[memory]) ||
           (other != MX_ANY && !memory_chosen[other]);
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
    {inter_v_of_types,
     "gatherv and scatterv between groups with another type at the receiver: "
     "Open MPI counts the root's elements in the others' type"},
    {NULL, NULL},
};

const char *mx_impossible(const struct mx_case *c)
{
    for (int i = 0; i < RULES; i++)
        if (rules[i].excludes(c))
            return rules[i].because;
    for (int i = 0; left_out[i].excludes != NULL; i++)
        if (left_out[i].excludes(c))
            return left_out[i].because;
    return NULL;
}

void mx_print_left_out(void)
{
    for (int i = 0; left_out[i].excludes != NULL; i++)
        printf("# left out: %s\n", left_out[i].because);
    printf(
        "# left out: the highest bit in max and min of MPI_UNSIGNED_LONG and "
        "MPI_OFFSET: Open MPI 4.1.4 takes its sign wrong\n"
        "# left out: the second start of a persistent bsend: Open MPI 4.1.4 "
        "sends something else\n");
}
