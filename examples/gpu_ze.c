#include "examples/gpu_driver.h"

#include <stdint.h>
#include <stdio.h>

#define ZE(X)                                                                  \
    X(zeInit, (uint32_t flags))                                                \
    X(zeDriverGet, (uint32_t * count, void **drivers))                         \
    X(zeDeviceGet, (void *driver, uint32_t *count, void **devices))            \
    X(zeDeviceGetProperties, (void *device, struct ze_device *properties))     \
    X(zeContextCreate,                                                         \
      (void *driver, const struct ze_description *what, void **context))       \
    X(zeMemAllocDevice,                                                        \
      (void *context, const struct ze_description *what, size_t bytes,         \
       size_t alignment, void *device, void **memory))                         \
    X(zeMemFree, (void *context, void *memory))                                \
    X(zeCommandListCreateImmediate,                                            \
      (void *context, void *device, const struct ze_queue *what, void **list)) \
    X(zeCommandListAppendMemoryCopy,                                           \
      (void *list, void *to, const void *from, size_t bytes, void *signal,     \
       uint32_t nwait, void **wait))

/* Every structure begins with what it is. */
enum {
    ZE_IS_DEVICE = 0x3,
    ZE_IS_CONTEXT = 0xd,
    ZE_IS_QUEUE = 0xe,
    ZE_IS_MEMORY = 0x15,
    ZE_DEVICE_IS_GPU = 1,
    ZE_QUEUE_IS_SYNCHRONOUS = 1,
    ZE_DRIVERS_MAX = 8,
    ZE_GPUS_MAX = 32,
};

struct ze_description {
    int         is;
    const void *next;
    uint32_t    flags, ordinal;
};

struct ze_queue {
    int         is;
    const void *next;
    uint32_t    ordinal, index, flags;
    int         mode, priority;
};

struct ze_device {
    int           is;
    void         *next;
    int           type;
    uint32_t      vendor, device, flags, subdevice, clock;
    uint64_t      max_bytes;
    uint32_t      limits[2], units[5];
    uint64_t      timer;
    uint32_t      timer_bits[2];
    unsigned char uuid[16];
    char          name[256];
};

static struct ze {
    ZE(MEMBER)
} ze;

static struct ze_gpu {
    void *driver, *device;
} ze_gpus[ZE_GPUS_MAX];
static int   ze_ngpus;
static void *ze_context, *ze_gpu, *ze_list; /* of the one in use */

static bool ze_load(void *library)
{
    struct ze *api = &ze;
    bool       found = true;

    ZE(RESOLVE)
    return found;
}

static void ze_find_gpus(void *driver)
{
    void    *devices[ZE_GPUS_MAX];
    uint32_t count = ZE_GPUS_MAX;

    if (ze.zeDeviceGet(driver, &count, devices) != 0)
        return;
    for (uint32_t i = 0; i < count && ze_ngpus < ZE_GPUS_MAX; i++) {
        struct ze_device properties = {.is = ZE_IS_DEVICE};

        if (ze.zeDeviceGetProperties(devices[i], &properties) == 0 &&
            properties.type == ZE_DEVICE_IS_GPU)
            ze_gpus[ze_ngpus++] = (struct ze_gpu){driver, devices[i]};
    }
}

static int ze_start(void)
{
    void    *found[ZE_DRIVERS_MAX];
    uint32_t count = ZE_DRIVERS_MAX;
    int      code = ze.zeInit(0);

    if (code == 0)
        code = ze.zeDriverGet(&count, found);
    ze_ngpus = 0;
    for (uint32_t i = 0; code == 0 && i < count && i < ZE_DRIVERS_MAX; i++)
        ze_find_gpus(found[i]);
    return code;
}

static int ze_count(int *count_out)
{
    *count_out = ze_ngpus;
    return 0;
}

static int ze_describe(int index, char *name, int bytes)
{
    struct ze_device properties = {.is = ZE_IS_DEVICE};
    int code = ze.zeDeviceGetProperties(ze_gpus[index].device, &properties);

    snprintf(name, (size_t)bytes, "%s", properties.name);
    return code;
}

static int ze_use(int index)
{
    struct ze_description context = {.is = ZE_IS_CONTEXT};
    struct ze_queue       queue = {.is = ZE_IS_QUEUE,
                                   .mode = ZE_QUEUE_IS_SYNCHRONOUS};
    int code = ze.zeContextCreate(ze_gpus[index].driver, &context, &ze_context);

    ze_gpu = ze_gpus[index].device;
    return code != 0 ? code
                     : ze.zeCommandListCreateImmediate(ze_context, ze_gpu,
                                                       &queue, &ze_list);
}

static int ze_alloc(void **device_out, size_t bytes)
{
    struct ze_description memory = {.is = ZE_IS_MEMORY};

    return ze.zeMemAllocDevice(ze_context, &memory, bytes, 64, ze_gpu,
                               device_out);
}

static int ze_release(void *device)
{
    return ze.zeMemFree(ze_context, device);
}

/* The list is synchronous: these return when the copy has happened. */
static int ze_upload(void *device, const void *host, size_t bytes)
{
    return ze.zeCommandListAppendMemoryCopy(ze_list, device, host, bytes, NULL,
                                            0, NULL);
}

static int ze_download(void *host, const void *device, size_t bytes)
{
    return ze.zeCommandListAppendMemoryCopy(ze_list, host, device, bytes, NULL,
                                            0, NULL);
}

/* It has no texts of its own. */
static const char *ze_explain(int code)
{
    static char text[48];

    snprintf(text, sizeof text, "ze_result_t 0x%x", (unsigned)code);
    return text;
}

static const char *const ze_libraries[] = {"libze_loader.so.1", NULL};

const struct gpu_driver gpu_ze_driver = GPU_DRIVER("intel", ze);
