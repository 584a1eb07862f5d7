#include "tools/launch_args.h"

#include "test/unit/unit.h"

#include <stdio.h>
#include <string.h>

/* Parse "hcc-launch" and these words (NULL at the end). */
static bool parse(struct launch_args *a, const char *const *words)
{
    char *argv[64] = {(char *)"hcc-launch"};
    int   argc = 1;

    while (words[argc - 1] != NULL && argc < 63) {
        argv[argc] = (char *)words[argc - 1];
        argc++;
    }
    return launch_args_parse(a, argc, argv);
}

#define PARSE(a, ...) parse((a), (const char *const[]){__VA_ARGS__, NULL})

static const char *program(const struct launch_args *a, int i)
{
    assert_true(i < a->program_count);
    return a->args[a->programs[i]];
}

static void the_program_follows_mpiruns_options(void **state)
{
    struct launch_args a;

    (void)state;
    assert_true(PARSE(&a, "-n", "2", "--mca", "btl", "self", "-x", "A=1",
                      "--tag-output", "-H", "a,b", "./app", "-n", "9"));
    assert_int_equal(a.program_count, 1);
    assert_string_equal(program(&a, 0), "./app");
    assert_string_equal(launch_args_option(&a, "n"), "2");
    assert_string_equal(launch_args_option(&a, "H"), "a,b");
    assert_string_equal(launch_args_option(&a, "tag-output"), "");
    assert_null(launch_args_option(&a, "bind-to"));
    assert_string_equal(launch_args_mca(&a, "btl"), "self");
    assert_null(launch_args_mca(&a, "coll"));
    assert_null(a.unknown);
    assert_int_equal(a.count, 13);
    launch_args_free(&a);
}

static void several_programs_are_separated_by_colons(void **state)
{
    struct launch_args a;

    (void)state;
    assert_true(PARSE(&a, "-n", "1", "./a", "x", ":", "--mca", "coll", "tuned",
                      "-n", "2", "./b", ":", "./c"));
    assert_int_equal(a.program_count, 3);
    assert_string_equal(program(&a, 0), "./a");
    assert_string_equal(program(&a, 1), "./b");
    assert_string_equal(program(&a, 2), "./c");
    assert_string_equal(launch_args_mca(&a, "coll"), "tuned");
    launch_args_free(&a);
}

static void our_own_options_go_no_further(void **state)
{
    struct launch_args a;

    (void)state;
    assert_true(PARSE(&a, "-n", "1", "--dry-run", "--emulate", "amd:1", "./a",
                      "--dry-run", "--emulate", "--help"));
    assert_true(a.dry_run);
    assert_false(a.help);
    assert_string_equal(a.emulate, "amd:1");
    assert_int_equal(a.count, 6);
    assert_string_equal(a.args[2], "./a");
    assert_string_equal(a.args[3], "--dry-run");
    assert_null(a.args[a.count]);
    launch_args_free(&a);

    assert_true(PARSE(&a, "--emulate=cuda:2", "-V"));
    assert_string_equal(a.emulate, "cuda:2");
    assert_true(a.version);
    assert_int_equal(a.count, 0);
    launch_args_free(&a);
}

static void an_unknown_option_is_remembered(void **state)
{
    struct launch_args a;

    (void)state;
    assert_true(PARSE(&a, "--quux", "3", "./a"));
    assert_string_equal(a.unknown, "--quux");
    assert_int_equal(a.count, 3);
    launch_args_free(&a);
}

static void a_double_dash_ends_nothing_but_itself(void **state)
{
    struct launch_args a;

    (void)state;
    assert_true(PARSE(&a, "-n", "1", "--", "./a", "--mca", "coll", "x"));
    assert_string_equal(program(&a, 0), "./a");
    assert_null(launch_args_mca(&a, "coll"));
    assert_int_equal(a.count, 7);
    launch_args_free(&a);
}

static void missing_operands_and_slips_are_refused(void **state)
{
    static const char *const bad[][4] = {
        {"-n"},
        {"--mca", "coll"},
        {"--emulate"},
        {"--emulat", "amd:1", "./a"},
        {"--dryrun", "./a"},
        {"--emualte=amd:1", "./a"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct launch_args a;

        if (parse(&a, bad[i]))
            fail_msg("%s was taken", bad[i][0]);
        launch_args_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_follows_mpiruns_options),
        cmocka_unit_test(several_programs_are_separated_by_colons),
        cmocka_unit_test(our_own_options_go_no_further),
        cmocka_unit_test(an_unknown_option_is_remembered),
        cmocka_unit_test(a_double_dash_ends_nothing_but_itself),
        cmocka_unit_test(missing_operands_and_slips_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
