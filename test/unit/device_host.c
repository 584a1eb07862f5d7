#include "device/dev_address.h"
#include "device/dev_load.h"
#include "device/dev_pool.h"
#include "device/dev_stage.h"
#include "device/device.h"

#include "config/cfg_param.h"

#include "test/unit/stage_rows.h"
#include "test/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void host_memory_is_nobodys_device(void **state)
{
    int               here = 0;
    struct hc_dev_mem mem;

    (void)state;
    assert_int_equal(hc_dev_query(&here, &mem), HCOMM_OK);
    assert_ptr_equal(mem.ops, &hc_dev_host);
    assert_int_equal(mem.device, -1);
    assert_false(hc_dev_must_stage(&mem));
}

static void unreadable_memory_is_an_error(void **state)
{
    long              page = sysconf(_SC_PAGESIZE);
    struct hc_dev_mem mem = {.device = 7};
    void             *gone =
        mmap(NULL, (size_t)page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(gone != MAP_FAILED);
    assert_int_equal(hc_dev_query(gone, &mem), HCOMM_ERR_INVALID);
    munmap(gone, (size_t)page);
    assert_int_equal(hc_dev_query((char *)gone + 5, &mem), HCOMM_ERR_INVALID);
    assert_int_equal(hc_dev_query(NULL, &mem), HCOMM_ERR_INVALID);
    assert_int_equal(hc_dev_query((void *)1, &mem), HCOMM_ERR_INVALID);
    assert_int_equal(mem.device, 7); /* written only on success */
}

static void no_vendor_without_its_nodes(void **state)
{
    (void)state;
    if (access("/dev/nvidiactl", F_OK) == 0 || access("/dev/kfd", F_OK) == 0)
        skip();
    assert_false(hc_dev_any_present());
    assert_false(hc_dev_active());
}

static void every_vendor_has_a_whole_table(void **state)
{
    int count = 0;

    (void)state;
    for (; hc_dev_vendor(count) != NULL; count++) {
        const struct hc_dev_ops *ops = hc_dev_vendor(count);

        assert_non_null(ops->present);
        assert_non_null(ops->findable);
        assert_non_null(ops->open);
        assert_non_null(ops->query);
        assert_non_null(ops->queue);
        assert_non_null(ops->copy_rows);
        assert_non_null(ops->copy_rows);
        assert_non_null(ops->record);
        assert_non_null(ops->test);
        assert_non_null(ops->pin);
        assert_non_null(ops->unpin);
    }
    assert_int_equal(count, HC_DEV_KINDS - 1); /* all but the host */
}

static void unknown_vendor_word_is_refused(void **state)
{
    (void)state;
    assert_int_equal(
        hc_param_set(HC_PARAM_DEVICES, "cuda,voodoo", HC_PARAM_ENVIRONMENT),
        HCOMM_OK);
    assert_int_equal(hc_dev_check_wanted(), HCOMM_ERR_INVALID);
    assert_int_equal(
        hc_param_set(HC_PARAM_DEVICES, "none", HC_PARAM_ENVIRONMENT), HCOMM_OK);
    assert_int_equal(hc_dev_check_wanted(), HCOMM_OK);
    assert_int_equal(
        hc_param_set(HC_PARAM_DEVICES, "auto", HC_PARAM_ENVIRONMENT), HCOMM_OK);
}

static void named_vendor_must_be_here(void **state)
{
    (void)state;
    if (access("/dev/kfd", F_OK) == 0)
        skip();
    assert_int_equal(
        hc_param_set(HC_PARAM_DEVICES, "rocm", HC_PARAM_ENVIRONMENT), HCOMM_OK);
    assert_int_equal(hc_dev_check_wanted(), HCOMM_ERR_UNSUPPORTED);
    assert_int_equal(
        hc_param_set(HC_PARAM_DEVICES, "auto", HC_PARAM_ENVIRONMENT), HCOMM_OK);
}

/* A vendor whose driver pins whatever it is given, or refuses. */
static int pins, unpins, refuse, refusals;

static hcomm_status count_pin(const struct hc_dev_mem *mem, void *ptr,
                              size_t bytes, char *why, size_t room)
{
    (void)mem;
    (void)ptr;
    (void)bytes;
    if (refuse) {
        snprintf(why, room, "not today");
        refusals++;
        return HCOMM_ERR_DEVICE;
    }
    pins++;
    return HCOMM_OK;
}

static void count_unpin(const struct hc_dev_mem *mem, void *ptr)
{
    (void)mem;
    (void)ptr;
    unpins++;
}

static struct hc_dev_ops pinning_ops;

static struct hc_dev_mem pinning_mem(void)
{
    pinning_ops = hc_dev_host;
    pinning_ops.pin = count_pin;
    pinning_ops.unpin = count_unpin;
    pins = unpins = refuse = refusals = 0;
    hc_pool_trim();
    unpins = 0;
    return (struct hc_dev_mem){.ops = &pinning_ops, .type = HC_MEM_DEVICE};
}

static void set_cap(const char *text)
{
    assert_int_equal(
        hc_param_set(HC_PARAM_PINNED_MAX, text, HC_PARAM_ENVIRONMENT),
        HCOMM_OK);
}

static void pool_reuses_a_block(void **state)
{
    struct hc_dev_mem     mem = pinning_mem();
    struct hc_pool_block *first, *second;

    (void)state;
    set_cap("1MiB");
    assert_int_equal(hc_pool_take(&mem, 100000, &first), HCOMM_OK);
    assert_int_equal(first->bytes, 131072);
    hc_pool_give(first);
    assert_int_equal(hc_pool_take(&mem, 70000, &second), HCOMM_OK);
    assert_ptr_equal(first, second);
    hc_pool_give(second);
    assert_int_equal(pins, 1);
}

static void pool_never_exceeds_its_cap(void **state)
{
    struct hc_dev_mem     mem = pinning_mem();
    struct hc_pool_block *block[4], *extra = NULL;

    (void)state;
    set_cap("256KiB");
    for (int i = 0; i < 4; i++)
        assert_int_equal(hc_pool_take(&mem, 65536, &block[i]), HCOMM_OK);
    assert_int_equal(hc_pool_bytes(), 262144);
    assert_int_equal(hc_pool_take(&mem, 1, &extra), HCOMM_ERR_NO_MEMORY);
    assert_null(extra);

    /* Idle blocks of another size make room. */
    for (int i = 0; i < 4; i++)
        hc_pool_give(block[i]);
    assert_int_equal(hc_pool_take(&mem, 262144, &extra), HCOMM_OK);
    assert_int_equal(hc_pool_bytes(), 262144);
    assert_int_equal(unpins, 4);
    hc_pool_give(extra);
    assert_int_equal(hc_pool_take(&mem, SIZE_MAX, &extra), HCOMM_ERR_NO_MEMORY);
}

/* Bytes through the stage, in and out, must be the same in every mode. */
static void check_round_trip(const struct hc_dev_mem *mem, size_t bytes)
{
    unsigned char  *source = malloc(bytes + 1), *sink = malloc(bytes + 1);
    struct hc_stage stage;

    assert_non_null(source);
    assert_non_null(sink);
    for (size_t i = 0; i < bytes; i++)
        source[i] = (unsigned char)(i * 31 + i / 251);
    memset(sink, 0, bytes + 1);
    sink[bytes] = 0xa5;

    assert_int_equal(hc_stage_open(&stage, mem, bytes), HCOMM_OK);
    assert_int_equal(stage_in(&stage, 0, source, bytes), HCOMM_OK);
    assert_int_equal(hc_stage_wait(&stage, NULL), HCOMM_OK);
    assert_memory_equal(stage.host, source, bytes);
    assert_int_equal(stage_out(&stage, 0, sink, bytes / 2), HCOMM_OK);
    assert_int_equal(
        stage_out(&stage, bytes / 2, sink + bytes / 2, bytes - bytes / 2),
        HCOMM_OK);
    assert_int_equal(hc_stage_wait(&stage, NULL), HCOMM_OK);
    assert_memory_equal(sink, source, bytes);
    assert_int_equal(sink[bytes], 0xa5);
    hc_stage_close(&stage);
    free(source);
    free(sink);
}

static void stage_carries_bytes_in_every_mode(void **state)
{
    static const char *const caps[] = {"8MiB", "300KiB", "64KiB", "0"};
    static const size_t      sizes[] = {0, 1, 65536, 1000003};

    (void)state;
    for (size_t c = 0; c < sizeof caps / sizeof caps[0]; c++) {
        struct hc_dev_mem mem = pinning_mem();

        set_cap(caps[c]);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            check_round_trip(&mem, sizes[s]);
    }
    hc_pool_trim();
    assert_int_equal(hc_pool_bytes(), 0);
}

static void stage_carries_rows_in_every_mode(void **state)
{
    static char       device[ROWS_BYTES];
    struct hc_dev_mem mem = pinning_mem();

    (void)state;
    check_stage_rows_in_every_mode(&mem, device);
    check_far_rows(&mem, device);
    hc_pool_trim();
}

static void refused_pinning_is_not_asked_for_again(void **state)
{
    struct hc_dev_mem mem = pinning_mem();

    (void)state;
    set_cap("8MiB");
    refuse = 1;
    check_round_trip(&mem, 1000003);
    assert_true(refusals >= 1 && refusals <= 10);
    refusals = 0;
    check_round_trip(&mem, 1000003);
    assert_int_equal(refusals, 0);
    refuse = 0;
    check_round_trip(&mem, 1000003);
    assert_int_equal(pins, 0);
    hc_pool_trim(); /* a new life asks again */
    check_round_trip(&mem, 1000003);
    assert_true(pins > 0);
    hc_pool_trim();
}

static void open_device_node_is_seen(void **state)
{
    int fd;

    (void)state;
    assert_false(hc_dev_has_open("/dev/full"));
    fd = open("/dev/full", O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(hc_dev_has_open("/dev/full"));
    assert_false(hc_dev_has_open("/dev/nothing-like-it"));
    close(fd);
    assert_false(hc_dev_has_open("/dev/full"));
}

static bool plain_in_thread;

static void *look_at_own_stack(void *mains)
{
    int mine = 0;

    plain_in_thread =
        hc_address_is_plain_host(&mine) && !hc_address_is_plain_host(mains);
    return NULL;
}

static void heap_and_stack_are_plain_host(void **state)
{
    static int statics;
    int        here = 0;
    void      *small = malloc(100);
    void      *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t  thread;

    (void)state;
    hc_address_prepare();
    assert_true(mapped != MAP_FAILED);
    assert_true(hc_address_is_plain_host(&here));
    assert_false(hc_address_is_plain_host(mapped));
    assert_false(hc_address_is_plain_host(&statics));
    assert_false(hc_address_is_plain_host(NULL));
    assert_false(hc_address_is_plain_host((void *)UINTPTR_MAX));
    if ((uintptr_t)small < (uintptr_t)sbrk(0)) /* a sanitizer's is not there */
        assert_true(hc_address_is_plain_host(small));
    assert_false(hc_address_is_plain_host(sbrk(0)));
    assert_int_equal(pthread_create(&thread, NULL, look_at_own_stack, &here),
                     0);
    pthread_join(thread, NULL);
    assert_false(plain_in_thread); /* only the main thread's is known */
    free(small);
    munmap(mapped, 4096);
}

static void a_query_leaves_errno_alone(void **state)
{
    int               here = 0;
    struct hc_dev_mem mem;

    (void)state;
    errno = EAGAIN;
    assert_int_equal(hc_dev_query(&here, &mem), HCOMM_OK);
    assert_int_equal(errno, EAGAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_memory_is_nobodys_device),
        cmocka_unit_test(unreadable_memory_is_an_error),
        cmocka_unit_test(no_vendor_without_its_nodes),
        cmocka_unit_test(every_vendor_has_a_whole_table),
        cmocka_unit_test(unknown_vendor_word_is_refused),
        cmocka_unit_test(named_vendor_must_be_here),
        cmocka_unit_test(pool_reuses_a_block),
        cmocka_unit_test(pool_never_exceeds_its_cap),
        cmocka_unit_test(stage_carries_bytes_in_every_mode),
        cmocka_unit_test(stage_carries_rows_in_every_mode),
        cmocka_unit_test(refused_pinning_is_not_asked_for_again),
        cmocka_unit_test(open_device_node_is_seen),
        cmocka_unit_test(heap_and_stack_are_plain_host),
        cmocka_unit_test(a_query_leaves_errno_alone),
    };

    return cmocka_run_group_tests_name("device_host", tests, NULL, NULL);
}
