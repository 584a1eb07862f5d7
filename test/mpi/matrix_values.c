/*
 * What each rank contributes, and what becomes of it: a function of ranks,
 * position and op alone, in plain C.
 *
 * All values are such that every association of the op gives the same bits:
 * integers wrap, floating-point numbers stay small multiples of 1/4.
 */
#include "matrix.h"

#include <string.h>

uint32_t mx_salt;

static uint32_t mixed(int from, int to, size_t k)
{
    uint32_t h = (uint32_t)k * 0x9e3779b1u + (uint32_t)from * 0x85ebca77u +
                 (uint32_t)to * 0xc2b2ae3du + mx_salt;

    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    h *= 0x297a2d39u;
    return h ^ h >> 15;
}

bool mx_allows(enum mx_class class, int op)
{
    switch (op) {
    case OP_MAX:
    case OP_MIN:
        return class == CLASS_INTEGER || class == CLASS_FORTRAN_INTEGER ||
               class == CLASS_FLOATING;
    case OP_SUM:
    case OP_PROD:
        return class == CLASS_INTEGER || class == CLASS_FORTRAN_INTEGER ||
               class == CLASS_FLOATING || class == CLASS_COMPLEX;
    case OP_LAND:
    case OP_LOR:
    case OP_LXOR:
        return class == CLASS_INTEGER || class == CLASS_LOGICAL;
    case OP_BAND:
    case OP_BOR:
    case OP_BXOR:
        return class == CLASS_INTEGER || class == CLASS_FORTRAN_INTEGER ||
               class == CLASS_BYTE;
    case OP_MAXLOC:
    case OP_MINLOC:
        return class == CLASS_PAIR;
    default:
        return true;
    }
}

/* ---- numbers of any size ---- */

static void put_integer(unsigned char *at, int bytes, uint64_t value)
{
    memcpy(at, &value, (size_t)bytes); /* the low bytes come first */
}

static uint64_t get_integer(const unsigned char *at, int bytes,
                            enum mx_number number)
{
    uint64_t value = 0;
    int      unused = 64 - 8 * bytes;

    memcpy(&value, at, (size_t)bytes);
    if (number == NUMBER_SIGNED)
        value = (uint64_t)((int64_t)(value << unused) >> unused);
    return value;
}

/* Ten bytes of an x86 long double are the number, and six are nothing. */
static void put_float(unsigned char *at, int bytes, long double value)
{
    float  single = (float)value;
    double twice = (double)value;

    if (bytes == (int)sizeof single)
        memcpy(at, &single, sizeof single);
    else if (bytes == (int)sizeof twice)
        memcpy(at, &twice, sizeof twice);
    else {
        memset(at, 0, (size_t)bytes);
        memcpy(at, &value, 10);
    }
}

static long double get_float(const unsigned char *at, int bytes)
{
    float       single;
    double      twice;
    long double all = 0;

    if (bytes == (int)sizeof single) {
        memcpy(&single, at, sizeof single);
        return single;
    }
    if (bytes == (int)sizeof twice) {
        memcpy(&twice, at, sizeof twice);
        return twice;
    }
    memcpy(&all, at, sizeof all);
    return all;
}

/* ---- contributions ---- */

static int factor_of_product(uint32_t h)
{
    return (int)(h % 3 + 1) * ((h >> 8 & 1) != 0 ? -1 : 1);
}

/* Open MPI 4.1.4 compares the one as signed, the other as unsigned. */
static bool takes_wrong_sign(const struct mx_base *base)
{
    return base->type == MPI_UNSIGNED_LONG || base->type == MPI_OFFSET;
}

/* Signed types of 32 bits and more may not overflow in C. */
static uint64_t integer_for(const struct mx_base *base, int op, uint32_t h)
{
    uint64_t wide = h | (uint64_t)(h * 0x9e3779b1u) << 32;

    switch (op) {
    case OP_SUM:
        if (base->number == NUMBER_SIGNED && base->bytes >= 4)
            return (uint64_t)((int64_t)(h % 2000001) - 1000000);
        return wide;
    case OP_PROD:
        return (uint64_t)(int64_t)factor_of_product(h);
    case OP_LAND:
    case OP_LOR:
    case OP_LXOR: /* numbers other than 0 and 1 are true, too */
        h = h % 8 == 0 || (op != OP_LAND && h % 2 == 0) ? 0 : h % 3 + 1;
        return base->class == CLASS_LOGICAL ? h != 0 : h;
    default:
        return takes_wrong_sign(base) && (op == OP_MAX || op == OP_MIN)
                   ? wide >> 1
                   : wide;
    }
}

static long double float_for(int op, uint32_t h)
{
    if (op == OP_PROD)
        return factor_of_product(h);
    return (long double)((int)(h % 20001) - 10000) / 4;
}

static void put_pair(const struct mx_base *base, unsigned char *item,
                     uint32_t h, int from)
{
    int value = (int)(h % 4) - 1; /* few, so that there are ties */
    int index = (from * 5 + (int)(h >> 8 & 0xff)) % 50;

    if (base->number == NUMBER_FLOAT)
        put_float(item, base->bytes, value);
    else
        put_integer(item, base->bytes, (uint64_t)(int64_t)value);
    if (base->second == NUMBER_FLOAT)
        put_float(item + base->at, base->second_bytes, index);
    else
        put_integer(item + base->at, base->second_bytes, (uint64_t)index);
}

/* Products of 2 + i and 3 + 2i never have a part that is zero, whose sign would
 * depend on the order. */
static void put_complex_factor(const struct mx_base *base, unsigned char *item,
                               uint32_t h)
{
    int sign = (h >> 8 & 1) != 0 ? -1 : 1, small = (int)(h & 1);

    put_float(item, base->bytes, sign * (2 + small));
    put_float(item + base->at, base->bytes, sign * (1 + small));
}

static void put_bytes(unsigned char *at, int bytes, uint32_t h)
{
    for (int i = 0; i < bytes; i++, h = h * 0x9e3779b1u + 1)
        at[i] = (unsigned char)(h >> 24);
}

void mx_contribution(const struct mx_base *base, int op, unsigned char *item,
                     int from, int to, size_t k)
{
    uint32_t h = mixed(from, to, k);

    if (op == OP_NONE || op >= OP_USER) {
        put_bytes(item, base->bytes, h);
        put_bytes(item + base->at, base->second_bytes, ~h);
    } else if (base->class == CLASS_PAIR) {
        put_pair(base, item, h, from);
    } else if (base->number != NUMBER_FLOAT) {
        put_integer(item, base->bytes, integer_for(base, op, h));
    } else if (base->second_bytes > 0 && op == OP_PROD) {
        put_complex_factor(base, item, h);
    } else {
        put_float(item, base->bytes, float_for(op, h));
        if (base->second_bytes > 0)
            put_float(item + base->at, base->second_bytes,
                      float_for(op, h >> 7));
    }
}

/* ---- ops ---- */

static uint64_t integers(int op, uint64_t a, uint64_t b, bool less)
{
    switch (op) {
    case OP_SUM:
        return a + b;
    case OP_PROD:
        return a * b;
    case OP_MAX:
        return less ? b : a;
    case OP_MIN:
        return less ? a : b;
    case OP_LAND:
        return a != 0 && b != 0;
    case OP_LOR:
        return a != 0 || b != 0;
    case OP_LXOR:
        return (a != 0) != (b != 0);
    case OP_BAND:
        return a & b;
    case OP_BOR:
        return a | b;
    default:
        return a ^ b;
    }
}

static void combine_integers(const struct mx_base *base, int op,
                             unsigned char *item, const unsigned char *next)
{
    uint64_t a = get_integer(item, base->bytes, base->number);
    uint64_t b = get_integer(next, base->bytes, base->number);
    bool less = base->number == NUMBER_SIGNED ? (int64_t)a < (int64_t)b : a < b;

    put_integer(item, base->bytes, integers(op, a, b, less));
}

static void combine_floats(const struct mx_base *base, int op,
                           unsigned char *item, const unsigned char *next)
{
    long double a = get_float(item, base->bytes);
    long double b = get_float(next, base->bytes);

    if (op == OP_SUM)
        a += b;
    else if (op == OP_PROD)
        a *= b;
    else if ((op == OP_MAX) == (a < b))
        a = b;
    put_float(item, base->bytes, a);
}

static void combine_complex(const struct mx_base *base, int op,
                            unsigned char *item, const unsigned char *next)
{
    long double a = get_float(item, base->bytes);
    long double b = get_float(item + base->at, base->bytes);
    long double c = get_float(next, base->bytes);
    long double d = get_float(next + base->at, base->bytes);

    put_float(item, base->bytes, op == OP_SUM ? a + c : a * c - b * d);
    put_float(item + base->at, base->bytes,
              op == OP_SUM ? b + d : a * d + b * c);
}

static long double any_number(const unsigned char *at, int bytes,
                              enum mx_number number)
{
    if (number == NUMBER_FLOAT)
        return get_float(at, bytes);
    return (long double)(int64_t)get_integer(at, bytes, number);
}

/* Of equal values the lower index, whichever rank it comes from. */
static void combine_pairs(const struct mx_base *base, int op,
                          unsigned char *item, const unsigned char *next)
{
    long double a = any_number(item, base->bytes, base->number);
    long double b = any_number(next, base->bytes, base->number);
    long double i =
        any_number(item + base->at, base->second_bytes, base->second);
    long double j =
        any_number(next + base->at, base->second_bytes, base->second);

    if (a == b ? j < i : (op == OP_MAXLOC) == (b > a)) {
        memcpy(item, next, (size_t)base->bytes);
        memcpy(item + base->at, next + base->at, (size_t)base->second_bytes);
    }
}

/* A user's op takes each byte by itself.  The one that does not commute takes
 * it for x -> a * x + b modulo 16, and chains these. */
static void combine_bytes(int op, unsigned char *item,
                          const unsigned char *next, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        unsigned a = item[i] >> 4, b = item[i] & 15;
        unsigned c = next[i] >> 4, d = next[i] & 15;

        if (op == OP_USER)
            item[i] = (unsigned char)(item[i] + next[i]);
        else
            item[i] = (unsigned char)((a * c & 15) << 4 | ((a * d + b) & 15));
    }
}

void mx_combine(const struct mx_base *base, int op, unsigned char *item,
                const unsigned char *next)
{
    if (op >= OP_USER) {
        combine_bytes(op, item, next, base->bytes);
        combine_bytes(op, item + base->at, next + base->at, base->second_bytes);
    } else if (base->class == CLASS_PAIR) {
        combine_pairs(base, op, item, next);
    } else if (base->number != NUMBER_FLOAT) {
        combine_integers(base, op, item, next);
    } else if (base->second_bytes > 0) {
        combine_complex(base, op, item, next);
    } else {
        combine_floats(base, op, item, next);
    }
}
