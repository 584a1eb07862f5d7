#include "mem_ze.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Every structure begins with what it is. */
enum {
    IS_CONTEXT = 0xd,
    IS_QUEUE = 0xe,
    IS_DEVICE_MEMORY = 0x15,
    IS_HOST_MEMORY = 0x16,
    SYNCHRONOUS = 1,
};

/* Of contexts, device memory and host memory alike. */
struct description {
    int         is;
    const void *next;
    uint32_t    flags, ordinal;
};

struct queue_description {
    int         is;
    const void *next;
    uint32_t    ordinal, index, flags;
    int         mode, priority;
};

static struct {
    int (*zeInit)(uint32_t flags);
    int (*zeDriverGet)(uint32_t *count, void **drivers);
    int (*zeDeviceGet)(void *driver, uint32_t *count, void **devices);
    int (*zeContextCreate)(void *driver, const struct description *what,
                           void **context);
    int (*zeMemAllocDevice)(void *context, const struct description *what,
                            size_t bytes, size_t alignment, void *device,
                            void **ptr);
    int (*zeMemAllocHost)(void *context, const struct description *what,
                          size_t bytes, size_t alignment, void **ptr);
    int (*zeMemAllocShared)(void *context, const struct description *on_device,
                            const struct description *on_host, size_t bytes,
                            size_t alignment, void *device, void **ptr);
    int (*zeMemFree)(void *context, void *ptr);
    int (*zeCommandListCreateImmediate)(void *context, void *device,
                                        const struct queue_description *what,
                                        void                          **list);
    int (*zeCommandListAppendMemoryCopy)(void *list, void *dst, const void *src,
                                         size_t bytes, void *signal,
                                         uint32_t nwait, void **wait);
    void *context, *device, *list;
} ze;

static const struct description device_memory = {.is = IS_DEVICE_MEMORY};
static const struct description host_memory = {.is = IS_HOST_MEMORY};

static void *symbol(void *library, const char *name)
{
    void *address = dlsym(library, name);

    if (address == NULL) {
        fprintf(stderr, "# Level Zero lacks %s\n", name);
        exit(99);
    }
    return address;
}

#define LOAD(library, name) (*(void **)&ze.name = symbol(library, #name))

static void load(void *library)
{
    LOAD(library, zeInit);
    LOAD(library, zeDriverGet);
    LOAD(library, zeDeviceGet);
    LOAD(library, zeContextCreate);
    LOAD(library, zeMemAllocDevice);
    LOAD(library, zeMemAllocHost);
    LOAD(library, zeMemAllocShared);
    LOAD(library, zeMemFree);
    LOAD(library, zeCommandListCreateImmediate);
    LOAD(library, zeCommandListAppendMemoryCopy);
}

bool mem_ze_open(int which)
{
    static const struct description       context = {.is = IS_CONTEXT};
    static const struct queue_description queue = {.is = IS_QUEUE,
                                                   .mode = SYNCHRONOUS};
    void    *library = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    void    *driver, *devices[64];
    uint32_t drivers = 1, count = 64;

    if (library == NULL)
        return false;
    load(library);
    if (ze.zeInit(0) != 0 || ze.zeDriverGet(&drivers, &driver) != 0 ||
        drivers == 0 || ze.zeDeviceGet(driver, &count, devices) != 0 ||
        count == 0)
        return false;
    ze.device = devices[(uint32_t)which % count];
    return ze.zeContextCreate(driver, &context, &ze.context) == 0 &&
           ze.zeCommandListCreateImmediate(ze.context, ze.device, &queue,
                                           &ze.list) == 0;
}

int mem_ze_device(void **ptr, size_t bytes)
{
    return ze.zeMemAllocDevice(ze.context, &device_memory, bytes, 64, ze.device,
                               ptr);
}

int mem_ze_pinned(void **ptr, size_t bytes)
{
    return ze.zeMemAllocHost(ze.context, &host_memory, bytes, 64, ptr);
}

int mem_ze_managed(void **ptr, size_t bytes)
{
    return ze.zeMemAllocShared(ze.context, &device_memory, &host_memory, bytes,
                               64, ze.device, ptr);
}

int mem_ze_free(void *ptr)
{
    return ze.zeMemFree(ze.context, ptr);
}

int mem_ze_copy(void *dst, const void *src, size_t bytes)
{
    /* A list serves one thread at a time. */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int                    result;

    pthread_mutex_lock(&lock);
    result = ze.zeCommandListAppendMemoryCopy(ze.list, dst, src, bytes, NULL, 0,
                                              NULL);
    pthread_mutex_unlock(&lock);
    return result;
}
