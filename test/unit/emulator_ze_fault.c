/* The emulated Level Zero driver: faults, what it says, the loader's layers. */

#include "test/unit/emulator_ze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void a_malformed_variable_fails_initialisation(void **state)
{
    static const char *const wrong[] = {
        "HCOMM_EMULATE=intel:many",
        "HCOMM_EMULATE=intel/sm_90:1",
        "HCOMM_EMU_LINK=intel:0/h2d=fast",
        "HCOMM_EMU_FAULT=zeMemAlloc@1=0x78000004",
        "HCOMM_EMU_FAULT=zeMemFree@1=0x7g",
    };
    const char *const hidden[] = {"ZE_AFFINITY_MASK=7", NULL};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *const set[] = {wrong[i], NULL};

        assert_in_range(role_run("count", NULL, set), 1, 199);
    }
    assert_in_range(role_run("count", NULL, hidden), 1, 199);
}

/* ------------------------------------------------------------------- faults */

void faults_are_injected_by_name(void **state)
{
    const char *const set[] = {
        "HCOMM_EMU_FAULT=zeMemAllocDevice@2=0x70000003,zeEventQueryStatus@1=1",
        NULL};

    (void)state;
    assert_int_equal(role_run("fault", NULL, set), 0);
}

/* Under HCOMM_EMU_FAULT=copy@2=0x70000001.  0: the event of the second copy
 * tells, and so does all that follows on that device, and nothing elsewhere. */
int role_lost(const char *argument)
{
    char  data[100] = {0};
    void *one, *two, *event, *queue_event;
    int   lost = (int)strtoul(argument, NULL, 16), code;

    if (open_driver() || alloc_device(0, 100, &one) ||
        alloc_device(2, 100, &two) || new_event(&event) ||
        new_event(&queue_event) || copy_on(0, one, data, 100))
        return 1;
    /* The copy may fail while the call is still busy with the event. */
    code = ze.zeCommandListAppendMemoryCopy(bench.lists[0], one, data, 100,
                                            event, 0, NULL);
    if (code != HC_ZE_SUCCESS && code != lost)
        return 2;
    if (ze.zeEventHostSynchronize(event, UINT64_MAX) != lost ||
        ze.zeEventQueryStatus(event) != lost)
        return 3;
    if (copy_on(0, one, data, 100) != lost ||
        ze.zeDeviceGetStatus(bench.devices[0]) != lost)
        return 4;
    return copy_on(2, two, data, 100) || ze.zeDeviceGetStatus(bench.devices[2])
               ? 5
               : 0;
}

void a_failed_copy_loses_the_device(void **state)
{
    const char *const set[] = {"HCOMM_EMU_FAULT=copy@2=0x70000001", NULL};
    const char *const other[] = {"HCOMM_EMU_FAULT=copy@2=0x70000006", NULL};

    (void)state;
    assert_int_equal(role_run("lost", "0x70000001", set), 0);
    assert_int_equal(role_run("lost", "0x70000006", other), 0);
}

/* Under HCOMM_EMU_FAULT=copy@1=stall; the process ends all the same. */
int role_stall(void)
{
    char  data[100] = {0};
    void *ptr, *event;

    if (open_driver() || alloc_device(0, 100, &ptr) || new_event(&event) ||
        ze.zeCommandListAppendMemoryCopy(bench.lists[0], ptr, data, 100, event,
                                         0, NULL))
        return 1;
    if (ze.zeEventHostSynchronize(event, 100 * MS) != HC_ZE_NOT_READY)
        return 2;
    return copy_on(2, ptr, data, 100) ? 3 : 0;
}

void a_stalled_copy_leaves_the_event_down(void **state)
{
    const char *const set[] = {"HCOMM_EMU_FAULT=copy@1=stall", NULL};

    (void)state;
    assert_int_equal(role_run("stall", NULL, set), 0);
}

/* -------------------------------------------------------------- what it says
 */

/* From here on stdout and stderr go to a file. */
static int capture_output(int saved[2])
{
    int fd = memfd_create("output", MFD_CLOEXEC);

    fflush(NULL);
    for (int i = 1; i <= 2; i++) {
        saved[i - 1] = dup(i);
        dup2(fd, i);
    }
    return fd;
}

/* Ends it; text_out gets its start, the bytes it had are returned. */
static ssize_t end_capture(int fd, const int saved[2], char text_out[4096])
{
    ssize_t bytes;

    fflush(NULL);
    for (int i = 1; i <= 2; i++) {
        dup2(saved[i - 1], i);
        close(saved[i - 1]);
    }
    bytes = pread(fd, text_out, 4095, 0);
    text_out[bytes < 0 ? 0 : bytes] = '\0';
    close(fd);
    return bytes;
}

void what_is_not_emulated_says_so_once(void **state)
{
    char  text[4096];
    int   saved[2], fd, codes[2];
    void *module;

    (void)state;
    fd = capture_output(saved);
    for (int i = 0; i < 2; i++)
        codes[i] = ze.zeModuleCreate(bench.context, bench.devices[0], text,
                                     &module, NULL);
    end_capture(fd, saved, text);
    assert_ze(HC_ZE_UNSUPPORTED_FEATURE, codes[0]);
    assert_ze(HC_ZE_UNSUPPORTED_FEATURE, codes[1]);
    assert_string_equal(text, "HCOMM emulated intel driver: zeModuleCreate is "
                              "not emulated\n");
}

void calls_are_traced(void **state)
{
    const char *const set[] = {"HCOMM_EMU_TRACE=1", NULL};
    char              text[4096];
    int               saved[2], fd = capture_output(saved);
    int               status = role_run("count", NULL, set);

    (void)state;
    end_capture(fd, saved, text);
    assert_int_equal(status, 200 + DEVICES);
    assert_non_null(strstr(text, "emulated intel "));
    assert_non_null(strstr(text, ": zeContextCreate\n"));
}

/* -------------------------------------------------------------- the loader */

static int use_queue(void *ptr, unsigned char *data, size_t bytes)
{
    const struct hc_ze_queue_desc  queue_desc = {.stype = HC_ZE_IS_QUEUE_DESC};
    const struct emu_ze_list_desc  list_desc = {.stype = EMU_ZE_IS_LIST_DESC};
    const struct emu_ze_fence_desc fence_desc = {.stype = EMU_ZE_IS_FENCE_DESC};
    void                          *queue, *list, *fence;
    int                            code;

    if (ze.zeCommandQueueCreate(bench.context, bench.devices[0], &queue_desc,
                                &queue) ||
        ze.zeCommandListCreate(bench.context, bench.devices[0], &list_desc,
                               &list) ||
        ze.zeFenceCreate(queue, &fence_desc, &fence))
        return 1;
    code = ze.zeCommandListAppendMemoryFill(list, ptr, "ab", 2, bytes, NULL, 0,
                                            NULL) ||
           ze.zeCommandListAppendBarrier(list, NULL, 0, NULL) ||
           ze.zeCommandListAppendMemoryCopy(list, data, ptr, bytes, NULL, 0,
                                            NULL) ||
           ze.zeCommandListClose(list) ||
           ze.zeCommandQueueExecuteCommandLists(queue, 1, &list, fence) ||
           ze.zeFenceHostSynchronize(fence, UINT64_MAX) ||
           ze.zeCommandQueueSynchronize(queue, UINT64_MAX) ||
           memcmp(data, "ababab", 6) != 0;
    return code || ze.zeFenceDestroy(fence) || ze.zeCommandListDestroy(list) ||
           ze.zeCommandQueueDestroy(queue);
}

/* A program without a mistake; 0 when every call succeeded. */
static int correct(void)
{
    struct hc_ze_alloc_properties  is = {.stype = HC_ZE_IS_ALLOC_PROPERTIES};
    struct hc_ze_device_properties p = {.stype = HC_ZE_IS_DEVICE_PROPERTIES};
    struct emu_ze_ipc_handle       handle;
    unsigned char                  data[1000], back[1000];
    void                          *ptr, *again, *host, *shared, *device;
    int                            code = open_driver();

    if (code != HC_ZE_SUCCESS)
        return 1;
    pattern_fill(data, sizeof data, 9);
    if (ze.zeDeviceGetProperties(bench.devices[0], &p) ||
        alloc_device(0, 1000, &ptr) || alloc_host(1000, &host) ||
        alloc_shared(0, 1000, &shared))
        return 2;
    if (ze.zeMemGetAllocProperties(bench.context, ptr, &is, &device) ||
        is.type != HC_ZE_MEMORY_DEVICE ||
        ze.zeMemGetAllocProperties(bench.context, data, &is, &device) ||
        is.type != HC_ZE_MEMORY_UNKNOWN)
        return 3;
    if (copy_on(0, host, data, 1000) || copy_on(0, ptr, host, 1000) ||
        copy_on(0, shared, ptr, 1000) || copy_on(0, back, shared, 1000) ||
        !pattern_is(back, 1000, 9))
        return 4;
    if (use_queue(ptr, data, 1000))
        return 5;
    if (ze.zeMemGetIpcHandle(bench.context, ptr, &handle) ||
        ze.zeMemOpenIpcHandle(bench.context, bench.devices[0], handle, 0,
                              &again) ||
        ze.zeMemCloseIpcHandle(bench.context, again))
        return 6;
    if (ze.zeMemFree(bench.context, ptr) || ze.zeMemFree(bench.context, host) ||
        ze.zeMemFree(bench.context, shared))
        return 7;
    for (int i = 0; i < DEVICES; i++) {
        if (ze.zeCommandListDestroy(bench.lists[i]))
            return 8;
    }
    return ze.zeEventPoolDestroy(bench.pool) ||
                   ze.zeContextDestroy(bench.context)
               ? 9
               : 0;
}

/* And nothing was written. */
int role_correct(void)
{
    char    text[4096];
    int     saved[2], fd = capture_output(saved), status = correct();
    ssize_t bytes = end_capture(fd, saved, text);

    if (bytes > 0)
        fprintf(stderr, "it said: %s\n", text);
    return status != 0 ? status : bytes > 0 ? 20 : 0;
}

void the_loader_finds_it_by_its_path(void **state)
{
    const char *build = getenv("builddir");
    char        path[4096];
    const char *set[] = {"LD_LIBRARY_PATH", path, NULL};

    (void)state;
    snprintf(path, sizeof path,
             "ZE_ENABLE_ALT_DRIVERS=%s/emulator/intel/libhcomm_emu_ze.so",
             build != NULL ? build : ".");
    assert_int_equal(role_run("correct", NULL, set), 0);
}

void the_loaders_layers_have_nothing_to_say(void **state)
{
    const char *const plain[] = {NULL};
    const char *const checked[] = {
        "ZE_ENABLE_VALIDATION_LAYER=1",     "ZE_ENABLE_PARAMETER_VALIDATION=1",
        "ZE_ENABLE_HANDLE_LIFETIME=1",      "ZE_ENABLE_MEMORY_TRACKER=1",
        "ZE_ENABLE_THREADING_VALIDATION=1", NULL};
    const char *const overtaken[] = {"HCOMM_EMU_OVERTAKE=1", NULL};
    const char *const wrapped[] = {"ZE_ENABLE_LOADER_INTERCEPT=1", NULL};
    const char *const both[] = {
        "ZE_ENABLE_LOADER_INTERCEPT=1", "ZE_ENABLE_VALIDATION_LAYER=1",
        "ZE_ENABLE_PARAMETER_VALIDATION=1", "ZE_ENABLE_TRACING_LAYER=1", NULL};

    (void)state;
    assert_int_equal(role_run("correct", NULL, plain), 0);
    assert_int_equal(role_run("correct", NULL, checked), 0);
    assert_int_equal(role_run("correct", NULL, overtaken), 0);
    assert_int_equal(role_run("correct", NULL, wrapped), 0);
    assert_int_equal(role_run("correct", NULL, both), 0);
}

void exit_with_copies_in_flight_is_clean(void **state)
{
    (void)state;
    assert_int_equal(role_run("exit-in-flight", NULL, NULL), 0);
}
