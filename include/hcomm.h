#ifndef HCOMM_H
#define HCOMM_H

/*
 * HCOMM's public interface: what devices are here, whose memory an address
 * is, and what the settings are.  Link with -lhcomm (pkg-config hcomm).
 *
 * Struct types that the library hands out by pointer may grow at their end in
 * later versions; don't copy or compare them whole.  Everything may be called
 * from any thread, but not while another is in MPI_Init; one list belongs to
 * one thread at a time.
 */

#include "hcomm_status.h"

#include <stdbool.h>
#include <stddef.h>

#define HCOMM_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the library in use, "0.1.0"; static, never NULL. */
HCOMM_API const char *hcomm_version(void);

/** In words, for messages; static, never NULL, also for unknown values. */
HCOMM_API const char *hcomm_status_text(hcomm_status status);

/* ---- Devices ---- */

/** What HCOMM found when the list was opened. */
typedef struct hcomm_devices hcomm_devices;

/** A vendor that HCOMM knows, whether or not anything of it is here. */
typedef struct {
    const char  *name;    /* "cuda": also what HCOMM_DEVICES accepts */
    const char  *vendor;  /* "nvidia" */
    bool         present; /* device nodes are here, or the job emulates them */
    hcomm_status status;  /* HCOMM_OK: the driver is open */
    const char  *driver;  /* "CUDA 13.0"; "" when not open */
    const char  *why;     /* why it isn't open, for people; "" when it is */
    int          device_count; /* 0 when not open */
} hcomm_vendor_info;

typedef struct {
    const hcomm_vendor_info *vendor;
    int           ordinal;  /* within the vendor, as its driver counts */
    const char   *name;     /* the driver's; contains "emulated" if it is */
    const char   *arch;     /* "sm_90", "gfx90a"; "" when not known */
    const char   *bus_id;   /* "0000:3b:00.0" */
    unsigned char uuid[16]; /* the driver's, in its byte order */
    size_t        memory_bytes;
    bool emulated; /* host memory plays the device: no speed to measure */
} hcomm_device_info;

/**
 * List the vendors and their devices.  Loads and initialises the driver of
 * every vendor whose device nodes are here, as the device tools of a vendor
 * do: on a machine with GPUs this takes from milliseconds to a second.  No
 * memory is taken on a device.  The drivers stay open.
 *
 * devices_out  give it back with hcomm_devices_close
 * Errors  HCOMM_ERR_NO_MEMORY.  No device is not an error: see vendors' why.
 */
HCOMM_API hcomm_status hcomm_devices_open(hcomm_devices **devices_out);

/** Takes NULL.  Every pointer that came from the list ends with it. */
HCOMM_API void hcomm_devices_close(hcomm_devices *devices);

HCOMM_API int hcomm_vendor_count(const hcomm_devices *devices);

/** NULL when index is not in 0 .. hcomm_vendor_count - 1. */
HCOMM_API const hcomm_vendor_info *hcomm_vendor_at(const hcomm_devices *devices,
                                                   int                  index);

/** All vendors' together. */
HCOMM_API int hcomm_device_count(const hcomm_devices *devices);

/** NULL when index is not in 0 .. hcomm_device_count - 1. */
HCOMM_API const hcomm_device_info *hcomm_device_at(const hcomm_devices *devices,
                                                   int                  index);

/* ---- Memory ---- */

typedef enum {
    HCOMM_MEMORY_PAGEABLE = 0, /* ordinary host memory */
    HCOMM_MEMORY_PINNED = 1,   /* host memory that a driver pinned */
    HCOMM_MEMORY_MANAGED = 2,  /* migrates between host and device */
    HCOMM_MEMORY_DEVICE = 3,   /* the vendor's plain allocator */
    HCOMM_MEMORY_POOL = 4,     /* stream-ordered, from a pool */
    HCOMM_MEMORY_VMM = 5,      /* mapped by the virtual memory interface */
} hcomm_memory_kind;

typedef struct {
    hcomm_memory_kind kind;
    const char       *name;    /* "host", "cuda", "hip", "ze"; static */
    int               ordinal; /* device within the vendor; -1: host */
    const void       *base;    /* start of the allocation; NULL: not known */
    size_t            bytes;   /* length of the allocation; 0: not known */
    bool              host_readable; /* the CPU may read and write it */
    void             *reserved[4];   /* zero */
} hcomm_memory_info;

/**
 * Whose memory an address is.  Asks only drivers that the process has loaded.
 *
 * ptr         any address; NULL is no memory
 * memory_out  all of it is written on success
 * Errors  HCOMM_ERR_INVALID: memory_out is NULL, or ptr is neither host memory
 *         nor of a driver that is open (freed, for instance)
 */
HCOMM_API hcomm_status hcomm_memory_query(const void        *ptr,
                                          hcomm_memory_info *memory_out);

/* ---- Settings ---- */

/** The settings and their values when the list was opened. */
typedef struct hcomm_params hcomm_params;

typedef struct {
    const char *name;     /* "log_level" */
    const char *env_name; /* "HCOMM_LOG_LEVEL" */
    const char *mca_name; /* "coll_hcomm_log_level"; NULL: environment only */
    const char *value;    /* as it was given */
    const char *default_value;
    const char *source; /* "default", "file", "environment" or "mca" */
    const char *unit;   /* or the words it may have, separated by | */
    const char *help;   /* one sentence */
    int         level;  /* 1 everyday .. 9 internal, as ompi_info --level */
} hcomm_param_info;

/**
 * List every setting.  Outside an MPI program, values come from the
 * environment (HCOMM_X) and the defaults; what Open MPI read counts after
 * MPI_Init.
 *
 * params_out  give it back with hcomm_params_close
 * Errors  HCOMM_ERR_NO_MEMORY
 *         HCOMM_ERR_INVALID: a variable of the environment has a value that
 *         it cannot have; logged on stderr, and no list is made
 */
HCOMM_API hcomm_status hcomm_params_open(hcomm_params **params_out);

/** Takes NULL.  Every pointer that came from the list ends with it. */
HCOMM_API void hcomm_params_close(hcomm_params *params);

HCOMM_API int hcomm_param_count(const hcomm_params *params);

/** NULL when index is not in 0 .. hcomm_param_count - 1. */
HCOMM_API const hcomm_param_info *hcomm_param_at(const hcomm_params *params,
                                                 int                 index);

#ifdef __cplusplus
}
#endif

#endif
