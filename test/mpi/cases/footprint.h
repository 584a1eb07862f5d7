#ifndef TEST_MPI_CASES_FOOTPRINT_H
#define TEST_MPI_CASES_FOOTPRINT_H

/* What a process holds, to see that loops leave nothing behind.  It is marked
 * several times, the same number of rounds apart: what leaks grows between any
 * two marks, what is cached or pooled only between some. */

#include "cases.h"

enum footprint_part {
    FOOTPRINT_MAPS,   /* mappings of the address space */
    FOOTPRINT_MAPPED, /* KiB */
    FOOTPRINT_HEAP,   /* bytes that malloc gave out */
    FOOTPRINT_FILES,  /* open descriptors */
    FOOTPRINT_THREADS,
    FOOTPRINT_DEVICE, /* KiB of the current device, by anyone */
    FOOTPRINT_PARTS
};

enum { FOOTPRINT_MARKS = 5 };

struct footprint {
    long part[FOOTPRINT_PARTS];
};

/* Waits for the other ranks, since they may use the device, too. */
struct footprint footprint_mark(enum mem_kind kind);
/* Whether nothing grew throughout; a note with what did. */
bool footprint_is_flat(const struct footprint marks[FOOTPRINT_MARKS],
                       int rounds_between, const char *what);

#endif
