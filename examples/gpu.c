#include "examples/gpu.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

/* One vendor's way of doing it.  Calls return the vendor's code, 0 is well. */
struct driver {
    const char        *name;
    const char *const *libraries; /* sonames, the newest first, then NULL */
    bool (*load)(void *library);
    int (*start)(void);
    int (*count)(int *count_out);
    int (*describe)(int index, char *name, int bytes);
    int (*use)(int index);
    int (*alloc)(void **device_out, size_t bytes);
    int (*release)(void *device);
    int (*upload)(void *device, const void *host, size_t bytes);
    int (*download)(void *host, const void *device, size_t bytes);
    const char *(*explain)(int code);
};

static char error_text[256];

/* Find every function of a list; its pointers share one struct. */
#define MEMBER(name, arguments) int(*name) arguments;
#define RESOLVE(name, arguments)                  \
    *(void **)&api->name = dlsym(library, #name); \
    found = found && api->name != NULL;

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

/* HIP. */
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

#define DRIVER(vendor_name, prefix, sonames)                              \
    {                                                                     \
        .name = vendor_name, .libraries = sonames, .load = prefix##_load, \
        .start = prefix##_start, .count = prefix##_count,                 \
        .describe = prefix##_describe, .use = prefix##_use,               \
        .alloc = prefix##_alloc, .release = prefix##_release,             \
        .upload = prefix##_upload, .download = prefix##_download,         \
        .explain = prefix##_explain                                       \
    }

static const char *const cuda_libraries[] = {"libcuda.so.1", NULL};
static const char *const hip_libraries[] = {
    "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", NULL};

static const struct driver drivers[GPU_VENDORS] = {
    [GPU_NVIDIA] = DRIVER("nvidia", cuda, cuda_libraries),
    [GPU_AMD] = DRIVER("amd", hip, hip_libraries),
};

/* The driver of the GPU in use; one per process, see gpu.h. */
static const struct driver *driver;

static bool failed(const struct driver *d, const char *what, int code)
{
    snprintf(error_text, sizeof error_text, "%s: %s: %s (code %d)", d->name,
             what, d->explain(code), code);
    return false;
}

static bool started(const struct driver *d)
{
    void *library = NULL;
    int   code;

    for (int i = 0; library == NULL && d->libraries[i] != NULL; i++)
        library = dlopen(d->libraries[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL || !d->load(library))
        return false;
    code = d->start();
    return code == 0 || failed(d, "starting the driver", code);
}

int gpu_list(struct gpu *gpus, int room)
{
    int found = 0;

    for (int v = 0; v < GPU_VENDORS; v++) {
        const struct driver *d = &drivers[v];
        int                  count = 0;

        if (!started(d) || d->count(&count) != 0)
            continue;
        for (int i = 0; i < count && found < room; i++) {
            struct gpu *gpu = &gpus[found];

            *gpu = (struct gpu){.vendor = (enum gpu_vendor)v, .index = i};
            if (d->describe(i, gpu->name, sizeof gpu->name) == 0)
                found++;
        }
    }
    return found;
}

const char *gpu_vendor_name(enum gpu_vendor vendor)
{
    return drivers[vendor].name;
}

bool gpu_use(const struct gpu *gpu)
{
    int code;

    driver = &drivers[gpu->vendor];
    code = driver->use(gpu->index);
    return code == 0 || failed(driver, "using the device", code);
}

void *gpu_alloc(size_t bytes)
{
    void *device = NULL;
    int   code = driver->alloc(&device, bytes);

    if (code != 0)
        failed(driver, "allocating device memory", code);
    return code == 0 ? device : NULL;
}

void gpu_free(void *device)
{
    if (device != NULL)
        driver->release(device);
}

bool gpu_upload(void *device, const void *host, size_t bytes)
{
    int code = driver->upload(device, host, bytes);

    return code == 0 || failed(driver, "copying to the device", code);
}

bool gpu_download(void *host, const void *device, size_t bytes)
{
    int code = driver->download(host, device, bytes);

    return code == 0 || failed(driver, "copying from the device", code);
}

const char *gpu_error(void)
{
    return error_text;
}
