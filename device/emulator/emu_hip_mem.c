/*
 * The emulated HIP runtime: allocation, registration, pointer attributes.
 */

#include "device/emulator/emu_hip.h"

#include <string.h>

/* Rows of pitched memory begin at multiples of this (bytes). */
#define PITCH_BYTES 256

/* What hipFree and hipHostFree take: either frees what the other's
 * allocator made, as in the original. */
#define FREEABLE (EMU_DEVICE | EMU_POOL | EMU_MANAGED | EMU_PINNED)
#define HOST     (EMU_PINNED | EMU_REGISTERED)

static int allocate(const char *function, enum emu_kind kind, void **ptr,
                    size_t bytes, unsigned flags)
{
    struct emu_context *context;
    int                 code = hip_enter_unsafe(function, &context);

    if (code == EMU_OK && !ptr)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK && bytes == 0)
        *ptr = NULL; /* a success */
    else if (code == EMU_OK)
        code = emu_alloc(context, kind, bytes, flags, ptr);
    return hip_leave(code);
}

HIP_API int hipMalloc(void **ptr, size_t bytes)
{
    return allocate(__func__, EMU_DEVICE, ptr, bytes, 0);
}

HIP_API int hipExtMallocWithFlags(void **ptr, size_t bytes, unsigned flags)
{
    return allocate(__func__, EMU_DEVICE, ptr, bytes, flags);
}

HIP_API int hipHostMalloc(void **ptr, size_t bytes, unsigned flags)
{
    return allocate(__func__, EMU_PINNED, ptr, bytes, flags);
}

HIP_API int hipHostAlloc(void **ptr, size_t bytes, unsigned flags)
{
    return allocate(__func__, EMU_PINNED, ptr, bytes, flags);
}

HIP_API int hipMallocHost(void **ptr, size_t bytes)
{
    return allocate(__func__, EMU_PINNED, ptr, bytes, 0);
}

HIP_API int hipMemAllocHost(void **ptr, size_t bytes)
{
    return allocate(__func__, EMU_PINNED, ptr, bytes, 0);
}

HIP_API int hipMallocManaged(void **ptr, size_t bytes, unsigned flags)
{
    if (bytes == 0)
        return hip_leave(HC_HIP_INVALID_VALUE);
    return allocate(__func__, EMU_MANAGED, ptr, bytes, flags);
}

static int allocate_pitch(const char *function, void **ptr, size_t *pitch_bytes,
                          size_t width_bytes, size_t height)
{
    size_t pitch = (width_bytes + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
    size_t bytes;
    int    code;

    if (!pitch_bytes || pitch < width_bytes ||
        __builtin_mul_overflow(pitch, height, &bytes))
        return hip_leave(HC_HIP_INVALID_VALUE);
    code = allocate(function, EMU_DEVICE, ptr, bytes, 0);
    if (code == HC_HIP_SUCCESS)
        *pitch_bytes = pitch;
    return code;
}

HIP_API int hipMallocPitch(void **ptr, size_t *pitch_bytes, size_t width_bytes,
                           size_t height)
{
    return allocate_pitch(__func__, ptr, pitch_bytes, width_bytes, height);
}

HIP_API int hipMemAllocPitch(void **ptr, size_t *pitch_bytes,
                             size_t width_bytes, size_t height,
                             unsigned element_bytes)
{
    (void)element_bytes;
    return allocate_pitch(__func__, ptr, pitch_bytes, width_bytes, height);
}

static int release(const char *function, void *ptr)
{
    struct emu_context *context;
    int                 code = hip_enter_unsafe(function, &context);

    if (code == EMU_OK && ptr)
        code = emu_free(ptr, FREEABLE);
    return hip_leave(code);
}

HIP_API int hipFree(void *ptr)
{
    return release(__func__, ptr);
}

HIP_API int hipHostFree(void *ptr)
{
    return release(__func__, ptr);
}

HIP_API int hipFreeHost(void *ptr)
{
    return release(__func__, ptr);
}

HIP_API int hipHostRegister(void *ptr, size_t bytes, unsigned flags)
{
    struct emu_context *context;
    int                 code = hip_enter_unsafe(__func__, &context);

    if (code == EMU_OK && (!ptr || bytes == 0 || flags > 15))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_register(context, ptr, bytes, flags);
    return hip_leave(code);
}

HIP_API int hipHostUnregister(void *ptr)
{
    struct emu_context *context;
    int                 code = hip_enter_unsafe(__func__, &context);

    if (code == EMU_OK && !ptr)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_unregister(ptr);
    return hip_leave(code);
}

HIP_API int hipHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    struct emu_range range;
    int              code = hip_enter(__func__);

    if (code == EMU_OK && (!device || flags || emu_query(host, &range)))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        *device = host;
    return hip_leave(code);
}

HIP_API int hipHostGetFlags(unsigned *flags, void *ptr)
{
    struct emu_range range;
    int              code = hip_enter(__func__);

    if (code == EMU_OK &&
        (!flags || emu_query(ptr, &range) || !(range.kind & HOST)))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        *flags = range.flags;
    return hip_leave(code);
}

HIP_API int hipMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    int code = hip_enter(__func__);
    int device = hip_thread_device();

    if (code != EMU_OK)
        return hip_leave(code);
    if (free_bytes)
        *free_bytes = emu_device_free_bytes(device);
    if (total_bytes)
        *total_bytes = emu_device(device)->total_bytes;
    return hip_leave(HC_HIP_SUCCESS);
}

HIP_API int hipMemGetAddressRange(void **base, size_t *bytes, void *ptr)
{
    struct emu_range range;
    int              code = hip_enter(__func__);

    if (code == EMU_OK && (!base || !bytes))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_query(ptr, &range);
    if (code == EMU_OK) {
        *base = (void *)range.base;
        *bytes = range.bytes;
    }
    return hip_leave(code);
}

HIP_API int hipMemPtrGetInfo(void *ptr, size_t *bytes)
{
    struct emu_range range;
    int              code = hip_enter(__func__);

    if (code == EMU_OK && (!bytes || emu_query(ptr, &range)))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        *bytes = range.bytes;
    return hip_leave(code);
}

/* ------------------------------------------------------ pointer attributes */

/* Managed memory is a host type in HIP 5, told apart by is_managed only. */
static int memory_type(const struct emu_range *range)
{
#if EMU_HIP >= 6
    if (range->kind == EMU_MANAGED)
        return HC_HIP6_MEM_MANAGED;
#else
    if (range->kind == EMU_MANAGED)
        return HC_HIP5_MEM_HOST;
#endif
    return range->kind & HOST ? hc_hip_type_host(EMU_HIP)
                              : hc_hip_type_device(EMU_HIP);
}

static bool host_reaches(const struct emu_range *range)
{
    return range->kind & (HOST | EMU_MANAGED);
}

static void describe(const struct emu_range *range, void *ptr,
                     struct hc_hip_pointer_attributes *out)
{
    *out = (struct hc_hip_pointer_attributes){
        .type = memory_type(range),
        .device = range->device,
        .device_ptr = ptr,
        .host_ptr = host_reaches(range) ? ptr : NULL,
        .is_managed = range->kind == EMU_MANAGED,
        .allocation_flags = range->flags,
    };
}

HIP_API int hipPointerGetAttributes(struct hc_hip_pointer_attributes *out,
                                    const void                       *ptr)
{
    struct emu_range range;
    int              code = hip_enter(__func__);

    if (code == EMU_OK && (!out || !ptr))
        code = HC_HIP_INVALID_VALUE;
    if (code != EMU_OK)
        return hip_leave(code);
    if (emu_query(ptr, &range) == EMU_OK) {
        describe(&range, (void *)ptr, out);
        return hip_leave(HC_HIP_SUCCESS);
    }
#if EMU_HIP >= 6
    *out = (struct hc_hip_pointer_attributes){
        .type = HC_HIP6_MEM_UNREGISTERED,
        .device = HC_HIP_INVALID_DEVICE_ID,
    };
    return hip_leave(HC_HIP_SUCCESS);
#else
    return hip_leave(HC_HIP_INVALID_VALUE);
#endif
}

/* One attribute of known memory.  The sizes written are AMD's. */
static int get_attribute(void *out, int attribute, void *ptr,
                         const struct emu_range *range)
{
    switch (attribute) {
    case HC_HIP_PTR_MEMORY_TYPE:
        *(unsigned *)out = (unsigned)memory_type(range);
        return HC_HIP_SUCCESS;
    case HC_HIP_PTR_DEVICE_POINTER:
        *(void **)out = ptr;
        return HC_HIP_SUCCESS;
    case HC_HIP_PTR_HOST_POINTER:
        *(void **)out = host_reaches(range) ? ptr : NULL;
        return host_reaches(range) ? HC_HIP_SUCCESS : HC_HIP_INVALID_VALUE;
    case HC_HIP_PTR_SYNC_MEMOPS:
        *(bool *)out = range->sync_memops;
        return HC_HIP_SUCCESS;
    case HC_HIP_PTR_BUFFER_ID:
        *(unsigned *)out = (unsigned)range->buffer_id;
        return HC_HIP_SUCCESS;
    case HC_HIP_PTR_IS_MANAGED:
        *(bool *)out = range->kind == EMU_MANAGED;
        return HC_HIP_SUCCESS;
    case HC_HIP_PTR_DEVICE_ORDINAL:
        *(int *)out = range->device;
        return HC_HIP_SUCCESS;
    case HC_HIP_PTR_RANGE_START:
        *(void **)out = (void *)range->base;
        return HC_HIP_SUCCESS;
    case HC_HIP_PTR_RANGE_BYTES:
        *(uint32_t *)out = (uint32_t)range->bytes;
        return HC_HIP_SUCCESS;
    case HC_HIP_PTR_MAPPED:
        *(bool *)out = true;
        return HC_HIP_SUCCESS;
    case HC_HIP_PTR_MEMPOOL:
        *(void **)out = range->pool;
        return range->pool ? HC_HIP_SUCCESS : HC_HIP_INVALID_VALUE;
    default:
        return attribute >= HC_HIP_PTR_CONTEXT && attribute < HC_HIP_PTR_MEMPOOL
                   ? HC_HIP_NOT_SUPPORTED
                   : HC_HIP_INVALID_VALUE;
    }
}

HIP_API int hipPointerGetAttribute(void *out, int attribute, void *ptr)
{
    struct emu_range range;
    int              code = hip_enter(__func__);

    if (code == EMU_OK && (!out || !ptr || emu_query(ptr, &range)))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = get_attribute(out, attribute, ptr, &range);
    return hip_leave(code);
}

/* Fails only for what it cannot answer of known memory; of unknown memory
 * nothing is written. */
HIP_API int hipDrvPointerGetAttributes(unsigned count, int *attributes,
                                       void **out, void *ptr)
{
    struct emu_range range;
    int              code = hip_enter(__func__);

    if (code == EMU_OK && (!attributes || !out))
        code = HC_HIP_INVALID_VALUE;
    if (code != EMU_OK || emu_query(ptr, &range))
        return hip_leave(code);
    for (unsigned i = 0; code == EMU_OK && i < count; i++) {
        int one = get_attribute(out[i], attributes[i], ptr, &range);

        if (one == HC_HIP_NOT_SUPPORTED)
            code = one;
    }
    return hip_leave(code);
}

HIP_API int hipPointerSetAttribute(const void *value, int attribute, void *ptr)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && (!value || attribute != HC_HIP_PTR_SYNC_MEMOPS))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK &&
        emu_set_sync_memops(ptr, *(const unsigned *)value != 0))
        code = HC_HIP_INVALID_DEVICE_POINTER;
    return hip_leave(code);
}

/* -------------------------------------------- advice about managed memory */

static int check_managed(const char *function, const void *ptr, size_t bytes,
                         int device)
{
    struct emu_range range;
    int              code = hip_enter(function);

    if (code == EMU_OK && device != HC_HIP_CPU_DEVICE_ID)
        code = hip_check_device(device);
    if (code == EMU_OK &&
        (emu_query(ptr, &range) || range.kind != EMU_MANAGED ||
         bytes > range.base + range.bytes - (uintptr_t)ptr))
        code = HC_HIP_INVALID_VALUE;
    return hip_leave(code);
}

/* Both change nothing that a program could see here. */
HIP_API int hipMemAdvise(const void *ptr, size_t bytes, int advice, int device)
{
    (void)advice;
    return check_managed(__func__, ptr, bytes, device);
}

HIP_API int hipMemPrefetchAsync(const void *ptr, size_t bytes, int device,
                                void *handle)
{
    (void)handle;
    return check_managed(__func__, ptr, bytes, device);
}
