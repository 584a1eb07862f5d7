#ifndef TEST_MPI_MEM_ZE_H
#define TEST_MPI_MEM_ZE_H

/* Level Zero for mem.c; where an int is returned it is the driver's result. */

#include <stdbool.h>
#include <stddef.h>

/* False: no loader, or no GPU.  Opens the device `which` modulo their number,
 * in a context of the program's own. */
bool mem_ze_open(int which);

int mem_ze_device(void **ptr, size_t bytes);
int mem_ze_pinned(void **ptr, size_t bytes);
int mem_ze_managed(void **ptr, size_t bytes);
int mem_ze_free(void *ptr);
/* Returns when it is done.  Any thread may call it. */
int mem_ze_copy(void *dst, const void *src, size_t bytes);

#endif
