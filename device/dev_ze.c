#include "device/dev_ze.h"

#include "config/cfg_log.h"

#include <stdio.h>
#include <string.h>

static hcomm_status ze_count(int *count_out)
{
    if (!hc_ze_is_up())
        return HCOMM_ERR_UNSUPPORTED;
    *count_out = hc_ze_list.ndevices;
    return HCOMM_OK;
}

static size_t memory_bytes(void *device)
{
    enum { MEMORIES = 16 };
    struct hc_ze_device_memory memories[MEMORIES];
    uint32_t                   count = MEMORIES;
    size_t                     bytes = 0;

    memset(memories, 0, sizeof memories);
    for (int i = 0; i < MEMORIES; i++)
        memories[i].stype = HC_ZE_IS_DEVICE_MEMORY;
    if (hc_ze.zeDeviceGetMemoryProperties(device, &count, memories) !=
        HC_ZE_SUCCESS)
        return 0;
    for (uint32_t i = 0; i < count && i < MEMORIES; i++)
        bytes += memories[i].bytes;
    return bytes;
}

static void describe_bus_id(void *device, char *text, size_t room)
{
    struct hc_ze_pci_properties pci = {.stype = HC_ZE_IS_PCI_PROPERTIES};

    if (hc_ze.zeDevicePciGetPropertiesExt != NULL &&
        hc_ze.zeDevicePciGetPropertiesExt(device, &pci) == HC_ZE_SUCCESS)
        snprintf(text, room, "%04x:%02x:%02x.%x", pci.domain & 0xffff,
                 pci.bus & 0xff, pci.device & 0xff, pci.function & 0xf);
}

static hcomm_status ze_info(int device, struct hc_dev_info *info_out)
{
    struct hc_ze_device_properties properties = {
        .stype = HC_ZE_IS_DEVICE_PROPERTIES};
    struct hc_dev_info info = {0};
    void              *handle;
    int                code;

    if (!hc_ze_is_up() || device < 0 || device >= hc_ze_list.ndevices)
        return HCOMM_ERR_NOT_FOUND;
    handle = hc_ze_list.devices[device].handle;
    code = hc_ze.zeDeviceGetProperties(handle, &properties);
    if (code != HC_ZE_SUCCESS)
        return hc_ze_status(code, "description of device %d", device);
    snprintf(info.name, sizeof info.name, "%.*s", (int)sizeof info.name - 1,
             properties.name);
    memcpy(info.uuid, properties.uuid, sizeof info.uuid);
    describe_bus_id(handle, info.bus_id, sizeof info.bus_id);
    info.memory_bytes = memory_bytes(handle);
    info.emulated = strstr(info.name, "emulated") != NULL;
    *info_out = info;
    return HCOMM_OK;
}

static void ze_version(char *text, size_t room)
{
    uint32_t version = 0;

    if (hc_ze_is_up())
        (void)hc_ze.zeDriverGetApiVersion(hc_ze_list.drivers[0].handle,
                                          &version);
    snprintf(text, room, "Level Zero %u.%u", HC_ZE_MAJOR(version),
             HC_ZE_MINOR(version));
}

/* What a driver says of an address that it doesn't know; the interface wants
 * success and type UNKNOWN. */
static bool means_unknown(int code)
{
    return code == HC_ZE_INVALID_ARGUMENT || code == HC_ZE_UNINITIALIZED ||
           code == HC_ZE_UNKNOWN;
}

static hcomm_status describe(const struct hc_ze_driver *driver, const void *ptr,
                             struct hc_dev_mem *mem)
{
    struct hc_ze_alloc_properties properties = {.stype =
                                                    HC_ZE_IS_ALLOC_PROPERTIES};
    void                         *handle = NULL, *base = NULL;
    int code = hc_ze.zeMemGetAllocProperties(driver->context, ptr, &properties,
                                             &handle);

    if (means_unknown(code) ||
        (code == HC_ZE_SUCCESS && properties.type == HC_ZE_MEMORY_UNKNOWN))
        return HCOMM_ERR_NOT_FOUND;
    if (code != HC_ZE_SUCCESS)
        return hc_ze_status(code, "question about address %p", ptr);

    if (properties.type == HC_ZE_MEMORY_HOST)
        mem->type = HC_MEM_PINNED;
    else if (properties.type == HC_ZE_MEMORY_SHARED)
        mem->type = HC_MEM_MANAGED;
    mem->context = driver->context;
    mem->device = hc_ze_device_of(driver, handle);
    if (mem->device < 0) {
        hc_log(HC_LOG_ERROR,
               "ze: address %p is on a device that its driver does not list; "
               "allocate it on another",
               ptr);
        return HCOMM_ERR_DEVICE;
    }
    mem->base = (uintptr_t)ptr;
    if (hc_ze.zeMemGetAddressRange(driver->context, ptr, &base, &mem->bytes) ==
        HC_ZE_SUCCESS)
        mem->base = (uintptr_t)base;
    return HCOMM_OK;
}

static hcomm_status ze_query(const void *ptr, struct hc_dev_mem *mem_out)
{
    struct hc_dev_mem mem = {.ops = &hc_dev_ze, .type = HC_MEM_DEVICE};

    /* NULL would be a caller's mistake to the driver, and is no one's. */
    if (ptr == NULL || !hc_ze_is_up())
        return HCOMM_ERR_NOT_FOUND;
    for (int i = 0; i < hc_ze_list.ndrivers; i++) {
        hcomm_status status = describe(&hc_ze_list.drivers[i], ptr, &mem);

        if (status == HCOMM_OK)
            *mem_out = mem;
        if (status != HCOMM_ERR_NOT_FOUND)
            return status;
    }
    return HCOMM_ERR_NOT_FOUND;
}

static hcomm_status ze_alloc(int device, size_t bytes, void **ptr_out)
{
    struct hc_ze_device_alloc_desc desc = {.stype = HC_ZE_IS_DEVICE_ALLOC_DESC};

    if (!hc_ze_is_up() || device < 0 || device >= hc_ze_list.ndevices)
        return HCOMM_ERR_NOT_FOUND;
    return hc_ze_status(
        hc_ze.zeMemAllocDevice(hc_ze_list.devices[device].driver->context,
                               &desc, bytes, 64,
                               hc_ze_list.devices[device].handle, ptr_out),
        "allocation of %zu bytes on device %d", bytes, device);
}

static void ze_free(int device, void *ptr)
{
    if (hc_ze_is_up() && device >= 0 && device < hc_ze_list.ndevices)
        (void)hc_ze.zeMemFree(hc_ze_list.devices[device].driver->context, ptr);
}

static hcomm_status ze_pin(const struct hc_dev_mem *mem, void *ptr,
                           size_t bytes, char *why, size_t room)
{
    const struct hc_ze_driver *driver = hc_ze_list.devices[mem->device].driver;
    int                        code;

    if (driver->import_pointer == NULL) {
        snprintf(why, room, "its driver has no " HC_ZE_IMPORT_POINTER);
        return HCOMM_ERR_UNSUPPORTED;
    }
    code = driver->import_pointer(driver->handle, ptr, bytes);
    if (code == HC_ZE_SUCCESS)
        return HCOMM_OK;
    hc_ze_error_text(code, why, room);
    return code == HC_ZE_OUT_OF_HOST_MEMORY ? HCOMM_ERR_NO_MEMORY
                                            : HCOMM_ERR_DEVICE;
}

static void ze_unpin(const struct hc_dev_mem *mem, void *ptr)
{
    const struct hc_ze_driver *driver = hc_ze_list.devices[mem->device].driver;

    (void)driver->release_pointer(driver->handle, ptr);
}

static hcomm_status ze_queue(const struct hc_dev_mem *mem,
                             struct hc_dev_queue    **queue_out)
{
    return hc_ze_queue(&hc_ze_list.devices[mem->device], mem->device,
                       queue_out);
}

const struct hc_dev_ops hc_dev_ze = {
    .name = "ze",
    .vendor = "intel",
    .kind = HC_DEV_ZE,
    .present = hc_ze_present,
    .findable = hc_ze_findable,
    .open = hc_ze_open,
    .close = hc_ze_close,
    .count = ze_count,
    .info = ze_info,
    .version = ze_version,
    .query = ze_query,
    .alloc = ze_alloc,
    .free = ze_free,
    .pin = ze_pin,
    .unpin = ze_unpin,
    .queue = ze_queue,
    .copy_rows = hc_ze_copy_rows,
    .record = hc_ze_record,
    .test = hc_ze_test,
};
