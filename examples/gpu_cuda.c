#include "examples/gpu_driver.h"

#include <stdint.h>

/* CUDA's driver interface: with the versioned names that cuda.h hides behind
 * #defines. */
#define CUDA(X)                                                           \
    X(cuInit, (unsigned flags))                                           \
    X(cuDeviceGetCount, (int *count))                                     \
    X(cuDeviceGet, (int *device, int index))                              \
    X(cuDeviceGetName, (char *name, int bytes, int device))               \
    X(cuDevicePrimaryCtxRetain, (void **context, int device))             \
    X(cuCtxSetCurrent, (void *context))                                   \
    X(cuMemAlloc_v2, (uint64_t * device, size_t bytes))                   \
    X(cuMemFree_v2, (uint64_t device))                                    \
    X(cuMemcpyHtoD_v2, (uint64_t device, const void *host, size_t bytes)) \
    X(cuMemcpyDtoH_v2, (void *host, uint64_t device, size_t bytes))       \
    X(cuGetErrorString, (int code, const char **text))

static struct cuda {
    CUDA(MEMBER)
} cuda;

static bool cuda_load(void *library)
{
    struct cuda *api = &cuda;
    bool         found = true;

    CUDA(RESOLVE)
    return found;
}

static int cuda_start(void)
{
    return cuda.cuInit(0);
}

static int cuda_count(int *count_out)
{
    return cuda.cuDeviceGetCount(count_out);
}

static int cuda_describe(int index, char *name, int bytes)
{
    int device;
    int code = cuda.cuDeviceGet(&device, index);

    return code != 0 ? code : cuda.cuDeviceGetName(name, bytes, device);
}

static int cuda_use(int index)
{
    int   device;
    void *context;
    int   code = cuda.cuDeviceGet(&device, index);

    if (code == 0)
        code = cuda.cuDevicePrimaryCtxRetain(&context, device);
    return code != 0 ? code : cuda.cuCtxSetCurrent(context);
}

static int cuda_alloc(void **device_out, size_t bytes)
{
    uint64_t device = 0;
    int      code = cuda.cuMemAlloc_v2(&device, bytes);

    *device_out = (void *)(uintptr_t)device;
    return code;
}

static int cuda_release(void *device)
{
    return cuda.cuMemFree_v2((uintptr_t)device);
}

static int cuda_upload(void *device, const void *host, size_t bytes)
{
    return cuda.cuMemcpyHtoD_v2((uintptr_t)device, host, bytes);
}

static int cuda_download(void *host, const void *device, size_t bytes)
{
    return cuda.cuMemcpyDtoH_v2(host, (uintptr_t)device, bytes);
}

static const char *cuda_explain(int code)
{
    const char *text = NULL;

    cuda.cuGetErrorString(code, &text);
    return text != NULL ? text : "unknown error";
}

static const char *const cuda_libraries[] = {"libcuda.so.1", NULL};

const struct gpu_driver gpu_cuda_driver = GPU_DRIVER("nvidia", cuda);
