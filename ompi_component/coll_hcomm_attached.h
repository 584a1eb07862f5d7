#ifndef HC_COLL_HCOMM_ATTACHED_H
#define HC_COLL_HCOMM_ATTACHED_H

/*
 * The buffer of MPI_Buffer_attach, in which Open MPI keeps messages and lists
 * of its own: host memory stands in for one on a device.  In the place of Open
 * MPI's functions, with their arguments.
 */
int hc_ompi_attach(void *buffer, int bytes);
/* buffer: where to put the address; as MPI_Buffer_detach has it. */
int hc_ompi_detach(void *buffer, int *bytes);

#endif
