#ifndef HC_COLL_HCOMM_HOOKS_H
#define HC_COLL_HCOMM_HOOKS_H

/*
 * What else of Open MPI touches the program's memory than the collectives and
 * point-to-point: pack, unpack and copies within a process, files, windows.
 * One pair of calls for all of it, made by each process that uses HCOMM.
 */

/* When Open MPI's frameworks for communication are open. */
void hc_ompi_hooks_open(void);

/* Before this plugin is unloaded.  Without open it does nothing. */
void hc_ompi_hooks_close(void);

#endif
