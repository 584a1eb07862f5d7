#include "device/emulator/emu_cuda.h"

hc_cu_result emu_cuda_enter(const char *function)
{
    return emu_enter(function, true);
}

hc_cu_result emu_cuda_enter_device(const char *function, hc_cu_device device)
{
    hc_cu_result result = emu_cuda_enter(function);

    if (result == HC_CU_SUCCESS && emu_device(device) == NULL)
        result = HC_CU_INVALID_DEVICE;
    return result;
}

hc_cu_result emu_cuda_enter_context(const char          *function,
                                    struct emu_context **context_out)
{
    hc_cu_result        result = emu_cuda_enter(function);
    struct emu_context *context = emu_cuda_current();

    if (result != HC_CU_SUCCESS)
        return result;
    if (context == NULL)
        return HC_CU_INVALID_CONTEXT;
    *context_out = context;
    return emu_context_error(context);
}

hc_cu_result emu_cuda_enter_unsafe(const char          *function,
                                   struct emu_context **context_out)
{
    hc_cu_result result = emu_cuda_enter_context(function, context_out);

    return result == HC_CU_SUCCESS ? emu_capture_unsafe() : result;
}

hc_cu_result emu_cuda_enter_stream(const char          *function,
                                   struct hc_cu_stream *handle,
                                   struct emu_stream  **stream_out)
{
    struct emu_context *context;
    struct emu_stream  *stream = (struct emu_stream *)handle;
    hc_cu_result        result;
    bool special = handle == NULL || handle == HC_CU_STREAM_LEGACY ||
                   handle == HC_CU_STREAM_PER_THREAD;

    if (!special) {
        result = emu_cuda_enter(function);
        if (result == HC_CU_SUCCESS && !emu_stream_valid(stream))
            result = HC_CU_INVALID_HANDLE;
    } else {
        result = emu_cuda_enter_context(function, &context);
        if (result == HC_CU_SUCCESS)
            stream = handle == HC_CU_STREAM_PER_THREAD
                         ? emu_stream_per_thread(context)
                         : emu_stream_legacy(context);
        if (stream == NULL && result == HC_CU_SUCCESS)
            result = HC_CU_OUT_OF_MEMORY;
    }
    if (result == HC_CU_SUCCESS)
        *stream_out = stream;
    return result;
}

hc_cu_result emu_cuda_enter_event(const char         *function,
                                  struct hc_cu_event *event,
                                  struct emu_event  **event_out)
{
    hc_cu_result result = emu_cuda_enter(function);

    if (result == HC_CU_SUCCESS && !emu_event_valid((struct emu_event *)event))
        result = HC_CU_INVALID_HANDLE;
    if (result == HC_CU_SUCCESS)
        *event_out = (struct emu_event *)event;
    return result;
}
