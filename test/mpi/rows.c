/*
 * One broadcast of thousands of pieces in device memory: rows KIND SHAPE.
 * rows.sh counts the driver's calls that it takes; shape none broadcasts
 * nothing, so that what the program itself calls can be taken off.
 */
#include "mem.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 10000 };

struct shape {
    const char *name;
    void (*piece)(int i, MPI_Aint *place, int *bytes);
    MPI_Datatype (*type)(void);
    int count; /* elements of the type that have all pieces */
};

/* Gaps of more than three times the data: else reading takes them along. */
enum { STRIDE = 5 /* ints */, EXTENT = 96, DOUBLE_AT = 40, ODD_GAP = 40 };

static void vector_piece(int i, MPI_Aint *place, int *bytes)
{
    *place = (MPI_Aint)i * STRIDE * (MPI_Aint)sizeof(int);
    *bytes = sizeof(int);
}

static MPI_Datatype vector_type(void)
{
    MPI_Datatype type;

    MPI_Type_vector(PIECES, 1, STRIDE, MPI_INT, &type);
    return type;
}

/* An int and a double by turns. */
static void struct_piece(int i, MPI_Aint *place, int *bytes)
{
    *place = (MPI_Aint)(i / 2 * EXTENT + (i % 2 ? DOUBLE_AT : 0));
    *bytes = i % 2 ? (int)sizeof(double) : (int)sizeof(int);
}

static MPI_Datatype struct_type(void)
{
    int          lengths[] = {1, 1};
    MPI_Aint     places[] = {0, DOUBLE_AT};
    MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE}, packed, type;

    MPI_Type_create_struct(2, lengths, places, parts, &packed);
    MPI_Type_create_resized(packed, 0, EXTENT, &type);
    MPI_Type_free(&packed);
    return type;
}

/* No two neighbours are alike, nor as far from each other as the next. */
static void odd_piece(int i, MPI_Aint *place, int *bytes)
{
    *place = (MPI_Aint)i * ODD_GAP + (MPI_Aint)((long)i * i % 23);
    *bytes = 1 + i * 7 % 11;
}

static MPI_Datatype odd_type(void)
{
    static int      lengths[PIECES];
    static MPI_Aint places[PIECES];
    MPI_Datatype    type;

    for (int i = 0; i < PIECES; i++)
        odd_piece(i, &places[i], &lengths[i]);
    MPI_Type_create_hindexed(PIECES, lengths, places, MPI_BYTE, &type);
    return type;
}

static const struct shape shapes[] = {
    {"none", vector_piece, vector_type, 0},
    {"vector", vector_piece, vector_type, 1},
    {"structs", struct_piece, struct_type, PIECES / 2},
    {"odd", odd_piece, odd_type, 1},
};

static const struct shape *find_shape(const char *name)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (strcmp(shapes[i].name, name) == 0)
            return &shapes[i];
    return NULL;
}

static enum mem_kind find_kind(const char *name)
{
    enum mem_kind kind = MEM_HOST;

    while (kind < MEM_KINDS && strcmp(mem_kind_name(kind), name) != 0)
        kind++;
    return kind;
}

static void fill(struct mem *mem, const struct shape *shape)
{
    for (int i = 0; i < PIECES; i++) {
        MPI_Aint place;
        int      bytes;

        shape->piece(i, &place, &bytes);
        for (int b = 0; b < bytes; b++)
            mem->elements[place + b] = (unsigned char)(i * 13 + b * 5);
    }
}

static bool broadcast(enum mem_kind kind, const struct shape *shape, int rank)
{
    struct mem   mem = mem_new(kind, (size_t)PIECES * EXTENT);
    MPI_Datatype type = shape->type();
    long         wrong;
    int          is, should;

    if (rank == 0 && shape->count > 0)
        fill(&mem, shape);
    mem_upload(&mem);
    MPI_Type_commit(&type);
    MPI_Bcast(mem.buffer, shape->count, type, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    if (shape->count > 0)
        fill(&mem, shape);
    wrong = mem_compare(&mem, &is, &should);
    if (wrong != LONG_MIN)
        printf("rank %d: byte %ld is %d, not %d\n", rank, wrong, is, should);
    mem_delete(&mem);
    return wrong == LONG_MIN;
}

int main(int argc, char **argv)
{
    const struct shape *shape = argc == 3 ? find_shape(argv[2]) : NULL;
    enum mem_kind       kind = argc == 3 ? find_kind(argv[1]) : MEM_KINDS;
    int                 rank;
    bool                right;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (shape == NULL || kind == MEM_KINDS || !mem_available(kind, rank)) {
        printf("rank %d: there is no such shape or memory\n", rank);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    right = broadcast(kind, shape, rank);
    if (right)
        printf("rank %d: right\n", rank);
    MPI_Finalize();
    return right ? 0 : 1;
}
