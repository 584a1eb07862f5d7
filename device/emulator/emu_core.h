#ifndef EMU_CORE_H
#define EMU_CORE_H

/*
 * The engine under the emulated drivers: devices, memory that traps host
 * access, asynchronous streams, events, sharing between processes.  A driver
 * library compiles its own copy and adds only its vendor's ABI.
 *
 * Functions return enum emu_status as int, or an injected or sticky code.  The
 * numbers are those of CUresult, most of which hipError_t shares; a front-end
 * returns them as they are and translates the exceptions.  Outputs are written
 * on EMU_OK only.  All functions may be called from any thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum emu_vendor { EMU_NVIDIA, EMU_AMD, EMU_INTEL };

enum emu_status {
    EMU_OK = 0,
    EMU_INVALID_VALUE = 1,
    EMU_OUT_OF_MEMORY = 2,
    EMU_NOT_INITIALIZED = 3, /* also everything in a forked child */
    EMU_DEINITIALIZED = 4,   /* the process is exiting */
    EMU_NO_DEVICE = 100,
    EMU_INVALID_DEVICE = 101,
    EMU_INVALID_CONTEXT = 201, /* also: own IPC handle */
    EMU_MAP_FAILED = 205,
    EMU_PEER_ACCESS_UNSUPPORTED = 217,
    EMU_INVALID_HANDLE = 400,
    EMU_ILLEGAL_STATE = 401,
    EMU_NOT_FOUND = 500,
    EMU_NOT_READY = 600,
    EMU_ILLEGAL_ADDRESS = 700, /* sticky */
    EMU_PEER_ACCESS_ALREADY = 704,
    EMU_PEER_ACCESS_NOT_ENABLED = 705,
    EMU_CONTEXT_IS_DESTROYED = 709,
    EMU_HOST_ALREADY_REGISTERED = 712,
    EMU_HOST_NOT_REGISTERED = 713,
    EMU_NOT_PERMITTED = 800,
    EMU_NOT_SUPPORTED = 801,
    EMU_CAPTURE_UNSUPPORTED = 900,
    EMU_CAPTURE_INVALIDATED = 901,
    EMU_CAPTURE_MERGE = 902,
    EMU_CAPTURE_UNMATCHED = 903,
    EMU_CAPTURE_UNJOINED = 904,
    EMU_CAPTURE_ISOLATION = 905,
    EMU_CAPTURE_IMPLICIT = 906,
    EMU_CAPTURED_EVENT = 907,
    EMU_CAPTURE_WRONG_THREAD = 908,
};

/* ------------------------------------------------ entry, devices, faults */

/*
 * Read the environment and find this vendor's visible devices.  May be called
 * again.  EMU_NO_DEVICE: HCOMM_EMULATE is not set, names none of this vendor,
 * or all are hidden.  EMU_INVALID_VALUE: a variable is malformed; one line on
 * stderr said which.  EMU_INVALID_DEVICE: a visible-devices variable lists a
 * device twice.  EMU_NOT_INITIALIZED: in a child forked after the first
 * success.
 */
int emu_init(enum emu_vendor vendor);

/*
 * First thing in every function of the ABI: writes the trace line, counts the
 * call, applies HCOMM_EMU_FAULT.  Not EMU_OK: return it and do nothing.
 * function: __func__; a version suffix such as _v2 is not part of the name.
 * needs_init: EMU_NOT_INITIALIZED unless emu_init succeeded in this process.
 */
int emu_enter(const char *function, bool needs_init);

/* The same for the few functions that work in every state, in a forked child
 * too. */
int emu_enter_always(const char *function);

/* For functions that are not emulated: says so once per name on stderr and
 * returns EMU_NOT_SUPPORTED. */
int emu_unsupported(const char *function);

/*
 * Before all else, where functions are no symbols of the library but entries
 * of its tables: which names HCOMM_EMU_FAULT may say.
 */
void emu_set_names(bool (*is_function)(const char *name));

struct emu_device {
    int           physical;   /* index among this vendor's devices of the job */
    char          name[64];   /* "HCOMM emulated NVIDIA GPU (sm_90)" */
    char          arch[32];   /* "sm_90", "gfx90a", "xe-hpc" */
    char          bus_id[16]; /* "0000:10:00.0" */
    unsigned char uuid[16];
    size_t        total_bytes;
};

int emu_device_count(void); /* visible ones; 0 before emu_init */
/* NULL when there is no such ordinal; lives as long as the process. */
const struct emu_device *emu_device(int ordinal);
/* 0 when both are the same device or HCOMM_EMU_PEER=0. */
bool   emu_can_access_peer(int ordinal, int peer);
size_t emu_device_free_bytes(int ordinal);

/* --------------------------------------------------------------- contexts */

/*
 * A domain of streams and memory on one device.  The legacy default stream is
 * ordered against the blocking streams of its own context.
 */
struct emu_context;

int emu_context_create(int ordinal, struct emu_context **context_out);
/* Waits for its work, then frees its streams and memory.  The object itself
 * stays valid as a dead one: emu_context_error gives 709. */
void emu_context_destroy(struct emu_context *context);
/* Make a dead context work anew, at the same address, without what it had. */
int emu_context_revive(struct emu_context *context);
/* Whether it is a context, dead ones included. */
bool     emu_context_valid(const struct emu_context *context);
int      emu_context_device(const struct emu_context *context);
uint64_t emu_context_id(const struct emu_context *context); /* from 1 */
/* Waits for all streams.  Returns the sticky error. */
int emu_context_synchronize(struct emu_context *context);
/* 0, or the code of an asynchronous failure, which no call clears. */
int emu_context_error(struct emu_context *context);

/* ----------------------------------------------------------------- memory */

enum emu_kind {
    EMU_DEVICE = 1 << 0,     /* plain device memory: host access faults */
    EMU_POOL = 1 << 1,       /* stream-ordered, from a pool */
    EMU_VMM = 1 << 2,        /* mapped by emu_vmm_map */
    EMU_MANAGED = 1 << 3,    /* host and device may access it */
    EMU_PINNED = 1 << 4,     /* host memory made by emu_alloc */
    EMU_REGISTERED = 1 << 5, /* the caller's host memory, pinned */
};

struct emu_pool;

/* What is known of an allocation; a copy. */
struct emu_range {
    enum emu_kind       kind;
    uintptr_t           base;
    size_t              bytes;
    struct emu_context *context;    /* borrowed */
    int                 device;     /* ordinal of the device that holds it */
    uint64_t            buffer_id;  /* unique in this process's life */
    bool                imported;   /* from another process */
    bool                accessible; /* false: VMM memory before access is set */
    bool                sync_memops; /* synchronous calls wait for the device */
    unsigned            flags;       /* as given to emu_alloc or emu_register */
    unsigned            handle_types; /* 1: exportable as file descriptor */
    struct emu_pool    *pool;         /* of EMU_POOL, else NULL */
};

/* kind: EMU_DEVICE, EMU_MANAGED or EMU_PINNED.  EMU_OUT_OF_MEMORY also when
 * the device's total_bytes are used up.  flags are kept for emu_query. */
int emu_alloc(struct emu_context *context, enum emu_kind kind, size_t bytes,
              unsigned flags, void **ptr_out);
/* The same at a multiple of alignment, a power of two; 0: any. */
int emu_alloc_aligned(struct emu_context *context, enum emu_kind kind,
                      size_t bytes, size_t alignment, unsigned flags,
                      void **ptr_out);
/* Waits for all work of the devices first, as the drivers do.
 * EMU_INVALID_VALUE: ptr is not the start of a live allocation of one of the
 * kinds (a set of enum emu_kind), or it is imported. */
int emu_free(void *ptr, unsigned kinds);
/* The same for memory of any kind, registered and imported too, at once: what
 * emu_copy_later and emu_fill_later were given stays until they are done. */
int emu_release(void *ptr, unsigned kinds, bool imported);
/* EMU_HOST_ALREADY_REGISTERED: overlaps registered memory.  EMU_INVALID_VALUE:
 * other memory of ours, or not there, or not writable.  flags: as in CUDA and
 * HIP; 8 means read-only. */
int emu_register(struct emu_context *context, void *ptr, size_t bytes,
                 unsigned flags);
/* EMU_HOST_NOT_REGISTERED: ptr is nothing of ours; EMU_INVALID_VALUE: it is,
 * but not what was registered. */
int emu_unregister(void *ptr);
/* EMU_NOT_FOUND: no allocation of this vendor contains ptr. */
int emu_query(const void *ptr, struct emu_range *range_out);
int emu_set_sync_memops(const void *ptr, bool on);

/* ------------------------------------------------ pools (stream-ordered) */

int emu_pool_create(int ordinal, unsigned handle_types,
                    struct emu_pool **pool_out);
/* EMU_INVALID_VALUE: a default pool.  Its allocations stay until freed. */
int emu_pool_destroy(struct emu_pool *pool);
/* Lives with the process; not exportable.  NULL: no such device. */
struct emu_pool *emu_pool_default(int ordinal);
int              emu_pool_device(const struct emu_pool *pool);
unsigned         emu_pool_handle_types(const struct emu_pool *pool);
/*
 * Attribute numbers are common to CUDA and HIP: 1..3 reuse switches, 4 release
 * threshold in bytes, 5 reserved, 6 its high mark, 7 used, 8 its high mark
 * (bytes; a high mark may be set to 0 only).  EMU_INVALID_VALUE: no such one.
 */
int  emu_pool_get(struct emu_pool *pool, int attribute, uint64_t *value_out);
int  emu_pool_set(struct emu_pool *pool, int attribute, uint64_t value);
bool emu_pool_valid(const struct emu_pool *pool);
/* EMU_NOT_SUPPORTED: not made exportable. */
int emu_pool_export(struct emu_pool *pool, int *fd_out);
int emu_pool_import(int fd, struct emu_pool **pool_out);
/* EMU_INVALID_VALUE: no allocation of a pool that was exported before. */
int emu_pool_export_pointer(void *ptr, unsigned char data_out[64]);
int emu_pool_import_pointer(struct emu_context *context, struct emu_pool *pool,
                            const unsigned char data[64], void **ptr_out);

struct emu_stream;
/* The address is valid at once, for work after this in stream order. */
int emu_pool_alloc(struct emu_context *context, struct emu_pool *pool,
                   struct emu_stream *stream, size_t bytes, void **ptr_out);
/* Freed when the stream gets there; the address is no base from now on. */
int emu_pool_free(struct emu_stream *stream, void *ptr);

/* --------------------------------------- virtual memory management (VMM) */

struct emu_vmm; /* physical memory; reference counted by handles and maps */

#define EMU_VMM_GRANULARITY ((size_t)2 << 20) /* bytes */

int emu_vmm_reserve(size_t bytes, size_t alignment, void *hint, void **ptr_out);
int emu_vmm_unreserve(void *ptr, size_t bytes);
/* The reserved range around ptr; EMU_NOT_FOUND. */
int emu_vmm_reservation(const void *ptr, uintptr_t *base_out,
                        size_t *bytes_out);
int emu_vmm_create(int ordinal, size_t bytes, unsigned handle_types,
                   struct emu_vmm **vmm_out);
int emu_vmm_release(struct emu_vmm *vmm);
int emu_vmm_map(struct emu_context *context, void *ptr, size_t bytes,
                size_t offset, struct emu_vmm *vmm);
int emu_vmm_unmap(void *ptr, size_t bytes);
int emu_vmm_set_access(void *ptr, size_t bytes, int ordinal, bool on);
/* Another handle to the memory mapped at ptr; EMU_INVALID_VALUE: not VMM. */
int emu_vmm_retain(const void *ptr, struct emu_vmm **vmm_out);
int emu_vmm_export(struct emu_vmm *vmm, int *fd_out);
int emu_vmm_import(int fd, struct emu_vmm **vmm_out);
int emu_vmm_info(const struct emu_vmm *vmm, int *ordinal_out,
                 unsigned *handle_types_out);

/* ------------------------------------------------------ streams and work */

enum { EMU_STREAM_NON_BLOCKING = 1 };

int emu_stream_create(struct emu_context *context, unsigned flags, int priority,
                      struct emu_stream **stream_out);
/* Returns at once; work in flight completes. */
int emu_stream_destroy(struct emu_stream *stream);
/* Both belong to the context.  The second is the calling thread's own. */
struct emu_stream *emu_stream_legacy(struct emu_context *context);
struct emu_stream *emu_stream_per_thread(struct emu_context *context);
/* Whether it is a live stream, so that a bad handle is an error code. */
bool                emu_stream_valid(const struct emu_stream *stream);
struct emu_context *emu_stream_context(const struct emu_stream *stream);
unsigned            emu_stream_flags(const struct emu_stream *stream);
int                 emu_stream_priority(const struct emu_stream *stream);
uint64_t            emu_stream_id(const struct emu_stream *stream);

int emu_stream_synchronize(struct emu_stream *stream);
int emu_stream_query(struct emu_stream *stream); /* EMU_NOT_READY */
/* function runs on the stream's own thread and must not call the driver. */
int emu_stream_host(struct emu_stream *stream, void (*function)(void *),
                    void              *argument);

/* height rows of width bytes; a linear copy is one row.  Either side may be
 * device or host memory. */
struct emu_copy {
    void       *dst;
    const void *src;
    size_t      width, height;
    size_t      dst_pitch, src_pitch; /* bytes; unused for one row */
};

/*
 * EMU_INVALID_VALUE: a side leaves its allocation.  Without wait it returns
 * early, except that pageable host memory is no longer read, and completely
 * written, when it returns.
 */
int emu_copy(struct emu_stream *stream, const struct emu_copy *copy, bool wait);

/*
 * For drivers that stage nothing: returns at once, and pageable memory is read
 * and written when its turn in the stream comes.
 */
int emu_copy_later(struct emu_stream *stream, const struct emu_copy *copy);

/* height rows of count elements of element_bytes (1, 2, 4) each. */
struct emu_fill {
    void    *dst;
    uint32_t value;
    unsigned element_bytes;
    size_t   count, height;
    size_t   pitch; /* bytes; unused for one row */
};

int emu_fill(struct emu_stream *stream, const struct emu_fill *fill, bool wait);

#define EMU_MAX_PATTERN 128 /* bytes */

/* A pattern over and over, the last one maybe in part; dst may be any memory,
 * as in emu_copy_later. */
int emu_fill_later(struct emu_stream *stream, void *dst, size_t bytes,
                   const void *pattern, size_t pattern_bytes);

/* ----------------------------------------------------------------- events */

enum {
    EMU_EVENT_BLOCKING_SYNC = 1,
    EMU_EVENT_DISABLE_TIMING = 2,
    EMU_EVENT_INTERPROCESS = 4,
};

struct emu_event;

int  emu_event_create(struct emu_context *context, unsigned flags,
                      struct emu_event **event_out);
int  emu_event_destroy(struct emu_event *event);
bool emu_event_valid(const struct emu_event *event);
int  emu_event_record(struct emu_event *event, struct emu_stream *stream);
/* Never recorded: EMU_OK. */
int emu_event_query(struct emu_event *event);
int emu_event_synchronize(struct emu_event *event);
int emu_stream_wait_event(struct emu_stream *stream, struct emu_event *event);
/* EMU_INVALID_HANDLE: no timing, or never recorded; EMU_NOT_READY. */
int emu_event_elapsed_ms(struct emu_event *start, struct emu_event *end,
                         float *ms_out);

/* ---------------------------------------------- sharing between processes */

/*
 * EMU_INVALID_VALUE: pool, VMM, managed, host or imported memory.  A handle
 * names the whole allocation, wherever ptr points in it.
 */
int emu_ipc_export(const void *ptr, unsigned char handle_out[64]);
/*
 * Opening again gives the same address and counts.  EMU_INVALID_CONTEXT: the
 * handle is this process's own.  EMU_INVALID_DEVICE: its device is hidden
 * here.  EMU_PEER_ACCESS_UNSUPPORTED: context's device cannot reach it.
 * EMU_INVALID_VALUE: the exporter or the memory is gone.
 */
int emu_ipc_open(struct emu_context *context, const unsigned char handle[64],
                 void **ptr_out);
/* Unmaps at the last close, after waiting for all work. */
int emu_ipc_close(void *ptr);
/* EMU_INVALID_HANDLE: not made EMU_EVENT_INTERPROCESS, or imported. */
int emu_ipc_export_event(struct emu_event *event, unsigned char handle_out[64]);
int emu_ipc_open_event(struct emu_context *context,
                       const unsigned char handle[64],
                       struct emu_event  **event_out);

/*
 * Sharing by descriptor: the file of an allocation (EMU_DEVICE, not imported),
 * which stays its own, and a number that no other file of the system has.
 */
int emu_fd_export(const void *ptr, int *fd_out, uint64_t *inode_out);
/* Maps it anew at every call; the caller keeps fd.  EMU_INVALID_VALUE: it is
 * no such file, or another than inode says.  emu_release ends it. */
int emu_fd_import(struct emu_context *context, int fd, uint64_t inode,
                  void **ptr_out);

/* ---------------------------------------------------------------- capture */

/* Numbers as in CUDA and HIP. */
enum emu_capture_mode {
    EMU_CAPTURE_GLOBAL,
    EMU_CAPTURE_THREAD_LOCAL,
    EMU_CAPTURE_RELAXED,
};

enum emu_capture_status {
    EMU_CAPTURE_NONE,
    EMU_CAPTURE_ACTIVE,
    EMU_CAPTURE_IS_INVALIDATED,
};

/* Work put on a captured stream is not executed; there is no replay. */
int emu_capture_begin(struct emu_stream *stream, enum emu_capture_mode mode);
/* EMU_OK, EMU_CAPTURE_INVALIDATED, _UNMATCHED, _UNJOINED, _WRONG_THREAD. */
int emu_capture_end(struct emu_stream *stream);
/* EMU_CAPTURE_IMPLICIT: stream is the legacy one and a blocking stream of its
 * context is captured.  id_out may be NULL. */
int emu_capture_status(struct emu_stream       *stream,
                       enum emu_capture_status *status_out, uint64_t *id_out);
/* Swaps the calling thread's mode with *mode. */
int emu_capture_exchange_mode(enum emu_capture_mode *mode);
/*
 * First thing, after emu_enter, in calls that the vendors call unsafe during a
 * capture (allocation, whole-device waits).  EMU_CAPTURE_UNSUPPORTED: one is
 * forbidden to this thread now; the capture it would break is invalidated.
 */
int emu_capture_unsafe(void);

#endif
