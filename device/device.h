#ifndef HC_DEVICE_H
#define HC_DEVICE_H

/*
 * Whose memory an address is, and how to move it.  Each vendor is one table of
 * operations over its driver, which is opened with dlopen; several vendors may
 * be open at once.  The device and context always come from the address.
 */

#include "config/hcomm_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hc_dev_kind {
    HC_DEV_HOST,
    HC_DEV_CUDA,
    HC_DEV_HIP,
    HC_DEV_ZE,
    HC_DEV_KINDS
};

enum hc_dev_mem_type {
    HC_MEM_PAGEABLE, /* ordinary host memory, or nothing any driver knows */
    HC_MEM_PINNED,   /* host memory that a driver pinned or registered */
    HC_MEM_MANAGED,  /* migrates between host and device */
    HC_MEM_DEVICE,   /* from the vendor's plain allocator */
    HC_MEM_POOL,     /* stream-ordered allocation from a pool */
    HC_MEM_VMM,      /* mapped through the virtual memory interface */
};

struct hc_dev_mem {
    const struct hc_dev_ops *ops;
    enum hc_dev_mem_type     type;
    int                      device;  /* ordinal within the vendor; -1: host */
    void                    *context; /* the vendor's, borrowed; may be NULL */
    uintptr_t                base;    /* start of the allocation */
    size_t                   bytes;   /* length of the allocation */
};

struct hc_dev_info {
    char name[128];
    char arch[32];   /* "sm_90", "gfx90a"; "" where the driver won't say */
    char bus_id[16]; /* "0000:3b:00.0" */
    unsigned char uuid[16];
    bool          emulated;
    size_t        memory_bytes;
};

/* Rows of equal length; each side has them equally far apart. */
struct hc_dev_rows {
    void       *dst; /* the first row */
    const void *src;
    size_t      bytes;                /* of each row; 1 or more */
    size_t      dst_pitch, src_pitch; /* from begin to begin; bytes or more */
    size_t      count;
};

struct hc_dev_queue; /* our own stream on one device; lives with the backend */
struct hc_dev_event; /* a point in a queue; owned by the backend */

enum hc_dev_open_mode {
    HC_DEV_IF_LOADED, /* only a driver library the process already loaded */
    HC_DEV_LOAD,      /* load it and initialise the driver (tools) */
};

struct hc_dev_ops {
    const char      *name;   /* "cuda"; also what HCOMM_DEVICES accepts */
    const char      *vendor; /* "nvidia" */
    enum hc_dev_kind kind;

    /* Whether this machine has the vendor's device nodes, or the job emulates
     * them.  No driver is touched. */
    bool (*present)(void);

    /* Whether the driver's library is loaded or could be; it is not kept.  why
     * says what was tried. */
    bool (*findable)(char *why, size_t room);

    /* HCOMM_ERR_NOT_FOUND when the driver is absent or, IF_LOADED, not loaded
     * (normal); HCOMM_ERR_UNSUPPORTED when it is too old or has no GPU; why
     * says which, in words for a user. */
    hcomm_status (*open)(enum hc_dev_open_mode mode, char *why, size_t room);
    void (*close)(void);

    hcomm_status (*count)(int *count_out);
    hcomm_status (*info)(int device, struct hc_dev_info *info_out);
    /* What the driver calls itself: "CUDA 13.0", "HIP 6.2". */
    void (*version)(char *text, size_t room);

    /* Describe the allocation holding ptr; HCOMM_ERR_NOT_FOUND when it is
     * not this vendor's.  Runs once per buffer per collective: no syscalls. */
    hcomm_status (*query)(const void *ptr, struct hc_dev_mem *mem_out);

    /* Device memory for tools and tests; given back to this backend's free. */
    hcomm_status (*alloc)(int device, size_t bytes, void **ptr_out);
    void (*free)(int device, void *ptr);

    /* Pin host memory for fast copies to and from mem's device.  Drivers may
     * refuse: not logged, why has their words. */
    hcomm_status (*pin)(const struct hc_dev_mem *mem, void *ptr, size_t bytes,
                        char *why, size_t room);
    void (*unpin)(const struct hc_dev_mem *mem, void *ptr);

    /*
     * Our queue for copies to and from mem.  What the application put on the
     * legacy default stream before this call comes before what we enqueue
     * after it (parameter stream_order); so it is called once per buffer and
     * collective.  HCOMM_ERR_INVALID: a stream of it is being captured.
     */
    hcomm_status (*queue)(const struct hc_dev_mem *mem,
                          struct hc_dev_queue    **queue_out);
    /* Start as many copies as there are sets of rows, 1 or more; either side
     * may be host memory or the queue's device's.  Copies of one queue may
     * overtake each other.  A set is one call of the driver, unless it is
     * beyond what that can take. */
    hcomm_status (*copy_rows)(struct hc_dev_queue      *queue,
                              const struct hc_dev_rows *sets, int nsets);
    /* All that was enqueued so far; test until it is not HCOMM_IN_PROGRESS,
     * which also gives the event back. */
    hcomm_status (*record)(struct hc_dev_queue  *queue,
                           struct hc_dev_event **event_out);
    hcomm_status (*test)(struct hc_dev_event *event);
};

extern const struct hc_dev_ops hc_dev_host;
extern const struct hc_dev_ops hc_dev_cuda;
extern const struct hc_dev_ops hc_dev_hip;
extern const struct hc_dev_ops hc_dev_ze;

/* NULL after the last; every vendor, open or not, host not among them. */
const struct hc_dev_ops *hc_dev_vendor(int index);

/* Whether some vendor's devices are here (nodes, or emulated): file look-ups,
 * no driver call. */
bool hc_dev_any_present(void);

/* Settings have changed: see anew which vendors are wanted. */
void hc_dev_reconsider(void);

/*
 * Whether parameter devices can be obeyed; found out at the first call of
 * hc_dev_any_present or hc_dev_active.  Where it cannot, every query fails, so
 * that a program gets errors and not half of what its user asked for.
 * HCOMM_ERR_INVALID: it has an unknown word; HCOMM_ERR_UNSUPPORTED: a vendor
 * that it names is not here. Logged.
 */
hcomm_status hc_dev_check_wanted(void);

/*
 * Whether an address could be device memory in this process: true once a
 * vendor's driver was found loaded.  Cheap enough for every call: it notices
 * newly loaded libraries by the loader's own counter, and opens their backend.
 * False for ever in a forked child.
 */
bool hc_dev_active(void);

/* Whether both are surely host memory, told by the addresses alone: less than
 * a question to the loader, let alone to a driver. */
bool hc_dev_surely_host(const void *a, const void *b);

/* Whether the CPU may touch it, driver asked; false also where that can't be
 * told. */
bool hc_dev_is_host(const void *ptr);

/*
 * The allocation holding ptr.  What no driver knows is host memory, so ops is
 * never NULL; also in a forked child.  HCOMM_ERR_INVALID: it is no readable
 * host memory either (freed, or of a driver that is not open); not logged.
 * HCOMM_ERR_DEVICE: a driver failed at the question; logged.
 * HCOMM_ERR_UNSUPPORTED: parameter devices can't be obeyed.
 */
hcomm_status hc_dev_query(const void *ptr, struct hc_dev_mem *mem_out);

/* Whether the CPU must not touch it, so that calls are staged. */
bool hc_dev_must_stage(const struct hc_dev_mem *mem);

/* Start a copy of bytes, which may be 0: ops' copy_rows of a single row. */
hcomm_status hc_dev_copy(const struct hc_dev_ops *ops,
                         struct hc_dev_queue *queue, void *dst, const void *src,
                         size_t bytes);

/* Wait, calling progress (may be NULL) between looks. */
hcomm_status hc_dev_wait(const struct hc_dev_mem *mem,
                         struct hc_dev_event *event, void (*progress)(void));

/* Close every backend: nothing is called after the drivers have gone. */
void hc_dev_close_all(void);

#endif
