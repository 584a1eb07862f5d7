#include "device/emulator/emu_internal.h"

#include <sys/mman.h>

/* What freeing the range gives back to its device and pool. */
static void discharge(const struct emu_range *range)
{
    if (range->imported)
        return;
    if ((range->kind & (EMU_DEVICE | EMU_MANAGED | EMU_POOL)) != 0)
        emu_memory_discharge(range->device, range->bytes);
    if (range->pool != NULL)
        emu_pool_discount(range->pool, range->bytes);
}

/* at: where it goes, NULL: anywhere */
static int alloc_pinned(struct emu_range *range, void *at)
{
    size_t             mapped = emu_round_up(range->bytes, EMU_PAGE);
    struct emu_memory *memory;
    int                status;
    void              *p = mmap(at, mapped, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);

    if (p == MAP_FAILED)
        return EMU_OUT_OF_MEMORY;
    range->base = (uintptr_t)p;
    status = emu_memory_enter(range, p, mapped, &memory);
    if (status != EMU_OK)
        munmap(p, mapped);
    return status;
}

static int alloc_device(struct emu_range *range, void *at)
{
    struct emu_memory *memory;
    int                fd, status;

    if (!emu_memory_charge(range->device, range->bytes))
        return EMU_OUT_OF_MEMORY;
    fd = emu_memory_file(emu_device(range->device)->physical, "memory",
                         emu_next_id(), range->bytes);
    status =
        fd < 0 ? EMU_OUT_OF_MEMORY : emu_memory_map(range, fd, 0, at, &memory);
    if (status != EMU_OK) {
        emu_memory_discharge(range->device, range->bytes);
        return status;
    }
    range->base = memory->range.base;
    return EMU_OK;
}

int emu_alloc_aligned(struct emu_context *context, enum emu_kind kind,
                      size_t bytes, size_t alignment, unsigned flags,
                      void **ptr_out)
{
    struct emu_range range = {.kind = kind,
                              .bytes = bytes,
                              .context = context,
                              .device = context->ordinal,
                              .accessible = true,
                              .flags = flags};
    void            *at = NULL;
    int              status;

    range.sync_memops = kind == EMU_MANAGED; /* as the drivers report it */
    if (bytes == 0)
        return EMU_INVALID_VALUE;
    if (bytes > SIZE_MAX / 2)
        return EMU_OUT_OF_MEMORY;
    if (alignment > EMU_PAGE) {
        at = emu_memory_space(emu_round_up(bytes, EMU_PAGE), alignment);
        if (at == NULL)
            return EMU_OUT_OF_MEMORY;
    }
    status = kind == EMU_PINNED ? alloc_pinned(&range, at)
                                : alloc_device(&range, at);
    if (status == EMU_OK)
        *ptr_out = (void *)range.base;
    return status;
}

int emu_alloc(struct emu_context *context, enum emu_kind kind, size_t bytes,
              unsigned flags, void **ptr_out)
{
    return emu_alloc_aligned(context, kind, bytes, 0, flags, ptr_out);
}

/* The allocation that starts at ptr, if it is of these. */
static bool starts_at(void *ptr, unsigned kinds, bool imported,
                      struct emu_range *range_out)
{
    return emu_query(ptr, range_out) == EMU_OK &&
           range_out->base == (uintptr_t)ptr &&
           (range_out->kind & kinds) != 0 && range_out->imported == imported;
}

static int forget(const struct emu_range *range)
{
    struct emu_memory *memory;
    bool               found;

    pthread_rwlock_wrlock(&emu_table_lock);
    /* Another thread may have freed it meanwhile. */
    memory = emu_memory_find_locked((void *)range->base);
    found = memory != NULL && memory->range.buffer_id == range->buffer_id;
    if (found)
        emu_memory_remove_locked(memory, false);
    pthread_rwlock_unlock(&emu_table_lock);
    if (!found)
        return EMU_INVALID_VALUE;
    discharge(range);
    return EMU_OK;
}

int emu_free(void *ptr, unsigned kinds)
{
    struct emu_range range;

    if (!starts_at(ptr, kinds, false, &range))
        return EMU_INVALID_VALUE;
    emu_drain_device(range.device);
    return forget(&range);
}

int emu_release(void *ptr, unsigned kinds, bool imported)
{
    struct emu_range range;

    return starts_at(ptr, kinds, imported, &range) ? forget(&range)
                                                   : EMU_INVALID_VALUE;
}

static bool belongs_to(const struct emu_memory *memory, const void *context)
{
    return memory->range.context == context;
}

void emu_memory_free_of(struct emu_context *context)
{
    struct emu_memory *memory;
    struct emu_range   range;

    pthread_rwlock_wrlock(&emu_table_lock);
    while ((memory = emu_memory_search_locked(belongs_to, context)) != NULL) {
        range = memory->range;
        emu_memory_remove_locked(memory, range.kind == EMU_VMM);
        discharge(&range);
    }
    pthread_rwlock_unlock(&emu_table_lock);
}

struct span {
    uintptr_t start, end;
};

static bool overlaps(const struct emu_memory *memory, const void *argument)
{
    const struct span *span = argument;

    return memory->range.base < span->end &&
           span->start < memory->range.base + memory->range.bytes;
}

/* Numbers of the Linux ABI; older C libraries lack the names. */
#define POPULATE_READ  22
#define POPULATE_WRITE 23

static bool populate(const void *start, size_t bytes, bool read_only)
{
    return madvise((void *)start, bytes,
                   read_only ? POPULATE_READ : POPULATE_WRITE) == 0;
}

/* Brings the pages in, as pinning does, and so finds out whether they are there
 * and may be written.  Kernels before 5.14 only tell the former. */
static bool can_pin(const void *ptr, size_t bytes, bool read_only)
{
    static char probe[2 * EMU_PAGE];
    uintptr_t   start = (uintptr_t)ptr & ~(EMU_PAGE - 1);
    size_t      span = emu_round_up((uintptr_t)ptr + bytes - start, EMU_PAGE);
    void       *page = (void *)emu_round_up((uintptr_t)probe, EMU_PAGE);

    if (populate(page, EMU_PAGE, true))
        return populate((void *)start, span, read_only);
    return msync((void *)start, span, MS_ASYNC) == 0;
}

#define REGISTER_READ_ONLY 8u /* a flag of both vendors */

int emu_register(struct emu_context *context, void *ptr, size_t bytes,
                 unsigned flags)
{
    struct emu_range   range = {.kind = EMU_REGISTERED,
                                .base = (uintptr_t)ptr,
                                .bytes = bytes,
                                .context = context,
                                .device = context->ordinal,
                                .accessible = true,
                                .flags = flags};
    struct span        span = {range.base, range.base + bytes};
    struct emu_memory *memory;
    enum emu_kind      kind = EMU_REGISTERED;
    bool               taken;

    if (ptr == NULL || bytes == 0 || span.end < span.start ||
        !can_pin(ptr, bytes, (flags & REGISTER_READ_ONLY) != 0))
        return EMU_INVALID_VALUE;
    pthread_rwlock_rdlock(&emu_table_lock);
    memory = emu_memory_search_locked(overlaps, &span);
    taken = memory != NULL;
    if (taken)
        kind = memory->range.kind;
    pthread_rwlock_unlock(&emu_table_lock);
    if (taken)
        return kind == EMU_REGISTERED ? EMU_HOST_ALREADY_REGISTERED
                                      : EMU_INVALID_VALUE;
    return emu_memory_enter(&range, ptr, 0, &memory);
}

int emu_unregister(void *ptr)
{
    struct emu_memory *memory;
    struct emu_range   range;
    int                status = EMU_HOST_NOT_REGISTERED;

    if (emu_query(ptr, &range) != EMU_OK)
        return status;
    if (range.kind != EMU_REGISTERED || range.base != (uintptr_t)ptr)
        return EMU_INVALID_VALUE;
    emu_drain_device(range.device);
    pthread_rwlock_wrlock(&emu_table_lock);
    memory = emu_memory_find_locked(ptr);
    if (memory != NULL && memory->range.base == (uintptr_t)ptr &&
        memory->range.kind == EMU_REGISTERED) {
        emu_memory_remove_locked(memory, false);
        status = EMU_OK;
    }
    pthread_rwlock_unlock(&emu_table_lock);
    return status;
}

int emu_query(const void *ptr, struct emu_range *range_out)
{
    const struct emu_memory *memory;

    pthread_rwlock_rdlock(&emu_table_lock);
    memory = emu_memory_find_locked(ptr);
    if (memory != NULL)
        *range_out = memory->range;
    pthread_rwlock_unlock(&emu_table_lock);
    return memory != NULL ? EMU_OK : EMU_NOT_FOUND;
}

int emu_set_sync_memops(const void *ptr, bool on)
{
    struct emu_memory *memory;

    pthread_rwlock_wrlock(&emu_table_lock);
    memory = emu_memory_find_locked(ptr);
    if (memory != NULL)
        memory->range.sync_memops = on;
    pthread_rwlock_unlock(&emu_table_lock);
    return memory != NULL ? EMU_OK : EMU_INVALID_VALUE;
}
