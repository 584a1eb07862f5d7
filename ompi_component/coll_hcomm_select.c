#include "ompi_component/coll_hcomm.h"

#include "config/cfg_log.h"
#include "config/cfg_param.h"

#include <string.h>

/*
 * What a literal `--mca coll hcomm` is turned into.  An exclude list, since
 * everything but these shall load; and these two, when they are installed,
 * would take device memory into their own hands beneath us.
 */
static const char beneath[] = "^hcoll,ucc";

/*
 * `--mca coll hcomm` leaves every stock component out, and Open MPI then
 * aborts for want of the collectives that no one serves.  While components
 * register, the selection can still be changed, and registering anew finds
 * those that it now admits.  Longer lists are the user's own affair.
 */
int hc_ompi_widen_selection(void)
{
    mca_base_framework_t *framework = &ompi_coll_base_framework;
    const char           *selection = framework->framework_selection;
    int                   variable, rc;

    if (selection == NULL || strcmp(selection, "hcomm") != 0)
        return OMPI_SUCCESS;

    variable = mca_base_var_find("ompi", "coll", NULL, NULL);
    rc = mca_base_var_set_value(variable, beneath, sizeof beneath, MCA_BASE_VAR_SOURCE_OVERRIDE,
                                NULL);
    if (rc == OPAL_SUCCESS)
        rc = mca_base_framework_components_register(framework, MCA_BASE_REGISTER_DEFAULT);
    if (rc != OPAL_SUCCESS)
        hc_log(HC_LOG_ERROR,
               "cannot load Open MPI's own collectives beneath --mca coll hcomm (%s); leave the "
               "option out, hcomm is used all the same",
               opal_strerror(rc));
    return rc;
}

/* A component's own, as Open MPI keeps it; NULL: it has none. */
static int *priority_of(const mca_base_component_t *component)
{
    int  variable = mca_base_var_find("ompi", "coll", component->mca_component_name, "priority");
    int *priority = NULL;

    if (variable < 0 || mca_base_var_get_value(variable, &priority, NULL, NULL) != OPAL_SUCCESS)
        return NULL;
    return priority;
}

/*
 * Raising coll/tuned above its like is common advice, and would put it above
 * us: its calls would then meet device memory.  Unless the user gave us a
 * place, the others stay below it; between them they keep theirs.
 */
void hc_ompi_stay_on_top(void)
{
    const int                       ours = hc_param_int(HC_PARAM_PRIORITY);
    mca_base_component_list_item_t *item;

    if (hc_param_source(HC_PARAM_PRIORITY) != HC_PARAM_DEFAULT)
        return;
    OPAL_LIST_FOREACH(item, &ompi_coll_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        const mca_base_component_t *component = item->cli_component;
        int                        *theirs = priority_of(component);

        if (theirs == NULL || *theirs < ours ||
            component == &mca_coll_hcomm_component.collm_version)
            continue;
        if (hc_ompi_speaks_for_job())
            hc_log(HC_LOG_INFO,
                   "coll_%s_priority=%d counts as %d, since hcomm stays above it; set "
                   "coll_hcomm_priority (now %d) to order them otherwise",
                   component->mca_component_name, *theirs, ours - 1, ours);
        *theirs = ours - 1;
    }
}
