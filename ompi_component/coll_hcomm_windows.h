#ifndef HC_COLL_HCOMM_WINDOWS_H
#define HC_COLL_HCOMM_WINDOWS_H

/*
 * One-sided communication does not serve device memory: windows on it, and
 * calls with it, end in an MPI error before anything is sent.
 */

/* When Open MPI has opened its components for windows: from now on every
 * window is made through us. */
void hc_ompi_windows_open(void);
void hc_ompi_windows_close(void);

#endif
