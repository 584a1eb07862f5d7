/*
 * The emulated CUDA runtime: what the code that nvcc puts into every host
 * object calls, and the launches behind it.  Registration is accepted, since
 * it happens before main(); kernels do not run here, so a launch is an error.
 */

#include "device/emulator/emu_cudart.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct dim3 {
    unsigned x, y, z;
};

/* <<<grid, block, shared, stream>>> is pushed by the caller and popped by the
 * stub of the kernel; both are in one thread. */
struct configuration {
    struct dim3 grid, block;
    size_t      shared_bytes;
    void       *stream;
};

#define MAX_NESTED 8

static _Thread_local struct configuration pushed[MAX_NESTED];
static _Thread_local int                  pushed_count;

/* The names of kernels, so that a failed launch says which. */
struct kernel {
    struct kernel *next;
    const void    *stub;
    const char    *name; /* in the program's own image */
};

static pthread_mutex_t kernels_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kernel  *kernels;

RT_API void **__cudaRegisterFatBinary(void *image)
{
    static void *handle; /* one for all: nothing is looked up in it */

    (void)image;
    return &handle;
}

RT_API void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

RT_API void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
    pthread_mutex_lock(&kernels_lock);
    while (kernels) {
        struct kernel *next = kernels->next;

        free(kernels);
        kernels = next;
    }
    pthread_mutex_unlock(&kernels_lock);
}

RT_API void __cudaRegisterFunction(void **handle, const void *stub,
                                   char *device_name, const char *name,
                                   int thread_limit, void *thread_id,
                                   void *block_id, void *block_dim,
                                   void *grid_dim, int *warp_size)
{
    struct kernel *kernel = malloc(sizeof(*kernel));

    (void)handle;
    (void)device_name;
    (void)thread_limit;
    (void)thread_id;
    (void)block_id;
    (void)block_dim;
    (void)grid_dim;
    (void)warp_size;
    if (!kernel)
        return; /* its launch fails all the same, without the name */
    kernel->stub = stub;
    kernel->name = name;
    pthread_mutex_lock(&kernels_lock);
    kernel->next = kernels;
    kernels = kernel;
    pthread_mutex_unlock(&kernels_lock);
}

/* Device variables exist in kernels only. */
RT_API void __cudaRegisterVar(void **handle, char *host, char *device,
                              const char *name, int external, size_t bytes,
                              int constant, int global)
{
    (void)handle;
    (void)host;
    (void)device;
    (void)name;
    (void)external;
    (void)bytes;
    (void)constant;
    (void)global;
}

RT_API void __cudaRegisterManagedVar(void **handle, void **host, char *device,
                                     const char *name, int external,
                                     size_t bytes, int constant, int global)
{
    (void)handle;
    (void)host;
    (void)device;
    (void)name;
    (void)external;
    (void)bytes;
    (void)constant;
    (void)global;
}

RT_API void __cudaRegisterHostVar(void **handle, const char *name, char *host,
                                  size_t bytes)
{
    (void)handle;
    (void)name;
    (void)host;
    (void)bytes;
}

RT_API char __cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}

RT_API unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block,
                                            size_t shared_bytes, void *stream)
{
    if (pushed_count == MAX_NESTED)
        return 1;
    pushed[pushed_count++] = (struct configuration){
        .grid = grid,
        .block = block,
        .shared_bytes = shared_bytes,
        .stream = stream,
    };
    return 0;
}

RT_API int __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block,
                                      size_t *shared_bytes, void *stream_out)
{
    struct configuration *top;

    if (pushed_count == 0)
        return rt_result(52); /* cudaErrorMissingConfiguration */
    top = &pushed[--pushed_count];
    *grid = top->grid;
    *block = top->block;
    *shared_bytes = top->shared_bytes;
    *(void **)stream_out = top->stream;
    return RT_SUCCESS;
}

static const char *kernel_name(const void *stub)
{
    const char *name = "of unknown name";

    pthread_mutex_lock(&kernels_lock);
    for (const struct kernel *k = kernels; k; k = k->next) {
        if (k->stub == stub)
            name = k->name;
    }
    pthread_mutex_unlock(&kernels_lock);
    return name;
}

static int refuse(const void *stub)
{
    static bool said; /* one line a process is enough */

    if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
        fprintf(stderr,
                "HCOMM emulated CUDA runtime: launch of kernel %s refused: "
                "kernels do not "
                "run emulated; use a GPU for this program\n",
                kernel_name(stub));
    return rt_result(RT_NOT_SUPPORTED);
}

RT_API int cudaLaunchKernel(const void *stub, struct dim3 grid,
                            struct dim3 block, void **arguments,
                            size_t shared_bytes, void *stream)
{
    (void)grid;
    (void)block;
    (void)arguments;
    (void)shared_bytes;
    (void)stream;
    return refuse(stub);
}

RT_API int cudaLaunchKernel_ptsz(const void *stub, struct dim3 grid,
                                 struct dim3 block, void **arguments,
                                 size_t shared_bytes, void *stream)
{
    return cudaLaunchKernel(stub, grid, block, arguments, shared_bytes, stream);
}

RT_API int cudaLaunchCooperativeKernel(const void *stub, struct dim3 grid,
                                       struct dim3 block, void **arguments,
                                       size_t shared_bytes, void *stream)
{
    return cudaLaunchKernel(stub, grid, block, arguments, shared_bytes, stream);
}

RT_API int cudaLaunchCooperativeKernel_ptsz(const void *stub, struct dim3 grid,
                                            struct dim3 block, void **arguments,
                                            size_t shared_bytes, void *stream)
{
    return cudaLaunchKernel(stub, grid, block, arguments, shared_bytes, stream);
}

RT_API int cudaLaunchKernelExC(const void *configuration, const void *stub,
                               void **arguments)
{
    (void)configuration;
    (void)arguments;
    return refuse(stub);
}

RT_API int cudaLaunchKernelExC_ptsz(const void *configuration, const void *stub,
                                    void **arguments)
{
    return cudaLaunchKernelExC(configuration, stub, arguments);
}

/* From CUDA 12 on a stub is first turned into a kernel handle: itself. */
RT_API int __cudaGetKernel(const void **kernel, const void *stub)
{
    *kernel = stub;
    return RT_SUCCESS;
}

RT_API int __cudaLaunchKernel(const void *kernel, struct dim3 grid,
                              struct dim3 block, void **arguments,
                              size_t shared_bytes, void *stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes,
                            stream);
}

RT_API int __cudaLaunchKernel_ptsz(const void *kernel, struct dim3 grid,
                                   struct dim3 block, void **arguments,
                                   size_t shared_bytes, void *stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes,
                            stream);
}
