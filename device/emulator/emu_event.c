#include "device/emulator/emu_internal.h"

#include "device/emulator/emu_event.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define POLL_S 50e-6 /* between looks at an event of another process */

void emu_event_unref_locked(struct emu_event *event)
{
    if (--event->refs > 0)
        return;
    if (event->stream != NULL)
        emu_stream_unref_locked(event->stream);
    if (event->shared != NULL) {
        munmap(event->shared, EMU_PAGE);
        close(event->fd);
    }
    free(event);
}

int emu_event_create(struct emu_context *context, unsigned flags,
                     struct emu_event **event_out)
{
    const unsigned known = EMU_EVENT_BLOCKING_SYNC | EMU_EVENT_DISABLE_TIMING |
                           EMU_EVENT_INTERPROCESS;
    struct emu_event *event;
    int               status;

    if ((flags & ~known) != 0 || ((flags & EMU_EVENT_INTERPROCESS) != 0 &&
                                  (flags & EMU_EVENT_DISABLE_TIMING) == 0))
        return EMU_INVALID_VALUE;
    event = calloc(1, sizeof *event);
    if (event == NULL)
        return EMU_OUT_OF_MEMORY;
    event->context = context;
    event->flags = flags;
    event->refs = 1;
    event->fd = -1;
    status = flags & EMU_EVENT_INTERPROCESS ? emu_event_share(event) : EMU_OK;
    if (status == EMU_OK && !emu_handle_add(event))
        status = EMU_OUT_OF_MEMORY;
    if (status != EMU_OK) {
        pthread_mutex_lock(&emu_lock);
        emu_event_unref_locked(event);
        pthread_mutex_unlock(&emu_lock);
        return status;
    }
    *event_out = event;
    return EMU_OK;
}

int emu_event_destroy(struct emu_event *event)
{
    emu_handle_remove(event);
    pthread_mutex_lock(&emu_lock);
    emu_event_unref_locked(event);
    pthread_mutex_unlock(&emu_lock);
    return EMU_OK;
}

bool emu_event_valid(const struct emu_event *event)
{
    return emu_handle_has(event);
}

/* ----------------------------------------------------------------- record */

struct event_op {
    struct emu_op     op;
    struct emu_event *event;  /* referenced */
    uint32_t          ticket; /* of a shared event */
};

static int run_record(struct emu_op *op)
{
    struct event_op  *record = (struct event_op *)op;
    struct emu_event *event = record->event;

    pthread_mutex_lock(&emu_lock);
    if (event->stream == op->stream && event->seq == op->seq)
        event->time = emu_now();
    pthread_mutex_unlock(&emu_lock);
    if (event->shared != NULL)
        atomic_store(&event->shared->done, record->ticket);
    return 0;
}

static void drop_event_op(struct emu_op *op)
{
    emu_event_unref_locked(((struct event_op *)op)->event);
    free(op);
}

static struct event_op *new_op(struct emu_event *event,
                               int (*run)(struct emu_op *))
{
    struct event_op *op = calloc(1, sizeof *op);

    if (op == NULL)
        return NULL;
    op->op.run = run;
    op->op.drop = drop_event_op;
    op->event = event;
    event->refs++;
    return op;
}

static void set_stream(struct emu_event *event, struct emu_stream *stream,
                       uint64_t seq)
{
    stream->refs++;
    if (event->stream != NULL)
        emu_stream_unref_locked(event->stream);
    event->stream = stream;
    event->seq = seq;
}

/* No thread is needed where nothing is to be waited for. */
static void record_now(struct emu_event *event, struct emu_stream *stream)
{
    uint32_t ticket;

    set_stream(event, stream, stream->submitted);
    event->time = emu_now();
    if (event->shared != NULL) {
        ticket = atomic_fetch_add(&event->shared->recorded, 1) + 1;
        atomic_store(&event->shared->done, ticket);
    }
}

static int record_locked(struct emu_event *event, struct emu_stream *stream)
{
    struct event_op *record;
    uint64_t         seq;
    bool             captured;
    int              status = emu_context_error(stream->context);

    if (status == EMU_OK)
        status = emu_capture_admit_locked(stream, &captured);
    if (status != EMU_OK)
        return status;
    emu_capture_mark_locked(stream, &event->mark);
    if (captured)
        return EMU_OK;
    if (emu_stream_idle_locked(stream)) {
        record_now(event, stream);
        return EMU_OK;
    }
    record = new_op(event, run_record);
    if (record == NULL)
        return EMU_OUT_OF_MEMORY;
    if (event->shared != NULL)
        record->ticket = atomic_load(&event->shared->recorded) + 1;
    status = emu_submit_locked(stream, &record->op, &seq);
    if (status != EMU_OK)
        return status;
    set_stream(event, stream, seq);
    if (event->shared != NULL)
        atomic_fetch_add(&event->shared->recorded, 1);
    return EMU_OK;
}

int emu_event_record(struct emu_event *event, struct emu_stream *stream)
{
    int status;

    pthread_mutex_lock(&emu_lock);
    status = record_locked(event, stream);
    pthread_mutex_unlock(&emu_lock);
    return status;
}

/* ------------------------------------------------------------------- look */

static bool shared_done(const struct emu_event *event, uint32_t ticket)
{
    return (int32_t)(atomic_load(&event->shared->done) - ticket) >= 0;
}

static bool done_locked(const struct emu_event *event)
{
    if (event->shared != NULL)
        return shared_done(event, atomic_load(&event->shared->recorded));
    return event->stream == NULL || event->stream->completed >= event->seq;
}

int emu_event_query(struct emu_event *event)
{
    int status;

    pthread_mutex_lock(&emu_lock);
    status = emu_capture_forbid_event_locked(&event->mark);
    if (status == EMU_OK)
        status = emu_context_error(event->context);
    if (status == EMU_OK && !done_locked(event))
        status = EMU_NOT_READY;
    pthread_mutex_unlock(&emu_lock);
    return status;
}

static int poll_shared(const struct emu_event *event, uint32_t ticket)
{
    while (!shared_done(event, ticket)) {
        if (emu_state == EMU_EXITING)
            return EMU_DEINITIALIZED;
        if (emu_context_error(event->context) != 0)
            return emu_context_error(event->context);
        usleep((useconds_t)(POLL_S * 1e6));
    }
    return EMU_OK;
}

int emu_event_synchronize(struct emu_event *event)
{
    struct emu_stream *stream;
    uint64_t           seq;
    int                status;

    pthread_mutex_lock(&emu_lock);
    status = emu_capture_forbid_event_locked(&event->mark);
    if (status == EMU_OK)
        status = emu_context_error(event->context);
    stream = event->stream;
    seq = event->seq;
    if (status == EMU_OK && event->shared == NULL && stream != NULL)
        status = emu_wait_locked(stream, seq);
    pthread_mutex_unlock(&emu_lock);
    if (status == EMU_OK && event->shared != NULL)
        status = poll_shared(event, atomic_load(&event->shared->recorded));
    return status;
}

int emu_event_elapsed_ms(struct emu_event *start, struct emu_event *end,
                         float *ms_out)
{
    int status = EMU_OK;

    pthread_mutex_lock(&emu_lock);
    if (((start->flags | end->flags) & EMU_EVENT_DISABLE_TIMING) != 0 ||
        start->stream == NULL || end->stream == NULL)
        status = EMU_INVALID_HANDLE;
    else if (!done_locked(start) || !done_locked(end))
        status = EMU_NOT_READY;
    else
        *ms_out = (float)((end->time - start->time) * 1e3);
    pthread_mutex_unlock(&emu_lock);
    return status;
}

/* ------------------------------------------------------ a stream that waits */

static int run_nothing(struct emu_op *op)
{
    (void)op;
    return 0;
}

/* Wait on the stream's own thread for a record of another process. */
static int run_wait(struct emu_op *op)
{
    struct event_op *wait = (struct event_op *)op;

    while (!shared_done(wait->event, wait->ticket) &&
           emu_state != EMU_EXITING && !emu_stream_dying(op->stream))
        emu_stream_sleep_until(op->stream, emu_now() + POLL_S);
    return 0;
}

static int wait_locked(struct emu_stream *stream, struct emu_event *event)
{
    struct event_op *op;
    bool             captured;
    int              status;

    status = emu_capture_wait_locked(stream, &event->mark, &captured);
    if (status != EMU_OK || captured || done_locked(event))
        return status;
    op = new_op(event, event->shared != NULL ? run_wait : run_nothing);
    if (op == NULL)
        return EMU_OUT_OF_MEMORY;
    if (event->shared != NULL)
        op->ticket = atomic_load(&event->shared->recorded);
    else if (!emu_op_add_dep(&op->op, event->stream, event->seq)) {
        drop_event_op(&op->op);
        return EMU_OUT_OF_MEMORY;
    }
    return emu_submit_locked(stream, &op->op, NULL);
}

int emu_stream_wait_event(struct emu_stream *stream, struct emu_event *event)
{
    int status;

    pthread_mutex_lock(&emu_lock);
    status = emu_context_error(stream->context);
    if (status == EMU_OK)
        status = wait_locked(stream, event);
    pthread_mutex_unlock(&emu_lock);
    return status;
}
