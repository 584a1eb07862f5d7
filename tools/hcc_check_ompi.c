#include "tools/hcc_check.h"

#include "tools/tool_place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ompi_name[] = "Open MPI";
static const char plugin_name[] = "plugin";

void hcc_check_ompi(struct hcc_report *r, const struct hcc_facts *f)
{
    switch (f->ompi_found) {
    case TOOL_OMPI_NONE:
        hcc_say(r, HCC_FAIL, ompi_name, "no mpirun in PATH");
        hcc_fix(r, "install openmpi-bin, or load your site's module of Open "
                   "MPI 4.1");
        return;
    case TOOL_OMPI_OTHER:
        hcc_say(r, HCC_FAIL, ompi_name,
                "%s belongs to another MPI (it says \"%s\")", f->ompi.mpirun,
                f->ompi.says);
        hcc_fix(r, "put the bin directory of Open MPI 4.1 first in PATH");
        return;
    case TOOL_OMPI_FOUND:
        break;
    }
    if (!tool_ompi_is_served(&f->ompi)) {
        hcc_say(r, HCC_FAIL, ompi_name, "%s, %s; HCOMM serves 4.1.z",
                f->ompi.version, f->ompi.mpirun);
        hcc_fix(r, "put the bin directory of an Open MPI 4.1 first in PATH");
        return;
    }
    hcc_say(r, HCC_OK, ompi_name, "%s, %s (HCOMM serves 4.1.z)",
            f->ompi.version, f->ompi.mpirun);
}

static bool holds_plugin(const char *dir)
{
    char path[TOOL_PATH_ROOM];

    TOOL_PRINT(path, "%s/" TOOL_PLUGIN, dir);
    return access(path, R_OK) == 0;
}

/* Open MPI's own words for two directories, in a search path. */
static void expand(const struct hcc_facts *f, const char *entry, int length,
                   char *dir, size_t room)
{
    const char *home = getenv("HOME");

    tool_print(dir, room, "%.*s", length, entry);
    if (strcmp(dir, "SYSTEM_DEFAULT") == 0 || strcmp(dir, "SYS_DEFAULT") == 0)
        (void)hcc_info_value(f->info.out, "path:pkglibdir:", dir, room);
    else if (strcmp(dir, "USER_DEFAULT") == 0 ||
             strcmp(dir, "USR_DEFAULT") == 0)
        tool_print(dir, room, "%s/.openmpi/components",
                   home != NULL ? home : "");
}

/* The first directory with our plugin among those that Open MPI searches. */
static bool find_plugin(const struct hcc_facts *f, const char *search,
                        char *dir_out, size_t room)
{
    while (search != NULL) {
        const char *end = strchrnul(search, ':');

        expand(f, search, (int)(end - search), dir_out, room);
        if (holds_plugin(dir_out))
            return true;
        search = *end == ':' ? end + 1 : NULL;
    }
    return false;
}

/* The line of stderr in which Open MPI (or the plugin itself) says why. */
static void load_error(const struct hcc_facts *f, char *text, size_t room)
{
    const char *at = strstr(f->info.err, "hcomm"), *start = at;

    tool_print(text, room, "Open MPI gives no reason");
    if (at == NULL)
        return;
    while (start > f->info.err && start[-1] != '\n')
        start--;
    tool_print(text, room, "%.*s", (int)strcspn(start, "\n"), start);
}

static void judge_loaded(struct hcc_report *r, const struct hcc_facts *f,
                         const char *dir)
{
    static const char key[] = "mca:coll:hcomm:version:\"component:";
    char              version[64] = "";

    (void)hcc_info_value(f->info.out, key, version, sizeof version);
    version[strcspn(version, "\"")] = '\0';
    if (strcmp(version, hcomm_version()) == 0) {
        hcc_say(r, HCC_OK, plugin_name, "coll/hcomm %s, %s", version, dir);
        return;
    }
    hcc_say(r, HCC_FAIL, plugin_name,
            "coll/hcomm in %s is of version %s, but hcc and libhcomm are %s",
            dir, version[0] != '\0' ? version : "unknown", hcomm_version());
    hcc_fix(r,
            "install plugin and tools of one version; remove %s/" TOOL_PLUGIN
            " if it is left over",
            dir);
}

static void judge_unloaded(struct hcc_report *r, const struct hcc_facts *f,
                           const char *dir)
{
    char reason[512];

    load_error(f, reason, sizeof reason);
    hcc_say(r, HCC_FAIL, plugin_name,
            "%s/" TOOL_PLUGIN " is there, but Open MPI doesn't load it: %s",
            dir, reason);
    hcc_fix(r,
            "if a library is missing, add its directory to "
            "LD_LIBRARY_PATH; else install the plugin for Open MPI %s",
            f->ompi.version);
}

static void judge_missing(struct hcc_report *r, const struct hcc_facts *f,
                          const char *search)
{
    char dir[TOOL_PATH_ROOM];

    if (tool_place_plugin(f->ompi.series, dir, sizeof dir)) {
        hcc_say(r, HCC_WARN, plugin_name,
                "%s holds it, but Open MPI searches only %s", dir, search);
        hcc_fix(r,
                "start programs by hcc-launch, or export "
                "OMPI_MCA_mca_base_component_path=%s:SYSTEM_DEFAULT:"
                "USER_DEFAULT",
                dir);
        return;
    }
    hcc_say(r, HCC_FAIL, plugin_name, "no " TOOL_PLUGIN " in %s", search);
    hcc_fix(r, "install hcomm-mpi-plugin, or copy " TOOL_PLUGIN
               " to ~/.openmpi/components (no root needed)");
}

/*
 * The plugin can't be opened outside Open MPI, whose symbols it uses, so
 * ompi_info is asked.
 */
void hcc_check_plugin(struct hcc_report *r, const struct hcc_facts *f)
{
    char search[2 * TOOL_PATH_ROOM], dir[TOOL_PATH_ROOM];

    if (f->ompi_found != TOOL_OMPI_FOUND) {
        hcc_say(r, HCC_FAIL, plugin_name, "not looked for without Open MPI");
        hcc_fix(r, "see above");
        return;
    }
    if (!hcc_info_value(f->info.out,
                        "mca:mca:base:param:mca_base_component_path:value:",
                        search, sizeof search)) {
        hcc_say(r, HCC_WARN, plugin_name,
                "ompi_info %s, so it is not known "
                "whether Open MPI finds the plugin",
                f->info_status == TOOL_RUN_LATE ? "gave no answer in 3 s"
                                                : "is missing or failed");
        hcc_fix(r,
                "mend what the settings below say, if anything, and see what "
                "this says: ompi_info --param coll hcomm --level 9");
        return;
    }
    if (!find_plugin(f, search, dir, sizeof dir))
        judge_missing(r, f, search);
    else if (strstr(f->info.out, "mca:coll:hcomm:") != NULL)
        judge_loaded(r, f, dir);
    else
        judge_unloaded(r, f, dir);
}
