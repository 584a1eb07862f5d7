#ifndef HC_COLL_HCOMM_REQUEST_H
#define HC_COLL_HCOMM_REQUEST_H

/*
 * A request of ours around one of Open MPI's that runs on stand-ins: complete
 * when that one is and its data has been copied out.  For collectives,
 * point-to-point and files, once or persistent.
 *
 * Completion is found by looking at the inner request in Open MPI's progress,
 * never by a callback on it: its owner may share it between calls (pml/ob1's
 * empty request, pml/ucx's completed one).
 */

#include "ompi_component/coll_hcomm_staged.h"

/* The typedef is what Open MPI's class macros want. */
typedef struct hc_ompi_request {
    /* Open MPI's interface casts the requests of collectives to this. */
    ompi_coll_base_nbc_request_t super;

    struct hc_ompi_staged staged;
    ompi_request_t       *inner; /* freed with ours */
    /* Only as much is copied out as inner's status says has come. */
    bool  is_counted;
    void *arrays; /* what staged's sides point to; malloc'ed, freed with it */

    /* Private. */
    struct hc_ompi_request *next; /* of those that run */
    struct ompi_op_t       *op;   /* held; NULL: none */
    bool                    holds;
    bool                    is_running;
    bool                    is_copying;  /* inner is complete */
    bool                    is_orphan;   /* freed by the user before its end */
    int                     nconcluding; /* threads that are completing it */
} hc_ompi_request;
OBJ_CLASS_DECLARATION(hc_ompi_request);

/*
 * type          OMPI_REQUEST_COLL, OMPI_REQUEST_PML, OMPI_REQUEST_IO
 * object        whose error handler speaks for it
 * is_persistent inner is too; starting ours copies in and starts inner
 * Inactive, with everything else zero.  NULL: out of memory (logged).
 */
hc_ompi_request *hc_ompi_request_create(ompi_request_type_t type, ompi_mpi_object_t object,
                                        bool is_persistent);

/* Keep the datatypes that the sides of its open stand-ins name, and op (may be
 * NULL), until it is freed: the program may free its own handles before. */
void hc_ompi_request_hold(hc_ompi_request *request, struct ompi_op_t *op);

/* Its inner request runs; from now on it belongs to MPI's request calls. */
void hc_ompi_request_run(hc_ompi_request *request);

/*
 * Give it to the program, and run it unless it is persistent.  rc is what the
 * call beneath came to: where that failed there is no inner request, and ours
 * is discarded.  What MPI shall return.
 */
int hc_ompi_request_hand_out(hc_ompi_request *request, int rc, ompi_request_t **request_out);

/* Instead of running it: closes what is open and frees it.  What MPI shall
 * return, given what the call beneath came to. */
int hc_ompi_request_discard(hc_ompi_request *request, int rc);

/* Take the progress function out; requests that still run are forgotten. */
void hc_ompi_request_close(void);

#endif
