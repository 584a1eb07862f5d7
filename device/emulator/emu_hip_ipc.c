/*
 * The emulated HIP runtime: memory and events shared between processes.
 */

#include "device/emulator/emu_hip.h"

HIP_API int hipIpcGetMemHandle(struct hc_hip_ipc_handle *handle, void *ptr)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && (!handle || !ptr))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_ipc_export(ptr, (unsigned char *)handle->bytes);
    return hip_leave(code);
}

/* HIP has one code for all that cannot be mapped. */
static int attach(struct emu_context             *context,
                  const struct hc_hip_ipc_handle *handle, void **ptr)
{
    int code = emu_ipc_open(context, (const unsigned char *)handle->bytes, ptr);

    switch (code) {
    case EMU_INVALID_VALUE:
    case EMU_INVALID_DEVICE:
    case EMU_MAP_FAILED:
        return HC_HIP_INVALID_DEVICE_POINTER;
    default:
        return code;
    }
}

HIP_API int hipIpcOpenMemHandle(void **ptr, struct hc_hip_ipc_handle handle,
                                unsigned flags)
{
    struct emu_context *context;
    int                 code = hip_enter_context(__func__, &context);

    if (code == EMU_OK && (!ptr || flags != hc_hip_ipc_lazy_peer(EMU_HIP)))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = attach(context, &handle, ptr);
    return hip_leave(code);
}

HIP_API int hipIpcCloseMemHandle(void *ptr)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && !ptr)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_ipc_close(ptr);
    return hip_leave(code);
}

HIP_API int hipIpcGetEventHandle(struct hc_hip_ipc_handle *handle,
                                 void                     *event_handle)
{
    struct emu_event *event;
    int               code = hip_enter(__func__);

    if (code == EMU_OK && (!handle || hip_event(event_handle, &event)))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_ipc_export_event(event, (unsigned char *)handle->bytes);
    if (code == EMU_INVALID_HANDLE) /* not made for other processes */
        code = HC_HIP_INVALID_CONFIGURATION;
    return hip_leave(code);
}

HIP_API int hipIpcOpenEventHandle(void                   **event_handle,
                                  struct hc_hip_ipc_handle handle)
{
    struct emu_context *context;
    struct emu_event   *event;
    int                 code = hip_enter_context(__func__, &context);

    if (code == EMU_OK && !event_handle)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_ipc_open_event(context, (const unsigned char *)handle.bytes,
                                  &event);
    if (code == EMU_OK)
        *event_handle = event;
    return hip_leave(code);
}
