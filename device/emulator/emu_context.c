#include "device/emulator/emu_internal.h"

#include <stdlib.h>

struct emu_context *emu_contexts;

int emu_context_create(int ordinal, struct emu_context **context_out)
{
    static _Atomic uint64_t last_id;
    struct emu_context     *context;

    if (emu_device(ordinal) == NULL)
        return EMU_INVALID_DEVICE;
    context = calloc(1, sizeof *context);
    if (context == NULL || !emu_handle_add(context)) {
        free(context);
        return EMU_OUT_OF_MEMORY;
    }
    context->ordinal = ordinal;
    context->id = atomic_fetch_add(&last_id, 1) + 1;
    /* Made here so that blocking streams always find it. */
    if (emu_stream_legacy(context) == NULL) {
        emu_handle_remove(context);
        free(context);
        return EMU_OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&emu_lock);
    context->next = emu_contexts;
    emu_contexts = context;
    pthread_mutex_unlock(&emu_lock);
    *context_out = context;
    return EMU_OK;
}

void emu_context_destroy(struct emu_context *context)
{
    struct emu_stream *stream, *next;

    if (context == NULL)
        return;
    pthread_mutex_lock(&emu_lock);
    context->dying = true;
    for (stream = context->streams; stream != NULL; stream = stream->next)
        pthread_cond_broadcast(&stream->work);
    emu_drain_locked(context);
    context->error = EMU_CONTEXT_IS_DESTROYED;
    context->legacy = NULL;
    for (stream = context->streams; stream != NULL; stream = next) {
        next = stream->next;
        if (!stream->destroyed)
            emu_stream_retire_locked(stream);
    }
    pthread_mutex_unlock(&emu_lock);
    emu_memory_free_of(context);
}

int emu_context_revive(struct emu_context *context)
{
    pthread_mutex_lock(&emu_lock);
    context->dying = false;
    context->error = EMU_OK;
    pthread_mutex_unlock(&emu_lock);
    return emu_stream_legacy(context) != NULL ? EMU_OK : EMU_OUT_OF_MEMORY;
}

bool emu_context_valid(const struct emu_context *context)
{
    return emu_handle_has(context);
}

int emu_context_device(const struct emu_context *context)
{
    return context->ordinal;
}

uint64_t emu_context_id(const struct emu_context *context)
{
    return context->id;
}

int emu_context_synchronize(struct emu_context *context)
{
    int status;

    pthread_mutex_lock(&emu_lock);
    status = emu_capture_forbid_drain_locked(context);
    if (status == EMU_OK)
        status = emu_drain_locked(context);
    pthread_mutex_unlock(&emu_lock);
    return status;
}

int emu_context_error(struct emu_context *context)
{
    return context->error;
}

void emu_context_fail(struct emu_context *context, int code)
{
    int none = 0;

    /* The first failure is the one that is reported. */
    atomic_compare_exchange_strong(&context->error, &none, code);
}
