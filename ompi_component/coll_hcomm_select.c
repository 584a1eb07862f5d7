#include "ompi_component/coll_hcomm.h"

#include "config/cfg_log.h"

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
