#ifndef HC_DEV_POOL_H
#define HC_DEV_POOL_H

/*
 * Pinned host memory for staging, kept for the next call.  All of a process's
 * blocks together stay below parameter pinned_max.
 */

#include "device/device.h"

struct hc_pool_block {
    void                 *ptr;
    size_t                bytes; /* of the block: a power of two */
    struct hc_dev_mem     mem;   /* for whom it was pinned */
    struct hc_pool_block *next;
};

/*
 * At least bytes of memory pinned for mem's device; given back with
 * hc_pool_give.  HCOMM_ERR_NO_MEMORY: the cap is reached, or the driver would
 * not pin (logged once; so much is not asked of it again); the caller goes on
 * with ordinary memory.
 */
hcomm_status hc_pool_take(const struct hc_dev_mem *mem, size_t bytes,
                          struct hc_pool_block **block_out);
/* Takes NULL. */
void hc_pool_give(struct hc_pool_block *block);

/* Pinned bytes at present, in use or idle. */
size_t hc_pool_bytes(void);

/* Unpin and free what is idle: at close, while the drivers are still there.
 * What was refused may be asked for again. */
void hc_pool_trim(void);

#endif
