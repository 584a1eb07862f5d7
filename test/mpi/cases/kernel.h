#ifndef TEST_MPI_CASES_KERNEL_H
#define TEST_MPI_CASES_KERNEL_H

#include "test/mpi/mem.h"

/* Add one to each int of a buffer by a kernel (CUDA) on a stream; false on an
 * emulated device, which has none. */
bool kernel_increment(struct mem *mem, size_t count, void *stream);

#endif
