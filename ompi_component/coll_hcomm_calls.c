#include "ompi_component/coll_hcomm.h"

#include "collectives/staged.h"
#include "device/device.h"
#include "ompi_component/coll_hcomm_stage.h"

/*
 * Each collective runs as the component beneath us does it, on host memory in
 * the place of this rank's device buffers.  Whether a rank stages is its own
 * affair: what goes to the other ranks is the same either way.
 */

struct staged_call {
    struct hc_staged_plan plan;
    struct hc_ompi_stage  sides[HC_STAGED_SIDES];
    hcomm_status          status; /* the first failure */
};

static const struct hc_ompi_lower *lower_of(mca_coll_base_module_t *module)
{
    return &((hc_ompi_module *)module)->lower;
}

int hc_ompi_error_class(hcomm_status status)
{
    switch (status) {
    case HCOMM_OK:
    case HCOMM_IN_PROGRESS:
        return MPI_SUCCESS;
    case HCOMM_ERR_INVALID:
        return MPI_ERR_BUFFER;
    case HCOMM_ERR_NO_MEMORY:
        return MPI_ERR_NO_MEM;
    case HCOMM_ERR_UNSUPPORTED:
    case HCOMM_ERR_NOT_FOUND:
    case HCOMM_ERR_DEVICE:
        break;
    }
    return MPI_ERR_OTHER;
}

/* Whether nothing of this rank's can be on a device, cheapest question first.
 * Only a predefined type surely has its data where its buffer is. */
static bool is_host_call(const void *send, const struct ompi_datatype_t *send_type,
                         const void *recv, const struct ompi_datatype_t *recv_type)
{
    bool simple;

    if (send == MPI_IN_PLACE) {
        send = recv;
        send_type = recv_type;
    }
    simple = ompi_datatype_is_predefined(send_type) && ompi_datatype_is_predefined(recv_type);
    if (simple && hc_dev_surely_host(send, recv))
        return true;
    if (!hc_dev_active())
        return true;
    return simple && hc_dev_is_host(send) && (recv == send || hc_dev_is_host(recv));
}

static void note(struct staged_call *call, hcomm_status status)
{
    if (call->status == HCOMM_OK)
        call->status = status;
}

static void open_side(struct staged_call *call, enum hc_staged_side side, const void *buffer,
                      struct ompi_datatype_t *type)
{
    note(call, hc_ompi_stage_open(&call->sides[side], buffer, call->plan.elements[side], type));
}

/* False: this rank has no memory to take part with.  After another failure it
 * does take part, or the others would wait for ever. */
static bool begin(struct staged_call *call, const struct hc_staged_args *args, const void *send,
                  struct ompi_datatype_t *send_type, void *recv, struct ompi_datatype_t *recv_type)
{
    const struct hc_staged_range *input = &call->plan.input;

    call->status = HCOMM_OK;
    call->plan = hc_staged_plan(args);
    open_side(call, HC_STAGED_SEND, send, send_type);
    open_side(call, HC_STAGED_RECV, recv, recv_type);
    for (int side = 0; side < HC_STAGED_SIDES; side++)
        if (call->plan.elements[side] > 0 && call->sides[side].kind != HC_OMPI_STAGE_NONE &&
            call->sides[side].buffer == NULL)
            return false;
    note(call, hc_ompi_stage_in(&call->sides[input->side], input->first, input->count));
    return true;
}

/* rc is what the collective beneath came to. */
static int end(struct staged_call *call, int rc)
{
    const struct hc_staged_range *output = &call->plan.output;

    if (rc == OMPI_SUCCESS && call->status == HCOMM_OK)
        note(call, hc_ompi_stage_out(&call->sides[output->side], output->first, output->count));
    for (int side = 0; side < HC_STAGED_SIDES; side++)
        hc_ompi_stage_close(&call->sides[side]);
    return rc != OMPI_SUCCESS ? rc : hc_ompi_error_class(call->status);
}

int hc_ompi_allreduce(const void *send, void *recv, int count, struct ompi_datatype_t *type,
                      struct ompi_op_t *op, struct ompi_communicator_t *comm,
                      mca_coll_base_module_t *module)
{
    const struct hc_ompi_lower *lower = lower_of(module);
    struct staged_call          call;
    int                         rc = OMPI_SUCCESS;
    const struct hc_staged_args args = {
        .call = HC_STAGED_ALLREDUCE,
        .in_place = send == MPI_IN_PLACE,
        .recv_count = (size_t)count,
    };

    if (is_host_call(send, type, recv, type))
        return lower->allreduce(send, recv, count, type, op, comm, lower->allreduce_module);
    if (begin(&call, &args, send, type, recv, type))
        rc = lower->allreduce(call.sides[HC_STAGED_SEND].buffer, call.sides[HC_STAGED_RECV].buffer,
                              count, type, op, comm, lower->allreduce_module);
    return end(&call, rc);
}

int hc_ompi_reduce(const void *send, void *recv, int count, struct ompi_datatype_t *type,
                   struct ompi_op_t *op, int root, struct ompi_communicator_t *comm,
                   mca_coll_base_module_t *module)
{
    const struct hc_ompi_lower *lower = lower_of(module);
    struct staged_call          call;
    int                         rc = OMPI_SUCCESS;
    const struct hc_staged_args args = {
        .call = HC_STAGED_REDUCE,
        .rank = ompi_comm_rank(comm),
        .root = root,
        .in_place = send == MPI_IN_PLACE,
        .recv_count = (size_t)count,
    };

    if (is_host_call(send, type, recv, type))
        return lower->reduce(send, recv, count, type, op, root, comm, lower->reduce_module);
    if (begin(&call, &args, send, type, recv, type))
        rc = lower->reduce(call.sides[HC_STAGED_SEND].buffer, call.sides[HC_STAGED_RECV].buffer,
                           count, type, op, root, comm, lower->reduce_module);
    return end(&call, rc);
}

int hc_ompi_bcast(void *buffer, int count, struct ompi_datatype_t *type, int root,
                  struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    const struct hc_ompi_lower *lower = lower_of(module);
    struct staged_call          call;
    int                         rc = OMPI_SUCCESS;
    const struct hc_staged_args args = {
        .call = HC_STAGED_BCAST,
        .rank = ompi_comm_rank(comm),
        .root = root,
        .recv_count = (size_t)count,
    };

    if (is_host_call(buffer, type, buffer, type))
        return lower->bcast(buffer, count, type, root, comm, lower->bcast_module);
    if (begin(&call, &args, NULL, type, buffer, type))
        rc = lower->bcast(call.sides[HC_STAGED_RECV].buffer, count, type, root, comm,
                          lower->bcast_module);
    return end(&call, rc);
}

int hc_ompi_allgather(const void *send, int send_count, struct ompi_datatype_t *send_type,
                      void *recv, int recv_count, struct ompi_datatype_t *recv_type,
                      struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    const struct hc_ompi_lower *lower = lower_of(module);
    struct staged_call          call;
    int                         rc = OMPI_SUCCESS;
    const struct hc_staged_args args = {
        .call = HC_STAGED_ALLGATHER,
        .rank = ompi_comm_rank(comm),
        .nranks = ompi_comm_size(comm),
        .in_place = send == MPI_IN_PLACE,
        .send_count = (size_t)send_count,
        .recv_count = (size_t)recv_count,
    };

    if (is_host_call(send, send_type, recv, recv_type))
        return lower->allgather(send, send_count, send_type, recv, recv_count, recv_type, comm,
                                lower->allgather_module);
    if (begin(&call, &args, send, send_type, recv, recv_type))
        rc = lower->allgather(call.sides[HC_STAGED_SEND].buffer, send_count, send_type,
                              call.sides[HC_STAGED_RECV].buffer, recv_count, recv_type, comm,
                              lower->allgather_module);
    return end(&call, rc);
}

/* Moves no data of the user's. */
int hc_ompi_barrier(struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    const struct hc_ompi_lower *lower = lower_of(module);

    return lower->barrier(comm, lower->barrier_module);
}
