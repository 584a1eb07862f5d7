#ifndef HC_COLL_HCOMM_H
#define HC_COLL_HCOMM_H

#include "ompi_component/coll_hcomm_slots.h"

#include "config/hcomm_status.h"

/* The symbol that Open MPI looks for in mca_coll_hcomm.so. */
OMPI_DECLSPEC extern mca_coll_base_component_t mca_coll_hcomm_component;

/* What stood in a slot before us: called for the work proper.  NULL: nothing,
 * and then we don't serve it either. */
struct hc_ompi_lower {
#define X(slot)                 \
    HC_OMPI_SLOT_FN(slot) slot; \
    mca_coll_base_module_t *slot##_module; /* retained */
    HC_OMPI_SLOTS(X)
#undef X
};

/* One per communicator.  The typedef is what Open MPI's class macros want. */
typedef struct hc_ompi_module {
    mca_coll_base_module_t super;
    struct hc_ompi_lower   lower;
} hc_ompi_module;
OBJ_CLASS_DECLARATION(hc_ompi_module);

/* True in one process of a job: who says what concerns all. */
bool hc_ompi_speaks_for_job(void);

/* Whether the running library is one that this plugin serves; else says so. */
bool hc_ompi_library_is_served(void);

/* Register every setting as MCA variable and take the values given there. */
void hc_ompi_register_params(void);

/* Let the stock components load beneath a literal `--mca coll hcomm`. */
int hc_ompi_widen_selection(void);
/* No other collective component above us, unless the user says so. */
void hc_ompi_stay_on_top(void);

/* Tell the job whether this process sees an accelerator. */
int hc_ompi_publish_presence(bool present);
/* Whether a process that may talk in comm sees one: alike on all its ranks. */
bool hc_ompi_accelerator_in(struct ompi_communicator_t *comm);
/* Whether every process of comm runs hcomm: alike on all its ranks. */
bool hc_ompi_serves_all_of(struct ompi_communicator_t *comm);

/* NULL: out of memory. */
hc_ompi_module *hc_ompi_module_create(void);

/* Sums of 8- and 16-bit integers wrap round, as in C, from now until undone:
 * Open MPI's vectorised ones may saturate instead. */
void hc_ompi_sums_wrap(void);
void hc_ompi_sums_undo(void);

#endif
