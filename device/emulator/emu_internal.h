#ifndef EMU_INTERNAL_H
#define EMU_INTERNAL_H

/* What the engine's own files share. */

#include "device/emulator/emu_core.h"

#include <pthread.h>
#include <stdatomic.h>

/* ------------------------------------------------------------ emu_config.c */

enum emu_state {
    EMU_FRESH,
    EMU_READY,
    EMU_FORKED,  /* a child of a process that had initialised */
    EMU_EXITING, /* the process runs its exit handlers */
};

extern _Atomic int emu_state;
extern _Atomic int emu_vendor; /* enum emu_vendor; the first call says which */

/* "nvidia", "amd", "intel": the word in variables and in the names of memory
 * files. */
const char *emu_vendor_word(void);
/* The visible ordinal of a physical device; -1: hidden. */
int emu_ordinal(int physical);

/* One line on stderr: a variable is malformed. */
void emu_complain(const char *variable, const char *word, const char *why);
/* Next item of a comma-separated list in *text, blanks trimmed; false at the
 * end.  An item longer than room is cut. */
bool emu_next_item(const char **text, char *item_out, size_t room);

/* -------------------------------------------------------------- emu_link.c */

enum emu_direction { EMU_H2D, EMU_D2H, EMU_D2D, EMU_DIRECTIONS };

#define EMU_MAX_DEVICES 64

/* Read HCOMM_EMU_LINK.  EMU_INVALID_VALUE: malformed, said. */
int emu_link_init(void);
/* Book a transfer on the link that all streams of the device share; returns
 * when it ends, on emu_now's clock; 0: no delay. */
double emu_link_book(int physical, enum emu_direction direction, size_t bytes);
/* Whether transfers take time. */
bool emu_link_slow(int physical, enum emu_direction direction);

/* ------------------------------------------------------------- emu_fault.c */

/* Read HCOMM_EMU_FAULT and HCOMM_EMU_TRACE, once.  False: malformed, said. */
bool emu_fault_init(void);

#define EMU_STALL (-1)
/* Counts a copy.  0: it is to work; EMU_STALL; else the code it fails with. */
int emu_fault_copy(void);

/* ------------------------------------------------------------ emu_handle.c */

/* The set of live handles, so that a bad one is an error and no crash. */
bool emu_handle_add(const void *handle);
void emu_handle_remove(const void *handle);
bool emu_handle_has(const void *handle);

/* ------------------------------------------------------------ emu_memory.c */

struct emu_memory {
    struct emu_range range; /* base is the application's view */
    char            *alias; /* the engine's view; the same for host memory */
    size_t           mapped_bytes; /* whole pages */
    int              fd;           /* -1: host memory */
    size_t           fd_offset;    /* bytes; only of VMM memory */
    int              opens;        /* of imported memory */
    bool             freeing;      /* given back to its pool in stream order */
    int              owner_pid;    /* who made it */
    uint64_t         owner_id;     /* buffer_id there */
    struct emu_vmm  *vmm;          /* referenced */
    _Atomic int      refs;         /* the table and copies under way */
};

/* All entries sorted by address.  Lock order: emu_lock before this. */
extern pthread_rwlock_t emu_table_lock;

#define EMU_PAGE ((size_t)4096)

size_t emu_round_up(size_t bytes, size_t unit);

/* A memory file whose name says whose memory it is; -1 and errno. */
int emu_memory_file(int physical, const char *what, uint64_t id, size_t bytes);
/* The inverse.  False: fd is no such file of this vendor. */
bool emu_memory_file_info(int fd, char what_out[16], int *physical_out,
                          uint64_t *id_out, size_t *bytes_out);

/*
 * Map fd twice and enter it in the table.  Takes over fd, also on failure.
 * range: base is set here, unless what is mapped at `at` (VMM) is replaced.
 */
int emu_memory_map(const struct emu_range *range, int fd, size_t fd_offset,
                   void *at, struct emu_memory **memory_out);
/* Address space of whole pages at a multiple of alignment, without access, to
 * be mapped over; NULL: there is none. */
void *emu_memory_space(size_t mapped_bytes, size_t alignment);
/* Enter memory that has no file. */
int emu_memory_enter(const struct emu_range *range, char *alias,
                     size_t mapped_bytes, struct emu_memory **memory_out);
/* Take it out of the table and unmap it when the last copy is done with it.
 * replace: leave the address range reserved (VMM).  Table lock held. */
void emu_memory_remove_locked(struct emu_memory *memory, bool replace);
/* With the table lock held: the entry containing p, or NULL. */
struct emu_memory *emu_memory_find_locked(const void *p);
/* With the table lock held: the first entry that accept says yes to. */
struct emu_memory *emu_memory_search_locked(
    bool (*accept)(const struct emu_memory *, const void *),
    const void *argument);
/* Free what a dead context owned. */
void emu_memory_free_of(struct emu_context *context);

/*
 * The longest run from p that lies in one piece, at most *bytes, as the engine
 * may access it (NULL: it may not).  The entry is held until
 * emu_memory_unhold; NULL: host.
 */
struct emu_memory *emu_memory_hold(const void *p, size_t *bytes,
                                   char **engine_ptr_out);
void               emu_memory_unhold(struct emu_memory *memory);

/* How a copy sees one of its sides. */
struct emu_side {
    bool device;   /* any memory of a device, managed included */
    bool pageable; /* host memory that no driver knows */
    int  ordinal;  /* of a device side */
};
/* EMU_INVALID_VALUE: [p, p+bytes) leaves the allocation that holds p. */
int emu_memory_side(const void *p, size_t bytes, struct emu_side *side_out);

/* Charges a device's total_bytes.  False: not so much left. */
bool emu_memory_charge(int ordinal, size_t bytes);
void emu_memory_discharge(int ordinal, size_t bytes);

uint64_t emu_next_id(void); /* 1, 2, ... */

/* -------------------------------------------------------------- emu_pool.c */

void emu_pool_count(struct emu_pool *pool, size_t bytes);
void emu_pool_discount(struct emu_pool *pool, size_t bytes);

/* ------------------------------------------- emu_queue.c and emu_stream.c */

struct emu_dep {
    struct emu_stream *stream; /* referenced */
    uint64_t           seq;
};

/* A piece of work; extended by embedding it as the first member. */
struct emu_op {
    struct emu_op     *next;
    struct emu_stream *stream; /* the queue it is in */
    uint64_t           seq;
    struct emu_dep    *deps; /* [ndeps] work of other streams before it */
    size_t             ndeps;
    int                fault; /* 0, EMU_STALL, or the code it fails with */
    /* On the stream's thread, without locks.  Not 0: the context's error. */
    int (*run)(struct emu_op *op);
    /* Free all but deps; also called when it never ran.  emu_lock is held. */
    void (*drop)(struct emu_op *op);
};

struct emu_capture;

struct emu_stream {
    struct emu_context *context;
    struct emu_stream  *next; /* in the context */
    unsigned            flags;
    int                 priority;
    uint64_t            id;
    uint64_t            thread; /* whose per-thread stream it is, or 0 */
    int      refs; /* the handle, its thread, dependencies, events, waiters */
    bool     destroyed, has_thread;
    uint64_t submitted, completed;
    uint64_t legacy_seen; /* last legacy work it already waits for */
    struct emu_op      *head, **tail;
    pthread_cond_t      work, progress;
    struct emu_capture *capture;
    bool                unjoined;     /* captured work no one waits for */
    uint64_t            capture_work; /* counts captured work */
};

/* Guards contexts, streams, events and captures. */
extern pthread_mutex_t emu_lock;

double emu_now(void); /* seconds, monotonic */
/* Sleep on the stream's thread; cut short at exit and when its context dies. */
void emu_stream_sleep_until(struct emu_stream *stream, double when);

/* op must be zeroed but for run, drop, deps and fault; it is taken over, also
 * on failure.  seq_out may be NULL; it is 0 when the work was captured. */
int emu_submit(struct emu_stream *stream, struct emu_op *op, uint64_t *seq_out);
int emu_submit_locked(struct emu_stream *stream, struct emu_op *op,
                      uint64_t *seq_out);
/* Done when it returns if nothing is before it, or with wait; the calling
 * thread may do the work. */
int  emu_submit_soon(struct emu_stream *stream, struct emu_op *op, bool wait);
bool emu_op_add_dep(struct emu_op *op, struct emu_stream *stream, uint64_t seq);
/* Nothing is before work that would be submitted now. */
bool emu_stream_idle_locked(const struct emu_stream *stream);
/* For drop of an op that owns nothing. */
void emu_op_free(struct emu_op *op);
/* emu_lock held; returns the context's error, or EMU_DEINITIALIZED. */
int  emu_wait_locked(struct emu_stream *stream, uint64_t seq);
int  emu_wait(struct emu_stream *stream, uint64_t seq);
void emu_stream_unref_locked(struct emu_stream *stream);
/* Take the handle away; the stream goes when its work is done. */
void emu_stream_retire_locked(struct emu_stream *stream);
/* A stream of the context with unfinished work, or NULL. */
struct emu_stream *emu_busy_stream_locked(struct emu_context *context,
                                          bool                blocking_only);
/* Wait for every stream of the context. */
int emu_drain_locked(struct emu_context *context);
/* Wait for all contexts on a device (-1: on all devices). */
void emu_drain_device(int ordinal);
void emu_stream_exit(void); /* at process exit: stop all threads */

/* Whether its context is being destroyed, so that waits are to be given up. */
bool emu_stream_dying(struct emu_stream *stream);

uint64_t emu_thread_id(void); /* unique in the process, from 1 */
/* In a host function or callback, where drivers forbid their calls. */
bool emu_on_stream_thread(void);

/* ----------------------------------------------------------- emu_context.c */

struct emu_context {
    struct emu_context *next;
    int                 ordinal;
    uint64_t            id;
    _Atomic int         error;
    bool                dying; /* stalled work is given up */
    struct emu_stream  *legacy;
    struct emu_stream  *streams; /* all, the legacy one too */
};

extern struct emu_context *emu_contexts; /* all ever made; emu_lock */

void emu_context_fail(struct emu_context *context, int code);

/* ----------------------------------------------------------- emu_capture.c */

/*
 * Whether work may be put on the stream.  *captured_out: it goes into a capture
 * and not to the device.  emu_lock held.
 */
int emu_capture_admit_locked(struct emu_stream *stream, bool *captured_out);
/* For waits and queries: EMU_OK or the capture error, which it causes; they are
 * unsafe for other streams, too. */
int emu_capture_forbid_wait_locked(struct emu_stream *stream);

/* Where a captured event was recorded; capture_id 0: it is no captured one. */
struct emu_capture_mark {
    uint64_t           capture_id;
    struct emu_stream *stream; /* borrowed, valid while the capture lives */
    uint64_t           work;
};
void emu_capture_mark_locked(struct emu_stream       *stream,
                             struct emu_capture_mark *mark_out);
/* For waits and queries of an event: EMU_CAPTURED_EVENT while the capture that
 * mark names is going on, EMU_INVALID_VALUE after it; for other events what
 * emu_capture_unsafe says. */
int emu_capture_forbid_event_locked(const struct emu_capture_mark *mark);
/* stream waits for mark (maybe not captured): joins it to the capture. */
int emu_capture_wait_locked(struct emu_stream             *stream,
                            const struct emu_capture_mark *mark,
                            bool                          *captured_out);
/* EMU_CAPTURE_UNSUPPORTED when a stream of the context is captured. */
int  emu_capture_forbid_drain_locked(struct emu_context *context);
void emu_capture_forget_locked(struct emu_stream *stream);

#endif
