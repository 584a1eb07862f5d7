#ifndef HC_TEST_PERF_SERVED_BY_H
#define HC_TEST_PERF_SERVED_BY_H

#include <mpi.h>

/* The file whose code MPI_Allreduce enters on this communicator, without its
 * folder: "mca_coll_tuned.so".  Lives until MPI_Finalize. */
const char *served_by(MPI_Comm comm);

#endif
