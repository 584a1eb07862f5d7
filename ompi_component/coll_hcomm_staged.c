#include "ompi_component/coll_hcomm_staged.h"

#include "device/device.h"

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

/* Only a predefined type surely has its data where its buffer is. */
bool hc_ompi_is_host(const void *send, const struct ompi_datatype_t *send_type, const void *recv,
                     const struct ompi_datatype_t *recv_type)
{
    bool simple;

    if (send == MPI_IN_PLACE) {
        send = recv;
        send_type = recv_type;
    }
    simple = send_type != NULL && recv_type != NULL && ompi_datatype_is_predefined(send_type) &&
             ompi_datatype_is_predefined(recv_type);
    if (simple && hc_dev_surely_host(send, recv))
        return true;
    if (!hc_dev_active())
        return true;
    return simple && hc_dev_is_host(send) && (recv == send || hc_dev_is_host(recv));
}

static void note(struct hc_ompi_staged *staged, hcomm_status status)
{
    if (staged->status == HCOMM_OK)
        staged->status = status;
}

static bool has_memory(const struct hc_ompi_stage *stage)
{
    return stage->kind == HC_OMPI_STAGE_NONE || stage->buffer != NULL || stage->host != NULL;
}

/* What MPI may be given as one buffer and as the other must not be the same. */
static void set_apart(struct hc_ompi_staged *staged)
{
    struct hc_ompi_stage *send = &staged->sides[HC_STAGED_SEND];
    struct hc_ompi_stage *recv = &staged->sides[HC_STAGED_RECV];
    struct hc_ompi_stage *movable = recv->kind != HC_OMPI_STAGE_NONE ? recv : send;

    while (movable->kind != HC_OMPI_STAGE_NONE && movable->buffer != NULL &&
           send->buffer == recv->buffer)
        note(staged, hc_ompi_stage_move(movable));
}

bool hc_ompi_staged_open(struct hc_ompi_staged *staged, const struct hc_staged_plan *plan,
                         const struct hc_ompi_side *send, const struct hc_ompi_side *recv)
{
    static const struct hc_staged_range nothing = {0};
    struct hc_ompi_stage               *sides = staged->sides;

    staged->plan = *plan;
    staged->status = HCOMM_OK;
    note(staged,
         hc_ompi_stage_open(&sides[HC_STAGED_SEND], send, &plan->reads[HC_STAGED_SEND], &nothing));
    note(staged, hc_ompi_stage_open(&sides[HC_STAGED_RECV], recv, &plan->reads[HC_STAGED_RECV],
                                    &plan->writes));
    set_apart(staged);
    staged->opened = staged->status;
    return has_memory(&sides[HC_STAGED_SEND]) && has_memory(&sides[HC_STAGED_RECV]);
}

bool hc_ompi_staged_is_idle(const struct hc_ompi_staged *staged)
{
    return staged->status == HCOMM_OK && staged->sides[HC_STAGED_SEND].kind == HC_OMPI_STAGE_NONE &&
           staged->sides[HC_STAGED_RECV].kind == HC_OMPI_STAGE_NONE;
}

void hc_ompi_staged_in(struct hc_ompi_staged *staged)
{
    for (int side = 0; side < HC_STAGED_SIDES; side++)
        note(staged,
             hc_ompi_stage_in(&staged->sides[side], staged->plan.reads[side], hc_ompi_whole));
}

void hc_ompi_staged_again(struct hc_ompi_staged *staged)
{
    staged->status = staged->opened;
    for (int side = 0; side < HC_STAGED_SIDES; side++)
        note(staged, hc_ompi_stage_again(&staged->sides[side]));
    hc_ompi_staged_in(staged);
}

void hc_ompi_staged_out(struct hc_ompi_staged *staged, size_t most_bytes)
{
    if (staged->status == HCOMM_OK)
        note(staged, hc_ompi_stage_out(&staged->sides[HC_STAGED_RECV], staged->plan.writes,
                                       (struct hc_ompi_window){.most = most_bytes}));
}

bool hc_ompi_staged_test(struct hc_ompi_staged *staged)
{
    hcomm_status status = hc_ompi_stage_test(&staged->sides[HC_STAGED_RECV]);

    if (status != HCOMM_IN_PROGRESS)
        note(staged, status);
    return status != HCOMM_IN_PROGRESS;
}

/* A copy that fails only now must be heard of, so it is not left to close. */
int hc_ompi_staged_close(struct hc_ompi_staged *staged, int rc)
{
    while (!hc_ompi_staged_test(staged))
        hc_ompi_progress();
    for (int side = 0; side < HC_STAGED_SIDES; side++)
        hc_ompi_stage_close(&staged->sides[side]);
    return rc != OMPI_SUCCESS ? rc : hc_ompi_error_class(staged->status);
}
