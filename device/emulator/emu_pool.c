#include "device/emulator/emu_internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Attribute numbers, the same in CUDA and HIP. */
enum {
    FIRST_SETTING = 1, /* three reuse switches, release threshold */
    LAST_SETTING = 4,
    RESERVED = 5,
    RESERVED_HIGH = 6,
    USED = 7,
    USED_HIGH = 8,
};

struct emu_pool {
    int      ordinal;
    unsigned handle_types;
    bool     is_default, imported, exported;
    int      fd; /* names an exportable pool; -1: none */
    uint64_t id;
    uint64_t settings[LAST_SETTING + 1];
    size_t   used, high; /* bytes */
};

/* Guards the pools' numbers and the defaults. */
static pthread_mutex_t  lock = PTHREAD_MUTEX_INITIALIZER;
static struct emu_pool *defaults[EMU_MAX_DEVICES];

#define FD_HANDLE 1u /* a POSIX file descriptor, in both vendors' sets */

static struct emu_pool *new_pool(int ordinal, unsigned handle_types)
{
    struct emu_pool *pool = calloc(1, sizeof *pool);

    if (pool == NULL || !emu_handle_add(pool)) {
        free(pool);
        return NULL;
    }
    pool->ordinal = ordinal;
    pool->handle_types = handle_types;
    pool->fd = -1;
    pool->id = emu_next_id();
    for (int i = FIRST_SETTING; i < LAST_SETTING; i++)
        pool->settings[i] = 1; /* all reuse is on; the threshold is 0 */
    return pool;
}

int emu_pool_create(int ordinal, unsigned handle_types,
                    struct emu_pool **pool_out)
{
    struct emu_pool *pool;

    if (emu_device(ordinal) == NULL)
        return EMU_INVALID_DEVICE;
    if ((handle_types & ~FD_HANDLE) != 0)
        return EMU_NOT_SUPPORTED;
    pool = new_pool(ordinal, handle_types);
    if (pool == NULL)
        return EMU_OUT_OF_MEMORY;
    if (handle_types & FD_HANDLE) {
        pool->fd = emu_memory_file(emu_device(ordinal)->physical, "pool",
                                   pool->id, EMU_PAGE);
        if (pool->fd < 0) {
            emu_pool_destroy(pool);
            return EMU_OUT_OF_MEMORY;
        }
    }
    *pool_out = pool;
    return EMU_OK;
}

static bool is_from(const struct emu_memory *memory, const void *pool)
{
    return memory->range.pool == pool;
}

/* Its allocations live on without a pool. */
static void orphan_allocations(struct emu_pool *pool)
{
    struct emu_memory *memory;

    pthread_rwlock_wrlock(&emu_table_lock);
    while ((memory = emu_memory_search_locked(is_from, pool)) != NULL)
        memory->range.pool = NULL;
    pthread_rwlock_unlock(&emu_table_lock);
}

int emu_pool_destroy(struct emu_pool *pool)
{
    if (pool->is_default)
        return EMU_INVALID_VALUE;
    emu_handle_remove(pool);
    orphan_allocations(pool);
    if (pool->fd >= 0)
        close(pool->fd);
    free(pool);
    return EMU_OK;
}

struct emu_pool *emu_pool_default(int ordinal)
{
    struct emu_pool *pool = NULL;

    if (emu_device(ordinal) == NULL)
        return NULL;
    pthread_mutex_lock(&lock);
    if (defaults[ordinal] == NULL) {
        defaults[ordinal] = new_pool(ordinal, 0);
        if (defaults[ordinal] != NULL)
            defaults[ordinal]->is_default = true;
    }
    pool = defaults[ordinal];
    pthread_mutex_unlock(&lock);
    return pool;
}

bool emu_pool_valid(const struct emu_pool *pool)
{
    return emu_handle_has(pool);
}

int emu_pool_device(const struct emu_pool *pool)
{
    return pool->ordinal;
}

unsigned emu_pool_handle_types(const struct emu_pool *pool)
{
    return pool->handle_types;
}

/* ------------------------------------------------------------- attributes */

void emu_pool_count(struct emu_pool *pool, size_t bytes)
{
    pthread_mutex_lock(&lock);
    pool->used += bytes;
    if (pool->used > pool->high)
        pool->high = pool->used;
    pthread_mutex_unlock(&lock);
}

void emu_pool_discount(struct emu_pool *pool, size_t bytes)
{
    pthread_mutex_lock(&lock);
    pool->used -= bytes;
    pthread_mutex_unlock(&lock);
}

int emu_pool_get(struct emu_pool *pool, int attribute, uint64_t *value_out)
{
    if (attribute < FIRST_SETTING || attribute > USED_HIGH)
        return EMU_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (attribute <= LAST_SETTING)
        *value_out = pool->settings[attribute];
    else if (attribute == RESERVED || attribute == USED)
        *value_out = pool->used; /* nothing is kept in reserve */
    else
        *value_out = pool->high;
    pthread_mutex_unlock(&lock);
    return EMU_OK;
}

int emu_pool_set(struct emu_pool *pool, int attribute, uint64_t value)
{
    bool high = attribute == RESERVED_HIGH || attribute == USED_HIGH;

    if (attribute < FIRST_SETTING || attribute == RESERVED ||
        attribute == USED || attribute > USED_HIGH || (high && value != 0))
        return EMU_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (high)
        pool->high = pool->used;
    else
        pool->settings[attribute] = value;
    pthread_mutex_unlock(&lock);
    return EMU_OK;
}

/* ------------------------------------------------------- allocate and free */

static int map_from(struct emu_pool *pool, struct emu_range *range)
{
    struct emu_memory *memory;
    int                status;
    int fd = emu_memory_file(emu_device(pool->ordinal)->physical, "memory",
                             emu_next_id(), range->bytes);

    if (fd < 0)
        return EMU_OUT_OF_MEMORY;
    status = emu_memory_map(range, fd, 0, NULL, &memory);
    if (status == EMU_OK)
        range->base = memory->range.base;
    return status;
}

int emu_pool_alloc(struct emu_context *context, struct emu_pool *pool,
                   struct emu_stream *stream, size_t bytes, void **ptr_out)
{
    struct emu_range range = {.kind = EMU_POOL,
                              .bytes = bytes,
                              .context = context,
                              .device = pool->ordinal,
                              .accessible = true,
                              .handle_types = pool->handle_types,
                              .pool = pool};
    int              status = emu_context_error(stream->context);

    if (status != EMU_OK)
        return status;
    if (pool->imported)
        return EMU_INVALID_VALUE;
    if (bytes == 0) { /* nothing, and freeing it is no error */
        *ptr_out = NULL;
        return EMU_OK;
    }
    /* Outside the capture that goes on it would not be ordered with it. */
    if (stream->capture == NULL && (status = emu_capture_unsafe()) != EMU_OK)
        return status;
    if (!emu_memory_charge(pool->ordinal, bytes))
        return EMU_OUT_OF_MEMORY;
    status = map_from(pool, &range);
    if (status != EMU_OK) {
        emu_memory_discharge(pool->ordinal, bytes);
        return status;
    }
    emu_pool_count(pool, bytes);
    *ptr_out = (void *)range.base;
    return EMU_OK;
}

struct free_op {
    struct emu_op op;
    uintptr_t     base;
    uint64_t      buffer_id;
};

static int run_free(struct emu_op *op)
{
    struct free_op    *f = (struct free_op *)op;
    struct emu_memory *memory;
    struct emu_range   range;
    bool               found;

    pthread_rwlock_wrlock(&emu_table_lock);
    memory = emu_memory_find_locked((void *)f->base);
    found = memory != NULL && memory->range.buffer_id == f->buffer_id;
    if (found) {
        range = memory->range;
        emu_memory_remove_locked(memory, false);
    }
    pthread_rwlock_unlock(&emu_table_lock);
    if (found && !range.imported) {
        emu_memory_discharge(range.device, range.bytes);
        if (range.pool != NULL)
            emu_pool_discount(range.pool, range.bytes);
    }
    return 0;
}

/* Marks it as given back, so that it is not given back again. */
static bool claim(void *ptr, struct emu_range *range_out)
{
    struct emu_memory *memory;
    bool               ok;

    pthread_rwlock_wrlock(&emu_table_lock);
    memory = emu_memory_find_locked(ptr);
    ok = memory != NULL && memory->range.base == (uintptr_t)ptr &&
         !memory->freeing && (memory->range.kind & (EMU_POOL | EMU_DEVICE)) &&
         (memory->range.kind == EMU_POOL || !memory->range.imported);
    if (ok) {
        memory->freeing = true;
        *range_out = memory->range;
    }
    pthread_rwlock_unlock(&emu_table_lock);
    return ok;
}

int emu_pool_free(struct emu_stream *stream, void *ptr)
{
    struct emu_range range;
    struct free_op  *f = calloc(1, sizeof *f);

    if (f == NULL)
        return EMU_OUT_OF_MEMORY;
    if (!claim(ptr, &range)) {
        free(f);
        return EMU_INVALID_VALUE;
    }
    f->op.run = run_free;
    f->op.drop = emu_op_free;
    f->base = range.base;
    f->buffer_id = range.buffer_id;
    return emu_submit(stream, &f->op, NULL);
}

/* ----------------------------------------------- sharing between processes */

int emu_pool_export(struct emu_pool *pool, int *fd_out)
{
    int fd;

    if (pool->fd < 0 || pool->imported)
        return EMU_NOT_SUPPORTED;
    fd = fcntl(pool->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return EMU_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    pool->exported = true;
    pthread_mutex_unlock(&lock);
    *fd_out = fd;
    return EMU_OK;
}

int emu_pool_import(int fd, struct emu_pool **pool_out)
{
    char             what[16];
    int              physical;
    uint64_t         id;
    size_t           bytes;
    struct emu_pool *pool;

    if (!emu_memory_file_info(fd, what, &physical, &id, &bytes) ||
        strcmp(what, "pool") != 0)
        return EMU_INVALID_VALUE;
    if (emu_ordinal(physical) < 0)
        return EMU_INVALID_DEVICE;
    pool = new_pool(emu_ordinal(physical), FD_HANDLE);
    if (pool == NULL)
        return EMU_OUT_OF_MEMORY;
    pool->imported = true;
    pool->id = id;
    *pool_out = pool;
    return EMU_OK;
}

/* Where an allocation of an exported pool is found. */
struct pointer_data {
    uint32_t magic;
    int32_t  pid, fd;
    uint64_t pool_id, file_id;
    uint64_t owner_id, bytes;
};

#define POINTER_MAGIC 0x48435031u

_Static_assert(sizeof(struct pointer_data) <= 64, "the drivers give 64 bytes");

static bool is_exported(struct emu_pool *pool)
{
    bool exported;

    pthread_mutex_lock(&lock);
    exported = pool->exported;
    pthread_mutex_unlock(&lock);
    return exported;
}

int emu_pool_export_pointer(void *ptr, unsigned char data_out[64])
{
    struct pointer_data      data = {.magic = POINTER_MAGIC};
    const struct emu_memory *memory;
    char                     what[16];
    int                      physical;
    size_t                   bytes;
    bool                     ok;

    pthread_rwlock_rdlock(&emu_table_lock);
    memory = emu_memory_find_locked(ptr);
    ok = memory != NULL && memory->range.kind == EMU_POOL &&
         memory->range.base == (uintptr_t)ptr && !memory->range.imported &&
         memory->range.pool != NULL && is_exported(memory->range.pool) &&
         emu_memory_file_info(memory->fd, what, &physical, &data.file_id,
                              &bytes);
    if (ok) {
        data.pid = (int32_t)getpid();
        data.fd = memory->fd;
        data.pool_id = memory->range.pool->id;
        data.owner_id = memory->owner_id;
        data.bytes = memory->range.bytes;
    }
    pthread_rwlock_unlock(&emu_table_lock);
    if (!ok)
        return EMU_INVALID_VALUE;
    memset(data_out, 0, 64);
    memcpy(data_out, &data, sizeof data);
    return EMU_OK;
}

static int open_pointer(const struct pointer_data *data)
{
    char     path[64], what[16];
    int      physical, fd;
    uint64_t id;
    size_t   bytes;

    snprintf(path, sizeof path, "/proc/%d/fd/%d", data->pid, data->fd);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0 && (!emu_memory_file_info(fd, what, &physical, &id, &bytes) ||
                    strcmp(what, "memory") != 0 || id != data->file_id ||
                    bytes != data->bytes)) {
        close(fd);
        return -1;
    }
    return fd;
}

int emu_pool_import_pointer(struct emu_context *context, struct emu_pool *pool,
                            const unsigned char data[64], void **ptr_out)
{
    struct pointer_data d;
    struct emu_range    range = {.kind = EMU_POOL,
                                 .context = context,
                                 .device = pool->ordinal,
                                 .imported = true,
                                 .accessible = true,
                                 .handle_types = pool->handle_types,
                                 .pool = pool};
    struct emu_memory  *memory;
    int                 fd, status;

    memcpy(&d, data, sizeof d);
    if (d.magic != POINTER_MAGIC || !pool->imported || d.pool_id != pool->id)
        return EMU_INVALID_VALUE;
    fd = open_pointer(&d);
    if (fd < 0)
        return EMU_MAP_FAILED;
    range.bytes = d.bytes;
    status = emu_memory_map(&range, fd, 0, NULL, &memory);
    if (status == EMU_OK)
        *ptr_out = (void *)memory->range.base;
    return status;
}
