#include "device/emulator/emu_cuda.h"

#include <string.h>

/* A handle is the engine's object as a number. */
static struct emu_vmm *object(hc_cu_vmm handle)
{
    return (struct emu_vmm *)(uintptr_t)handle;
}

static hc_cu_vmm number(const struct emu_vmm *vmm)
{
    return (hc_cu_vmm)(uintptr_t)vmm;
}

static hc_cu_result check_prop(const struct hc_cu_allocation_prop *prop)
{
    if (prop == NULL || prop->type != HC_CU_ALLOCATION_PINNED ||
        prop->location.type != HC_CU_LOCATION_DEVICE)
        return HC_CU_INVALID_VALUE;
    return emu_device(prop->location.id) != NULL ? HC_CU_SUCCESS
                                                 : HC_CU_INVALID_DEVICE;
}

hc_cu_result
cuMemGetAllocationGranularity(size_t                             *bytes_out,
                              const struct hc_cu_allocation_prop *prop,
                              hc_cu_granularity_flags             flags)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    if (result == HC_CU_SUCCESS)
        result = flags > 1 ? HC_CU_INVALID_VALUE : check_prop(prop);
    if (result == HC_CU_SUCCESS)
        *bytes_out = EMU_VMM_GRANULARITY;
    return result;
}

hc_cu_result cuMemAddressReserve(hc_cu_ptr *ptr_out, size_t bytes,
                                 size_t alignment, hc_cu_ptr hint,
                                 unsigned long long flags)
{
    hc_cu_result result = emu_cuda_enter(__func__);
    void        *p;

    if (result == HC_CU_SUCCESS)
        result = flags != 0 ? HC_CU_INVALID_VALUE
                            : emu_vmm_reserve(bytes, alignment,
                                              emu_cuda_address(hint), &p);
    if (result == HC_CU_SUCCESS)
        *ptr_out = emu_cuda_ptr(p);
    return result;
}

hc_cu_result cuMemAddressFree(hc_cu_ptr ptr, size_t bytes)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    return result == HC_CU_SUCCESS
               ? emu_vmm_unreserve(emu_cuda_address(ptr), bytes)
               : result;
}

hc_cu_result cuMemCreate(hc_cu_vmm *handle_out, size_t bytes,
                         const struct hc_cu_allocation_prop *prop,
                         unsigned long long                  flags)
{
    hc_cu_result    result = emu_cuda_enter(__func__);
    struct emu_vmm *vmm;

    if (result == HC_CU_SUCCESS)
        result = flags != 0 ? HC_CU_INVALID_VALUE : check_prop(prop);
    if (result == HC_CU_SUCCESS)
        result = emu_vmm_create(prop->location.id, bytes,
                                prop->requested_handle_types, &vmm);
    if (result == HC_CU_SUCCESS)
        *handle_out = number(vmm);
    return result;
}

hc_cu_result cuMemRelease(hc_cu_vmm handle)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    return result == HC_CU_SUCCESS ? emu_vmm_release(object(handle)) : result;
}

hc_cu_result cuMemMap(hc_cu_ptr ptr, size_t bytes, size_t offset,
                      hc_cu_vmm handle, unsigned long long flags)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    if (result != HC_CU_SUCCESS || flags != 0)
        return result != HC_CU_SUCCESS ? result : HC_CU_INVALID_VALUE;
    return emu_vmm_map(NULL, emu_cuda_address(ptr), bytes, offset,
                       object(handle));
}

hc_cu_result cuMemUnmap(hc_cu_ptr ptr, size_t bytes)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    return result == HC_CU_SUCCESS ? emu_vmm_unmap(emu_cuda_address(ptr), bytes)
                                   : result;
}

hc_cu_result cuMemSetAccess(hc_cu_ptr ptr, size_t bytes,
                            const struct hc_cu_access *access, size_t count)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    for (size_t i = 0; i < count && result == HC_CU_SUCCESS; i++) {
        if (access[i].location.type != HC_CU_LOCATION_DEVICE)
            result = HC_CU_INVALID_VALUE;
        else
            result = emu_vmm_set_access(emu_cuda_address(ptr), bytes,
                                        access[i].location.id,
                                        access[i].flags != HC_CU_ACCESS_NONE);
    }
    return result;
}

hc_cu_result cuMemGetAccess(unsigned long long          *flags_out,
                            const struct hc_cu_location *location,
                            hc_cu_ptr                    ptr)
{
    hc_cu_result     result = emu_cuda_enter(__func__);
    struct emu_range range;

    if (result != HC_CU_SUCCESS)
        return result;
    if (emu_query(emu_cuda_address(ptr), &range) != EMU_OK ||
        range.kind != EMU_VMM)
        return HC_CU_INVALID_VALUE;
    *flags_out = location->type == HC_CU_LOCATION_DEVICE &&
                         location->id == range.device && range.accessible
                     ? HC_CU_ACCESS_READWRITE
                     : HC_CU_ACCESS_NONE;
    return HC_CU_SUCCESS;
}

hc_cu_result cuMemRetainAllocationHandle(hc_cu_vmm *handle_out, void *ptr)
{
    hc_cu_result    result = emu_cuda_enter(__func__);
    struct emu_vmm *vmm;

    if (result == HC_CU_SUCCESS)
        result = emu_vmm_retain(ptr, &vmm);
    if (result == HC_CU_SUCCESS)
        *handle_out = number(vmm);
    return result;
}

hc_cu_result cuMemExportToShareableHandle(void *handle_out, hc_cu_vmm handle,
                                          hc_cu_handle_type  type,
                                          unsigned long long flags)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    if (result != HC_CU_SUCCESS)
        return result;
    if (flags != 0 || type != HC_CU_HANDLE_FD)
        return HC_CU_INVALID_VALUE;
    return emu_vmm_export(object(handle), handle_out);
}

hc_cu_result cuMemImportFromShareableHandle(hc_cu_vmm *handle_out, void *handle,
                                            hc_cu_handle_type type)
{
    hc_cu_result    result = emu_cuda_enter(__func__);
    struct emu_vmm *vmm;

    if (result == HC_CU_SUCCESS)
        result = type != HC_CU_HANDLE_FD
                     ? HC_CU_INVALID_VALUE
                     : emu_vmm_import((int)(intptr_t)handle, &vmm);
    if (result == HC_CU_SUCCESS)
        *handle_out = number(vmm);
    return result;
}

hc_cu_result
cuMemGetAllocationPropertiesFromHandle(struct hc_cu_allocation_prop *prop_out,
                                       hc_cu_vmm                     handle)
{
    hc_cu_result result = emu_cuda_enter(__func__);
    unsigned     types;
    int          device;

    if (result == HC_CU_SUCCESS)
        result = emu_vmm_info(object(handle), &device, &types);
    if (result != HC_CU_SUCCESS)
        return result;
    memset(prop_out, 0, sizeof *prop_out);
    prop_out->type = HC_CU_ALLOCATION_PINNED;
    prop_out->requested_handle_types = types;
    prop_out->location.type = HC_CU_LOCATION_DEVICE;
    prop_out->location.id = device;
    return HC_CU_SUCCESS;
}
