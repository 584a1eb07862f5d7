#include "device/emulator/emu_cuda.h"

#include <string.h>

#define PITCH_BYTES ((size_t)512) /* rows of cuMemAllocPitch start at these */

/* ----------------------------------------------------------- device memory */

static hc_cu_result alloc(const char *function, enum emu_kind kind,
                          size_t bytes, unsigned flags, void **ptr_out)
{
    struct emu_context *context;
    hc_cu_result        result = emu_cuda_enter_unsafe(function, &context);

    if (result == HC_CU_SUCCESS && ptr_out == NULL)
        result = HC_CU_INVALID_VALUE;
    return result == HC_CU_SUCCESS
               ? emu_alloc(context, kind, bytes, flags, ptr_out)
               : result;
}

hc_cu_result cuMemAlloc_v2(hc_cu_ptr *ptr_out, size_t bytes)
{
    void        *p;
    hc_cu_result result =
        alloc(__func__, EMU_DEVICE, bytes, 0, ptr_out != NULL ? &p : NULL);

    if (result == HC_CU_SUCCESS)
        *ptr_out = emu_cuda_ptr(p);
    return result;
}

hc_cu_result cuMemAllocPitch_v2(hc_cu_ptr *ptr_out, size_t *pitch_out,
                                size_t width_bytes, size_t height,
                                unsigned element_bytes)
{
    size_t pitch = (width_bytes + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
    void  *p;
    hc_cu_result result;

    if ((element_bytes != 4 && element_bytes != 8 && element_bytes != 16) ||
        height == 0 || pitch > SIZE_MAX / 2 / height)
        return HC_CU_INVALID_VALUE;
    result = alloc(__func__, EMU_DEVICE, pitch * height, 0, &p);
    if (result == HC_CU_SUCCESS) {
        *ptr_out = emu_cuda_ptr(p);
        *pitch_out = pitch;
    }
    return result;
}

hc_cu_result cuMemAllocManaged(hc_cu_ptr *ptr_out, size_t bytes, unsigned flags)
{
    void        *p;
    hc_cu_result result;

    if (flags != HC_CU_MEM_ATTACH_GLOBAL && flags != HC_CU_MEM_ATTACH_HOST)
        return HC_CU_INVALID_VALUE;
    result = alloc(__func__, EMU_MANAGED, bytes, flags, &p);
    if (result == HC_CU_SUCCESS)
        *ptr_out = emu_cuda_ptr(p);
    return result;
}

/* Frees need no current context. */
static hc_cu_result enter_free(const char *function)
{
    hc_cu_result result = emu_cuda_enter(function);

    return result == HC_CU_SUCCESS ? emu_capture_unsafe() : result;
}

hc_cu_result cuMemFree_v2(hc_cu_ptr ptr)
{
    hc_cu_result result = enter_free(__func__);

    if (result != HC_CU_SUCCESS || ptr == 0)
        return result;
    return emu_free(emu_cuda_address(ptr), EMU_DEVICE | EMU_POOL | EMU_MANAGED);
}

hc_cu_result cuMemGetInfo_v2(size_t *free_out, size_t *total_out)
{
    struct emu_context *context;
    hc_cu_result        result = emu_cuda_enter_context(__func__, &context);
    int                 device;

    if (result != HC_CU_SUCCESS)
        return result;
    device = emu_context_device(context);
    *free_out = emu_device_free_bytes(device);
    *total_out = emu_device(device)->total_bytes;
    return HC_CU_SUCCESS;
}

hc_cu_result cuMemGetAddressRange_v2(hc_cu_ptr *base_out, size_t *bytes_out,
                                     hc_cu_ptr ptr)
{
    struct emu_context *context;
    struct emu_range    range;
    hc_cu_result        result = emu_cuda_enter_context(__func__, &context);

    if (result != HC_CU_SUCCESS)
        return result;
    if (emu_query(emu_cuda_address(ptr), &range) != EMU_OK || !range.accessible)
        return HC_CU_NOT_FOUND;
    if (base_out != NULL)
        *base_out = range.base;
    if (bytes_out != NULL)
        *bytes_out = range.bytes;
    return HC_CU_SUCCESS;
}

/* ------------------------------------------------------------- host memory */

static hc_cu_result alloc_host(const char *function, size_t bytes,
                               unsigned flags, void **ptr_out)
{
    hc_cu_result result =
        alloc(function, EMU_PINNED, bytes > 0 ? bytes : 1, flags, ptr_out);

    if (result == HC_CU_SUCCESS && bytes == 0) { /* no error, but nothing */
        emu_free(*ptr_out, EMU_PINNED);
        *ptr_out = NULL;
    }
    return result;
}

hc_cu_result cuMemHostAlloc(void **ptr_out, size_t bytes, unsigned flags)
{
    return flags > 7 ? HC_CU_INVALID_VALUE
                     : alloc_host(__func__, bytes, flags, ptr_out);
}

hc_cu_result cuMemAllocHost_v2(void **ptr_out, size_t bytes)
{
    return alloc_host(__func__, bytes, 0, ptr_out);
}

hc_cu_result cuMemFreeHost(void *ptr)
{
    hc_cu_result result = enter_free(__func__);

    if (result != HC_CU_SUCCESS || ptr == NULL)
        return result;
    return emu_free(ptr, EMU_PINNED);
}

hc_cu_result cuMemHostRegister_v2(void *ptr, size_t bytes, unsigned flags)
{
    struct emu_context *context;
    hc_cu_result        result = emu_cuda_enter_unsafe(__func__, &context);

    if (result != HC_CU_SUCCESS)
        return result;
    if (flags > 15)
        return HC_CU_INVALID_VALUE;
    if (flags & HC_CU_MEMHOSTREGISTER_IOMEMORY)
        return HC_CU_NOT_SUPPORTED;
    return emu_register(context, ptr, bytes, flags);
}

hc_cu_result cuMemHostRegister(void *ptr, size_t bytes, unsigned flags)
{
    return cuMemHostRegister_v2(ptr, bytes, flags);
}

hc_cu_result cuMemHostUnregister(void *ptr)
{
    struct emu_context *context;
    hc_cu_result        result = emu_cuda_enter_unsafe(__func__, &context);

    return result == HC_CU_SUCCESS ? emu_unregister(ptr) : result;
}

static bool is_pinned(const struct emu_range *range)
{
    return (range->kind & (EMU_PINNED | EMU_REGISTERED)) != 0;
}

hc_cu_result cuMemHostGetDevicePointer_v2(hc_cu_ptr *ptr_out, void *host,
                                          unsigned flags)
{
    struct emu_context *context;
    struct emu_range    range;
    hc_cu_result        result = emu_cuda_enter_context(__func__, &context);

    if (result != HC_CU_SUCCESS)
        return result;
    if (flags != 0 || emu_query(host, &range) != EMU_OK || !is_pinned(&range))
        return HC_CU_INVALID_VALUE;
    *ptr_out = emu_cuda_ptr(host); /* one address space for all */
    return HC_CU_SUCCESS;
}

hc_cu_result cuMemHostGetFlags(unsigned *flags_out, void *host)
{
    hc_cu_result     result = emu_cuda_enter(__func__);
    struct emu_range range;

    if (result != HC_CU_SUCCESS)
        return result;
    if (emu_query(host, &range) != EMU_OK || !is_pinned(&range))
        return HC_CU_INVALID_VALUE;
    /* With one address space the driver maps all of it. */
    *flags_out = range.flags | HC_CU_MEMHOSTALLOC_DEVICEMAP;
    return HC_CU_SUCCESS;
}

/* Hints about managed memory, which is where it is: checked, then ignored. */
static hc_cu_result check_managed(hc_cu_ptr ptr, size_t bytes)
{
    struct emu_range range;

    if (emu_query(emu_cuda_address(ptr), &range) != EMU_OK ||
        range.kind != EMU_MANAGED || bytes == 0 ||
        bytes > range.bytes - (ptr - range.base))
        return HC_CU_INVALID_VALUE;
    return HC_CU_SUCCESS;
}

#define DEVICE_CPU (-1) /* CU_DEVICE_CPU */

hc_cu_result cuMemPrefetchAsync(hc_cu_ptr ptr, size_t bytes,
                                hc_cu_device         device,
                                struct hc_cu_stream *handle)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    if (result != HC_CU_SUCCESS)
        return result;
    if (device != DEVICE_CPU && emu_device(device) == NULL)
        return HC_CU_INVALID_DEVICE;
    return check_managed(ptr, bytes);
}

hc_cu_result cuMemAdvise(hc_cu_ptr ptr, size_t bytes, hc_cu_advice advice,
                         hc_cu_device device)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    if (result != HC_CU_SUCCESS)
        return result;
    if (advice < 1 || advice > 6)
        return HC_CU_INVALID_VALUE;
    if (device != DEVICE_CPU && emu_device(device) == NULL)
        return HC_CU_INVALID_DEVICE;
    return check_managed(ptr, bytes);
}

/* Any place in host memory is the CPU. */
static hc_cu_device device_of(struct hc_cu_location location)
{
    return location.type == HC_CU_LOCATION_DEVICE ? location.id : DEVICE_CPU;
}

hc_cu_result cuMemPrefetchAsync_v2(hc_cu_ptr ptr, size_t bytes,
                                   struct hc_cu_location location,
                                   unsigned flags, struct hc_cu_stream *stream)
{
    return flags != 0
               ? HC_CU_INVALID_VALUE
               : cuMemPrefetchAsync(ptr, bytes, device_of(location), stream);
}

hc_cu_result cuMemAdvise_v2(hc_cu_ptr ptr, size_t bytes, hc_cu_advice advice,
                            struct hc_cu_location location)
{
    return cuMemAdvise(ptr, bytes, advice, device_of(location));
}

/* ---------------------------------------------------- sharing by handle */

hc_cu_result cuIpcGetMemHandle(struct hc_cu_ipc_mem_handle *handle_out,
                               hc_cu_ptr                    ptr)
{
    struct emu_context *context;
    hc_cu_result        result = emu_cuda_enter_context(__func__, &context);

    if (result == HC_CU_SUCCESS && handle_out == NULL)
        result = HC_CU_INVALID_VALUE;
    return result == HC_CU_SUCCESS
               ? emu_ipc_export(emu_cuda_address(ptr),
                                (unsigned char *)handle_out->reserved)
               : result;
}

hc_cu_result cuIpcOpenMemHandle_v2(hc_cu_ptr                  *ptr_out,
                                   struct hc_cu_ipc_mem_handle handle,
                                   unsigned                    flags)
{
    struct emu_context *context;
    hc_cu_result        result = emu_cuda_enter_unsafe(__func__, &context);
    void               *p;

    if (result != HC_CU_SUCCESS)
        return result;
    if (ptr_out == NULL || flags != HC_CU_IPC_LAZY_PEER_ACCESS)
        return HC_CU_INVALID_VALUE;
    result = emu_ipc_open(context, (const unsigned char *)handle.reserved, &p);
    if (result == HC_CU_SUCCESS)
        *ptr_out = emu_cuda_ptr(p);
    return result;
}

hc_cu_result cuIpcOpenMemHandle(hc_cu_ptr                  *ptr_out,
                                struct hc_cu_ipc_mem_handle handle,
                                unsigned                    flags)
{
    return cuIpcOpenMemHandle_v2(ptr_out, handle, flags);
}

hc_cu_result cuIpcCloseMemHandle(hc_cu_ptr ptr)
{
    struct emu_context *context;
    hc_cu_result        result = emu_cuda_enter_unsafe(__func__, &context);

    return result == HC_CU_SUCCESS ? emu_ipc_close(emu_cuda_address(ptr))
                                   : result;
}

hc_cu_result cuIpcGetEventHandle(struct hc_cu_ipc_event_handle *handle_out,
                                 struct hc_cu_event            *handle)
{
    struct emu_event *event;
    hc_cu_result      result = emu_cuda_enter_event(__func__, handle, &event);

    return result == HC_CU_SUCCESS
               ? emu_ipc_export_event(event,
                                      (unsigned char *)handle_out->reserved)
               : result;
}

hc_cu_result cuIpcOpenEventHandle(struct hc_cu_event          **event_out,
                                  struct hc_cu_ipc_event_handle handle)
{
    struct emu_context *context;
    struct emu_event   *event;
    hc_cu_result        result = emu_cuda_enter_context(__func__, &context);

    if (result == HC_CU_SUCCESS)
        result = emu_ipc_open_event(
            context, (const unsigned char *)handle.reserved, &event);
    if (result == HC_CU_SUCCESS)
        *event_out = (struct hc_cu_event *)event;
    return result;
}
