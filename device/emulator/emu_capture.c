#include "device/emulator/emu_internal.h"

#include <stdlib.h>

struct emu_capture {
    struct emu_capture   *next;
    uint64_t              id;
    enum emu_capture_mode mode;
    uint64_t              thread; /* that began it */
    bool                  invalidated;
    struct emu_stream    *origin;
};

static struct emu_capture *captures; /* going on; emu_lock */
static atomic_int          capture_count;

static _Thread_local enum emu_capture_mode thread_mode = EMU_CAPTURE_GLOBAL;

static bool is_legacy(const struct emu_stream *stream)
{
    return stream == stream->context->legacy;
}

/* A captured stream of the context that the legacy stream would wait for. */
static struct emu_stream *captured_blocking(const struct emu_context *context)
{
    struct emu_stream *s = context->streams;

    while (s != NULL && (s->capture == NULL || s->capture->invalidated ||
                         (s->flags & EMU_STREAM_NON_BLOCKING)))
        s = s->next;
    return s;
}

static int forbid_implicit(struct emu_stream *stream)
{
    struct emu_stream *captured;

    if (capture_count == 0 || !is_legacy(stream))
        return EMU_OK;
    captured = captured_blocking(stream->context);
    if (captured == NULL)
        return EMU_OK;
    captured->capture->invalidated = true;
    return EMU_CAPTURE_IMPLICIT;
}

/* The rules of the calling thread's mode, as both vendors document them. */
static bool forbids(const struct emu_capture *capture)
{
    if (capture->invalidated || capture->mode == EMU_CAPTURE_RELAXED)
        return false;
    return capture->thread == emu_thread_id() ||
           (thread_mode == EMU_CAPTURE_GLOBAL &&
            capture->mode == EMU_CAPTURE_GLOBAL);
}

static int forbid_unsafe(void)
{
    int status = EMU_OK;

    if (thread_mode == EMU_CAPTURE_RELAXED)
        return EMU_OK;
    for (struct emu_capture *c = captures; c != NULL; c = c->next) {
        if (forbids(c)) {
            c->invalidated = true;
            status = EMU_CAPTURE_UNSUPPORTED;
        }
    }
    return status;
}

int emu_capture_admit_locked(struct emu_stream *stream, bool *captured_out)
{
    *captured_out = false;
    if (stream->capture == NULL)
        return forbid_implicit(stream);
    if (stream->capture->invalidated)
        return EMU_CAPTURE_INVALIDATED;
    *captured_out = true;
    stream->capture_work++;
    stream->unjoined = stream != stream->capture->origin;
    return EMU_OK;
}

int emu_capture_forbid_wait_locked(struct emu_stream *stream)
{
    int status;

    if (stream->capture == NULL) {
        status = forbid_implicit(stream);
        return status == EMU_OK ? forbid_unsafe() : status;
    }
    if (stream->capture->invalidated)
        return EMU_CAPTURE_INVALIDATED;
    stream->capture->invalidated = true;
    return EMU_CAPTURE_UNSUPPORTED;
}

int emu_capture_forbid_drain_locked(struct emu_context *context)
{
    int status = EMU_OK;

    for (struct emu_stream *s = context->streams; s != NULL; s = s->next) {
        if (s->capture != NULL && !s->capture->invalidated) {
            s->capture->invalidated = true;
            status = EMU_CAPTURE_UNSUPPORTED;
        }
    }
    return status;
}

/* ------------------------------------------------------- begin, end, state */

int emu_capture_begin(struct emu_stream *stream, enum emu_capture_mode mode)
{
    static uint64_t     last_id;
    struct emu_capture *capture;
    int                 status = emu_context_error(stream->context);

    if (status != EMU_OK)
        return status;
    if (mode < EMU_CAPTURE_GLOBAL || mode > EMU_CAPTURE_RELAXED)
        return EMU_INVALID_VALUE;
    capture = calloc(1, sizeof *capture);
    if (capture == NULL)
        return EMU_OUT_OF_MEMORY;
    pthread_mutex_lock(&emu_lock);
    if (is_legacy(stream)) {
        status = forbid_implicit(stream);
        if (status == EMU_OK)
            status = EMU_CAPTURE_UNSUPPORTED;
    } else if (stream->capture != NULL)
        status = EMU_ILLEGAL_STATE;
    if (status != EMU_OK) {
        free(capture);
    } else {
        *capture = (struct emu_capture){.next = captures,
                                        .id = ++last_id,
                                        .mode = mode,
                                        .thread = emu_thread_id(),
                                        .origin = stream};
        captures = capture;
        stream->capture = capture;
        stream->unjoined = false;
        capture_count++;
    }
    pthread_mutex_unlock(&emu_lock);
    return status;
}

/* Give all its streams back to execution. */
static bool release(struct emu_capture *capture)
{
    struct emu_capture **link = &captures;
    bool                 joined = true;

    for (struct emu_context *c = emu_contexts; c != NULL; c = c->next) {
        for (struct emu_stream *s = c->streams; s != NULL; s = s->next) {
            if (s->capture != capture)
                continue;
            joined = joined && !s->unjoined;
            s->capture = NULL;
            s->unjoined = false;
        }
    }
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    capture_count--;
    free(capture);
    return joined;
}

static int end_locked(struct emu_stream *stream)
{
    struct emu_capture *capture = stream->capture;
    bool                invalidated, foreign;

    if (capture == NULL)
        return EMU_ILLEGAL_STATE;
    if (capture->origin != stream) {
        capture->invalidated = true;
        return EMU_CAPTURE_UNMATCHED;
    }
    invalidated = capture->invalidated;
    foreign = capture->mode != EMU_CAPTURE_RELAXED &&
              capture->thread != emu_thread_id();
    /* Whatever the answer, the capture is over. */
    if (!release(capture) && !invalidated && !foreign)
        return EMU_CAPTURE_UNJOINED;
    if (invalidated)
        return EMU_CAPTURE_INVALIDATED;
    return foreign ? EMU_CAPTURE_WRONG_THREAD : EMU_OK;
}

int emu_capture_end(struct emu_stream *stream)
{
    int status;

    pthread_mutex_lock(&emu_lock);
    status = end_locked(stream);
    pthread_mutex_unlock(&emu_lock);
    return status;
}

void emu_capture_forget_locked(struct emu_stream *stream)
{
    struct emu_capture *capture = stream->capture;

    if (capture == NULL)
        return;
    if (capture->origin == stream) {
        release(capture);
        return;
    }
    capture->invalidated = true;
    stream->capture = NULL;
}

int emu_capture_status(struct emu_stream       *stream,
                       enum emu_capture_status *status_out, uint64_t *id_out)
{
    int status = EMU_OK;

    pthread_mutex_lock(&emu_lock);
    if (stream->capture == NULL) {
        /* Asking about the legacy stream is an error, too, but harmless. */
        if (is_legacy(stream) && captured_blocking(stream->context) != NULL)
            status = EMU_CAPTURE_IMPLICIT;
        else
            *status_out = EMU_CAPTURE_NONE;
    } else {
        *status_out = stream->capture->invalidated ? EMU_CAPTURE_IS_INVALIDATED
                                                   : EMU_CAPTURE_ACTIVE;
        if (id_out != NULL)
            *id_out = stream->capture->id;
    }
    pthread_mutex_unlock(&emu_lock);
    return status;
}

int emu_capture_exchange_mode(enum emu_capture_mode *mode)
{
    enum emu_capture_mode before = thread_mode;

    thread_mode = *mode;
    *mode = before;
    return EMU_OK;
}

int emu_capture_unsafe(void)
{
    int status;

    if (capture_count == 0 || thread_mode == EMU_CAPTURE_RELAXED)
        return EMU_OK;
    pthread_mutex_lock(&emu_lock);
    status = forbid_unsafe();
    pthread_mutex_unlock(&emu_lock);
    return status;
}

/* ----------------------------------------------------------------- events */

static struct emu_capture *find(uint64_t id)
{
    struct emu_capture *capture = captures;

    while (capture != NULL && capture->id != id)
        capture = capture->next;
    return capture;
}

void emu_capture_mark_locked(struct emu_stream       *stream,
                             struct emu_capture_mark *mark_out)
{
    *mark_out = (struct emu_capture_mark){0};
    if (stream->capture == NULL)
        return;
    mark_out->capture_id = stream->capture->id;
    mark_out->stream = stream;
    mark_out->work = stream->capture_work;
}

int emu_capture_forbid_event_locked(const struct emu_capture_mark *mark)
{
    struct emu_capture *capture;

    if (mark->capture_id == 0)
        return capture_count > 0 ? forbid_unsafe() : EMU_OK;
    capture = find(mark->capture_id);
    if (capture == NULL)
        return EMU_INVALID_VALUE; /* until it is recorded again */
    capture->invalidated = true;
    return EMU_CAPTURED_EVENT;
}

static int join(struct emu_stream *stream, struct emu_capture *capture,
                const struct emu_capture_mark *mark)
{
    if (is_legacy(stream)) {
        capture->invalidated = true;
        return EMU_CAPTURE_IMPLICIT;
    }
    if (stream->capture != NULL && stream->capture != capture) {
        stream->capture->invalidated = true;
        capture->invalidated = true;
        return EMU_CAPTURE_MERGE;
    }
    stream->capture = capture;
    stream->unjoined = stream != capture->origin;
    if (mark->stream->capture == capture && mark->stream != stream &&
        mark->stream->capture_work == mark->work)
        mark->stream->unjoined = false;
    return EMU_OK;
}

int emu_capture_wait_locked(struct emu_stream             *stream,
                            const struct emu_capture_mark *mark,
                            bool                          *captured_out)
{
    struct emu_capture *capture =
        mark->capture_id ? find(mark->capture_id) : NULL;

    *captured_out = capture != NULL || stream->capture != NULL;
    if (mark->capture_id != 0 && capture == NULL)
        return EMU_INVALID_VALUE;
    if (capture != NULL && capture->invalidated)
        return EMU_CAPTURE_INVALIDATED;
    if (capture != NULL)
        return join(stream, capture, mark);
    if (stream->capture == NULL)
        return forbid_implicit(stream);
    if (stream->capture->invalidated)
        return EMU_CAPTURE_INVALIDATED;
    /* The captured work would depend on work outside the capture. */
    stream->capture->invalidated = true;
    return EMU_CAPTURE_ISOLATION;
}
