#include "device/dev_ze.h"

#include "config/cfg_log.h"
#include "device/dev_load.h"

#include <dirent.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct hc_ze_api hc_ze;

static const struct hc_dev_symbol ze_symbols[] = {
#define X(name, parameters) {#name, offsetof(struct hc_ze_api, name), false},
    ZE_API(X)
#undef X
#define X(name, parameters) {#name, offsetof(struct hc_ze_api, name), true},
        ZE_API_OPTIONAL(X)
#undef X
            {NULL, 0, false},
};

static const char *const sonames[] = {"libze_loader.so.1", NULL};

enum {
    DRIVERS_MAX = 8,   /* of one process; GPUs, NPUs and CPUs have each one */
    DEVICES_MAX = 64,  /* of all drivers */
    HANDLES_MAX = 512, /* devices, their tiles, and the tiles' engines */
};

enum state {
    DOWN,   /* the program has not initialised Level Zero, as far as seen */
    UP,     /* what follows is filled, and stays until close */
    FAILED, /* it has no GPU or driver for us, and won't get one */
};

/* Level Zero is the process's, hence the globals. */
static pthread_mutex_t     lock = PTHREAD_MUTEX_INITIALIZER; /* DOWN to UP */
static atomic_int          state;                            /* enum state */
static struct hc_ze_driver drivers[DRIVERS_MAX];
static int                 ndrivers;
static struct hc_ze_device devices[DEVICES_MAX];
static int                 ndevices;
static struct {
    void *handle;
    int   device; /* tiles are their device's */
} handles[HANDLES_MAX];
static int nhandles;

static const char *words_of(int code, const char **name_out)
{
    switch (code) {
#define X(name, theirs, number, words)    \
    case number:                          \
        *name_out = "ZE_RESULT_" #theirs; \
        return words;
        HC_ZE_RESULTS(X)
#undef X
    default:
        *name_out = "?";
        return "unknown error";
    }
}

void hc_ze_error_text(int code, char *text, size_t room)
{
    const char *name;
    const char *words = words_of(code, &name);

    snprintf(text, room, "%s (%s), code 0x%x", words, name, (unsigned)code);
}

static const char *advice(int code)
{
    switch (code) {
    case HC_ZE_DEVICE_LOST:
    case HC_ZE_DEVICE_REQUIRES_RESET:
        return "; an earlier kernel may have hung: see the kernel's log "
               "(dmesg), and start the job anew";
    case HC_ZE_OUT_OF_HOST_MEMORY:
    case HC_ZE_OUT_OF_DEVICE_MEMORY:
        return "; free device or pinned memory, or lower pinned_max";
    case HC_ZE_INVALID_ARGUMENT:
    case HC_ZE_INVALID_SIZE:
        return "; the buffer was freed, or is shorter than count says";
    case HC_ZE_INSUFFICIENT_PERMISSIONS:
        return "; become a member of the group that owns /dev/dri/renderD*";
    case HC_ZE_UNINITIALIZED:
        return "; the driver is not usable here (after fork, or at exit)";
    default:
        return "; see the kernel's log (dmesg) and run hcc";
    }
}

static hcomm_status meaning(int code)
{
    if (code == HC_ZE_SUCCESS)
        return HCOMM_OK;
    return code == HC_ZE_OUT_OF_HOST_MEMORY ||
                   code == HC_ZE_OUT_OF_DEVICE_MEMORY
               ? HCOMM_ERR_NO_MEMORY
               : HCOMM_ERR_DEVICE;
}

hcomm_status hc_ze_status(int code, const char *format, ...)
{
    char    what[256], words[256];
    va_list args;

    if (code == HC_ZE_SUCCESS)
        return HCOMM_OK;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    hc_ze_error_text(code, words, sizeof words);
    hc_log(HC_LOG_ERROR, "ze %s: %s%s", what, words, advice(code));
    return meaning(code);
}

static bool is_emulated(void)
{
    static const char *const words[] = {"intel", "ze", NULL};

    return hc_dev_is_emulated(words);
}

static bool is_intels(const char *node)
{
    char  path[128], vendor[16] = "";
    FILE *file;

    snprintf(path, sizeof path, "/sys/class/drm/%.64s/device/vendor", node);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    if (fgets(vendor, sizeof vendor, file) == NULL)
        vendor[0] = '\0';
    fclose(file);
    return strcmp(vendor, "0x8086\n") == 0;
}

/* Whether one of Intel's render nodes is here and, if asked, whether this
 * process has one open. */
static bool any_node(bool must_be_open)
{
    DIR           *dir = opendir("/dev/dri");
    struct dirent *entry;
    bool           found = false;

    if (dir == NULL)
        return false;
    while (!found && (entry = readdir(dir)) != NULL) {
        char path[128];

        snprintf(path, sizeof path, "/dev/dri/%.64s", entry->d_name);
        found = strncmp(entry->d_name, "renderD", 7) == 0 &&
                is_intels(entry->d_name) &&
                (!must_be_open || hc_dev_has_open(path));
    }
    closedir(dir);
    return found;
}

static bool ze_present(void)
{
    return is_emulated() || any_node(false);
}

static bool ze_findable(char *why, size_t room)
{
    return hc_dev_findable(sonames, "libze_loader.so", why, room);
}

/* Deeper ones too: Intel's driver has tiles in devices and engines in tiles. */
static void add_handle(void *handle, int device)
{
    enum { PARTS_MAX = 16 };
    void    *parts[PARTS_MAX];
    uint32_t count = PARTS_MAX;

    if (nhandles == HANDLES_MAX)
        return;
    handles[nhandles].handle = handle;
    handles[nhandles].device = device;
    nhandles++;
    if (hc_ze.zeDeviceGetSubDevices(handle, &count, parts) != HC_ZE_SUCCESS)
        return;
    for (uint32_t i = 0; i < count && i < PARTS_MAX; i++)
        add_handle(parts[i], device);
}

static bool is_gpu(void *handle)
{
    struct hc_ze_device_properties properties = {
        .stype = HC_ZE_IS_DEVICE_PROPERTIES};

    return hc_ze.zeDeviceGetProperties(handle, &properties) == HC_ZE_SUCCESS &&
           properties.type == HC_ZE_DEVICE_GPU;
}

static void *extension(void *driver, const char *name)
{
    void *address = NULL;

    if (hc_ze.zeDriverGetExtensionFunctionAddress(driver, name, &address) !=
        HC_ZE_SUCCESS)
        return NULL;
    return address;
}

static int open_driver(struct hc_ze_driver *driver)
{
    struct hc_ze_context_desc desc = {.stype = HC_ZE_IS_CONTEXT_DESC};
    void *import = extension(driver->handle, HC_ZE_IMPORT_POINTER);
    void *release = extension(driver->handle, HC_ZE_RELEASE_POINTER);

    /* ISO C has no cast from void * to a function pointer. */
    if (import != NULL && release != NULL) {
        memcpy(&driver->import_pointer, &import, sizeof import);
        memcpy(&driver->release_pointer, &release, sizeof release);
    }
    return hc_ze.zeContextCreate(driver->handle, &desc, &driver->context);
}

/* A driver without a GPU is left alone. */
static int add_driver(void *handle)
{
    struct hc_ze_driver *driver = &drivers[ndrivers];
    void                *found[DEVICES_MAX];
    uint32_t             count = DEVICES_MAX;
    int                  before = ndevices;
    int                  code = hc_ze.zeDeviceGet(handle, &count, found);

    if (code != HC_ZE_SUCCESS)
        return code;
    *driver = (struct hc_ze_driver){.handle = handle};
    for (uint32_t i = 0; i < count && ndevices < DEVICES_MAX; i++) {
        if (!is_gpu(found[i]))
            continue;
        devices[ndevices] =
            (struct hc_ze_device){.handle = found[i], .driver = driver};
        add_handle(found[i], ndevices++);
    }
    if (ndevices == before)
        return HC_ZE_SUCCESS;
    ndrivers++;
    return open_driver(driver);
}

/*
 * The flags must be 0: with GPU_ONLY the loader would strike out the drivers of
 * other devices that the program may have initialised.  The program has called
 * zeInit itself (or is a tool of ours), so this only answers what came of it.
 */
static int enumerate(void)
{
    void    *found[DRIVERS_MAX];
    uint32_t count = DRIVERS_MAX;
    int      code = hc_ze.zeInit(0);

    ndrivers = ndevices = nhandles = 0;
    if (code == HC_ZE_SUCCESS)
        code = hc_ze.zeDriverGet(&count, found);
    for (uint32_t i = 0; i < count && i < DRIVERS_MAX && code == HC_ZE_SUCCESS;
         i++)
        code = add_driver(found[i]);
    return code;
}

static void destroy_contexts(void)
{
    for (int i = 0; i < ndrivers; i++) {
        if (drivers[i].context != NULL)
            (void)hc_ze.zeContextDestroy(drivers[i].context);
    }
}

/* Called with the lock held, and the program's own zeInit behind us. */
static hcomm_status start(char *why, size_t room)
{
    char words[160];
    int  code;

    if (atomic_load(&state) == UP)
        return HCOMM_OK;
    code = enumerate();
    if (code == HC_ZE_SUCCESS && ndevices > 0) {
        atomic_store(&state, UP);
        return HCOMM_OK;
    }
    destroy_contexts();
    atomic_store(&state, FAILED);
    hc_ze_error_text(code, words, sizeof words);
    if (code != HC_ZE_SUCCESS)
        snprintf(why, room, "zeInit: %s", words);
    else
        snprintf(why, room, "its drivers show no GPU");
    return HCOMM_ERR_UNSUPPORTED;
}

/*
 * A guest initialises nothing, and the loader can't be asked whether the
 * program has: before zeInit some versions answer, others crash.  Intel's
 * driver opens the render nodes when it is initialised; so until this process
 * has one open there is no pointer to ask about.  (Mesa opens them too; with
 * Level Zero's loader in the same process that makes our zeInit early, not
 * wrong.)  Initialising takes tens of ms, so looking once per ms misses
 * nothing; who comes while somebody looks waits for the answer.
 */
static void look(void)
{
    static long     last_look_ms;
    struct timespec now;
    long            now_ms;
    char            why[256];

    pthread_mutex_lock(&lock);
    clock_gettime(CLOCK_MONOTONIC, &now);
    now_ms = now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (atomic_load(&state) == DOWN && now_ms != last_look_ms) {
        last_look_ms = now_ms;
        if ((is_emulated() || any_node(true)) &&
            start(why, sizeof why) != HCOMM_OK)
            hc_log(HC_LOG_DEBUG, "ze not used: %s", why);
    }
    pthread_mutex_unlock(&lock);
}

static bool is_up(void)
{
    int now = atomic_load_explicit(&state, memory_order_acquire);

    if (now == DOWN) {
        look();
        now = atomic_load_explicit(&state, memory_order_acquire);
    }
    return now == UP;
}

static hcomm_status ze_open(enum hc_dev_open_mode mode, char *why, size_t room)
{
    hcomm_status status;

    status = hc_dev_load(sonames, "libze_loader.so", mode, ze_symbols, &hc_ze,
                         why, room);
    if (status != HCOMM_OK || mode != HC_DEV_LOAD)
        return status;
    pthread_mutex_lock(&lock);
    status = start(why, room);
    pthread_mutex_unlock(&lock);
    return status;
}

static void ze_close(void)
{
    if (atomic_load(&state) == UP && hc_ze_close_queues())
        destroy_contexts();
    atomic_store(&state, DOWN);
}

static hcomm_status ze_count(int *count_out)
{
    if (!is_up())
        return HCOMM_ERR_UNSUPPORTED;
    *count_out = ndevices;
    return HCOMM_OK;
}

static size_t memory_bytes(void *device)
{
    enum { MEMORIES = 16 };
    struct hc_ze_device_memory memories[MEMORIES];
    uint32_t                   count = MEMORIES;
    size_t                     bytes = 0;

    memset(memories, 0, sizeof memories);
    for (int i = 0; i < MEMORIES; i++)
        memories[i].stype = HC_ZE_IS_DEVICE_MEMORY;
    if (hc_ze.zeDeviceGetMemoryProperties(device, &count, memories) !=
        HC_ZE_SUCCESS)
        return 0;
    for (uint32_t i = 0; i < count && i < MEMORIES; i++)
        bytes += memories[i].bytes;
    return bytes;
}

static void describe_bus_id(void *device, char *text, size_t room)
{
    struct hc_ze_pci_properties pci = {.stype = HC_ZE_IS_PCI_PROPERTIES};

    if (hc_ze.zeDevicePciGetPropertiesExt != NULL &&
        hc_ze.zeDevicePciGetPropertiesExt(device, &pci) == HC_ZE_SUCCESS)
        snprintf(text, room, "%04x:%02x:%02x.%x", pci.domain & 0xffff,
                 pci.bus & 0xff, pci.device & 0xff, pci.function & 0xf);
}

static hcomm_status ze_info(int device, struct hc_dev_info *info_out)
{
    struct hc_ze_device_properties properties = {
        .stype = HC_ZE_IS_DEVICE_PROPERTIES};
    struct hc_dev_info info = {0};
    void              *handle;
    int                code;

    if (!is_up() || device < 0 || device >= ndevices)
        return HCOMM_ERR_NOT_FOUND;
    handle = devices[device].handle;
    code = hc_ze.zeDeviceGetProperties(handle, &properties);
    if (code != HC_ZE_SUCCESS)
        return hc_ze_status(code, "description of device %d", device);
    snprintf(info.name, sizeof info.name, "%.*s", (int)sizeof info.name - 1,
             properties.name);
    memcpy(info.uuid, properties.uuid, sizeof info.uuid);
    describe_bus_id(handle, info.bus_id, sizeof info.bus_id);
    info.memory_bytes = memory_bytes(handle);
    info.emulated = strstr(info.name, "emulated") != NULL;
    *info_out = info;
    return HCOMM_OK;
}

static void ze_version(char *text, size_t room)
{
    uint32_t version = 0;

    if (is_up())
        (void)hc_ze.zeDriverGetApiVersion(drivers[0].handle, &version);
    snprintf(text, room, "Level Zero %u.%u", HC_ZE_MAJOR(version),
             HC_ZE_MINOR(version));
}

/* -1: a device that none of the drivers listed. */
static int device_of(const struct hc_ze_driver *driver, const void *handle)
{
    /* Host memory, and some shared memory, is every device's of its driver. */
    for (int i = 0; handle == NULL && i < ndevices; i++) {
        if (devices[i].driver == driver)
            return i;
    }
    for (int i = 0; i < nhandles; i++) {
        if (handles[i].handle == handle)
            return handles[i].device;
    }
    return -1;
}

/* What a driver says of an address that it doesn't know; the interface wants
 * success and type UNKNOWN. */
static bool means_unknown(int code)
{
    return code == HC_ZE_INVALID_ARGUMENT || code == HC_ZE_UNINITIALIZED ||
           code == HC_ZE_UNKNOWN;
}

static hcomm_status describe(const struct hc_ze_driver *driver, const void *ptr,
                             struct hc_dev_mem *mem)
{
    struct hc_ze_alloc_properties properties = {.stype =
                                                    HC_ZE_IS_ALLOC_PROPERTIES};
    void                         *handle = NULL, *base = NULL;
    int code = hc_ze.zeMemGetAllocProperties(driver->context, ptr, &properties,
                                             &handle);

    if (means_unknown(code) ||
        (code == HC_ZE_SUCCESS && properties.type == HC_ZE_MEMORY_UNKNOWN))
        return HCOMM_ERR_NOT_FOUND;
    if (code != HC_ZE_SUCCESS)
        return hc_ze_status(code, "question about address %p", ptr);

    if (properties.type == HC_ZE_MEMORY_HOST)
        mem->type = HC_MEM_PINNED;
    else if (properties.type == HC_ZE_MEMORY_SHARED)
        mem->type = HC_MEM_MANAGED;
    mem->context = driver->context;
    mem->device = device_of(driver, handle);
    if (mem->device < 0) {
        hc_log(HC_LOG_ERROR,
               "ze: address %p is on a device that its driver does not list; "
               "allocate it on another",
               ptr);
        return HCOMM_ERR_DEVICE;
    }
    mem->base = (uintptr_t)ptr;
    if (hc_ze.zeMemGetAddressRange(driver->context, ptr, &base, &mem->bytes) ==
        HC_ZE_SUCCESS)
        mem->base = (uintptr_t)base;
    return HCOMM_OK;
}

static hcomm_status ze_query(const void *ptr, struct hc_dev_mem *mem_out)
{
    struct hc_dev_mem mem = {.ops = &hc_dev_ze, .type = HC_MEM_DEVICE};

    /* NULL would be a caller's mistake to the driver, and is no one's. */
    if (ptr == NULL || !is_up())
        return HCOMM_ERR_NOT_FOUND;
    for (int i = 0; i < ndrivers; i++) {
        hcomm_status status = describe(&drivers[i], ptr, &mem);

        if (status == HCOMM_OK)
            *mem_out = mem;
        if (status != HCOMM_ERR_NOT_FOUND)
            return status;
    }
    return HCOMM_ERR_NOT_FOUND;
}

static hcomm_status ze_alloc(int device, size_t bytes, void **ptr_out)
{
    struct hc_ze_device_alloc_desc desc = {.stype = HC_ZE_IS_DEVICE_ALLOC_DESC};

    if (!is_up() || device < 0 || device >= ndevices)
        return HCOMM_ERR_NOT_FOUND;
    return hc_ze_status(hc_ze.zeMemAllocDevice(devices[device].driver->context,
                                               &desc, bytes, 64,
                                               devices[device].handle, ptr_out),
                        "allocation of %zu bytes on device %d", bytes, device);
}

static void ze_free(int device, void *ptr)
{
    if (is_up() && device >= 0 && device < ndevices)
        (void)hc_ze.zeMemFree(devices[device].driver->context, ptr);
}

static hcomm_status ze_pin(const struct hc_dev_mem *mem, void *ptr,
                           size_t bytes, char *why, size_t room)
{
    const struct hc_ze_driver *driver = devices[mem->device].driver;
    int                        code;

    if (driver->import_pointer == NULL) {
        snprintf(why, room, "its driver has no " HC_ZE_IMPORT_POINTER);
        return HCOMM_ERR_UNSUPPORTED;
    }
    code = driver->import_pointer(driver->handle, ptr, bytes);
    if (code != HC_ZE_SUCCESS)
        hc_ze_error_text(code, why, room);
    return meaning(code);
}

static void ze_unpin(const struct hc_dev_mem *mem, void *ptr)
{
    const struct hc_ze_driver *driver = devices[mem->device].driver;

    (void)driver->release_pointer(driver->handle, ptr);
}

static hcomm_status ze_queue(const struct hc_dev_mem *mem,
                             struct hc_dev_queue    **queue_out)
{
    return hc_ze_queue(&devices[mem->device], mem->device, queue_out);
}

const struct hc_dev_ops hc_dev_ze = {
    .name = "ze",
    .vendor = "intel",
    .kind = HC_DEV_ZE,
    .present = ze_present,
    .findable = ze_findable,
    .open = ze_open,
    .close = ze_close,
    .count = ze_count,
    .info = ze_info,
    .version = ze_version,
    .query = ze_query,
    .alloc = ze_alloc,
    .free = ze_free,
    .pin = ze_pin,
    .unpin = ze_unpin,
    .queue = ze_queue,
    .copy = hc_ze_copy,
    .record = hc_ze_record,
    .test = hc_ze_test,
};
