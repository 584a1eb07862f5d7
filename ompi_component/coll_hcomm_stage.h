#ifndef HC_COLL_HCOMM_STAGE_H
#define HC_COLL_HCOMM_STAGE_H

/*
 * Host memory in the place of one buffer of one MPI call, with the layout that
 * its datatype has.  A buffer that the CPU may touch stands for itself.
 */

#include "ompi_component/ompi_compat.h"

#include "device/dev_stage.h"

enum hc_ompi_stage_kind {
    HC_OMPI_STAGE_NONE,       /* buffer is the user's own */
    HC_OMPI_STAGE_DEVICE,     /* one allocation on a device */
    HC_OMPI_STAGE_SCATTERED,  /* MPI_BOTTOM: pieces on devices and host */
    HC_OMPI_STAGE_SUBSTITUTE, /* the user's can't be had: all bits set */
};

struct hc_ompi_stage {
    void *buffer; /* for the collective beneath; NULL: there is none */

    /* Private. */
    enum hc_ompi_stage_kind kind;
    struct ompi_datatype_t *type;
    uintptr_t               user;  /* where element 0 begins, as MPI counts */
    uintptr_t               low;   /* lowest data byte of the user's buffer */
    size_t                  bytes; /* from there past the highest */
    char                   *host;  /* stands for low */
    struct hc_stage         stage; /* kind DEVICE: owns host */
};

/*
 * Find out where a buffer of elements of type lies, and make its stand-in if
 * it needs one.  elements 0: the address is not even looked at.
 * On failure (logged) a substitute of the same layout stands in where host
 * memory is to be had, so that this rank can still take part and no other
 * waits for it.
 */
hcomm_status hc_ompi_stage_open(struct hc_ompi_stage *stage, const void *user, size_t elements,
                                struct ompi_datatype_t *type);

/*
 * Copy elements [first, first + count) in or out; complete on return.  Bytes
 * in the gaps of the type stay as they are in the user's buffer.
 * When copying in fails (logged), or into a substitute, the stand-in's elements
 * have all bits set: NaN, so that sums of floating point tell of it.
 */
hcomm_status hc_ompi_stage_in(struct hc_ompi_stage *stage, size_t first, size_t count);
hcomm_status hc_ompi_stage_out(struct hc_ompi_stage *stage, size_t first, size_t count);

/* Takes a zeroed stage. */
void hc_ompi_stage_close(struct hc_ompi_stage *stage);

#endif
