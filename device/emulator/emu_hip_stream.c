/*
 * The emulated HIP runtime: streams, capture, events.
 */

#include "device/emulator/emu_hip.h"

#include <stdlib.h>

/* hipEventReleaseToDevice, ReleaseToSystem, DisableSystemFence: caches, of
 * which there are none here.  One of them at most. */
#define EVENT_RELEASE 0xe0000000u
#define EVENT_FLAGS                                             \
    (HC_HIP_EVENT_BLOCKING_SYNC | HC_HIP_EVENT_DISABLE_TIMING | \
     HC_HIP_EVENT_INTERPROCESS)

/* hip_enter_context, then the stream of a handle. */
static int enter_stream(const char *function, void *handle,
                        struct emu_stream **stream_out)
{
    struct emu_context *context;
    int                 code = hip_enter_context(function, &context);

    return code == EMU_OK ? hip_stream(handle, stream_out) : code;
}

static int create(const char *function, void **handle, unsigned flags,
                  int priority)
{
    struct emu_context *context;
    struct emu_stream  *stream;
    int                 code = hip_enter_context(function, &context);

    if (code == EMU_OK && (!handle || flags > HC_HIP_STREAM_NON_BLOCKING))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_stream_create(context, flags, priority, &stream);
    if (code == EMU_OK)
        *handle = stream;
    return hip_leave(code);
}

HIP_API int hipStreamCreate(void **handle)
{
    return create(__func__, handle, 0, 0);
}

HIP_API int hipStreamCreateWithFlags(void **handle, unsigned flags)
{
    return create(__func__, handle, flags, 0);
}

HIP_API int hipStreamCreateWithPriority(void **handle, unsigned flags,
                                        int priority)
{
    if (priority > 1)
        priority = 1;
    if (priority < -1)
        priority = -1;
    return create(__func__, handle, flags, priority);
}

HIP_API int hipStreamDestroy(void *handle)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && (!handle || handle == HC_HIP_STREAM_PER_THREAD))
        code = HC_HIP_INVALID_HANDLE;
    if (code == EMU_OK && !emu_stream_valid(handle))
        code = HC_HIP_CONTEXT_DESTROYED;
    if (code == EMU_OK)
        code = emu_stream_destroy(handle);
    return hip_leave(code);
}

HIP_API int hipStreamSynchronize(void *handle)
{
    struct emu_stream *stream;
    int                code = enter_stream(__func__, handle, &stream);

    if (code == EMU_OK)
        code = emu_stream_synchronize(stream);
    return hip_leave(code);
}

HIP_API int hipStreamQuery(void *handle)
{
    struct emu_stream *stream;
    int                code = enter_stream(__func__, handle, &stream);

    if (code == EMU_OK)
        code = emu_stream_query(stream);
    return hip_leave(code);
}

HIP_API int hipStreamWaitEvent(void *handle, void *event_handle, unsigned flags)
{
    struct emu_stream *stream;
    struct emu_event  *event;
    int                code = enter_stream(__func__, handle, &stream);

    if (code == EMU_OK)
        code = hip_event(event_handle, &event);
    if (code == EMU_OK && flags)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_stream_wait_event(stream, event);
    return hip_leave(code);
}

HIP_API int hipStreamGetFlags(void *handle, unsigned *flags)
{
    struct emu_stream *stream;
    int                code = enter_stream(__func__, handle, &stream);

    if (code == EMU_OK && !flags)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        *flags = emu_stream_flags(stream);
    return hip_leave(code);
}

HIP_API int hipStreamGetPriority(void *handle, int *priority)
{
    struct emu_stream *stream;
    int                code = enter_stream(__func__, handle, &stream);

    if (code == EMU_OK && !priority)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        *priority = emu_stream_priority(stream);
    return hip_leave(code);
}

HIP_API int hipStreamGetDevice(void *handle, int *device)
{
    struct emu_stream *stream;
    int                code = enter_stream(__func__, handle, &stream);

    if (code == EMU_OK && !device)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        *device = emu_context_device(emu_stream_context(stream));
    return hip_leave(code);
}

/* The only one that returns its answer; -1: no such stream. */
HIP_API int hipGetStreamDeviceId(void *handle)
{
    int device = -1;

    return hipStreamGetDevice(handle, &device) ? -1 : device;
}

HIP_API int hipLaunchHostFunc(void *handle, void (*function)(void *),
                              void *data)
{
    struct emu_stream *stream;
    int                code = enter_stream(__func__, handle, &stream);

    if (code == EMU_OK && !function)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_stream_host(stream, function, data);
    return hip_leave(code);
}

struct callback {
    void (*function)(void *, int, void *);
    void *handle;
    void *data;
};

static void run_callback(void *argument)
{
    struct callback *callback = argument;

    callback->function(callback->handle, HC_HIP_SUCCESS, callback->data);
    free(callback);
}

static int add_callback(struct emu_stream *stream, const struct callback *what)
{
    enum emu_capture_status status;
    struct callback        *callback;
    int                     code = emu_capture_status(stream, &status, NULL);

    if (code != EMU_OK)
        return code;
    if (status != EMU_CAPTURE_NONE)
        return HC_HIP_CAPTURE_UNSUPPORTED;
    callback = malloc(sizeof(*callback));
    if (!callback)
        return HC_HIP_OUT_OF_MEMORY;
    *callback = *what;
    code = emu_stream_host(stream, run_callback, callback);
    if (code != EMU_OK)
        free(callback);
    return code;
}

HIP_API int hipStreamAddCallback(void *handle,
                                 void (*function)(void *, int, void *),
                                 void *data, unsigned flags)
{
    struct callback    what = {function, handle, data};
    struct emu_stream *stream;
    int                code = enter_stream(__func__, handle, &stream);

    if (code == EMU_OK && (!function || flags))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = add_callback(stream, &what);
    return hip_leave(code);
}

/* ---------------------------------------------------------------- capture */

/* A captured graph cannot be launched; all have this one handle. */
static char graph_token;

HIP_API int hipStreamBeginCapture(void *handle, int mode)
{
    struct emu_stream *stream;
    int                code = enter_stream(__func__, handle, &stream);

    if (code == EMU_OK && !handle)
        code = HC_HIP_CAPTURE_UNSUPPORTED;
    if (code == EMU_OK &&
        (mode < HC_HIP_CAPTURE_GLOBAL || mode > HC_HIP_CAPTURE_RELAXED))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_capture_begin(stream, (enum emu_capture_mode)mode);
    return hip_leave(code);
}

HIP_API int hipStreamEndCapture(void *handle, void **graph)
{
    struct emu_stream *stream;
    int                code = enter_stream(__func__, handle, &stream);

    if (code == EMU_OK && !graph)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_capture_end(stream);
    if (graph)
        *graph = code == EMU_OK ? &graph_token : NULL;
    return hip_leave(code);
}

static int capture_info(const char *function, void *handle, int *status_out,
                        uint64_t *id_out)
{
    enum emu_capture_status status;
    struct emu_stream      *stream;
    uint64_t                id = 0;
    int                     code = enter_stream(function, handle, &stream);

    if (code == EMU_OK && !status_out)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_capture_status(stream, &status, &id);
    if (code != EMU_OK)
        return hip_leave(code);
    *status_out = (int)status;
    if (id_out)
        *id_out = id;
    return hip_leave(HC_HIP_SUCCESS);
}

HIP_API int hipStreamIsCapturing(void *handle, int *status)
{
    return capture_info(__func__, handle, status, NULL);
}

HIP_API int hipStreamGetCaptureInfo(void *handle, int *status, uint64_t *id)
{
    return capture_info(__func__, handle, status, id);
}

HIP_API int hipStreamGetCaptureInfo_v2(void *handle, int *status, uint64_t *id,
                                       void **graph, const void **nodes,
                                       size_t *count)
{
    int code = capture_info(__func__, handle, status, id);

    if (code != HC_HIP_SUCCESS)
        return code;
    if (graph)
        *graph = *status == HC_HIP_CAPTURE_ACTIVE ? &graph_token : NULL;
    if (nodes)
        *nodes = NULL;
    if (count)
        *count = 0;
    return code;
}

HIP_API int hipThreadExchangeStreamCaptureMode(int *mode)
{
    enum emu_capture_mode swap;
    int                   code = hip_enter(__func__);

    if (code == EMU_OK && (!mode || *mode < HC_HIP_CAPTURE_GLOBAL ||
                           *mode > HC_HIP_CAPTURE_RELAXED))
        code = HC_HIP_INVALID_VALUE;
    if (code != EMU_OK)
        return hip_leave(code);
    swap = (enum emu_capture_mode) * mode;
    code = emu_capture_exchange_mode(&swap);
    if (code == EMU_OK)
        *mode = (int)swap;
    return hip_leave(code);
}

HIP_API int hipGraphDestroy(void *graph)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && graph != &graph_token)
        code = HC_HIP_INVALID_VALUE;
    return hip_leave(code);
}

/* ----------------------------------------------------------------- events */

static int check_event_flags(unsigned flags)
{
    unsigned release = flags & EVENT_RELEASE;

    if ((flags & ~(EVENT_FLAGS | EVENT_RELEASE)) || (release & (release - 1)))
        return HC_HIP_INVALID_VALUE;
    if ((flags & HC_HIP_EVENT_INTERPROCESS) &&
        !(flags & HC_HIP_EVENT_DISABLE_TIMING))
        return HC_HIP_INVALID_VALUE;
    return HC_HIP_SUCCESS;
}

static int create_event(const char *function, void **handle, unsigned flags)
{
    struct emu_context *context;
    struct emu_event   *event;
    int                 code = hip_enter_context(function, &context);

    if (code == EMU_OK && !handle)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = check_event_flags(flags);
    if (code == EMU_OK)
        code = emu_event_create(context, flags & EVENT_FLAGS, &event);
    if (code == EMU_OK)
        *handle = event;
    return hip_leave(code);
}

HIP_API int hipEventCreateWithFlags(void **handle, unsigned flags)
{
    return create_event(__func__, handle, flags);
}

HIP_API int hipEventCreate(void **handle)
{
    return create_event(__func__, handle, 0);
}

/* hip_enter, then the event of a handle. */
static int enter_event(const char *function, void *handle,
                       struct emu_event **event_out)
{
    int code = hip_enter(function);

    return code == EMU_OK ? hip_event(handle, event_out) : code;
}

HIP_API int hipEventDestroy(void *handle)
{
    struct emu_event *event;
    int               code = enter_event(__func__, handle, &event);

    if (code == EMU_OK)
        code = emu_event_destroy(event);
    return hip_leave(code);
}

HIP_API int hipEventRecord(void *handle, void *stream_handle)
{
    struct emu_stream *stream;
    struct emu_event  *event;
    int                code = enter_stream(__func__, stream_handle, &stream);

    if (code == EMU_OK)
        code = hip_event(handle, &event);
    if (code == EMU_OK)
        code = emu_event_record(event, stream);
    return hip_leave(code);
}

HIP_API int hipEventQuery(void *handle)
{
    struct emu_event *event;
    int               code = enter_event(__func__, handle, &event);

    if (code == EMU_OK)
        code = emu_event_query(event);
    return hip_leave(code);
}

HIP_API int hipEventSynchronize(void *handle)
{
    struct emu_event *event;
    int               code = enter_event(__func__, handle, &event);

    if (code == EMU_OK)
        code = emu_event_synchronize(event);
    return hip_leave(code);
}

HIP_API int hipEventElapsedTime(float *ms, void *start_handle, void *end_handle)
{
    struct emu_event *start, *end;
    int               code = enter_event(__func__, start_handle, &start);

    if (code == EMU_OK && !ms)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = hip_event(end_handle, &end);
    if (code == EMU_OK)
        code = emu_event_elapsed_ms(start, end, ms);
    return hip_leave(code);
}
