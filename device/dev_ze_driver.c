#include "device/dev_ze.h"

#include "config/cfg_log.h"
#include "device/dev_load.h"

#include <dirent.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct hc_ze_api  hc_ze;
struct hc_ze_list hc_ze_list;

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
    HANDLES_MAX = 512, /* devices, their tiles, and the tiles' engines */
    NODES_MAX = 64,    /* the kernel has no more render nodes */
};

enum state {
    DOWN,   /* the program has not initialised Level Zero, as far as seen */
    UP,     /* what follows is filled, and stays until close */
    FAILED, /* it has no GPU or driver for us, and won't get one */
};

/* Level Zero is the process's, hence the globals. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* DOWN to UP */
static atomic_int      state;                            /* enum state */
static long            last_look_ms;
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

typedef char node_path[32];

/* Intel's render nodes; how many were stored in paths [NODES_MAX]. */
static int find_nodes(node_path *paths)
{
    DIR           *dir = opendir("/dev/dri");
    struct dirent *entry;
    int            count = 0;

    if (dir == NULL)
        return 0;
    while (count < NODES_MAX && (entry = readdir(dir)) != NULL) {
        if (strncmp(entry->d_name, "renderD", 7) == 0 &&
            is_intels(entry->d_name))
            snprintf(paths[count++], sizeof(node_path), "/dev/dri/%.20s",
                     entry->d_name);
    }
    closedir(dir);
    return count;
}

/* Whether this process has one of them open.  Called with the lock held. */
static bool any_node_open(void)
{
    static node_path nodes[NODES_MAX];
    static int       count = -1; /* not known yet; they stay as they are */

    if (count < 0)
        count = find_nodes(nodes);
    for (int i = 0; i < count; i++) {
        if (hc_dev_has_open(nodes[i]))
            return true;
    }
    return false;
}

bool hc_ze_present(void)
{
    node_path nodes[NODES_MAX];

    return is_emulated() || find_nodes(nodes) > 0;
}

bool hc_ze_findable(char *why, size_t room)
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
    struct hc_ze_driver *driver = &hc_ze_list.drivers[hc_ze_list.ndrivers];
    void                *found[HC_ZE_DEVICES_MAX];
    uint32_t             count = HC_ZE_DEVICES_MAX;
    int                  before = hc_ze_list.ndevices;
    int                  code = hc_ze.zeDeviceGet(handle, &count, found);

    if (code != HC_ZE_SUCCESS)
        return code;
    *driver = (struct hc_ze_driver){.handle = handle};
    for (uint32_t i = 0; i < count && hc_ze_list.ndevices < HC_ZE_DEVICES_MAX;
         i++) {
        if (!is_gpu(found[i]))
            continue;
        hc_ze_list.devices[hc_ze_list.ndevices] =
            (struct hc_ze_device){.handle = found[i], .driver = driver};
        add_handle(found[i], hc_ze_list.ndevices++);
    }
    if (hc_ze_list.ndevices == before)
        return HC_ZE_SUCCESS;
    hc_ze_list.ndrivers++;
    return open_driver(driver);
}

/*
 * The flags must be 0: with GPU_ONLY the loader would strike out the drivers of
 * other devices that the program may have initialised.  The program has called
 * zeInit itself (or is a tool of ours), so this only answers what came of it.
 */
static int enumerate(void)
{
    void    *found[HC_ZE_DRIVERS_MAX];
    uint32_t count = HC_ZE_DRIVERS_MAX;
    int      code = hc_ze.zeInit(0);

    hc_ze_list.ndrivers = hc_ze_list.ndevices = nhandles = 0;
    if (code == HC_ZE_SUCCESS)
        code = hc_ze.zeDriverGet(&count, found);
    for (uint32_t i = 0;
         i < count && i < HC_ZE_DRIVERS_MAX && code == HC_ZE_SUCCESS; i++)
        code = add_driver(found[i]);
    return code;
}

static void destroy_contexts(void)
{
    for (int i = 0; i < hc_ze_list.ndrivers; i++) {
        if (hc_ze_list.drivers[i].context != NULL)
            (void)hc_ze.zeContextDestroy(hc_ze_list.drivers[i].context);
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
    if (code == HC_ZE_SUCCESS && hc_ze_list.ndevices > 0) {
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
    char why[256];

    pthread_mutex_lock(&lock);
    if (atomic_load(&state) == DOWN && hc_dev_is_time_to_look(&last_look_ms) &&
        (is_emulated() || any_node_open()) &&
        start(why, sizeof why) != HCOMM_OK)
        hc_log(HC_LOG_DEBUG, "ze not used: %s", why);
    pthread_mutex_unlock(&lock);
}

bool hc_ze_is_up(void)
{
    int now = atomic_load_explicit(&state, memory_order_acquire);

    if (now == DOWN) {
        look();
        now = atomic_load_explicit(&state, memory_order_acquire);
    }
    return now == UP;
}

hcomm_status hc_ze_open(enum hc_dev_open_mode mode, char *why, size_t room)
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

void hc_ze_close(void)
{
    if (atomic_load(&state) == UP && hc_ze_close_queues())
        destroy_contexts();
    atomic_store(&state, DOWN);
    last_look_ms = 0;
}

/* -1: a device that none of the drivers listed. */
int hc_ze_device_of(const struct hc_ze_driver *driver, const void *handle)
{
    /* Host memory, and some shared memory, is every device's of its driver. */
    for (int i = 0; handle == NULL && i < hc_ze_list.ndevices; i++) {
        if (hc_ze_list.devices[i].driver == driver)
            return i;
    }
    for (int i = 0; i < nhandles; i++) {
        if (handles[i].handle == handle)
            return handles[i].device;
    }
    return -1;
}
