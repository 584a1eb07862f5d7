/* One buffer from MPI_BOTTOM, with pieces in host, cuda and hip memory. */
#include "mem.h"
#include "tap.h"

#include <limits.h>
#include <mpi.h>
#include <string.h>

enum { PIECES = 3, COUNT = 10 };

static const enum mem_kind kinds[PIECES] = {MEM_HOST, MEM_CUDA, MEM_HIP};

static void fill(struct mem *mem, int first)
{
    for (int i = 0; i < COUNT; i++) {
        int value = first + i;

        memcpy(mem->elements + (size_t)i * sizeof value, &value, sizeof value);
    }
}

static MPI_Datatype type_of(const struct mem mems[PIECES])
{
    int          lengths[PIECES];
    MPI_Aint     places[PIECES];
    MPI_Datatype parts[PIECES], type;

    for (int i = 0; i < PIECES; i++) {
        lengths[i] = COUNT;
        MPI_Get_address(mems[i].buffer, &places[i]);
        parts[i] = MPI_INT;
    }
    MPI_Type_create_struct(PIECES, lengths, places, parts, &type);
    MPI_Type_commit(&type);
    return type;
}

static bool check(struct mem mems[PIECES], int rc, int first)
{
    bool right = rc == MPI_SUCCESS;
    int  is, should;

    for (int i = 0; i < PIECES; i++) {
        fill(&mems[i], first + 100 * i);
        right &= mem_compare(&mems[i], &is, &should) == LONG_MIN;
    }
    return right;
}

static bool bcast_is_right(struct mem mems[PIECES], int rank, int root)
{
    MPI_Datatype type = type_of(mems);
    int          rc;

    for (int i = 0; i < PIECES; i++) {
        fill(&mems[i], rank == root ? 1000 + 100 * i : -1);
        mem_upload(&mems[i]);
    }
    rc = MPI_Bcast(MPI_BOTTOM, 1, type, root, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    return check(mems, rc, 1000);
}

int main(int argc, char **argv)
{
    struct mem mems[PIECES];
    int        rank, nranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    for (int i = 0; i < PIECES; i++) {
        if (!mem_available(kinds[i], rank))
            MPI_Abort(MPI_COMM_WORLD, 77);
        mems[i] = mem_new(kinds[i], COUNT * sizeof(int));
    }
    tap_plan(2);
    tap_ok(bcast_is_right(mems, rank, 0), "bcast from rank 0");
    tap_ok(bcast_is_right(mems, rank, nranks - 1), "bcast from the last rank");
    for (int i = 0; i < PIECES; i++)
        mem_delete(&mems[i]);
    MPI_Finalize();
    return 0;
}
