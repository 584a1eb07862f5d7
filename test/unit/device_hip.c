/*
 * The hip backend over each HIP major version the emulator has; the memory
 * type's numbers changed between 5 and 6.  One process a version, since a
 * process must never hold two HIP runtimes.
 */

#include "config/cfg_param.h"
#include "device/dev_pool.h"
#include "device/dev_stage.h"
#include "device/device.h"

#include "test/unit/emulated.h"
#include "test/unit/stage_rows.h"
#include "test/unit/unit.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>

enum { WORDS = 50000, BYTES = WORDS * 4 };

#define RUNTIME(X)                                                 \
    X(hipSetDevice, (int))                                         \
    X(hipGetDevice, (int *))                                       \
    X(hipMalloc, (void **, size_t))                                \
    X(hipFree, (void *))                                           \
    X(hipMallocManaged, (void **, size_t, unsigned))               \
    X(hipHostMalloc, (void **, size_t, unsigned))                  \
    X(hipHostFree, (void *))                                       \
    X(hipMemcpy, (void *, const void *, size_t, int))              \
    X(hipMemcpyAsync, (void *, const void *, size_t, int, void *)) \
    X(hipDeviceSynchronize, (void))                                \
    X(hipGetLastError, (void))

#define X(name, parameters) static int(*name) parameters;
RUNTIME(X)
#undef X

enum { TO_DEVICE = 1, TO_HOST = 2, ON_DEVICE = 3 }; /* hipMemcpyKind */

static int version; /* 5, 6 or 7 */

static void load_runtime(void)
{
    char  soname[32];
    void *lib;

    snprintf(soname, sizeof soname, "libamdhip64.so.%d", version);
    lib = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    if (lib == NULL)
        fail_msg("%s", dlerror());
#define X(name, parameters)                        \
    do {                                           \
        void *function = dlsym(lib, #name);        \
        assert_non_null(function);                 \
        memcpy(&name, &function, sizeof function); \
    } while (0);
    RUNTIME(X)
#undef X
}

static unsigned *filled(unsigned value)
{
    static unsigned words[WORDS];
    void           *buffer;

    for (int i = 0; i < WORDS; i++)
        words[i] = value + (unsigned)i;
    assert_int_equal(hipMalloc(&buffer, BYTES), 0);
    assert_int_equal(hipMemcpy(buffer, words, BYTES, TO_DEVICE), 0);
    return buffer;
}

static void runtime_of_the_program_is_found(void **state)
{
    char text[32], expected[32];

    (void)state;
    assert_true(hc_dev_any_present());
    assert_false(hc_dev_active());
    load_runtime();
    assert_true(hc_dev_active());
    hc_dev_hip.version(text, sizeof text);
    snprintf(expected, sizeof expected, "HIP %d.", version);
    assert_int_equal(strncmp(text, expected, strlen(expected)), 0);
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
    void             *device = filled(0), *managed, *pinned;
    int               here;
    struct hc_dev_mem mem;

    (void)state;
    assert_int_equal(hipMallocManaged(&managed, BYTES, 1), 0);
    assert_int_equal(hipHostMalloc(&pinned, BYTES, 0), 0);
    assert_int_equal(type_of(device, true), HC_MEM_DEVICE);
    assert_int_equal(type_of(managed, true), HC_MEM_MANAGED);
    assert_int_equal(type_of(pinned, false), HC_MEM_PINNED);
    assert_int_equal(type_of(&here, false), HC_MEM_PAGEABLE);
    assert_int_equal(hipGetLastError(), 0); /* a guest leaves no error behind */

    assert_int_equal(hc_dev_query((char *)device + 99, &mem), HCOMM_OK);
    assert_int_equal(mem.base, (uintptr_t)device);
    assert_int_equal(mem.bytes, BYTES);
    assert_int_equal(hipFree(device), 0);
    assert_int_equal(hc_dev_query(device, &mem), HCOMM_ERR_INVALID);
    assert_int_equal(hipFree(managed), 0);
    assert_int_equal(hipHostFree(pinned), 0);
}

static void check_staged(const unsigned *buffer, unsigned value)
{
    struct hc_dev_mem mem;
    struct hc_stage   stage;

    assert_int_equal(hc_dev_query(buffer, &mem), HCOMM_OK);
    assert_int_equal(hc_stage_open(&stage, &mem, BYTES), HCOMM_OK);
    assert_int_equal(stage_in(&stage, 0, buffer, BYTES), HCOMM_OK);
    assert_int_equal(hc_stage_wait(&stage, NULL), HCOMM_OK);
    for (unsigned i = 0; i < WORDS; i++)
        assert_int_equal(((unsigned *)stage.host)[i], value + i);
    hc_stage_close(&stage);
}

static void stage_carries_bytes_and_waits_for_the_program(void **state)
{
    static const char *const caps[] = {"8MiB", "150KiB", "0"};

    (void)state;
    for (unsigned c = 0; c < sizeof caps / sizeof caps[0]; c++) {
        unsigned *buffer = filled(3), *source = filled(1000);

        hc_pool_trim();
        assert_int_equal(
            hc_param_set(HC_PARAM_PINNED_MAX, caps[c], HC_PARAM_MCA), HCOMM_OK);
        check_staged(buffer, 3);
        /* 100 ms on the default stream, by HCOMM_EMU_LINK. */
        assert_int_equal(hipMemcpyAsync(buffer, source, BYTES, ON_DEVICE, NULL),
                         0);
        check_staged(buffer, 1000);
        assert_int_equal(hipFree(buffer), 0);
        assert_int_equal(hipFree(source), 0);
    }
}

static void rows_leave_the_gaps_alone(void **state)
{
    void             *buffer;
    struct hc_dev_mem mem;

    (void)state;
    assert_int_equal(hipMalloc(&buffer, ROWS_BYTES), 0);
    assert_int_equal(hc_dev_query(buffer, &mem), HCOMM_OK);
    check_stage_rows_in_every_mode(&mem, buffer);
    check_far_rows(&mem, buffer);
    assert_int_equal(hipGetLastError(), 0);
    assert_int_equal(hipFree(buffer), 0);
}

static void other_device_is_found_and_current_one_kept(void **state)
{
    unsigned         *buffer;
    int               now = -1;
    struct hc_dev_mem mem;

    (void)state;
    assert_int_equal(hipSetDevice(1), 0);
    buffer = filled(5);
    assert_int_equal(hipSetDevice(0), 0);
    assert_int_equal(hc_dev_query(buffer, &mem), HCOMM_OK);
    assert_int_equal(mem.device, 1);
    check_staged(buffer, 5);
    assert_int_equal(hipGetDevice(&now), 0);
    assert_int_equal(now, 0);
    assert_int_equal(hipFree(buffer), 0);
}

static void devices_are_described(void **state)
{
    struct hc_dev_info info;
    int                count = 0;

    (void)state;
    assert_int_equal(hc_dev_hip.count(&count), HCOMM_OK);
    assert_int_equal(count, 2);
    assert_int_equal(hc_dev_hip.info(1, &info), HCOMM_OK);
    assert_true(info.emulated);
    assert_string_equal(info.bus_id, "0000:61:00.0");
    hc_pool_trim();
    hc_dev_close_all();
}

static int run_version(int which)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runtime_of_the_program_is_found),
        cmocka_unit_test(kinds_of_memory_are_told_apart),
        cmocka_unit_test(stage_carries_bytes_and_waits_for_the_program),
        cmocka_unit_test(rows_leave_the_gaps_alone),
        cmocka_unit_test(other_device_is_found_and_current_one_kept),
        cmocka_unit_test(devices_are_described),
    };

    version = which;
    if (hc_param_read_environment(true) != HCOMM_OK)
        return 99;
    return cmocka_run_group_tests_name("device_hip", tests, NULL, NULL);
}

/* TAP for the versions; each one's own lines go to the log as diagnostics. */
int main(int argc, char **argv)
{
    int failed = 0;

    (void)argc;
    setenv("HCOMM_EMU_LINK", "amd:*/d2d=1TB/s+100ms", 0);
    run_emulated(argv, "amd:2");
    if (on_real_device()) {
        printf("1..0 # SKIP only the emulator has every HIP version\n");
        return 0;
    }
    printf("1..3\n");
    for (int which = 5; which <= 7; which++) {
        int   status = -1;
        pid_t child;

        fflush(stdout);
        child = fork();
        if (child == 0) {
            dup2(STDERR_FILENO, STDOUT_FILENO);
            exit(run_version(which));
        }
        waitpid(child, &status, 0);
        printf("%sok %d - HIP %d\n", status == 0 ? "" : "not ", which - 4,
               which);
        failed += status != 0;
    }
    return failed != 0;
}
