/*
 * The emulated HIP runtime: reserved addresses and physical memory mapped
 * there.
 */

#include "device/emulator/emu_hip.h"

enum { ALLOC_PINNED = 1, LOCATION_DEVICE = 1, HANDLE_FD = 1 };

struct location {
    int type;
    int device;
};

/* hipMemAllocationProp; HIP 6 put its fields in CUDA's order. */
struct vmm_props {
#if EMU_HIP >= 6
    int             alloc_type;
    int             handle_type;
    struct location location;
    void           *win32;
    unsigned char   compression, rdma;
    unsigned short  usage;
#else
    unsigned char   compression;
    struct location location;
    int             handle_type;
    int             alloc_type;
    unsigned short  usage;
    void           *win32;
#endif
};

_Static_assert(sizeof(struct vmm_props) == 32, "hipMemAllocationProp");

struct access {
    struct location location;
    int             flags; /* 0 none, 1 read, 3 read and write */
};

static int check_props(const struct vmm_props *props)
{
    if (!props || props->alloc_type != ALLOC_PINNED ||
        props->location.type != LOCATION_DEVICE ||
        (props->handle_type & ~HANDLE_FD))
        return HC_HIP_INVALID_VALUE;
    return hip_check_device(props->location.device);
}

HIP_API int hipMemGetAllocationGranularity(size_t                 *bytes,
                                           const struct vmm_props *props,
                                           int                     option)
{
    int code = hip_enter(__func__);

    (void)option; /* the least and the recommended one are the same */
    if (code == EMU_OK && !bytes)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = check_props(props);
    if (code == EMU_OK)
        *bytes = EMU_VMM_GRANULARITY;
    return hip_leave(code);
}

HIP_API int hipMemAddressReserve(void **ptr, size_t bytes, size_t alignment,
                                 void *hint, unsigned long long flags)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && (!ptr || flags))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_vmm_reserve(bytes, alignment, hint, ptr);
    return hip_leave(code);
}

HIP_API int hipMemAddressFree(void *ptr, size_t bytes)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK)
        code = emu_vmm_unreserve(ptr, bytes);
    return hip_leave(code);
}

HIP_API int hipMemCreate(void **handle, size_t bytes,
                         const struct vmm_props *props,
                         unsigned long long      flags)
{
    struct emu_vmm *vmm;
    int             code = hip_enter(__func__);

    if (code == EMU_OK && (!handle || flags))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = check_props(props);
    if (code == EMU_OK)
        code = emu_vmm_create(props->location.device, bytes,
                              (unsigned)props->handle_type, &vmm);
    if (code == EMU_OK)
        *handle = vmm;
    return hip_leave(code);
}

HIP_API int hipMemRelease(void *handle)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && !handle)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_vmm_release(handle);
    return hip_leave(code);
}

HIP_API int hipMemMap(void *ptr, size_t bytes, size_t offset, void *handle,
                      unsigned long long flags)
{
    struct emu_context *context;
    int                 code = hip_enter_context(__func__, &context);

    if (code == EMU_OK && (!ptr || !handle || flags))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_vmm_map(context, ptr, bytes, offset, handle);
    return hip_leave(code);
}

HIP_API int hipMemUnmap(void *ptr, size_t bytes)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK)
        code = emu_vmm_unmap(ptr, bytes);
    return hip_leave(code);
}

HIP_API int hipMemSetAccess(void *ptr, size_t bytes,
                            const struct access *access, size_t count)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && (!access || count == 0))
        code = HC_HIP_INVALID_VALUE;
    for (size_t i = 0; code == EMU_OK && i < count; i++) {
        code = hip_check_device(access[i].location.device);
        if (code == EMU_OK)
            code = emu_vmm_set_access(ptr, bytes, access[i].location.device,
                                      access[i].flags != 0);
    }
    return hip_leave(code);
}

HIP_API int hipMemGetAccess(unsigned long long    *flags,
                            const struct location *location, void *ptr)
{
    struct emu_range range;
    int              code = hip_enter(__func__);

    if (code == EMU_OK && (!flags || !location || emu_query(ptr, &range) ||
                           range.kind != EMU_VMM))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = hip_check_device(location->device);
    if (code == EMU_OK)
        *flags = range.accessible ? 3 : 0;
    return hip_leave(code);
}

HIP_API int hipMemRetainAllocationHandle(void **handle, void *ptr)
{
    struct emu_vmm *vmm;
    int             code = hip_enter(__func__);

    if (code == EMU_OK && !handle)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_vmm_retain(ptr, &vmm);
    if (code == EMU_OK)
        *handle = vmm;
    return hip_leave(code);
}

HIP_API int hipMemExportToShareableHandle(void *shared, void *handle, int type,
                                          unsigned long long flags)
{
    int fd, code = hip_enter(__func__);

    if (code == EMU_OK && (!shared || !handle || flags || type != HANDLE_FD))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_vmm_export(handle, &fd);
    if (code == EMU_OK)
        *(int *)shared = fd;
    return hip_leave(code);
}

HIP_API int hipMemImportFromShareableHandle(void **handle, void *shared,
                                            int type)
{
    struct emu_vmm *vmm;
    int             code = hip_enter(__func__);

    if (code == EMU_OK && (!handle || type != HANDLE_FD))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_vmm_import((int)(intptr_t)shared, &vmm);
    if (code == EMU_OK)
        *handle = vmm;
    return hip_leave(code);
}

HIP_API int hipMemGetAllocationPropertiesFromHandle(struct vmm_props *props,
                                                    void             *handle)
{
    unsigned handle_types;
    int      device;
    int      code = hip_enter(__func__);

    if (code == EMU_OK && (!props || !handle))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_vmm_info(handle, &device, &handle_types);
    if (code == EMU_OK)
        *props = (struct vmm_props){
            .alloc_type = ALLOC_PINNED,
            .handle_type = (int)handle_types,
            .location = {LOCATION_DEVICE, device},
        };
    return hip_leave(code);
}
