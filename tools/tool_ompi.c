#include "tools/tool_ompi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION_TIMEOUT_MS = 5000 }; /* a cold start from a network disk */

bool tool_ompi_parse_version(const char *text, struct tool_ompi *ompi_out)
{
    static const char mark[] = "(Open MPI) ";
    const char       *at = strstr(text, mark);
    int               major, minor, patch;
    char              rest[16] = "";

    TOOL_PRINT(ompi_out->says, "%.*s", (int)strcspn(text, "\n"), text);
    if (at == NULL || sscanf(at + sizeof mark - 1, "%d.%d.%d%15[a-z0-9]",
                             &major, &minor, &patch, rest) < 3)
        return false;
    TOOL_PRINT(ompi_out->version, "%d.%d.%d%s", major, minor, patch, rest);
    TOOL_PRINT(ompi_out->series, "%d.%d", major, minor);
    return true;
}

enum tool_ompi_found tool_ompi_find(struct tool_ompi *ompi_out)
{
    struct tool_output output;
    const char        *argv[] = {ompi_out->mpirun, "--version", NULL};

    *ompi_out = (struct tool_ompi){0};
    if (!tool_which("mpirun", getenv("PATH"), ompi_out->mpirun,
                    sizeof ompi_out->mpirun))
        return TOOL_OMPI_NONE;
    if (tool_run(argv, VERSION_TIMEOUT_MS, &output) != 0 ||
        !tool_ompi_parse_version(output.out, ompi_out))
        return TOOL_OMPI_OTHER;
    return TOOL_OMPI_FOUND;
}

bool tool_ompi_is_served(const struct tool_ompi *ompi)
{
    return strcmp(ompi->series, "4.1") == 0;
}
