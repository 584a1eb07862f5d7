#ifndef HC_COLL_HCOMM_H
#define HC_COLL_HCOMM_H

#include "ompi_component/ompi_compat.h"

#include "config/hcomm_status.h"

/* The symbol that Open MPI looks for in mca_coll_hcomm.so. */
OMPI_DECLSPEC extern mca_coll_base_component_t mca_coll_hcomm_component;

/* The collectives that HCOMM takes over, each X(slot). */
#define HC_OMPI_SLOTS(X) X(allgather) X(allreduce) X(barrier) X(bcast) X(reduce)

/* What stood in a slot before us: called for the work proper. */
struct hc_ompi_lower {
#define X(slot)                              \
    mca_coll_base_module_##slot##_fn_t slot; \
    mca_coll_base_module_t            *slot##_module; /* retained */
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

/* Tell the job whether this process sees an accelerator. */
int hc_ompi_publish_presence(bool present);
/* Whether a process that may talk in comm sees one: alike on all its ranks. */
bool hc_ompi_accelerator_in(struct ompi_communicator_t *comm);

/* NULL: out of memory. */
hc_ompi_module *hc_ompi_module_create(void);

/* What MPI shall return where HCOMM failed. */
int hc_ompi_error_class(hcomm_status status);

int hc_ompi_allgather(const void *send, int send_count, struct ompi_datatype_t *send_type,
                      void *recv, int recv_count, struct ompi_datatype_t *recv_type,
                      struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int hc_ompi_allreduce(const void *send, void *recv, int count, struct ompi_datatype_t *type,
                      struct ompi_op_t *op, struct ompi_communicator_t *comm,
                      mca_coll_base_module_t *module);
int hc_ompi_barrier(struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int hc_ompi_bcast(void *buffer, int count, struct ompi_datatype_t *type, int root,
                  struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int hc_ompi_reduce(const void *send, void *recv, int count, struct ompi_datatype_t *type,
                   struct ompi_op_t *op, int root, struct ompi_communicator_t *comm,
                   mca_coll_base_module_t *module);

#endif
