#ifndef TEST_MPI_DEVICE_SUM_H
#define TEST_MPI_DEVICE_SUM_H

/* A reduction on device memory, checked: what tests do with a communicator to
 * see that it works. */

#include <mpi.h>
#include <stdbool.h>

/* Each rank of comm contributes its rank + seed; true where this rank's result
 * and all bytes around it are right. */
bool device_sum_is_right(MPI_Comm comm, int seed);

#endif
