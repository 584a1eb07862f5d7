/*
 * The emulated HIP runtime: devices, peers and the contexts of old programs.
 */

#include "device/emulator/emu_hip.h"

#include <stdio.h>
#include <string.h>

#define HIP_VERSION_OF(minor) (EMU_HIP * 10000000 + (minor)*100000)

#if EMU_HIP == 5
#define VERSION HIP_VERSION_OF(2)
#elif EMU_HIP == 6
#define VERSION HIP_VERSION_OF(3)
#else
#define VERSION HIP_VERSION_OF(0)
#endif

HIP_API int hipInit(unsigned flags)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && flags)
        code = HC_HIP_INVALID_VALUE;
    return hip_leave(code);
}

/* Like the original these two work without a device. */
static int get_version(const char *function, int *version)
{
    int code = emu_enter(function, false);

    if (code == EMU_OK && !version)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        *version = VERSION;
    return hip_leave(code);
}

HIP_API int hipRuntimeGetVersion(int *version)
{
    return get_version(__func__, version);
}

HIP_API int hipDriverGetVersion(int *version)
{
    return get_version(__func__, version);
}

HIP_API int hipGetDeviceCount(int *count)
{
    int code = hip_enter(__func__);

    if (!count)
        return hip_leave(HC_HIP_INVALID_VALUE);
    *count = code == EMU_OK ? emu_device_count() : 0;
    return hip_leave(code);
}

HIP_API int hipSetDevice(int device)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK)
        code = hip_check_device(device);
    if (code == EMU_OK)
        hip_use_device(device);
    return hip_leave(code);
}

HIP_API int hipGetDevice(int *device)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && !device)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        *device = hip_thread_device();
    return hip_leave(code);
}

/* hip_enter, then the description of a device. */
static int enter_device(const char *function, int device, const void *out,
                        const struct emu_device **device_out)
{
    int code = hip_enter(function);

    if (code == EMU_OK)
        code = hip_check_device(device);
    if (code == EMU_OK && !out)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        *device_out = emu_device(device);
    return code;
}

HIP_API int hipDeviceGet(int *device_out, int ordinal)
{
    const struct emu_device *device;
    int code = enter_device(__func__, ordinal, device_out, &device);

    if (code == EMU_OK)
        *device_out = ordinal;
    return hip_leave(code);
}

HIP_API int hipDeviceGetName(char *name, int room, int ordinal)
{
    const struct emu_device *device;
    int code = enter_device(__func__, ordinal, name, &device);

    if (code == EMU_OK && room <= 0)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        snprintf(name, (size_t)room, "%s", device->name);
    return hip_leave(code);
}

HIP_API int hipDeviceGetUuid(unsigned char *uuid, int ordinal)
{
    const struct emu_device *device;
    int code = enter_device(__func__, ordinal, uuid, &device);

    if (code == EMU_OK)
        memcpy(uuid, device->uuid, sizeof(device->uuid));
    return hip_leave(code);
}

HIP_API int hipDeviceTotalMem(size_t *bytes, int ordinal)
{
    const struct emu_device *device;
    int code = enter_device(__func__, ordinal, bytes, &device);

    if (code == EMU_OK)
        *bytes = device->total_bytes;
    return hip_leave(code);
}

HIP_API int hipDeviceGetPCIBusId(char *text, int room, int ordinal)
{
    const struct emu_device *device;
    int code = enter_device(__func__, ordinal, text, &device);

    if (code == EMU_OK && room <= 0)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        snprintf(text, (size_t)room, "%s", device->bus_id);
    return hip_leave(code);
}

/* "0000:60:00.0"; the domain and the function may be left out. */
static bool parse_bus_id(const char *text, unsigned id_out[3])
{
    if (sscanf(text, "%x:%x:%x", &id_out[0], &id_out[1], &id_out[2]) == 3)
        return true;
    id_out[0] = 0;
    return sscanf(text, "%x:%x", &id_out[1], &id_out[2]) == 2;
}

HIP_API int hipDeviceGetByPCIBusId(int *ordinal_out, const char *text)
{
    unsigned wanted[3], has[3];
    int      code = hip_enter(__func__);

    if (code == EMU_OK &&
        (!ordinal_out || !text || !parse_bus_id(text, wanted)))
        code = HC_HIP_INVALID_VALUE;
    if (code != EMU_OK)
        return hip_leave(code);
    for (int i = 0; i < emu_device_count(); i++) {
        if (parse_bus_id(emu_device(i)->bus_id, has) &&
            !memcmp(has, wanted, sizeof(has))) {
            *ordinal_out = i;
            return hip_leave(HC_HIP_SUCCESS);
        }
    }
    return hip_leave(HC_HIP_INVALID_VALUE);
}

/* Waiting for a device that was never used does not make it used. */
HIP_API int hipDeviceSynchronize(void)
{
    struct emu_context *context;
    int                 code = hip_enter(__func__);

    if (code == EMU_OK)
        code = emu_capture_unsafe();
    if (code != EMU_OK || !hip_context_active(hip_thread_device()))
        return hip_leave(code);
    code = hip_context_of(hip_thread_device(), &context);
    if (code == EMU_OK)
        code = emu_context_synchronize(context);
    return hip_leave(code);
}

HIP_API int hipDeviceReset(void)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK)
        hip_context_reset(hip_thread_device());
    return hip_leave(code);
}

HIP_API int hipSetDeviceFlags(unsigned flags)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && (flags & ~0x1fu))
        code = HC_HIP_INVALID_VALUE;
    return hip_leave(code);
}

HIP_API int hipGetDeviceFlags(unsigned *flags)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && !flags)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        *flags = 0; /* hipDeviceScheduleAuto: flags change nothing here */
    return hip_leave(code);
}

HIP_API int hipDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK) {
        if (least)
            *least = 1;
        if (greatest)
            *greatest = -1;
    }
    return hip_leave(code);
}

/* ------------------------------------------------------------------ peers */

HIP_API int hipDeviceCanAccessPeer(int *can, int ordinal, int peer)
{
    const struct emu_device *device;
    int code = enter_device(__func__, ordinal, can, &device);

    if (code == EMU_OK)
        code = hip_check_device(peer);
    if (code == EMU_OK)
        *can = emu_can_access_peer(ordinal, peer);
    return hip_leave(code);
}

HIP_API int hipDeviceEnablePeerAccess(int peer, unsigned flags)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && flags)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = hip_set_peer(hip_thread_device(), peer, true);
    return hip_leave(code);
}

HIP_API int hipDeviceDisablePeerAccess(int peer)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK)
        code = hip_set_peer(hip_thread_device(), peer, false);
    return hip_leave(code);
}
