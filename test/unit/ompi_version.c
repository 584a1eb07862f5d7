#include "ompi_component/ompi_version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_distributions_version_is_read(void **state)
{
    struct hc_ompi_version version;

    (void)state;
    assert_true(hc_ompi_version_parse(
        "Open MPI v4.1.6, package: Debian OpenMPI, ident: 4.1.6, repo rev: "
        "v4.1.6, Sep 30, 2023",
        &version));
    assert_int_equal(version.major, 4);
    assert_int_equal(version.minor, 1);
    assert_int_equal(version.release, 6);
    assert_string_equal(version.text, "4.1.6");
    assert_true(hc_ompi_version_is_served(&version, 4, 1, HC_OMPI_ANY_RELEASE));
}

static void a_release_candidate_is_read(void **state)
{
    struct hc_ompi_version version;

    (void)state;
    assert_true(hc_ompi_version_parse("Open MPI v5.0.0rc12", &version));
    assert_string_equal(version.text, "5.0.0rc12");
    assert_int_equal(version.release, 0);
    assert_false(
        hc_ompi_version_is_served(&version, 4, 1, HC_OMPI_ANY_RELEASE));
}

/* The structures of 5.0 change between releases. */
static void only_the_release_built_for_is_served(void **state)
{
    struct hc_ompi_version version;

    (void)state;
    assert_true(hc_ompi_version_parse("Open MPI v5.0.7, x", &version));
    assert_true(hc_ompi_version_is_served(&version, 5, 0, 7));
    assert_true(hc_ompi_version_parse("Open MPI v5.0.8, x", &version));
    assert_false(hc_ompi_version_is_served(&version, 5, 0, 7));
    assert_true(hc_ompi_version_parse("Open MPI v4.1.7, x", &version));
    assert_false(hc_ompi_version_is_served(&version, 5, 0, 7));
    assert_true(hc_ompi_version_parse("Open MPI v5.0.17, x", &version));
    assert_false(hc_ompi_version_is_served(&version, 5, 0, 7));
}

static void neighbouring_series_are_not_ours(void **state)
{
    static const char *const others[] = {
        "Open MPI v4.0.7, x", "Open MPI v4.2.1, x",  "Open MPI v3.1.0, x",
        "Open MPI v5.1.0, x", "Open MPI v14.1.0, x", "Open MPI v4.10.1, x"};
    struct hc_ompi_version version;

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_true(hc_ompi_version_parse(others[i], &version));
        assert_false(
            hc_ompi_version_is_served(&version, 4, 1, HC_OMPI_ANY_RELEASE));
    }
}

static void other_libraries_are_named_and_refused(void **state)
{
    struct hc_ompi_version version;

    (void)state;
    assert_false(hc_ompi_version_parse(
        "MPICH Version:      4.0.2\nMPICH Release", &version));
    assert_string_equal(version.text, "MPICH Version:      4.0.2");
    assert_false(hc_ompi_version_parse("Open MPI vnext", &version));
    assert_false(hc_ompi_version_parse("Open MPI v4.1", &version));
    assert_false(hc_ompi_version_parse("", &version));
    assert_string_equal(version.text, "");
}

static void a_long_text_is_cut(void **state)
{
    struct hc_ompi_version version;

    (void)state;
    assert_false(hc_ompi_version_parse(
        "A library with an exceedingly long name and no comma at all",
        &version));
    assert_string_equal(version.text, "A library with an exceedingly l");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_distributions_version_is_read),
        cmocka_unit_test(a_release_candidate_is_read),
        cmocka_unit_test(only_the_release_built_for_is_served),
        cmocka_unit_test(neighbouring_series_are_not_ours),
        cmocka_unit_test(other_libraries_are_named_and_refused),
        cmocka_unit_test(a_long_text_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
