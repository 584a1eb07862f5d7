/* One reduction on the kind of memory that argv names: the least program that
 * dies without HCOMM.  Every rank says so when the result is right. */
#include "mem.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 1000 };

static enum mem_kind kind_named(const char *name)
{
    enum mem_kind kind = MEM_HOST;

    while (kind < MEM_KINDS && strcmp(mem_kind_name(kind), name) != 0)
        kind++;
    return kind;
}

static void fill(struct mem *mem, int value)
{
    for (size_t i = 0; i < COUNT; i++)
        memcpy(mem->elements + i * sizeof value, &value, sizeof value);
}

int main(int argc, char **argv)
{
    enum mem_kind kind = kind_named(argc > 1 ? argv[1] : "cuda");
    struct mem    send, recv;
    int           rank, nranks, is, should;
    long          wrong;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    if (kind == MEM_KINDS || !mem_available(kind, rank)) {
        printf("no such memory here\n");
        MPI_Abort(MPI_COMM_WORLD, 77);
    }
    send = mem_new(kind, COUNT * sizeof(int));
    recv = mem_new(kind, COUNT * sizeof(int));
    fill(&send, rank + 1);
    mem_upload(&send);
    mem_upload(&recv);
    MPI_Allreduce(send.buffer, recv.buffer, COUNT, MPI_INT, MPI_SUM,
                  MPI_COMM_WORLD);
    fill(&recv, nranks * (nranks + 1) / 2);
    wrong = mem_compare(&recv, &is, &should);
    printf("rank %d of %d: %s\n", rank, nranks,
           wrong == LONG_MIN ? "right" : "wrong");
    mem_delete(&send);
    mem_delete(&recv);
    MPI_Finalize();
    return wrong == LONG_MIN ? 0 : 1;
}
