/*
 * The emulated Level Zero driver: command queues and fences.
 */

#include "device/emulator/emu_ze.h"

struct fence {
    struct ze_object object;
    struct emu_flag *flag;
};

int ze_queue_open(struct ze_queue *queue, int ordinal,
                  const struct hc_ze_queue_desc *desc)
{
    struct emu_context *engine;
    int                 status;

    if (desc->group >= ZE_GROUPS ||
        desc->index >= ze_groups[desc->group].nqueues)
        return HC_ZE_INVALID_ARGUMENT;
    queue->ordinal = ordinal;
    queue->group = desc->group;
    queue->synchronous = desc->mode == HC_ZE_QUEUE_SYNCHRONOUS;
    status = ze_engine(ordinal, &engine);
    if (status == EMU_OK)
        status = emu_stream_create(engine, EMU_STREAM_NON_BLOCKING, 0,
                                   &queue->stream);
    return ze_result(status);
}

int zeCommandQueueCreate(void *context, void *device,
                         const struct hc_ze_queue_desc *desc, void **queue)
{
    struct ze_queue *made;
    int              code = ze_enter(__func__), ordinal;

    if (code == HC_ZE_SUCCESS)
        code = ze_check_pair(context, device, &ordinal);
    if (code == HC_ZE_SUCCESS && (desc == NULL || queue == NULL))
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code != HC_ZE_SUCCESS)
        return code;
    made = ze_new(ZE_QUEUE, sizeof *made);
    if (made == NULL)
        return HC_ZE_OUT_OF_HOST_MEMORY;
    code = ze_queue_open(made, ordinal, desc);
    if (code == HC_ZE_SUCCESS)
        *queue = made;
    else
        ze_delete(made);
    return code;
}

/* Work in flight completes all the same. */
int zeCommandQueueDestroy(void *queue)
{
    int code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(queue, ZE_QUEUE);
    if (code != HC_ZE_SUCCESS)
        return code;
    emu_stream_destroy(((struct ze_queue *)queue)->stream);
    ze_delete(queue);
    return code;
}

static int execute(struct ze_queue *queue, const struct ze_list *list)
{
    int status = EMU_OK;

    for (size_t i = 0; i < list->count && status == EMU_OK; i++)
        status = ze_submit(queue->stream, &list->commands[i]);
    return ze_result(status);
}

/* A list goes to a queue of the group that it was made for, closed. */
static int check_lists(const struct ze_queue *queue, uint32_t count,
                       void **lists)
{
    int code = HC_ZE_SUCCESS;

    for (uint32_t i = 0; i < count && code == HC_ZE_SUCCESS; i++) {
        const struct ze_list *list = lists[i];

        code = ze_check(list, ZE_LIST);
        if (code != HC_ZE_SUCCESS)
            return code;
        if (list->queue != NULL || list->group != queue->group ||
            list->ordinal != queue->ordinal)
            code = HC_ZE_INVALID_COMMAND_LIST;
        else if (!list->closed)
            code = HC_ZE_INVALID_ARGUMENT;
    }
    return code;
}

int zeCommandQueueExecuteCommandLists(void *queue, uint32_t count, void **lists,
                                      void *fence)
{
    struct ze_queue *to = queue;
    int              code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(queue, ZE_QUEUE);
    if (code == HC_ZE_SUCCESS && lists == NULL)
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS && count == 0)
        code = HC_ZE_INVALID_SIZE;
    if (code == HC_ZE_SUCCESS && fence != NULL &&
        ze_check(fence, ZE_FENCE) != HC_ZE_SUCCESS)
        code = HC_ZE_INVALID_SYNC_OBJECT;
    if (code == HC_ZE_SUCCESS)
        code = check_lists(to, count, lists);
    for (uint32_t i = 0; i < count && code == HC_ZE_SUCCESS; i++)
        code = execute(to, lists[i]);
    if (code == HC_ZE_SUCCESS && fence != NULL)
        code = ze_result(emu_stream_set_flag(
            to->stream, ((struct fence *)fence)->flag, true));
    if (code == HC_ZE_SUCCESS && to->synchronous)
        code = ze_result(emu_stream_wait(to->stream, UINT64_MAX));
    return code;
}

int zeCommandQueueSynchronize(void *queue, uint64_t timeout_ns)
{
    int code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(queue, ZE_QUEUE);
    if (code == HC_ZE_SUCCESS)
        code = ze_result(
            emu_stream_wait(((struct ze_queue *)queue)->stream, timeout_ns));
    return code;
}

/* ------------------------------------------------------------------ fences */

int zeFenceCreate(void *queue, const struct emu_ze_fence_desc *desc,
                  void **fence)
{
    struct fence *made;
    int           code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(queue, ZE_QUEUE);
    if (code == HC_ZE_SUCCESS && (desc == NULL || fence == NULL))
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code != HC_ZE_SUCCESS)
        return code;
    made = ze_new(ZE_FENCE, sizeof *made);
    if (made == NULL)
        return HC_ZE_OUT_OF_HOST_MEMORY;
    if (emu_flag_create((desc->flags & EMU_ZE_FENCE_SIGNALED) != 0,
                        &made->flag) != EMU_OK) {
        ze_delete(made);
        return HC_ZE_OUT_OF_HOST_MEMORY;
    }
    *fence = made;
    return code;
}

static int enter_fence(const char *function, const void *fence)
{
    int code = ze_enter(function);

    return code == HC_ZE_SUCCESS ? ze_check(fence, ZE_FENCE) : code;
}

int zeFenceDestroy(void *fence)
{
    int code = enter_fence(__func__, fence);

    if (code == HC_ZE_SUCCESS) {
        emu_flag_unref(((struct fence *)fence)->flag);
        ze_delete(fence);
    }
    return code;
}

int zeFenceHostSynchronize(void *fence, uint64_t timeout_ns)
{
    int code = enter_fence(__func__, fence);

    if (code == HC_ZE_SUCCESS)
        code =
            ze_result(emu_flag_wait(((struct fence *)fence)->flag, timeout_ns));
    return code;
}

int zeFenceQueryStatus(void *fence)
{
    int code = enter_fence(__func__, fence);

    if (code == HC_ZE_SUCCESS)
        code = ze_result(emu_flag_query(((struct fence *)fence)->flag));
    return code;
}

int zeFenceReset(void *fence)
{
    int code = enter_fence(__func__, fence);

    if (code == HC_ZE_SUCCESS)
        emu_flag_set(((struct fence *)fence)->flag, false);
    return code;
}
