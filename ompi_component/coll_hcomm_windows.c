#include "ompi_component/coll_hcomm_windows.h"

#include "ompi_component/coll_hcomm.h"

#include "config/cfg_log.h"
#include "ompi_component/coll_hcomm_access.h"

#include <limits.h>

/*
 * A component of Open MPI's for windows that is always chosen, and chooses
 * among the others as Open MPI would have.  So it comes to know of every
 * window, with all processes of it at the same point.
 */

/* The others ask again when one of them (osc/monitoring) does as we do. */
static _Thread_local bool choosing;

static int init(bool progress_threads, bool mpi_threads)
{
    (void)progress_threads;
    (void)mpi_threads;
    return OMPI_SUCCESS;
}

static int finalize(void)
{
    return OMPI_SUCCESS;
}

static int query(struct ompi_win_t *win, void **base, size_t bytes, int displacement_unit,
                 struct ompi_communicator_t *comm, struct opal_info_t *info, int flavor)
{
    (void)win;
    (void)base;
    (void)bytes;
    (void)displacement_unit;
    (void)comm;
    (void)info;
    (void)flavor;
    return choosing ? OMPI_ERR_NOT_AVAILABLE : INT_MAX;
}

static int choose(struct ompi_win_t *win, void **base, size_t bytes, int displacement_unit,
                  struct ompi_communicator_t *comm, struct opal_info_t *info, int flavor,
                  ompi_osc_base_component_t **component_out)
{
    mca_base_component_list_item_t *item;
    int                             best = -1;

    *component_out = NULL;
    OPAL_LIST_FOREACH(item, &ompi_osc_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        ompi_osc_base_component_t *component = (ompi_osc_base_component_t *)item->cli_component;
        int                        priority =
            component->osc_query(win, base, bytes, displacement_unit, comm, info, flavor);

        if (flavor == MPI_WIN_FLAVOR_SHARED && priority == OMPI_ERR_RMA_SHARED)
            return OMPI_ERR_RMA_SHARED;
        if (priority > best) {
            best = priority;
            *component_out = component;
        }
    }
    return *component_out != NULL ? OMPI_SUCCESS : OMPI_ERR_NOT_SUPPORTED;
}

static bool say_refused(const struct ompi_communicator_t *comm, const void *base, size_t bytes,
                        bool agreed)
{
    hc_log(HC_LOG_ERROR,
           "MPI_Win_create on %zu bytes of device memory at %p, %s: windows serve host memory "
           "only; use MPI_Win_allocate and copy, or send and receive%s",
           bytes, base, comm->c_name,
           agreed ? "" : " (a process without hcomm is in it: the others may wait for this one)");
    return true;
}

/* Whether some process's memory is on a device: asked by all or none. */
static bool is_refused(void *base, size_t bytes, struct ompi_communicator_t *comm)
{
    int  mine, any = 0;
    bool together;

    if (!hc_ompi_accelerator_in(comm))
        return false;
    mine = bytes > 0 && hc_ompi_is_out_of_reach(base);
    together = hc_ompi_serves_all_of(comm);
    if (mine)
        (void)say_refused(comm, base, bytes, together);
    if (!together)
        return mine;
    if (comm->c_coll->coll_allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm,
                                     comm->c_coll->coll_allreduce_module) != OMPI_SUCCESS)
        return mine;
    return any != 0;
}

static int select_beneath(struct ompi_win_t *win, void **base, size_t bytes, int displacement_unit,
                          struct ompi_communicator_t *comm, struct opal_info_t *info, int flavor,
                          int *model)
{
    ompi_osc_base_component_t *component;
    int                        rc;

    choosing = true;
    rc = choose(win, base, bytes, displacement_unit, comm, info, flavor, &component);
    if (rc == OMPI_SUCCESS)
        rc = component->osc_select(win, base, bytes, displacement_unit, comm, info, flavor, model);
    choosing = false;
    return rc;
}

static int select_for(struct ompi_win_t *win, void **base, size_t bytes, int displacement_unit,
                      struct ompi_communicator_t *comm, struct opal_info_t *info, int flavor,
                      int *model)
{
    int rc;

    if (flavor == MPI_WIN_FLAVOR_CREATE && is_refused(*base, bytes, comm))
        return OMPI_ERR_NOT_SUPPORTED;
    rc = select_beneath(win, base, bytes, displacement_unit, comm, info, flavor, model);
    return rc == OMPI_SUCCESS ? hc_ompi_guard_access(win->w_osc_module) : rc;
}

static ompi_osc_base_component_t component = {
    .osc_version = {OMPI_OSC_BASE_VERSION_3_0_0, .mca_component_name = "hcomm"},
    .osc_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .osc_init = init,
    .osc_query = query,
    .osc_select = select_for,
    .osc_finalize = finalize,
};

static bool is_ours(const mca_base_component_list_item_t *item)
{
    return item->cli_component == &component.osc_version;
}

void hc_ompi_windows_open(void)
{
    mca_base_component_list_item_t *item;

    if (!mca_base_framework_is_open(&ompi_osc_base_framework))
        return;
    item = OBJ_NEW(mca_base_component_list_item_t);
    if (item == NULL)
        return;
    item->cli_component = &component.osc_version;
    opal_list_append(&ompi_osc_base_framework.framework_components, &item->super);
}

/* Open MPI empties the list when it ends; not when its start has failed. */
void hc_ompi_windows_close(void)
{
    mca_base_component_list_item_t *item, *next;

    if (!mca_base_framework_is_open(&ompi_osc_base_framework))
        return;
    OPAL_LIST_FOREACH_SAFE(item, next, &ompi_osc_base_framework.framework_components,
                           mca_base_component_list_item_t)
    {
        if (!is_ours(item))
            continue;
        opal_list_remove_item(&ompi_osc_base_framework.framework_components, &item->super);
        OBJ_RELEASE(item);
    }
}
