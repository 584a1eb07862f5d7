#include "ompi_component/coll_hcomm.h"

#include "config/cfg_log.h"
#include "device/device.h"
#include "ompi_component/coll_hcomm_request.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Each collective runs as the component beneath us does it, on host memory in
 * the place of this rank's device buffers.  Whether a rank stages is its own
 * affair: what goes to the other ranks is the same either way.
 */

/* What was asked for, and what the collective beneath is asked for. */
struct call {
    struct hc_ompi_side   send, recv;
    const int            *counts; /* of a vector that is split among the ranks */
    struct ompi_op_t     *op;
    int                   root;
    struct hc_staged_plan plan;
    int                   nsent, nreceived; /* blocks of the sides */
};

/* How a call's first arguments go into it, and come out again. */
#define CALL_NOTHING
#define CALL_ONE_ROOTED \
    .recv = {.buffer = buffer, .count = (size_t)count, .type = type}, .root = root,
#define CALL_VECTOR_OF(n)                                                            \
    .send = {.buffer = (void *)(uintptr_t)send, .count = (size_t)(n), .type = type}, \
    .recv = {.buffer = recv, .count = (size_t)(n), .type = type}, .op = op,
#define CALL_VECTOR        CALL_VECTOR_OF(count)
#define CALL_VECTOR_ROOTED CALL_VECTOR_OF(count).root = root,
#define CALL_VECTOR_SPLIT  CALL_VECTOR_OF(0).counts = counts,
#define CALL_SEND_BLOCKS \
    .send = {.buffer = (void *)(uintptr_t)send, .count = (size_t)send_count, .type = send_type},
#define CALL_SEND_V                             \
    .send = {.buffer = (void *)(uintptr_t)send, \
             .counts = send_counts,             \
             .displs = send_displs,             \
             .type = send_type},
#define CALL_SEND_W(displs_field)               \
    .send = {.buffer = (void *)(uintptr_t)send, \
             .counts = send_counts,             \
             .displs_field = send_displs,       \
             .types = send_types},
#define CALL_RECV_BLOCKS .recv = {.buffer = recv, .count = (size_t)recv_count, .type = recv_type},
#define CALL_RECV_V \
    .recv = {.buffer = recv, .counts = recv_counts, .displs = recv_displs, .type = recv_type},
#define CALL_RECV_W(displs_field) \
    .recv = {                     \
        .buffer = recv, .counts = recv_counts, .displs_field = recv_displs, .types = recv_types},
#define CALL_BLOCKS             CALL_SEND_BLOCKS CALL_RECV_BLOCKS
#define CALL_BLOCKS_ROOTED      CALL_BLOCKS.root = root,
#define CALL_BLOCKS_TO_V        CALL_SEND_BLOCKS CALL_RECV_V
#define CALL_BLOCKS_TO_V_ROOTED CALL_BLOCKS_TO_V.root = root,
#define CALL_V_TO_BLOCKS_ROOTED CALL_SEND_V CALL_RECV_BLOCKS.root = root,
#define CALL_V_TO_V             CALL_SEND_V CALL_RECV_V
#define CALL_W_TO_W             CALL_SEND_W(displs) CALL_RECV_W(displs)
#define CALL_W_TO_W_FAR         CALL_SEND_W(byte_displs) CALL_RECV_W(byte_displs)

#define ARGS_NOTHING
#define ARGS_ONE_ROOTED      call.recv.buffer, (int)call.recv.count, call.recv.type, call.root,
#define ARGS_BUFFERS         call.send.buffer, call.recv.buffer,
#define ARGS_VECTOR          ARGS_BUFFERS(int) call.recv.count, call.recv.type, call.op,
#define ARGS_VECTOR_ROOTED   ARGS_VECTOR call.root,
#define ARGS_VECTOR_SPLIT    ARGS_BUFFERS call.counts, call.recv.type, call.op,
#define ARGS_OF_BLOCKS(side) call.side.buffer, (int)call.side.count, call.side.type,
#define ARGS_OF_V(side)      call.side.buffer, call.side.counts, call.side.displs, call.side.type,
#define ARGS_OF_W(side, displs) \
    call.side.buffer, call.side.counts, call.side.displs, call.side.types,
#define ARGS_BLOCKS             ARGS_OF_BLOCKS(send) ARGS_OF_BLOCKS(recv)
#define ARGS_BLOCKS_ROOTED      ARGS_BLOCKS call.root,
#define ARGS_BLOCKS_TO_V        ARGS_OF_BLOCKS(send) ARGS_OF_V(recv)
#define ARGS_BLOCKS_TO_V_ROOTED ARGS_BLOCKS_TO_V call.root,
#define ARGS_V_TO_BLOCKS_ROOTED ARGS_OF_V(send) ARGS_OF_BLOCKS(recv) call.root,
#define ARGS_V_TO_V             ARGS_OF_V(send) ARGS_OF_V(recv)
#define ARGS_W_TO_W             ARGS_OF_W(send, displs) ARGS_OF_W(recv, displs)
#define ARGS_W_TO_W_FAR         ARGS_OF_W(send, byte_displs) ARGS_OF_W(recv, byte_displs)

static const struct hc_ompi_lower *lower_of(mca_coll_base_module_t *module)
{
    return &((hc_ompi_module *)module)->lower;
}

static enum hc_staged_role role_of(const struct call *call, struct ompi_communicator_t *comm)
{
    if (!OMPI_COMM_IS_INTER(comm))
        return call->root == ompi_comm_rank(comm) ? HC_STAGED_ROOT : HC_STAGED_LEAF;
    if (call->root == MPI_ROOT)
        return HC_STAGED_ROOT;
    return call->root == MPI_PROC_NULL ? HC_STAGED_BYSTANDER : HC_STAGED_LEAF;
}

/* Of a vector that is split among the ranks of a group. */
static void measure_split(struct hc_staged_args *args, const struct call *call, int nranks)
{
    args->send_count = (size_t)nranks * args->recv_count;
    if (call->counts == NULL)
        return;
    args->recv_count = (size_t)call->counts[args->rank];
    args->send_count = 0;
    for (int i = 0; i < nranks; i++)
        args->send_count += (size_t)call->counts[i];
}

static void count_neighbors(struct hc_staged_args *args, struct ompi_communicator_t *comm)
{
    (void)mca_topo_base_neighbor_count(comm, &args->nsources, &args->ndestinations);
    args->has_holes = OMPI_COMM_IS_CART(comm); /* at its rims */
}

/* Asked only of an argument that is significant: others may be any pointer. */
static bool is_in_place(const struct call *call, enum hc_staged_call what, enum hc_staged_role role)
{
    if (what == HC_STAGED_SCATTER)
        return role == HC_STAGED_ROOT && call->recv.buffer == MPI_IN_PLACE;
    return call->send.buffer == MPI_IN_PLACE;
}

static void make_plan(struct call *call, enum hc_staged_call what, struct ompi_communicator_t *comm)
{
    enum hc_staged_role   role = role_of(call, comm);
    bool                  inter = OMPI_COMM_IS_INTER(comm);
    struct hc_staged_args args = {
        .call = what,
        .role = role,
        .inter = inter,
        .in_place = is_in_place(call, what, role),
        .rank = ompi_comm_rank(comm),
        .npeers = inter ? ompi_comm_remote_size(comm) : ompi_comm_size(comm),
        .send_count = call->send.count,
        .recv_count = call->recv.count,
    };

    call->nsent = call->nreceived = args.npeers;
    if (what == HC_STAGED_REDUCE_SCATTER)
        measure_split(&args, call, ompi_comm_size(comm));
    if (what == HC_STAGED_NEIGHBOR_ALLGATHER || what == HC_STAGED_NEIGHBOR_ALLTOALL) {
        count_neighbors(&args, comm);
        call->nsent = args.ndestinations;
        call->nreceived = args.nsources;
    }
    call->plan = hc_staged_plan(&args);
}

static bool sends(const struct call *call)
{
    return call->plan.reads[HC_STAGED_SEND].nblocks > 0;
}

static bool receives(const struct call *call)
{
    return call->plan.reads[HC_STAGED_RECV].nblocks > 0 || call->plan.writes.nblocks > 0;
}

/* As most calls are: all of one type, in memory that is told by its address.
 * A buffer that is not significant may be any pointer, and only costs time; of
 * two types one is significant, but to a rank that stands by. */
static bool is_plain_host_call(const struct call *call)
{
    const struct hc_ompi_side *send = &call->send, *recv = &call->recv;
    const void                *sent = send->buffer;

    if (send->type == NULL || sent == MPI_IN_PLACE)
        sent = recv->buffer;
    return call->root != MPI_PROC_NULL && recv->type != NULL &&
           (send->type == NULL || send->type == recv->type) && send->counts == NULL &&
           recv->counts == NULL && ompi_datatype_is_predefined(recv->type) &&
           hc_dev_surely_host(sent, recv->buffer);
}

/* Only a side without displacements surely lies where its buffer is. */
static bool is_host_call(struct call *call, enum hc_staged_call what,
                         struct ompi_communicator_t *comm)
{
    const struct hc_ompi_side *a, *b;

    if (is_plain_host_call(call))
        return true;
    make_plan(call, what, comm);
    if (!sends(call) && !receives(call))
        return true;
    a = sends(call) ? &call->send : &call->recv;
    b = receives(call) ? &call->recv : &call->send;
    if (a->counts != NULL || b->counts != NULL)
        return !hc_dev_active();
    return hc_ompi_is_host(a->buffer, a->type, b->buffer, b->type);
}

/* From here on the call is one on the stand-ins. */
static bool begin(struct call *call, struct hc_ompi_staged *staged)
{
    bool takes_part = hc_ompi_staged_open(staged, &call->plan, &call->send, &call->recv);

    call->send.buffer = staged->sides[HC_STAGED_SEND].buffer;
    call->recv.buffer = staged->sides[HC_STAGED_RECV].buffer;
    return takes_part;
}

/* NULL stays NULL. */
static const void *keep(const void *array, size_t bytes, char **room)
{
    char *kept = *room;

    if (array == NULL)
        return NULL;
    memcpy(kept, array, bytes);
    *room += (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    return kept;
}

/* In the description of the user's buffer, and in that of its stand-in. */
static void keep_side(struct hc_ompi_side *user, struct hc_ompi_side *stand_in, int nblocks,
                      char **room)
{
    size_t n = (size_t)nblocks;
    void  *buffer = stand_in->buffer;

    user->counts = keep(user->counts, n * sizeof *user->counts, room);
    user->displs = keep(user->displs, n * sizeof *user->displs, room);
    user->byte_displs = keep(user->byte_displs, n * sizeof *user->byte_displs, room);
    user->types = keep(user->types, n * sizeof *user->types, room);
    *stand_in = *user;
    stand_in->buffer = buffer;
}

/* Counts and their like are the caller's once it has its request. */
static hcomm_status keep_arrays(struct call *call, hc_ompi_request *request)
{
    enum { ARRAYS = 8, EACH = sizeof(int) + 2 * sizeof(MPI_Aint) + sizeof(void *) };
    struct hc_ompi_stage *stages = request->staged.sides;
    size_t                nblocks = (size_t)call->nsent + (size_t)call->nreceived;
    char                 *room;

    if (call->send.counts == NULL && call->recv.counts == NULL)
        return HCOMM_OK;
    room = malloc(nblocks * EACH + ARRAYS * sizeof(max_align_t));
    if (room == NULL) {
        hc_log(HC_LOG_ERROR, "no memory for the counts of %zu blocks", nblocks);
        return HCOMM_ERR_NO_MEMORY;
    }
    request->arrays = room;
    if (sends(call))
        keep_side(&stages[HC_STAGED_SEND].side, &call->send, call->nsent, &room);
    if (receives(call))
        keep_side(&stages[HC_STAGED_RECV].side, &call->recv, call->nreceived, &room);
    return HCOMM_OK;
}

/* *request_out NULL: all is host memory after all.  A persistent call copies
 * nothing in before it is started. */
static int begin_request(struct call *call, struct ompi_communicator_t *comm, bool is_persistent,
                         hc_ompi_request **request_out)
{
    hc_ompi_request *request =
        hc_ompi_request_create(OMPI_REQUEST_COLL, (ompi_mpi_object_t){.comm = comm}, is_persistent);
    bool takes_part;

    if (request == NULL)
        return MPI_ERR_NO_MEM;
    *request_out = request;
    takes_part = begin(call, &request->staged);
    if (hc_ompi_staged_is_idle(&request->staged)) {
        *request_out = NULL;
        return hc_ompi_request_discard(request, OMPI_SUCCESS);
    }
    if (takes_part && keep_arrays(call, request) != HCOMM_OK) {
        request->staged.status = HCOMM_ERR_NO_MEMORY;
        takes_part = false;
    }
    if (!takes_part)
        return hc_ompi_request_discard(request, OMPI_SUCCESS);
    hc_ompi_request_hold(request, call->op);
    if (!is_persistent)
        hc_ompi_staged_in(&request->staged);
    return OMPI_SUCCESS;
}

#define BLOCKING(name, shape, what)                                      \
    int hc_ompi_##name(HC_OMPI_PARAMS_##shape HC_OMPI_LAST_BLOCKING)     \
    {                                                                    \
        const struct hc_ompi_lower *lower = lower_of(module);            \
        struct call                 call = {CALL_##shape.nsent = 0};     \
        struct hc_ompi_staged       staged;                              \
        int                         rc = OMPI_SUCCESS;                   \
                                                                         \
        if (is_host_call(&call, what, comm))                             \
            return lower->name(ARGS_##shape comm, lower->name##_module); \
        if (begin(&call, &staged)) {                                     \
            hc_ompi_staged_in(&staged);                                  \
            rc = lower->name(ARGS_##shape comm, lower->name##_module);   \
        }                                                                \
        if (rc == OMPI_SUCCESS)                                          \
            hc_ompi_staged_out(&staged, SIZE_MAX);                       \
        return hc_ompi_staged_close(&staged, rc);                        \
    }

#define REQUESTED(slot, shape, what, LAST, is_persistent, ...)                               \
    int hc_ompi_##slot(HC_OMPI_PARAMS_##shape LAST)                                          \
    {                                                                                        \
        const struct hc_ompi_lower *lower = lower_of(module);                                \
        struct call                 call = {CALL_##shape.nsent = 0};                         \
        hc_ompi_request            *request;                                                 \
        int                         rc;                                                      \
                                                                                             \
        if (is_host_call(&call, what, comm))                                                 \
            return lower->slot(ARGS_##shape __VA_ARGS__, request_out, lower->slot##_module); \
        rc = begin_request(&call, comm, is_persistent, &request);                            \
        if (rc != OMPI_SUCCESS)                                                              \
            return rc;                                                                       \
        if (request == NULL)                                                                 \
            return lower->slot(ARGS_##shape __VA_ARGS__, request_out, lower->slot##_module); \
        rc = lower->slot(ARGS_##shape __VA_ARGS__, &request->inner, lower->slot##_module);   \
        return hc_ompi_request_hand_out(request, rc, request_out);                           \
    }

#define FORMS(pass, name, shape, what)                                     \
    BLOCKING(name, shape, what)                                            \
    REQUESTED(i##name, shape, what, HC_OMPI_LAST_NONBLOCKING, false, comm) \
    REQUESTED(name##_init, shape, what, HC_OMPI_LAST_PERSISTENT, true, comm, info)

HC_OMPI_COLLECTIVES(FORMS, )

int hc_ompi_reduce_local(const void *send, void *recv, int count, struct ompi_datatype_t *type,
                         struct ompi_op_t *op, mca_coll_base_module_t *module)
{
    const struct hc_ompi_lower *lower = lower_of(module);
    struct call                 call = {CALL_VECTOR};
    const struct hc_staged_args args = {
        .call = HC_STAGED_REDUCE_LOCAL,
        .recv_count = (size_t)count,
    };
    struct hc_ompi_staged staged;
    int                   rc = OMPI_SUCCESS;

    if (hc_ompi_is_host(send, type, recv, type))
        return lower->reduce_local(ARGS_VECTOR lower->reduce_local_module);
    call.plan = hc_staged_plan(&args);
    if (begin(&call, &staged)) {
        hc_ompi_staged_in(&staged);
        rc = lower->reduce_local(ARGS_VECTOR lower->reduce_local_module);
    }
    if (rc == OMPI_SUCCESS)
        hc_ompi_staged_out(&staged, SIZE_MAX);
    return hc_ompi_staged_close(&staged, rc);
}
