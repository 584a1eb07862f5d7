#include "device/emulator/emu_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

pthread_rwlock_t emu_table_lock = PTHREAD_RWLOCK_INITIALIZER;

/* Sorted by base, so that a look-up is a binary search: programs ask about
 * every pointer they hand to MPI.  Global as the address space is. */
static struct emu_memory **table;
static size_t              table_count, table_room;

static _Atomic size_t   charged[EMU_MAX_DEVICES]; /* bytes, by ordinal */
static _Atomic uint64_t last_id;

uint64_t emu_next_id(void)
{
    return atomic_fetch_add(&last_id, 1) + 1;
}

size_t emu_round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

bool emu_memory_charge(int ordinal, size_t bytes)
{
    size_t total = emu_device(ordinal)->total_bytes;
    size_t before = charged[ordinal];

    do {
        if (bytes > total || before > total - bytes)
            return false;
    } while (!atomic_compare_exchange_weak(&charged[ordinal], &before,
                                           before + bytes));
    return true;
}

void emu_memory_discharge(int ordinal, size_t bytes)
{
    atomic_fetch_sub(&charged[ordinal], bytes);
}

size_t emu_device_free_bytes(int ordinal)
{
    const struct emu_device *device = emu_device(ordinal);

    return device == NULL ? 0 : device->total_bytes - charged[ordinal];
}

/* ------------------------------------------------------------ memory files */

/* A file per allocation soon meets the usual soft limit of 1024. */
static bool raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
        limit.rlim_cur == limit.rlim_max)
        return false;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

int emu_memory_file(int physical, const char *what, uint64_t id, size_t bytes)
{
    char name[128];
    int  fd;

    snprintf(name, sizeof name, "hcomm-emulated:%s:%d:%s:%llu:%zu",
             emu_vendor_word(), physical, what, (unsigned long long)id, bytes);
    fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0 && errno == EMFILE && raise_file_limit())
        fd = memfd_create(name, MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, (off_t)emu_round_up(bytes, EMU_PAGE)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

bool emu_memory_file_info(int fd, char what_out[16], int *physical_out,
                          uint64_t *id_out, size_t *bytes_out)
{
    char               path[64], name[192], vendor[16];
    unsigned long long id;
    ssize_t            length;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    length = readlink(path, name, sizeof name - 1);
    if (length < 0)
        return false;
    name[length] = '\0';
    if (sscanf(name, "/memfd:hcomm-emulated:%15[a-z]:%d:%15[a-z]:%llu:%zu",
               vendor, physical_out, what_out, &id, bytes_out) != 5)
        return false;
    *id_out = id;
    return strcmp(vendor, emu_vendor_word()) == 0;
}

/* --------------------------------------------------------------- the table */

/* Index of the last entry that starts at or below address; -1: none. */
static ssize_t last_at_or_below(uintptr_t address)
{
    size_t low = 0, high = table_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (table[middle]->range.base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return (ssize_t)low - 1;
}

struct emu_memory *emu_memory_find_locked(const void *p)
{
    uintptr_t address = (uintptr_t)p;
    ssize_t   i = last_at_or_below(address);

    if (i < 0 || address - table[i]->range.base >= table[i]->range.bytes)
        return NULL;
    return table[i];
}

struct emu_memory *emu_memory_search_locked(
    bool (*accept)(const struct emu_memory *, const void *),
    const void *argument)
{
    for (size_t i = 0; i < table_count; i++) {
        if (accept(table[i], argument))
            return table[i];
    }
    return NULL;
}

/* Table lock held for writing. */
static bool insert(struct emu_memory *memory)
{
    size_t at = (size_t)(last_at_or_below(memory->range.base) + 1);

    if (table_count == table_room) {
        size_t room = table_room ? table_room * 2 : 64;
        void  *more = realloc(table, room * sizeof *table);

        if (more == NULL)
            return false;
        table = more;
        table_room = room;
    }
    memmove(&table[at + 1], &table[at], (table_count - at) * sizeof *table);
    table[at] = memory;
    table_count++;
    return true;
}

int emu_memory_enter(const struct emu_range *range, char *alias,
                     size_t mapped_bytes, struct emu_memory **memory_out)
{
    struct emu_memory *memory = calloc(1, sizeof *memory);
    bool               ok;

    if (memory == NULL)
        return EMU_OUT_OF_MEMORY;
    memory->range = *range;
    memory->range.buffer_id = emu_next_id();
    memory->alias = alias;
    memory->mapped_bytes = mapped_bytes;
    memory->fd = -1;
    memory->refs = 1;
    memory->opens = 1;
    memory->owner_pid = (int)getpid();
    memory->owner_id = memory->range.buffer_id;
    pthread_rwlock_wrlock(&emu_table_lock);
    ok = insert(memory);
    pthread_rwlock_unlock(&emu_table_lock);
    if (!ok) {
        free(memory);
        return EMU_OUT_OF_MEMORY;
    }
    *memory_out = memory;
    return EMU_OK;
}

/* The application's view: no access, so that a stray one faults on its own
 * line, and system calls give EFAULT. */
static void *map_view(enum emu_kind kind, void *at, size_t bytes, int fd,
                      size_t offset)
{
    int protection = kind == EMU_MANAGED ? PROT_READ | PROT_WRITE : PROT_NONE;

    return mmap(at, bytes, protection, MAP_SHARED | (at ? MAP_FIXED : 0), fd,
                (off_t)offset);
}

void *emu_memory_space(size_t mapped_bytes, size_t alignment)
{
    size_t    room = mapped_bytes + alignment;
    char     *space = mmap(NULL, room, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uintptr_t start = (uintptr_t)space;
    size_t    before, after;

    if (room < mapped_bytes || space == MAP_FAILED)
        return NULL;
    before = emu_round_up(start, alignment) - start;
    after = room - before - mapped_bytes;
    if (before > 0)
        munmap(space, before);
    if (after > 0)
        munmap(space + before + mapped_bytes, after);
    return space + before;
}

int emu_memory_map(const struct emu_range *range, int fd, size_t fd_offset,
                   void *at, struct emu_memory **memory_out)
{
    size_t           mapped = emu_round_up(range->bytes, EMU_PAGE);
    struct emu_range full = *range;
    void            *view, *alias;
    int              status;

    alias = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                 (off_t)fd_offset);
    view = alias == MAP_FAILED
               ? MAP_FAILED
               : map_view(range->kind, at, mapped, fd, fd_offset);
    if (view == MAP_FAILED) {
        if (alias != MAP_FAILED)
            munmap(alias, mapped);
        close(fd);
        return EMU_OUT_OF_MEMORY;
    }
    full.base = (uintptr_t)view;
    status = emu_memory_enter(&full, alias, mapped, memory_out);
    if (status != EMU_OK) {
        munmap(alias, mapped);
        munmap(view, mapped);
        close(fd);
        return status;
    }
    (*memory_out)->fd = fd;
    (*memory_out)->fd_offset = fd_offset;
    return EMU_OK;
}

/* Only the last holder of a removed entry comes here. */
static void destroy(struct emu_memory *memory)
{
    if (memory->range.kind == EMU_PINNED)
        munmap((void *)memory->range.base, memory->mapped_bytes);
    else if (memory->range.kind != EMU_REGISTERED)
        munmap(memory->alias, memory->mapped_bytes);
    if (memory->fd >= 0)
        close(memory->fd);
    if (memory->vmm != NULL)
        emu_vmm_release(memory->vmm);
    free(memory);
}

void emu_memory_unhold(struct emu_memory *memory)
{
    if (memory != NULL && atomic_fetch_sub(&memory->refs, 1) == 1)
        destroy(memory);
}

void emu_memory_remove_locked(struct emu_memory *memory, bool replace)
{
    size_t i = (size_t)last_at_or_below(memory->range.base);
    void  *view = (void *)memory->range.base;

    memmove(&table[i], &table[i + 1], (table_count - i - 1) * sizeof *table);
    table_count--;
    if (memory->range.kind != EMU_PINNED &&
        memory->range.kind != EMU_REGISTERED) {
        if (replace)
            mmap(view, memory->mapped_bytes, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
                 0);
        else
            munmap(view, memory->mapped_bytes);
    }
    emu_memory_unhold(memory);
}

/* ----------------------------------------------------- access for copies */

struct emu_memory *emu_memory_hold(const void *p, size_t *bytes,
                                   char **engine_ptr_out)
{
    uintptr_t          address = (uintptr_t)p;
    struct emu_memory *memory;
    size_t             room = *bytes;
    ssize_t            next;

    pthread_rwlock_rdlock(&emu_table_lock);
    memory = emu_memory_find_locked(p);
    if (memory != NULL) {
        room = memory->range.base + memory->range.bytes - address;
        *engine_ptr_out = memory->range.accessible
                              ? memory->alias + (address - memory->range.base)
                              : NULL;
        atomic_fetch_add(&memory->refs, 1);
    } else {
        next = last_at_or_below(address) + 1;
        if (next < (ssize_t)table_count)
            room = table[next]->range.base - address;
        *engine_ptr_out = (char *)address;
    }
    pthread_rwlock_unlock(&emu_table_lock);
    if (room < *bytes)
        *bytes = room;
    return memory;
}

static bool is_host(const struct emu_memory *memory)
{
    return memory == NULL ||
           (memory->range.kind & (EMU_PINNED | EMU_REGISTERED)) != 0;
}

/* Device memory from start must go on to end; VMM ranges may adjoin. */
static bool covered(const struct emu_memory *memory, uintptr_t end)
{
    uintptr_t reached = memory->range.base + memory->range.bytes;

    while (reached < end) {
        memory = emu_memory_find_locked((void *)reached);
        if (is_host(memory) || !memory->range.accessible)
            return false;
        reached = memory->range.base + memory->range.bytes;
    }
    return true;
}

int emu_memory_side(const void *p, size_t bytes, struct emu_side *side_out)
{
    const struct emu_memory *memory;
    struct emu_side          side = {0};
    int                      status = EMU_OK;
    uintptr_t                end = (uintptr_t)p + bytes;

    if (end < (uintptr_t)p || (p == NULL && bytes > 0))
        return EMU_INVALID_VALUE;
    pthread_rwlock_rdlock(&emu_table_lock);
    memory = emu_memory_find_locked(p);
    side.device = !is_host(memory);
    side.pageable = memory == NULL;
    if (side.device) {
        side.ordinal = memory->range.device;

        if (!memory->range.accessible || !covered(memory, end))
            status = EMU_INVALID_VALUE;
    }
    pthread_rwlock_unlock(&emu_table_lock);
    if (status == EMU_OK)
        *side_out = side;
    return status;
}
