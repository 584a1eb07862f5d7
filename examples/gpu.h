#ifndef GPU_H
#define GPU_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Memory of an NVIDIA, AMD or Intel GPU through the vendor's own driver
 * interface, opened at run time: neither CUDA nor ROCm nor oneAPI is needed to
 * build this.  A process uses one GPU.  Functions that can fail say why in
 * gpu_error().
 */

enum gpu_vendor { GPU_NVIDIA, GPU_AMD, GPU_INTEL, GPU_VENDORS };

struct gpu {
    enum gpu_vendor vendor;
    int             index; /* the vendor's own number */
    char            name[96];
};

/* Every GPU of this machine, NVIDIA's first; how many were stored in gpus
 * [room].  0 is an ordinary answer. */
int gpu_list(struct gpu *gpus, int room);

const char *gpu_vendor_name(enum gpu_vendor vendor);

/* Make this the GPU that the functions below work on. */
bool gpu_use(const struct gpu *gpu);

/* NULL on failure; given back with gpu_free, which takes NULL. */
void *gpu_alloc(size_t bytes);
void  gpu_free(void *device);

/* Copies that have happened when they return. */
bool gpu_upload(void *device, const void *host, size_t bytes);
bool gpu_download(void *host, const void *device, size_t bytes);

/* What failed last; valid until the next failure. */
const char *gpu_error(void);

#endif
