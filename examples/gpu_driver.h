#ifndef GPU_DRIVER_H
#define GPU_DRIVER_H

/* What gpu.c knows of a vendor; one file each fills it. */

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

/* One vendor's way of doing it.  Calls return the vendor's code, 0 is well. */
struct gpu_driver {
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

extern const struct gpu_driver gpu_cuda_driver;
extern const struct gpu_driver gpu_hip_driver;
extern const struct gpu_driver gpu_ze_driver;

/* Find every function of a list; its pointers share one struct. */
#define MEMBER(name, arguments) int(*name) arguments;
#define RESOLVE(name, arguments)                  \
    *(void **)&api->name = dlsym(library, #name); \
    found = found && api->name != NULL;

#define GPU_DRIVER(vendor_name, prefix)                            \
    {                                                              \
        .name = vendor_name, .libraries = prefix##_libraries,      \
        .load = prefix##_load, .start = prefix##_start,            \
        .count = prefix##_count, .describe = prefix##_describe,    \
        .use = prefix##_use, .alloc = prefix##_alloc,              \
        .release = prefix##_release, .upload = prefix##_upload,    \
        .download = prefix##_download, .explain = prefix##_explain \
    }

#endif
