/*
 * The emulated Level Zero driver: entry, handles, the driver and contexts.
 */

#include "device/emulator/emu_ze.h"

#include "device/emulator/emu_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

int ze_result(int status)
{
    switch (status) {
    case EMU_OK:
        return HC_ZE_SUCCESS;
    case EMU_NOT_READY:
        return HC_ZE_NOT_READY;
    case EMU_INVALID_VALUE:
    case EMU_INVALID_DEVICE:
    case EMU_PEER_ACCESS_UNSUPPORTED:
        return HC_ZE_INVALID_ARGUMENT;
    case EMU_OUT_OF_MEMORY:
        return HC_ZE_OUT_OF_DEVICE_MEMORY;
    case EMU_NOT_INITIALIZED:
    case EMU_DEINITIALIZED:
    case EMU_NO_DEVICE:
        return HC_ZE_UNINITIALIZED;
    case EMU_NOT_SUPPORTED:
        return HC_ZE_UNSUPPORTED_FEATURE;
    case EMU_ILLEGAL_ADDRESS:
        return HC_ZE_DEVICE_LOST;
    default: /* of Level Zero itself, injected */
        return status >= HC_ZE_DEVICE_LOST ? status : HC_ZE_UNKNOWN;
    }
}

int ze_enter(const char *function)
{
    int code = emu_enter(function, true);

    return code == HC_ZE_NOT_READY ? code : ze_result(code);
}

/* ----------------------------------------------------------------- handles */

/* Global as the driver and its devices are. */
static struct ze_object    the_driver = {.kind = ZE_DRIVER};
static struct ze_device    devices[ZE_MAX_DEVICES];
static struct emu_context *engines[ZE_MAX_DEVICES];
static pthread_mutex_t     engine_lock = PTHREAD_MUTEX_INITIALIZER;

int ze_check(const void *handle, enum ze_kind kind)
{
    const struct ze_object *object = handle;

    if (handle == NULL)
        return HC_ZE_INVALID_NULL_HANDLE;
    return emu_handle_has(handle) && object->kind == kind
               ? HC_ZE_SUCCESS
               : HC_ZE_INVALID_ARGUMENT;
}

int ze_check_device(const void *device, int *ordinal_out)
{
    int code = ze_check(device, ZE_DEVICE);

    if (code == HC_ZE_SUCCESS)
        *ordinal_out = ((const struct ze_device *)device)->ordinal;
    return code;
}

int ze_check_pair(const void *context, const void *device, int *ordinal_out)
{
    int code = ze_check(context, ZE_CONTEXT);

    return code == HC_ZE_SUCCESS ? ze_check_device(device, ordinal_out) : code;
}

void *ze_new(enum ze_kind kind, size_t bytes)
{
    struct ze_object *object = calloc(1, bytes);

    if (object == NULL || !emu_handle_add(object)) {
        free(object);
        return NULL;
    }
    object->kind = kind;
    return object;
}

void ze_delete(void *object)
{
    emu_handle_remove(object);
    free(object);
}

void *ze_device_handle(int ordinal)
{
    return &devices[ordinal];
}

int ze_engine(int ordinal, struct emu_context **context_out)
{
    int status = EMU_OK;

    pthread_mutex_lock(&engine_lock);
    if (engines[ordinal] == NULL)
        status = emu_context_create(ordinal, &engines[ordinal]);
    if (status == EMU_OK)
        *context_out = engines[ordinal];
    pthread_mutex_unlock(&engine_lock);
    return status;
}

/* -------------------------------------------------------------- initialise */

static pthread_once_t handles_once = PTHREAD_ONCE_INIT;
static bool           handles_made;

static void make_handles(void)
{
    handles_made = emu_handle_add(&the_driver);
    for (int i = 0; i < emu_device_count() && i < ZE_MAX_DEVICES; i++) {
        devices[i].object.kind = ZE_DEVICE;
        devices[i].ordinal = i;
        handles_made = handles_made && emu_handle_add(&devices[i]);
    }
}

int zeInit(uint32_t flags)
{
    int code, status;

    emu_set_names(ze_is_function);
    if ((flags & EMU_ZE_INIT_VPU_ONLY) != 0)
        return HC_ZE_UNINITIALIZED;
    status = emu_init(EMU_INTEL);
    code = emu_enter(__func__, status == EMU_OK);
    if (code != EMU_OK)
        return ze_result(code);
    if (status == EMU_OK)
        pthread_once(&handles_once, make_handles);
    if (status == EMU_OK && !handles_made)
        return HC_ZE_OUT_OF_HOST_MEMORY;
    return ze_result(status);
}

/* ------------------------------------------------------------------ driver */

int zeDriverGet(uint32_t *count, void **drivers)
{
    int code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS && count == NULL)
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code != HC_ZE_SUCCESS)
        return code;
    if (*count > 0 && drivers != NULL)
        drivers[0] = &the_driver;
    *count = 1;
    return code;
}

/* Entry of a function of the driver that fills out. */
static int enter_driver(const char *function, const void *driver,
                        const void *out)
{
    int code = ze_enter(function);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(driver, ZE_DRIVER);
    if (code == HC_ZE_SUCCESS && out == NULL)
        code = HC_ZE_INVALID_NULL_POINTER;
    return code;
}

int zeDriverGetApiVersion(void *driver, uint32_t *version)
{
    int code = enter_driver(__func__, driver, version);

    if (code == HC_ZE_SUCCESS)
        *version = EMU_ZE_API_VERSION;
    return code;
}

int zeDriverGetProperties(void *driver, struct emu_ze_driver_properties *out)
{
    int code = enter_driver(__func__, driver, out);

    if (code == HC_ZE_SUCCESS) {
        memcpy(out->uuid, "hcomm-emulated-0", sizeof out->uuid);
        out->version = 1;
    }
    return code;
}

/* Events are of one process. */
int zeDriverGetIpcProperties(void *driver, struct emu_ze_ipc_properties *out)
{
    int code = enter_driver(__func__, driver, out);

    if (code == HC_ZE_SUCCESS)
        out->flags = EMU_ZE_IPC_MEMORY;
    return code;
}

int zeDriverGetExtensionProperties(void *driver, uint32_t *count,
                                   struct emu_ze_extension *out)
{
    int code = enter_driver(__func__, driver, count);

    if (code != HC_ZE_SUCCESS)
        return code;
    if (*count > 0 && out != NULL) {
        strcpy(out[0].name, "ZE_extension_pci_properties");
        out[0].version = 0x10000; /* 1.0 */
    }
    *count = 1;
    return code;
}

int zeDriverGetExtensionFunctionAddress(void *driver, const char *name,
                                        void **address)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } known[] = {
        {"zexDriverImportExternalPointer",
         (void (*)(void))zexDriverImportExternalPointer},
        {"zexDriverReleaseImportedPointer",
         (void (*)(void))zexDriverReleaseImportedPointer},
        {"zexDriverGetHostPointerBaseAddress",
         (void (*)(void))zexDriverGetHostPointerBaseAddress},
    };
    int code = enter_driver(__func__, driver, address);

    if (code == HC_ZE_SUCCESS && name == NULL)
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code != HC_ZE_SUCCESS)
        return code;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(name, known[i].name) == 0) {
            *address = (void *)known[i].function;
            return HC_ZE_SUCCESS;
        }
    }
    return HC_ZE_INVALID_ARGUMENT;
}

/* ---------------------------------------------------------------- contexts */

static int create_context(void *driver, const struct hc_ze_context_desc *desc,
                          void **context)
{
    int   code = ze_check(driver, ZE_DRIVER);
    void *made;

    if (code != HC_ZE_SUCCESS)
        return code;
    if (desc == NULL || context == NULL)
        return HC_ZE_INVALID_NULL_POINTER;
    made = ze_new(ZE_CONTEXT, sizeof(struct ze_context));
    if (made == NULL)
        return HC_ZE_OUT_OF_HOST_MEMORY;
    *context = made;
    return HC_ZE_SUCCESS;
}

int zeContextCreate(void *driver, const struct hc_ze_context_desc *desc,
                    void **context)
{
    int code = ze_enter(__func__);

    return code == HC_ZE_SUCCESS ? create_context(driver, desc, context) : code;
}

int zeContextCreateEx(void *driver, const struct hc_ze_context_desc *desc,
                      uint32_t ndevices, void **some, void **context)
{
    int code = ze_enter(__func__), ordinal;

    if (code == HC_ZE_SUCCESS && ndevices > 0 && some == NULL)
        code = HC_ZE_INVALID_SIZE;
    for (uint32_t i = 0; code == HC_ZE_SUCCESS && i < ndevices; i++)
        code = ze_check_device(some[i], &ordinal);
    return code == HC_ZE_SUCCESS ? create_context(driver, desc, context) : code;
}

/* Memory lives on, as the program is to free it. */
int zeContextDestroy(void *context)
{
    int code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(context, ZE_CONTEXT);
    if (code == HC_ZE_SUCCESS)
        ze_delete(context);
    return code;
}

int zeContextGetStatus(void *context)
{
    int code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(context, ZE_CONTEXT);
    return code;
}
