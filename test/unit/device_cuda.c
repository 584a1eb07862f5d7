/*
 * The cuda backend as a program meets it: this test is a guest's host, it
 * loads the driver and allocates by itself, and only then asks HCOMM.
 */

#include "config/cfg_param.h"
#include "device/abi_cuda.h"
#include "device/dev_pool.h"
#include "device/dev_stage.h"
#include "device/device.h"

#include "test/unit/emulated.h"
#include "test/unit/stage_rows.h"
#include "test/unit/unit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

enum { WORDS = 50000, BYTES = WORDS * 4, SLOW_MS = 200 };

/* The driver, for this program's own use. */
#define DRIVER(X)                                                          \
    X(cuInit, (unsigned))                                                  \
    X(cuDevicePrimaryCtxRetain, (void **, int))                            \
    X(cuCtxSetCurrent, (void *))                                           \
    X(cuCtxGetCurrent, (void **))                                          \
    X(cuCtxSynchronize, (void))                                            \
    X(cuDevicePrimaryCtxReset_v2, (int))                                   \
    X(cuCtxCreate_v2, (void **, unsigned, int))                            \
    X(cuCtxDestroy_v2, (void *))                                           \
    X(cuMemAlloc_v2, (uint64_t *, size_t))                                 \
    X(cuMemFree_v2, (uint64_t))                                            \
    X(cuMemAllocManaged, (uint64_t *, size_t, unsigned))                   \
    X(cuMemHostAlloc, (void **, size_t, unsigned))                         \
    X(cuMemFreeHost, (void *))                                             \
    X(cuMemAllocAsync, (uint64_t *, size_t, void *))                       \
    X(cuMemFreeAsync, (uint64_t, void *))                                  \
    X(cuMemcpyHtoD_v2, (uint64_t, const void *, size_t))                   \
    X(cuMemcpyDtoH_v2, (void *, uint64_t, size_t))                         \
    X(cuMemcpyDtoDAsync_v2, (uint64_t, uint64_t, size_t, void *))          \
    X(cuMemsetD32_v2, (uint64_t, unsigned, size_t))                        \
    X(cuStreamCreate, (void **, unsigned))                                 \
    X(cuStreamDestroy_v2, (void *))                                        \
    X(cuStreamBeginCapture_v2, (void *, int))                              \
    X(cuStreamEndCapture, (void *, void **))                               \
    X(cuGraphDestroy, (void *))                                            \
    X(cuPointerGetAttribute, (void *, int, uint64_t))                      \
    X(cuModuleLoadData, (void **, const void *))                           \
    X(cuModuleGetFunction, (void **, void *, const char *))                \
    X(cuLaunchKernel,                                                      \
      (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
       unsigned, void *, void **, void **))

#define X(name, parameters) static int(*name) parameters;
DRIVER(X)
#undef X

static void *context0;

static void bind(void *lib, const char *name, void *slot)
{
    void *function = dlsym(lib, name);

    if (function == NULL)
        fail_msg("the driver lacks %s", name);
    memcpy(slot, &function, sizeof function);
}

static void load_driver(void)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

    if (lib == NULL)
        fail_msg("%s", dlerror());
#define X(name, parameters) bind(lib, #name, &name);
    DRIVER(X)
#undef X
}

/* Occupies the legacy default stream for SLOW_MS, then fills with value: the
 * emulator's copies between device buffers are slowed by HCOMM_EMU_LINK, a
 * real GPU runs a kernel that looks at its clock. */
static const char slow_fill_ptx[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n"
    ".visible .entry slow_fill(.param .u64 out, .param .u32 n,\n"
    "    .param .u32 value, .param .u64 ns)\n"
    "{\n"
    "  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<7>;\n"
    "  ld.param.u64 %d1, [out]; ld.param.u32 %r1, [n];\n"
    "  ld.param.u32 %r2, [value]; ld.param.u64 %d2, [ns];\n"
    "  cvta.to.global.u64 %d1, %d1;\n"
    "  mov.u64 %d3, %globaltimer; add.u64 %d3, %d3, %d2;\n"
    "wait: mov.u64 %d4, %globaltimer; setp.lt.u64 %p, %d4, %d3;\n"
    "  @%p bra wait;\n"
    "  mov.u32 %r3, 0;\n"
    "fill: setp.ge.u32 %p, %r3, %r1; @%p bra done;\n"
    "  mul.wide.u32 %d5, %r3, 4; add.u64 %d6, %d1, %d5;\n"
    "  st.global.u32 [%d6], %r2; add.u32 %r3, %r3, 1; bra fill;\n"
    "done: ret;\n"
    "}\n";

static void start_slow_fill(uint64_t buffer, uint64_t source, unsigned value)
{
    static void *function;
    unsigned     count = WORDS;
    uint64_t     ns = (uint64_t)SLOW_MS * 1000000;
    void        *arguments[] = {&buffer, &count, &value, &ns};
    void        *module;

    if (!on_real_device()) {
        assert_int_equal(cuMemcpyDtoDAsync_v2(buffer, source, BYTES, NULL), 0);
        return;
    }
    if (function == NULL) {
        assert_int_equal(cuModuleLoadData(&module, slow_fill_ptx), 0);
        assert_int_equal(cuModuleGetFunction(&function, module, "slow_fill"),
                         0);
    }
    assert_int_equal(
        cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL),
        0);
}

static uint64_t device_buffer(unsigned value)
{
    uint64_t buffer;

    assert_int_equal(cuMemAlloc_v2(&buffer, BYTES), 0);
    assert_int_equal(cuMemsetD32_v2(buffer, value, WORDS), 0);
    assert_int_equal(cuCtxSynchronize(), 0);
    return buffer;
}

static void *address(uint64_t buffer)
{
    return (void *)(uintptr_t)buffer;
}

static void driver_of_the_program_is_found(void **state)
{
    int               here;
    uint64_t          buffer;
    struct hc_dev_mem mem;

    (void)state;
    assert_true(hc_dev_any_present());
    assert_false(hc_dev_active()); /* nobody loaded it: nor do we */
    assert_null(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD));

    load_driver();
    assert_true(hc_dev_active());
    assert_int_equal(hc_dev_query(&here, &mem), HCOMM_OK); /* before cuInit */
    assert_ptr_equal(mem.ops, &hc_dev_host);

    assert_int_equal(cuInit(0), 0);
    assert_int_equal(cuDevicePrimaryCtxRetain(&context0, 0), 0);
    assert_int_equal(cuCtxSetCurrent(context0), 0);
    buffer = device_buffer(1);
    assert_int_equal(hc_dev_query(address(buffer), &mem), HCOMM_OK);
    assert_ptr_equal(mem.ops, &hc_dev_cuda);
    cuMemFree_v2(buffer);
}

static enum hc_dev_mem_type type_of(const void *ptr, bool stage)
{
    struct hc_dev_mem mem;

    assert_int_equal(hc_dev_query(ptr, &mem), HCOMM_OK);
    assert_int_equal(hc_dev_must_stage(&mem), stage);
    return mem.type;
}

static void kinds_of_memory_are_told_apart(void **state)
{
    uint64_t plain = device_buffer(0), managed, pool;
    void    *pinned;
    int      here;

    (void)state;
    assert_int_equal(cuMemAllocManaged(&managed, BYTES, 1), 0);
    assert_int_equal(cuMemHostAlloc(&pinned, BYTES, 0), 0);
    assert_int_equal(cuMemAllocAsync(&pool, BYTES, NULL), 0);

    assert_int_equal(type_of(address(plain), true), HC_MEM_DEVICE);
    assert_int_equal(type_of(address(managed), true), HC_MEM_MANAGED);
    assert_int_equal(type_of(address(pool), true), HC_MEM_POOL);
    assert_int_equal(type_of(pinned, false), HC_MEM_PINNED);
    assert_int_equal(type_of(&here, false), HC_MEM_PAGEABLE);

    assert_int_equal(cuMemFree_v2(plain), 0);
    assert_int_equal(cuMemFree_v2(managed), 0);
    assert_int_equal(cuMemFreeAsync(pool, NULL), 0);
    assert_int_equal(cuMemFreeHost(pinned), 0);
    assert_int_equal(cuCtxSynchronize(), 0);
}

static void interior_address_finds_its_allocation(void **state)
{
    uint64_t          buffer = device_buffer(0);
    struct hc_dev_mem mem;

    (void)state;
    assert_int_equal(hc_dev_query(address(buffer + 1001), &mem), HCOMM_OK);
    assert_int_equal(mem.base, buffer);
    assert_true(mem.bytes >= BYTES);
    assert_int_equal(mem.device, 0);
    assert_ptr_equal(mem.context, context0);
    cuMemFree_v2(buffer);
}

static void synchronous_copies_are_made_so(void **state)
{
    uint64_t          buffer = device_buffer(0);
    struct hc_dev_mem mem;
    int               on = 0;

    (void)state;
    assert_int_equal(
        cuPointerGetAttribute(&on, HC_CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, buffer),
        0);
    assert_int_equal(on, 0);
    assert_int_equal(hc_dev_query(address(buffer), &mem), HCOMM_OK);
    assert_int_equal(
        cuPointerGetAttribute(&on, HC_CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, buffer),
        0);
    assert_int_equal(on, 1);
    cuMemFree_v2(buffer);
}

static void freed_memory_is_an_error(void **state)
{
    uint64_t          buffer = device_buffer(0);
    struct hc_dev_mem mem;

    (void)state;
    cuMemFree_v2(buffer);
    assert_int_equal(hc_dev_query(address(buffer), &mem), HCOMM_ERR_INVALID);
}

static unsigned staged_word(uint64_t buffer, size_t index)
{
    struct hc_dev_mem mem;
    struct hc_stage   stage;
    unsigned          word;

    assert_int_equal(hc_dev_query(address(buffer), &mem), HCOMM_OK);
    assert_int_equal(hc_stage_open(&stage, &mem, BYTES), HCOMM_OK);
    assert_int_equal(stage_in(&stage, 0, address(buffer), BYTES), HCOMM_OK);
    assert_int_equal(hc_stage_wait(&stage, NULL), HCOMM_OK);
    memcpy(&word, (char *)stage.host + index * 4, 4);
    hc_stage_close(&stage);
    return word;
}

static void reads_wait_for_the_default_stream(void **state)
{
    uint64_t buffer = device_buffer(1), source = device_buffer(2);

    (void)state;
    start_slow_fill(buffer, source, 2);
    assert_int_equal(staged_word(buffer, WORDS - 1), 2);
    cuMemFree_v2(buffer);
    cuMemFree_v2(source);
}

/* Shows that the test above can fail. */
static void reads_are_early_without_stream_order(void **state)
{
    uint64_t buffer = device_buffer(1), source = device_buffer(2);

    (void)state;
    assert_int_equal(hc_param_set(HC_PARAM_STREAM_ORDER, "none", HC_PARAM_MCA),
                     HCOMM_OK);
    start_slow_fill(buffer, source, 2);
    assert_int_equal(staged_word(buffer, WORDS - 1), 1);
    assert_int_equal(cuCtxSynchronize(), 0);

    assert_int_equal(
        hc_param_set(HC_PARAM_STREAM_ORDER, "device", HC_PARAM_MCA), HCOMM_OK);
    assert_int_equal(cuMemsetD32_v2(buffer, 1, WORDS), 0);
    start_slow_fill(buffer, source, 2);
    assert_int_equal(staged_word(buffer, WORDS - 1), 2);
    assert_int_equal(
        hc_param_set(HC_PARAM_STREAM_ORDER, "legacy", HC_PARAM_MCA), HCOMM_OK);
    cuMemFree_v2(buffer);
    cuMemFree_v2(source);
}

static void capturing_stream_is_an_error_and_stays_valid(void **state)
{
    uint64_t          buffer = device_buffer(0);
    struct hc_dev_mem mem;
    struct hc_stage   stage;
    void             *stream, *graph = NULL;

    (void)state;
    assert_int_equal(cuStreamCreate(&stream, 0), 0); /* blocking */
    assert_int_equal(cuStreamBeginCapture_v2(stream, 0), 0);
    assert_int_equal(hc_dev_query(address(buffer), &mem), HCOMM_OK);
    assert_int_equal(hc_stage_open(&stage, &mem, BYTES), HCOMM_ERR_INVALID);
    assert_int_equal(cuStreamEndCapture(stream, &graph), 0);
    assert_int_equal(cuGraphDestroy(graph), 0);
    assert_int_equal(cuStreamDestroy_v2(stream), 0);
    assert_int_equal(staged_word(buffer, 0), 0);
    cuMemFree_v2(buffer);
}

static void stage_round_trip_in_every_mode(void **state)
{
    static const char *const caps[] = {"8MiB", "150KiB", "0"};
    uint64_t                 buffer = device_buffer(0);
    static unsigned          words[WORDS];
    struct hc_dev_mem        mem;

    (void)state;
    assert_int_equal(hc_dev_query(address(buffer), &mem), HCOMM_OK);
    for (unsigned c = 0; c < sizeof caps / sizeof caps[0]; c++) {
        struct hc_stage stage;

        hc_pool_trim();
        assert_int_equal(
            hc_param_set(HC_PARAM_PINNED_MAX, caps[c], HC_PARAM_MCA), HCOMM_OK);
        assert_int_equal(hc_stage_open(&stage, &mem, BYTES), HCOMM_OK);
        for (unsigned i = 0; i < WORDS; i++)
            ((unsigned *)stage.host)[i] = i * 2654435761u + c;
        assert_int_equal(stage_out(&stage, 0, address(buffer), BYTES),
                         HCOMM_OK);
        assert_int_equal(hc_stage_wait(&stage, NULL), HCOMM_OK);
        hc_stage_close(&stage);

        assert_int_equal(cuMemcpyDtoH_v2(words, buffer, BYTES), 0);
        for (unsigned i = 0; i < WORDS; i++)
            assert_int_equal(words[i], i * 2654435761u + c);
        assert_int_equal(staged_word(buffer, WORDS - 1),
                         (WORDS - 1) * 2654435761u + c);
    }
    cuMemFree_v2(buffer);
}

static void rows_leave_the_gaps_alone(void **state)
{
    uint64_t          buffer;
    struct hc_dev_mem mem;

    (void)state;
    assert_int_equal(cuMemAlloc_v2(&buffer, ROWS_BYTES), 0);
    assert_int_equal(hc_dev_query(address(buffer), &mem), HCOMM_OK);
    check_stage_rows_in_every_mode(&mem, address(buffer));
    check_far_rows(&mem, address(buffer));
    cuMemFree_v2(buffer);
}

static void *stage_without_context(void *arg)
{
    void *before = &before, *after = &after;

    cuCtxGetCurrent(&before);
    *(unsigned *)arg = staged_word(*(uint64_t *)arg, 5);
    cuCtxGetCurrent(&after);
    return before == NULL && after == NULL ? arg : NULL;
}

static void thread_without_context_is_served(void **state)
{
    uint64_t  buffer = device_buffer(77), argument = buffer;
    pthread_t thread;
    void     *result;

    (void)state;
    assert_int_equal(
        pthread_create(&thread, NULL, stage_without_context, &argument), 0);
    pthread_join(thread, &result);
    assert_ptr_equal(result, &argument);
    assert_int_equal((unsigned)argument, 77);
    cuMemFree_v2(buffer);
}

static void other_device_is_found_and_current_one_kept(void **state)
{
    void             *context1, *now;
    uint64_t          buffer;
    struct hc_dev_mem mem;

    (void)state;
    if (cuDevicePrimaryCtxRetain(&context1, 1) != 0)
        skip();
    cuCtxSetCurrent(context1);
    buffer = device_buffer(9);
    cuCtxSetCurrent(context0);
    assert_int_equal(hc_dev_query(address(buffer), &mem), HCOMM_OK);
    assert_int_equal(mem.device, 1);
    assert_ptr_equal(mem.context, context1);
    assert_int_equal(staged_word(buffer, 0), 9);
    cuCtxGetCurrent(&now);
    assert_ptr_equal(now, context0);
    cuMemFree_v2(buffer);
}

/* Buffers come and go with their contexts, whatever we wait for. */
static void destroyed_context_leaves_nothing_behind(void **state)
{
    static const char *const orders[] = {"none", "device", "legacy"};

    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        void    *context;
        uint64_t buffer;

        assert_int_equal(
            hc_param_set(HC_PARAM_STREAM_ORDER, orders[i % 3], HC_PARAM_MCA),
            HCOMM_OK);
        assert_int_equal(cuCtxCreate_v2(&context, 0, 0), 0);
        buffer = device_buffer(40 + i);
        assert_int_equal(staged_word(buffer, 3), 40 + i);
        assert_int_equal(cuCtxDestroy_v2(context), 0);
        assert_int_equal(cuCtxSetCurrent(context0), 0);
    }
    for (unsigned i = 0; i < 3; i++) {
        uint64_t buffer = device_buffer(50 + i);

        assert_int_equal(
            hc_param_set(HC_PARAM_STREAM_ORDER, orders[i], HC_PARAM_MCA),
            HCOMM_OK);
        assert_int_equal(staged_word(buffer, 3), 50 + i);
        hc_pool_trim(); /* pinnings end with the context, too */
        assert_int_equal(cuDevicePrimaryCtxReset_v2(0), 0);
        assert_int_equal(cuDevicePrimaryCtxRetain(&context0, 0), 0);
        assert_int_equal(cuCtxSetCurrent(context0), 0);
        buffer = device_buffer(60 + i);
        assert_int_equal(staged_word(buffer, 3), 60 + i);
        cuMemFree_v2(buffer);
    }
}

static void forked_child_has_no_devices(void **state)
{
    pid_t child;
    int   result = -1;

    (void)state;
    child = fork();
    if (child == 0)
        _exit(hc_dev_active() ? 1 : 0);
    assert_true(waitpid(child, &result, 0) == child);
    assert_int_equal(result, 0);
    assert_true(hc_dev_active());
}

static void devices_are_described(void **state)
{
    struct hc_dev_info info;
    int                count = 0;

    (void)state;
    assert_int_equal(hc_dev_cuda.count(&count), HCOMM_OK);
    assert_true(count >= 1);
    assert_int_equal(hc_dev_cuda.info(0, &info), HCOMM_OK);
    assert_int_equal(info.emulated, !on_real_device());
    assert_int_equal(strncmp(info.arch, "sm_", 3), 0);
    assert_int_equal(info.bus_id[4], ':');
    assert_true(info.memory_bytes > 0);
}

static void closing_gives_everything_back(void **state)
{
    (void)state;
    hc_pool_trim();
    assert_int_equal(hc_pool_bytes(), 0);
    hc_dev_close_all();
    assert_true(hc_dev_active()); /* and the next use opens it again */
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driver_of_the_program_is_found),
        cmocka_unit_test(kinds_of_memory_are_told_apart),
        cmocka_unit_test(interior_address_finds_its_allocation),
        cmocka_unit_test(synchronous_copies_are_made_so),
        cmocka_unit_test(freed_memory_is_an_error),
        cmocka_unit_test(reads_wait_for_the_default_stream),
        cmocka_unit_test(reads_are_early_without_stream_order),
        cmocka_unit_test(capturing_stream_is_an_error_and_stays_valid),
        cmocka_unit_test(stage_round_trip_in_every_mode),
        cmocka_unit_test(rows_leave_the_gaps_alone),
        cmocka_unit_test(thread_without_context_is_served),
        cmocka_unit_test(other_device_is_found_and_current_one_kept),
        cmocka_unit_test(destroyed_context_leaves_nothing_behind),
        cmocka_unit_test(forked_child_has_no_devices),
        cmocka_unit_test(devices_are_described),
        cmocka_unit_test(closing_gives_everything_back),
    };

    (void)argc;
    setenv("HCOMM_EMU_LINK", "nvidia:*/d2d=1TB/s+200ms", 0);
    run_emulated(argv, "nvidia:2");
    if (hc_param_read_environment(true) != HCOMM_OK)
        return 99;
    return cmocka_run_group_tests_name("device_cuda", tests, NULL, NULL);
}
