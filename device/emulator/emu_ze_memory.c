/*
 * The emulated Level Zero driver: allocations and what is known of an address.
 */

#include "device/emulator/emu_ze.h"

#include "device/emulator/emu_internal.h"

/* Sharing by descriptors of other kinds than IPC handles is not emulated; what
 * else extends a structure is a hint. */
static int check_extensions(const void *next)
{
    for (const struct emu_ze_header *h = next; h != NULL; h = h->next) {
        if (h->stype == EMU_ZE_IS_EXTERNAL_EXPORT_DESC ||
            h->stype == EMU_ZE_IS_EXTERNAL_IMPORT_FD ||
            h->stype == EMU_ZE_IS_EXTERNAL_EXPORT_FD)
            return HC_ZE_UNSUPPORTED_ENUMERATION;
    }
    return HC_ZE_SUCCESS;
}

static int check_size(size_t bytes, size_t alignment)
{
    if (bytes == 0)
        return HC_ZE_UNSUPPORTED_SIZE;
    if ((alignment & (alignment - 1)) != 0)
        return HC_ZE_UNSUPPORTED_ALIGNMENT;
    return HC_ZE_SUCCESS;
}

static int allocate(int ordinal, enum emu_kind kind, size_t bytes,
                    size_t alignment, void **ptr)
{
    struct emu_context *engine;
    int                 code = check_size(bytes, alignment);

    if (code == HC_ZE_SUCCESS)
        code = ze_result(ze_engine(ordinal, &engine));
    if (code == HC_ZE_SUCCESS)
        code = ze_result(
            emu_alloc_aligned(engine, kind, bytes, alignment, 0, ptr));
    if (code == HC_ZE_OUT_OF_DEVICE_MEMORY && kind == EMU_PINNED)
        code = HC_ZE_OUT_OF_HOST_MEMORY;
    return code;
}

int zeMemAllocDevice(void *context, const struct hc_ze_device_alloc_desc *desc,
                     size_t bytes, size_t alignment, void *device, void **ptr)
{
    int code = ze_enter(__func__), ordinal;

    if (code == HC_ZE_SUCCESS)
        code = ze_check_pair(context, device, &ordinal);
    if (code == HC_ZE_SUCCESS && (desc == NULL || ptr == NULL))
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS && desc->memory != 0)
        code = HC_ZE_INVALID_ARGUMENT;
    if (code == HC_ZE_SUCCESS)
        code = check_extensions(desc->next);
    return code == HC_ZE_SUCCESS
               ? allocate(ordinal, EMU_DEVICE, bytes, alignment, ptr)
               : code;
}

int zeMemAllocHost(void *context, const struct hc_ze_host_alloc_desc *desc,
                   size_t bytes, size_t alignment, void **ptr)
{
    int code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(context, ZE_CONTEXT);
    if (code == HC_ZE_SUCCESS && (desc == NULL || ptr == NULL))
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS)
        code = check_extensions(desc->next);
    return code == HC_ZE_SUCCESS
               ? allocate(0, EMU_PINNED, bytes, alignment, ptr)
               : code;
}

/* Without a device it belongs to none; some device has to be charged. */
int zeMemAllocShared(void *context, const struct hc_ze_device_alloc_desc *desc,
                     const struct hc_ze_host_alloc_desc *host_desc,
                     size_t bytes, size_t alignment, void *device, void **ptr)
{
    int code = ze_enter(__func__), ordinal = 0;

    if (code == HC_ZE_SUCCESS)
        code = ze_check(context, ZE_CONTEXT);
    if (code == HC_ZE_SUCCESS && device != NULL)
        code = ze_check_device(device, &ordinal);
    if (code == HC_ZE_SUCCESS &&
        (desc == NULL || host_desc == NULL || ptr == NULL))
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS)
        code = check_extensions(desc->next);
    return code == HC_ZE_SUCCESS
               ? allocate(ordinal, EMU_MANAGED, bytes, alignment, ptr)
               : code;
}

/* At once: the driver leaves it to the program to wait for its copies. */
int zeMemFree(void *context, void *ptr)
{
    int code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(context, ZE_CONTEXT);
    if (code == HC_ZE_SUCCESS && ptr == NULL)
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS)
        code = ze_result(
            emu_release(ptr, EMU_DEVICE | EMU_MANAGED | EMU_PINNED, false));
    return code;
}

/* ------------------------------------------------------------------ query */

/* Memory that was imported for pinning is the program's own. */
static bool find(const void *ptr, struct emu_range *range_out)
{
    return emu_query(ptr, range_out) == EMU_OK &&
           range_out->kind != EMU_REGISTERED;
}

static int type_of(enum emu_kind kind)
{
    if (kind == EMU_PINNED)
        return HC_ZE_MEMORY_HOST;
    return kind == EMU_MANAGED ? HC_ZE_MEMORY_SHARED : HC_ZE_MEMORY_DEVICE;
}

/* An address is looked up in all contexts; an unknown one is no error. */
int zeMemGetAllocProperties(void *context, const void *ptr,
                            struct hc_ze_alloc_properties *out, void **device)
{
    struct emu_range range;
    int              code = ze_enter(__func__);
    bool             known;

    if (code == HC_ZE_SUCCESS)
        code = ze_check(context, ZE_CONTEXT);
    if (code == HC_ZE_SUCCESS && (ptr == NULL || out == NULL))
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS)
        code = check_extensions(out->next);
    if (code != HC_ZE_SUCCESS)
        return code;
    known = find(ptr, &range);
    out->type = known ? type_of(range.kind) : HC_ZE_MEMORY_UNKNOWN;
    out->id = known ? range.buffer_id : 0;
    out->page_bytes = known ? EMU_PAGE : 0;
    if (device != NULL)
        *device = known && range.kind != EMU_PINNED
                      ? ze_device_handle(range.device)
                      : NULL;
    return code;
}

int zeMemGetAddressRange(void *context, const void *ptr, void **base,
                         size_t *bytes)
{
    struct emu_range range;
    int              code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(context, ZE_CONTEXT);
    if (code == HC_ZE_SUCCESS && ptr == NULL)
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS && !find(ptr, &range))
        code = HC_ZE_UNKNOWN;
    if (code != HC_ZE_SUCCESS)
        return code;
    if (base != NULL)
        *base = (void *)range.base;
    if (bytes != NULL)
        *bytes = range.bytes;
    return code;
}

/* --------------------------------------------------------------- residency */

/* All memory is always there. */
static int reside(const char *function, const void *context, const void *device,
                  const void *ptr, size_t bytes)
{
    struct emu_range range;
    int              code = ze_enter(function), ordinal;

    if (code == HC_ZE_SUCCESS)
        code = ze_check_pair(context, device, &ordinal);
    if (code == HC_ZE_SUCCESS && ptr == NULL)
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS && bytes == 0)
        code = HC_ZE_INVALID_SIZE;
    if (code == HC_ZE_SUCCESS && !find(ptr, &range))
        code = HC_ZE_INVALID_ARGUMENT;
    return code;
}

int zeContextMakeMemoryResident(void *context, void *device, void *ptr,
                                size_t bytes)
{
    return reside(__func__, context, device, ptr, bytes);
}

int zeContextEvictMemory(void *context, void *device, void *ptr, size_t bytes)
{
    return reside(__func__, context, device, ptr, bytes);
}
