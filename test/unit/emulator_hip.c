/*
 * The emulated HIP runtime, one program per major version: main, and what its
 * tests share.
 */

#include "test/unit/emulator_hip.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef HIP_MAJOR
#error "HIP_MAJOR says which library is tested"
#endif

struct hip_api hip;

static void *must_find(const char *name)
{
    void *symbol = dlsym(hip.library, name);

    if (!symbol) {
        fprintf(stderr, "%s is missing: %s\n", name, dlerror());
        exit(1);
    }
    return symbol;
}

static void open_library(void)
{
    const char *build = getenv("builddir");
    char        path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/emulator/amd/libamdhip64.so.%d",
             build ? build : ".", HIP_MAJOR);
    hip.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!hip.library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
#define FIND(name, arguments) *(void **)&hip.name = must_find(#name);
    HIP_API_LIST(FIND)
#undef FIND
    *(void **)&hip.hipGetErrorName = must_find("hipGetErrorName");
    *(void **)&hip.hipGetErrorString = must_find("hipGetErrorString");
}

/* Exit status: the code of the call, or the number of devices + 200. */
static int role_count(void)
{
    int count = -1;
    int code = hip.hipGetDeviceCount(&count);

    return code ? code : 200 + count;
}

/* Exit status: the bus of device 0. */
static int role_first_bus(void)
{
    char text[32] = "";

    if (hip.hipDeviceGetPCIBusId(text, sizeof(text), 0))
        return 255;
    return (int)strtol(text + strlen("0000:"), NULL, 16);
}

/* Under HCOMM_EMU_FAULT=hipMemset@2=2,hipMalloc@3+=46.  0: as asked. */
static int role_fault(void)
{
    void *one, *two, *three;

    if (hip.hipMalloc(&one, KB) || hip.hipMalloc(&two, KB))
        return 1;
    if (hip.hipMalloc(&three, KB) != 46 || hip.hipMalloc(&three, KB) != 46)
        return 2;
    if (hip.hipMemset(one, 0, KB) || hip.hipMemset(one, 0, KB) != 2 ||
        hip.hipMemset(one, 0, KB))
        return 3;
    return hip.hipFree(one) || hip.hipFree(two) ? 4 : 0;
}

static int role_exit_in_flight(void)
{
    void *device, *host;
    void *stream;

    if (hip.hipSetDevice(SLOW_DEVICE) ||
        hip.hipMalloc(&device, 8 * SLOW_BYTES) ||
        hip.hipHostMalloc(&host, 8 * SLOW_BYTES, 0) ||
        hip.hipStreamCreate(&stream))
        return 1;
    for (int i = 0; i < 4; i++) {
        if (hip.hipMemcpyAsync(device, host, 8 * SLOW_BYTES,
                               HC_HIP_COPY_HOST_DEV, stream))
            return 2;
    }
    return 0;
}

/* Whether a device has a context; -1: the call fails. */
static int is_active(int device)
{
    unsigned flags;
    int      active;

    return hip.hipDevicePrimaryCtxGetState(device, &flags, &active) ? -1
                                                                    : active;
}

/* 0: asking left the devices alone, and only the one used became active. */
static int role_ask(void)
{
    struct hc_hip_pointer_attributes is;
    size_t                           bytes;
    void                            *ptr;
    int                              local;

    hip.hipPointerGetAttributes(&is, &local);
    if (hip.hipSetDevice(1) || hip.hipMemGetInfo(&bytes, &bytes) ||
        hip.hipDeviceSynchronize() || is_active(0) != 0 || is_active(1) != 0)
        return 1;
    if (hip.hipMalloc(&ptr, KB) || is_active(0) != 0 || is_active(1) != 1)
        return 2;
    return hip.hipFree(ptr) ? 3 : 0;
}

static void *first_call(void *argument)
{
    void *ptr;

    (void)argument;
    return hip.hipMalloc(&ptr, KB) || hip.hipMemset(ptr, 1, KB) ||
                   hip.hipFree(ptr)
               ? "failed"
               : NULL;
}

/* Nobody has called HIP before these threads do. */
static int role_start(void)
{
    pthread_t threads[8];
    void     *why;
    int       failures = 0;

    for (int i = 0; i < 8; i++) {
        if (pthread_create(&threads[i], NULL, first_call, NULL))
            return 99;
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], &why);
        failures += why != NULL;
    }
    return failures;
}

static int play(const char *role, const char *argument)
{
    if (!strcmp(role, "import"))
        return role_import(argument);
    if (!strcmp(role, "open"))
        return role_open(argument);
    if (!strcmp(role, "pool"))
        return role_pool(argument);
    if (!strcmp(role, "event"))
        return role_event(argument);
    if (!strcmp(role, "count"))
        return role_count();
    if (!strcmp(role, "first-bus"))
        return role_first_bus();
    if (!strcmp(role, "ask"))
        return role_ask();
    if (!strcmp(role, "start"))
        return role_start();
    if (!strcmp(role, "fault"))
        return role_fault();
    if (!strcmp(role, "exit-in-flight"))
        return role_exit_in_flight();
    return 126;
}

/* A test that failed half-way leaves its device behind. */
static int begin(void **state)
{
    (void)state;
    return hip.hipSetDevice(0);
}

#define LIST(name) cmocka_unit_test_setup(name, begin),

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {MEMORY_TESTS(LIST) STREAM_TESTS(LIST)
                                           SHARE_TESTS(LIST)};

    if (!role_init())
        return 1;
    if (argc < 2) {
        setenv("HCOMM_EMULATE", "amd:3", 1);
        setenv("HCOMM_EMU_LINK", "amd:1/h2d=10MB/s", 1);
        unsetenv("HCOMM_EMU_FAULT");
        unsetenv("HIP_VISIBLE_DEVICES");
        unsetenv("ROCR_VISIBLE_DEVICES");
    }
    open_library();
    if (argc >= 2)
        return play(argv[1], argc > 2 ? argv[2] : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
