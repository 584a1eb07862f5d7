#include "ompi_component/coll_hcomm_io.h"

#include "ompi_component/coll_hcomm_request.h"

#include <pthread.h>
#include <stdlib.h>

enum direction { READ, WRITE };

/* One call as the program made it, whatever its form. */
struct io_call {
    struct ompi_file_t          *file;
    MPI_Offset                   offset; /* where it has one */
    void                        *buffer;
    int                          count;
    struct ompi_datatype_t      *type;
    struct ompi_status_public_t *status;  /* a blocking call's */
    struct ompi_request_t      **request; /* a nonblocking call's */
};

/* Make the call with the component's own function. */
typedef int run_fn(const struct io_call *call);

/* Between the two halves of a split collective: a file has one at a time. */
struct split {
    struct ompi_file_t     *file;
    struct ompi_datatype_t *type; /* retained */
    struct hc_ompi_staged   staged;
    struct split           *next;
};

static struct split   *splits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static enum hc_staged_side side_of(enum direction direction)
{
    return direction == READ ? HC_STAGED_RECV : HC_STAGED_SEND;
}

/*
 * What is read goes in first: a component may come with less than it says
 * (collective reads past the end of the file do), and the rest shall be what it
 * was.
 */
static struct hc_staged_plan plan_of(const struct io_call *call, enum direction direction)
{
    struct hc_staged_range all = {.nblocks = 1, .count = (size_t)call->count};
    struct hc_staged_plan  plan = {0};

    plan.reads[side_of(direction)] = all;
    if (direction == READ)
        plan.writes = all;
    return plan;
}

/*
 * The call on stand-ins.  Where they can't be had, or not be filled, it is made
 * with no data, as other processes may wait in it for this one; staged's status
 * says so.
 */
static struct io_call stage(struct hc_ompi_staged *staged, const struct io_call *call,
                            enum direction direction)
{
    struct hc_staged_plan plan = plan_of(call, direction);
    struct hc_ompi_side   side = {
          .buffer = call->buffer, .count = (size_t)call->count, .type = call->type};
    struct hc_ompi_side none = {.type = call->type};
    struct io_call      staged_call = *call;
    bool                has_memory;

    has_memory = direction == READ ? hc_ompi_staged_open(staged, &plan, &none, &side)
                                   : hc_ompi_staged_open(staged, &plan, &side, &none);
    if (has_memory)
        hc_ompi_staged_in(staged);
    staged_call.buffer = staged->sides[side_of(direction)].buffer;
    if (!has_memory || staged->status != HCOMM_OK) {
        staged_call.buffer = &splits; /* any host memory */
        staged_call.count = 0;
    }
    return staged_call;
}

/* rc is what the component's function came to; close waits. */
static void copy_out(struct hc_ompi_staged *staged, enum direction direction, int rc,
                     const struct ompi_status_public_t *status)
{
    if (rc == OMPI_SUCCESS && direction == READ)
        hc_ompi_staged_out(staged, status->_ucount);
}

static bool is_host(const struct io_call *call)
{
    return call->count == 0 || hc_ompi_is_host(call->buffer, call->type, call->buffer, call->type);
}

static int blocking(run_fn *run, enum direction direction, const struct io_call *call)
{
    struct ompi_status_public_t own = {0};
    struct hc_ompi_staged       staged;
    struct io_call              staged_call;
    int                         rc;

    if (is_host(call))
        return run(call);
    staged_call = stage(&staged, call, direction);
    if (call->status == MPI_STATUS_IGNORE)
        staged_call.status = &own;
    rc = run(&staged_call);
    copy_out(&staged, direction, rc, staged_call.status);
    return hc_ompi_staged_close(&staged, rc);
}

static int nonblocking(run_fn *run, enum direction direction, const struct io_call *call)
{
    hc_ompi_request *request;
    struct io_call   staged_call;
    int              rc;

    if (is_host(call))
        return run(call);
    request =
        hc_ompi_request_create(OMPI_REQUEST_IO, (ompi_mpi_object_t){.file = call->file}, false);
    if (request == NULL)
        return MPI_ERR_NO_MEM;
    staged_call = stage(&request->staged, call, direction);
    hc_ompi_request_hold(request, NULL);
    staged_call.request = &request->inner;
    request->is_counted = direction == READ;
    rc = run(&staged_call);
    return hc_ompi_request_hand_out(request, rc, call->request);
}

static void push(struct split *split)
{
    pthread_mutex_lock(&lock);
    split->next = splits;
    splits = split;
    pthread_mutex_unlock(&lock);
}

static struct split *pop(const struct ompi_file_t *file)
{
    struct split **link = &splits;
    struct split  *split;

    pthread_mutex_lock(&lock);
    while (*link != NULL && (*link)->file != file)
        link = &(*link)->next;
    split = *link;
    if (split != NULL)
        *link = split->next;
    pthread_mutex_unlock(&lock);
    return split;
}

static int close_split(struct split *split, int rc)
{
    rc = hc_ompi_staged_close(&split->staged, rc);
    OBJ_RELEASE(split->type);
    free(split);
    return rc;
}

static int begin(run_fn *run, enum direction direction, const struct io_call *call)
{
    struct split  *split;
    struct io_call staged_call;
    int            rc;

    if (is_host(call))
        return run(call);
    split = calloc(1, sizeof *split);
    if (split == NULL)
        return MPI_ERR_NO_MEM;
    split->file = call->file;
    split->type = call->type;
    OBJ_RETAIN(split->type);
    staged_call = stage(&split->staged, call, direction);
    rc = run(&staged_call);
    if (rc == OMPI_SUCCESS) {
        push(split);
        return OMPI_SUCCESS;
    }
    return close_split(split, rc);
}

static int end(run_fn *run, enum direction direction, const struct io_call *call)
{
    struct split               *split = pop(call->file);
    struct ompi_status_public_t own = {0};
    struct io_call              staged_call = *call;
    int                         rc;

    if (split == NULL)
        return run(call);
    staged_call.buffer = split->staged.sides[side_of(direction)].buffer;
    if (call->status == MPI_STATUS_IGNORE)
        staged_call.status = &own;
    rc = run(&staged_call);
    copy_out(&split->staged, direction, rc, staged_call.status);
    return close_split(split, rc);
}

/* The forms of the calls: X(slot, direction, whether it has an offset). */
/* clang-format off */
#define BLOCKING(X) \
    X(read, READ, HERE) \
    X(read_all, READ, HERE) \
    X(read_at, READ, AT) \
    X(read_at_all, READ, AT) \
    X(read_shared, READ, HERE) \
    X(read_ordered, READ, HERE) \
    X(write, WRITE, HERE) \
    X(write_all, WRITE, HERE) \
    X(write_at, WRITE, AT) \
    X(write_at_all, WRITE, AT) \
    X(write_shared, WRITE, HERE) \
    X(write_ordered, WRITE, HERE)
#define NONBLOCKING(X) \
    X(iread, READ, HERE) \
    X(iread_all, READ, HERE) \
    X(iread_at, READ, AT) \
    X(iread_at_all, READ, AT) \
    X(iread_shared, READ, HERE) \
    X(iwrite, WRITE, HERE) \
    X(iwrite_all, WRITE, HERE) \
    X(iwrite_at, WRITE, AT) \
    X(iwrite_at_all, WRITE, AT) \
    X(iwrite_shared, WRITE, HERE)
#define SPLIT(X) \
    X(read_all, READ, HERE) \
    X(read_at_all, READ, AT) \
    X(read_ordered, READ, HERE) \
    X(write_all, WRITE, HERE) \
    X(write_at_all, WRITE, AT) \
    X(write_ordered, WRITE, HERE)
/* clang-format on */

#define BUFFER_READ  void *buffer
#define BUFFER_WRITE const void *buffer
#define PARAM_AT     MPI_Offset offset,
#define PARAM_HERE
#define ARGUMENT_AT call->offset,
#define ARGUMENT_HERE
#define FIELD_AT .offset = offset,
#define FIELD_HERE

/* For each slot, the call of the component's own function and ours: with the
 * last parameter, which differs by form, as declared, as kept, and as given. */
#define DEFINE(slot, form, direction, where, parameter, field, argument)                         \
    static int run_##slot(const struct io_call *call)                                            \
    {                                                                                            \
        return hc_ompi_io_stock(call->file)                                                      \
            ->io_module_file_##slot(call->file, ARGUMENT_##where call->buffer, call->count,      \
                                    call->type argument);                                        \
    }                                                                                            \
    static int our_##slot(struct ompi_file_t *file, PARAM_##where BUFFER_##direction, int count, \
                          struct ompi_datatype_t *type parameter)                                \
    {                                                                                            \
        const struct io_call call = {.file = file,                                               \
                                     FIELD_##where.buffer = (void *)buffer,                      \
                                     .count = count,                                             \
                                     .type = type field};                                        \
                                                                                                 \
        return form(run_##slot, direction, &call);                                               \
    }

/* With the comma before it, as the first halves of split calls have none. */
#define STATUS_PARAMETER  , struct ompi_status_public_t *status
#define STATUS_FIELD      , .status = status
#define STATUS_ARGUMENT   , call->status
#define REQUEST_PARAMETER , struct ompi_request_t **request
#define REQUEST_FIELD     , .request = request
#define REQUEST_ARGUMENT  , call->request

#define X(slot, direction, where) \
    DEFINE(slot, blocking, direction, where, STATUS_PARAMETER, STATUS_FIELD, STATUS_ARGUMENT)
BLOCKING(X)
#undef X

#define X(slot, direction, where) \
    DEFINE(slot, nonblocking, direction, where, REQUEST_PARAMETER, REQUEST_FIELD, REQUEST_ARGUMENT)
NONBLOCKING(X)
#undef X

#define X(slot, direction, where) DEFINE(slot##_begin, begin, direction, where, , , )
SPLIT(X)
#undef X

#define X(slot, direction, where)                                                               \
    static int run_##slot##_end(const struct io_call *call)                                     \
    {                                                                                           \
        return hc_ompi_io_stock(call->file)                                                     \
            ->io_module_file_##slot##_end(call->file, call->buffer, call->status);              \
    }                                                                                           \
    static int our_##slot##_end(struct ompi_file_t          *file, BUFFER_##direction,          \
                                struct ompi_status_public_t *status)                            \
    {                                                                                           \
        const struct io_call call = {.file = file, .buffer = (void *)buffer, .status = status}; \
                                                                                                \
        return end(run_##slot##_end, direction, &call);                                         \
    }
SPLIT(X)
#undef X

/* What a component can't do stays so. */
#define REPLACE(module, slot)                   \
    if ((module).io_module_file_##slot != NULL) \
        (module).io_module_file_##slot = our_##slot;

mca_io_base_module_2_0_0_t hc_ompi_io_module(const mca_io_base_module_2_0_0_t *stock)
{
    mca_io_base_module_2_0_0_t ours = *stock;

#define X(slot, direction, where) REPLACE(ours, slot)
    BLOCKING(X)
    NONBLOCKING(X)
#undef X
#define X(slot, direction, where) REPLACE(ours, slot##_begin) REPLACE(ours, slot##_end)
    SPLIT(X)
#undef X
    return ours;
}
