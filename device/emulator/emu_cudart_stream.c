/*
 * The emulated CUDA runtime: streams, capture, events, and the sharing of
 * memory and events between processes.
 */

#include "device/emulator/emu_cudart.h"

RT_API int cudaStreamCreateWithPriority(void **stream, unsigned flags,
                                        int priority)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuStreamCreateWithPriority(stream, flags, priority);
    return rt_result(code);
}

RT_API int cudaStreamCreateWithFlags(void **stream, unsigned flags)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuStreamCreate(stream, flags);
    return rt_result(code);
}

RT_API int cudaStreamCreate(void **stream)
{
    return cudaStreamCreateWithFlags(stream, 0);
}

RT_API int cudaStreamDestroy(void *stream)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuStreamDestroy_v2(stream);
    return rt_result(code);
}

RT_API int cudaStreamSynchronize(void *stream)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuStreamSynchronize(stream);
    return rt_result(code);
}

RT_API int cudaStreamSynchronize_ptsz(void *stream)
{
    return cudaStreamSynchronize(rt_per_thread(stream));
}

RT_API int cudaStreamQuery(void *stream)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuStreamQuery(stream);
    return rt_result(code);
}

RT_API int cudaStreamQuery_ptsz(void *stream)
{
    return cudaStreamQuery(rt_per_thread(stream));
}

RT_API int cudaStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuStreamWaitEvent(stream, event, flags);
    return rt_result(code);
}

RT_API int cudaStreamWaitEvent_ptsz(void *stream, void *event, unsigned flags)
{
    return cudaStreamWaitEvent(rt_per_thread(stream), event, flags);
}

RT_API int cudaStreamGetFlags(void *stream, unsigned *flags)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuStreamGetFlags(stream, flags);
    return rt_result(code);
}

RT_API int cudaStreamGetFlags_ptsz(void *stream, unsigned *flags)
{
    return cudaStreamGetFlags(rt_per_thread(stream), flags);
}

RT_API int cudaStreamGetPriority(void *stream, int *priority)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuStreamGetPriority(stream, priority);
    return rt_result(code);
}

RT_API int cudaStreamGetPriority_ptsz(void *stream, int *priority)
{
    return cudaStreamGetPriority(rt_per_thread(stream), priority);
}

/* The callback's status is a cudaError_t, which has the driver's numbers. */
RT_API int cudaStreamAddCallback(void *stream,
                                 void (*function)(void *, int, void *),
                                 void *data, unsigned flags)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuStreamAddCallback(stream, function, data, flags);
    return rt_result(code);
}

RT_API int cudaStreamAddCallback_ptsz(void *stream,
                                      void (*function)(void *, int, void *),
                                      void *data, unsigned flags)
{
    return cudaStreamAddCallback(rt_per_thread(stream), function, data, flags);
}

RT_API int cudaLaunchHostFunc(void *stream, void (*function)(void *),
                              void *data)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuLaunchHostFunc(stream, function, data);
    return rt_result(code);
}

RT_API int cudaLaunchHostFunc_ptsz(void *stream, void (*function)(void *),
                                   void *data)
{
    return cudaLaunchHostFunc(rt_per_thread(stream), function, data);
}

/* ---------------------------------------------------------------- capture */

RT_API int cudaStreamBeginCapture(void *stream, int mode)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuStreamBeginCapture_v2(stream, mode);
    return rt_result(code);
}

RT_API int cudaStreamBeginCapture_ptsz(void *stream, int mode)
{
    return cudaStreamBeginCapture(rt_per_thread(stream), mode);
}

RT_API int cudaStreamEndCapture(void *stream, void **graph)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuStreamEndCapture(stream, graph);
    return rt_result(code);
}

RT_API int cudaStreamEndCapture_ptsz(void *stream, void **graph)
{
    return cudaStreamEndCapture(rt_per_thread(stream), graph);
}

RT_API int cudaStreamIsCapturing(void *stream, int *status)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuStreamIsCapturing(stream, status);
    return rt_result(code);
}

RT_API int cudaStreamIsCapturing_ptsz(void *stream, int *status)
{
    return cudaStreamIsCapturing(rt_per_thread(stream), status);
}

static int capture_info(void *stream, int *status, uint64_t *id, void **graph,
                        const void **nodes, size_t *count)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code =
            cuStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count);
    return rt_result(code);
}

#if EMU_CUDART < 13000
RT_API int cudaStreamGetCaptureInfo(void *stream, int *status, uint64_t *id)
{
    return capture_info(stream, status, id, NULL, NULL, NULL);
}

RT_API int cudaStreamGetCaptureInfo_ptsz(void *stream, int *status,
                                         uint64_t *id)
{
    return capture_info(rt_per_thread(stream), status, id, NULL, NULL, NULL);
}

RT_API int cudaStreamGetCaptureInfo_v2(void *stream, int *status, uint64_t *id,
                                       void **graph, const void **nodes,
                                       size_t *count)
{
    return capture_info(stream, status, id, graph, nodes, count);
}

RT_API int cudaStreamGetCaptureInfo_v2_ptsz(void *stream, int *status,
                                            uint64_t *id, void **graph,
                                            const void **nodes, size_t *count)
{
    return capture_info(rt_per_thread(stream), status, id, graph, nodes, count);
}
#endif

/* The form with edge data, of which a capture without nodes has none. */
#if EMU_CUDART >= 13000
#define CAPTURE_INFO_EDGES      cudaStreamGetCaptureInfo
#define CAPTURE_INFO_EDGES_PTSZ cudaStreamGetCaptureInfo_ptsz
#else
#define CAPTURE_INFO_EDGES      cudaStreamGetCaptureInfo_v3
#define CAPTURE_INFO_EDGES_PTSZ cudaStreamGetCaptureInfo_v3_ptsz
#endif

#if EMU_CUDART >= 12000
RT_API int CAPTURE_INFO_EDGES(void *stream, int *status, uint64_t *id,
                              void **graph, const void **nodes,
                              const void **edges, size_t *count)
{
    int code = capture_info(stream, status, id, graph, nodes, count);

    if (code == RT_SUCCESS && edges)
        *edges = NULL;
    return code;
}

RT_API int CAPTURE_INFO_EDGES_PTSZ(void *stream, int *status, uint64_t *id,
                                   void **graph, const void **nodes,
                                   const void **edges, size_t *count)
{
    return CAPTURE_INFO_EDGES(rt_per_thread(stream), status, id, graph, nodes,
                              edges, count);
}
#endif

RT_API int cudaThreadExchangeStreamCaptureMode(int *mode)
{
    int code = rt_init();

    if (code == RT_SUCCESS)
        code = cuThreadExchangeStreamCaptureMode(mode);
    return rt_result(code);
}

RT_API int cudaGraphDestroy(void *graph)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuGraphDestroy(graph);
    return rt_result(code);
}

/* ----------------------------------------------------------------- events */

RT_API int cudaEventCreateWithFlags(void **event, unsigned flags)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuEventCreate(event, flags);
    return rt_result(code);
}

RT_API int cudaEventCreate(void **event)
{
    return cudaEventCreateWithFlags(event, 0);
}

RT_API int cudaEventDestroy(void *event)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuEventDestroy_v2(event);
    return rt_result(code);
}

RT_API int cudaEventRecord(void *event, void *stream)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuEventRecord(event, stream);
    return rt_result(code);
}

RT_API int cudaEventRecord_ptsz(void *event, void *stream)
{
    return cudaEventRecord(event, rt_per_thread(stream));
}

/* The only flag asks for an external node in a capture's graph. */
RT_API int cudaEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
    if (flags)
        return rt_result(RT_NOT_SUPPORTED);
    return cudaEventRecord(event, stream);
}

RT_API int cudaEventRecordWithFlags_ptsz(void *event, void *stream,
                                         unsigned flags)
{
    return cudaEventRecordWithFlags(event, rt_per_thread(stream), flags);
}

RT_API int cudaEventQuery(void *event)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuEventQuery(event);
    return rt_result(code);
}

RT_API int cudaEventSynchronize(void *event)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuEventSynchronize(event);
    return rt_result(code);
}

RT_API int cudaEventElapsedTime(float *ms, void *start, void *end)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuEventElapsedTime(ms, start, end);
    return rt_result(code);
}

#if EMU_CUDART >= 12000 && EMU_CUDART < 13000
RT_API int cudaEventElapsedTime_v2(float *ms, void *start, void *end)
{
    return cudaEventElapsedTime(ms, start, end);
}
#endif

/* ---------------------------------------------- sharing between processes */

RT_API int cudaIpcGetMemHandle(struct rt_ipc_handle *handle, void *ptr)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuIpcGetMemHandle(handle, (uintptr_t)ptr);
    return rt_result(code);
}

RT_API int cudaIpcOpenMemHandle(void **ptr, struct rt_ipc_handle handle,
                                unsigned flags)
{
    uintptr_t address = 0;
    int       code = rt_ready();

    if (!ptr)
        return rt_result(RT_INVALID_VALUE);
    if (code == RT_SUCCESS)
        code = cuIpcOpenMemHandle_v2(&address, handle, flags);
    if (code == RT_SUCCESS)
        *ptr = (void *)address;
    return rt_result(code);
}

RT_API int cudaIpcCloseMemHandle(void *ptr)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuIpcCloseMemHandle((uintptr_t)ptr);
    return rt_result(code);
}

RT_API int cudaIpcGetEventHandle(struct rt_ipc_handle *handle, void *event)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuIpcGetEventHandle(handle, event);
    return rt_result(code);
}

RT_API int cudaIpcOpenEventHandle(void **event, struct rt_ipc_handle handle)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuIpcOpenEventHandle(event, handle);
    return rt_result(code);
}
