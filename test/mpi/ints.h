#ifndef TEST_MPI_INTS_H
#define TEST_MPI_INTS_H

/* Blocks of ints, each one more than the one before it. */

#include "mem.h"

/* Filled, in the image as well. */
struct mem ints_new(enum mem_kind kind, int count, int first);
/* count of them should be there, from the place-th on; only the image. */
void ints_expect(struct mem *mem, int place, int count, int first);
/* Whether the block is as its image, guards included; else says where not. */
bool ints_are_right(const struct mem *mem);

#endif
