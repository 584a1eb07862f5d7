#include "tools/launch_emulate.h"

#include "test/unit/unit.h"

#include <string.h>

static void aliases_become_the_emulators_words(void **state)
{
    static const struct {
        const char *given, *list;
        bool        nvidia, amd, intel;
    } cases[] = {
        {"nvidia:2", "nvidia:2", true, false, false},
        {"CUDA:1", "nvidia:1", true, false, false},
        {"hip:64", "amd:64", false, true, false},
        {"rocm/gfx90a:1,cuda/sm_61:2", "amd/gfx90a:1,nvidia/sm_61:2", true,
         true, false},
        {"Intel:3", "intel:3", false, false, true},
        {"ze/xe-hpg:1,cuda:1", "intel/xe-hpg:1,nvidia:1", true, false, true},
        {"nvidia/sm_61:1,nvidia:1", "nvidia/sm_61:1,nvidia:1", true, false,
         false},
        {"amd/gfx1030:1", "amd/gfx1030:1", false, true, false},
        {"nvidia/sm_90a:1", "nvidia/sm_90a:1", true, false, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct launch_emulate e;
        char                  why[256];

        assert_true(launch_emulate_parse(cases[i].given, &e, why, sizeof why));
        assert_string_equal(e.list, cases[i].list);
        assert_int_equal(e.named[LAUNCH_NVIDIA], cases[i].nvidia);
        assert_int_equal(e.named[LAUNCH_AMD], cases[i].amd);
        assert_int_equal(e.named[LAUNCH_INTEL], cases[i].intel);
    }
}

static void each_refusal_names_its_word(void **state)
{
    static const struct {
        const char *given, *named;
    } cases[] = {
        {"", "\"\""},
        {"nvidia", "\"nvidia\""},
        {"nvidia:", "\"\""},
        {"nvidia:0", "\"0\""},
        {"nvidia:65", "\"65\""},
        {"nvidia:99999999999999999999", "\"99999999999999999999\""},
        {"nvidia: 1", "\" 1\""},
        {"nvidia:+1", "\"+1\""},
        {"nvidia:1:1", "\"1:1\""},
        {"amd:1,,nvidia:1", "\"\""},
        {"intl:1", "did you mean intel?"},
        {"intel", "\"intel\""},
        {"intel/gfx90a:1", "\"gfx90a\""},
        {"intel/:1", "\"\""},
        {"nvidia/:1", "\"\""},
        {"nvidia/gfx90a:1", "\"gfx90a\""},
        {"amd/sm_90:1", "\"sm_90\""},
        {"nvidia/sm_9/0:1", "\"sm_9/0\""},
        {"nvidia/sm_90;x:1", "\"sm_90;x\""},
        {"nvida:1", "did you mean nvidia?"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct launch_emulate e;
        char                  why[256] = "";

        if (launch_emulate_parse(cases[i].given, &e, why, sizeof why) ||
            strstr(why, cases[i].named) == NULL)
            fail_msg("%s: %s", cases[i].given, why);
    }
}

static void a_list_that_grows_by_its_aliases_still_fits(void **state)
{
    struct launch_emulate e;
    char                  text[256] = "", why[256];

    (void)state;
    for (int i = 0; i < 36; i++)
        strcat(text, i > 0 ? ",cuda:1" : "cuda:1");
    assert_true(launch_emulate_parse(text, &e, why, sizeof why));
    assert_int_equal(strlen(e.list), 36 * 9 - 1);
    memset(text, '1', sizeof text - 1);
    text[255] = '\0';
    assert_false(launch_emulate_parse(text, &e, why, sizeof why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aliases_become_the_emulators_words),
        cmocka_unit_test(each_refusal_names_its_word),
        cmocka_unit_test(a_list_that_grows_by_its_aliases_still_fits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
