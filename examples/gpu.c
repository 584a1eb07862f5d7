#include "examples/gpu.h"

#include "examples/gpu_driver.h"

#include <dlfcn.h>
#include <stdio.h>

static char error_text[256];

static const struct gpu_driver *const drivers[GPU_VENDORS] = {
    [GPU_NVIDIA] = &gpu_cuda_driver,
    [GPU_AMD] = &gpu_hip_driver,
    [GPU_INTEL] = &gpu_ze_driver,
};

/* The driver of the GPU in use; one per process, see gpu.h. */
static const struct gpu_driver *driver;

static bool failed(const struct gpu_driver *d, const char *what, int code)
{
    snprintf(error_text, sizeof error_text, "%s: %s: %s (code %d)", d->name,
             what, d->explain(code), code);
    return false;
}

static bool started(const struct gpu_driver *d)
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
        const struct gpu_driver *d = drivers[v];
        int                      count = 0;

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
    return drivers[vendor]->name;
}

bool gpu_use(const struct gpu *gpu)
{
    int code;

    driver = drivers[gpu->vendor];
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
