#include "examples/gpu_driver.h"

#define HIP(X)                                               \
    X(hipInit, (unsigned flags))                             \
    X(hipGetDeviceCount, (int *count))                       \
    X(hipDeviceGet, (int *device, int index))                \
    X(hipDeviceGetName, (char *name, int bytes, int device)) \
    X(hipSetDevice, (int index))                             \
    X(hipMalloc, (void **device, size_t bytes))              \
    X(hipFree, (void *device))                               \
    X(hipMemcpy, (void *to, const void *from, size_t bytes, int kind))

enum { HIP_TO_DEVICE = 1, HIP_TO_HOST = 2 };

static struct hip {
    HIP(MEMBER)
    const char *(*hipGetErrorString)(int code);
} hip;

static bool hip_load(void *library)
{
    struct hip *api = &hip;
    bool        found = true;

    HIP(RESOLVE)
    RESOLVE(hipGetErrorString, )
    return found;
}

static int hip_start(void)
{
    return hip.hipInit(0);
}

static int hip_count(int *count_out)
{
    return hip.hipGetDeviceCount(count_out);
}

static int hip_describe(int index, char *name, int bytes)
{
    int device;
    int code = hip.hipDeviceGet(&device, index);

    return code != 0 ? code : hip.hipDeviceGetName(name, bytes, device);
}

static int hip_use(int index)
{
    return hip.hipSetDevice(index);
}

static int hip_alloc(void **device_out, size_t bytes)
{
    return hip.hipMalloc(device_out, bytes);
}

static int hip_release(void *device)
{
    return hip.hipFree(device);
}

static int hip_upload(void *device, const void *host, size_t bytes)
{
    return hip.hipMemcpy(device, host, bytes, HIP_TO_DEVICE);
}

static int hip_download(void *host, const void *device, size_t bytes)
{
    return hip.hipMemcpy(host, device, bytes, HIP_TO_HOST);
}

static const char *hip_explain(int code)
{
    return hip.hipGetErrorString(code);
}

static const char *const hip_libraries[] = {
    "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", NULL};

const struct gpu_driver gpu_hip_driver = GPU_DRIVER("amd", hip);
