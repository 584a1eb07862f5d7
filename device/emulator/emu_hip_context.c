/*
 * The emulated HIP runtime: hipCtx*, which AMD keeps for programs ported from
 * the CUDA driver interface.  A context is its device, so the handle is one
 * address per device, and being current means being the thread's device.
 */

#include "device/emulator/emu_hip.h"

#define MAX_STACK 16

static char tokens[HIP_MAX_DEVICES]; /* &tokens[i] is the handle of device i */

static _Thread_local int stack[MAX_STACK]; /* devices below the current one */
static _Thread_local int depth;

static int device_of(const void *handle, int *device_out)
{
    const char *token = handle;

    if (token < tokens || token >= tokens + HIP_MAX_DEVICES)
        return HC_HIP_INVALID_CONTEXT;
    *device_out = (int)(token - tokens);
    return hip_check_device(*device_out);
}

static int push(int device)
{
    if (depth == MAX_STACK)
        return HC_HIP_OUT_OF_MEMORY;
    stack[depth++] = hip_thread_device();
    hip_use_device(device);
    return HC_HIP_SUCCESS;
}

HIP_API int hipCtxCreate(void **handle, unsigned flags, int device)
{
    struct emu_context *context;
    int                 code = hip_enter(__func__);

    (void)flags;
    if (code == EMU_OK && (!handle || hip_check_device(device)))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = hip_context_of(device, &context);
    if (code == EMU_OK)
        code = push(device);
    if (code == EMU_OK)
        *handle = &tokens[device];
    return hip_leave(code);
}

HIP_API int hipCtxDestroy(void *handle)
{
    int device;
    int code = hip_enter(__func__);

    if (code == EMU_OK)
        code = device_of(handle, &device);
    if (code == EMU_OK && depth > 0 && device == hip_thread_device())
        hip_use_device(stack[--depth]);
    return hip_leave(code);
}

HIP_API int hipCtxPushCurrent(void *handle)
{
    int device;
    int code = hip_enter(__func__);

    if (code == EMU_OK)
        code = device_of(handle, &device);
    if (code == EMU_OK)
        code = push(device);
    return hip_leave(code);
}

HIP_API int hipCtxPopCurrent(void **handle)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && depth == 0)
        code = HC_HIP_INVALID_CONTEXT;
    if (code != EMU_OK)
        return hip_leave(code);
    if (handle)
        *handle = &tokens[hip_thread_device()];
    hip_use_device(stack[--depth]);
    return hip_leave(HC_HIP_SUCCESS);
}

HIP_API int hipCtxSetCurrent(void *handle)
{
    int device;
    int code = hip_enter(__func__);

    if (code == EMU_OK && !handle)
        return hip_leave(HC_HIP_SUCCESS); /* there is always a device */
    if (code == EMU_OK)
        code = device_of(handle, &device);
    if (code == EMU_OK)
        hip_use_device(device);
    return hip_leave(code);
}

HIP_API int hipCtxGetCurrent(void **handle)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && !handle)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        *handle = &tokens[hip_thread_device()];
    return hip_leave(code);
}

HIP_API int hipCtxGetDevice(int *device)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && !device)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        *device = hip_thread_device();
    return hip_leave(code);
}

HIP_API int hipCtxSynchronize(void)
{
    struct emu_context *context;
    int                 code = hip_enter_unsafe(__func__, &context);

    if (code == EMU_OK)
        code = emu_context_synchronize(context);
    return hip_leave(code);
}

HIP_API int hipDevicePrimaryCtxRetain(void **handle, int device)
{
    struct emu_context *context;
    int                 code = hip_enter(__func__);

    if (code == EMU_OK && !handle)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = hip_context_of(device, &context);
    if (code == EMU_OK)
        *handle = &tokens[device];
    return hip_leave(code);
}

HIP_API int hipDevicePrimaryCtxRelease(int device)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK)
        code = hip_check_device(device);
    return hip_leave(code);
}

HIP_API int hipDevicePrimaryCtxReset(int device)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK)
        code = hip_check_device(device);
    if (code == EMU_OK)
        hip_context_reset(device);
    return hip_leave(code);
}

HIP_API int hipDevicePrimaryCtxSetFlags(int device, unsigned flags)
{
    int code = hip_enter(__func__);

    (void)flags;
    if (code == EMU_OK)
        code = hip_check_device(device);
    return hip_leave(code);
}

HIP_API int hipDevicePrimaryCtxGetState(int device, unsigned *flags,
                                        int *active)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK)
        code = hip_check_device(device);
    if (code != EMU_OK)
        return hip_leave(code);
    if (flags)
        *flags = 0;
    if (active)
        *active = hip_context_active(device);
    return hip_leave(HC_HIP_SUCCESS);
}
