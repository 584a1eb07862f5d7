/*
 * The emulated HIP runtime: entry, the last error, contexts and handles.
 */

#include "device/emulator/emu_hip.h"

#include <pthread.h>
#include <stdatomic.h>

static _Thread_local int last_error;
static _Thread_local int thread_device;

static atomic_bool initialised;

/* One context per device; the lock orders its making and its end. */
static pthread_mutex_t     context_lock = PTHREAD_MUTEX_INITIALIZER;
static struct emu_context *contexts[HIP_MAX_DEVICES];
static uint64_t            peers[HIP_MAX_DEVICES]; /* bit: may use that one */

/* HIP initialises itself at the first call, whichever it is. */
int hip_enter(const char *function)
{
    int code = EMU_OK;
    int injected;

    if (!atomic_load_explicit(&initialised, memory_order_acquire)) {
        code = emu_init(EMU_AMD);
        if (code == EMU_OK)
            atomic_store_explicit(&initialised, true, memory_order_release);
    }
    injected = emu_enter(function, code == EMU_OK);
    return injected != EMU_OK ? injected : code;
}

int hip_leave(int code)
{
    if (code == EMU_NOT_PERMITTED)
        code = HC_HIP_UNKNOWN;
#if EMU_HIP >= 7
    /* From HIP 7 on success and "not ready" leave the last error alone. */
    if (code != HC_HIP_SUCCESS && code != HC_HIP_NOT_READY)
        last_error = code;
#else
    last_error = code;
#endif
    return code;
}

HIP_API int hipGetLastError(void)
{
    int code = last_error;

    last_error = HC_HIP_SUCCESS;
    return code;
}

HIP_API int hipPeekAtLastError(void)
{
    return last_error;
}

#if EMU_HIP >= 6
HIP_API int hipExtGetLastError(void)
{
    return hipGetLastError();
}
#endif

/* ------------------------------------------------------ devices, contexts */

int hip_thread_device(void)
{
    return thread_device;
}

void hip_use_device(int device)
{
    thread_device = device;
}

int hip_check_device(int device)
{
    return device >= 0 && device < emu_device_count() &&
                   device < HIP_MAX_DEVICES
               ? HC_HIP_SUCCESS
               : HC_HIP_INVALID_DEVICE;
}

int hip_context_of(int device, struct emu_context **context_out)
{
    int code = hip_check_device(device);

    if (code != HC_HIP_SUCCESS)
        return code;
    pthread_mutex_lock(&context_lock);
    if (!contexts[device])
        code = emu_context_create(device, &contexts[device]);
    if (code == EMU_OK)
        *context_out = contexts[device];
    pthread_mutex_unlock(&context_lock);
    return code;
}

bool hip_context_active(int device)
{
    bool active;

    pthread_mutex_lock(&context_lock);
    active = contexts[device] != NULL;
    pthread_mutex_unlock(&context_lock);
    return active;
}

void hip_context_reset(int device)
{
    struct emu_context *context;

    pthread_mutex_lock(&context_lock);
    context = contexts[device];
    contexts[device] = NULL;
    peers[device] = 0;
    pthread_mutex_unlock(&context_lock);
    if (context)
        emu_context_destroy(context);
}

int hip_set_peer(int device, int peer, bool on)
{
    uint64_t bit;
    int      code = HC_HIP_SUCCESS;

    if (hip_check_device(peer) || !emu_can_access_peer(device, peer))
        return HC_HIP_INVALID_DEVICE;
    bit = (uint64_t)1 << peer;
    pthread_mutex_lock(&context_lock);
    if (on && (peers[device] & bit))
        code = HC_HIP_PEER_ALREADY_ENABLED;
    else if (!on && !(peers[device] & bit))
        code = HC_HIP_PEER_NOT_ENABLED;
    else
        peers[device] ^= bit;
    pthread_mutex_unlock(&context_lock);
    return code;
}

int hip_enter_context(const char *function, struct emu_context **context_out)
{
    int code = hip_enter(function);

    if (code == EMU_OK)
        code = hip_context_of(thread_device, context_out);
    if (code == EMU_OK)
        code = emu_context_error(*context_out);
    return code;
}

int hip_enter_unsafe(const char *function, struct emu_context **context_out)
{
    int code = hip_enter_context(function, context_out);

    return code == EMU_OK ? emu_capture_unsafe() : code;
}

/* ---------------------------------------------------------------- handles */

static bool is_legacy(const void *handle)
{
#if EMU_HIP >= 6
    if (handle == (void *)1) /* hipStreamLegacy */
        return true;
#endif
    return handle == NULL;
}

int hip_stream(void *handle, struct emu_stream **stream_out)
{
    struct emu_context *context;
    int                 code;

    if (!is_legacy(handle) && handle != HC_HIP_STREAM_PER_THREAD) {
        if (!emu_stream_valid(handle))
            return HC_HIP_CONTEXT_DESTROYED;
        *stream_out = handle;
        return HC_HIP_SUCCESS;
    }
    code = hip_context_of(thread_device, &context);
    if (code != EMU_OK)
        return code;
    *stream_out = is_legacy(handle) ? emu_stream_legacy(context)
                                    : emu_stream_per_thread(context);
    return *stream_out ? HC_HIP_SUCCESS : HC_HIP_OUT_OF_MEMORY;
}

int hip_event(void *handle, struct emu_event **event_out)
{
    if (!handle || !emu_event_valid(handle))
        return HC_HIP_INVALID_HANDLE;
    *event_out = handle;
    return HC_HIP_SUCCESS;
}
