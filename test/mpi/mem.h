#ifndef TEST_MPI_MEM_H
#define TEST_MPI_MEM_H

/*
 * Buffers in every kind of memory, through the vendors' drivers as a program
 * without any SDK would use them.  Each lies between guard bytes, and carries
 * a host image of what its whole block should hold, gaps and guards included.
 */

#include <stdbool.h>
#include <stddef.h>

enum mem_kind {
    MEM_HOST,
    MEM_PINNED,     /* cuMemHostAlloc */
    MEM_MANAGED,    /* cuMemAllocManaged */
    MEM_POOL,       /* cuMemAllocAsync */
    MEM_CUDA,       /* cuMemAlloc */
    MEM_HIP,        /* hipMalloc */
    MEM_ZE,         /* zeMemAllocDevice */
    MEM_ZE_PINNED,  /* zeMemAllocHost */
    MEM_ZE_MANAGED, /* zeMemAllocShared */
    MEM_KINDS
};

struct mem {
    enum mem_kind  kind;
    char          *block; /* where the kind says; with the guards */
    size_t         block_bytes;
    char          *buffer;   /* after the guard: what to give to MPI */
    unsigned char *image;    /* block_bytes of host memory */
    unsigned char *elements; /* in image, where buffer is in block */
};

enum { MEM_GUARD_BYTES = 256 };

const char *mem_kind_name(enum mem_kind kind);

/* Whether its driver is here and has a device.  Opens the driver, and uses the
 * device whose ordinal is `which` modulo their number. */
bool mem_available(enum mem_kind kind, int which);

/* A device kind beside MEM_CUDA: another vendor's where one is here. */
enum mem_kind mem_second(int which);

/* A block filled with a pattern, in the image as well.  Exits with words when
 * the driver fails: a test cannot go on. */
struct mem mem_new(enum mem_kind kind, size_t bytes);
void       mem_delete(struct mem *mem);

/* The image into the block. */
void mem_upload(const struct mem *mem);
/* The block into copy, of block_bytes. */
void mem_download(const struct mem *mem, void *copy);
/* Offset from buffer of the first byte that differs from the image, whose
 * values go to *is and *should; LONG_MIN when none does. */
long mem_compare(const struct mem *mem, int *is, int *should);

#endif
