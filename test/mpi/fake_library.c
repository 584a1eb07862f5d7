/* Preloaded, makes the library another: it calls itself what FAKE_VERSION
 * says, and its communicators are FAKE_GROWTH bytes larger than they were. */
#include "opal_config.h"

#include "opal/class/opal_object.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int MPI_Get_library_version(char *version, int *length)
{
    const char *text = getenv("FAKE_VERSION");

    if (text == NULL)
        return PMPI_Get_library_version(version, length);
    *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "%s", text);
    return MPI_SUCCESS;
}

/* Larger does no harm to the library, which allocates by this number. */
__attribute__((constructor)) static void grow(void)
{
    const char *growth = getenv("FAKE_GROWTH");
    opal_class_t *class = dlsym(RTLD_DEFAULT, "ompi_communicator_t_class");

    if (growth != NULL && class != NULL)
        class->cls_sizeof += (size_t)atoi(growth);
}
