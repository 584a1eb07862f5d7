#include "device/emulator/emu_internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct emu_vmm {
    int        ordinal;
    size_t     bytes;
    unsigned   handle_types;
    int        fd;
    bool       imported;
    atomic_int refs; /* handles given out, and mappings */
};

struct reservation {
    struct reservation *next;
    uintptr_t           base;
    size_t              bytes;
};

static pthread_mutex_t     lock = PTHREAD_MUTEX_INITIALIZER;
static struct reservation *reservations; /* lock */

#define FD_HANDLE 1u

/* ---------------------------------------------------------- address ranges */

/* mmap aligns to pages; take more and give back both ends. */
static void *map_aligned(size_t bytes, size_t alignment)
{
    size_t    room = bytes + alignment;
    char     *p = mmap(NULL, room, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uintptr_t start;

    if (p == MAP_FAILED)
        return NULL;
    start = emu_round_up((uintptr_t)p, alignment);
    if (start > (uintptr_t)p)
        munmap(p, start - (uintptr_t)p);
    if ((uintptr_t)p + room > start + bytes)
        munmap((char *)start + bytes, (uintptr_t)p + room - (start + bytes));
    return (void *)start;
}

int emu_vmm_reserve(size_t bytes, size_t alignment, void *hint, void **ptr_out)
{
    struct reservation *r;
    void               *p;

    (void)hint; /* a wish only, in the drivers too */
    if (bytes == 0 || bytes % EMU_VMM_GRANULARITY != 0 ||
        (alignment & (alignment - 1)) != 0)
        return EMU_INVALID_VALUE;
    if (alignment < EMU_VMM_GRANULARITY)
        alignment = EMU_VMM_GRANULARITY;
    if (bytes > SIZE_MAX / 4 || alignment > SIZE_MAX / 4)
        return EMU_OUT_OF_MEMORY;
    r = malloc(sizeof *r);
    p = r != NULL ? map_aligned(bytes, alignment) : NULL;
    if (p == NULL) {
        free(r);
        return EMU_OUT_OF_MEMORY;
    }
    r->base = (uintptr_t)p;
    r->bytes = bytes;
    pthread_mutex_lock(&lock);
    r->next = reservations;
    reservations = r;
    pthread_mutex_unlock(&lock);
    *ptr_out = p;
    return EMU_OK;
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

static bool in_use(void *ptr, size_t bytes)
{
    struct span span = {(uintptr_t)ptr, (uintptr_t)ptr + bytes};
    bool        used;

    pthread_rwlock_rdlock(&emu_table_lock);
    used = emu_memory_search_locked(overlaps, &span) != NULL;
    pthread_rwlock_unlock(&emu_table_lock);
    return used;
}

int emu_vmm_unreserve(void *ptr, size_t bytes)
{
    struct reservation **link = &reservations, *r;

    pthread_mutex_lock(&lock);
    while (*link != NULL && (*link)->base != (uintptr_t)ptr)
        link = &(*link)->next;
    r = *link;
    if (r == NULL || r->bytes != bytes || in_use(ptr, bytes)) {
        pthread_mutex_unlock(&lock);
        return EMU_INVALID_VALUE;
    }
    *link = r->next;
    pthread_mutex_unlock(&lock);
    munmap(ptr, bytes);
    free(r);
    return EMU_OK;
}

int emu_vmm_reservation(const void *ptr, uintptr_t *base_out, size_t *bytes_out)
{
    uintptr_t           address = (uintptr_t)ptr;
    struct reservation *r;

    pthread_mutex_lock(&lock);
    r = reservations;
    while (r != NULL && (address < r->base || address - r->base >= r->bytes))
        r = r->next;
    if (r != NULL) {
        *base_out = r->base;
        *bytes_out = r->bytes;
    }
    pthread_mutex_unlock(&lock);
    return r != NULL ? EMU_OK : EMU_NOT_FOUND;
}

static bool reserved(void *ptr, size_t bytes)
{
    uintptr_t base;
    size_t    room;

    return emu_vmm_reservation(ptr, &base, &room) == EMU_OK &&
           bytes <= room - ((uintptr_t)ptr - base);
}

/* --------------------------------------------------------- physical memory */

static int new_vmm(int ordinal, size_t bytes, unsigned handle_types, int fd,
                   struct emu_vmm **vmm_out)
{
    struct emu_vmm *vmm = calloc(1, sizeof *vmm);

    if (vmm == NULL || !emu_handle_add(vmm)) {
        free(vmm);
        close(fd);
        return EMU_OUT_OF_MEMORY;
    }
    vmm->ordinal = ordinal;
    vmm->bytes = bytes;
    vmm->handle_types = handle_types;
    vmm->fd = fd;
    vmm->refs = 1;
    *vmm_out = vmm;
    return EMU_OK;
}

int emu_vmm_create(int ordinal, size_t bytes, unsigned handle_types,
                   struct emu_vmm **vmm_out)
{
    int fd, status;

    if (emu_device(ordinal) == NULL)
        return EMU_INVALID_DEVICE;
    if (bytes == 0 || bytes % EMU_VMM_GRANULARITY != 0)
        return EMU_INVALID_VALUE;
    if ((handle_types & ~FD_HANDLE) != 0)
        return EMU_NOT_SUPPORTED;
    if (!emu_memory_charge(ordinal, bytes))
        return EMU_OUT_OF_MEMORY;
    fd = emu_memory_file(emu_device(ordinal)->physical, "vmm", emu_next_id(),
                         bytes);
    status = fd < 0 ? EMU_OUT_OF_MEMORY
                    : new_vmm(ordinal, bytes, handle_types, fd, vmm_out);
    if (status != EMU_OK)
        emu_memory_discharge(ordinal, bytes);
    return status;
}

int emu_vmm_release(struct emu_vmm *vmm)
{
    if (!emu_handle_has(vmm))
        return EMU_INVALID_VALUE;
    if (atomic_fetch_sub(&vmm->refs, 1) > 1)
        return EMU_OK;
    emu_handle_remove(vmm);
    if (!vmm->imported)
        emu_memory_discharge(vmm->ordinal, vmm->bytes);
    close(vmm->fd);
    free(vmm);
    return EMU_OK;
}

int emu_vmm_info(const struct emu_vmm *vmm, int *ordinal_out,
                 unsigned *handle_types_out)
{
    if (!emu_handle_has(vmm))
        return EMU_INVALID_VALUE;
    *ordinal_out = vmm->ordinal;
    *handle_types_out = vmm->handle_types;
    return EMU_OK;
}

/* --------------------------------------------------------------- mappings */

int emu_vmm_map(struct emu_context *context, void *ptr, size_t bytes,
                size_t offset, struct emu_vmm *vmm)
{
    struct emu_range   range = {.kind = EMU_VMM, .bytes = bytes};
    struct emu_memory *memory;
    int                fd, status;

    if (!emu_handle_has(vmm) || offset % EMU_VMM_GRANULARITY != 0 ||
        bytes == 0 || bytes % EMU_VMM_GRANULARITY != 0 || offset > vmm->bytes ||
        bytes > vmm->bytes - offset ||
        (uintptr_t)ptr % EMU_VMM_GRANULARITY != 0 || !reserved(ptr, bytes) ||
        in_use(ptr, bytes))
        return EMU_INVALID_VALUE;
    if (offset != 0 || bytes != vmm->bytes)
        return EMU_NOT_SUPPORTED; /* by the drivers, either: all or nothing */
    fd = fcntl(vmm->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return EMU_OUT_OF_MEMORY;
    range.context = context;
    range.device = vmm->ordinal;
    range.imported = vmm->imported;
    range.handle_types = vmm->handle_types;
    status = emu_memory_map(&range, fd, offset, ptr, &memory);
    if (status != EMU_OK)
        return status;
    atomic_fetch_add(&vmm->refs, 1);
    memory->vmm = vmm;
    return EMU_OK;
}

/* Calls each for the mappings in [ptr, ptr+bytes), which they must fill
 * exactly.  Table lock held for writing. */
static int for_each_mapping(void *ptr, size_t bytes,
                            void (*each)(struct emu_memory *, const void *),
                            const void *argument)
{
    uintptr_t          at = (uintptr_t)ptr, end = at + bytes;
    struct emu_memory *memory;

    for (uintptr_t p = at; p < end; p += memory->range.bytes) {
        memory = emu_memory_find_locked((void *)p);
        if (memory == NULL || memory->range.kind != EMU_VMM ||
            memory->range.base != p || memory->range.bytes > end - p)
            return EMU_INVALID_VALUE;
    }
    while (at < end) {
        memory = emu_memory_find_locked((void *)at);
        at += memory->range.bytes;
        each(memory, argument);
    }
    return EMU_OK;
}

static void unmap_one(struct emu_memory *memory, const void *unused)
{
    (void)unused;
    emu_memory_remove_locked(memory, true);
}

int emu_vmm_unmap(void *ptr, size_t bytes)
{
    struct emu_range range;
    int              status;

    if (bytes == 0 || emu_query(ptr, &range) != EMU_OK)
        return EMU_INVALID_VALUE;
    emu_drain_device(range.device);
    pthread_rwlock_wrlock(&emu_table_lock);
    status = for_each_mapping(ptr, bytes, unmap_one, NULL);
    pthread_rwlock_unlock(&emu_table_lock);
    return status;
}

struct access {
    int  ordinal;
    bool on;
};

/* The engine is one for all devices; only the holder's access counts. */
static void access_one(struct emu_memory *memory, const void *argument)
{
    const struct access *access = argument;

    if (memory->range.device == access->ordinal)
        memory->range.accessible = access->on;
}

int emu_vmm_set_access(void *ptr, size_t bytes, int ordinal, bool on)
{
    struct access access = {ordinal, on};
    int           status;

    if (bytes == 0)
        return EMU_INVALID_VALUE;
    if (emu_device(ordinal) == NULL)
        return EMU_INVALID_DEVICE;
    pthread_rwlock_wrlock(&emu_table_lock);
    status = for_each_mapping(ptr, bytes, access_one, &access);
    pthread_rwlock_unlock(&emu_table_lock);
    return status;
}

int emu_vmm_retain(const void *ptr, struct emu_vmm **vmm_out)
{
    struct emu_memory *memory;
    struct emu_vmm    *vmm = NULL;

    pthread_rwlock_rdlock(&emu_table_lock);
    memory = emu_memory_find_locked(ptr);
    if (memory != NULL && memory->vmm != NULL) {
        vmm = memory->vmm;
        atomic_fetch_add(&vmm->refs, 1);
    }
    pthread_rwlock_unlock(&emu_table_lock);
    if (vmm == NULL)
        return EMU_INVALID_VALUE;
    *vmm_out = vmm;
    return EMU_OK;
}

/* ----------------------------------------------- sharing between processes */

int emu_vmm_export(struct emu_vmm *vmm, int *fd_out)
{
    int fd;

    if (!emu_handle_has(vmm) || (vmm->handle_types & FD_HANDLE) == 0)
        return EMU_INVALID_VALUE;
    fd = fcntl(vmm->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return EMU_OUT_OF_MEMORY;
    *fd_out = fd;
    return EMU_OK;
}

int emu_vmm_import(int fd, struct emu_vmm **vmm_out)
{
    char     what[16];
    int      physical, ours, status;
    uint64_t id;
    size_t   bytes;

    if (!emu_memory_file_info(fd, what, &physical, &id, &bytes) ||
        strcmp(what, "vmm") != 0)
        return EMU_INVALID_VALUE;
    if (emu_ordinal(physical) < 0)
        return EMU_INVALID_DEVICE;
    ours = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (ours < 0)
        return EMU_OUT_OF_MEMORY;
    status = new_vmm(emu_ordinal(physical), bytes, FD_HANDLE, ours, vmm_out);
    if (status == EMU_OK)
        (*vmm_out)->imported = true;
    return status;
}
