/*
 * The emulated HIP runtime: stream-ordered allocation and its pools.
 */

#include "device/emulator/emu_hip.h"

#include <pthread.h>

enum { ALLOC_PINNED = 1, LOCATION_DEVICE = 1, HANDLE_FD = 1 };

/* Attributes 1..3 are int, the others 64 bits wide. */
#define LAST_INT_ATTRIBUTE 3

struct location {
    int type;
    int device;
};

struct pool_props {
    int             alloc_type;
    int             handle_types;
    struct location location;
    void           *win32;
    char            reserved[64];
};

_Static_assert(sizeof(struct pool_props) == 88, "hipMemPoolProps");

struct access {
    struct location location;
    int             flags; /* 0 none, 1 read, 3 read and write */
};

static pthread_mutex_t  current_lock = PTHREAD_MUTEX_INITIALIZER;
static struct emu_pool *current[HIP_MAX_DEVICES]; /* NULL: the default one */

static struct emu_pool *current_pool(int device)
{
    struct emu_pool *pool;

    pthread_mutex_lock(&current_lock);
    pool = current[device];
    pthread_mutex_unlock(&current_lock);
    return pool ? pool : emu_pool_default(device);
}

static int allocate(const char *function, void **ptr, size_t bytes,
                    struct emu_pool *pool, void *handle)
{
    struct emu_context *context;
    struct emu_stream  *stream;
    int                 code = hip_enter_context(function, &context);

    if (code == EMU_OK && !ptr)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = hip_stream(handle, &stream);
    if (code != EMU_OK)
        return hip_leave(code);
    if (bytes == 0) {
        *ptr = NULL;
        return hip_leave(HC_HIP_SUCCESS);
    }
    context = emu_stream_context(stream);
    if (!pool)
        pool = current_pool(emu_context_device(context));
    return hip_leave(emu_pool_alloc(context, pool, stream, bytes, ptr));
}

HIP_API int hipMallocAsync(void **ptr, size_t bytes, void *handle)
{
    return allocate(__func__, ptr, bytes, NULL, handle);
}

HIP_API int hipMallocFromPoolAsync(void **ptr, size_t bytes, void *pool,
                                   void *handle)
{
    if (!pool || !emu_pool_valid(pool))
        return hip_leave(HC_HIP_INVALID_VALUE);
    return allocate(__func__, ptr, bytes, pool, handle);
}

HIP_API int hipFreeAsync(void *ptr, void *handle)
{
    struct emu_context *context;
    struct emu_stream  *stream;
    int                 code = hip_enter_context(__func__, &context);

    if (code == EMU_OK && !ptr)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = hip_stream(handle, &stream);
    if (code == EMU_OK)
        code = emu_pool_free(stream, ptr);
    return hip_leave(code);
}

HIP_API int hipDeviceGetDefaultMemPool(void **pool, int device)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && !pool)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = hip_check_device(device);
    if (code == EMU_OK)
        *pool = emu_pool_default(device);
    return hip_leave(code);
}

HIP_API int hipDeviceGetMemPool(void **pool, int device)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && !pool)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = hip_check_device(device);
    if (code == EMU_OK)
        *pool = current_pool(device);
    return hip_leave(code);
}

/* hip_enter, then whether the handle is a pool. */
static int enter_pool(const char *function, void *pool)
{
    int code = hip_enter(function);

    if (code == EMU_OK && (!pool || !emu_pool_valid(pool)))
        code = HC_HIP_INVALID_VALUE;
    return code;
}

HIP_API int hipDeviceSetMemPool(int device, void *pool)
{
    int code = enter_pool(__func__, pool);

    if (code == EMU_OK)
        code = hip_check_device(device);
    if (code == EMU_OK && emu_pool_device(pool) != device)
        code = HC_HIP_INVALID_DEVICE;
    if (code != EMU_OK)
        return hip_leave(code);
    pthread_mutex_lock(&current_lock);
    current[device] = pool;
    pthread_mutex_unlock(&current_lock);
    return hip_leave(HC_HIP_SUCCESS);
}

HIP_API int hipMemPoolCreate(void **handle, const struct pool_props *props)
{
    struct emu_pool *pool;
    int              code = hip_enter(__func__);

    if (code == EMU_OK &&
        (!handle || !props || props->alloc_type != ALLOC_PINNED ||
         props->location.type != LOCATION_DEVICE ||
         (props->handle_types & ~HANDLE_FD)))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = hip_check_device(props->location.device);
    if (code == EMU_OK)
        code = emu_pool_create(props->location.device,
                               (unsigned)props->handle_types, &pool);
    if (code == EMU_OK)
        *handle = pool;
    return hip_leave(code);
}

/* A device whose current pool goes back to its default one. */
HIP_API int hipMemPoolDestroy(void *pool)
{
    int code = enter_pool(__func__, pool);

    if (code == EMU_OK)
        code = emu_pool_destroy(pool);
    if (code != EMU_OK)
        return hip_leave(code);
    pthread_mutex_lock(&current_lock);
    for (int i = 0; i < HIP_MAX_DEVICES; i++) {
        if (current[i] == pool)
            current[i] = NULL;
    }
    pthread_mutex_unlock(&current_lock);
    return hip_leave(HC_HIP_SUCCESS);
}

/* Nothing is cached here, so there is nothing to trim. */
HIP_API int hipMemPoolTrimTo(void *pool, size_t keep_bytes)
{
    (void)keep_bytes;
    return hip_leave(enter_pool(__func__, pool));
}

HIP_API int hipMemPoolGetAttribute(void *pool, int attribute, void *value)
{
    uint64_t wide = 0;
    int      code = enter_pool(__func__, pool);

    if (code == EMU_OK && !value)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_pool_get(pool, attribute, &wide);
    if (code != EMU_OK)
        return hip_leave(code);
    if (attribute <= LAST_INT_ATTRIBUTE)
        *(int *)value = (int)wide;
    else
        *(uint64_t *)value = wide;
    return hip_leave(HC_HIP_SUCCESS);
}

HIP_API int hipMemPoolSetAttribute(void *pool, int attribute, void *value)
{
    uint64_t wide;
    int      code = enter_pool(__func__, pool);

    if (code == EMU_OK && !value)
        code = HC_HIP_INVALID_VALUE;
    if (code != EMU_OK)
        return hip_leave(code);
    wide = attribute <= LAST_INT_ATTRIBUTE ? (uint64_t) * (int *)value
                                           : *(uint64_t *)value;
    return hip_leave(emu_pool_set(pool, attribute, wide));
}

/* Every device that can reach a pool may; so it is checked and not kept. */
HIP_API int hipMemPoolSetAccess(void *pool, const struct access *access,
                                size_t count)
{
    int code = enter_pool(__func__, pool);

    if (code == EMU_OK && !access)
        code = HC_HIP_INVALID_VALUE;
    for (size_t i = 0; code == EMU_OK && i < count; i++) {
        int device = access[i].location.device;

        code = hip_check_device(device);
        if (code == EMU_OK && device != emu_pool_device(pool) &&
            access[i].flags &&
            !emu_can_access_peer(device, emu_pool_device(pool)))
            code = HC_HIP_INVALID_DEVICE;
    }
    return hip_leave(code);
}

HIP_API int hipMemPoolGetAccess(int *flags, void *pool,
                                struct location *location)
{
    int owner, code = enter_pool(__func__, pool);

    if (code == EMU_OK && (!flags || !location))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = hip_check_device(location->device);
    if (code != EMU_OK)
        return hip_leave(code);
    owner = emu_pool_device(pool);
    *flags = location->device == owner ||
                     emu_can_access_peer(location->device, owner)
                 ? 3
                 : 0;
    return hip_leave(HC_HIP_SUCCESS);
}

HIP_API int hipMemPoolExportToShareableHandle(void *handle, void *pool,
                                              int type, unsigned flags)
{
    int fd, code = enter_pool(__func__, pool);

    if (code == EMU_OK && (!handle || flags || type != HANDLE_FD))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_pool_export(pool, &fd);
    if (code == EMU_OK)
        *(int *)handle = fd;
    return hip_leave(code);
}

HIP_API int hipMemPoolImportFromShareableHandle(void **handle, void *shared,
                                                int type, unsigned flags)
{
    struct emu_pool *pool;
    int              code = hip_enter(__func__);

    if (code == EMU_OK && (!handle || flags || type != HANDLE_FD))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_pool_import((int)(intptr_t)shared, &pool);
    if (code == EMU_OK)
        *handle = pool;
    return hip_leave(code);
}

HIP_API int hipMemPoolExportPointer(unsigned char *data, void *ptr)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && (!data || !ptr))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = emu_pool_export_pointer(ptr, data);
    return hip_leave(code);
}

HIP_API int hipMemPoolImportPointer(void **ptr, void *pool,
                                    const unsigned char *data)
{
    struct emu_context *context;
    int                 code = enter_pool(__func__, pool);

    if (code == EMU_OK && (!ptr || !data))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = hip_context_of(hip_thread_device(), &context);
    if (code == EMU_OK)
        code = emu_pool_import_pointer(context, pool, data, ptr);
    return hip_leave(code);
}
