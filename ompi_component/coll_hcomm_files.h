#ifndef HC_COLL_HCOMM_FILES_H
#define HC_COLL_HCOMM_FILES_H

/*
 * MPI-IO: reads and writes run on host memory in the place of a device's.
 * Open MPI opens its components for files with the first file.
 */

/* They are open: files opened from now on come to us first.  Again is nothing. */
void hc_ompi_files_wrap(void);
void hc_ompi_files_unwrap(void);

#endif
