/*
 * The emulated Level Zero driver: devices and what they say of themselves.
 */

#include "device/emulator/emu_ze.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* As of the real ones: a copy engine only fills with single bytes. */
const struct hc_ze_queue_group ze_groups[ZE_GROUPS] = {
    [ZE_GROUP_MAIN] = {.flags = HC_ZE_GROUP_COMPUTE | HC_ZE_GROUP_COPY |
                                EMU_ZE_GROUP_COOPERATIVE,
                       .fill_pattern_max_bytes = EMU_MAX_PATTERN,
                       .nqueues = 4},
    [ZE_GROUP_COPY] = {.flags = HC_ZE_GROUP_COPY,
                       .fill_pattern_max_bytes = 1,
                       .nqueues = 1},
};

/* Entry of a function that fills out for a device. */
static int enter(const char *function, const void *device, const void *out,
                 int *ordinal_out)
{
    int code = ze_enter(function);

    if (code == HC_ZE_SUCCESS)
        code = ze_check_device(device, ordinal_out);
    if (code == HC_ZE_SUCCESS && out == NULL)
        code = HC_ZE_INVALID_NULL_POINTER;
    return code;
}

int zeDeviceGet(void *driver, uint32_t *count, void **devices)
{
    uint32_t there = (uint32_t)emu_device_count();
    int      code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(driver, ZE_DRIVER);
    if (code == HC_ZE_SUCCESS && count == NULL)
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code != HC_ZE_SUCCESS)
        return code;
    if (*count == 0 || *count > there)
        *count = there;
    for (uint32_t i = 0; devices != NULL && i < *count; i++)
        devices[i] = ze_device_handle((int)i);
    return code;
}

int zeDeviceGetSubDevices(void *device, uint32_t *count, void **devices)
{
    int ordinal, code = enter(__func__, device, count, &ordinal);

    (void)devices;
    if (code == HC_ZE_SUCCESS)
        *count = 0;
    return code;
}

static uint32_t device_id(const char *arch)
{
    if (strcmp(arch, "xe-hpg") == 0)
        return 0x56a0;
    return strcmp(arch, "xe-lp") == 0 ? 0x4905 : 0x0bd5;
}

#define TICKS_PER_S UINT64_C(1000000000)

int zeDeviceGetProperties(void *device, struct hc_ze_device_properties *out)
{
    const struct emu_device       *is;
    struct hc_ze_device_properties p = {
        .type = HC_ZE_DEVICE_GPU,
        .vendor_id = EMU_ZE_VENDOR_INTEL,
        .clock_mhz = 1000,
        .contexts_max = 1024,
        .threads_per_eu = 8,
        .eu_simd_width = 16,
        .eus_per_subslice = 8,
        .subslices_per_slice = 16,
        .slices = 4,
        .timestamp_bits = 64,
        .kernel_timestamp_bits = 64,
    };
    int ordinal, code = enter(__func__, device, out, &ordinal);

    if (code != HC_ZE_SUCCESS)
        return code;
    is = emu_device(ordinal);
    p.stype = out->stype;
    p.next = out->next;
    p.device_id = device_id(is->arch);
    p.allocation_max_bytes = is->total_bytes;
    /* Nanoseconds a tick; from 1.2 on ticks a second, for who asks so. */
    p.timer_resolution = out->stype == EMU_ZE_IS_DEVICE_PROPERTIES_1_2
                             ? TICKS_PER_S
                             : 1000000000 / TICKS_PER_S;
    memcpy(p.uuid, is->uuid, sizeof p.uuid);
    snprintf(p.name, sizeof p.name, "%s", is->name);
    *out = p;
    return code;
}

int zeDeviceGetComputeProperties(void                             *device,
                                 struct emu_ze_compute_properties *out)
{
    int ordinal, code = enter(__func__, device, out, &ordinal);

    if (code != HC_ZE_SUCCESS)
        return code;
    out->group_threads_max = 1024;
    for (int i = 0; i < 3; i++) {
        out->group_max[i] = 1024;
        out->groups_max[i] = UINT32_MAX;
    }
    out->local_max_bytes = 128 << 10;
    out->subgroup_size_count = 2;
    out->subgroup_sizes[0] = 16;
    out->subgroup_sizes[1] = 32;
    return code;
}

/* No module can be loaded: no SPIR-V version, no native format. */
int zeDeviceGetModuleProperties(void                            *device,
                                struct emu_ze_module_properties *out)
{
    struct emu_ze_module_properties p = {0};
    int ordinal, code = enter(__func__, device, out, &ordinal);

    if (code == HC_ZE_SUCCESS) {
        p.stype = out->stype;
        p.next = out->next;
        *out = p;
    }
    return code;
}

int zeDeviceGetCommandQueueGroupProperties(void *device, uint32_t *count,
                                           struct hc_ze_queue_group *out)
{
    int ordinal, code = enter(__func__, device, count, &ordinal);

    if (code != HC_ZE_SUCCESS)
        return code;
    if (*count == 0 || *count > ZE_GROUPS)
        *count = ZE_GROUPS;
    for (uint32_t i = 0; out != NULL && i < *count; i++) {
        out[i].flags = ze_groups[i].flags;
        out[i].fill_pattern_max_bytes = ze_groups[i].fill_pattern_max_bytes;
        out[i].nqueues = ze_groups[i].nqueues;
    }
    return code;
}

int zeDeviceGetMemoryProperties(void *device, uint32_t *count,
                                struct hc_ze_device_memory *out)
{
    int ordinal, code = enter(__func__, device, count, &ordinal);

    if (code != HC_ZE_SUCCESS)
        return code;
    if (*count > 0 && out != NULL) {
        out->flags = 0;
        out->clock_mhz = 1600;
        out->bus_bits = 1024;
        out->bytes = emu_device(ordinal)->total_bytes;
        strcpy(out->name, "emulated");
    }
    *count = 1;
    return code;
}

int zeDeviceGetMemoryAccessProperties(void                        *device,
                                      struct emu_ze_memory_access *out)
{
    int ordinal, code = enter(__func__, device, out, &ordinal);

    if (code == HC_ZE_SUCCESS) {
        out->host = EMU_ZE_ACCESS_RW | EMU_ZE_ACCESS_CONCURRENT;
        out->device = EMU_ZE_ACCESS_RW;
        out->shared_single = EMU_ZE_ACCESS_RW | EMU_ZE_ACCESS_CONCURRENT;
        out->shared_cross = EMU_ZE_ACCESS_RW;
        out->shared_system = 0;
    }
    return code;
}

int zeDeviceGetCacheProperties(void *device, uint32_t *count, void *out)
{
    int ordinal, code = enter(__func__, device, count, &ordinal);

    (void)out;
    if (code == HC_ZE_SUCCESS)
        *count = 0;
    return code;
}

/* Memory is shared by IPC handles only: there is no DMA-BUF here. */
int zeDeviceGetExternalMemoryProperties(void                          *device,
                                        struct emu_ze_external_memory *out)
{
    int ordinal, code = enter(__func__, device, out, &ordinal);

    if (code == HC_ZE_SUCCESS)
        out->memory_import = out->memory_export = out->image_import =
            out->image_export = 0;
    return code;
}

/* A device reaches itself. */
static bool reaches(int ordinal, int peer)
{
    return ordinal == peer || emu_can_access_peer(ordinal, peer);
}

int zeDeviceGetP2PProperties(void *device, void *peer_device,
                             struct emu_ze_p2p_properties *out)
{
    int ordinal, peer, code = enter(__func__, device, out, &ordinal);

    if (code == HC_ZE_SUCCESS)
        code = ze_check_device(peer_device, &peer);
    if (code == HC_ZE_SUCCESS)
        out->flags = reaches(ordinal, peer) ? EMU_ZE_P2P_ACCESS : 0;
    return code;
}

int zeDeviceCanAccessPeer(void *device, void *peer_device, unsigned char *value)
{
    int ordinal, peer, code = enter(__func__, device, value, &ordinal);

    if (code == HC_ZE_SUCCESS)
        code = ze_check_device(peer_device, &peer);
    if (code == HC_ZE_SUCCESS)
        *value = reaches(ordinal, peer);
    return code;
}

/* Lost when a copy of it failed. */
int zeDeviceGetStatus(void *device)
{
    struct emu_context *engine;
    int                 ordinal, code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check_device(device, &ordinal);
    if (code == HC_ZE_SUCCESS)
        code = ze_result(ze_engine(ordinal, &engine));
    if (code == HC_ZE_SUCCESS)
        code = ze_result(emu_context_error(engine));
    return code;
}

int zeDeviceGetGlobalTimestamps(void *device, uint64_t *host_ns,
                                uint64_t *device_ticks)
{
    struct timespec t;
    int             ordinal, code = enter(__func__, device, host_ns, &ordinal);

    if (code == HC_ZE_SUCCESS && device_ticks == NULL)
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS) {
        clock_gettime(CLOCK_MONOTONIC, &t);
        *host_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
        *device_ticks = *host_ns;
    }
    return code;
}

int zeDevicePciGetPropertiesExt(void *device, struct hc_ze_pci_properties *out)
{
    int ordinal, code = enter(__func__, device, out, &ordinal);

    if (code != HC_ZE_SUCCESS)
        return code;
    if (sscanf(emu_device(ordinal)->bus_id, "%x:%x:%x.%x", &out->domain,
               &out->bus, &out->device, &out->function) != 4)
        return HC_ZE_UNKNOWN;
    out->generation = out->width = -1; /* unknown */
    out->bytes_per_s = -1;
    return code;
}
