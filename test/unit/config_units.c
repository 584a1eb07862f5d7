#include "config/cfg_units.h"
#include "config/cfg_words.h"

#include "test/unit/unit.h"

#include <string.h>

static size_t bytes_of(const char *text)
{
    size_t bytes = 7;

    assert_int_equal(hc_units_bytes(text, &bytes), HCOMM_OK);
    return bytes;
}

static void bytes_follow_si_and_iec(void **state)
{
    (void)state;
    assert_int_equal(bytes_of("0"), 0);
    assert_int_equal(bytes_of("4096"), 4096);
    assert_int_equal(bytes_of("1MB"), 1000000);
    assert_int_equal(bytes_of("1MiB"), 1048576);
    assert_int_equal(bytes_of("1.5GB"), 1500000000);
    assert_int_equal(bytes_of("2 kB"), 2000);
    assert_int_equal(bytes_of("64K"), 65536);
    assert_int_equal(bytes_of("1TiB"), 1099511627776);
}

static void bytes_refuse_what_is_no_amount(void **state)
{
    static const char *const bad[] = {
        "",
        "MiB",
        "-1",
        "+1",
        "1e6",
        "0x10",
        "1.5",
        "1..5MB",
        "nan",
        "1MiX",
        "1MiB ",
        "inf",
        " 1",
        "1MB/s",
        "1,5GB",
        "99999999999999999999",
        "99999999TiB",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        size_t bytes = 7;

        if (hc_units_bytes(bad[i], &bytes) != HCOMM_ERR_INVALID)
            fail_msg("'%s' was taken for %zu bytes", bad[i], bytes);
        assert_int_equal(bytes, 7);
    }
}

static void durations_and_rates_have_units(void **state)
{
    double value = 0;

    (void)state;
    assert_int_equal(hc_units_seconds("100ms", &value), HCOMM_OK);
    assert_true(value > 0.0999 && value < 0.1001);
    assert_int_equal(hc_units_seconds("2us", &value), HCOMM_OK);
    assert_true(value > 1.99e-6 && value < 2.01e-6);
    assert_int_equal(hc_units_seconds("100", &value), HCOMM_ERR_INVALID);
    assert_int_equal(hc_units_rate("16GB/s", &value), HCOMM_OK);
    assert_true(value == 16e9);
    assert_int_equal(hc_units_rate("16GB", &value), HCOMM_ERR_INVALID);
    assert_int_equal(hc_units_rate("/s", &value), HCOMM_ERR_INVALID);
}

static void amounts_are_exact(void **state)
{
    (void)state;
    assert_int_equal(bytes_of("9223372036854775807"), SIZE_MAX / 2);
    assert_int_equal(bytes_of("104857600000015728"), 104857600000015728);
    assert_int_equal(bytes_of("100002000000.015625M"), 104859697152016384);
}

static void nearest_word_forgives_a_slip(void **state)
{
    static const char *const words[] = {"pinned_max", "log_level", "devices",
                                        NULL};

    (void)state;
    assert_string_equal(hc_words_nearest("pined_max", words), "pinned_max");
    assert_string_equal(hc_words_nearest("LOG_LEVLE", words), "log_level");
    assert_string_equal(hc_words_nearest("device", words), "devices");
    assert_null(hc_words_nearest("compress", words));
    assert_null(hc_words_nearest("", words));
}

static void index_wants_the_whole_word(void **state)
{
    (void)state;
    assert_int_equal(hc_words_index("warn", "error|warn|info"), 1);
    assert_int_equal(hc_words_index("info", "error|warn|info"), 2);
    assert_int_equal(hc_words_index("war", "error|warn|info"), -1);
    assert_int_equal(hc_words_index("", "error|warn"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_follow_si_and_iec),
        cmocka_unit_test(bytes_refuse_what_is_no_amount),
        cmocka_unit_test(durations_and_rates_have_units),
        cmocka_unit_test(amounts_are_exact),
        cmocka_unit_test(nearest_word_forgives_a_slip),
        cmocka_unit_test(index_wants_the_whole_word),
    };

    return cmocka_run_group_tests_name("config_units", tests, NULL, NULL);
}
