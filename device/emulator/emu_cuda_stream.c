#include "device/emulator/emu_cuda.h"

#include <stdlib.h>

/* ----------------------------------------------------------------- streams */

hc_cu_result cuStreamCreateWithPriority(struct hc_cu_stream **stream_out,
                                        unsigned flags, int priority)
{
    struct emu_context *context;
    struct emu_stream  *stream;
    hc_cu_result        result = emu_cuda_enter_context(__func__, &context);

    if (result == HC_CU_SUCCESS && stream_out == NULL)
        result = HC_CU_INVALID_VALUE;
    if (priority > EMU_CUDA_LEAST_PRIORITY)
        priority = EMU_CUDA_LEAST_PRIORITY;
    if (priority < EMU_CUDA_GREATEST_PRIORITY)
        priority = EMU_CUDA_GREATEST_PRIORITY;
    if (result == HC_CU_SUCCESS)
        result = emu_stream_create(context, flags, priority, &stream);
    if (result == HC_CU_SUCCESS)
        *stream_out = (struct hc_cu_stream *)stream;
    return result;
}

hc_cu_result cuStreamCreate(struct hc_cu_stream **stream_out, unsigned flags)
{
    struct emu_context *context;
    struct emu_stream  *stream;
    hc_cu_result        result = emu_cuda_enter_context(__func__, &context);

    if (result == HC_CU_SUCCESS && stream_out == NULL)
        result = HC_CU_INVALID_VALUE;
    if (result == HC_CU_SUCCESS)
        result = emu_stream_create(context, flags, 0, &stream);
    if (result == HC_CU_SUCCESS)
        *stream_out = (struct hc_cu_stream *)stream;
    return result;
}

hc_cu_result cuStreamDestroy_v2(struct hc_cu_stream *handle)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    return result == HC_CU_SUCCESS ? emu_stream_destroy(stream) : result;
}

hc_cu_result cuStreamDestroy(struct hc_cu_stream *handle)
{
    return cuStreamDestroy_v2(handle);
}

hc_cu_result cuStreamSynchronize(struct hc_cu_stream *handle)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    return result == HC_CU_SUCCESS ? emu_stream_synchronize(stream) : result;
}

hc_cu_result cuStreamQuery(struct hc_cu_stream *handle)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    return result == HC_CU_SUCCESS ? emu_stream_query(stream) : result;
}

hc_cu_result cuStreamGetCtx(struct hc_cu_stream   *handle,
                            struct hc_cu_context **context_out)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    if (result == HC_CU_SUCCESS)
        *context_out = emu_cuda_context(emu_stream_context(stream));
    return result;
}

hc_cu_result cuStreamGetFlags(struct hc_cu_stream *handle, unsigned *flags_out)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    if (result == HC_CU_SUCCESS)
        *flags_out = emu_stream_flags(stream);
    return result;
}

hc_cu_result cuStreamGetPriority(struct hc_cu_stream *handle, int *priority_out)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    if (result == HC_CU_SUCCESS)
        *priority_out = emu_stream_priority(stream);
    return result;
}

hc_cu_result cuStreamGetId(struct hc_cu_stream *handle,
                           unsigned long long  *id_out)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    if (result == HC_CU_SUCCESS)
        *id_out = emu_stream_id(stream);
    return result;
}

hc_cu_result cuStreamGetDevice(struct hc_cu_stream *handle,
                               hc_cu_device        *device_out)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    if (result == HC_CU_SUCCESS)
        *device_out = emu_context_device(emu_stream_context(stream));
    return result;
}

hc_cu_result cuLaunchHostFunc(struct hc_cu_stream *handle,
                              void (*function)(void *), void *argument)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    if (result == HC_CU_SUCCESS && function == NULL)
        result = HC_CU_INVALID_VALUE;
    return result == HC_CU_SUCCESS ? emu_stream_host(stream, function, argument)
                                   : result;
}

struct callback {
    void (*function)(struct hc_cu_stream *, hc_cu_result, void *);
    struct hc_cu_stream *handle;
    void                *argument;
};

static void call_back(void *argument)
{
    struct callback *c = argument;

    c->function(c->handle, HC_CU_SUCCESS, c->argument);
    free(c);
}

hc_cu_result cuStreamAddCallback(struct hc_cu_stream *handle,
                                 void (*function)(struct hc_cu_stream *,
                                                  hc_cu_result, void *),
                                 void *argument, unsigned flags)
{
    struct emu_stream *stream;
    struct callback   *c;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    if (result != HC_CU_SUCCESS)
        return result;
    if (function == NULL || flags != 0)
        return HC_CU_INVALID_VALUE;
    c = malloc(sizeof *c);
    if (c == NULL)
        return HC_CU_OUT_OF_MEMORY;
    *c = (struct callback){function, handle, argument};
    result = emu_stream_host(stream, call_back, c);
    if (result != HC_CU_SUCCESS)
        free(c);
    return result;
}

/* ----------------------------------------------------------------- capture */

/* What EndCapture hands out: captured work is counted, never replayed. */
struct hc_cu_graph {
    int unused;
};

hc_cu_result cuStreamBeginCapture_v2(struct hc_cu_stream *handle,
                                     hc_cu_capture_mode   mode)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    return result == HC_CU_SUCCESS
               ? emu_capture_begin(stream, (enum emu_capture_mode)mode)
               : result;
}

hc_cu_result cuStreamEndCapture(struct hc_cu_stream *handle,
                                struct hc_cu_graph **graph_out)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    if (result != HC_CU_SUCCESS)
        return result;
    if (graph_out == NULL)
        return HC_CU_INVALID_VALUE;
    *graph_out = NULL;
    result = emu_capture_end(stream);
    if (result != HC_CU_SUCCESS)
        return result;
    *graph_out = calloc(1, sizeof **graph_out);
    return *graph_out != NULL ? HC_CU_SUCCESS : HC_CU_OUT_OF_MEMORY;
}

hc_cu_result cuGraphDestroy(struct hc_cu_graph *graph)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    if (result == HC_CU_SUCCESS && graph == NULL)
        result = HC_CU_INVALID_VALUE;
    if (result == HC_CU_SUCCESS)
        free(graph);
    return result;
}

static hc_cu_result capture_info(const char           *function,
                                 struct hc_cu_stream  *handle,
                                 hc_cu_capture_status *status_out,
                                 uint64_t             *id_out)
{
    struct emu_stream      *stream;
    enum emu_capture_status status;
    hc_cu_result result = emu_cuda_enter_stream(function, handle, &stream);

    if (result == HC_CU_SUCCESS && status_out == NULL)
        result = HC_CU_INVALID_VALUE;
    if (result == HC_CU_SUCCESS)
        result = emu_capture_status(stream, &status, id_out);
    if (result == HC_CU_SUCCESS)
        *status_out = status;
    return result;
}

hc_cu_result cuStreamIsCapturing(struct hc_cu_stream  *handle,
                                 hc_cu_capture_status *status_out)
{
    return capture_info(__func__, handle, status_out, NULL);
}

hc_cu_result cuStreamGetCaptureInfo(struct hc_cu_stream  *handle,
                                    hc_cu_capture_status *status_out,
                                    uint64_t             *id_out)
{
    return capture_info(__func__, handle, status_out, id_out);
}

hc_cu_result cuStreamGetCaptureInfo_v2(
    struct hc_cu_stream *handle, hc_cu_capture_status *status_out,
    uint64_t *id_out, struct hc_cu_graph **graph_out,
    struct hc_cu_graph_node *const **deps_out, size_t *deps_count_out)
{
    hc_cu_result result = capture_info(__func__, handle, status_out, id_out);

    if (result != HC_CU_SUCCESS)
        return result;
    if (graph_out != NULL)
        *graph_out = NULL;
    if (deps_out != NULL)
        *deps_out = NULL;
    if (deps_count_out != NULL)
        *deps_count_out = 0;
    return HC_CU_SUCCESS;
}

hc_cu_result cuStreamGetCaptureInfo_v3(
    struct hc_cu_stream *handle, hc_cu_capture_status *status_out,
    uint64_t *id_out, struct hc_cu_graph **graph_out,
    struct hc_cu_graph_node *const **deps_out,
    const struct hc_cu_edge **edges_out, size_t *deps_count_out)
{
    if (edges_out != NULL)
        *edges_out = NULL;
    return cuStreamGetCaptureInfo_v2(handle, status_out, id_out, graph_out,
                                     deps_out, deps_count_out);
}

hc_cu_result cuThreadExchangeStreamCaptureMode(hc_cu_capture_mode *mode)
{
    enum emu_capture_mode changed;
    hc_cu_result          result = emu_cuda_enter(__func__);

    if (result != HC_CU_SUCCESS)
        return result;
    if (mode == NULL)
        return HC_CU_INVALID_VALUE;
    changed = (enum emu_capture_mode) * mode;
    result = emu_capture_exchange_mode(&changed);
    if (result == HC_CU_SUCCESS)
        *mode = changed;
    return result;
}

/* ------------------------------------------------------------------ events */

hc_cu_result cuEventCreate(struct hc_cu_event **event_out, unsigned flags)
{
    struct emu_context *context;
    struct emu_event   *event;
    hc_cu_result        result = emu_cuda_enter_context(__func__, &context);

    if (result == HC_CU_SUCCESS && event_out == NULL)
        result = HC_CU_INVALID_VALUE;
    if (result == HC_CU_SUCCESS)
        result = emu_event_create(context, flags, &event);
    if (result == HC_CU_SUCCESS)
        *event_out = (struct hc_cu_event *)event;
    return result;
}

hc_cu_result cuEventDestroy_v2(struct hc_cu_event *handle)
{
    struct emu_event *event;
    hc_cu_result      result = emu_cuda_enter_event(__func__, handle, &event);

    return result == HC_CU_SUCCESS ? emu_event_destroy(event) : result;
}

hc_cu_result cuEventDestroy(struct hc_cu_event *handle)
{
    return cuEventDestroy_v2(handle);
}

static hc_cu_result record(const char *function, struct hc_cu_event *event,
                           struct hc_cu_stream *handle)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(function, handle, &stream);

    if (result == HC_CU_SUCCESS && !emu_event_valid((struct emu_event *)event))
        result = HC_CU_INVALID_HANDLE;
    return result == HC_CU_SUCCESS
               ? emu_event_record((struct emu_event *)event, stream)
               : result;
}

hc_cu_result cuEventRecord(struct hc_cu_event  *event,
                           struct hc_cu_stream *stream)
{
    return record(__func__, event, stream);
}

/* The only flag concerns graphs. */
hc_cu_result cuEventRecordWithFlags(struct hc_cu_event  *event,
                                    struct hc_cu_stream *stream, unsigned flags)
{
    return flags > 1 ? HC_CU_INVALID_VALUE : record(__func__, event, stream);
}

hc_cu_result cuStreamWaitEvent(struct hc_cu_stream *handle,
                               struct hc_cu_event *event, unsigned flags)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    if (result == HC_CU_SUCCESS && !emu_event_valid((struct emu_event *)event))
        result = HC_CU_INVALID_HANDLE;
    if (result == HC_CU_SUCCESS && flags > 1)
        result = HC_CU_INVALID_VALUE;
    return result == HC_CU_SUCCESS
               ? emu_stream_wait_event(stream, (struct emu_event *)event)
               : result;
}

hc_cu_result cuEventQuery(struct hc_cu_event *handle)
{
    struct emu_event *event;
    hc_cu_result      result = emu_cuda_enter_event(__func__, handle, &event);

    return result == HC_CU_SUCCESS ? emu_event_query(event) : result;
}

hc_cu_result cuEventSynchronize(struct hc_cu_event *handle)
{
    struct emu_event *event;
    hc_cu_result      result = emu_cuda_enter_event(__func__, handle, &event);

    return result == HC_CU_SUCCESS ? emu_event_synchronize(event) : result;
}

static hc_cu_result elapsed(const char *function, float *ms_out,
                            struct hc_cu_event *start, struct hc_cu_event *end)
{
    hc_cu_result result = emu_cuda_enter(function);

    if (result != HC_CU_SUCCESS)
        return result;
    if (ms_out == NULL)
        return HC_CU_INVALID_VALUE;
    if (!emu_event_valid((struct emu_event *)start) ||
        !emu_event_valid((struct emu_event *)end))
        return HC_CU_INVALID_HANDLE;
    return emu_event_elapsed_ms((struct emu_event *)start,
                                (struct emu_event *)end, ms_out);
}

hc_cu_result cuEventElapsedTime(float *ms_out, struct hc_cu_event *start,
                                struct hc_cu_event *end)
{
    return elapsed(__func__, ms_out, start, end);
}

hc_cu_result cuEventElapsedTime_v2(float *ms_out, struct hc_cu_event *start,
                                   struct hc_cu_event *end)
{
    return elapsed(__func__, ms_out, start, end);
}
