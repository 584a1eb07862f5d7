#include "config/cfg_units.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct unit {
    const char *name;
    double      factor;
};

static const struct unit byte_units[] = {
    {"", 1},         {"B", 1},        {"kB", 1e3},     {"KB", 1e3},
    {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},    {"KiB", 0x1p10},
    {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"K", 0x1p10},
    {"k", 0x1p10},   {"M", 0x1p20},   {"m", 0x1p20},   {"G", 0x1p30},
    {"g", 0x1p30},   {NULL, 0},
};

static const struct unit time_units[] = {
    {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {NULL, 0},
};

/* digits / 10^decimals of a unit */
struct amount {
    uint64_t digits;
    int      decimals;
    double   factor; /* of the unit; all powers below are whole */
};

static double value_of(const struct amount *amount)
{
    double value = (double)amount->digits * amount->factor;

    for (int i = 0; i < amount->decimals; i++)
        value /= 10;
    return value;
}

/* Digits with at most one point: no sign, exponent, hex, inf or nan.  strtod
 * would also obey the program's locale, and round. */
static const char *number(const char *text, struct amount *amount)
{
    enum { DIGITS_MAX = 19 }; /* so that they fit in 64 bits */
    bool point = false;
    int  ndigits = 0;

    *amount = (struct amount){0};
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        if (++ndigits > DIGITS_MAX)
            return NULL;
        amount->digits = amount->digits * 10 + (uint64_t)(*text - '0');
        amount->decimals += point;
    }
    return ndigits > 0 ? text : NULL;
}

static hcomm_status quantity(const char *text, const struct unit *units,
                             struct amount *amount_out)
{
    struct amount amount;
    const char   *rest = number(text, &amount);

    if (rest == NULL)
        return HCOMM_ERR_INVALID;
    while (*rest == ' ')
        rest++;
    for (; units->name != NULL; units++) {
        if (strcmp(rest, units->name) == 0) {
            amount.factor = units->factor;
            *amount_out = amount;
            return HCOMM_OK;
        }
    }
    return HCOMM_ERR_INVALID;
}

hcomm_status hc_units_bytes(const char *text, size_t *bytes_out)
{
    struct amount     amount;
    unsigned __int128 bytes, divisor = 1;

    if (quantity(text, byte_units, &amount) != HCOMM_OK)
        return HCOMM_ERR_INVALID;
    for (int i = 0; i < amount.decimals; i++)
        divisor *= 10;
    bytes = (unsigned __int128)amount.digits * (uint64_t)amount.factor;
    if (bytes % divisor != 0 || bytes / divisor > SIZE_MAX / 2)
        return HCOMM_ERR_INVALID;
    *bytes_out = (size_t)(bytes / divisor);
    return HCOMM_OK;
}

hcomm_status hc_units_seconds(const char *text, double *seconds_out)
{
    struct amount amount;

    if (quantity(text, time_units, &amount) != HCOMM_OK)
        return HCOMM_ERR_INVALID;
    *seconds_out = value_of(&amount);
    return HCOMM_OK;
}

hcomm_status hc_units_rate(const char *text, double *bytes_per_s_out)
{
    char          bytes[64]; /* the text before "/s" */
    struct amount amount;
    size_t        length = strlen(text);

    if (length < 2 || length >= sizeof bytes ||
        strcmp(text + length - 2, "/s") != 0)
        return HCOMM_ERR_INVALID;
    memcpy(bytes, text, length - 2);
    bytes[length - 2] = '\0';
    if (quantity(bytes, byte_units, &amount) != HCOMM_OK)
        return HCOMM_ERR_INVALID;
    *bytes_per_s_out = value_of(&amount);
    return HCOMM_OK;
}
