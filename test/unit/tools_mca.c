#include "tools/tool_mca.h"
#include "tools/tool_ompi.h"
#include "tools/tool_place.h"

#include "test/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void lines_as_open_mpi_reads_them(void **state)
{
    static const struct {
        const char *line, *name, *value; /* name NULL: not a setting */
    } cases[] = {
        {"coll = ^hcomm\n", "coll", "^hcomm"},
        {"  coll=tuned,basic  \n", "coll", "tuned,basic"},
        {"pml\t=\tucx", "pml", "ucx"},
        {"empty =\n", "empty", ""},
        {"a = b = c\n", "a", "b = c"},
        {"quoted = \"x y\"\n", "quoted", "x y"},
        {"--mca coll hcomm\n", "coll", "hcomm"},
        {"-mca coll  'hcomm'\n", "coll", "hcomm"},
        {"", NULL, NULL},
        {"\n", NULL, NULL},
        {"# coll = x\n", NULL, NULL},
        {"   # coll = x\n", NULL, NULL},
        {"// coll = x\n", NULL, NULL},
        {"= x\n", NULL, NULL},
        {"word\n", NULL, NULL},
        {"--mca coll\n", NULL, NULL},
        {"-x PATH=1\n", NULL, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[64], *name = NULL, *value = NULL;
        bool is_setting;

        snprintf(line, sizeof line, "%s", cases[i].line);
        is_setting = tool_mca_parse_line(line, &name, &value);
        if (is_setting != (cases[i].name != NULL))
            fail_msg("line %zu: %s", i, cases[i].line);
        if (is_setting) {
            assert_string_equal(name, cases[i].name);
            assert_string_equal(value, cases[i].value);
        }
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void the_strongest_source_counts(void **state)
{
    char            dir[] = "/tmp/hcomm-mca-XXXXXX", a[64], b[64], files[160];
    char            where[80];
    struct tool_mca mca;

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(a, sizeof a, "%s/a", dir);
    snprintf(b, sizeof b, "%s/b", dir);
    snprintf(files, sizeof files, "%s,%s/absent,%s", a, dir, b);
    write_file(a, "one = a1\n\none = a3\ntwo = a\n");
    write_file(b, "one = b\ntwo = b\nthree = b\n");
    setenv("OMPI_MCA_two", "env", 1);

    assert_true(tool_mca_read(&mca, files, NULL));
    assert_string_equal(tool_mca_find(&mca, "one")->value, "a3");
    snprintf(where, sizeof where, "%s:3", a);
    assert_string_equal(tool_mca_find(&mca, "one")->where, where);
    assert_string_equal(tool_mca_find(&mca, "two")->value, "env");
    assert_string_equal(tool_mca_find(&mca, "two")->where, "OMPI_MCA_two");
    assert_string_equal(tool_mca_find(&mca, "three")->value, "b");
    assert_null(tool_mca_find(&mca, "four"));
    tool_mca_free(&mca);

    assert_true(tool_mca_read(&mca, files, b));
    assert_string_equal(tool_mca_find(&mca, "two")->value, "b");
    tool_mca_free(&mca);
    unsetenv("OMPI_MCA_two");
    unlink(a);
    unlink(b);
    rmdir(dir);
}

static void versions_of_open_mpi_and_of_others(void **state)
{
    static const struct {
        const char *says, *version;
        bool        served;
    } cases[] = {
        {"mpirun (Open MPI) 4.1.4\n\nReport bugs", "4.1.4", true},
        {"mpirun (Open MPI) 4.1.7a1\n", "4.1.7a1", true},
        {"mpirun (Open MPI) 4.1.10\n", "4.1.10", true},
        {"mpirun (Open MPI) 4.0.3\n", "4.0.3", false},
        {"mpirun (Open MPI) 5.0.7\n", "5.0.7", false},
        {"mpirun (Open MPI) 14.1.0\n", "14.1.0", false},
        {"mpirun (Open MPI) x\n", NULL, false},
        {"HYDRA build details:\n    Version: 4.1.2\n", NULL, false},
        {"", NULL, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tool_ompi ompi = {0};

        assert_int_equal(tool_ompi_parse_version(cases[i].says, &ompi),
                         cases[i].version != NULL);
        if (cases[i].version == NULL)
            continue;
        assert_string_equal(ompi.version, cases[i].version);
        assert_int_equal(tool_ompi_is_served(&ompi), cases[i].served);
    }
}

static void the_way_from_tool_to_library_survives_a_move(void **state)
{
    static const struct {
        const char *start, *from, *to, *expected;
    } cases[] = {
        {"/usr/bin", "/usr/bin", "/usr/lib/hcomm", "/usr/bin/../lib/hcomm"},
        {"/moved/bin", "/opt/h/bin", "/opt/h/lib/x86_64-linux-gnu/hcomm",
         "/moved/bin/../lib/x86_64-linux-gnu/hcomm"},
        {"/m/a/b", "/p/bin/deep", "/p/lib", "/m/a/b/../../lib"},
        {"/m", "/bin", "/lib", "/m/../lib"},
        {"/m", "/usr/bin", "/usr/bin/lib", "/m/lib"},
        {"/m", "/usr/bin", "/usr/binary/lib", "/m/../binary/lib"},
        {"/m", "/usr/bin/", "/usr/lib", "/m/../lib"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[128];

        tool_place_follow(cases[i].start, cases[i].from, cases[i].to, path,
                          sizeof path);
        assert_string_equal(path, cases[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_as_open_mpi_reads_them),
        cmocka_unit_test(the_strongest_source_counts),
        cmocka_unit_test(versions_of_open_mpi_and_of_others),
        cmocka_unit_test(the_way_from_tool_to_library_survives_a_move),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
