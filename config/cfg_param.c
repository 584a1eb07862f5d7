#include "config/cfg_param.h"

#include "config/cfg_log.h"
#include "config/cfg_units.h"
#include "config/cfg_words.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern char **environ;

enum { TEXT_MAX = 512 }; /* bytes of a value, with its end */

static const struct hc_param_row rows[] = {
#define X(id, name, type, value, unit, level, scope, help) \
    {name, HC_PARAM_##type, value, unit, level, HC_PARAM_OF_##scope, help},
    HC_PARAMS(X)
#undef X
};

/* What a text came to; settings are the process's, hence the global.  They are
 * written while Open MPI registers the component, before any thread of ours
 * could read them. */
static struct value {
    enum hc_param_source source;
    size_t               number;
    char                 text[TEXT_MAX];
} values[HC_PARAM_COUNT];

static bool defaults_set;

static hcomm_status parse_bool(const char *text, size_t *number_out)
{
    static const char *const words[] = {"0",   "1",  "no",    "yes",
                                        "off", "on", "false", "true"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            *number_out = i % 2;
            return HCOMM_OK;
        }
    }
    return HCOMM_ERR_INVALID;
}

/* The unit column may give a range, "0..100". */
static hcomm_status parse_int(const char *text, const char *unit,
                              size_t *number_out)
{
    long  low = 0, high = INT_MAX, number;
    char *end;

    if (sscanf(unit, "%ld..%ld", &low, &high) != 2)
        low = 0;
    errno = 0;
    number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < low ||
        number > high)
        return HCOMM_ERR_INVALID;
    *number_out = (size_t)number;
    return HCOMM_OK;
}

static hcomm_status parse(const struct hc_param_row *row, const char *text,
                          size_t *number_out)
{
    int index;

    *number_out = 0;
    if (strlen(text) >= TEXT_MAX)
        return HCOMM_ERR_INVALID;

    switch (row->type) {
    case HC_PARAM_BOOL:
        return parse_bool(text, number_out);
    case HC_PARAM_INT:
        return parse_int(text, row->unit, number_out);
    case HC_PARAM_BYTES:
        return hc_units_bytes(text, number_out);
    case HC_PARAM_WORD:
        index = hc_words_index(text, row->unit);
        if (index < 0)
            return HCOMM_ERR_INVALID;
        *number_out = (size_t)index;
        return HCOMM_OK;
    case HC_PARAM_TEXT:
        return HCOMM_OK;
    }
    return HCOMM_ERR_INVALID;
}

static void assign(enum hc_param param, const char *text, size_t number,
                   enum hc_param_source source)
{
    struct value *value = &values[param];

    value->source = source;
    value->number = number;
    snprintf(value->text, sizeof value->text, "%s", text);

    if (param == HC_PARAM_LOG_LEVEL)
        hc_log_level = (enum hc_log_level)number;
}

static void set_defaults(void)
{
    if (defaults_set)
        return;
    defaults_set = true;
    for (enum hc_param p = 0; p < HC_PARAM_COUNT; p++) {
        size_t number = 0;

        (void)parse(&rows[p], rows[p].default_text, &number);
        assign(p, rows[p].default_text, number, HC_PARAM_DEFAULT);
    }
}

const struct hc_param_row *hc_param_row(enum hc_param param)
{
    return &rows[param];
}

hcomm_status hc_param_set(enum hc_param param, const char *text,
                          enum hc_param_source source)
{
    const struct hc_param_row *row = &rows[param];
    size_t                     number;

    set_defaults();
    /* Said again, it is not written again: others may be reading it. */
    if (source < values[param].source ||
        (source == values[param].source &&
         strcmp(text, values[param].text) == 0))
        return HCOMM_OK;
    if (parse(row, text, &number) != HCOMM_OK) {
        hc_log(HC_LOG_ERROR, "%s=%s (%s): not a value it can have (%s)",
               row->name, text, hc_param_source_name(source),
               row->unit[0] != '\0' ? row->unit : "0 or 1");
        return HCOMM_ERR_INVALID;
    }
    assign(param, text, number, source);
    return HCOMM_OK;
}

/* "HCOMM_PINNED_MAX=1MiB" -> "pinned_max"; returns the value. */
static const char *setting_name(const char *entry, char *name, size_t room)
{
    const char *equals = strchr(entry, '=');
    size_t      i;

    for (i = 0; equals != NULL && entry + i < equals && i + 1 < room; i++)
        name[i] = (char)tolower((unsigned char)entry[i]);
    name[i] = '\0';
    return equals != NULL ? equals + 1 : "";
}

static void to_upper(const char *name, char *upper, size_t room)
{
    size_t i;

    for (i = 0; name[i] != '\0' && i + 1 < room; i++)
        upper[i] = (char)toupper((unsigned char)name[i]);
    upper[i] = '\0';
}

/* entry: "HCOMM_PINED_MAX=1MiB"; name: the same in lower case, bare. */
static void warn_unknown(const char *entry, const char *name)
{
    const char *nearest = hc_param_nearest(name);
    char        upper[64];

    if (nearest != NULL) {
        to_upper(nearest, upper, sizeof upper);
        hc_log(HC_LOG_WARN, "%.*s: no such setting; did you mean HCOMM_%s?",
               (int)strcspn(entry, "="), entry, upper);
    } else {
        hc_log(HC_LOG_WARN,
               "%.*s: no such setting; ompi_info --param coll hcomm --level 9 "
               "lists them",
               (int)strcspn(entry, "="), entry);
    }
}

hcomm_status hc_param_read_environment(bool say_unknown)
{
    static const char prefix[] = "HCOMM_";
    hcomm_status      status = HCOMM_OK;

    set_defaults();
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        char          name[64];
        const char   *text;
        enum hc_param param;

        if (strncmp(*entry, prefix, sizeof prefix - 1) != 0)
            continue;
        text = setting_name(*entry + sizeof prefix - 1, name, sizeof name);
        param = hc_param_find(name);
        if (param == HC_PARAM_COUNT && say_unknown)
            warn_unknown(*entry, name);
        else if (param != HC_PARAM_COUNT &&
                 hc_param_set(param, text, HC_PARAM_ENVIRONMENT) != HCOMM_OK)
            status = HCOMM_ERR_INVALID;
    }
    return status;
}

enum hc_param hc_param_find(const char *name)
{
    enum hc_param p = 0;

    while (p < HC_PARAM_COUNT && strcmp(rows[p].name, name) != 0)
        p++;
    return p;
}

const char *hc_param_nearest(const char *name)
{
    const char *names[HC_PARAM_COUNT + 1];

    for (enum hc_param p = 0; p < HC_PARAM_COUNT; p++)
        names[p] = rows[p].name;
    names[HC_PARAM_COUNT] = NULL;
    return hc_words_nearest(name, names);
}

static const struct value *value_of(enum hc_param param)
{
    set_defaults();
    return &values[param];
}

bool hc_param_bool(enum hc_param param)
{
    return value_of(param)->number != 0;
}

int hc_param_int(enum hc_param param)
{
    return (int)value_of(param)->number;
}

size_t hc_param_bytes(enum hc_param param)
{
    return value_of(param)->number;
}

const char *hc_param_text(enum hc_param param)
{
    return value_of(param)->text;
}

enum hc_param_source hc_param_source(enum hc_param param)
{
    return value_of(param)->source;
}

const char *hc_param_source_name(enum hc_param_source source)
{
    static const char *const names[] = {"default", "file", "environment",
                                        "mca"};

    return names[source];
}
