#include "config/cfg_units.h"

#include <stdint.h>
#include <stdio.h>
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

/* Digits with at most one point: no sign, exponent, hex, inf or nan.  strtod
 * would also obey the program's locale, so a point is put together here. */
static const char *number(const char *text, double *value_out)
{
    double value = 0, scale = 1;
    int    digits = 0, point = 0;

    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = 1;
            continue;
        }
        digits++;
        value = value * 10 + (*text - '0');
        if (point)
            scale *= 10;
    }
    if (digits == 0 || digits > 18)
        return NULL;
    *value_out = value / scale;
    return text;
}

static hcomm_status quantity(const char *text, const struct unit *units,
                             double *value_out)
{
    double      value;
    const char *rest = number(text, &value);

    if (rest == NULL)
        return HCOMM_ERR_INVALID;
    while (*rest == ' ')
        rest++;
    for (; units->name != NULL; units++) {
        if (strcmp(rest, units->name) == 0) {
            *value_out = value * units->factor;
            return HCOMM_OK;
        }
    }
    return HCOMM_ERR_INVALID;
}

hcomm_status hc_units_bytes(const char *text, size_t *bytes_out)
{
    double value;

    if (quantity(text, byte_units, &value) != HCOMM_OK ||
        value > (double)(SIZE_MAX / 2) || value != (double)(size_t)value)
        return HCOMM_ERR_INVALID;
    *bytes_out = (size_t)value;
    return HCOMM_OK;
}

hcomm_status hc_units_seconds(const char *text, double *seconds_out)
{
    return quantity(text, time_units, seconds_out);
}

hcomm_status hc_units_rate(const char *text, double *bytes_per_s_out)
{
    char   amount[64];
    size_t length = strlen(text);

    if (length < 2 || length >= sizeof amount ||
        strcmp(text + length - 2, "/s") != 0)
        return HCOMM_ERR_INVALID;
    memcpy(amount, text, length - 2);
    amount[length - 2] = '\0';
    return quantity(amount, byte_units, bytes_per_s_out);
}

const char *hc_units_print_bytes(size_t bytes, char *buffer, size_t room)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t                   unit = 0;

    while (bytes > 0 && bytes % 1024 == 0 &&
           unit + 1 < sizeof names / sizeof names[0]) {
        bytes /= 1024;
        unit++;
    }
    snprintf(buffer, room, "%zu%s", bytes, names[unit]);
    return buffer;
}
