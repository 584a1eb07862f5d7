#ifndef HC_COLL_HCOMM_STAGE_H
#define HC_COLL_HCOMM_STAGE_H

/*
 * Host memory in the place of one buffer of one MPI call, with the layout that
 * its datatypes have.  A buffer that the CPU may touch stands for itself.
 */

#include "ompi_component/ompi_compat.h"

#include "collectives/staged.h"
#include "device/dev_stage.h"

/* A buffer as an MPI call describes it: blocks, one for each peer.  Of a type,
 * only its layout (member super) is looked at. */
struct hc_ompi_side {
    void                          *buffer;      /* as given; may be MPI_BOTTOM */
    size_t                         count;       /* elements of each block, where counts is NULL */
    struct ompi_datatype_t        *type;        /* of every block, where types is NULL */
    const int                     *counts;      /* [peers] elements */
    const int                     *displs;      /* [peers] elements; bytes where types is given */
    const MPI_Aint                *byte_displs; /* [peers] in the place of displs */
    struct ompi_datatype_t *const *types;       /* [peers] */
    bool                           quiet; /* waits don't run progress: the caller is inside it */
};

enum hc_ompi_stage_kind {
    HC_OMPI_STAGE_NONE,       /* buffer is the user's own */
    HC_OMPI_STAGE_DEVICE,     /* one allocation on a device */
    HC_OMPI_STAGE_SCATTERED,  /* MPI_BOTTOM: pieces on devices and host */
    HC_OMPI_STAGE_SUBSTITUTE, /* the user's can't be had: all bits set */
};

struct hc_ompi_stage {
    void                   *buffer; /* for the call beneath; NULL: there is none */
    enum hc_ompi_stage_kind kind;

    /* Private. */
    struct hc_ompi_side side;
    uintptr_t           data;    /* the first byte that the call may touch */
    uintptr_t           low;     /* the lowest, rounded down */
    size_t              bytes;   /* from low past the highest */
    char               *host;    /* stands for low */
    bool                is_gone; /* when last looked for, the buffer was not there */
    struct hc_stage     stage;   /* kind DEVICE: owns host */
};

/*
 * Find out where a buffer lies, and make its stand-in if it needs one.  It is
 * for the blocks of both ranges; when both are empty, the address is not even
 * looked at.  side is copied, the arrays that it names are borrowed until close.
 * On failure (logged) a substitute of the same layout stands in where host
 * memory is to be had, so that this rank can still take part and no other
 * waits for it.
 */
hcomm_status hc_ompi_stage_open(struct hc_ompi_stage *stage, const struct hc_ompi_side *side,
                                const struct hc_staged_range *read,
                                const struct hc_staged_range *written);

/*
 * Let a stand-in, nothing copied in yet, have another address.  For two that
 * have the same by chance: from MPI_BOTTOM the address of a stand-in is but the
 * distance of two mappings, and components take equal ones for MPI_IN_PLACE.
 */
hcomm_status hc_ompi_stage_move(struct hc_ompi_stage *stage);

/* Of a range's data as MPI_Pack would order it: bytes [first, first + most). */
struct hc_ompi_window {
    size_t first, most;
};
extern const struct hc_ompi_window hc_ompi_whole;

/*
 * Copy a range in; complete on return.  When that fails (logged), or for a
 * substitute, the stand-in's elements have all bits set: NaN, so that sums of
 * floating point tell of it.
 */
hcomm_status hc_ompi_stage_in(struct hc_ompi_stage *stage, struct hc_staged_range range,
                              struct hc_ompi_window window);
/* Start to copy a range out.  Bytes in the gaps of the types stay as they are
 * in the user's buffer. */
hcomm_status hc_ompi_stage_out(struct hc_ompi_stage *stage, struct hc_staged_range range,
                               struct hc_ompi_window window);
/* HCOMM_IN_PROGRESS until what was started is complete. */
hcomm_status hc_ompi_stage_test(struct hc_ompi_stage *stage);
hcomm_status hc_ompi_stage_wait(struct hc_ompi_stage *stage);

/* What the program did on its streams until now comes before later copies: for
 * a stand-in that is used again. */
hcomm_status hc_ompi_stage_again(struct hc_ompi_stage *stage);

/* Waits for copies that are not complete.  Takes a zeroed stage. */
void hc_ompi_stage_close(struct hc_ompi_stage *stage);

#endif
