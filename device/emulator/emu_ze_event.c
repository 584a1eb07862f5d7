/*
 * The emulated Level Zero driver: events and their pools.
 */

#include "device/emulator/emu_ze.h"

#include <stdlib.h>

/* The places are only counted: an event's state lies in its flag. */
struct ze_pool {
    struct ze_object object;
    uint32_t         count;
};

int zeEventPoolCreate(void *context, const struct hc_ze_event_pool_desc *desc,
                      uint32_t ndevices, void **devices, void **pool)
{
    struct ze_pool *made;
    int             code = ze_enter(__func__), ordinal;

    if (code == HC_ZE_SUCCESS)
        code = ze_check(context, ZE_CONTEXT);
    if (code == HC_ZE_SUCCESS && (desc == NULL || pool == NULL))
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS &&
        (desc->count == 0 || (ndevices > 0 && devices == NULL)))
        code = HC_ZE_INVALID_SIZE;
    for (uint32_t i = 0; code == HC_ZE_SUCCESS && i < ndevices; i++)
        code = ze_check_device(devices[i], &ordinal);
    if (code == HC_ZE_SUCCESS && (desc->flags & EMU_ZE_POOL_IPC) != 0)
        code = ze_result(emu_unsupported("an event pool of several processes"));
    if (code != HC_ZE_SUCCESS)
        return code;
    made = ze_new(ZE_POOL, sizeof *made);
    if (made == NULL)
        return HC_ZE_OUT_OF_HOST_MEMORY;
    made->count = desc->count;
    *pool = made;
    return code;
}

int zeEventPoolDestroy(void *pool)
{
    int code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(pool, ZE_POOL);
    if (code == HC_ZE_SUCCESS)
        ze_delete(pool);
    return code;
}

int zeEventCreate(void *pool, const struct hc_ze_event_desc *desc, void **event)
{
    struct ze_event *made;
    int              code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(pool, ZE_POOL);
    if (code == HC_ZE_SUCCESS && (desc == NULL || event == NULL))
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS && desc->index >= ((struct ze_pool *)pool)->count)
        code = HC_ZE_INVALID_ARGUMENT;
    if (code != HC_ZE_SUCCESS)
        return code;
    made = ze_new(ZE_EVENT, sizeof *made);
    if (made == NULL)
        return HC_ZE_OUT_OF_HOST_MEMORY;
    if (emu_flag_create(false, &made->flag) != EMU_OK) {
        ze_delete(made);
        return HC_ZE_OUT_OF_HOST_MEMORY;
    }
    *event = made;
    return code;
}

static int enter(const char *function, const void *event)
{
    int code = ze_enter(function);

    return code == HC_ZE_SUCCESS ? ze_check(event, ZE_EVENT) : code;
}

static struct emu_flag *flag_of(void *event)
{
    return ((struct ze_event *)event)->flag;
}

/* Commands that use it keep what they need of it. */
int zeEventDestroy(void *event)
{
    int code = enter(__func__, event);

    if (code == HC_ZE_SUCCESS) {
        emu_flag_unref(flag_of(event));
        ze_delete(event);
    }
    return code;
}

int zeEventHostSignal(void *event)
{
    int code = enter(__func__, event);

    if (code == HC_ZE_SUCCESS)
        emu_flag_set(flag_of(event), true);
    return code;
}

int zeEventHostSynchronize(void *event, uint64_t timeout_ns)
{
    int code = enter(__func__, event);

    return code == HC_ZE_SUCCESS
               ? ze_result(emu_flag_wait(flag_of(event), timeout_ns))
               : code;
}

int zeEventQueryStatus(void *event)
{
    int code = enter(__func__, event);

    return code == HC_ZE_SUCCESS ? ze_result(emu_flag_query(flag_of(event)))
                                 : code;
}

int zeEventHostReset(void *event)
{
    int code = enter(__func__, event);

    if (code == HC_ZE_SUCCESS)
        emu_flag_set(flag_of(event), false);
    return code;
}
