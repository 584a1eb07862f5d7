#ifndef HC_OMPI_COMPAT_H
#define HC_OMPI_COMPAT_H

/*
 * All that HCOMM takes from Open MPI, and every difference between the
 * versions it serves.  A new series is one more branch of the #if below.
 */

#include "ompi_config.h" /* must be first */

#include "mpi.h"

#include "ompi/communicator/communicator.h"
#include "ompi/constants.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/datatype/ompi_datatype_internal.h"
#include "ompi/errhandler/errhandler.h"
#include "ompi/file/file.h"
#include "ompi/group/group.h"
#include "ompi/info/info.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/mca/io/base/base.h"
#include "ompi/mca/io/io.h"
#include "ompi/mca/op/base/functions.h"
#include "ompi/mca/op/op.h"
#include "ompi/mca/osc/base/base.h"
#include "ompi/mca/osc/osc.h"
#include "ompi/mca/pml/base/base.h"
#include "ompi/mca/pml/base/pml_base_bsend.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/mca/topo/base/base.h"
#include "ompi/mca/topo/topo.h"
#include "ompi/message/message.h"
#include "ompi/op/op.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"
#include "ompi/win/win.h"
#include "opal/datatype/opal_convertor.h"
#include "opal/datatype/opal_datatype_internal.h"
#include "opal/mca/base/base.h"
#include "opal/mca/base/mca_base_component_repository.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/proc.h"

#include "ompi_component/ompi_version.h"

#if OMPI_MAJOR_VERSION == 4 && OMPI_MINOR_VERSION == 1

#include "ompi/mca/rte/rte.h"
#include "opal/mca/pmix/pmix.h"

#define HC_OMPI_COLL_VERSION MCA_COLL_BASE_VERSION_2_0_0
#define HC_OMPI_MODEX_SCOPE  OPAL_PMIX_GLOBAL
/* What this build serves, for people and for hc_ompi_version_is_served:
 * structures are the same in all of the series. */
#define HC_OMPI_SERVES         "4.1.z"
#define HC_OMPI_SERVED_RELEASE HC_OMPI_ANY_RELEASE
/* For hosts' memory and devices' alike: only the layout is wanted. */
#define HC_OMPI_CONVERTOR_FLAGS CONVERTOR_SKIP_CUDA_INIT

/* Other series lack these variables.  As weak ones they don't keep the plugin
 * from being loaded there, so that it can refuse in words. */
#pragma weak opal_pmix
#pragma weak opal_value_t_class
#pragma weak orte_process_info

/*
 * What component published in the process of that name; the caller frees
 * *blob_out.  Asks the local server and no further: for a process where the
 * component is not installed, OPAL_MODEX_RECV would wait two seconds.
 */
static inline int hc_ompi_modex_get(const mca_base_component_t *component,
                                    const opal_process_name_t *name, uint8_t **blob_out,
                                    size_t *bytes_out)
{
    char         *key = mca_base_component_to_string(component);
    opal_value_t *immediate = OBJ_NEW(opal_value_t);
    opal_value_t *value = NULL;
    opal_list_t   directives;
    int           rc;

    OBJ_CONSTRUCT(&directives, opal_list_t);
    immediate->key = strdup(OPAL_PMIX_IMMEDIATE);
    immediate->type = OPAL_BOOL;
    immediate->data.flag = true;
    opal_list_append(&directives, &immediate->super);
    rc = opal_pmix.get(name, key, &directives, &value);
    if (rc == OPAL_SUCCESS && (value == NULL || value->type != OPAL_BYTE_OBJECT))
        rc = OPAL_ERR_NOT_FOUND;
    if (rc == OPAL_SUCCESS) {
        *blob_out = value->data.bo.bytes;
        *bytes_out = (size_t)value->data.bo.size;
        value->data.bo.bytes = NULL; /* now the caller's */
    }
    if (value != NULL)
        OBJ_RELEASE(value);
    OPAL_LIST_DESTRUCT(&directives);
    free(key);
    return rc;
}

/* Processes of the own job; MPI_COMM_WORLD may not exist. */
static inline int hc_ompi_job_size(void)
{
    return (int)ompi_process_info.num_procs;
}

#elif OMPI_MAJOR_VERSION == 5 && OMPI_MINOR_VERSION == 0

#include "opal/mca/pmix/pmix-internal.h"

#define HC_OMPI_COLL_VERSION    MCA_COLL_BASE_VERSION_2_4_0
#define HC_OMPI_MODEX_SCOPE     PMIX_GLOBAL
/* Structures change between 5.0.z. */
#define HC_OMPI_TEXT(number)    #number
#define HC_OMPI_TEXT_OF(macro)  HC_OMPI_TEXT(macro)
#define HC_OMPI_SERVES          "5.0." HC_OMPI_TEXT_OF(OMPI_RELEASE_VERSION)
#define HC_OMPI_SERVED_RELEASE  OMPI_RELEASE_VERSION
#define HC_OMPI_CONVERTOR_FLAGS CONVERTOR_SKIP_ACCELERATOR_INIT

/* As above. */
static inline int hc_ompi_modex_get(const mca_base_component_t *component,
                                    const opal_process_name_t *name, uint8_t **blob_out,
                                    size_t *bytes_out)
{
    char         *key = mca_base_component_to_string(component);
    pmix_value_t *value = NULL;
    pmix_info_t   immediate;
    pmix_proc_t   process;
    pmix_status_t rc;

    OPAL_PMIX_CONVERT_NAME(&process, name);
    PMIX_INFO_LOAD(&immediate, PMIX_IMMEDIATE, NULL, PMIX_BOOL);
    rc = PMIx_Get(&process, key, &immediate, 1, &value);
    if (rc == PMIX_SUCCESS && (value == NULL || value->type != PMIX_BYTE_OBJECT))
        rc = PMIX_ERR_NOT_FOUND;
    if (rc == PMIX_SUCCESS) {
        *blob_out = (uint8_t *)value->data.bo.bytes;
        *bytes_out = value->data.bo.size;
        value->data.bo.bytes = NULL; /* now the caller's */
        value->data.bo.size = 0;
    }
    if (value != NULL)
        PMIX_VALUE_RELEASE(value);
    PMIX_INFO_DESTRUCT(&immediate);
    free(key);
    return opal_pmix_convert_status(rc);
}

static inline int hc_ompi_job_size(void)
{
    return (int)opal_process_info.num_procs;
}

#else
#error "HCOMM's plugin serves Open MPI 4.1.z and 5.0.z; these are the headers of another series"
#endif

/* As a callback: 5.0's says how much it did. */
static inline void hc_ompi_progress(void)
{
    (void)opal_progress();
}

#endif
