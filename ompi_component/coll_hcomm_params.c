#include "ompi_component/coll_hcomm.h"

#include "config/cfg_log.h"
#include "config/cfg_param.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* Where Open MPI keeps the values: it wants the addresses for good. */
static union storage {
    bool  yes;
    int   number;
    char *text; /* Open MPI's */
} storages[HC_PARAM_COUNT];

static mca_base_var_type_t mca_type(const struct hc_param_row *row)
{
    switch (row->type) {
    case HC_PARAM_BOOL:
        return MCA_BASE_VAR_TYPE_BOOL;
    case HC_PARAM_INT:
        return MCA_BASE_VAR_TYPE_INT;
    case HC_PARAM_BYTES: /* as text, so that 4MiB can be said */
    case HC_PARAM_WORD:
    case HC_PARAM_TEXT:
        break;
    }
    return MCA_BASE_VAR_TYPE_STRING;
}

static union storage storage_from_text(const struct hc_param_row *row, const char *text)
{
    switch (row->type) {
    case HC_PARAM_BOOL:
        return (union storage){.yes = strcmp(text, "1") == 0};
    case HC_PARAM_INT:
        return (union storage){.number = atoi(text)};
    case HC_PARAM_BYTES:
    case HC_PARAM_WORD:
    case HC_PARAM_TEXT:
        break;
    }
    return (union storage){.text = (char *)text};
}

static const char *text_from_storage(const struct hc_param_row *row, const union storage *storage,
                                     char *buffer, size_t room)
{
    if (row->type == HC_PARAM_BOOL)
        snprintf(buffer, room, "%d", storage->yes);
    else if (row->type == HC_PARAM_INT)
        snprintf(buffer, room, "%d", storage->number);
    else
        return storage->text != NULL ? storage->text : "";
    return buffer;
}

/* ompi_info shows what counts, where that is not what Open MPI was told. */
static void show_value_in_force(enum hc_param param, int variable)
{
    const struct hc_param_row *row = hc_param_row(param);
    mca_base_var_source_t      source = MCA_BASE_VAR_SOURCE_DEFAULT;
    union storage              value;
    const void                *from = &value;

    if (hc_param_source(param) == HC_PARAM_ENVIRONMENT)
        source = MCA_BASE_VAR_SOURCE_ENV;
    if (row->type == HC_PARAM_BOOL)
        value.yes = hc_param_bool(param);
    else if (row->type == HC_PARAM_INT)
        value.number = hc_param_int(param);
    else
        from = hc_param_text(param);

    (void)mca_base_var_set_flag(variable, MCA_BASE_VAR_FLAG_SETTABLE, true);
    (void)mca_base_var_set_value(variable, from, sizeof value, source, NULL);
    (void)mca_base_var_set_flag(variable, MCA_BASE_VAR_FLAG_SETTABLE, false);
}

/* Numbers as they were written, since Open MPI makes a 0 of what is none; text
 * as Open MPI has it, which has expanded a leading ~. */
static const char *text_of_mca(enum hc_param param, char *buffer, size_t room)
{
    const struct hc_param_row *row = hc_param_row(param);
    const char                *text = NULL;
    char                       variable[96];

    snprintf(variable, sizeof variable, "OMPI_MCA_coll_hcomm_%s", row->name);
    if (row->type == HC_PARAM_BOOL || row->type == HC_PARAM_INT)
        text = getenv(variable);
    return text != NULL ? text : text_from_storage(row, &storages[param], buffer, room);
}

/* Whoever is stronger: what Open MPI was told, or HCOMM_X. */
static void settle(enum hc_param param, int variable)
{
    mca_base_var_source_t source = MCA_BASE_VAR_SOURCE_ENV; /* as it is on failure */
    char                  buffer[16];
    const char           *text = text_of_mca(param, buffer, sizeof buffer);
    hcomm_status          status = HCOMM_OK;

    (void)mca_base_var_get_value(variable, NULL, &source, NULL);
    if (source == MCA_BASE_VAR_SOURCE_FILE)
        status = hc_param_set(param, text, HC_PARAM_FILE);
    else if (source != MCA_BASE_VAR_SOURCE_DEFAULT)
        status = hc_param_set(param, text, HC_PARAM_MCA);

    if (status != HCOMM_OK || hc_param_source(param) == HC_PARAM_ENVIRONMENT)
        show_value_in_force(param, variable);
}

static void register_param(enum hc_param param)
{
    const struct hc_param_row *row = hc_param_row(param);
    char                       help[512];
    int                        variable;

    storages[param] = storage_from_text(row, row->default_text);
    snprintf(help, sizeof help, row->unit[0] != '\0' ? "%s (%s)" : "%s", row->help, row->unit);
    variable = mca_base_component_var_register(
        &mca_coll_hcomm_component.collm_version, row->name, help, mca_type(row), NULL, 0, 0,
        (mca_base_var_info_lvl_t)(OPAL_INFO_LVL_1 + row->level - 1), MCA_BASE_VAR_SCOPE_READONLY,
        &storages[param]);
    settle(param, variable); /* negative: Open MPI did not like the value */
}

/* Open MPI takes any name without a word, so a misspelt setting is ours to
 * notice.  mpirun turns --mca into these variables. */
static void warn_of_unknown(const char *entry)
{
    static const char prefix[] = "OMPI_MCA_coll_hcomm_";
    char              name[64];
    enum hc_param     param;
    const char       *nearest;

    if (strncmp(entry, prefix, sizeof prefix - 1) != 0)
        return;
    entry += sizeof prefix - 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(entry, "="), entry);
    param = hc_param_find(name);
    if (param == HC_PARAM_COUNT) {
        nearest = hc_param_nearest(name);
        hc_log(HC_LOG_WARN, "no setting has the name coll_hcomm_%s; %s%s", name,
               nearest != NULL ? "did you mean coll_hcomm_" : "ompi_info --param coll hcomm ",
               nearest != NULL ? nearest : "--level 9 lists them");
    } else if (hc_param_row(param)->scope == HC_PARAM_OF_PROCESS) {
        hc_log(
            HC_LOG_WARN,
            "coll_hcomm_%s has no effect: %s is read before MPI_Init; give it in the environment "
            "as HCOMM_X (mpirun -x), in capitals",
            name, name);
    }
}

void hc_ompi_register_params(void)
{
    bool say_unknown = hc_ompi_speaks_for_job();

    (void)hc_param_read_environment(say_unknown);
    for (enum hc_param p = 0; p < HC_PARAM_COUNT; p++)
        if (hc_param_row(p)->scope != HC_PARAM_OF_PROCESS)
            register_param(p);
    for (char **entry = environ; say_unknown && entry != NULL && *entry != NULL; entry++)
        warn_of_unknown(*entry);
}
