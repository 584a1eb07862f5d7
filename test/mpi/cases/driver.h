#ifndef TEST_MPI_CASES_DRIVER_H
#define TEST_MPI_CASES_DRIVER_H

/* What cases need of a vendor's driver beyond mem.h: which device is current,
 * memory on another one, streams, pools, handles.  A call that fails ends the
 * program with words, as in mem.h. */

#include "test/mpi/mem.h"

#include <stdbool.h>
#include <stddef.h>

/* A function of the driver, for calls that are not here. */
void *driver_symbol(enum mem_kind kind, const char *name);

/* Of MEM_CUDA and MEM_HIP; 0 where there is no driver. */
int driver_devices(enum mem_kind kind);
/* Whether a process that did nothing but load the driver has a context on the
 * device. */
bool driver_has_context(enum mem_kind kind, int device);

/* What is current for this thread: a context (MEM_CUDA; NULL is none) or a
 * device's ordinal (MEM_HIP), to compare. */
void *driver_current(enum mem_kind kind);
void  driver_set_device(enum mem_kind kind, int device);

/* A block as mem_new makes them, of MEM_CUDA or MEM_HIP, on a device, which is
 * then current.  To free: driver_delete. */
struct mem driver_new_on(enum mem_kind kind, int device, size_t bytes);
void       driver_delete(struct mem *mem);

/* Until the current device is idle. */
void driver_wait(enum mem_kind kind);
/* Free memory of the current device, after it went idle. */
size_t driver_free_bytes(enum mem_kind kind);
/* A block as mem_new makes them, of MEM_CUDA, from a pool that can't be
 * exported.  To free: driver_pool_delete. */
struct mem driver_pool_new(size_t bytes);
void       driver_pool_delete(struct mem *mem);

/* Streams that don't wait for the legacy default stream (CUDA); NULL is that
 * stream itself. */
void *driver_stream(void);
void  driver_stream_wait(void *stream);
void  driver_stream_delete(void *stream);
/* Set a buffer's ints to value on a stream: returns while it is under way. */
void driver_set_ints(struct mem *mem, int value, size_t count, void *stream);
/* Copy pinned memory to a buffer on a stream: likewise. */
void driver_write(struct mem *mem, const struct mem *pinned, size_t bytes,
                  void *stream);
/* Copy a buffer to pinned memory on a stream, and wait for that stream. */
void driver_read(const struct mem *mem, struct mem *pinned, size_t bytes,
                 void *stream);

/* Between processes on one device (CUDA and HIP). */
struct driver_handle {
    char bytes[64];
};
struct driver_handle driver_export(const struct mem *mem);
/* The block of another process, as if it were ours; the image is as mem_new
 * makes it. */
struct mem driver_import(enum mem_kind kind, struct driver_handle handle,
                         size_t bytes);
void       driver_import_delete(struct mem *mem);

#endif
