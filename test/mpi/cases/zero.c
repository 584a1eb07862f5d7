/* Calls that move nothing, at addresses that are none. */
#include "cases.h"
#include "driver.h"

enum { MAX_RANKS = 64 };
static const int zeros[MAX_RANKS];

static MPI_Datatype int_types[MAX_RANKS];

static bool nothing_blocking(void *a, void *b)
{
    MPI_Comm w = MPI_COMM_WORLD;
    bool     right;

    right = CALL(MPI_Allreduce(a, b, 0, MPI_INT, MPI_SUM, w));
    right &= CALL(MPI_Reduce(a, b, 0, MPI_INT, MPI_SUM, 0, w));
    right &= CALL(MPI_Bcast(a, 0, MPI_INT, 0, w));
    right &= CALL(MPI_Gather(a, 0, MPI_INT, b, 0, MPI_INT, 0, w));
    right &= CALL(MPI_Gatherv(a, 0, MPI_INT, b, zeros, zeros, MPI_INT, 0, w));
    right &= CALL(MPI_Scatter(a, 0, MPI_INT, b, 0, MPI_INT, 0, w));
    right &= CALL(MPI_Scatterv(a, zeros, zeros, MPI_INT, b, 0, MPI_INT, 0, w));
    right &= CALL(MPI_Allgather(a, 0, MPI_INT, b, 0, MPI_INT, w));
    right &= CALL(MPI_Allgatherv(a, 0, MPI_INT, b, zeros, zeros, MPI_INT, w));
    right &= CALL(MPI_Alltoall(a, 0, MPI_INT, b, 0, MPI_INT, w));
    right &= CALL(
        MPI_Alltoallv(a, zeros, zeros, MPI_INT, b, zeros, zeros, MPI_INT, w));
    right &= CALL(MPI_Alltoallw(a, zeros, zeros, int_types, b, zeros, zeros,
                                int_types, w));
    right &= CALL(MPI_Reduce_scatter(a, b, zeros, MPI_INT, MPI_SUM, w));
    right &= CALL(MPI_Reduce_scatter_block(a, b, 0, MPI_INT, MPI_SUM, w));
    right &= CALL(MPI_Scan(a, b, 0, MPI_INT, MPI_SUM, w));
    right &= CALL(MPI_Exscan(a, b, 0, MPI_INT, MPI_SUM, w));
    return CALL(MPI_Reduce_local(a, b, 0, MPI_INT, MPI_SUM)) & right;
}

static bool nothing_nonblocking(void *a, void *b)
{
    enum { REQUESTS = 16 };
    MPI_Comm    w = MPI_COMM_WORLD;
    MPI_Request r[REQUESTS];
    bool        right;

    for (int i = 0; i < REQUESTS; i++)
        r[i] = MPI_REQUEST_NULL;
    right = CALL(MPI_Iallreduce(a, b, 0, MPI_INT, MPI_SUM, w, &r[0]));
    right &= CALL(MPI_Ireduce(a, b, 0, MPI_INT, MPI_SUM, 0, w, &r[1]));
    right &= CALL(MPI_Ibcast(a, 0, MPI_INT, 0, w, &r[2]));
    right &= CALL(MPI_Igather(a, 0, MPI_INT, b, 0, MPI_INT, 0, w, &r[3]));
    right &= CALL(
        MPI_Igatherv(a, 0, MPI_INT, b, zeros, zeros, MPI_INT, 0, w, &r[4]));
    right &= CALL(MPI_Iscatter(a, 0, MPI_INT, b, 0, MPI_INT, 0, w, &r[5]));
    right &= CALL(
        MPI_Iscatterv(a, zeros, zeros, MPI_INT, b, 0, MPI_INT, 0, w, &r[6]));
    right &= CALL(MPI_Iallgather(a, 0, MPI_INT, b, 0, MPI_INT, w, &r[7]));
    right &= CALL(
        MPI_Iallgatherv(a, 0, MPI_INT, b, zeros, zeros, MPI_INT, w, &r[8]));
    right &= CALL(MPI_Ialltoall(a, 0, MPI_INT, b, 0, MPI_INT, w, &r[9]));
    right &= CALL(MPI_Ialltoallv(a, zeros, zeros, MPI_INT, b, zeros, zeros,
                                 MPI_INT, w, &r[10]));
    right &= CALL(MPI_Ialltoallw(a, zeros, zeros, int_types, b, zeros, zeros,
                                 int_types, w, &r[11]));
    right &=
        CALL(MPI_Ireduce_scatter(a, b, zeros, MPI_INT, MPI_SUM, w, &r[12]));
    right &=
        CALL(MPI_Ireduce_scatter_block(a, b, 0, MPI_INT, MPI_SUM, w, &r[13]));
    right &= CALL(MPI_Iscan(a, b, 0, MPI_INT, MPI_SUM, w, &r[14]));
    right &= CALL(MPI_Iexscan(a, b, 0, MPI_INT, MPI_SUM, w, &r[15]));
    return CALL(MPI_Waitall(REQUESTS, r, MPI_STATUSES_IGNORE)) & right;
}

static bool nothing_to_neighbours(void *a, void *b)
{
    int      sides[] = {cases.nranks}, wraps[] = {1};
    MPI_Comm ring;
    bool     right;

    MPI_Cart_create(MPI_COMM_WORLD, 1, sides, wraps, 0, &ring);
    right = CALL(MPI_Neighbor_allgather(a, 0, MPI_INT, b, 0, MPI_INT, ring));
    right &= CALL(MPI_Neighbor_alltoall(a, 0, MPI_INT, b, 0, MPI_INT, ring));
    right &= CALL(MPI_Neighbor_alltoallv(a, zeros, zeros, MPI_INT, b, zeros,
                                         zeros, MPI_INT, ring));
    MPI_Comm_free(&ring);
    return right;
}

static bool nothing_point_to_point(void *a, void *b)
{
    int next = (cases.rank + 1) % cases.nranks;
    int last = (cases.rank + cases.nranks - 1) % cases.nranks;

    return CALL(MPI_Sendrecv(a, 0, MPI_INT, next, 2, b, 0, MPI_INT, last, 2,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* The error that HIP keeps for the program to ask for; CUDA's runtime keeps its
 * own only, and Level Zero none. */
static int last_error(enum mem_kind kind)
{
    int (*get_last_error)(void);

    if (kind != MEM_HIP)
        return 0;
    *(void **)&get_last_error = driver_symbol(kind, "hipGetLastError");
    return get_last_error();
}

static bool nothing_moved(enum mem_kind kind, void *a, void *b)
{
    bool right = true;
    int  error;

    for (int i = 0; i < MAX_RANKS; i++)
        int_types[i] = MPI_INT;
    right &= nothing_blocking(a, b);
    right &= nothing_nonblocking(a, b);
    right &= nothing_to_neighbours(a, b);
    right &= nothing_point_to_point(a, b);
    error = last_error(kind);
    if (error != 0)
        cases_note("the runtime was left with error %d", error);
    return right && error == 0;
}

static bool nothing_at_null(enum mem_kind kind)
{
    return nothing_moved(kind, NULL, NULL);
}

/* One past the end of an allocation, which may be where another begins. */
static bool nothing_past_the_end(enum mem_kind kind)
{
    struct mem a = blank(kind, 1000), b = blank(kind, 1000);
    bool       right;

    right =
        nothing_moved(kind, a.block + a.block_bytes, b.block + b.block_bytes);
    right &= ends_as_put(&a, "send");
    return ends_as_put(&b, "recv") & right;
}

static bool nothing_at_freed(enum mem_kind kind)
{
    struct mem a = blank(kind, 1000), b = blank(kind, 1000);
    void      *at_a = a.buffer, *at_b = b.buffer;

    mem_delete(&a);
    mem_delete(&b);
    return nothing_moved(kind, at_a, at_b);
}

static const struct test_case table[] = {
    EACH_KIND("case 40: every call with count 0 and NULL", nothing_at_null),
    EACH_KIND("case 40: every call with count 0 and one past the end",
              nothing_past_the_end),
    EACH_KIND("case 40: every call with count 0 and freed memory",
              nothing_at_freed),
    END_OF_CASES,
};

int main(int argc, char **argv)
{
    return cases_main(argc, argv, table);
}
