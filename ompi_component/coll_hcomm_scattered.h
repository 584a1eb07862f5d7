#ifndef HC_COLL_HCOMM_SCATTERED_H
#define HC_COLL_HCOMM_SCATTERED_H

/* Copies between host memory and pieces of the user's that may lie anywhere:
 * buffers from MPI_BOTTOM, whose datatype has the addresses. */

#include "device/device.h"

/* Zero-initialised. */
struct hc_ompi_scattered {
    /* Private. */
    struct hc_dev_mem    mem;   /* the allocation of the last piece */
    struct hc_dev_queue *queue; /* its; NULL: it was none of a device */
    bool                 is_pending;
};

/* Start to copy one piece.  Asks whose it is only where the last one's
 * allocation has ended. */
hcomm_status hc_ompi_scattered_copy(struct hc_ompi_scattered *scattered, void *host, uintptr_t user,
                                    size_t bytes, bool out);
/* Wait for what was started, without running progress. */
hcomm_status hc_ompi_scattered_finish(struct hc_ompi_scattered *scattered);

/* As hc_dev_query; HCOMM_ERR_INVALID is logged here, where it is known to be
 * an error. */
hcomm_status hc_ompi_query(uintptr_t address, struct hc_dev_mem *mem_out);

#endif
