#ifndef TOOL_OMPI_H
#define TOOL_OMPI_H

#include <stdbool.h>

#include "tools/tool_system.h"

enum tool_ompi_found {
    TOOL_OMPI_FOUND,
    TOOL_OMPI_NONE,  /* no mpirun in PATH */
    TOOL_OMPI_OTHER, /* an mpirun, but another MPI's */
};

/* The Open MPI whose mpirun comes first in PATH. */
struct tool_ompi {
    char mpirun[TOOL_PATH_ROOM];
    char version[32]; /* "4.1.4" */
    char series[16];  /* "4.1" */
    char says[128];   /* first line of mpirun --version */
};

enum tool_ompi_found tool_ompi_find(struct tool_ompi *ompi_out);

/* "mpirun (Open MPI) 4.1.4" -> version and series; false: another MPI's. */
bool tool_ompi_parse_version(const char *text, struct tool_ompi *ompi_out);

/* Whether HCOMM has a plugin for the series. */
bool tool_ompi_is_served(const struct tool_ompi *ompi);

#endif
