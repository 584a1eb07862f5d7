#include "types.h"

#include <stdint.h>
#include <string.h>

enum {
    ROOM = 128, /* bytes around an element on the stack */
    VECTOR_EXTENT = 48,
    STRUCT_EXTENT = 32,
    VECTOR_BLOCKS = 3,
    VECTOR_STRIDE = 4, /* ints */
};

/* Small enough that sums over a few ranks are exact in every type. */
static int number(int rank, size_t i)
{
    return rank * 7 + (int)(i % 1000);
}

#define ARITHMETIC(name, ctype, expression)                              \
    static void name##_value(unsigned char *element, int rank, size_t i) \
    {                                                                    \
        ctype x = (ctype)number(rank, i);                                \
        memcpy(element, &x, sizeof x);                                   \
    }                                                                    \
    static void name##_combine(unsigned char       *element,             \
                               const unsigned char *next)                \
    {                                                                    \
        ctype a, b;                                                      \
        memcpy(&a, element, sizeof a);                                   \
        memcpy(&b, next, sizeof b);                                      \
        a = (ctype)(expression);                                         \
        memcpy(element, &a, sizeof a);                                   \
    }

ARITHMETIC(int, int, a + b)
ARITHMETIC(float, float, a + b)
ARITHMETIC(double, double, a > b ? a : b)
ARITHMETIC(byte, unsigned char, a ^ b)

/* MINLOC; the value goes down and up again over the ranks, with ties. */
struct located {
    double value;
    int    index;
};

static void located_value(unsigned char *element, int rank, size_t i)
{
    double value = (double)((rank * 3 + (int)(i % 5)) % 4);

    memcpy(element, &value, sizeof value);
    memcpy(element + offsetof(struct located, index), &rank, sizeof rank);
}

static void located_combine(unsigned char *element, const unsigned char *next)
{
    double a, b;

    memcpy(&a, element, sizeof a);
    memcpy(&b, next, sizeof b);
    if (b < a) /* on a tie the lower rank stays, which is the earlier */
        memcpy(element, next, offsetof(struct located, index) + sizeof(int));
}

/* 2 x 2 matrices of integers modulo 2^32: the product depends on the order. */
static void matrix_value(unsigned char *element, int rank, size_t i)
{
    uint32_t m[4] = {1, (uint32_t)rank + 1, (uint32_t)(i % 11), 2};

    memcpy(element, m, sizeof m);
}

static void matrix_combine(unsigned char *element, const unsigned char *next)
{
    uint32_t a[4], b[4], c[4];

    memcpy(a, element, sizeof a);
    memcpy(b, next, sizeof b);
    c[0] = a[0] * b[0] + a[1] * b[2];
    c[1] = a[0] * b[1] + a[1] * b[3];
    c[2] = a[2] * b[0] + a[3] * b[2];
    c[3] = a[2] * b[1] + a[3] * b[3];
    memcpy(element, c, sizeof c);
}

/* MPI gives inout = in op inout, where in is the lower rank's. */
static void matrix_op(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++) {
        unsigned char left[16];
        size_t        at = (size_t)i * sizeof left;

        memcpy(left, (unsigned char *)in + at, sizeof left);
        matrix_combine(left, (unsigned char *)inout + at);
        memcpy((unsigned char *)inout + at, left, sizeof left);
    }
}

/* Three times two ints, four ints apart, 48 bytes from element to element. */
static void vector_value(unsigned char *element, int rank, size_t i)
{
    for (int block = 0; block < VECTOR_BLOCKS; block++) {
        int pair[2] = {number(rank, i) + block, rank - block};

        memcpy(element + block * VECTOR_STRIDE * (int)sizeof(int), pair,
               sizeof pair);
    }
}

static void vector_combine(unsigned char *element, const unsigned char *next)
{
    for (int block = 0; block < VECTOR_BLOCKS; block++) {
        size_t at = (size_t)block * VECTOR_STRIDE * sizeof(int);

        int_combine(element + at, next + at);
        int_combine(element + at + sizeof(int), next + at + sizeof(int));
    }
}

static void vector_op(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (size_t i = 0; i < (size_t)*count; i++)
        vector_combine((unsigned char *)inout + i * VECTOR_EXTENT,
                       (unsigned char *)in + i * VECTOR_EXTENT);
}

/* An int 8 bytes before the element's address, a double 8 bytes after it. */
enum { STRUCT_INT = -8, STRUCT_DOUBLE = 8, STRUCT_LB = -16 };

static void struct_value(unsigned char *element, int rank, size_t i)
{
    int_value(element + STRUCT_INT, rank, i);
    double_value(element + STRUCT_DOUBLE, rank, i * 3);
}

static void struct_combine(unsigned char *element, const unsigned char *next)
{
    int_combine(element + STRUCT_INT, next + STRUCT_INT);
    double_combine(element + STRUCT_DOUBLE, next + STRUCT_DOUBLE);
}

static void struct_op(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (size_t i = 0; i < (size_t)*count; i++)
        struct_combine((unsigned char *)inout + i * STRUCT_EXTENT,
                       (unsigned char *)in + i * STRUCT_EXTENT);
}

/* Contiguous, but the data begins 12 bytes after the element's address. */
enum { SHIFTED_INT = 12, SHIFTED_EXTENT = 4 };

static void shifted_value(unsigned char *element, int rank, size_t i)
{
    int_value(element + SHIFTED_INT, rank, i);
}

static void shifted_combine(unsigned char *element, const unsigned char *next)
{
    int_combine(element + SHIFTED_INT, next + SHIFTED_INT);
}

static void shifted_op(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (size_t i = 0; i < (size_t)*count; i++)
        shifted_combine((unsigned char *)inout + i * SHIFTED_EXTENT,
                        (unsigned char *)in + i * SHIFTED_EXTENT);
}

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint lb, MPI_Aint extent)
{
    MPI_Datatype result;

    MPI_Type_create_resized(type, lb, extent, &result);
    MPI_Type_commit(&result);
    MPI_Type_free(&type);
    return result;
}

static MPI_Datatype vector_type(void)
{
    MPI_Datatype type;

    MPI_Type_vector(VECTOR_BLOCKS, 2, VECTOR_STRIDE, MPI_INT, &type);
    return resized(type, 0, VECTOR_EXTENT);
}

static MPI_Datatype struct_type(void)
{
    int          lengths[] = {1, 1};
    MPI_Aint     places[] = {STRUCT_INT, STRUCT_DOUBLE};
    MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE}, type;

    MPI_Type_create_struct(2, lengths, places, parts, &type);
    return resized(type, STRUCT_LB, STRUCT_EXTENT);
}

static MPI_Datatype shifted_type(void)
{
    int          length = 1;
    MPI_Aint     place = SHIFTED_INT;
    MPI_Datatype type;

    MPI_Type_create_hindexed(1, &length, &place, MPI_INT, &type);
    return resized(type, SHIFTED_INT, SHIFTED_EXTENT);
}

static MPI_Datatype matrix_type(void)
{
    MPI_Datatype type;

    MPI_Type_contiguous(4, MPI_UINT32_T, &type);
    MPI_Type_commit(&type);
    return type;
}

static MPI_Op user_op(MPI_User_function *function, int commutes)
{
    MPI_Op op;

    MPI_Op_create(function, commutes, &op);
    return op;
}

#define PLAIN(id, mpi_type, mpi_op, ctype)                                     \
    {                                                                          \
        .name = #id, .type = (mpi_type), .op = (mpi_op),                       \
        .extent = sizeof(ctype), .value = id##_value, .combine = id##_combine, \
    }
#define OWN(id, bytes, commutes, gaps)                                      \
    {                                                                       \
        .name = #id, .type = id##_type(), .op = user_op(id##_op, commutes), \
        .extent = (bytes), .has_gaps = (gaps), .value = id##_value,         \
        .combine = id##_combine,                                            \
    }

enum { TYPE_LOCATED = 4, FIRST_OWN = 5, TYPE_STRUCT = 7, TYPE_SHIFTED = 8 };

void types_create(struct test_type types[TEST_TYPES])
{
    const struct test_type all[TEST_TYPES] = {
        PLAIN(int, MPI_INT, MPI_SUM, int),
        PLAIN(float, MPI_FLOAT, MPI_SUM, float),
        PLAIN(double, MPI_DOUBLE, MPI_MAX, double),
        PLAIN(byte, MPI_UNSIGNED_CHAR, MPI_BXOR, char),
        PLAIN(located, MPI_DOUBLE_INT, MPI_MINLOC, struct located),
        OWN(matrix, 16, 0, false),
        OWN(vector, VECTOR_EXTENT, 1, true),
        OWN(struct, STRUCT_EXTENT, 1, true),
        OWN(shifted, SHIFTED_EXTENT, 1, false),
    };

    memcpy(types, all, sizeof all);
    types[TYPE_LOCATED].has_gaps = true;
    types[TYPE_STRUCT].is_shifted = true;
    types[TYPE_SHIFTED].is_shifted = true;
}

void types_free(struct test_type types[TEST_TYPES])
{
    for (int i = FIRST_OWN; i < TEST_TYPES; i++) {
        MPI_Type_free(&types[i].type);
        MPI_Op_free(&types[i].op);
    }
}

void types_reduced(const struct test_type *type, unsigned char *element,
                   int nranks, size_t i)
{
    unsigned char next[ROOM];

    type->value(element, 0, i);
    for (int rank = 1; rank < nranks; rank++) {
        type->value(next + ROOM / 2, rank, i);
        type->combine(element, next + ROOM / 2);
    }
}
