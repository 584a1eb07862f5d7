/*
 * The ze backend as a program meets it: this test loads Level Zero's loader and
 * allocates by itself, in a context of its own, and only then asks HCOMM.
 */

#include "config/cfg_param.h"
#include "device/abi_ze.h"
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

enum { WORDS = 50000, BYTES = WORDS * 4 };

/* Level Zero, for this program's own use. */
#define LOADER(X)                                                              \
    X(zeInit, (uint32_t))                                                      \
    X(zeDriverGet, (uint32_t *, void **))                                      \
    X(zeDeviceGet, (void *, uint32_t *, void **))                              \
    X(zeContextCreate, (void *, const struct hc_ze_context_desc *, void **))   \
    X(zeContextDestroy, (void *))                                              \
    X(zeMemAllocDevice, (void *, const struct hc_ze_device_alloc_desc *,       \
                         size_t, size_t, void *, void **))                     \
    X(zeMemAllocHost,                                                          \
      (void *, const struct hc_ze_host_alloc_desc *, size_t, size_t, void **)) \
    X(zeMemAllocShared,                                                        \
      (void *, const struct hc_ze_device_alloc_desc *,                         \
       const struct hc_ze_host_alloc_desc *, size_t, size_t, void *, void **)) \
    X(zeMemFree, (void *, void *))                                             \
    X(zeCommandListCreateImmediate,                                            \
      (void *, void *, const struct hc_ze_queue_desc *, void **))              \
    X(zeCommandListDestroy, (void *))                                          \
    X(zeCommandListAppendMemoryCopy,                                           \
      (void *, void *, const void *, size_t, void *, uint32_t, void **))

#define X(name, parameters) static int(*name) parameters;
LOADER(X)
#undef X

static void *driver, *devices[2], *context, *lists[2];

static void *open_loader(void)
{
    return dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
}

static void load_loader(void)
{
    struct hc_ze_context_desc desc = {.stype = HC_ZE_IS_CONTEXT_DESC};
    struct hc_ze_queue_desc   order = {.stype = HC_ZE_IS_QUEUE_DESC,
                                       .mode = HC_ZE_QUEUE_SYNCHRONOUS};
    void                     *lib = open_loader();
    uint32_t                  one = 1, two = 2;

    assert_non_null(lib);
#define X(name, parameters)                        \
    do {                                           \
        void *function = dlsym(lib, #name);        \
        assert_non_null(function);                 \
        memcpy(&name, &function, sizeof function); \
    } while (0);
    LOADER(X)
#undef X
    assert_int_equal(zeInit(0), 0);
    assert_int_equal(zeDriverGet(&one, &driver), 0);
    assert_int_equal(zeDeviceGet(driver, &two, devices), 0);
    assert_int_equal(zeContextCreate(driver, &desc, &context), 0);
    for (uint32_t i = 0; i < two; i++)
        assert_int_equal(zeCommandListCreateImmediate(context, devices[i],
                                                      &order, &lists[i]),
                         0);
}

static unsigned *allocated(int device)
{
    struct hc_ze_device_alloc_desc desc = {.stype = HC_ZE_IS_DEVICE_ALLOC_DESC};
    void                          *buffer = NULL;

    assert_int_equal(
        zeMemAllocDevice(context, &desc, BYTES, 64, devices[device], &buffer),
        0);
    return buffer;
}

static unsigned *filled(int device, unsigned value)
{
    static unsigned words[WORDS];
    unsigned       *buffer = allocated(device);

    for (int i = 0; i < WORDS; i++)
        words[i] = value + (unsigned)i;
    assert_int_equal(zeCommandListAppendMemoryCopy(lists[device], buffer, words,
                                                   BYTES, NULL, 0, NULL),
                     0);
    return buffer;
}

static void loader_of_the_program_is_found(void **state)
{
    char text[32];

    (void)state;
    assert_true(hc_dev_any_present());
    assert_false(hc_dev_active());
    load_loader();
    assert_true(hc_dev_active());
    hc_dev_ze.version(text, sizeof text);
    assert_int_equal(strncmp(text, "Level Zero 1.", 13), 0);
}

static void parameter_devices_knows_both_words(void **state)
{
    static const char *const words[] = {"ze", "intel", "cuda", "auto"};
    const unsigned           cuda = 2;
    unsigned                *buffer = allocated(0);
    struct hc_dev_mem        mem;

    (void)state;
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (i == cuda && on_real_device())
            continue;
        hc_dev_close_all();
        assert_int_equal(hc_param_set(HC_PARAM_DEVICES, words[i], HC_PARAM_MCA),
                         HCOMM_OK);
        hc_dev_reconsider();
        if (i == cuda) { /* emulated are Intel's alone */
            assert_int_equal(hc_dev_query(buffer, &mem), HCOMM_ERR_UNSUPPORTED);
            continue;
        }
        assert_true(hc_dev_active());
        assert_int_equal(hc_dev_query(buffer, &mem), HCOMM_OK);
        assert_ptr_equal(mem.ops, &hc_dev_ze);
    }
    assert_int_equal(zeMemFree(context, buffer), 0);
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
    struct hc_ze_device_alloc_desc desc = {.stype = HC_ZE_IS_DEVICE_ALLOC_DESC};
    struct hc_ze_host_alloc_desc   host = {.stype = HC_ZE_IS_HOST_ALLOC_DESC};
    void             *device = allocated(0), *shared, *anywhere, *pinned;
    int               here;
    struct hc_dev_mem mem;

    (void)state;
    assert_int_equal(
        zeMemAllocShared(context, &desc, &host, BYTES, 64, devices[1], &shared),
        0);
    assert_int_equal(
        zeMemAllocShared(context, &desc, &host, BYTES, 64, NULL, &anywhere), 0);
    assert_int_equal(zeMemAllocHost(context, &host, BYTES, 64, &pinned), 0);
    assert_int_equal(type_of(device, true), HC_MEM_DEVICE);
    assert_int_equal(type_of(shared, true), HC_MEM_MANAGED);
    assert_int_equal(type_of(anywhere, true), HC_MEM_MANAGED);
    assert_int_equal(type_of(pinned, false), HC_MEM_PINNED);
    assert_int_equal(type_of(&here, false), HC_MEM_PAGEABLE);

    assert_int_equal(hc_dev_query(shared, &mem), HCOMM_OK);
    assert_int_equal(mem.device, 1);
    assert_int_equal(hc_dev_query((char *)device + 99, &mem), HCOMM_OK);
    assert_ptr_equal(mem.ops, &hc_dev_ze);
    assert_int_equal(mem.base, (uintptr_t)device);
    assert_int_equal(mem.bytes, BYTES);
    assert_int_equal(zeMemFree(context, shared), 0);
    assert_int_equal(zeMemFree(context, anywhere), 0);
    assert_int_equal(zeMemFree(context, pinned), 0);
    assert_int_equal(zeMemFree(context, device), 0);
}

static void what_no_driver_knows_is_no_device_memory(void **state)
{
    static char       of_the_program[64];
    unsigned         *freed = allocated(0);
    struct hc_dev_mem mem;

    (void)state;
    assert_int_equal(hc_dev_ze.query(NULL, &mem), HCOMM_ERR_NOT_FOUND);
    assert_int_equal(hc_dev_ze.query((void *)1, &mem), HCOMM_ERR_NOT_FOUND);
    assert_int_equal(hc_dev_ze.query(of_the_program, &mem),
                     HCOMM_ERR_NOT_FOUND);
    assert_int_equal(hc_dev_query(of_the_program, &mem), HCOMM_OK);
    assert_ptr_equal(mem.ops, &hc_dev_host);
    assert_int_equal(zeMemFree(context, freed), 0);
    assert_int_equal(hc_dev_query(freed, &mem), HCOMM_ERR_INVALID);
}

static void check_staged(unsigned *buffer, unsigned value)
{
    struct hc_dev_mem mem;
    struct hc_stage   stage;
    unsigned         *words;

    assert_int_equal(hc_dev_query(buffer, &mem), HCOMM_OK);
    assert_int_equal(hc_stage_open(&stage, &mem, BYTES), HCOMM_OK);
    words = stage.host;
    assert_int_equal(stage_in(&stage, 0, buffer, BYTES), HCOMM_OK);
    assert_int_equal(hc_stage_wait(&stage, NULL), HCOMM_OK);
    for (unsigned i = 0; i < WORDS; i++) {
        assert_int_equal(words[i], value + i);
        words[i] = ~i;
    }
    assert_int_equal(stage_out(&stage, 0, buffer, BYTES), HCOMM_OK);
    assert_int_equal(hc_stage_wait(&stage, NULL), HCOMM_OK);
    memset(words, 0, BYTES);
    assert_int_equal(stage_in(&stage, 0, buffer, BYTES), HCOMM_OK);
    assert_int_equal(hc_stage_wait(&stage, NULL), HCOMM_OK);
    for (unsigned i = 0; i < WORDS; i++)
        assert_int_equal(words[i], ~i);
    hc_stage_close(&stage);
}

static void stage_round_trip_in_every_mode(void **state)
{
    static const char *const caps[] = {"8MiB", "150KiB", "0"};
    static const char *const orders[] = {"legacy", "none", "device"};

    (void)state;
    for (unsigned c = 0; c < sizeof caps / sizeof caps[0]; c++) {
        unsigned *buffer = filled(0, 3 + c);

        hc_pool_trim();
        assert_int_equal(
            hc_param_set(HC_PARAM_PINNED_MAX, caps[c], HC_PARAM_MCA), HCOMM_OK);
        assert_int_equal(
            hc_param_set(HC_PARAM_STREAM_ORDER, orders[c], HC_PARAM_MCA),
            HCOMM_OK);
        check_staged(buffer, 3 + c);
        assert_int_equal(zeMemFree(context, buffer), 0);
    }
    assert_int_equal(hc_param_set(HC_PARAM_PINNED_MAX, "8MiB", HC_PARAM_MCA),
                     HCOMM_OK);
}

static void rows_leave_the_gaps_alone(void **state)
{
    struct hc_ze_device_alloc_desc desc = {.stype = HC_ZE_IS_DEVICE_ALLOC_DESC};
    void                          *buffer;
    struct hc_dev_mem              mem;

    (void)state;
    assert_int_equal(
        zeMemAllocDevice(context, &desc, ROWS_BYTES, 64, devices[0], &buffer),
        0);
    assert_int_equal(hc_dev_query(buffer, &mem), HCOMM_OK);
    check_stage_rows_in_every_mode(&mem, buffer);
    check_far_rows(&mem, buffer);
    assert_int_equal(zeMemFree(context, buffer), 0);
}

static void copies_go_on_while_the_caller_does(void **state)
{
    unsigned            *buffer = filled(0, 8);
    static unsigned      words[WORDS];
    struct hc_dev_mem    mem;
    struct hc_dev_queue *queue;
    struct hc_dev_event *event;
    hcomm_status         status;
    int                  looks = 0;

    (void)state;
    assert_int_equal(hc_dev_query(buffer, &mem), HCOMM_OK);
    assert_int_equal(mem.ops->queue(&mem, &queue), HCOMM_OK);
    assert_int_equal(hc_dev_copy(mem.ops, queue, words, buffer, BYTES),
                     HCOMM_OK);
    assert_int_equal(mem.ops->record(queue, &event), HCOMM_OK);
    for (; (status = mem.ops->test(event)) == HCOMM_IN_PROGRESS; looks++)
        ;
    assert_int_equal(status, HCOMM_OK);
    if (!on_real_device()) /* where the link's latency is 20 ms */
        assert_true(looks > 0);
    assert_int_equal(words[WORDS - 1], 8 + WORDS - 1);
    assert_int_equal(zeMemFree(context, buffer), 0);
}

static void many_events_are_out_at_once(void **state)
{
    enum { EVENTS = 200, ROUNDS = 3 };
    struct hc_dev_event *events[EVENTS];
    unsigned            *buffer = allocated(1);
    static unsigned      words[EVENTS], back[EVENTS];
    struct hc_dev_mem    mem;
    struct hc_dev_queue *queue;

    (void)state;
    assert_int_equal(hc_dev_query(buffer, &mem), HCOMM_OK);
    assert_int_equal(mem.ops->queue(&mem, &queue), HCOMM_OK);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < EVENTS; i++) {
            words[i] = round * EVENTS + i;
            assert_int_equal(hc_dev_copy(mem.ops, queue, &buffer[i], &words[i],
                                         sizeof words[i]),
                             HCOMM_OK);
            assert_int_equal(mem.ops->record(queue, &events[i]), HCOMM_OK);
        }
        for (unsigned i = 0; i < EVENTS; i++)
            assert_int_equal(hc_dev_wait(&mem, events[i], NULL), HCOMM_OK);
        assert_int_equal(hc_dev_copy(mem.ops, queue, back, buffer, sizeof back),
                         HCOMM_OK);
        assert_int_equal(hc_dev_copy(mem.ops, queue, back, buffer, 0),
                         HCOMM_OK);
        assert_int_equal(mem.ops->record(queue, &events[0]), HCOMM_OK);
        assert_int_equal(hc_dev_wait(&mem, events[0], NULL), HCOMM_OK);
        assert_memory_equal(words, back, sizeof words);
    }
    assert_int_equal(zeMemFree(context, buffer), 0);
}

static void *stage_repeatedly(void *arg)
{
    for (int round = 0; round < 5; round++) {
        struct hc_dev_mem mem;
        struct hc_stage   stage;
        bool              good;

        good = hc_dev_query(arg, &mem) == HCOMM_OK &&
               hc_stage_open(&stage, &mem, BYTES) == HCOMM_OK;
        if (!good)
            return "cannot open";
        good = stage_in(&stage, 0, arg, BYTES) == HCOMM_OK &&
               hc_stage_wait(&stage, NULL) == HCOMM_OK &&
               ((unsigned *)stage.host)[WORDS - 1] == 77 + WORDS - 1;
        hc_stage_close(&stage);
        if (!good)
            return "wrong bytes";
    }
    return NULL;
}

static void threads_share_a_queue(void **state)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    unsigned *buffers[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++) {
        buffers[i] = filled(0, 77);
        assert_int_equal(
            pthread_create(&threads[i], NULL, stage_repeatedly, buffers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;

        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
        assert_int_equal(zeMemFree(context, buffers[i]), 0);
    }
}

static void other_device_is_found(void **state)
{
    unsigned         *buffer = filled(1, 5);
    struct hc_dev_mem mem;

    (void)state;
    assert_int_equal(hc_dev_query(buffer, &mem), HCOMM_OK);
    assert_int_equal(mem.device, 1);
    check_staged(buffer, 5);
    assert_int_equal(zeMemFree(context, buffer), 0);
}

static void forked_child_has_no_devices(void **state)
{
    unsigned         *buffer = allocated(0);
    struct hc_dev_mem mem;
    int               status = -1;
    pid_t             child = fork();

    (void)state;
    if (child == 0) {
        bool right = !hc_dev_active() && hc_dev_query(buffer, &mem) != HCOMM_OK;

        hc_dev_close_all();
        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(zeMemFree(context, buffer), 0);
}

static void devices_are_described(void **state)
{
    struct hc_dev_info first, second;
    int                count = 0;

    (void)state;
    assert_int_equal(hc_dev_ze.count(&count), HCOMM_OK);
    assert_true(count >= 1);
    assert_int_equal(hc_dev_ze.info(count, &first), HCOMM_ERR_NOT_FOUND);
    assert_int_equal(hc_dev_ze.info(0, &first), HCOMM_OK);
    assert_int_equal(strlen(first.bus_id), strlen("0000:00:00.0"));
    assert_true(first.memory_bytes > 0);
    if (on_real_device())
        return;
    assert_int_equal(count, 2);
    assert_true(first.emulated);
    assert_int_equal(hc_dev_ze.info(1, &second), HCOMM_OK);
    assert_string_not_equal(first.bus_id, second.bus_id);
    assert_memory_not_equal(first.uuid, second.uuid, sizeof first.uuid);
}

static void closing_and_opening_again(void **state)
{
    unsigned *buffer = filled(0, 9);

    (void)state;
    hc_dev_close_all();
    assert_int_equal(hc_pool_bytes(), 0);
    assert_true(hc_dev_active());
    check_staged(buffer, 9);
    assert_int_equal(zeMemFree(context, buffer), 0);
    hc_dev_close_all();
    for (int i = 0; i < 2; i++) {
        if (lists[i] != NULL)
            assert_int_equal(zeCommandListDestroy(lists[i]), 0);
    }
    assert_int_equal(zeContextDestroy(context), 0);
}

/* In a process of its own: the emulator reads its faults when it is loaded. */
#define FAULTS                                                         \
    HC_ZE_IMPORT_POINTER "@*=0x78000003,"                              \
                         "zeCommandListAppendMemoryCopy@3=0x70000001," \
                         "zeMemGetAllocProperties@4=0x70000001"

static void check_logged(const char *words)
{
    char  line[512];
    bool  found = false;
    FILE *log = fopen("/proc/self/fd/2", "r");

    assert_non_null(log);
    while (!found && fgets(line, sizeof line, log) != NULL)
        found = strstr(line, words) != NULL;
    fclose(log);
    if (!found)
        fail_msg("not logged: %s", words);
}

static void failures_are_named(void **state)
{
    unsigned         *buffer;
    struct hc_dev_mem mem;
    struct hc_stage   stage;

    (void)state;
    load_loader();
    assert_true(hc_dev_active());
    buffer = filled(0, 1);
    assert_int_equal(hc_dev_query(buffer, &mem), HCOMM_OK);
    assert_int_equal(hc_stage_open(&stage, &mem, BYTES), HCOMM_OK);
    assert_int_equal(hc_pool_bytes(), 0); /* pinning was refused */
    check_logged("would not pin 262144 bytes of host memory (unsupported");
    assert_int_equal(stage_in(&stage, 0, buffer, BYTES), HCOMM_OK);
    assert_int_equal(hc_stage_wait(&stage, NULL), HCOMM_OK);
    assert_int_equal(((unsigned *)stage.host)[WORDS - 1], WORDS);
    assert_int_equal(stage_out(&stage, 0, buffer, BYTES), HCOMM_ERR_DEVICE);
    check_logged(", device 0: the device hung, was reset or removed "
                 "(ZE_RESULT_ERROR_DEVICE_LOST), code 0x70000001; ");
    hc_stage_close(&stage);

    for (int i = 2; i <= 3; i++)
        assert_int_equal(hc_dev_query(buffer, &mem), HCOMM_OK);
    assert_int_equal(hc_dev_query(buffer, &mem), HCOMM_ERR_DEVICE);
    check_logged("ze question about address");
    assert_int_equal(hc_dev_query(buffer, &mem), HCOMM_OK);
    hc_dev_close_all();
}

static int run_with_faults(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(failures_are_named)};

    if (hc_param_read_environment(true) != HCOMM_OK)
        return 99;
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}

static void show(const char *path)
{
    char  line[512];
    FILE *file = fopen(path, "r");

    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        fprintf(stderr, "# %s", line);
    if (file != NULL)
        fclose(file);
}

static void failures_are_errors_with_words(void **state)
{
    char  log[] = "/tmp/device_ze.XXXXXX";
    int   status = -1, file;
    pid_t child;

    (void)state;
    if (on_real_device())
        skip();
    file = mkstemp(log);
    assert_true(file >= 0);
    child = fork();
    if (child == 0) {
        setenv("HCOMM_EMU_FAULT", FAULTS, 1);
        dup2(file, STDERR_FILENO);
        dup2(file, STDOUT_FILENO);
        execl("/proc/self/exe", "device_ze", "faults", (char *)NULL);
        _exit(99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0)
        show(log);
    close(file);
    unlink(log);
    assert_int_equal(status, 0);
}

/* Answered before this program starts itself once more: newer loaders, in C++,
 * stay loaded once they were. */
static bool is_loader_here(void)
{
    return getenv("HCOMM_EMULATE") != NULL || open_loader() != NULL;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loader_of_the_program_is_found),
        cmocka_unit_test(parameter_devices_knows_both_words),
        cmocka_unit_test(kinds_of_memory_are_told_apart),
        cmocka_unit_test(what_no_driver_knows_is_no_device_memory),
        cmocka_unit_test(stage_round_trip_in_every_mode),
        cmocka_unit_test(rows_leave_the_gaps_alone),
        cmocka_unit_test(copies_go_on_while_the_caller_does),
        cmocka_unit_test(many_events_are_out_at_once),
        cmocka_unit_test(threads_share_a_queue),
        cmocka_unit_test(other_device_is_found),
        cmocka_unit_test(forked_child_has_no_devices),
        cmocka_unit_test(devices_are_described),
        cmocka_unit_test(failures_are_errors_with_words),
        cmocka_unit_test(closing_and_opening_again),
    };

    if (argc > 1)
        return run_with_faults();
    if (!is_loader_here()) {
        printf("1..0 # SKIP no libze_loader.so.1: install libze1\n");
        return 0;
    }
    setenv("HCOMM_EMU_LINK", "intel:*/d2h=1TB/s+20ms", 0);
    run_emulated(argv, "intel:2");
    if (hc_param_read_environment(true) != HCOMM_OK)
        return 99;
    return cmocka_run_group_tests_name("device_ze", tests, NULL, NULL);
}
