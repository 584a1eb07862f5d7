#include "device/emulator/emu_event.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A handle says where the file of the memory is found: it is opened anew
 * through /proc, which needs the rights of the same user and no ptrace.  The
 * name of the file proves that it is still the same memory.
 */
struct handle {
    uint32_t magic;
    int32_t  pid, fd;
    uint64_t id; /* in the name of the file */
    uint64_t owner_id;
    uint64_t bytes;
    uint32_t flags;
};

enum { MEMORY_MAGIC = 0x48434d31, EVENT_MAGIC = 0x48434531 };

_Static_assert(sizeof(struct handle) <= 64,
               "the drivers' handles are 64 bytes");

/* The file named in a handle, and whose device's it is.  -1: it is gone. */
static int open_file(const struct handle *handle, const char *what,
                     int *physical_out)
{
    char     path[64], found[16];
    uint64_t id;
    size_t   bytes;
    int      fd;

    snprintf(path, sizeof path, "/proc/%d/fd/%d", handle->pid, handle->fd);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (!emu_memory_file_info(fd, found, physical_out, &id, &bytes) ||
        strcmp(found, what) != 0 || id != handle->id ||
        bytes != handle->bytes) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool describe(int fd, struct handle *handle)
{
    char     what[16];
    int      physical;
    uint64_t id;
    size_t   bytes;

    if (!emu_memory_file_info(fd, what, &physical, &id, &bytes))
        return false;
    handle->pid = (int32_t)getpid();
    handle->fd = fd;
    handle->id = id;
    handle->bytes = bytes;
    return true;
}

static void store(unsigned char out[64], const struct handle *handle)
{
    memset(out, 0, 64);
    memcpy(out, handle, sizeof *handle);
}

/* ----------------------------------------------------------------- memory */

int emu_ipc_export(const void *ptr, unsigned char handle_out[64])
{
    struct handle            handle = {.magic = MEMORY_MAGIC};
    const struct emu_memory *memory;
    bool                     ok;

    pthread_rwlock_rdlock(&emu_table_lock);
    memory = emu_memory_find_locked(ptr);
    ok = memory != NULL && memory->range.kind == EMU_DEVICE &&
         !memory->range.imported && describe(memory->fd, &handle);
    if (ok)
        handle.owner_id = memory->owner_id;
    pthread_rwlock_unlock(&emu_table_lock);
    if (!ok)
        return EMU_INVALID_VALUE;
    store(handle_out, &handle);
    return EMU_OK;
}

struct origin {
    int                       pid;
    uint64_t                  id;
    const struct emu_context *context;
};

static bool is_import_of(const struct emu_memory *memory, const void *argument)
{
    const struct origin *origin = argument;

    return memory->range.imported && memory->range.kind == EMU_DEVICE &&
           memory->owner_pid == origin->pid && memory->owner_id == origin->id &&
           memory->range.context == origin->context;
}

/* Opening again counts, and gives the same address. */
static bool open_again(struct emu_context *context, const struct handle *handle,
                       void **ptr_out)
{
    struct origin      origin = {handle->pid, handle->owner_id, context};
    struct emu_memory *memory;

    pthread_rwlock_wrlock(&emu_table_lock);
    memory = emu_memory_search_locked(is_import_of, &origin);
    if (memory != NULL) {
        memory->opens++;
        *ptr_out = (void *)memory->range.base;
    }
    pthread_rwlock_unlock(&emu_table_lock);
    return memory != NULL;
}

static int check_device(const struct emu_context *context, int physical,
                        int *ordinal_out)
{
    int ordinal = emu_ordinal(physical);

    if (ordinal < 0)
        return EMU_INVALID_DEVICE;
    if (ordinal != context->ordinal &&
        !emu_can_access_peer(context->ordinal, ordinal))
        return EMU_PEER_ACCESS_UNSUPPORTED;
    *ordinal_out = ordinal;
    return EMU_OK;
}

static int open_first(struct emu_context *context, const struct handle *handle,
                      void **ptr_out)
{
    struct emu_range   range = {.kind = EMU_DEVICE,
                                .bytes = handle->bytes,
                                .context = context,
                                .imported = true,
                                .accessible = true};
    struct emu_memory *memory;
    int                physical, status;
    int                fd = open_file(handle, "memory", &physical);

    if (fd < 0)
        return EMU_INVALID_VALUE;
    status = check_device(context, physical, &range.device);
    if (status != EMU_OK) {
        close(fd);
        return status;
    }
    status = emu_memory_map(&range, fd, 0, NULL, &memory);
    if (status != EMU_OK)
        return EMU_MAP_FAILED;
    pthread_rwlock_wrlock(&emu_table_lock);
    memory->owner_pid = handle->pid;
    memory->owner_id = handle->owner_id;
    *ptr_out = (void *)memory->range.base;
    pthread_rwlock_unlock(&emu_table_lock);
    return EMU_OK;
}

int emu_ipc_open(struct emu_context *context, const unsigned char handle[64],
                 void **ptr_out)
{
    /* Two threads that open the same handle must get one mapping. */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct handle          h;
    int                    status = EMU_OK;

    memcpy(&h, handle, sizeof h);
    if (h.magic != MEMORY_MAGIC)
        return EMU_INVALID_VALUE;
    if (h.pid == (int32_t)getpid())
        return EMU_INVALID_CONTEXT;
    pthread_mutex_lock(&lock);
    if (!open_again(context, &h, ptr_out))
        status = open_first(context, &h, ptr_out);
    pthread_mutex_unlock(&lock);
    return status;
}

int emu_ipc_close(void *ptr)
{
    struct emu_memory *memory;
    struct emu_range   range;
    int                status = EMU_INVALID_VALUE;

    if (emu_query(ptr, &range) != EMU_OK || !range.imported ||
        range.kind != EMU_DEVICE || range.base != (uintptr_t)ptr)
        return status;
    emu_drain_device(range.context->ordinal);
    pthread_rwlock_wrlock(&emu_table_lock);
    memory = emu_memory_find_locked(ptr);
    if (memory != NULL && memory->range.buffer_id == range.buffer_id) {
        if (--memory->opens == 0)
            emu_memory_remove_locked(memory, false);
        status = EMU_OK;
    }
    pthread_rwlock_unlock(&emu_table_lock);
    return status;
}

/* ------------------------------------------------------------ descriptors */

int emu_fd_export(const void *ptr, int *fd_out, uint64_t *inode_out)
{
    const struct emu_memory *memory;
    struct stat              file;
    bool                     ok;

    pthread_rwlock_rdlock(&emu_table_lock);
    memory = emu_memory_find_locked(ptr);
    ok = memory != NULL && memory->range.kind == EMU_DEVICE &&
         !memory->range.imported && fstat(memory->fd, &file) == 0;
    if (ok) {
        *fd_out = memory->fd;
        *inode_out = file.st_ino;
    }
    pthread_rwlock_unlock(&emu_table_lock);
    return ok ? EMU_OK : EMU_INVALID_VALUE;
}

/* Whether it is the memory file that inode says, and whose. */
static bool is_memory(int fd, uint64_t inode, int *physical_out,
                      size_t *bytes_out)
{
    struct stat file;
    char        what[16];
    uint64_t    id;

    return fstat(fd, &file) == 0 && file.st_ino == inode &&
           emu_memory_file_info(fd, what, physical_out, &id, bytes_out) &&
           strcmp(what, "memory") == 0;
}

int emu_fd_import(struct emu_context *context, int fd, uint64_t inode,
                  void **ptr_out)
{
    struct emu_range   range = {.kind = EMU_DEVICE,
                                .context = context,
                                .imported = true,
                                .accessible = true};
    struct emu_memory *memory;
    int                mine = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    int                physical, status = EMU_INVALID_VALUE;

    if (mine < 0)
        return EMU_INVALID_VALUE;
    if (is_memory(mine, inode, &physical, &range.bytes))
        status = check_device(context, physical, &range.device);
    if (status != EMU_OK) {
        close(mine);
        return status;
    }
    status = emu_memory_map(&range, mine, 0, NULL, &memory);
    if (status == EMU_OK)
        *ptr_out = (void *)memory->range.base;
    return status;
}

/* ----------------------------------------------------------------- events */

static int map_shared(struct emu_event *event, int fd)
{
    void *p = mmap(NULL, EMU_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (p == MAP_FAILED) {
        close(fd);
        return EMU_OUT_OF_MEMORY;
    }
    event->shared = p;
    event->fd = fd;
    return EMU_OK;
}

int emu_event_share(struct emu_event *event)
{
    int fd = emu_memory_file(emu_device(event->context->ordinal)->physical,
                             "event", emu_next_id(), EMU_PAGE);

    return fd < 0 ? EMU_OUT_OF_MEMORY : map_shared(event, fd);
}

int emu_ipc_export_event(struct emu_event *event, unsigned char handle_out[64])
{
    struct handle handle = {.magic = EVENT_MAGIC, .flags = event->flags};

    if (event->shared == NULL || event->imported ||
        !describe(event->fd, &handle))
        return EMU_INVALID_HANDLE;
    store(handle_out, &handle);
    return EMU_OK;
}

int emu_ipc_open_event(struct emu_context *context,
                       const unsigned char handle[64],
                       struct emu_event  **event_out)
{
    struct handle     h;
    struct emu_event *event;
    int               physical, ordinal, status, fd;

    memcpy(&h, handle, sizeof h);
    if (h.magic != EVENT_MAGIC)
        return EMU_INVALID_VALUE;
    if (h.pid == (int32_t)getpid())
        return EMU_INVALID_CONTEXT;
    fd = open_file(&h, "event", &physical);
    if (fd < 0)
        return EMU_MAP_FAILED;
    status = check_device(context, physical, &ordinal);
    if (status == EMU_OK)
        status = emu_event_create(context, EMU_EVENT_DISABLE_TIMING, &event);
    if (status != EMU_OK) {
        close(fd);
        return status;
    }
    status = map_shared(event, fd);
    if (status != EMU_OK) {
        emu_event_destroy(event);
        return status;
    }
    event->imported = true;
    event->flags |= EMU_EVENT_INTERPROCESS;
    *event_out = event;
    return EMU_OK;
}
