#ifndef HC_COLL_HCOMM_ACCESS_H
#define HC_COLL_HCOMM_ACCESS_H

/* The calls on a window, each of which is refused a buffer on a device. */

#include "ompi_component/ompi_compat.h"

/* Whether the CPU can't use memory there; that takes what is managed for host
 * memory, as Open MPI without us would. */
bool hc_ompi_is_out_of_reach(const void *ptr);

/* Put ourselves before the calls of a new window.  OMPI_SUCCESS or what MPI
 * shall return. */
int hc_ompi_guard_access(ompi_osc_base_module_t *module);

#endif
