/*
 * The emulated Level Zero driver: main, and what its tests share.
 */

#include "test/unit/emulator_ze.h"

#include "test/unit/emulated.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ze_api   ze;
struct ze_bench bench;

static bool load(void)
{
    void *loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);

    if (loader == NULL)
        return false;
#define FIND(name, parameters)                                   \
    *(void **)&ze.name = dlsym(loader, #name);                   \
    if (ze.name == NULL) {                                       \
        fprintf(stderr, "%s is missing in the loader\n", #name); \
        exit(1);                                                 \
    }
    ZE_API_LIST(FIND)
#undef FIND
    return true;
}

/* ---------------------------------------------------------------- the bench */

int open_list(int device, uint32_t group, int mode, void **list)
{
    const struct hc_ze_queue_desc desc = {
        .stype = HC_ZE_IS_QUEUE_DESC, .group = group, .mode = mode};

    return ze.zeCommandListCreateImmediate(bench.context, bench.devices[device],
                                           &desc, list);
}

static int open_devices(void)
{
    uint32_t count = DEVICES;
    int      code = ze.zeDeviceGet(bench.driver, &count, bench.devices);

    for (int i = 0; i < (int)count && code == HC_ZE_SUCCESS; i++)
        code = open_list(i, 0, HC_ZE_QUEUE_ASYNCHRONOUS, &bench.lists[i]);
    return code;
}

int open_driver(void)
{
    const struct hc_ze_context_desc context = {.stype = HC_ZE_IS_CONTEXT_DESC};
    const struct hc_ze_event_pool_desc pool = {
        .stype = HC_ZE_IS_EVENT_POOL_DESC,
        .flags = HC_ZE_EVENT_POOL_HOST_VISIBLE,
        .count = EVENTS,
    };
    uint32_t count = 1;
    int      code = ze.zeInit(0);

    if (code == HC_ZE_SUCCESS)
        code = ze.zeDriverGet(&count, &bench.driver);
    if (code == HC_ZE_SUCCESS)
        code = ze.zeContextCreate(bench.driver, &context, &bench.context);
    if (code == HC_ZE_SUCCESS)
        code = open_devices();
    if (code == HC_ZE_SUCCESS)
        code = ze.zeEventPoolCreate(bench.context, &pool, 0, NULL, &bench.pool);
    return code;
}

int alloc_device(int device, size_t bytes, void **ptr)
{
    const struct hc_ze_device_alloc_desc desc = {
        .stype = HC_ZE_IS_DEVICE_ALLOC_DESC};

    return ze.zeMemAllocDevice(bench.context, &desc, bytes, 64,
                               bench.devices[device], ptr);
}

int alloc_host(size_t bytes, void **ptr)
{
    const struct hc_ze_host_alloc_desc desc = {.stype =
                                                   HC_ZE_IS_HOST_ALLOC_DESC};

    return ze.zeMemAllocHost(bench.context, &desc, bytes, 64, ptr);
}

int alloc_shared(int device, size_t bytes, void **ptr)
{
    const struct hc_ze_device_alloc_desc desc = {
        .stype = HC_ZE_IS_DEVICE_ALLOC_DESC};
    const struct hc_ze_host_alloc_desc host = {.stype =
                                                   HC_ZE_IS_HOST_ALLOC_DESC};

    return ze.zeMemAllocShared(bench.context, &desc, &host, bytes, 64,
                               bench.devices[device], ptr);
}

int new_event(void **event)
{
    static _Atomic uint32_t next;
    struct hc_ze_event_desc desc = {.stype = HC_ZE_IS_EVENT_DESC,
                                    .signal = HC_ZE_SCOPE_HOST};

    desc.index = next++ % EVENTS;
    return ze.zeEventCreate(bench.pool, &desc, event);
}

int copy_on(int device, void *dst, const void *src, size_t bytes)
{
    void *event;
    int   code = new_event(&event);

    if (code == HC_ZE_SUCCESS)
        code = ze.zeCommandListAppendMemoryCopy(bench.lists[device], dst, src,
                                                bytes, event, 0, NULL);
    if (code == HC_ZE_SUCCESS)
        code = ze.zeEventHostSynchronize(event, UINT64_MAX);
    return code == HC_ZE_SUCCESS ? ze.zeEventDestroy(event) : code;
}

/* -------------------------------------------------------------------- roles */

/* Exit status: the low byte of the code, or the number of devices + 200. */
static int role_count(void)
{
    uint32_t count = 0;
    int      code = open_driver();

    if (code == HC_ZE_SUCCESS)
        code = ze.zeDeviceGet(bench.driver, &count, NULL);
    return code ? code & 0xff : (int)(200 + count);
}

/* Exit status: the bus of device 0. */
static int role_first_bus(void)
{
    struct hc_ze_pci_properties pci = {.stype = HC_ZE_IS_PCI_PROPERTIES};

    if (open_driver() || ze.zeDevicePciGetPropertiesExt(bench.devices[0], &pci))
        return 255;
    return (int)pci.bus;
}

/* Under HCOMM_EMU_FAULT=zeMemAllocDevice@2=0x70000003,
 * zeEventQueryStatus@1=1.  0: as asked. */
static int role_fault(void)
{
    void *one, *two, *event;

    if (open_driver() || alloc_device(0, KB, &one))
        return 1;
    if (alloc_device(0, KB, &two) != HC_ZE_OUT_OF_DEVICE_MEMORY ||
        alloc_device(0, KB, &two))
        return 2;
    if (new_event(&event) || ze.zeEventHostSignal(event) ||
        ze.zeEventQueryStatus(event) != HC_ZE_NOT_READY ||
        ze.zeEventQueryStatus(event))
        return 3;
    return 0;
}

static int role_exit_in_flight(void)
{
    static unsigned char data[4 * SLOW_BYTES];
    void                *device, *event;

    if (open_driver() || alloc_device(SLOW_DEVICE, sizeof data, &device) ||
        new_event(&event))
        return 1;
    /* One that is being copied, one that waits, and one that waits for ever. */
    for (int i = 0; i < 2; i++) {
        if (ze.zeCommandListAppendMemoryCopy(bench.lists[SLOW_DEVICE], device,
                                             data, sizeof data, NULL, 0, NULL))
            return 2;
    }
    if (ze.zeCommandListAppendMemoryCopy(bench.lists[0], device, data, 100,
                                         NULL, 1, &event))
        return 3;
    return 0;
}

static int play(const char *role, const char *argument)
{
    if (strcmp(role, "import") == 0)
        return role_import(argument);
    if (strcmp(role, "raw") == 0)
        return role_raw(argument);
    if (strcmp(role, "pidfd") == 0)
        return role_pidfd(argument);
    if (strcmp(role, "peer") == 0)
        return role_peer();
    if (strcmp(role, "overtake") == 0)
        return role_overtake();
    if (strcmp(role, "start") == 0)
        return role_start();
    if (strcmp(role, "correct") == 0)
        return role_correct();
    if (strcmp(role, "lost") == 0)
        return role_lost(argument);
    if (strcmp(role, "stall") == 0)
        return role_stall();
    if (strcmp(role, "count") == 0)
        return role_count();
    if (strcmp(role, "first-bus") == 0)
        return role_first_bus();
    if (strcmp(role, "fault") == 0)
        return role_fault();
    if (strcmp(role, "exit-in-flight") == 0)
        return role_exit_in_flight();
    return 126;
}

#define DEVICE_LIST "intel:3"
#define DEVICE_LINK "intel:1/h2d=10MB/s"

/* This is the second start, in the environment of the tests. */
static bool is_set_up(void)
{
    const char *devices = getenv("HCOMM_EMULATE");
    const char *link = getenv("HCOMM_EMU_LINK");

    return devices != NULL && strcmp(devices, DEVICE_LIST) == 0 &&
           link != NULL && strcmp(link, DEVICE_LINK) == 0;
}

#define LIST(name) cmocka_unit_test(name),

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {MEMORY_TESTS(LIST) LIST_TESTS(LIST)
                                           SHARE_TESTS(LIST) FAULT_TESTS(LIST)};

    if (argc < 2 && !is_set_up()) {
        setenv("HCOMM_EMU_LINK", DEVICE_LINK, 1);
        unsetenv("HCOMM_EMU_FAULT");
        unsetenv("HCOMM_EMU_PEER");
        unsetenv("HCOMM_EMULATE");
        unsetenv("TEST_REAL");
        unsetenv("ZE_AFFINITY_MASK");
        unsetenv("ZE_ENABLE_ALT_DRIVERS");
        run_emulated(argv, DEVICE_LIST);
    }
    alarm(600); /* seconds; a test that waits for ever fails */
    if (!role_init())
        return 1;
    if (!load()) {
        printf("1..0 # SKIP no libze_loader.so.1: install libze1\n");
        return 0;
    }
    if (argc >= 2)
        return play(argv[1], argc > 2 ? argv[2] : "");
    if (open_driver() != HC_ZE_SUCCESS) {
        fprintf(stderr, "the emulated driver does not start\n");
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
