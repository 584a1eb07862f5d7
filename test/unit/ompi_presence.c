#include "ompi_component/ompi_presence.h"

#include "test/unit/unit.h"

#include <string.h>

static void what_is_written_reads_back(void **state)
{
    unsigned char wire[HC_PRESENCE_BYTES];
    bool          accelerator = false;

    (void)state;
    hc_presence_write(true, wire);
    assert_true(hc_presence_read(wire, sizeof wire, &accelerator));
    assert_true(accelerator);
    hc_presence_write(false, wire);
    assert_true(hc_presence_read(wire, sizeof wire, &accelerator));
    assert_false(accelerator);
}

static void short_or_mangled_bytes_are_refused(void **state)
{
    unsigned char wire[HC_PRESENCE_BYTES];
    bool          accelerator = true;

    (void)state;
    hc_presence_write(false, wire);
    for (size_t bytes = 0; bytes < sizeof wire; bytes++)
        assert_false(hc_presence_read(wire, bytes, &accelerator));
    assert_false(hc_presence_read(NULL, 0, &accelerator));
    /* Every byte that is not reserved counts, in each of its bits. */
    for (size_t byte = 0; byte < 9; byte++) {
        for (int bit = 0; bit < 8; bit++) {
            wire[byte] ^= (unsigned char)(1 << bit);
            if (hc_presence_read(wire, sizeof wire, &accelerator) &&
                byte != 4 && byte != 5 && byte != 8)
                fail_msg("bit %d of byte %zu was not looked at", bit, byte);
            wire[byte] ^= (unsigned char)(1 << bit);
        }
    }
    wire[8] = 2;
    accelerator = true;
    assert_false(hc_presence_read(wire, sizeof wire, &accelerator));
    assert_true(accelerator); /* written only on success */
}

static void a_later_version_may_be_longer(void **state)
{
    unsigned char wire[HC_PRESENCE_BYTES + 8] = {0};
    bool          accelerator = false;
    uint16_t      version = 2, bytes = sizeof wire;

    (void)state;
    hc_presence_write(true, wire);
    memcpy(wire + 4, &version, 2);
    assert_false(hc_presence_read(wire, sizeof wire, &accelerator));
    memcpy(wire + 6, &bytes, 2);
    assert_true(hc_presence_read(wire, sizeof wire, &accelerator));
    assert_true(accelerator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(short_or_mangled_bytes_are_refused),
        cmocka_unit_test(a_later_version_may_be_longer),
    };

    return cmocka_run_group_tests_name("ompi_presence", tests, NULL, NULL);
}
