#include "device/emulator/emu_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------- the driver as a whole */

hc_cu_result cuInit(unsigned flags)
{
    hc_cu_result result = emu_enter(__func__, false);

    if (result != HC_CU_SUCCESS)
        return result;
    return flags != 0 ? HC_CU_INVALID_VALUE : emu_init(EMU_NVIDIA);
}

hc_cu_result cuDriverGetVersion(int *version_out)
{
    hc_cu_result result = emu_enter_always(__func__);

    if (result != HC_CU_SUCCESS)
        return result;
    if (version_out == NULL)
        return HC_CU_INVALID_VALUE;
    *version_out = EMU_CUDA_VERSION;
    return HC_CU_SUCCESS;
}

static void *symbol(const char *name, const char *suffix)
{
    static void *self; /* set once, to the same value by whoever is first */
    char         full[128];
    Dl_info      info;
    void        *library = __atomic_load_n(&self, __ATOMIC_ACQUIRE);

    if (library == NULL && dladdr((const void *)&self, &info) != 0) {
        library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        __atomic_store_n(&self, library, __ATOMIC_RELEASE);
    }
    if (library == NULL ||
        snprintf(full, sizeof full, "%s%s", name, suffix) >= (int)sizeof full)
        return NULL;
    return dlsym(library, full);
}

/* Entry points that changed since CUDA 11, newest first; of all other names the
 * _v2, if there is one, is older than any header that asks. */
static const struct {
    const char *name;
    int         since; /* CUDA version of the asking header */
    const char *suffix;
} changed[] = {
    {"cuCtxCreate", 12050, "_v4"},
    {"cuCtxCreate", 11040, "_v3"},
    {"cuCtxCreate", 0, "_v2"},
    {"cuEventElapsedTime", 12080, "_v2"},
    {"cuEventElapsedTime", 0, ""},
    {"cuGetProcAddress", 12000, "_v2"},
    {"cuGetProcAddress", 0, ""},
    {"cuMemAdvise", 12020, "_v2"},
    {"cuMemAdvise", 0, ""},
    {"cuMemPrefetchAsync", 12020, "_v2"},
    {"cuMemPrefetchAsync", 0, ""},
    {"cuStreamGetCaptureInfo", 12030, "_v3"},
    {"cuStreamGetCaptureInfo", 11030, "_v2"},
    {"cuStreamGetCaptureInfo", 0, ""},
};

/* The driver takes plain names only. */
static bool has_version(const char *name)
{
    size_t length = strlen(name);

    return length > 3 && name[length - 3] == '_' && name[length - 2] == 'v';
}

static void *entry_point(const char *name, int version)
{
    void *function;

    for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++) {
        if (strcmp(name, changed[i].name) == 0 && version >= changed[i].since)
            return symbol(name, changed[i].suffix);
    }
    function = symbol(name, "_v2");
    return function != NULL ? function : symbol(name, "");
}

hc_cu_result cuGetProcAddress_v2(const char *name, void **function_out,
                                 int version, uint64_t flags,
                                 hc_cu_proc_status *status_out)
{
    hc_cu_result result = emu_enter_always(__func__);
    void        *function;

    (void)flags; /* per-thread default streams: not emulated under this name */
    if (result != HC_CU_SUCCESS)
        return result;
    if (name == NULL || function_out == NULL)
        return HC_CU_INVALID_VALUE;
    function = has_version(name) ? NULL : entry_point(name, version);
    *function_out = function;
    if (status_out != NULL) { /* which then says it */
        *status_out = function ? HC_CU_PROC_FOUND : HC_CU_PROC_NOT_FOUND;
        return HC_CU_SUCCESS;
    }
    return function != NULL ? HC_CU_SUCCESS : HC_CU_NOT_FOUND;
}

hc_cu_result cuGetProcAddress(const char *name, void **function_out,
                              int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, function_out, version, flags, NULL);
}

/* The vendor's runtime asks for private tables: there are none here. */
hc_cu_result cuGetExportTable(const void             **table_out,
                              const struct hc_cu_uuid *id)
{
    hc_cu_result result = emu_enter(__func__, false);

    (void)id;
    if (result != HC_CU_SUCCESS)
        return result;
    *table_out = NULL;
    return HC_CU_NOT_FOUND;
}

/* ---------------------------------------------------------------- devices */

hc_cu_result cuDeviceGetCount(int *count_out)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    if (result == HC_CU_SUCCESS && count_out == NULL)
        result = HC_CU_INVALID_VALUE;
    if (result == HC_CU_SUCCESS)
        *count_out = emu_device_count();
    return result;
}

hc_cu_result cuDeviceGet(hc_cu_device *device_out, int ordinal)
{
    hc_cu_result result = emu_cuda_enter_device(__func__, ordinal);

    if (result == HC_CU_SUCCESS)
        *device_out = ordinal;
    return result;
}

hc_cu_result cuDeviceGetName(char *name_out, int room, hc_cu_device device)
{
    hc_cu_result result = emu_cuda_enter_device(__func__, device);

    if (result == HC_CU_SUCCESS && (name_out == NULL || room < 1))
        result = HC_CU_INVALID_VALUE;
    if (result == HC_CU_SUCCESS)
        snprintf(name_out, (size_t)room, "%s", emu_device(device)->name);
    return result;
}

hc_cu_result cuDeviceGetPCIBusId(char *text_out, int room, hc_cu_device device)
{
    hc_cu_result result = emu_cuda_enter_device(__func__, device);

    if (result == HC_CU_SUCCESS && (text_out == NULL || room < 13))
        result = HC_CU_INVALID_VALUE;
    if (result == HC_CU_SUCCESS)
        snprintf(text_out, (size_t)room, "%s", emu_device(device)->bus_id);
    return result;
}

/* "0000:10:00.0", with or without domain and function */
static bool same_bus(const char *text, const char *bus_id)
{
    unsigned domain = 0, bus, slot, our_domain, our_bus, our_slot;

    sscanf(bus_id, "%x:%x:%x", &our_domain, &our_bus, &our_slot);
    if (sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3) {
        domain = 0;
        if (sscanf(text, "%x:%x", &bus, &slot) != 2)
            return false;
    }
    return domain == our_domain && bus == our_bus && slot == our_slot;
}

hc_cu_result cuDeviceGetByPCIBusId(hc_cu_device *device_out, const char *bus_id)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    if (result != HC_CU_SUCCESS)
        return result;
    if (device_out == NULL || bus_id == NULL)
        return HC_CU_INVALID_VALUE;
    for (int i = 0; i < emu_device_count(); i++) {
        if (same_bus(bus_id, emu_device(i)->bus_id)) {
            *device_out = i;
            return HC_CU_SUCCESS;
        }
    }
    return HC_CU_INVALID_DEVICE;
}

hc_cu_result cuDeviceGetUuid_v2(struct hc_cu_uuid *uuid_out,
                                hc_cu_device       device)
{
    hc_cu_result result = emu_cuda_enter_device(__func__, device);

    if (result == HC_CU_SUCCESS)
        memcpy(uuid_out->bytes, emu_device(device)->uuid, 16);
    return result;
}

hc_cu_result cuDeviceGetUuid(struct hc_cu_uuid *uuid_out, hc_cu_device device)
{
    return cuDeviceGetUuid_v2(uuid_out, device);
}

hc_cu_result cuDeviceTotalMem_v2(size_t *bytes_out, hc_cu_device device)
{
    hc_cu_result result = emu_cuda_enter_device(__func__, device);

    if (result == HC_CU_SUCCESS)
        *bytes_out = emu_device(device)->total_bytes;
    return result;
}

/* ------------------------------------------------------------- attributes */

/* "sm_90" -> 90; "sm_100a" -> 100 */
static int compute_capability(hc_cu_device device)
{
    return atoi(emu_device(device)->arch + 3);
}

static int bus_number(hc_cu_device device)
{
    unsigned bus = 0;

    sscanf(emu_device(device)->bus_id, "%*x:%x", &bus);
    return (int)bus;
}

/* What does not depend on the device; like a large GPU of the present. */
static const struct {
    hc_cu_device_attribute attribute;
    int                    value;
} constants[] = {
    {HC_CU_DEVICE_MAX_THREADS_PER_BLOCK, 1024},
    {HC_CU_DEVICE_MAX_BLOCK_DIM_X, 1024},
    {HC_CU_DEVICE_MAX_BLOCK_DIM_Y, 1024},
    {HC_CU_DEVICE_MAX_BLOCK_DIM_Z, 64},
    {HC_CU_DEVICE_MAX_GRID_DIM_X, 2147483647},
    {HC_CU_DEVICE_MAX_GRID_DIM_Y, 65535},
    {HC_CU_DEVICE_MAX_GRID_DIM_Z, 65535},
    {HC_CU_DEVICE_MAX_SHARED_PER_BLOCK, 49152},
    {HC_CU_DEVICE_TOTAL_CONSTANT_MEMORY, 65536},
    {HC_CU_DEVICE_WARP_SIZE, 32},
    {HC_CU_DEVICE_MAX_PITCH, EMU_CUDA_MAX_PITCH},
    {HC_CU_DEVICE_MAX_REGISTERS_PER_BLOCK, 65536},
    {HC_CU_DEVICE_CLOCK_RATE, 1000000},
    {HC_CU_DEVICE_TEXTURE_ALIGNMENT, 512},
    {HC_CU_DEVICE_GPU_OVERLAP, 1},
    {HC_CU_DEVICE_MULTIPROCESSOR_COUNT, 8},
    {HC_CU_DEVICE_CAN_MAP_HOST_MEMORY, 1},
    {HC_CU_DEVICE_CONCURRENT_KERNELS, 1},
    {HC_CU_DEVICE_ECC_ENABLED, 1},
    {HC_CU_DEVICE_MEMORY_CLOCK_RATE, 1000000},
    {HC_CU_DEVICE_MEMORY_BUS_WIDTH, 4096},
    {HC_CU_DEVICE_L2_CACHE_SIZE, 4 << 20},
    {HC_CU_DEVICE_MAX_THREADS_PER_SM, 2048},
    {HC_CU_DEVICE_ASYNC_ENGINE_COUNT, 2},
    {HC_CU_DEVICE_UNIFIED_ADDRESSING, 1},
    {HC_CU_DEVICE_STREAM_PRIORITIES, 1},
    {HC_CU_DEVICE_MAX_SHARED_PER_SM, 102400},
    {HC_CU_DEVICE_MAX_REGISTERS_PER_SM, 65536},
    {HC_CU_DEVICE_MANAGED_MEMORY, 1},
    {HC_CU_DEVICE_CONCURRENT_MANAGED_ACCESS, 1},
    {HC_CU_DEVICE_COMPUTE_PREEMPTION, 1},
    {HC_CU_DEVICE_HOST_POINTER_IS_DEVICE, 1},
    {HC_CU_DEVICE_MAX_SHARED_PER_BLOCK_OPTIN, 101376},
    {HC_CU_DEVICE_HOST_REGISTER, 1},
    {HC_CU_DEVICE_VMM, 1},
    {HC_CU_DEVICE_HANDLE_TYPE_FD, 1},
    {HC_CU_DEVICE_MEMORY_POOLS, 1},
    {HC_CU_DEVICE_POOL_HANDLE_TYPES, HC_CU_HANDLE_FD},
    {HC_CU_DEVICE_IPC_EVENT, 1},
};

/* 0 for all else: what isn't there, and compute mode "default". */
static int constant(hc_cu_device_attribute attribute)
{
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        if (constants[i].attribute == attribute)
            return constants[i].value;
    }
    return 0;
}

#define LAST_DEVICE_ATTRIBUTE 139 /* of CUDA 12.8 */

hc_cu_result cuDeviceGetAttribute(int                   *value_out,
                                  hc_cu_device_attribute attribute,
                                  hc_cu_device           device)
{
    hc_cu_result result = emu_cuda_enter_device(__func__, device);

    if (result != HC_CU_SUCCESS)
        return result;
    if (value_out == NULL || attribute < 1 || attribute > LAST_DEVICE_ATTRIBUTE)
        return HC_CU_INVALID_VALUE;
    switch (attribute) {
    case HC_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR:
        *value_out = compute_capability(device) / 10;
        break;
    case HC_CU_DEVICE_COMPUTE_CAPABILITY_MINOR:
        *value_out = compute_capability(device) % 10;
        break;
    case HC_CU_DEVICE_PCI_BUS_ID:
        *value_out = bus_number(device);
        break;
    default:
        *value_out = constant(attribute);
    }
    return HC_CU_SUCCESS;
}

hc_cu_result cuDeviceComputeCapability(int *major_out, int *minor_out,
                                       hc_cu_device device)
{
    hc_cu_result result = emu_cuda_enter_device(__func__, device);

    if (result == HC_CU_SUCCESS) {
        *major_out = compute_capability(device) / 10;
        *minor_out = compute_capability(device) % 10;
    }
    return result;
}

hc_cu_result cuDeviceCanAccessPeer(int *can_out, hc_cu_device device,
                                   hc_cu_device peer)
{
    hc_cu_result result = emu_cuda_enter_device(__func__, device);

    if (result == HC_CU_SUCCESS && emu_device(peer) == NULL)
        result = HC_CU_INVALID_DEVICE;
    if (result == HC_CU_SUCCESS)
        *can_out = emu_can_access_peer(device, peer);
    return result;
}

hc_cu_result cuDeviceGetP2PAttribute(int                 *value_out,
                                     hc_cu_peer_attribute attribute,
                                     hc_cu_device         source,
                                     hc_cu_device         destination)
{
    hc_cu_result result = emu_cuda_enter_device(__func__, source);

    if (result != HC_CU_SUCCESS)
        return result;
    if (emu_device(destination) == NULL || source == destination)
        return HC_CU_INVALID_DEVICE;
    *value_out = attribute == HC_CU_PEER_ACCESS_SUPPORTED &&
                 emu_can_access_peer(source, destination);
    return HC_CU_SUCCESS;
}
