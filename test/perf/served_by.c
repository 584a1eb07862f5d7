#include "ompi_component/ompi_compat.h"

#include "test/perf/served_by.h"

#include <dlfcn.h>
#include <string.h>

const char *served_by(MPI_Comm comm)
{
    mca_coll_base_module_allreduce_fn_t function = comm->c_coll->coll_allreduce;
    void                               *address;
    Dl_info                             info;
    const char                         *slash;

    /* ISO C has no cast from a function pointer to void *. */
    memcpy(&address, &function, sizeof address);
    if (dladdr(address, &info) == 0)
        return "unknown";
    slash = strrchr(info.dli_fname, '/');
    return slash != NULL ? slash + 1 : info.dli_fname;
}
