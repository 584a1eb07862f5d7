#ifndef HC_DEV_STAGE_H
#define HC_DEV_STAGE_H

/*
 * Host memory that stands in for a device buffer during a call.  Small enough
 * buffers get pinned memory; others ordinary memory, filled and emptied
 * through two pinned chunks (or, without any pinned memory, by the driver).
 * Of ordinary memory only what is touched is used: a buffer may be all gaps.
 */

#include "device/dev_rows.h"
#include "device/device.h"

struct hc_pool_block;

/* One pinned chunk between ordinary memory and the device. */
struct hc_stage_chunk {
    struct hc_pool_block *block;
    bool                  busy; /* a copy was enqueued; event ends it */
    struct hc_dev_event  *event;
    size_t                bytes;    /* in it, one row after another */
    struct hc_rows       *landings; /* where they go then, in the stand-in */
    int                   nlandings;
};

struct hc_stage {
    void  *host;  /* the stand-in, on a page's boundary; the stage's */
    size_t bytes; /* its length */

    /* Private. */
    struct hc_dev_mem     mem;
    struct hc_dev_queue  *queue;
    struct hc_pool_block *pinned; /* holds host; NULL: host is ordinary */
    size_t                mapped; /* bytes of ordinary host memory */
    struct hc_stage_chunk chunks[2];
    int                   next_chunk;
    bool                  pending; /* copies enqueued and not waited for */
    struct hc_dev_event  *event;   /* recorded after them; NULL: not yet */
    bool                  lost;    /* one failed: who knows what still runs */
};

/*
 * Stand-in memory for bytes of mem's allocation, and the queue for its copies;
 * what the program put on the default stream before comes before our copies.
 * bytes may be 0.  On failure the stage needs no close.
 */
hcomm_status hc_stage_open(struct hc_stage *stage, const struct hc_dev_mem *mem,
                           size_t bytes);

/* Start copies of sets of rows, 1 to HC_ROWS_SETS, whose addresses are the
 * device's; stage->host stands for its address low.  Gaps are not touched. */
hcomm_status hc_stage_in_rows(struct hc_stage *stage, uintptr_t low,
                              const struct hc_rows *sets, int nsets);
hcomm_status hc_stage_out_rows(struct hc_stage *stage, uintptr_t low,
                               const struct hc_rows *sets, int nsets);

/* Until then neither host nor the device's bytes are the caller's.  progress
 * (may be NULL) is called between looks. */
hcomm_status hc_stage_wait(struct hc_stage *stage, void (*progress)(void));

/* The same without waiting: HCOMM_IN_PROGRESS until all of it is done. */
hcomm_status hc_stage_test(struct hc_stage *stage);

/* For another round on the same bytes, of the allocation that mem says now:
 * what the program put on the default stream since comes before our copies. */
hcomm_status hc_stage_again(struct hc_stage         *stage,
                            const struct hc_dev_mem *mem);

/* Waits if need be, and gives the memory back; not after a copy failed, since
 * it may still be written to.  Takes a zeroed stage. */
void hc_stage_close(struct hc_stage *stage);

#endif
