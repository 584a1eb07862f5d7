#include "tools/hcc_check.h"

#include "config/cfg_words.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern char **environ;

/*
 * Settings that were good advice for another MPI or another time and do harm
 * here, and slips of the pen that Open MPI passes over in silence.
 */

static const char name[] = "settings";

enum { PARAM_MAX = 128 }; /* settings of HCOMM's */

static bool is_on(const char *value)
{
    return strcmp(value, "0") != 0 && strcasecmp(value, "false") != 0 &&
           strcasecmp(value, "no") != 0 && strcasecmp(value, "disabled") != 0 &&
           *value != '\0';
}

/* Whether a word stands in a list like "hcomm,tuned" or "^hcomm". */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);

    list += *list == '^';
    while (list != NULL) {
        const char *end = strchrnul(list, ',');

        if ((size_t)(end - list) == length && strncmp(list, word, length) == 0)
            return true;
        list = *end == ',' ? end + 1 : NULL;
    }
    return false;
}

static void fix_by_removing(struct hcc_report *r, const char *where)
{
    if (strchr(where, ':') != NULL)
        hcc_fix(r, "remove that line from %s", where);
    else
        hcc_fix(r, "unset %s", where);
}

/* Whether this Open MPI has CUDA support built in. */
static bool built_with_cuda(const struct hcc_facts *f)
{
    char value[16] = "";

    return hcc_info_value(
               f->info.out,
               "mca:opal:base:param:opal_built_with_cuda_support:value:", value,
               sizeof value) &&
           strcmp(value, "true") == 0;
}

static void check_cuda_support(struct hcc_report *r, const struct hcc_facts *f)
{
    static const char *const names[] = {"opal_cuda_support",
                                        "mpi_cuda_support"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct tool_mca_entry *e = tool_mca_find(&f->settings, names[i]);

        if (e == NULL || !is_on(e->value) || built_with_cuda(f))
            continue;
        hcc_say(r, HCC_FAIL, name,
                "%s=%s (%s): this Open MPI has no CUDA support of its own, and "
                "MPI_Init crashes",
                e->name, e->value, e->where);
        fix_by_removing(r, e->where);
    }
}

/* Where pml/ucx can work: it wants a network of the InfiniBand kind, or to be
 * told that any will do. */
static bool ucx_is_selectable(const struct hcc_facts *f)
{
    const struct tool_mca_entry *tls =
        tool_mca_find(&f->settings, "opal_common_ucx_tls");
    DIR           *dir = opendir("/sys/class/infiniband");
    struct dirent *entry = NULL;
    bool           found = false;

    while (dir != NULL && !found && (entry = readdir(dir)) != NULL)
        found = entry->d_name[0] != '.';
    if (dir != NULL)
        closedir(dir);
    return found || (tls != NULL && has_word(tls->value, "any"));
}

static void check_pml(struct hcc_report *r, const struct hcc_facts *f)
{
    const struct tool_mca_entry *e = tool_mca_find(&f->settings, "pml");

    if (e == NULL || e->value[0] == '^' || !has_word(e->value, "ucx") ||
        has_word(e->value, "ob1") || ucx_is_selectable(f))
        return;
    hcc_say(r, HCC_FAIL, name,
            "pml=%s (%s): without an InfiniBand network UCX can't be selected, "
            "and MPI_Init stops",
            e->value, e->where);
    hcc_fix(r,
            "remove it from %s, or set opal_common_ucx_tls=any and "
            "opal_common_ucx_devices=any beside it",
            e->where);
}

static void check_coll(struct hcc_report *r, const struct hcc_facts *f)
{
    const struct tool_mca_entry *e = tool_mca_find(&f->settings, "coll");
    bool                         excluded;

    if (e == NULL || e->value[0] == '\0')
        return;
    excluded = (e->value[0] == '^') == has_word(e->value, "hcomm");
    if (!excluded)
        return;
    hcc_say(r, HCC_WARN, name, "coll=%s (%s) leaves HCOMM out", e->value,
            e->where);
    if (strchr(e->where, ':') == NULL)
        hcc_fix(r, "unset %s; mpirun --mca coll hcomm overrides it", e->where);
    else
        hcc_fix(r,
                "remove that line from %s; mpirun --mca coll hcomm or "
                "hcc-launch overrides it",
                e->where);
}

static void check_ucx_variables(struct hcc_report *r)
{
    static const struct {
        const char *name, *does;
    } variables[] = {
        {"UCX_MEMTYPE_CACHE",
         "changes how UCX recognises GPU memory, which HCOMM doesn't need"},
        {"UCX_TLS", "limits the networks and memory kinds that UCX may use"},
    };

    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *value = getenv(variables[i].name);

        if (value == NULL)
            continue;
        hcc_say(r, HCC_WARN, name, "%s=%s: %s", variables[i].name, value,
                variables[i].does);
        hcc_fix(r, "unset %s unless your site asks for it", variables[i].name);
    }
}

static void check_disabled(struct hcc_report *r, const struct hcc_facts *f)
{
    const struct tool_mca_entry *e =
        tool_mca_find(&f->settings, "coll_hcomm_enable");
    const char *value = getenv("HCOMM_ENABLE");
    const char *where = "HCOMM_ENABLE";

    if (e != NULL) {
        value = e->value;
        where = e->where;
    }
    if (value == NULL || (is_on(value) && strcasecmp(value, "off") != 0))
        return;
    hcc_say(r, HCC_WARN, name, "HCOMM is switched off by %s", where);
    fix_by_removing(r, where);
}

/* The known name of an unknown setting that was most likely meant. */
static void say_unknown(struct hcc_report *r, const struct hcc_facts *f,
                        const char *given, const char *where, bool is_mca)
{
    const char *known[PARAM_MAX + 1];
    const char *nearest;
    int         count = 0;

    for (int i = 0; i < hcomm_param_count(f->params); i++) {
        const hcomm_param_info *info = hcomm_param_at(f->params, i);
        const char *known_name = is_mca ? info->mca_name : info->env_name;

        if (known_name == NULL || count == PARAM_MAX)
            continue;
        if (strcmp(known_name, given) == 0)
            return;
        known[count++] = known_name;
    }
    known[count] = NULL;
    nearest = hc_words_nearest(given, known);
    hcc_say(r, HCC_WARN, name, "%s (%s) is no setting of HCOMM's", given,
            where);
    if (nearest != NULL)
        hcc_fix(r, "did you mean %s?", nearest);
    else
        hcc_fix(r, "see ompi_info --param coll hcomm --level 9");
}

static void check_unknown(struct hcc_report *r, const struct hcc_facts *f)
{
    static const char mca[] = "coll_hcomm_", variable[] = "HCOMM_";

    for (size_t i = 0; i < f->settings.count; i++) {
        const struct tool_mca_entry *e = &f->settings.entries[i];

        if (strncmp(e->name, mca, sizeof mca - 1) == 0)
            say_unknown(r, f, e->name, e->where, true);
    }
    for (char **e = environ; e != NULL && *e != NULL; e++) {
        char text[128];

        if (strncmp(*e, variable, sizeof variable - 1) != 0)
            continue;
        TOOL_PRINT(text, "%.*s", (int)strcspn(*e, "="), *e);
        say_unknown(r, f, text, "environment", false);
    }
}

void hcc_check_settings(struct hcc_report *r, const struct hcc_facts *f)
{
    size_t before = r->count;

    check_cuda_support(r, f);
    check_pml(r, f);
    check_coll(r, f);
    check_ucx_variables(r);
    check_disabled(r, f);
    if (f->params != NULL) {
        check_unknown(r, f);
    } else {
        hcc_say(r, HCC_FAIL, name,
                "an HCOMM_ variable has a value it can't have");
        hcc_fix(r, "the message above says which");
    }
    if (r->count == before)
        hcc_say(r, HCC_OK, name, "none that do harm in the environment, %s",
                f->files);
}
