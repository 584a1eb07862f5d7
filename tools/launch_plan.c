#include "tools/launch_plan.h"

#include "tools/tool_mca.h"
#include "tools/tool_place.h"
#include "tools/tool_system.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    EXPORT_MAX = 64, /* variables handed to the programs by -x */
};

/* The variables that the programs need and that Open MPI would not forward to
 * other hosts, since it forwards only OMPI_*. */
struct exports {
    const char *names[EXPORT_MAX];
    int         count;
};

struct plan {
    const struct launch_args *args;
    struct tool_mca           settings; /* of environment and files */
    struct launch_command    *command;
    struct exports            exports;
    char   library_path[2 * TOOL_PATH_ROOM]; /* "": leave it */
    char  *warning;
    size_t warning_room;
};

/* Whether anyone has given an MCA parameter a value. */
static const char *settled(const struct plan *p, const char *name)
{
    const char                  *value = launch_args_mca(p->args, name);
    const struct tool_mca_entry *entry = tool_mca_find(&p->settings, name);

    if (value == NULL && entry != NULL)
        value = entry->value;
    return value;
}

/* The files that mpirun will read; where the system's is, is the builder's
 * choice, so both usual places are looked at. */
static void read_settings(struct plan *p, const struct tool_ompi *ompi)
{
    const char *given = launch_args_mca(p->args, "mca_base_param_files");
    const char *home = getenv("HOME");
    const char *slash = strrchr(ompi->mpirun, '/');
    char        files[4 * TOOL_PATH_ROOM];

    if (given == NULL)
        given = getenv("OMPI_MCA_mca_base_param_files");
    if (given != NULL)
        TOOL_PRINT(files, "%s", given);
    else
        TOOL_PRINT(files,
                   "%s/.openmpi/mca-params.conf,"
                   "%.*s/../etc/openmpi-mca-params.conf,"
                   "/etc/openmpi/openmpi-mca-params.conf",
                   home != NULL ? home : "",
                   slash != NULL ? (int)(slash - ompi->mpirun) : 0,
                   ompi->mpirun);
    p->command->failed |= !tool_mca_read(&p->settings, files, NULL);
}

static void export_variable(struct plan *p, const char *name)
{
    for (int i = 0; i < p->exports.count; i++)
        if (strcmp(p->exports.names[i], name) == 0)
            return;
    if (p->exports.count < EXPORT_MAX)
        p->exports.names[p->exports.count++] = name;
}

/* A setting on the command line beats one in a file, but not in the
 * environment of the job, which the user has set for this very job. */
static bool user_chose_coll(const struct plan *p)
{
    return launch_args_mca(p->args, "coll") != NULL ||
           getenv("OMPI_MCA_coll") != NULL;
}

static bool file_in(const char *dir, const char *name)
{
    char path[TOOL_PATH_ROOM];

    TOOL_PRINT(path, "%s/%s", dir, name);
    return access(path, R_OK) == 0;
}

/* No directory of ours beside the tool: is it where Open MPI looks anyway? */
static bool plugin_in_default_place(void)
{
    const char *home = getenv("HOME");
    char        dir[TOOL_PATH_ROOM];

    TOOL_PRINT(dir, "%s/.openmpi/components", home != NULL ? home : "");
    return file_in(dir, TOOL_PLUGIN) || file_in(HC_COMPONENT_DIR, TOOL_PLUGIN);
}

/* Whether an entry is in a list like PATH. */
static bool lists(const char *list, const char *entry)
{
    size_t length = strlen(entry);

    while (list != NULL) {
        const char *end = strchrnul(list, ':');

        if ((size_t)(end - list) == length && strncmp(list, entry, length) == 0)
            return true;
        list = *end == ':' ? end + 1 : NULL;
    }
    return false;
}

static void point_at_plugin(struct plan *p, const struct tool_ompi *ompi)
{
    static const char name[] = "mca_base_component_path";
    const char       *present = settled(p, name);
    char              dir[TOOL_PATH_ROOM];

    if (launch_args_mca(p->args, name) != NULL)
        return;
    if (!tool_place_plugin(ompi->series, dir, sizeof dir)) {
        if (present == NULL && !user_chose_coll(p) &&
            !plugin_in_default_place())
            tool_print(p->warning, p->warning_room,
                       "no " TOOL_PLUGIN " in %s, in ~/.openmpi/components or "
                       "in " HC_COMPONENT_DIR "; hcc says more",
                       dir);
        return;
    }
    if (!lists(present, dir))
        launch_command_set(
            p->command, "OMPI_MCA_mca_base_component_path", "%s:%s", dir,
            present != NULL ? present : "SYSTEM_DEFAULT:USER_DEFAULT");
}

/* HCOMM_X of this environment reaches every rank on every host. */
static void hand_settings_on(struct plan *p, const hcomm_params *params)
{
    for (int i = 0; i < hcomm_param_count(params); i++) {
        const hcomm_param_info *info = hcomm_param_at(params, i);
        const char             *value = getenv(info->env_name);
        char                    name[128];

        if (value == NULL)
            continue;
        if (info->mca_name == NULL) {
            export_variable(p, info->env_name);
            continue;
        }
        TOOL_PRINT(name, "OMPI_MCA_%s", info->mca_name);
        if (launch_args_mca(p->args, info->mca_name) == NULL &&
            getenv(name) == NULL)
            launch_command_set(p->command, name, "%s", value);
    }
}

/* The emulated drivers come first on the library path. */
static void plan_emulation(struct plan *p, const struct launch_emulate *emulate)
{
    size_t used = 0;

    for (int v = 0; v < LAUNCH_VENDORS; v++) {
        char dir[TOOL_PATH_ROOM];

        if (!emulate->named[v])
            continue;
        (void)tool_place_emulator(launch_vendor_name((enum launch_vendor)v),
                                  dir, sizeof dir);
        tool_print(p->library_path + used, sizeof p->library_path - used,
                   "%s%s", used > 0 ? ":" : "", dir);
        used = strlen(p->library_path);
    }
    launch_command_set(p->command, "HCOMM_EMULATE", "%s", emulate->list);
    export_variable(p, "HCOMM_EMULATE");
}

static void set_library_path(struct plan *p)
{
    const char *old = getenv("LD_LIBRARY_PATH");

    if (p->library_path[0] == '\0')
        return;
    if (old != NULL && *old != '\0')
        launch_command_set(p->command, "LD_LIBRARY_PATH", "%s:%s",
                           p->library_path, old);
    else
        launch_command_set(p->command, "LD_LIBRARY_PATH", "%s",
                           p->library_path);
    export_variable(p, "LD_LIBRARY_PATH");
}

/*
 * mpirun 4.1 takes no notice of the CPUs that it was confined to: under
 * `taskset -c 1` it binds rank 0 to core 0.  With --bind-to none its ranks
 * inherit the mask.
 */
static bool keep_cpu_mask(const struct plan *p)
{
    static const char *const choices[] = {
        "bind-to",       "map-by",        "bind-to-core", "bind-to-socket",
        "cpu-list",      "cpu-set",       "rankfile",     "rf",
        "cpus-per-proc", "cpus-per-rank",
    };

    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        if (launch_args_option(p->args, choices[i]) != NULL)
            return false;
    return settled(p, "hwloc_base_binding_policy") == NULL &&
           settled(p, "rmaps_base_mapping_policy") == NULL &&
           tool_cpu_mask_is_narrow();
}

static void avoid_single_copy(struct plan *p)
{
    static const char name[] = "btl_vader_single_copy_mechanism";

    if (settled(p, name) == NULL && !tool_can_read_child())
        launch_command_set(p->command,
                           "OMPI_MCA_btl_vader_single_copy_mechanism", "none");
}

/* The user's own -x NAME[=value] in this program's options? */
static bool has_export(const struct plan *p, const char *name, int from, int to)
{
    for (int i = 0; i < p->args->option_count; i++) {
        const struct launch_option *o = &p->args->options[i];
        const char                 *given;

        if (strcmp(o->name, "x") != 0 || o->index < from || o->index >= to)
            continue;
        given = p->args->args[o->index + 1];
        if (strncmp(given, name, strlen(name)) == 0 &&
            (given[strlen(name)] == '=' || given[strlen(name)] == '\0'))
            return true;
    }
    return false;
}

/* -x counts for one program of several, unlike --mca. */
static void add_exports(struct plan *p, int from, int to)
{
    if (settled(p, "mca_base_env_list") != NULL)
        return;
    for (int i = 0; i < p->exports.count; i++) {
        if (has_export(p, p->exports.names[i], from, to))
            continue;
        launch_command_add(p->command, "-x");
        launch_command_add(p->command, "%s", p->exports.names[i]);
    }
}

/* mpirun refuses -x beside mca_base_env_list, so that list gets them. */
static void extend_env_list(struct plan *p)
{
    const char *list = settled(p, "mca_base_env_list");
    char        names[64 * EXPORT_MAX] = "";

    if (list == NULL || p->exports.count == 0)
        return;
    for (int i = 0; i < p->exports.count; i++) {
        size_t used = strlen(names);

        tool_print(names + used, sizeof names - used, ";%s",
                   p->exports.names[i]);
    }
    launch_command_set(p->command, "OMPI_MCA_mca_base_env_list", "%s%s", list,
                       names);
}

/* -x LD_LIBRARY_PATH=... of the user's keeps its value behind ours. */
static void add_user_word(struct plan *p, int i)
{
    static const char start[] = "LD_LIBRARY_PATH=";
    const char       *word = p->args->args[i];
    size_t            length = sizeof start - 1;

    if (p->library_path[0] != '\0' && i > 0 &&
        strcmp(p->args->args[i - 1], "-x") == 0 &&
        strncmp(word, start, length) == 0)
        launch_command_add(p->command, "%s%s:%s", start, p->library_path,
                           word + length);
    else
        launch_command_add(p->command, "%s", word);
}

static int next_colon(const struct launch_args *a, int from)
{
    while (from < a->count && strcmp(a->args[from], ":") != 0)
        from++;
    return from;
}

static void add_user_words(struct plan *p)
{
    const struct launch_args *a = p->args;

    for (int i = 0; i < a->count;) {
        int end = next_colon(a, i);

        if (i > 0)
            add_exports(p, i, end);
        while (i < end)
            add_user_word(p, i++);
        if (i < a->count)
            add_user_word(p, i++); /* the ":" */
    }
}

void launch_plan(const struct launch_args *a, const struct tool_ompi *ompi,
                 const hcomm_params          *params,
                 const struct launch_emulate *emulate,
                 struct launch_command *command_out, char *warning_out,
                 size_t room)
{
    struct plan p = {.args = a,
                     .command = command_out,
                     .warning = warning_out,
                     .warning_room = room};

    *command_out = (struct launch_command){0};
    warning_out[0] = '\0';
    read_settings(&p, ompi);

    point_at_plugin(&p, ompi);
    hand_settings_on(&p, params);
    if (emulate != NULL)
        plan_emulation(&p, emulate);
    set_library_path(&p);
    avoid_single_copy(&p);
    extend_env_list(&p);

    launch_command_add(p.command, "mpirun");
    if (!user_chose_coll(&p)) {
        launch_command_add(p.command, "--mca");
        launch_command_add(p.command, "coll");
        launch_command_add(p.command, "hcomm");
    }
    if (keep_cpu_mask(&p)) {
        launch_command_add(p.command, "--bind-to");
        launch_command_add(p.command, "none");
    }
    add_exports(&p, 0, next_colon(a, 0));
    add_user_words(&p);
    tool_mca_free(&p.settings);
}
