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
#include "ompi/group/group.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/op/op.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"
#include "opal/datatype/opal_convertor.h"
#include "opal/datatype/opal_datatype_internal.h"
#include "opal/mca/base/base.h"
#include "opal/mca/base/mca_base_component_repository.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/proc.h"

#if OMPI_MAJOR_VERSION == 4 && OMPI_MINOR_VERSION == 1

#include "opal/mca/pmix/pmix.h"

#define HC_OMPI_COLL_VERSION MCA_COLL_BASE_VERSION_2_0_0
#define HC_OMPI_MODEX_SCOPE  OPAL_PMIX_GLOBAL
/* What this build serves, for people: structures are the same in all of it. */
#define HC_OMPI_SERVES "4.1.z"

/* Other series lack these variables.  As weak ones they don't keep the plugin
 * from being loaded there, so that it can refuse in words. */
#pragma weak opal_pmix
#pragma weak opal_value_t_class

#else
#error "HCOMM's plugin serves Open MPI 4.1.z; these are the headers of another series"
#endif

#endif
