#include "ompi_component/coll_hcomm.h"

#include "config/cfg_log.h"
#include "config/cfg_param.h"
#include "device/device.h"
#include "ompi_component/coll_hcomm_hooks.h"
#include "ompi_component/coll_hcomm_request.h"
#include "ompi_component/pml_hcomm.h"

#include <stdlib.h>
#include <string.h>

/* Our register function is called again while it widens the selection. */
static bool registering;

/* Parameter enable. */
static bool in_use;

bool hc_ompi_speaks_for_job(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    if (rank == NULL)
        rank = getenv("PMIX_RANK"); /* under srun */
    return rank == NULL || strcmp(rank, "0") == 0;
}

/* Before MPI_Init knows the rank, mpirun's word for it. */
static void tell_log_the_rank(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    if (rank != NULL)
        hc_log_set_rank(atoi(rank));
}

static int component_register(void)
{
    int rc;

    if (registering)
        return OMPI_SUCCESS;
    tell_log_the_rank();
    /* Before anything else, since all else relies on the library's layout. */
    if (!hc_ompi_library_is_served())
        return OMPI_ERR_NOT_AVAILABLE;

    hc_ompi_register_params();
    registering = true;
    rc = hc_ompi_widen_selection();
    registering = false;
    return rc;
}

static int component_open(void)
{
    hc_log_set_rank((int)OPAL_PROC_MY_NAME.vpid);
    hc_log_set_file(hc_param_text(HC_PARAM_LOG_FILE));
    in_use = hc_param_bool(HC_PARAM_ENABLE);
    hc_dev_reconsider();
    /* Who publishes nothing does not run hcomm. */
    return in_use ? hc_ompi_publish_presence(hc_dev_any_present()) : OMPI_SUCCESS;
}

static int component_close(void)
{
    hc_ompi_hooks_close();
    hc_ompi_pml_restore();
    hc_ompi_request_close();
    hc_ompi_sums_undo();
    hc_dev_close_all();
    return OMPI_SUCCESS;
}

static int component_init_query(bool progress_threads, bool mpi_threads)
{
    (void)progress_threads;
    (void)mpi_threads;
    if (!in_use)
        return OMPI_ERR_NOT_AVAILABLE;
    hc_ompi_stay_on_top();
    hc_ompi_hooks_open();
    return OMPI_SUCCESS;
}

static mca_coll_base_module_t *component_comm_query(struct ompi_communicator_t *comm, int *priority)
{
    hc_ompi_module *module;

    if (hc_dev_any_present())
        hc_ompi_pml_interpose();
    if (!hc_ompi_accelerator_in(comm))
        return NULL;
    module = hc_ompi_module_create();
    if (module == NULL)
        return NULL;
    *priority = hc_param_int(HC_PARAM_PRIORITY);
    return &module->super;
}

mca_coll_base_component_t mca_coll_hcomm_component = {
    .collm_version =
        {
            HC_OMPI_COLL_VERSION,
            .mca_component_name = "hcomm",
            MCA_BASE_MAKE_VERSION(component, HC_VERSION_MAJOR, HC_VERSION_MINOR,
                                  HC_VERSION_RELEASE),
            .mca_open_component = component_open,
            .mca_close_component = component_close,
            .mca_register_component_params = component_register,
        },
    .collm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .collm_init_query = component_init_query,
    .collm_comm_query = component_comm_query,
};
