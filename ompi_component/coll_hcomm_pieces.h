#ifndef HC_COLL_HCOMM_PIECES_H
#define HC_COLL_HCOMM_PIECES_H

/* Where the data of a datatype lies in memory, without touching it. */

#include "ompi_component/ompi_compat.h"

#include "config/hcomm_status.h"

#include <stdint.h>

struct hc_ompi_extent {
    uintptr_t low;        /* the lowest data byte */
    size_t    bytes;      /* from there past the highest; 0: no data */
    size_t    data_bytes; /* without the gaps */
};

/* Of count elements, the first of them at address. */
struct hc_ompi_extent hc_ompi_extent_of(uintptr_t address, size_t count,
                                        const struct ompi_datatype_t *type);

/* Where element index begins. */
uintptr_t hc_ompi_element(uintptr_t address, ptrdiff_t index, const struct ompi_datatype_t *type);

typedef hcomm_status hc_ompi_piece_fn(void *context, uintptr_t address, size_t bytes);

/* Call visit for every run of data bytes, until it does not return HCOMM_OK;
 * its last status is the result. */
hcomm_status hc_ompi_pieces(uintptr_t address, size_t count, struct ompi_datatype_t *type,
                            hc_ompi_piece_fn *visit, void *context);

#endif
