/*
 * Windows serve host memory as ever; on device memory, or with a buffer in it,
 * every call is an MPI error that changes nothing.
 */
#include "mem.h"
#include "tap.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 64, BYTES = COUNT * (int)sizeof(int) };

static int     rank, nranks, peer;
static MPI_Win win; /* on memory of this process */
static int    *memory;

static void fill(int *values, int first)
{
    for (int i = 0; i < COUNT; i++)
        values[i] = first + i;
}

static bool holds(const int *values, int first)
{
    for (int i = 0; i < COUNT; i++)
        if (values[i] != first + i)
            return false;
    return true;
}

/* What a rank has in its window before anyone touches it. */
static int at_first(int of)
{
    return 1000 * (of + 1);
}

static int left(void)
{
    return (rank + nranks - 1) % nranks;
}

/* Our own memory, when no one else is at it. */
static void restore(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    fill(memory, at_first(rank));
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void read_memory(int *values)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    memcpy(values, memory, BYTES);
    MPI_Win_unlock(rank, win);
}

/* The calls, with buffers for origin, result and what is compared; count
 * elements, of which the calls on one element take one. */
typedef int call_fn(void *origin, void *result, void *compare);

static int finish(int rc, MPI_Request *request)
{
    return rc == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : rc;
}

static int put(void *origin, void *result, void *compare)
{
    (void)result, (void)compare;
    return MPI_Put(origin, COUNT, MPI_INT, peer, 0, COUNT, MPI_INT, win);
}

static int get(void *origin, void *result, void *compare)
{
    (void)result, (void)compare;
    return MPI_Get(origin, COUNT, MPI_INT, peer, 0, COUNT, MPI_INT, win);
}

static int accumulate(void *origin, void *result, void *compare)
{
    (void)result, (void)compare;
    return MPI_Accumulate(origin, COUNT, MPI_INT, peer, 0, COUNT, MPI_INT,
                          MPI_REPLACE, win);
}

static int get_accumulate(void *origin, void *result, void *compare)
{
    (void)compare;
    return MPI_Get_accumulate(origin, COUNT, MPI_INT, result, COUNT, MPI_INT,
                              peer, 0, COUNT, MPI_INT, MPI_REPLACE, win);
}

static int fetch_and_op(void *origin, void *result, void *compare)
{
    (void)compare;
    return MPI_Fetch_and_op(origin, result, MPI_INT, peer, 0, MPI_REPLACE, win);
}

static int compare_and_swap(void *origin, void *result, void *compare)
{
    return MPI_Compare_and_swap(origin, compare, result, MPI_INT, peer, 0, win);
}

static int rput(void *origin, void *result, void *compare)
{
    MPI_Request request;

    (void)result, (void)compare;
    return finish(MPI_Rput(origin, COUNT, MPI_INT, peer, 0, COUNT, MPI_INT, win,
                           &request),
                  &request);
}

static int rget(void *origin, void *result, void *compare)
{
    MPI_Request request;

    (void)result, (void)compare;
    return finish(MPI_Rget(origin, COUNT, MPI_INT, peer, 0, COUNT, MPI_INT, win,
                           &request),
                  &request);
}

static int raccumulate(void *origin, void *result, void *compare)
{
    MPI_Request request;

    (void)result, (void)compare;
    return finish(MPI_Raccumulate(origin, COUNT, MPI_INT, peer, 0, COUNT,
                                  MPI_INT, MPI_REPLACE, win, &request),
                  &request);
}

static int rget_accumulate(void *origin, void *result, void *compare)
{
    MPI_Request request;

    (void)compare;
    return finish(MPI_Rget_accumulate(origin, COUNT, MPI_INT, result, COUNT,
                                      MPI_INT, peer, 0, COUNT, MPI_INT,
                                      MPI_REPLACE, win, &request),
                  &request);
}

static const struct {
    const char *name;
    call_fn    *call;
    bool        has_result, has_compare, writes, is_single;
} calls[] = {
    {.name = "put", .call = put, .writes = true},
    {.name = "get", .call = get},
    {.name = "accumulate", .call = accumulate, .writes = true},
    {.name = "get_accumulate",
     .call = get_accumulate,
     .has_result = true,
     .writes = true},
    {.name = "fetch_and_op",
     .call = fetch_and_op,
     .has_result = true,
     .writes = true,
     .is_single = true},
    {.name = "compare_and_swap",
     .call = compare_and_swap,
     .has_result = true,
     .has_compare = true,
     .writes = true,
     .is_single = true},
    {.name = "rput", .call = rput, .writes = true},
    {.name = "rget", .call = rget},
    {.name = "raccumulate", .call = raccumulate, .writes = true},
    {.name = "rget_accumulate",
     .call = rget_accumulate,
     .has_result = true,
     .writes = true},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

/* A call on host memory, with what comes of it. */
static bool works(int i)
{
    int  origin[COUNT], result[COUNT], now[COUNT];
    int  compare = at_first(peer), rc;
    int *fetched = calls[i].has_result ? result : origin;
    bool right;

    restore();
    fill(origin, at_first(rank) + 7);
    fill(result, 0);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, peer, 0, win);
    rc = calls[i].call(origin, result, &compare);
    MPI_Win_unlock(peer, win);
    read_memory(now);
    right = rc == MPI_SUCCESS;
    if (calls[i].is_single)
        return right && result[0] == at_first(peer) &&
               now[0] == at_first(left()) + 7;
    if (calls[i].writes)
        right = right && holds(now, at_first(left()) + 7);
    if (!calls[i].writes || calls[i].has_result)
        right = right && holds(fetched, at_first(peer));
    return right;
}

static bool is_refused(int i, void *origin, void *result, void *compare)
{
    int rc, class = MPI_SUCCESS;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, peer, 0, win);
    rc = calls[i].call(origin, result, compare);
    MPI_Win_unlock(peer, win);
    if (rc != MPI_SUCCESS)
        MPI_Error_class(rc, &class);
    return class == MPI_ERR_UNSUPPORTED_OPERATION;
}

/* Each of the buffers in its turn is on a device. */
static bool refuses(int i, void *device)
{
    int  host[COUNT] = {0}, now[COUNT];
    bool right;

    restore();
    right = is_refused(i, device, host, host);
    if (calls[i].has_result)
        right = right && is_refused(i, host, device, host);
    if (calls[i].has_compare)
        right = right && is_refused(i, host, host, device);
    read_memory(now);
    return right && holds(now, at_first(rank)) && works(i);
}

/* Where the CPU can't go. */
static bool is_out_of_reach(enum mem_kind kind)
{
    return kind == MEM_POOL || kind == MEM_CUDA || kind == MEM_HIP ||
           kind == MEM_ZE;
}

static void test_calls(const char *flavor)
{
    char line[128];

    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int i = 0; i < CALLS; i++) {
        bool right = works(i);

        snprintf(line, sizeof line, "%s: %s on host memory", flavor,
                 calls[i].name);
        tap_ok(right, line);
        for (enum mem_kind kind = MEM_HOST; kind < MEM_KINDS; kind++) {
            struct mem device;

            if (!is_out_of_reach(kind) || !mem_available(kind, rank))
                continue;
            device = mem_new(kind, BYTES);
            right = right && refuses(i, device.buffer);
            mem_delete(&device);
        }
        snprintf(line, sizeof line, "%s: %s with device memory fails", flavor,
                 calls[i].name);
        tap_ok(right, line);
    }
}

static bool create_on(enum mem_kind kind, int class_expected)
{
    struct mem mem = mem_new(kind, BYTES);
    MPI_Win    made = MPI_WIN_NULL;
    int        rc, class = MPI_SUCCESS;

    rc = MPI_Win_create(mem.buffer, BYTES, sizeof(int), MPI_INFO_NULL,
                        MPI_COMM_WORLD, &made);
    if (rc != MPI_SUCCESS)
        MPI_Error_class(rc, &class);
    if (class != class_expected)
        printf("# rank %d: MPI_Win_create on %s: class %d\n", rank,
               mem_kind_name(kind), class);
    if (rc == MPI_SUCCESS)
        MPI_Win_free(&made);
    mem_delete(&mem);
    return class == class_expected;
}

static void test_creation(void)
{
    bool right = true;

    for (enum mem_kind kind = MEM_HOST; kind < MEM_KINDS; kind++)
        if (is_out_of_reach(kind) && mem_available(kind, rank))
            right = right && create_on(kind, MPI_ERR_WIN);
    tap_ok(right, "a window on device memory fails");
    tap_ok(create_on(rank == nranks - 1 ? MEM_CUDA : MEM_HOST, MPI_ERR_WIN),
           "a window fails on every rank where one has device memory");
    tap_ok(create_on(MEM_PINNED, MPI_SUCCESS) &&
               create_on(MEM_MANAGED, MPI_SUCCESS),
           "a window on pinned or managed memory");
}

static void test_dynamic(void)
{
    struct mem device = mem_new(mem_second(rank), BYTES);
    int        values[COUNT], rc, class = MPI_SUCCESS;

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    rc = MPI_Win_attach(win, device.buffer, BYTES);
    if (rc != MPI_SUCCESS)
        MPI_Error_class(rc, &class);
    tap_ok(class == MPI_ERR_RMA_ATTACH, "attaching device memory fails");
    rc = MPI_Win_attach(win, values, BYTES);
    tap_ok(rc == MPI_SUCCESS && MPI_Win_detach(win, values) == MPI_SUCCESS,
           "attaching host memory");
    MPI_Win_free(&win);
    mem_delete(&device);
}

static void test_window_of_ours(void)
{
    int mine[COUNT];

    memory = mine;
    MPI_Win_create(mine, BYTES, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win);
    test_calls("create");
    MPI_Win_free(&win);
}

static void test_window_of_the_librarys(void)
{
    MPI_Win_allocate(BYTES, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    test_calls("allocate");
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    peer = (rank + 1) % nranks;
    if (!mem_available(MEM_CUDA, rank)) {
        printf("no devices here\n");
        MPI_Abort(MPI_COMM_WORLD, 77);
    }
    tap_plan(4 * CALLS + 5);
    test_window_of_ours();
    test_window_of_the_librarys();
    test_creation();
    test_dynamic();
    MPI_Finalize();
    return 0;
}
