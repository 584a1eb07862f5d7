#include "ompi_component/pml_hcomm.h"

#include "config/cfg_log.h"
#include "ompi_component/coll_hcomm_request.h"

#include <dlfcn.h>
#include <pthread.h>

/* The functions that meet the user's memory or our requests, each X(slot). */
#define SLOTS(X) \
    X(send) X(isend) X(isend_init) X(recv) X(irecv) X(irecv_init) X(mrecv) X(imrecv) X(start)

/* Open MPI has one table a process, hence what was in it before us, too. */
static mca_pml_base_module_t lower;
static bool                  is_on;

static const struct hc_ompi_side no_side;

static bool is_host(const void *buffer, const struct ompi_datatype_t *type)
{
    return hc_ompi_is_host(buffer, type, buffer, type) || !is_on;
}

/* As hc_ompi_staged_open. */
static bool open_send(struct hc_ompi_staged *staged, const void *buffer, size_t count,
                      struct ompi_datatype_t *type)
{
    const struct hc_staged_args args = {.call = HC_STAGED_SEND_ONE, .send_count = count};
    const struct hc_staged_plan plan = hc_staged_plan(&args);
    const struct hc_ompi_side   side = {.buffer = (void *)buffer, .count = count, .type = type};

    return hc_ompi_staged_open(staged, &plan, &side, &no_side);
}

static bool open_recv(struct hc_ompi_staged *staged, void *buffer, size_t count,
                      struct ompi_datatype_t *type)
{
    const struct hc_staged_args args = {.call = HC_STAGED_RECV_ONE, .recv_count = count};
    const struct hc_staged_plan plan = hc_staged_plan(&args);
    const struct hc_ompi_side   side = {.buffer = buffer, .count = count, .type = type};

    return hc_ompi_staged_open(staged, &plan, &no_side, &side);
}

/* A call that goes on after it returns. */
struct call {
    struct hc_ompi_staged staged;
    bool                  is_open; /* as hc_ompi_staged_open says */
};

/* Whether the user's buffer serves as it is. */
static bool is_plain_send(struct call *call, const void *buffer, size_t count,
                          struct ompi_datatype_t *type)
{
    if (is_host(buffer, type))
        return true;
    call->is_open = open_send(&call->staged, buffer, count, type);
    return hc_ompi_staged_is_idle(&call->staged);
}

static bool is_plain_recv(struct call *call, void *buffer, size_t count,
                          struct ompi_datatype_t *type)
{
    if (is_host(buffer, type))
        return true;
    call->is_open = open_recv(&call->staged, buffer, count, type);
    return hc_ompi_staged_is_idle(&call->staged);
}

static const void *sent(const struct hc_ompi_staged *staged)
{
    return staged->sides[HC_STAGED_SEND].buffer;
}

static void *received(const struct hc_ompi_staged *staged)
{
    return staged->sides[HC_STAGED_RECV].buffer;
}

/* Of a message that was too long for it, the buffer is full, as on host memory. */
static void copy_what_came(struct hc_ompi_staged *staged, int rc, const ompi_status_public_t *came,
                           ompi_status_public_t *status)
{
    if (rc == OMPI_SUCCESS || rc == MPI_ERR_TRUNCATE)
        hc_ompi_staged_out(staged, came->_ucount);
    if (status != MPI_STATUS_IGNORE)
        OMPI_COPY_STATUS(status, *came, false);
}

static int pml_send(const void *buffer, size_t count, struct ompi_datatype_t *type, int dst,
                    int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    struct hc_ompi_staged staged;
    int                   rc = OMPI_SUCCESS;

    if (is_host(buffer, type))
        return lower.pml_send(buffer, count, type, dst, tag, mode, comm);
    if (open_send(&staged, buffer, count, type)) {
        hc_ompi_staged_in(&staged);
        rc = lower.pml_send(sent(&staged), count, type, dst, tag, mode, comm);
    }
    return hc_ompi_staged_close(&staged, rc);
}

static int pml_recv(void *buffer, size_t count, struct ompi_datatype_t *type, int src, int tag,
                    struct ompi_communicator_t *comm, ompi_status_public_t *status)
{
    struct hc_ompi_staged staged;
    ompi_status_public_t  came;
    int                   rc = OMPI_SUCCESS;

    if (is_host(buffer, type))
        return lower.pml_recv(buffer, count, type, src, tag, comm, status);
    if (open_recv(&staged, buffer, count, type)) {
        came = ompi_status_empty;
        rc = lower.pml_recv(received(&staged), count, type, src, tag, comm, &came);
        copy_what_came(&staged, rc, &came, status);
    }
    return hc_ompi_staged_close(&staged, rc);
}

static int pml_mrecv(void *buffer, size_t count, struct ompi_datatype_t *type,
                     struct ompi_message_t **message, ompi_status_public_t *status)
{
    struct hc_ompi_staged staged;
    ompi_status_public_t  came;
    int                   rc = OMPI_SUCCESS;

    if (is_host(buffer, type))
        return lower.pml_mrecv(buffer, count, type, message, status);
    if (open_recv(&staged, buffer, count, type)) {
        came = ompi_status_empty;
        rc = lower.pml_mrecv(received(&staged), count, type, message, &came);
        copy_what_came(&staged, rc, &came, status);
    }
    return hc_ompi_staged_close(&staged, rc);
}

/* Takes over what call has open.  NULL: nothing is open, and *rc is what MPI
 * shall return. */
static hc_ompi_request *create(struct call *call, struct ompi_communicator_t *comm,
                               bool is_persistent, int *rc)
{
    const ompi_mpi_object_t object = {.comm = comm};
    hc_ompi_request        *request = NULL;

    *rc = OMPI_SUCCESS;
    /* Of a persistent request a buffer that can't be had is known before it
     * starts: no one waits yet, so there is no need to go on with a substitute. */
    if (call->is_open && !(is_persistent && call->staged.status != HCOMM_OK)) {
        request = hc_ompi_request_create(OMPI_REQUEST_PML, object, is_persistent);
        *rc = request == NULL ? MPI_ERR_NO_MEM : OMPI_SUCCESS;
    }
    if (request == NULL) {
        *rc = hc_ompi_staged_close(&call->staged, *rc);
        return NULL;
    }
    request->staged = call->staged;
    request->is_counted = true; /* of a send, nothing is copied out */
    hc_ompi_request_hold(request, NULL);
    return request;
}

static int pml_isend(const void *buffer, size_t count, struct ompi_datatype_t *type, int dst,
                     int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                     struct ompi_request_t **request_out)
{
    struct call      call;
    hc_ompi_request *request;
    int              rc;

    if (is_plain_send(&call, buffer, count, type))
        return lower.pml_isend(buffer, count, type, dst, tag, mode, comm, request_out);
    request = create(&call, comm, false, &rc);
    if (request == NULL)
        return rc;
    hc_ompi_staged_in(&request->staged);
    rc =
        lower.pml_isend(sent(&request->staged), count, type, dst, tag, mode, comm, &request->inner);
    return hc_ompi_request_hand_out(request, rc, request_out);
}

static int pml_isend_init(const void *buffer, size_t count, struct ompi_datatype_t *type, int dst,
                          int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                          struct ompi_request_t **request_out)
{
    struct call      call;
    hc_ompi_request *request;
    int              rc;

    if (is_plain_send(&call, buffer, count, type))
        return lower.pml_isend_init(buffer, count, type, dst, tag, mode, comm, request_out);
    request = create(&call, comm, true, &rc);
    if (request == NULL)
        return rc;
    rc = lower.pml_isend_init(sent(&request->staged), count, type, dst, tag, mode, comm,
                              &request->inner);
    return hc_ompi_request_hand_out(request, rc, request_out);
}

static int pml_irecv(void *buffer, size_t count, struct ompi_datatype_t *type, int src, int tag,
                     struct ompi_communicator_t *comm, struct ompi_request_t **request_out)
{
    struct call      call;
    hc_ompi_request *request;
    int              rc;

    if (is_plain_recv(&call, buffer, count, type))
        return lower.pml_irecv(buffer, count, type, src, tag, comm, request_out);
    request = create(&call, comm, false, &rc);
    if (request == NULL)
        return rc;
    rc = lower.pml_irecv(received(&request->staged), count, type, src, tag, comm, &request->inner);
    return hc_ompi_request_hand_out(request, rc, request_out);
}

static int pml_irecv_init(void *buffer, size_t count, struct ompi_datatype_t *type, int src,
                          int tag, struct ompi_communicator_t *comm,
                          struct ompi_request_t **request_out)
{
    struct call      call;
    hc_ompi_request *request;
    int              rc;

    if (is_plain_recv(&call, buffer, count, type))
        return lower.pml_irecv_init(buffer, count, type, src, tag, comm, request_out);
    request = create(&call, comm, true, &rc);
    if (request == NULL)
        return rc;
    rc = lower.pml_irecv_init(received(&request->staged), count, type, src, tag, comm,
                              &request->inner);
    return hc_ompi_request_hand_out(request, rc, request_out);
}

static int pml_imrecv(void *buffer, size_t count, struct ompi_datatype_t *type,
                      struct ompi_message_t **message, struct ompi_request_t **request_out)
{
    struct call      call;
    hc_ompi_request *request;
    int              rc;

    if (is_plain_recv(&call, buffer, count, type))
        return lower.pml_imrecv(buffer, count, type, message, request_out);
    request = create(&call, (*message)->comm, false, &rc);
    if (request == NULL)
        return rc;
    rc = lower.pml_imrecv(received(&request->staged), count, type, message, &request->inner);
    return hc_ompi_request_hand_out(request, rc, request_out);
}

static bool is_ours(const struct ompi_request_t *request)
{
    const opal_object_t *object = (const opal_object_t *)request;

    return request != NULL && object->obj_class == OBJ_CLASS(hc_ompi_request);
}

/* Open MPI's own users of persistent requests start them all in one call,
 * whoever made them; programs' reach each by its own req_start. */
static int pml_start(size_t count, struct ompi_request_t **requests)
{
    int rc = OMPI_SUCCESS;

    for (size_t first = 0, end; first < count && rc == OMPI_SUCCESS; first = end) {
        bool ours = is_ours(requests[first]);

        for (end = first + 1; end < count && is_ours(requests[end]) == ours; end++)
            ;
        rc = ours ? requests[first]->req_start(end - first, requests + first)
                  : lower.pml_start(end - first, requests + first);
    }
    return rc;
}

void hc_ompi_pml_interpose(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&lock);
    if (!is_on) {
        lower = mca_pml;
#define X(slot)                   \
    if (lower.pml_##slot != NULL) \
        mca_pml.pml_##slot = pml_##slot;
        SLOTS(X)
#undef X
        hc_log(HC_LOG_DEBUG, "point-to-point goes through hcomm to pml/%s",
               mca_pml_base_selected_component.pmlm_version.mca_component_name);
    }
    is_on = true;
    pthread_mutex_unlock(&lock);
}

/* Open MPI unloads its components when it ends. */
static void stay_loaded(void)
{
    Dl_info info;

    if (dladdr(&lower, &info) == 0 ||
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) == NULL)
        hc_log(HC_LOG_WARN, "coll/hcomm can't stay loaded, while its functions are still in use");
}

void hc_ompi_pml_restore(void)
{
    bool gave_back_all = true;

    if (!is_on)
        return;
    is_on = false;
#define X(slot)                                \
    if (mca_pml.pml_##slot == pml_##slot)      \
        mca_pml.pml_##slot = lower.pml_##slot; \
    else if (lower.pml_##slot != NULL)         \
        gave_back_all = false;
    SLOTS(X)
#undef X
    if (!gave_back_all)
        stay_loaded();
}
