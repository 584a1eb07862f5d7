/*
 * The emulated Level Zero driver: commands of an immediate list that overtake
 * each other.
 *
 * The interface lets them, unless a barrier or an event says otherwise; real
 * devices do so now and then.  With HCOMM_EMU_OVERTAKE=1 it is the rule: a copy
 * or fill that signals nothing is parked on a second stream behind a gate, and
 * those that follow pass it.  What orders commands, a barrier, a signal or a
 * wait, opens the gate and is behind it.
 */

#include "device/emulator/emu_ze.h"

#include <stdlib.h>

bool ze_overtakes(void)
{
    const char *text = getenv("HCOMM_EMU_OVERTAKE");

    return text != NULL && text[0] != '\0' && text[0] != '0';
}

/* What is on `before` now comes before what will be on stream. */
static int follow(struct emu_stream *stream, struct emu_stream *before)
{
    struct emu_event *event;
    int               status = emu_event_create(emu_stream_context(stream),
                                                EMU_EVENT_DISABLE_TIMING, &event);

    if (status != EMU_OK)
        return status;
    status = emu_event_record(event, before);
    if (status == EMU_OK)
        status = emu_stream_wait_event(stream, event);
    emu_event_destroy(event);
    return status;
}

void ze_open_gate(struct ze_queue *queue)
{
    if (queue->gate == NULL)
        return;
    emu_flag_set(queue->gate, true);
    emu_flag_unref(queue->gate);
    queue->gate = NULL;
}

static int join(struct ze_queue *queue)
{
    ze_open_gate(queue);
    return follow(queue->stream, queue->late);
}

static int park(struct ze_queue *queue, struct emu_stream **stream_out)
{
    struct emu_flag *gate;
    int              status = follow(queue->late, queue->stream);

    if (status == EMU_OK)
        status = emu_flag_create(false, &gate);
    if (status != EMU_OK)
        return status;
    queue->gate = gate;
    *stream_out = queue->late;
    return emu_stream_wait_flag(queue->late, gate);
}

int ze_choose_stream(struct ze_queue *queue, bool may_be_late,
                     bool orders_others, struct emu_stream **stream_out)
{
    *stream_out = queue->stream;
    if (queue->late == NULL)
        return EMU_OK;
    if (orders_others)
        return join(queue);
    return may_be_late && queue->gate == NULL ? park(queue, stream_out)
                                              : EMU_OK;
}
