#include "tools/hcc_check.h"

#include <stdlib.h>
#include <string.h>

enum { INFO_TIMEOUT_MS = 3000 }; /* 220 ms where it was measured */

bool hcc_info_value(const char *output, const char *key, char *value_out,
                    size_t room)
{
    size_t length = strlen(key);

    for (const char *line = output; line != NULL && *line != '\0';) {
        const char *end = strchrnul(line, '\n');

        if (strncmp(line, key, length) == 0) {
            const char *from = line + length;
            int         bytes = (int)(end - from);

            if (bytes >= 2 && from[0] == '"' && from[bytes - 1] == '"') {
                from++;
                bytes -= 2;
            }
            tool_print(value_out, room, "%.*s", bytes, from);
            return true;
        }
        line = *end == '\n' ? end + 1 : NULL;
    }
    return false;
}

/* The ompi_info that belongs to mpirun. */
static void ask_ompi_info(struct hcc_facts *f)
{
    const char *slash = strrchr(f->ompi.mpirun, '/');
    char        path[TOOL_PATH_ROOM + 16];
    const char *argv[] = {path,      "--parsable", "--path",  "pkglibdir",
                          "--param", "mca",        "base",    "--param",
                          "opal",    "base",       "--param", "coll",
                          "hcomm",   "--level",    "9",       NULL};

    f->info_status = TOOL_RUN_FAILED;
    if (f->ompi_found != TOOL_OMPI_FOUND || slash == NULL)
        return;
    TOOL_PRINT(path, "%.*s/ompi_info", (int)(slash - f->ompi.mpirun),
               f->ompi.mpirun);
    if (tool_is_program(path) ||
        tool_which("ompi_info", getenv("PATH"), path, sizeof path))
        f->info_status = tool_run(argv, INFO_TIMEOUT_MS, &f->info);
}

static void read_settings(struct hcc_facts *f)
{
    char        override_file[TOOL_PATH_ROOM] = "";
    const char *home = getenv("HOME");

    if (!hcc_info_value(f->info.out,
                        "mca:mca:base:param:mca_base_param_files:value:",
                        f->files, sizeof f->files))
        TOOL_PRINT(f->files,
                   "%s/.openmpi/mca-params.conf,"
                   "/etc/openmpi/openmpi-mca-params.conf",
                   home != NULL ? home : "");
    (void)hcc_info_value(
        f->info.out,
        "mca:mca:base:param:mca_base_override_param_file:value:", override_file,
        sizeof override_file);
    (void)tool_mca_read(&f->settings, f->files, override_file);
}

void hcc_facts_gather(struct hcc_facts *f)
{
    f->ompi_found = tool_ompi_find(&f->ompi);
    ask_ompi_info(f);
    read_settings(f);
    if (hcomm_params_open(&f->params) != HCOMM_OK)
        f->params = NULL;
    if (hcomm_devices_open(&f->devices) != HCOMM_OK)
        f->devices = NULL;
}

void hcc_facts_free(struct hcc_facts *f)
{
    tool_mca_free(&f->settings);
    hcomm_params_close(f->params);
    hcomm_devices_close(f->devices);
    f->params = NULL;
    f->devices = NULL;
}
