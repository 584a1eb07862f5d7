#include "device_sum.h"

#include "mem.h"

#include <limits.h>
#include <string.h>

enum { COUNT = 100 };

static void fill(struct mem *mem, int value)
{
    for (size_t i = 0; i < COUNT; i++) {
        int element = value + (int)i;

        memcpy(mem->elements + i * sizeof element, &element, sizeof element);
    }
}

static void fill_expected(struct mem *mem, int nranks, int seed)
{
    for (size_t i = 0; i < COUNT; i++) {
        int element = nranks * (nranks - 1) / 2 + nranks * (seed + (int)i);

        memcpy(mem->elements + i * sizeof element, &element, sizeof element);
    }
}

bool device_sum_is_right(MPI_Comm comm, int seed)
{
    int        rank, nranks, is, should, rc;
    long       wrong;
    struct mem mem;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    if (!mem_available(MEM_CUDA, rank))
        return false;
    mem = mem_new(MEM_CUDA, COUNT * sizeof(int));
    fill(&mem, rank + seed);
    mem_upload(&mem);
    rc = MPI_Allreduce(MPI_IN_PLACE, mem.buffer, COUNT, MPI_INT, MPI_SUM, comm);
    fill_expected(&mem, nranks, seed);
    wrong = mem_compare(&mem, &is, &should);
    mem_delete(&mem);
    return rc == MPI_SUCCESS && wrong == LONG_MIN;
}
