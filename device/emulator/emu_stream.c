#include "device/emulator/emu_internal.h"

#include <stdlib.h>

static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

static struct emu_stream *new_stream(struct emu_context *context,
                                     unsigned flags, int priority)
{
    static _Atomic uint64_t last_id;
    struct emu_stream      *stream = calloc(1, sizeof *stream);

    if (stream == NULL || !emu_handle_add(stream)) {
        free(stream);
        return NULL;
    }
    stream->context = context;
    stream->flags = flags;
    stream->priority = priority;
    stream->id = atomic_fetch_add(&last_id, 1) + 1;
    stream->refs = 1;
    stream->tail = &stream->head;
    init_condition(&stream->work);
    init_condition(&stream->progress);
    stream->next = context->streams;
    context->streams = stream;
    return stream;
}

void emu_stream_unref_locked(struct emu_stream *stream)
{
    struct emu_stream **link = &stream->context->streams;

    if (--stream->refs > 0)
        return;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    pthread_cond_destroy(&stream->work);
    pthread_cond_destroy(&stream->progress);
    free(stream);
}

void emu_stream_retire_locked(struct emu_stream *stream)
{
    emu_handle_remove(stream);
    emu_capture_forget_locked(stream);
    stream->destroyed = true;
    pthread_cond_broadcast(&stream->work);
    emu_stream_unref_locked(stream);
}

int emu_stream_create(struct emu_context *context, unsigned flags, int priority,
                      struct emu_stream **stream_out)
{
    struct emu_stream *stream;

    if (flags & ~(unsigned)EMU_STREAM_NON_BLOCKING)
        return EMU_INVALID_VALUE;
    pthread_mutex_lock(&emu_lock);
    stream = new_stream(context, flags, priority);
    pthread_mutex_unlock(&emu_lock);
    if (stream == NULL)
        return EMU_OUT_OF_MEMORY;
    *stream_out = stream;
    return EMU_OK;
}

int emu_stream_destroy(struct emu_stream *stream)
{
    if (stream == stream->context->legacy || stream->thread != 0)
        return EMU_INVALID_HANDLE;
    pthread_mutex_lock(&emu_lock);
    emu_stream_retire_locked(stream);
    pthread_mutex_unlock(&emu_lock);
    return EMU_OK;
}

struct emu_stream *emu_stream_legacy(struct emu_context *context)
{
    struct emu_stream *legacy;

    pthread_mutex_lock(&emu_lock);
    if (context->legacy == NULL)
        context->legacy = new_stream(context, 0, 0);
    legacy = context->legacy;
    pthread_mutex_unlock(&emu_lock);
    return legacy;
}

/* The streams of a thread that ended go as if destroyed. */
static void forget_thread(void *id)
{
    struct emu_stream *stream, *next;

    if (emu_state != EMU_READY)
        return;
    pthread_mutex_lock(&emu_lock);
    for (struct emu_context *c = emu_contexts; c != NULL; c = c->next) {
        for (stream = c->streams; stream != NULL; stream = next) {
            next = stream->next;
            if (stream->thread == (uintptr_t)id && !stream->destroyed)
                emu_stream_retire_locked(stream);
        }
    }
    pthread_mutex_unlock(&emu_lock);
}

static pthread_key_t  thread_key;
static pthread_once_t thread_key_once = PTHREAD_ONCE_INIT;

static void make_thread_key(void)
{
    (void)pthread_key_create(&thread_key, forget_thread);
}

struct emu_stream *emu_stream_per_thread(struct emu_context *context)
{
    uint64_t           mine = emu_thread_id();
    struct emu_stream *stream;

    pthread_once(&thread_key_once, make_thread_key);
    (void)pthread_setspecific(thread_key, (void *)(uintptr_t)mine);
    pthread_mutex_lock(&emu_lock);
    stream = context->streams;
    while (stream != NULL && (stream->thread != mine || stream->destroyed))
        stream = stream->next;
    if (stream == NULL) {
        stream = new_stream(context, 0, 0);
        if (stream != NULL)
            stream->thread = mine;
    }
    pthread_mutex_unlock(&emu_lock);
    return stream;
}

bool emu_stream_valid(const struct emu_stream *stream)
{
    return emu_handle_has(stream);
}

struct emu_context *emu_stream_context(const struct emu_stream *stream)
{
    return stream->context;
}

unsigned emu_stream_flags(const struct emu_stream *stream)
{
    return stream->flags;
}

int emu_stream_priority(const struct emu_stream *stream)
{
    return stream->priority;
}

uint64_t emu_stream_id(const struct emu_stream *stream)
{
    return stream->id;
}

/* ------------------------------------------------------------ wait and query
 */

int emu_stream_synchronize(struct emu_stream *stream)
{
    struct emu_stream *busy;
    int                status;

    pthread_mutex_lock(&emu_lock);
    status = emu_capture_forbid_wait_locked(stream);
    if (status == EMU_OK)
        status = emu_wait_locked(stream, stream->submitted);
    /* The legacy stream stands for the blocking ones too. */
    while (status == EMU_OK && stream == stream->context->legacy &&
           (busy = emu_busy_stream_locked(stream->context, true)) != NULL)
        status = emu_wait_locked(busy, busy->submitted);
    pthread_mutex_unlock(&emu_lock);
    return status;
}

int emu_stream_query(struct emu_stream *stream)
{
    int status;

    pthread_mutex_lock(&emu_lock);
    status = emu_capture_forbid_wait_locked(stream);
    if (status == EMU_OK)
        status = emu_context_error(stream->context);
    if (status == EMU_OK &&
        (stream->completed < stream->submitted ||
         (stream == stream->context->legacy &&
          emu_busy_stream_locked(stream->context, true) != NULL)))
        status = EMU_NOT_READY;
    pthread_mutex_unlock(&emu_lock);
    return status;
}

/* ---------------------------------------------------------- host functions */

struct host_op {
    struct emu_op op;
    void (*function)(void *);
    void *argument;
};

static int run_host(struct emu_op *op)
{
    struct host_op *host = (struct host_op *)op;

    host->function(host->argument);
    return 0;
}

int emu_stream_host(struct emu_stream *stream, void (*function)(void *),
                    void              *argument)
{
    struct host_op *host = calloc(1, sizeof *host);

    if (host == NULL)
        return EMU_OUT_OF_MEMORY;
    host->op.run = run_host;
    host->op.drop = emu_op_free;
    host->function = function;
    host->argument = argument;
    return emu_submit(stream, &host->op, NULL);
}
