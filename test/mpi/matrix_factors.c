/* The levels of every factor. */
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

bool mx_has_memory(int kind)
{
    return memory_chosen[kind];
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
