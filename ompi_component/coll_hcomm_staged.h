#ifndef HC_COLL_HCOMM_STAGED_H
#define HC_COLL_HCOMM_STAGED_H

/*
 * One MPI call on stand-ins: both of its buffers, what goes in before the call
 * beneath runs, and what comes out after.
 *
 *     open, in; the call beneath on sides[].buffer; out, test ..., close
 */

#include "ompi_component/coll_hcomm_stage.h"

struct hc_ompi_staged {
    struct hc_staged_plan plan;
    struct hc_ompi_stage  sides[HC_STAGED_SIDES];
    hcomm_status          status; /* the first failure; logged */
    hcomm_status          opened; /* what status was when all was open */
};

/*
 * A side that the plan doesn't name keeps its pointer, MPI_IN_PLACE included.
 * False: this rank has no memory to take part with, status says why; after
 * another failure it does take part, or the others would wait for ever.
 */
bool hc_ompi_staged_open(struct hc_ompi_staged *staged, const struct hc_staged_plan *plan,
                         const struct hc_ompi_side *send, const struct hc_ompi_side *recv);

/* Whether all buffers are the user's own, so that the call beneath can have
 * them as they are and there is nothing to do after. */
bool hc_ompi_staged_is_idle(const struct hc_ompi_staged *staged);

/* Waits; failures are noted in status. */
void hc_ompi_staged_in(struct hc_ompi_staged *staged);
/* The same for a further round: buffers may hold new data, status is new. */
void hc_ompi_staged_again(struct hc_ompi_staged *staged);

/* Starts to copy out at most so many bytes of data, unless the call failed on
 * our part; SIZE_MAX: all that the plan says. */
void hc_ompi_staged_out(struct hc_ompi_staged *staged, size_t most_bytes);
/* False while copies run. */
bool hc_ompi_staged_test(struct hc_ompi_staged *staged);

/* Waits for copies; what MPI shall return, given what the call beneath came
 * to.  Takes a zeroed one. */
int hc_ompi_staged_close(struct hc_ompi_staged *staged, int rc);

/* What MPI shall return where HCOMM failed. */
int hc_ompi_error_class(hcomm_status status);

/* Whether nothing of these can be on a device, cheapest question first; false
 * where only a closer look can tell. */
bool hc_ompi_is_host(const void *send, const struct ompi_datatype_t *send_type, const void *recv,
                     const struct ompi_datatype_t *recv_type);

#endif
