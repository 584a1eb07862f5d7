#include "ompi_component/coll_hcomm.h"

#include "config/cfg_log.h"
#include "ompi_component/ompi_version.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Open MPI's classes know the sizes of the structures in the library that
 * runs; the headers told us those of the library that we were built for. */
static const struct layout {
    const char         *name;
    const opal_class_t *running;
    size_t              built_bytes;
} layouts[] = {
    {"communicator", &ompi_communicator_t_class, sizeof(ompi_communicator_t)},
    {"collective module", &mca_coll_base_module_t_class, sizeof(mca_coll_base_module_t)},
    {"request", &ompi_request_t_class, sizeof(ompi_request_t)},
    {"collective request", &ompi_coll_base_nbc_request_t_class,
     sizeof(ompi_coll_base_nbc_request_t)},
    {"datatype", &ompi_datatype_t_class, sizeof(ompi_datatype_t)},
    {"operation", &ompi_op_t_class, sizeof(ompi_op_t)},
    {"process", &ompi_proc_t_class, sizeof(ompi_proc_t)},
    {"convertor", &opal_convertor_t_class, sizeof(opal_convertor_t)},
};

static const struct layout *first_difference(void)
{
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        if (layouts[i].running->cls_sizeof != layouts[i].built_bytes)
            return &layouts[i];
    return NULL;
}

/*
 * Where the user named hcomm, MPI_Init fails next, with pages of words of Open
 * MPI's own.  Those reach mpirun by another channel than stderr, so all ranks
 * wait a moment for the line that explains them to get there first.  The
 * variable is read, not the framework, whose layout is not known to be ours.
 */
static void let_words_pass(void)
{
    const struct timespec a_moment = {.tv_nsec = 300000000L};
    const char           *selection = getenv("OMPI_MCA_coll");

    if (selection != NULL && selection[0] != '^' && strstr(selection, "hcomm") != NULL)
        (void)nanosleep(&a_moment, NULL);
}

static bool is_our_version(struct hc_ompi_version *version_out)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int  length;

    if (MPI_Get_library_version(text, &length) != MPI_SUCCESS)
        text[0] = '\0';
    return hc_ompi_version_parse(text, version_out) &&
           hc_ompi_version_is_served(version_out, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
                                     HC_OMPI_SERVED_RELEASE);
}

bool hc_ompi_library_is_served(void)
{
    struct hc_ompi_version version;
    bool                   our_version = is_our_version(&version);
    const struct layout   *different = our_version ? first_difference() : NULL;

    if (our_version && different == NULL)
        return true;
    if (hc_ompi_speaks_for_job() && !our_version)
        hc_log(HC_LOG_ERROR,
               "coll/hcomm serves Open MPI " HC_OMPI_SERVES ", but %s is running it: hcomm is off; "
               "install the hcomm-mpi-plugin for that version, or say --mca coll ^hcomm",
               version.text);
    else if (hc_ompi_speaks_for_job())
        hc_log(HC_LOG_ERROR,
               "coll/hcomm was built for another Open MPI than the %s that is running it (its %s "
               "has %zu bytes, not %zu): hcomm is off; build the plugin with this Open MPI's "
               "headers, or say --mca coll ^hcomm",
               version.text, different->name, different->running->cls_sizeof,
               different->built_bytes);
    let_words_pass();
    return false;
}
