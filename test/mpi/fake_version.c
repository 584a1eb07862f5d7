/* Preloaded: the library calls itself what FAKE_VERSION says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int MPI_Get_library_version(char *version, int *length)
{
    const char *text = getenv("FAKE_VERSION");

    *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "%s",
                       text != NULL ? text : "");
    return MPI_SUCCESS;
}
