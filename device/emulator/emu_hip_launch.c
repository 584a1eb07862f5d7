/*
 * The emulated HIP runtime: what the code that the compiler puts into every
 * host object calls, and the launches behind it.  Registration is accepted,
 * since it happens before main(); kernels do not run here, so a launch is an
 * error.
 */

#include "device/emulator/emu_hip.h"

#include <stdio.h>

struct dim3 {
    unsigned x, y, z;
};

struct configuration {
    struct dim3 grid, block;
    size_t      shared_bytes;
    void       *stream;
};

#define MAX_NESTED 8

#define HIP_MISSING_CONFIGURATION 52

static _Thread_local struct configuration pushed[MAX_NESTED];
static _Thread_local int                  pushed_count;

HIP_API void **__hipRegisterFatBinary(const void *image)
{
    static void *handle; /* one for all: nothing is looked up in it */

    (void)image;
    return &handle;
}

HIP_API void __hipUnregisterFatBinary(void **handle)
{
    (void)handle;
}

HIP_API void __hipRegisterFunction(void **handle, const void *stub,
                                   char *device_name, const char *name,
                                   unsigned thread_limit, void *thread_id,
                                   void *block_id, void *block_dim,
                                   void *grid_dim, int *warp_size)
{
    (void)handle;
    (void)stub;
    (void)device_name;
    (void)name;
    (void)thread_limit;
    (void)thread_id;
    (void)block_id;
    (void)block_dim;
    (void)grid_dim;
    (void)warp_size;
}

/* Device variables exist in kernels only. */
HIP_API void __hipRegisterVar(void **handle, void *host, char *host_name,
                              char *name, int external, size_t bytes,
                              int constant, int global)
{
    (void)handle;
    (void)host;
    (void)host_name;
    (void)name;
    (void)external;
    (void)bytes;
    (void)constant;
    (void)global;
}

/* A managed variable is reached through *pointer, by the host as well. */
HIP_API void __hipRegisterManagedVar(void *handle, void **pointer,
                                     void *initial, const char *name,
                                     size_t bytes, unsigned alignment)
{
    (void)handle;
    (void)name;
    (void)bytes;
    (void)alignment;
    *pointer = initial;
}

HIP_API int __hipPushCallConfiguration(struct dim3 grid, struct dim3 block,
                                       size_t shared_bytes, void *stream)
{
    if (pushed_count == MAX_NESTED)
        return hip_leave(HC_HIP_OUT_OF_MEMORY);
    pushed[pushed_count++] = (struct configuration){
        .grid = grid,
        .block = block,
        .shared_bytes = shared_bytes,
        .stream = stream,
    };
    return HC_HIP_SUCCESS;
}

HIP_API int __hipPopCallConfiguration(struct dim3 *grid, struct dim3 *block,
                                      size_t *shared_bytes, void **stream_out)
{
    struct configuration *top;

    if (pushed_count == 0)
        return hip_leave(HIP_MISSING_CONFIGURATION);
    top = &pushed[--pushed_count];
    *grid = top->grid;
    *block = top->block;
    *shared_bytes = top->shared_bytes;
    *stream_out = top->stream;
    return HC_HIP_SUCCESS;
}

static int refuse(const char *function)
{
    static bool said; /* one line a process is enough */
    int         code = hip_enter(function);

    if (code == EMU_OK)
        code = HC_HIP_NOT_SUPPORTED;
    if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
        fprintf(stderr,
                "HCOMM emulated amd driver: %s refused: kernels do not run "
                "emulated; use a GPU for this program\n",
                function);
    return hip_leave(code);
}

HIP_API int hipLaunchKernel(const void *stub, struct dim3 grid,
                            struct dim3 block, void **arguments,
                            size_t shared_bytes, void *stream)
{
    (void)stub;
    (void)grid;
    (void)block;
    (void)arguments;
    (void)shared_bytes;
    (void)stream;
    return refuse(__func__);
}

HIP_API int hipLaunchKernel_spt(const void *stub, struct dim3 grid,
                                struct dim3 block, void **arguments,
                                size_t shared_bytes, void *stream)
{
    (void)stub;
    (void)grid;
    (void)block;
    (void)arguments;
    (void)shared_bytes;
    (void)stream;
    return refuse(__func__);
}

HIP_API int hipLaunchCooperativeKernel(const void *stub, struct dim3 grid,
                                       struct dim3 block, void **arguments,
                                       unsigned shared_bytes, void *stream)
{
    (void)stub;
    (void)grid;
    (void)block;
    (void)arguments;
    (void)shared_bytes;
    (void)stream;
    return refuse(__func__);
}

HIP_API int hipExtLaunchKernel(const void *stub, struct dim3 grid,
                               struct dim3 block, void **arguments,
                               size_t shared_bytes, void *stream, void *start,
                               void *end, int flags)
{
    (void)stub;
    (void)grid;
    (void)block;
    (void)arguments;
    (void)shared_bytes;
    (void)stream;
    (void)start;
    (void)end;
    (void)flags;
    return refuse(__func__);
}

/* A module is AMD GPU code; a launch of one cannot come to pass without it. */
HIP_API int hipModuleLoadData(void **module, const void *image)
{
    (void)module;
    (void)image;
    return refuse(__func__);
}

HIP_API int hipModuleLoad(void **module, const char *path)
{
    (void)module;
    (void)path;
    return refuse(__func__);
}
