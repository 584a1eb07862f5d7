/*
 * The plugin made slow, to see check_overhead say FAIL on every bar:
 *   LD_PRELOAD=$PWD/test/perf/slowed.so test/perf/check_overhead --pairs 7
 * In processes that have loaded it MPI_Init takes 8 ms longer, and the small
 * collectives 1 us; so bars "between jobs" are missed, "within one process"
 * can't notice.
 */
#include <link.h>
#include <mpi.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#define VISIBLE __attribute__((visibility("default")))

enum { INIT_NS = 8000000, CALL_NS = 1000 };

static bool slow;

static long long now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void lose(long long ns)
{
    long long end = now_ns() + ns;

    while (slow && now_ns() < end)
        ;
}

static int is_plugin(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    (void)bytes;
    (void)arg;
    return strstr(info->dlpi_name, "/mca_coll_hcomm.so") != NULL;
}

VISIBLE int MPI_Init(int *argc, char ***argv)
{
    int rc = PMPI_Init(argc, argv);

    slow = dl_iterate_phdr(is_plugin, NULL) != 0;
    lose(INIT_NS);
    return rc;
}

VISIBLE int MPI_Allreduce(const void *send, void *recv, int count,
                          MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    lose(CALL_NS);
    return PMPI_Allreduce(send, recv, count, type, op, comm);
}

VISIBLE int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root,
                      MPI_Comm comm)
{
    lose(CALL_NS);
    return PMPI_Bcast(buffer, count, type, root, comm);
}
