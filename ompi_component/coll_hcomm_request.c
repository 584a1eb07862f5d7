#include "ompi_component/coll_hcomm_request.h"

#include "config/cfg_log.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Open MPI has one progress engine a process, hence one list.  The lock is for
 * the list and for who looks through it; requests are completed without it. */
static pthread_mutex_t          lock = PTHREAD_MUTEX_INITIALIZER;
static hc_ompi_request *_Atomic running;
static bool                     is_registered;

static ompi_request_t *as_mpi(hc_ompi_request *request)
{
    return &request->super.super;
}

static bool is_complete(ompi_request_t *request)
{
    return request == NULL ||
           __atomic_load_n(&request->req_complete, __ATOMIC_ACQUIRE) == REQUEST_COMPLETED;
}

/* OBJ_RETAIN and OBJ_RELEASE, of every type of a side. */
static void hold_types(struct hc_ompi_stage *stage, const struct hc_staged_range *range, bool hold)
{
    const struct hc_ompi_side *side = &stage->side;
    int                        ntypes = side->types != NULL ? range->nblocks : range->nblocks > 0;

    for (int i = 0; i < ntypes; i++) {
        int                     block = range->first + i;
        struct ompi_datatype_t *type = side->types != NULL ? side->types[block] : side->type;

        if (side->types != NULL && side->counts[block] == 0)
            continue; /* it may be none */
        if (hold) {
            OBJ_RETAIN(type);
        } else {
            OBJ_RELEASE(type);
        }
    }
}

static void hold_all(hc_ompi_request *request, bool hold)
{
    struct hc_ompi_staged       *staged = &request->staged;
    const struct hc_staged_plan *plan = &staged->plan;

    for (int side = 0; side < HC_STAGED_SIDES; side++)
        hold_types(&staged->sides[side], &plan->reads[side], hold);
    hold_types(&staged->sides[HC_STAGED_RECV], &plan->writes, hold);
    request->holds = hold;
}

void hc_ompi_request_hold(hc_ompi_request *request, struct ompi_op_t *op)
{
    hold_all(request, true);
    request->op = op;
    if (op != NULL)
        OBJ_RETAIN(op);
}

/* Everything but the request itself, which the user may still look at. */
static void close_all(hc_ompi_request *request)
{
    if (request->inner != NULL)
        (void)ompi_request_free(&request->inner);
    request->inner = NULL;
    if (request->holds)
        hold_all(request, false);
    if (request->op != NULL)
        OBJ_RELEASE(request->op);
    request->op = NULL;
    (void)hc_ompi_staged_close(&request->staged, OMPI_SUCCESS);
    free(request->arrays);
    request->arrays = NULL;
}

static void destroy(hc_ompi_request *request)
{
    ompi_request_t *mpi = as_mpi(request);

    close_all(request);
    OMPI_REQUEST_FINI(mpi);
    if (mpi->req_type != OMPI_REQUEST_IO)
        OBJ_RELEASE(mpi->req_mpi_object.comm);
    OBJ_RELEASE(request);
}

/* The inner request is complete: its status is ours.  Open MPI's own function
 * asks generalised requests for theirs, and frees what is not persistent. */
static void take_status(hc_ompi_request *request)
{
    ompi_status_public_t *status = &as_mpi(request)->req_status;
    int                   completed;

    *status = ompi_status_empty;
    if (request->inner == NULL)
        return;
    status->MPI_ERROR = ompi_request_test(&request->inner, &completed, status);
    if (request->inner == MPI_REQUEST_NULL)
        request->inner = NULL;
    /* Those on files can't be cancelled, and Open MPI's own don't say so. */
    if (as_mpi(request)->req_type == OMPI_REQUEST_IO)
        status->_cancelled = 0;
}

/* What may be copied out, given how the call beneath ended. */
static size_t most_bytes(const hc_ompi_request *request)
{
    const ompi_status_public_t *status = &request->super.super.req_status;
    bool                        whole = status->MPI_ERROR == OMPI_SUCCESS;

    if (!request->is_counted)
        return whole ? SIZE_MAX : 0;
    if (status->_cancelled || !(whole || status->MPI_ERROR == MPI_ERR_TRUNCATE))
        return 0;
    return status->_ucount;
}

/* As far as it goes without waiting: true when the request's work is done. */
static bool advance(hc_ompi_request *request)
{
    if (!request->is_copying) {
        if (!is_complete(request->inner))
            return false;
        take_status(request);
        hc_ompi_staged_out(&request->staged, most_bytes(request));
        request->is_copying = true;
    }
    return hc_ompi_staged_test(&request->staged);
}

/* Its work is done: leave in its status what came of it. */
static void conclude(hc_ompi_request *request)
{
    ompi_request_t *mpi = as_mpi(request);

    request->is_copying = false;
    if (mpi->req_status.MPI_ERROR == OMPI_SUCCESS)
        mpi->req_status.MPI_ERROR = hc_ompi_error_class(request->staged.status);
    if (!mpi->req_persistent)
        close_all(request);
}

/* Take what has come to its end out of those that run; the lock is held. */
static hc_ompi_request *take_finished(void)
{
    hc_ompi_request *request, *next, *unfinished = NULL, *finished = NULL;

    for (request = running; request != NULL; request = next) {
        hc_ompi_request **list = &unfinished;

        if (advance(request)) {
            list = &finished;
            request->is_running = false;
            request->nconcluding++;
        }
        next = request->next;
        request->next = *list;
        *list = request;
    }
    running = unfinished;
    return finished;
}

/* The user may free it as soon as it is complete, from a callback even before;
 * who is last to look at it destroys it. */
static void complete(hc_ompi_request *request)
{
    bool is_last;

    conclude(request);
    (void)ompi_request_complete(as_mpi(request), true);
    pthread_mutex_lock(&lock);
    request->nconcluding--;
    is_last = request->is_orphan && !request->is_running && request->nconcluding == 0;
    pthread_mutex_unlock(&lock);
    if (is_last)
        destroy(request);
}

/* Returns how many came to their end, as Open MPI wants to know. */
static int progress(void)
{
    hc_ompi_request *finished, *next;
    int              nfinished = 0;

    if (running == NULL || pthread_mutex_trylock(&lock) != 0)
        return 0;
    finished = take_finished();
    pthread_mutex_unlock(&lock);

    for (; finished != NULL; finished = next, nfinished++) {
        next = finished->next;
        complete(finished);
    }
    return nfinished;
}

/* A request that is freed while it runs comes to its end all the same. */
static int request_free(ompi_request_t **mpi)
{
    hc_ompi_request *request = (hc_ompi_request *)*mpi;
    bool             is_in_use;

    *mpi = MPI_REQUEST_NULL;
    pthread_mutex_lock(&lock);
    is_in_use = request->is_running || request->nconcluding > 0;
    request->is_orphan = is_in_use;
    pthread_mutex_unlock(&lock);
    if (!is_in_use)
        destroy(request);
    return OMPI_SUCCESS;
}

static int request_cancel(ompi_request_t *mpi, int flag)
{
    hc_ompi_request *request = (hc_ompi_request *)mpi;
    int              rc = OMPI_SUCCESS;

    pthread_mutex_lock(&lock);
    if (request->is_running && !request->is_copying && request->inner->req_cancel != NULL)
        rc = request->inner->req_cancel(request->inner, flag);
    pthread_mutex_unlock(&lock);
    return rc;
}

/* Where there is nothing to do, Open MPI makes requests that are always
 * complete and can't be started. */
static int start_inner(hc_ompi_request *request)
{
    if (request->inner == NULL || request->inner->req_start == NULL)
        return OMPI_SUCCESS;
    return request->inner->req_start(1, &request->inner);
}

static int start(hc_ompi_request *request)
{
    int rc;

    hc_ompi_staged_again(&request->staged);
    as_mpi(request)->req_complete = REQUEST_PENDING;
    rc = start_inner(request);
    if (rc == OMPI_SUCCESS)
        hc_ompi_request_run(request);
    else
        as_mpi(request)->req_complete = REQUEST_COMPLETED;
    return rc;
}

static int request_start(size_t count, ompi_request_t **requests)
{
    for (size_t i = 0; i < count; i++) {
        int rc = start((hc_ompi_request *)requests[i]);

        if (rc != OMPI_SUCCESS)
            return rc;
    }
    return OMPI_SUCCESS;
}

hc_ompi_request *hc_ompi_request_create(ompi_request_type_t type, ompi_mpi_object_t object,
                                        bool is_persistent)
{
    hc_ompi_request *request = OBJ_NEW(hc_ompi_request);
    ompi_request_t  *mpi;

    if (request == NULL) {
        hc_log(HC_LOG_ERROR, "no memory for a request of %zu bytes", sizeof *request);
        return NULL;
    }
    mpi = as_mpi(request);
    OMPI_REQUEST_INIT(mpi, is_persistent);
    mpi->req_type = type;
    mpi->req_status = ompi_status_empty;
    mpi->req_mpi_object = object;
    mpi->req_free = request_free;
    mpi->req_start = is_persistent ? request_start : NULL;
    mpi->req_cancel = type == OMPI_REQUEST_PML ? request_cancel : NULL;
    if (type != OMPI_REQUEST_IO)
        OBJ_RETAIN(object.comm);
    return request;
}

void hc_ompi_request_run(hc_ompi_request *request)
{
    as_mpi(request)->req_state = OMPI_REQUEST_ACTIVE;
    pthread_mutex_lock(&lock);
    if (!is_registered)
        (void)opal_progress_register(progress);
    is_registered = true;
    request->is_running = true;
    request->next = running;
    running = request;
    pthread_mutex_unlock(&lock);
}

int hc_ompi_request_hand_out(hc_ompi_request *request, int rc, ompi_request_t **request_out)
{
    ompi_request_t *mpi = as_mpi(request);

    if (rc != OMPI_SUCCESS) {
        request->inner = NULL;
        return hc_ompi_request_discard(request, rc);
    }
    *request_out = mpi;
    if (!mpi->req_persistent)
        hc_ompi_request_run(request);
    return OMPI_SUCCESS;
}

int hc_ompi_request_discard(hc_ompi_request *request, int rc)
{
    if (rc == OMPI_SUCCESS)
        rc = hc_ompi_error_class(request->staged.status);
    destroy(request);
    return rc;
}

void hc_ompi_request_close(void)
{
    pthread_mutex_lock(&lock);
    if (is_registered)
        (void)opal_progress_unregister(progress);
    is_registered = false;
    running = NULL;
    pthread_mutex_unlock(&lock);
}

static void construct(hc_ompi_request *request)
{
    memset(&request->staged, 0, sizeof *request - offsetof(hc_ompi_request, staged));
}

OBJ_CLASS_INSTANCE(hc_ompi_request, ompi_coll_base_nbc_request_t, construct, NULL);
