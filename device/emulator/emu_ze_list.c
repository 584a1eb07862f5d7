/*
 * The emulated Level Zero driver: command lists, those that are executed later
 * and the immediate ones.
 */

#include "device/emulator/emu_ze.h"

#include <stdlib.h>

static bool uses_flag(const struct ze_command *command)
{
    return command->kind == ZE_WAIT || command->kind == ZE_SIGNAL ||
           command->kind == ZE_RESET;
}

static void empty(struct ze_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (uses_flag(&list->commands[i]))
            emu_flag_unref(list->commands[i].u.flag);
    }
    free(list->commands);
    list->commands = NULL;
    list->count = list->room = 0;
}

static int create(int ordinal, uint32_t group, struct ze_queue *queue,
                  void **list)
{
    struct ze_list *made = ze_new(ZE_LIST, sizeof *made);

    if (made == NULL)
        return HC_ZE_OUT_OF_HOST_MEMORY;
    made->ordinal = ordinal;
    made->group = group;
    made->queue = queue;
    *list = made;
    return HC_ZE_SUCCESS;
}

int zeCommandListCreate(void *context, void *device,
                        const struct emu_ze_list_desc *desc, void **list)
{
    int code = ze_enter(__func__), ordinal;

    if (code == HC_ZE_SUCCESS)
        code = ze_check_pair(context, device, &ordinal);
    if (code == HC_ZE_SUCCESS && (desc == NULL || list == NULL))
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS && desc->group >= ZE_GROUPS)
        code = HC_ZE_INVALID_ARGUMENT;
    return code == HC_ZE_SUCCESS ? create(ordinal, desc->group, NULL, list)
                                 : code;
}

static void destroy_queue(struct ze_queue *queue)
{
    ze_open_gate(queue);
    emu_stream_destroy(queue->stream);
    if (queue->late != NULL)
        emu_stream_destroy(queue->late);
    free(queue);
}

/* An immediate list has a queue of its own. */
static int create_immediate(int ordinal, const struct hc_ze_queue_desc *desc,
                            void **list)
{
    struct ze_queue *queue = calloc(1, sizeof *queue);
    int              code;

    if (queue == NULL)
        return HC_ZE_OUT_OF_HOST_MEMORY;
    code = ze_queue_open(queue, ordinal, desc);
    if (code != HC_ZE_SUCCESS) {
        free(queue);
        return code;
    }
    if (ze_overtakes() && !queue->synchronous)
        code = ze_result(emu_stream_create(emu_stream_context(queue->stream),
                                           EMU_STREAM_NON_BLOCKING, 0,
                                           &queue->late));
    if (code == HC_ZE_SUCCESS)
        code = create(ordinal, desc->group, queue, list);
    if (code != HC_ZE_SUCCESS)
        destroy_queue(queue);
    return code;
}

int zeCommandListCreateImmediate(void *context, void *device,
                                 const struct hc_ze_queue_desc *desc,
                                 void                         **list)
{
    int code = ze_enter(__func__), ordinal;

    if (code == HC_ZE_SUCCESS)
        code = ze_check_pair(context, device, &ordinal);
    if (code == HC_ZE_SUCCESS && (desc == NULL || list == NULL))
        code = HC_ZE_INVALID_NULL_POINTER;
    return code == HC_ZE_SUCCESS ? create_immediate(ordinal, desc, list) : code;
}

/* Work in flight completes all the same. */
int zeCommandListDestroy(void *list)
{
    struct ze_list *l = list;
    int             code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(list, ZE_LIST);
    if (code != HC_ZE_SUCCESS)
        return code;
    if (l->queue != NULL)
        destroy_queue(l->queue);
    empty(l);
    ze_delete(l);
    return code;
}

int zeCommandListClose(void *list)
{
    struct ze_list *l = list;
    int             code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(list, ZE_LIST);
    /* An immediate list needs none of this, and Intel's driver lets it be. */
    if (code == HC_ZE_SUCCESS && l->queue == NULL)
        l->closed = true;
    return code;
}

int zeCommandListReset(void *list)
{
    struct ze_list *l = list;
    int             code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(list, ZE_LIST);
    if (code == HC_ZE_SUCCESS && l->queue == NULL) {
        empty(l);
        l->closed = false;
    }
    return code;
}

/* ------------------------------------------------------- putting commands in
 */

int ze_submit(struct emu_stream *stream, const struct ze_command *command)
{
    switch (command->kind) {
    case ZE_COPY:
        return emu_copy_later(stream, &command->u.copy);
    case ZE_FILL:
        return emu_fill_later(stream, command->u.fill.dst,
                              command->u.fill.bytes, command->u.fill.pattern,
                              command->u.fill.pattern_bytes);
    case ZE_WAIT:
        return emu_stream_wait_flag(stream, command->u.flag);
    case ZE_SIGNAL:
    case ZE_RESET:
        break;
    }
    return emu_stream_set_flag(stream, command->u.flag,
                               command->kind == ZE_SIGNAL);
}

static int keep(struct ze_list *list, const struct ze_command *command)
{
    size_t room = list->room > 0 ? list->room * 2 : 16;
    void  *more;

    if (list->count == list->room) {
        more = realloc(list->commands, room * sizeof *command);
        if (more == NULL)
            return EMU_OUT_OF_MEMORY;
        list->commands = more;
        list->room = room;
    }
    list->commands[list->count++] = *command;
    if (uses_flag(command))
        emu_flag_ref(command->u.flag);
    return EMU_OK;
}

/* stream: of an immediate list, else NULL */
static int put(struct ze_list *list, struct emu_stream *stream,
               const struct ze_command *command)
{
    return stream != NULL ? ze_submit(stream, command) : keep(list, command);
}

int ze_check_open(void *list)
{
    int code = ze_check(list, ZE_LIST);

    if (code == HC_ZE_SUCCESS && ((struct ze_list *)list)->closed)
        code = HC_ZE_INVALID_ARGUMENT;
    return code;
}

static int check_order(const struct ze_order *order)
{
    if (order->nwait > 0 && order->wait == NULL)
        return HC_ZE_INVALID_SIZE;
    for (uint32_t i = 0; i < order->nwait; i++) {
        if (ze_check(order->wait[i], ZE_EVENT) != HC_ZE_SUCCESS)
            return HC_ZE_INVALID_SYNC_OBJECT;
    }
    if (order->signal != NULL &&
        ze_check(order->signal, ZE_EVENT) != HC_ZE_SUCCESS)
        return HC_ZE_INVALID_SYNC_OBJECT;
    return HC_ZE_SUCCESS;
}

static int put_flag(struct ze_list *list, struct emu_stream *stream,
                    enum ze_command_kind kind, const void *event)
{
    const struct ze_command command = {
        .kind = kind,
        .u.flag = ((const struct ze_event *)event)->flag,
    };

    return put(list, stream, &command);
}

static int put_all(struct ze_list *list, struct emu_stream *stream,
                   const struct ze_command *commands, size_t count,
                   const struct ze_order *order)
{
    int status = EMU_OK;

    for (uint32_t i = 0; i < order->nwait && status == EMU_OK; i++)
        status = put_flag(list, stream, ZE_WAIT, order->wait[i]);
    for (size_t i = 0; i < count && status == EMU_OK; i++)
        status = put(list, stream, &commands[i]);
    if (order->signal != NULL && status == EMU_OK)
        status = put_flag(list, stream, ZE_SIGNAL, order->signal);
    return status;
}

static int put_now(struct ze_list *list, const struct ze_command *commands,
                   size_t count, const struct ze_order *order)
{
    struct ze_queue   *queue = list->queue;
    struct emu_stream *stream;
    bool               moves_bytes = count > 0 && !uses_flag(&commands[0]);
    int                status =
        ze_choose_stream(queue, order->signal == NULL, !moves_bytes, &stream);

    if (status == EMU_OK)
        status = put_all(list, stream, commands, count, order);
    if (status == EMU_OK && queue->synchronous)
        status = emu_stream_wait(stream, UINT64_MAX);
    return status;
}

int ze_append(struct ze_list *list, const struct ze_command *commands,
              size_t count, const struct ze_order *order)
{
    int code = check_order(order);

    if (code != HC_ZE_SUCCESS)
        return code;
    return ze_result(list->queue != NULL
                         ? put_now(list, commands, count, order)
                         : put_all(list, NULL, commands, count, order));
}
