#ifndef HC_PML_HCOMM_H
#define HC_PML_HCOMM_H

/*
 * Point-to-point on device memory: our functions in the place of some of those
 * of the selected PML, which do the work proper on stand-ins.  Matching stays
 * the PML's, so probes need nothing of ours.
 */

/*
 * Take the slots of Open MPI's table; after the first time nothing.  To be
 * called when the PML is selected and enabled: components that wrap a PML
 * (pml/monitoring, pml/v) write the table until then.
 */
void hc_ompi_pml_interpose(void);

/* Give the slots back.  Who took one after us calls ours: then they stay, do
 * nothing but call on, and our library stays loaded. */
void hc_ompi_pml_restore(void);

#endif
