#include "test/unit/emulator_cuda.h"

#include <sys/wait.h>

/* Devices, settings, contexts. */

static void init_gives(int code)
{
    open_library();
    EXPECT(code, cuInit(0));
}

static void init_finds_no_device(void)
{
    init_gives(HC_CU_NO_DEVICE);
}

static void no_device_unless_emulated(void **state)
{
    (void)state;
    run_scene(init_finds_no_device, "HCOMM_EMULATE", NULL);
    run_scene(init_finds_no_device, "HCOMM_EMULATE=", NULL);
    run_scene(init_finds_no_device, "HCOMM_EMULATE=amd:2,intel:1", NULL);
    run_scene(init_finds_no_device, "HCOMM_EMULATE=nvidia:0", NULL);
}

static void init_refuses(void)
{
    init_gives(HC_CU_INVALID_VALUE);
    EXPECT(HC_CU_INVALID_VALUE, cuInit(0));
}

/* One line that names the variable and the word. */
static void assert_refused(const char *setting, const char *word)
{
    char  text[1024], variable[64];
    char *end;

    snprintf(variable, sizeof variable, "%.*s", (int)strcspn(setting, "="),
             setting);
    run_scene_stderr(text, sizeof text, init_refuses, setting, NULL);
    assert_non_null(strstr(text, variable));
    assert_non_null(strstr(text, word));
    end = strchr(text, '\n');
    assert_non_null(end);
}

static void a_malformed_setting_is_named_and_init_fails(void **state)
{
    (void)state;
    assert_refused("HCOMM_EMULATE=nvidia:1,nvidea:2", "'nvidea:2'");
    assert_refused("HCOMM_EMULATE=nvidia:x", "'nvidia:x'");
    assert_refused("HCOMM_EMULATE=nvidia:", "'nvidia:'");
    assert_refused("HCOMM_EMULATE=nvidia/gfx90a:1", "'nvidia/gfx90a:1'");
    assert_refused("HCOMM_EMULATE=nvidia:1,,amd:1", "''");
    assert_refused("HCOMM_EMULATE=nvidia:65", "'nvidia:65'");
    assert_refused("HCOMM_EMU_LINK=nvidia:0/h2d", "'nvidia:0/h2d'");
    assert_refused("HCOMM_EMU_LINK=nvidia:0/h2h=1GB/s", "h2h");
    assert_refused("HCOMM_EMU_LINK=*/h2d=12GB", "'*/h2d=12GB'");
    assert_refused("HCOMM_EMU_LINK=*/h2d=1GB/s+5", "'*/h2d=1GB/s+5'");
    assert_refused("HCOMM_EMU_FAULT=cuMemcpyAsnc@3=700", "cuMemcpyAsnc");
    assert_refused("HCOMM_EMU_FAULT=cuMemAlloc@0=2", "cuMemAlloc@0=2");
    assert_refused("HCOMM_EMU_FAULT=cuMemAlloc@1=stall", "=stall");
    assert_refused("HCOMM_EMU_FAULT=cuMemAlloc=2", "cuMemAlloc=2");
    assert_refused("HCOMM_EMU_FAULT=x:cuMemAlloc@1=2", "x:cuMemAlloc@1=2");
}

static int attribute(int device, unsigned which)
{
    int value = -1;

    OK(cuDeviceGetAttribute(&value, which, device));
    return value;
}

static void look_at_three_devices(void)
{
    char              name[80], bus[16];
    struct hc_cu_uuid uuid, other;
    int               count, device;

    open_library();
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    CHECK(count == 3);
    OK(cuDeviceGetName(name, sizeof name, 0));
    CHECK(strcmp(name, "HCOMM emulated NVIDIA GPU (sm_61)") == 0);
    CHECK(attribute(0, HC_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR) == 6);
    CHECK(attribute(0, HC_CU_DEVICE_COMPUTE_CAPABILITY_MINOR) == 1);
    CHECK(attribute(2, HC_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR) == 9);
    CHECK(attribute(2, HC_CU_DEVICE_UNIFIED_ADDRESSING) == 1);
    OK(cuDeviceGetPCIBusId(bus, sizeof bus, 2));
    CHECK(strcmp(bus, "0000:12:00.0") == 0);
    CHECK(attribute(2, HC_CU_DEVICE_PCI_BUS_ID) == 0x12);
    OK(cuDeviceGetByPCIBusId(&device, bus));
    CHECK(device == 2);
    OK(cuDeviceGetByPCIBusId(&device, "11:00.0"));
    CHECK(device == 1);
    EXPECT(HC_CU_INVALID_DEVICE,
           cuDeviceGetByPCIBusId(&device, "0000:60:00.0"));
    EXPECT(HC_CU_INVALID_VALUE, cuDeviceGetPCIBusId(bus, 5, 0));
    OK(cuDeviceGetUuid_v2(&uuid, 0));
    OK(cuDeviceGetUuid_v2(&other, 1));
    CHECK(memcmp(&uuid, &other, sizeof uuid) != 0);
    EXPECT(HC_CU_INVALID_DEVICE, cuDeviceGet(&device, 3));
    EXPECT(HC_CU_INVALID_DEVICE, cuDeviceGet(&device, -1));
    EXPECT(HC_CU_INVALID_VALUE, cuDeviceGetAttribute(&count, 0, 0));
    EXPECT(HC_CU_INVALID_VALUE, cuDeviceGetAttribute(&count, 100000, 0));
}

static void devices_say_that_they_are_emulated(void **state)
{
    (void)state;
    run_scene(look_at_three_devices,
              "HCOMM_EMULATE=nvidia/sm_61:1,amd:1,nvidia:2", NULL);
}

/* Prints the devices' bus numbers in their order, or the code of cuInit. */
static void print_visible(void)
{
    int  count, result;
    char bus[16];

    open_library();
    result = cuInit(0);
    if (result != HC_CU_SUCCESS) {
        fprintf(stderr, "%d", result);
        return;
    }
    OK(cuDeviceGetCount(&count));
    for (int i = 0; i < count; i++) {
        OK(cuDeviceGetPCIBusId(bus, sizeof bus, i));
        fprintf(stderr, "%.2s ", bus + 5);
    }
}

static void visible_devices_are_chosen_as_the_driver_does(void **state)
{
    /* As printed by the driver's tools; device 1's is the full form. */
    static const char uuid_1[] = "GPU-68636f6d-6d2d-406d-756c-617465640001";
    static const struct {
        const char *value, *seen;
    } cases[] = {
        {"0,1,2,3", "10 11 12 13 "},
        {"1", "11 "},
        {"1,0", "11 10 "},
        {"0,2,-1,3", "10 12 "},
        {"", "100"},
        {"-1", "100"},
        {"9,0", "100"},
        {"0,9,1", "10 "},
        {"NoDevFiles", "100"},
        {" 3 , 2", "13 12 "},
        {"2abc", "12 "},
        {"0,1,0", "101"},
        {",0", "100"},
        {"0,,1", "10 "},
        {"GPU-", "100"},
        {"GPU-68636f6d", "100"},
        {uuid_1, "11 "},
        {"GPU-68636F6D-6D2D-406D-756C-617465640002,0", "12 "},
        {"0,GPU-68636f6d-6d2d-406d-756c-617465640001", "10 "},
    };
    char text[256], setting[128];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(setting, sizeof setting, "CUDA_VISIBLE_DEVICES=%s",
                 cases[i].value);
        run_scene_stderr(text, sizeof text, print_visible,
                         "HCOMM_EMULATE=nvidia:4", setting, NULL);
        assert_string_equal(text, cases[i].seen);
    }
}

static void call_before_init(void)
{
    int         count;
    hc_cu_ptr   p;
    const char *name;

    open_library();
    EXPECT(HC_CU_NOT_INITIALIZED, cuDeviceGetCount(&count));
    EXPECT(HC_CU_NOT_INITIALIZED, cuMemAlloc_v2(&p, 64));
    EXPECT(HC_CU_NOT_INITIALIZED, cuCtxSynchronize());
    OK(cuDriverGetVersion(&count));
    OK(cuGetErrorName(HC_CU_ILLEGAL_ADDRESS, &name));
    CHECK(strcmp(name, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
    EXPECT(HC_CU_INVALID_VALUE, cuGetErrorName(12345, &name));
    CHECK(name == NULL);
    EXPECT(HC_CU_INVALID_VALUE, cuInit(1));
    OK(cuInit(0));
    OK(cuInit(0));
}

static void nothing_works_before_init(void **state)
{
    (void)state;
    run_scene(call_before_init, NULL);
}

static void call_in_a_forked_child(int socket)
{
    unsigned    type;
    int         count;
    const char *text;
    void       *function;

    (void)socket;
    EXPECT(HC_CU_NOT_INITIALIZED, cuInit(0));
    EXPECT(HC_CU_NOT_INITIALIZED, cuDeviceGetCount(&count));
    EXPECT(HC_CU_NOT_INITIALIZED,
           cuPointerGetAttribute(&type, HC_CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 (hc_cu_ptr)(uintptr_t)&type));
    EXPECT(HC_CU_NOT_INITIALIZED, cuCtxSynchronize());
    EXPECT(HC_CU_NOT_INITIALIZED, cuMemFree_v2(0));
    OK(cuDriverGetVersion(&count));
    OK(cuGetErrorString(1, &text));
    OK(cuGetProcAddress("cuMemAlloc", &function, 12000, 0));
}

static void fork_after_init(void)
{
    struct hc_cu_stream *stream;
    hc_cu_ptr            p;

    open_device();
    OK(cuStreamCreate(&stream, 0));
    OK(cuMemAlloc_v2(&p, MB));
    OK(cuMemsetD8Async(p, 1, MB, stream)); /* so that a thread runs */
    finish_peer(start_peer(call_in_a_forked_child));
    OK(cuStreamSynchronize(stream)); /* the parent goes on */
}

static void a_forked_child_is_not_initialised(void **state)
{
    (void)state;
    run_scene(fork_after_init, NULL);
}

static void look_up_functions(void)
{
    void    *function, *same;
    unsigned status;

    open_library();
    OK(cuGetProcAddress("cuMemAlloc", &function, 11000, 0));
    CHECK(function == library_symbol("cuMemAlloc_v2"));
    OK(cuGetProcAddress("cuMemAllocAsync", &function, 12000, 0));
    CHECK(function == library_symbol("cuMemAllocAsync"));
    OK(cuGetProcAddress("cuGetProcAddress", &function, 11030, 0));
    CHECK(function == library_symbol("cuGetProcAddress"));
    OK(cuGetProcAddress("cuGetProcAddress", &function, 12000, 0));
    CHECK(function == library_symbol("cuGetProcAddress_v2"));
    OK(cuGetProcAddress("cuMemAdvise", &function, 12000, 0));
    OK(cuGetProcAddress("cuMemAdvise", &same, 12020, 0));
    CHECK(function != same);
    EXPECT(HC_CU_NOT_FOUND, cuGetProcAddress("cuNone", &function, 12000, 0));
    EXPECT(HC_CU_NOT_FOUND,
           cuGetProcAddress("cuMemAlloc_v2", &function, 12000, 0));
    OK(cuGetProcAddress_v2("cuNone", &function, 12000, 0, &status));
    CHECK(function == NULL && status == HC_CU_PROC_NOT_FOUND);
    CHECK(library_symbol("cuCtxGetDevice_v2") == NULL);
    CHECK(library_symbol("cuCtxSynchronize_v2") == NULL);
    CHECK(library_symbol("emu_alloc") == NULL);
}

static void entry_points_are_found_by_version(void **state)
{
    (void)state;
    run_scene(look_up_functions, NULL);
}

static void call_what_is_not_emulated(void)
{
    hc_cu_result (*load)(void **, const char *);
    hc_cu_result (*old_alloc)(unsigned *, unsigned);
    void    *module;
    unsigned p;

    open_device();
    load =
        (hc_cu_result(*)(void **, const char *))library_symbol("cuModuleLoad");
    old_alloc =
        (hc_cu_result(*)(unsigned *, unsigned))library_symbol("cuMemAlloc");
    CHECK(load != NULL && old_alloc != NULL);
    EXPECT(HC_CU_NOT_SUPPORTED, load(&module, "x.cubin"));
    EXPECT(HC_CU_NOT_SUPPORTED, load(&module, "x.cubin"));
    EXPECT(HC_CU_NOT_SUPPORTED, old_alloc(&p, 64));
}

static void what_is_not_emulated_says_so_once(void **state)
{
    char  text[1024];
    char *first;

    (void)state;
    run_scene_stderr(text, sizeof text, call_what_is_not_emulated, NULL);
    first = strstr(text, "cuModuleLoad is not emulated");
    assert_non_null(first);
    assert_null(strstr(first + 1, "cuModuleLoad "));
    assert_non_null(strstr(text, "cuMemAlloc is not emulated"));
}

static void trace_some_calls(void)
{
    hc_cu_ptr p;

    open_device();
    OK(cuMemAlloc_v2(&p, 64));
    OK(cuMemFree_v2(p));
}

static void a_trace_names_every_call(void **state)
{
    char text[2048];

    (void)state;
    run_scene_stderr(text, sizeof text, trace_some_calls, "HCOMM_EMU_TRACE=1",
                     NULL);
    assert_non_null(strstr(text, "cuInit\n"));
    assert_non_null(strstr(text, "cuDevicePrimaryCtxRetain\n"));
    assert_non_null(strstr(text, "cuMemAlloc_v2\n"));
    assert_non_null(strstr(text, "cuMemFree_v2\n"));
}

static void use_contexts(void)
{
    struct hc_cu_context *primary = open_device(), *again, *own, *current;
    hc_cu_ptr             p;
    unsigned              flags;
    int                   active;

    OK(cuMemAlloc_v2(&p, 64));
    OK(cuCtxSetCurrent(NULL));
    EXPECT(HC_CU_INVALID_CONTEXT, cuMemAlloc_v2(&p, 64));
    EXPECT(HC_CU_INVALID_CONTEXT, cuCtxSynchronize());
    EXPECT(HC_CU_INVALID_CONTEXT, cuStreamQuery(NULL));
    OK(cuMemFree_v2(p)); /* frees need none */
    EXPECT(HC_CU_INVALID_CONTEXT, cuCtxPopCurrent_v2(&current));
    EXPECT(HC_CU_INVALID_VALUE, cuCtxPushCurrent_v2(NULL));
    EXPECT(HC_CU_INVALID_CONTEXT,
           cuCtxPushCurrent_v2((struct hc_cu_context *)&p));
    EXPECT(HC_CU_INVALID_CONTEXT, cuCtxDestroy_v2(primary));
    OK(cuDevicePrimaryCtxRelease_v2(0));
    EXPECT(HC_CU_INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active == 0);
    OK(cuCtxSetCurrent(primary));
    EXPECT(HC_CU_CONTEXT_IS_DESTROYED, cuMemAlloc_v2(&p, 64));
    OK(cuDevicePrimaryCtxRetain(&again, 0));
    CHECK(again == primary);
    OK(cuMemAlloc_v2(&p, 64));
    OK(cuMemsetD8_v2(p, 1, 64));
    OK(cuCtxCreate_v2(&own, 0, 0));
    OK(cuCtxGetCurrent(&current));
    CHECK(current == own);
    OK(cuMemAlloc_v2(&p, 64));
    OK(cuPointerGetAttribute(&current, HC_CU_POINTER_ATTRIBUTE_CONTEXT, p));
    CHECK(current == own);
    OK(cuCtxDestroy_v2(own));
    OK(cuCtxGetCurrent(&current));
    CHECK(current == primary);
    EXPECT(HC_CU_INVALID_VALUE, cuMemFree_v2(p)); /* gone with its context */
}

static void contexts_live_and_die_as_documented(void **state)
{
    (void)state;
    run_scene(use_contexts, NULL);
}

static void use_peers(void)
{
    struct hc_cu_context *other;
    int                   can;

    open_device();
    OK(cuDevicePrimaryCtxRetain(&other, 1));
    OK(cuDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 1);
    OK(cuDeviceCanAccessPeer(&can, 1, 1));
    CHECK(can == 0);
    EXPECT(HC_CU_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(other));
    OK(cuCtxEnablePeerAccess(other, 0));
    EXPECT(HC_CU_PEER_ACCESS_ALREADY, cuCtxEnablePeerAccess(other, 0));
    OK(cuCtxDisablePeerAccess(other));
}

/* Copies still work: the driver stages them. */
static void use_devices_that_are_no_peers(void)
{
    struct hc_cu_context *here = open_device(), *there;
    hc_cu_ptr             a, b;
    int                   can;
    static char           sent[4096], got[4096];

    OK(cuDevicePrimaryCtxRetain(&there, 1));
    OK(cuDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 0);
    EXPECT(HC_CU_PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(there, 0));
    OK(cuMemAlloc_v2(&a, sizeof sent));
    OK(cuCtxSetCurrent(there));
    OK(cuMemAlloc_v2(&b, sizeof sent));
    fill_pattern(sent, sizeof sent, 3);
    OK(cuMemcpyHtoD_v2(b, sent, sizeof sent));
    OK(cuMemcpyPeer(a, here, b, there, sizeof sent));
    OK(cuCtxSetCurrent(here));
    OK(cuCtxSynchronize());
    OK(cuCtxSetCurrent(there));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH_v2(got, a, sizeof got));
    CHECK(has_pattern(got, sizeof got, 3));
}

static void peer_access_can_be_switched_off(void **state)
{
    (void)state;
    run_scene(use_peers, "HCOMM_EMULATE=nvidia:2", NULL);
    run_scene(use_devices_that_are_no_peers, "HCOMM_EMULATE=nvidia:2",
              "HCOMM_EMU_PEER=0", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_device_unless_emulated),
        cmocka_unit_test(a_malformed_setting_is_named_and_init_fails),
        cmocka_unit_test(devices_say_that_they_are_emulated),
        cmocka_unit_test(visible_devices_are_chosen_as_the_driver_does),
        cmocka_unit_test(nothing_works_before_init),
        cmocka_unit_test(a_forked_child_is_not_initialised),
        cmocka_unit_test(entry_points_are_found_by_version),
        cmocka_unit_test(what_is_not_emulated_says_so_once),
        cmocka_unit_test(a_trace_names_every_call),
        cmocka_unit_test(contexts_live_and_die_as_documented),
        cmocka_unit_test(peer_access_can_be_switched_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
