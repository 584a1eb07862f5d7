#ifndef HC_DEV_ROWS_H
#define HC_DEV_ROWS_H

/*
 * Pieces of memory, one by one as a datatype lists them, gathered into sets of
 * rows: what one 2-D copy of a driver moves at once.
 */

#include "config/hcomm_status.h"

#include <stddef.h>
#include <stdint.h>

/* Rows of equal length, equally far apart. */
struct hc_rows {
    uintptr_t address; /* of the first */
    size_t    bytes;   /* of each */
    size_t    pitch;   /* from one's begin to the next one's; bytes or more */
    size_t    count;
};

enum { HC_ROWS_SETS = 32 }; /* at once: a driver is entered once for so many */

/* nsets is 1 to HC_ROWS_SETS; together they are all pieces since the last
 * time, each byte as often as it was added. */
typedef hcomm_status hc_rows_fn(void *context, const struct hc_rows *sets,
                                int nsets);

/* Zero-initialised but for take and its context. */
struct hc_rows_list {
    hc_rows_fn *take; /* called when the list is full, and at its end */
    void       *context;

    /* Private. */
    struct hc_rows sets[HC_ROWS_SETS];
    int            nsets;
    int            next;    /* the set that the next piece may well belong to */
    uintptr_t      address; /* of the last piece, which may still grow */
    size_t         bytes;
};

/* Where take fails, its status is the result, here and at the end. */
hcomm_status hc_rows_add(struct hc_rows_list *list, uintptr_t address,
                         size_t bytes);
/* Hands over what is left; the list is empty then. */
hcomm_status hc_rows_finish(struct hc_rows_list *list);

/*
 * Take off the front what has no more than room bytes: whole rows, or of an
 * only row a part.  A count of 0: nothing fits.
 */
struct hc_rows hc_rows_cut(struct hc_rows *rows, size_t room);

/* Rows in host memory from and to where no gaps are. */
void hc_rows_pack(const struct hc_rows *rows, void *packed);
void hc_rows_unpack(const struct hc_rows *rows, const void *packed);

#endif
