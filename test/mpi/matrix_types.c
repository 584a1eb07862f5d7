/* The predefined types, and layouts made of any of them. */
#include "matrix.h"

#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

#define ONE(mpi, klass, kind, size)                                           \
    {                                                                         \
        .name = #mpi, .type = MPI_##mpi, .class = CLASS_##klass,              \
        .extent = (int)(size), .number = NUMBER_##kind, .bytes = (int)(size), \
    }
#define INTEGER(mpi, c)    ONE(mpi, INTEGER, SIGNED, sizeof(c))
#define NATURAL(mpi, c)    ONE(mpi, INTEGER, UNSIGNED, sizeof(c))
#define FORTRAN(mpi, size) ONE(mpi, FORTRAN_INTEGER, SIGNED, size)
#define REAL(mpi, c)       ONE(mpi, FLOATING, FLOAT, sizeof(c))
#define TWO(mpi, klass, size, kind, first, place, kind2, second_size)        \
    {                                                                        \
        .name = #mpi, .type = MPI_##mpi, .class = CLASS_##klass,             \
        .extent = (int)(size), .number = NUMBER_##kind,                      \
        .second = NUMBER_##kind2, .bytes = (int)(first), .at = (int)(place), \
        .second_bytes = (int)(second_size),                                  \
    }
#define COMPLEX(mpi, c)                                                  \
    TWO(mpi, COMPLEX, 2 * sizeof(c), FLOAT, sizeof(c), sizeof(c), FLOAT, \
        sizeof(c))
#define PAIR(mpi, kind, c)         \
    TWO(mpi, PAIR, sizeof(struct { \
            c   value;             \
            int index;             \
        }),                        \
        kind, sizeof(c),           \
        offsetof(                  \
            struct {               \
                c   value;         \
                int index;         \
            },                     \
            index),                \
        SIGNED, sizeof(int))

#define BOTH(mpi, kind, c) \
    TWO(mpi, PAIR, 2 * sizeof(c), kind, sizeof(c), sizeof(c), kind, sizeof(c))

/* With Open MPI's handles, which are addresses, the table is not a constant
 * that a compiler could check; it is one nevertheless. */
static const struct mx_base bases[] = {
    INTEGER(INT, int),
    INTEGER(CHAR, char), /* Open MPI adds them up, MPI need not */
    INTEGER(SIGNED_CHAR, char),
    NATURAL(UNSIGNED_CHAR, char),
    INTEGER(SHORT, short),
    NATURAL(UNSIGNED_SHORT, short),
    NATURAL(UNSIGNED, int),
    INTEGER(LONG, long),
    NATURAL(UNSIGNED_LONG, long),
    INTEGER(LONG_LONG, long long),
    NATURAL(UNSIGNED_LONG_LONG, long long),
    INTEGER(INT8_T, int8_t),
    NATURAL(UINT8_T, int8_t),
    INTEGER(INT16_T, int16_t),
    NATURAL(UINT16_T, int16_t),
    INTEGER(INT32_T, int32_t),
    NATURAL(UINT32_T, int32_t),
    INTEGER(INT64_T, int64_t),
    NATURAL(UINT64_T, int64_t),
    FORTRAN(AINT, sizeof(MPI_Aint)),
    FORTRAN(OFFSET, sizeof(MPI_Offset)),
    FORTRAN(COUNT, sizeof(MPI_Count)),
    REAL(FLOAT, float),
    REAL(DOUBLE, double),
    REAL(LONG_DOUBLE, long double),
    ONE(C_BOOL, LOGICAL, UNSIGNED, sizeof(bool)),
    ONE(CXX_BOOL, LOGICAL, UNSIGNED, sizeof(bool)),
    COMPLEX(C_FLOAT_COMPLEX, float),
    COMPLEX(C_DOUBLE_COMPLEX, double),
    COMPLEX(C_LONG_DOUBLE_COMPLEX, long double),
    COMPLEX(CXX_FLOAT_COMPLEX, float),
    COMPLEX(CXX_DOUBLE_COMPLEX, double),
    COMPLEX(CXX_LONG_DOUBLE_COMPLEX, long double),
    ONE(BYTE, BYTE, UNSIGNED, 1),
    ONE(PACKED, NONE, UNSIGNED, 1),
    ONE(WCHAR, NONE, SIGNED, sizeof(wchar_t)),
    PAIR(FLOAT_INT, FLOAT, float),
    PAIR(DOUBLE_INT, FLOAT, double),
    PAIR(LONG_INT, SIGNED, long),
    PAIR(SHORT_INT, SIGNED, short),
    PAIR(LONG_DOUBLE_INT, FLOAT, long double),
    BOTH(2INT, SIGNED, int),
    ONE(CHARACTER, NONE, UNSIGNED, 1),
    ONE(LOGICAL, LOGICAL, SIGNED, sizeof(MPI_Fint)),
    FORTRAN(INTEGER, sizeof(MPI_Fint)),
    FORTRAN(INTEGER1, 1),
    FORTRAN(INTEGER2, 2),
    FORTRAN(INTEGER4, 4),
    FORTRAN(INTEGER8, 8),
    REAL(REAL, float),
    REAL(REAL4, float),
    REAL(REAL8, double),
    REAL(DOUBLE_PRECISION, double),
    COMPLEX(COMPLEX, float),
    COMPLEX(DOUBLE_COMPLEX, double),
    COMPLEX(COMPLEX8, float),
    COMPLEX(COMPLEX16, double),
    BOTH(2INTEGER, SIGNED, MPI_Fint),
    BOTH(2REAL, FLOAT, float),
    BOTH(2DOUBLE_PRECISION, FLOAT, double),
#if OMPI_HAVE_FORTRAN_LOGICAL1
    ONE(LOGICAL1, LOGICAL, SIGNED, 1),
#endif
#if OMPI_HAVE_FORTRAN_LOGICAL2
    ONE(LOGICAL2, LOGICAL, SIGNED, 2),
#endif
#if OMPI_HAVE_FORTRAN_LOGICAL4
    ONE(LOGICAL4, LOGICAL, SIGNED, 4),
#endif
#if OMPI_HAVE_FORTRAN_LOGICAL8
    ONE(LOGICAL8, LOGICAL, SIGNED, 8),
#endif
/* Moved only: Open MPI may take Fortran's 128 bits for C's long double, and
 * adds up something else then. */
#if OMPI_HAVE_FORTRAN_REAL16
    ONE(REAL16, NONE, UNSIGNED, 16),
    ONE(COMPLEX32, NONE, UNSIGNED, 32),
#endif
};

int mx_bases(void)
{
    return (int)(sizeof bases / sizeof bases[0]);
}

const struct mx_base *mx_base(int type)
{
    return &bases[type];
}

static void add_item(struct mx_type *t, long at, const struct mx_base *base)
{
    long end = at + base->at + base->second_bytes;

    if (base->second_bytes == 0)
        end = at + base->bytes;
    t->item[t->items].at = at;
    t->item[t->items].base = base;
    if (t->items == 0 || at < t->first)
        t->first = at;
    if (t->items == 0 || end > t->end)
        t->end = end;
    t->items++;
}

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint lb, MPI_Aint extent)
{
    MPI_Datatype result;

    MPI_Type_create_resized(type, lb, extent, &result);
    MPI_Type_free(&type);
    return result;
}

/* Two blocks of two, with one left out between them. */
static void make_vector(struct mx_type *t, const struct mx_base *base)
{
    MPI_Type_vector(2, 2, 3, base->type, &t->type);
    for (int i = 0; i < 4; i++)
        add_item(t, (i + i / 2) * base->extent, base);
    t->extent = 5L * base->extent;
}

/* Begins one base type after the address, with what is not the first. */
static void make_indexed(struct mx_type *t, const struct mx_base *base)
{
    int lengths[] = {1, 2}, places[] = {4, 1};

    MPI_Type_indexed(2, lengths, places, base->type, &t->type);
    add_item(t, 4L * base->extent, base);
    add_item(t, 1L * base->extent, base);
    add_item(t, 2L * base->extent, base);
    t->extent = 4L * base->extent;
}

/* Two types, holes, and a lower bound before the address. */
static void make_struct(struct mx_type *t, const struct mx_base *base)
{
    int          lengths[] = {1, 1, 1};
    long         step = base->extent;
    MPI_Aint     places[] = {-2 * step, step, 3 * step};
    MPI_Datatype parts[] = {base->type, base->type, MPI_INT}, type;

    MPI_Type_create_struct(3, lengths, places, parts, &type);
    t->extent = 8 * step + 8;
    t->type = resized(type, -3 * step, t->extent);
    add_item(t, places[0], base);
    add_item(t, places[1], base);
    add_item(t, places[2], mx_base(0));
}

/* Room after the data. */
static void make_resized(struct mx_type *t, const struct mx_base *base)
{
    MPI_Datatype type;

    MPI_Type_contiguous(2, base->type, &type);
    t->extent = 5L * base->extent;
    t->type = resized(type, 0, t->extent);
    add_item(t, 0, base);
    add_item(t, base->extent, base);
}

/* Elements at 0 and 3, 2 and 5, 4 and 7...: each lies between its next ones. */
static void make_interleaved(struct mx_type *t, const struct mx_base *base)
{
    MPI_Datatype type;

    MPI_Type_vector(2, 1, 3, base->type, &type);
    t->extent = 2L * base->extent;
    t->type = resized(type, 0, t->extent);
    add_item(t, 0, base);
    add_item(t, 3L * base->extent, base);
}

/* Without gaps, but the data begins after the address. */
static void make_shifted(struct mx_type *t, const struct mx_base *base)
{
    int          length = 1;
    MPI_Aint     place = 3L * base->extent;
    MPI_Datatype type;

    MPI_Type_create_hindexed(1, &length, &place, base->type, &type);
    t->extent = base->extent;
    t->type = resized(type, place, t->extent);
    add_item(t, place, base);
}

static void make_contiguous(struct mx_type *t, const struct mx_base *base)
{
    MPI_Type_contiguous(3, base->type, &t->type);
    for (int i = 0; i < 3; i++)
        add_item(t, i * base->extent, base);
    t->extent = 3L * base->extent;
}

struct mx_type mx_type_new(int layout, const struct mx_base *base)
{
    static void (*const make[LAYOUTS])(struct mx_type *,
                                       const struct mx_base *) = {
        [LAYOUT_CONTIGUOUS] = make_contiguous,
        [LAYOUT_VECTOR] = make_vector,
        [LAYOUT_INDEXED] = make_indexed,
        [LAYOUT_STRUCT] = make_struct,
        [LAYOUT_RESIZED] = make_resized,
        [LAYOUT_INTERLEAVED] = make_interleaved,
        [LAYOUT_SHIFTED] = make_shifted,
    };
    struct mx_type t = {.type = base->type, .extent = base->extent};

    if (make[layout] == NULL) {
        add_item(&t, 0, base);
        return t;
    }
    make[layout](&t, base);
    MPI_Type_commit(&t.type);
    t.is_ours = true;
    return t;
}

void mx_type_delete(struct mx_type *type)
{
    if (type->is_ours)
        MPI_Type_free(&type->type);
    type->is_ours = false;
}

MPI_Datatype mx_type_at(MPI_Datatype type, const void *address)
{
    int          length = 1;
    MPI_Aint     place;
    MPI_Datatype result;

    MPI_Get_address(address, &place);
    MPI_Type_create_hindexed(1, &length, &place, type, &result);
    MPI_Type_commit(&result);
    return result;
}
