#include "device/emulator/emu_cuda.h"

#include <stdatomic.h>

/* The pool that cuMemAllocAsync takes from; NULL: the default one. */
static struct emu_pool *_Atomic current[64];

static hc_cu_result enter_pool(const char *function, struct hc_cu_pool *handle,
                               struct emu_pool **pool_out)
{
    hc_cu_result result = emu_cuda_enter(function);

    if (result == HC_CU_SUCCESS && !emu_pool_valid((struct emu_pool *)handle))
        result = HC_CU_INVALID_VALUE;
    if (result == HC_CU_SUCCESS)
        *pool_out = (struct emu_pool *)handle;
    return result;
}

static struct emu_pool *current_pool(int device)
{
    struct emu_pool *pool = current[device];

    return pool != NULL ? pool : emu_pool_default(device);
}

hc_cu_result cuDeviceGetDefaultMemPool(struct hc_cu_pool **pool_out,
                                       hc_cu_device        device)
{
    hc_cu_result result = emu_cuda_enter_device(__func__, device);

    if (result == HC_CU_SUCCESS)
        *pool_out = (struct hc_cu_pool *)emu_pool_default(device);
    return result;
}

hc_cu_result cuDeviceGetMemPool(struct hc_cu_pool **pool_out,
                                hc_cu_device        device)
{
    hc_cu_result result = emu_cuda_enter_device(__func__, device);

    if (result == HC_CU_SUCCESS)
        *pool_out = (struct hc_cu_pool *)current_pool(device);
    return result;
}

hc_cu_result cuDeviceSetMemPool(hc_cu_device device, struct hc_cu_pool *handle)
{
    struct emu_pool *pool;
    hc_cu_result     result = enter_pool(__func__, handle, &pool);

    if (result != HC_CU_SUCCESS)
        return result;
    if (emu_device(device) == NULL || emu_pool_device(pool) != device)
        return HC_CU_INVALID_DEVICE;
    current[device] = pool;
    return HC_CU_SUCCESS;
}

/* --------------------------------------------------------- allocate, free */

static hc_cu_result alloc_from(struct emu_stream *stream, struct emu_pool *pool,
                               size_t bytes, hc_cu_ptr *ptr_out)
{
    void        *p;
    hc_cu_result result;

    if (ptr_out == NULL || pool == NULL)
        return HC_CU_INVALID_VALUE;
    result =
        emu_pool_alloc(emu_stream_context(stream), pool, stream, bytes, &p);
    if (result == HC_CU_SUCCESS)
        *ptr_out = emu_cuda_ptr(p);
    return result;
}

hc_cu_result cuMemAllocAsync(hc_cu_ptr *ptr_out, size_t bytes,
                             struct hc_cu_stream *handle)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    if (result != HC_CU_SUCCESS)
        return result;
    return alloc_from(
        stream, current_pool(emu_context_device(emu_stream_context(stream))),
        bytes, ptr_out);
}

hc_cu_result cuMemAllocFromPoolAsync(hc_cu_ptr *ptr_out, size_t bytes,
                                     struct hc_cu_pool   *pool,
                                     struct hc_cu_stream *handle)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    if (result == HC_CU_SUCCESS && !emu_pool_valid((struct emu_pool *)pool))
        result = HC_CU_INVALID_VALUE;
    return result == HC_CU_SUCCESS
               ? alloc_from(stream, (struct emu_pool *)pool, bytes, ptr_out)
               : result;
}

hc_cu_result cuMemFreeAsync(hc_cu_ptr ptr, struct hc_cu_stream *handle)
{
    struct emu_stream *stream;
    hc_cu_result result = emu_cuda_enter_stream(__func__, handle, &stream);

    if (result != HC_CU_SUCCESS || ptr == 0)
        return result;
    return emu_pool_free(stream, emu_cuda_address(ptr));
}

/* -------------------------------------------------------------- the pools */

hc_cu_result cuMemPoolCreate(struct hc_cu_pool            **pool_out,
                             const struct hc_cu_pool_props *props)
{
    hc_cu_result     result = emu_cuda_enter(__func__);
    struct emu_pool *pool;

    if (result != HC_CU_SUCCESS)
        return result;
    if (pool_out == NULL || props == NULL ||
        props->type != HC_CU_ALLOCATION_PINNED ||
        props->location.type != HC_CU_LOCATION_DEVICE)
        return HC_CU_INVALID_VALUE;
    result = emu_pool_create(props->location.id, props->handle_types, &pool);
    if (result == HC_CU_SUCCESS)
        *pool_out = (struct hc_cu_pool *)pool;
    return result;
}

hc_cu_result cuMemPoolDestroy(struct hc_cu_pool *handle)
{
    struct emu_pool *pool, *expected;
    hc_cu_result     result = enter_pool(__func__, handle, &pool);

    if (result != HC_CU_SUCCESS)
        return result;
    expected = pool;
    atomic_compare_exchange_strong(&current[emu_pool_device(pool)], &expected,
                                   NULL);
    return emu_pool_destroy(pool);
}

/* The first three attributes are ints, all others 64 bits. */
static bool is_switch(hc_cu_pool_attribute attribute)
{
    return attribute < HC_CU_POOL_RELEASE_THRESHOLD;
}

hc_cu_result cuMemPoolGetAttribute(struct hc_cu_pool   *handle,
                                   hc_cu_pool_attribute attribute,
                                   void                *value_out)
{
    struct emu_pool *pool;
    uint64_t         value;
    hc_cu_result     result = enter_pool(__func__, handle, &pool);

    if (result == HC_CU_SUCCESS)
        result = emu_pool_get(pool, (int)attribute, &value);
    if (result != HC_CU_SUCCESS)
        return result;
    if (is_switch(attribute))
        *(int *)value_out = (int)value;
    else
        *(uint64_t *)value_out = value;
    return HC_CU_SUCCESS;
}

hc_cu_result cuMemPoolSetAttribute(struct hc_cu_pool   *handle,
                                   hc_cu_pool_attribute attribute, void *value)
{
    struct emu_pool *pool;
    hc_cu_result     result = enter_pool(__func__, handle, &pool);

    if (result != HC_CU_SUCCESS)
        return result;
    return emu_pool_set(pool, (int)attribute,
                        is_switch(attribute) ? (uint64_t)(*(int *)value != 0)
                                             : *(uint64_t *)value);
}

/* Nothing is kept in reserve, so there is nothing to trim. */
hc_cu_result cuMemPoolTrimTo(struct hc_cu_pool *handle, size_t keep_bytes)
{
    struct emu_pool *pool;

    (void)keep_bytes;
    return enter_pool(__func__, handle, &pool);
}

static hc_cu_result check_access(const struct emu_pool     *pool,
                                 const struct hc_cu_access *access)
{
    int owner = emu_pool_device(pool), device = access->location.id;

    if (access->location.type != HC_CU_LOCATION_DEVICE)
        return HC_CU_INVALID_VALUE;
    if (emu_device(device) == NULL)
        return HC_CU_INVALID_DEVICE;
    if (device == owner)
        return access->flags == HC_CU_ACCESS_NONE ? HC_CU_INVALID_VALUE
                                                  : HC_CU_SUCCESS;
    return emu_can_access_peer(device, owner) ? HC_CU_SUCCESS
                                              : HC_CU_INVALID_DEVICE;
}

hc_cu_result cuMemPoolSetAccess(struct hc_cu_pool         *handle,
                                const struct hc_cu_access *access, size_t count)
{
    struct emu_pool *pool;
    hc_cu_result     result = enter_pool(__func__, handle, &pool);

    for (size_t i = 0; i < count && result == HC_CU_SUCCESS; i++)
        result = check_access(pool, &access[i]);
    return result;
}

hc_cu_result cuMemPoolGetAccess(hc_cu_access_flags    *flags_out,
                                struct hc_cu_pool     *handle,
                                struct hc_cu_location *location)
{
    struct emu_pool *pool;
    hc_cu_result     result = enter_pool(__func__, handle, &pool);

    if (result != HC_CU_SUCCESS)
        return result;
    if (location->type != HC_CU_LOCATION_DEVICE)
        return HC_CU_INVALID_VALUE;
    *flags_out = location->id == emu_pool_device(pool) ? HC_CU_ACCESS_READWRITE
                                                       : HC_CU_ACCESS_NONE;
    return HC_CU_SUCCESS;
}

/* ------------------------------------------------------------------ share */

hc_cu_result cuMemPoolExportToShareableHandle(void              *handle_out,
                                              struct hc_cu_pool *handle,
                                              hc_cu_handle_type  type,
                                              unsigned long long flags)
{
    struct emu_pool *pool;
    hc_cu_result     result = enter_pool(__func__, handle, &pool);

    if (result != HC_CU_SUCCESS)
        return result;
    if (flags != 0 || type != HC_CU_HANDLE_FD)
        return HC_CU_INVALID_VALUE;
    result = emu_pool_export(pool, handle_out);
    return result == HC_CU_NOT_SUPPORTED ? HC_CU_INVALID_VALUE : result;
}

hc_cu_result cuMemPoolImportFromShareableHandle(struct hc_cu_pool **pool_out,
                                                void               *handle,
                                                hc_cu_handle_type   type,
                                                unsigned long long  flags)
{
    hc_cu_result     result = emu_cuda_enter(__func__);
    struct emu_pool *pool;

    if (result != HC_CU_SUCCESS)
        return result;
    if (flags != 0 || type != HC_CU_HANDLE_FD)
        return HC_CU_INVALID_VALUE;
    result = emu_pool_import((int)(intptr_t)handle, &pool);
    if (result == HC_CU_SUCCESS)
        *pool_out = (struct hc_cu_pool *)pool;
    return result;
}

hc_cu_result cuMemPoolExportPointer(struct hc_cu_pool_pointer *data_out,
                                    hc_cu_ptr                  ptr)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    return result == HC_CU_SUCCESS
               ? emu_pool_export_pointer(emu_cuda_address(ptr),
                                         data_out->reserved)
               : result;
}

hc_cu_result cuMemPoolImportPointer(hc_cu_ptr                 *ptr_out,
                                    struct hc_cu_pool         *handle,
                                    struct hc_cu_pool_pointer *data)
{
    struct emu_pool    *pool;
    struct emu_context *context = emu_cuda_current();
    hc_cu_result        result = enter_pool(__func__, handle, &pool);
    void               *p;

    if (result == HC_CU_SUCCESS)
        result = emu_pool_import_pointer(context, pool, data->reserved, &p);
    if (result == HC_CU_SUCCESS)
        *ptr_out = emu_cuda_ptr(p);
    return result;
}
