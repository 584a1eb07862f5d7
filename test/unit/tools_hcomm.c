/* The public interface, as a program outside this tree uses it. */
#include "hcomm.h"

#include "test/unit/unit.h"

#include <stdlib.h>
#include <string.h>

static void every_status_has_words(void **state)
{
    (void)state;
    for (int status = HCOMM_ERR_INVALID; status <= HCOMM_IN_PROGRESS;
         status++) {
        const char *text = hcomm_status_text((hcomm_status)status);

        assert_string_not_equal(text, "unknown status");
        assert_true(strlen(text) > 0);
    }
    assert_string_equal(hcomm_status_text((hcomm_status)-99), "unknown status");
    assert_true(strlen(hcomm_version()) >= 5);
}

static const hcomm_param_info *find(const hcomm_params *params,
                                    const char         *name)
{
    for (int i = 0; i < hcomm_param_count(params); i++)
        if (strcmp(hcomm_param_at(params, i)->name, name) == 0)
            return hcomm_param_at(params, i);
    fail_msg("no setting %s", name);
    return NULL;
}

static void settings_tell_value_and_source(void **state)
{
    hcomm_params           *params = NULL;
    const hcomm_param_info *info;

    (void)state;
    setenv("HCOMM_PINNED_MAX", "1MiB", 1);
    assert_int_equal(hcomm_params_open(&params), HCOMM_OK);
    info = find(params, "pinned_max");
    assert_string_equal(info->env_name, "HCOMM_PINNED_MAX");
    assert_string_equal(info->mca_name, "coll_hcomm_pinned_max");
    assert_string_equal(info->value, "1MiB");
    assert_string_equal(info->source, "environment");
    assert_string_equal(info->default_value, "256MiB");
    info = find(params, "priority");
    assert_string_equal(info->source, "default");
    assert_string_equal(info->value, info->default_value);
    assert_null(find(params, "emulate")->mca_name);

    for (int i = 0; i < hcomm_param_count(params); i++) {
        info = hcomm_param_at(params, i);
        assert_in_range(info->level, 1, 9);
        assert_true(strlen(info->help) > 10);
        assert_non_null(info->unit);
    }
    assert_null(hcomm_param_at(params, -1));
    assert_null(hcomm_param_at(params, hcomm_param_count(params)));

    /* The list is of the time when it was opened. */
    setenv("HCOMM_PINNED_MAX", "2MiB", 1);
    hcomm_params_close(params);
    assert_int_equal(hcomm_params_open(&params), HCOMM_OK);
    assert_string_equal(find(params, "pinned_max")->value, "2MiB");
    hcomm_params_close(params);
    hcomm_params_close(NULL);
    unsetenv("HCOMM_PINNED_MAX");
}

static void a_value_that_cannot_be_gives_no_list(void **state)
{
    hcomm_params *params = NULL;

    (void)state;
    setenv("HCOMM_PRIORITY", "high", 1);
    assert_int_equal(hcomm_params_open(&params), HCOMM_ERR_INVALID);
    assert_null(params);
    unsetenv("HCOMM_PRIORITY");
}

static void a_vendor_without_a_device_says_why(void **state)
{
    hcomm_devices *devices = NULL;
    int            total = 0;

    (void)state;
    unsetenv("HCOMM_EMULATE");
    assert_int_equal(hcomm_devices_open(&devices), HCOMM_OK);
    assert_true(hcomm_vendor_count(devices) >= 2);
    for (int i = 0; i < hcomm_vendor_count(devices); i++) {
        const hcomm_vendor_info *v = hcomm_vendor_at(devices, i);

        assert_true(strlen(v->vendor) > 0 && strlen(v->name) > 0);
        if (v->status == HCOMM_OK)
            assert_string_equal(v->why, "");
        else
            assert_true(strlen(v->why) > 0 && v->device_count == 0);
        if (!v->present)
            assert_int_equal(v->status, HCOMM_ERR_UNSUPPORTED);
        total += v->device_count;
    }
    assert_int_equal(hcomm_device_count(devices), total);
    assert_null(hcomm_vendor_at(devices, -1));
    assert_null(hcomm_vendor_at(devices, hcomm_vendor_count(devices)));
    assert_null(hcomm_device_at(devices, total));
    assert_null(hcomm_device_at(devices, -1));
    hcomm_devices_close(devices);
    hcomm_devices_close(NULL);
}

static void host_memory_is_host_memory(void **state)
{
    hcomm_memory_info info;
    static int        global;
    int               local = 0;
    void             *heap = malloc(100);
    const void       *all[] = {&global, &local, heap};

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        memset(&info, 0xff, sizeof info);
        assert_int_equal(hcomm_memory_query(all[i], &info), HCOMM_OK);
        assert_int_equal(info.kind, HCOMM_MEMORY_PAGEABLE);
        assert_string_equal(info.name, "host");
        assert_int_equal(info.ordinal, -1);
        assert_true(info.host_readable);
        assert_null(info.reserved[0]);
        assert_null(info.reserved[3]);
    }
    assert_int_equal(hcomm_memory_query(NULL, &info), HCOMM_ERR_INVALID);
    assert_int_equal(hcomm_memory_query(&local, NULL), HCOMM_ERR_INVALID);
    free(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_words),
        cmocka_unit_test(settings_tell_value_and_source),
        cmocka_unit_test(a_value_that_cannot_be_gives_no_list),
        cmocka_unit_test(a_vendor_without_a_device_says_why),
        cmocka_unit_test(host_memory_is_host_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
