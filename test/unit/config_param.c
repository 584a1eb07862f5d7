#include "config/cfg_log.h"
#include "config/cfg_param.h"
#include "config/cfg_policy.h"
#include "config/cfg_topology.h"

#include "test/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Everything written to stderr between capture_begin and capture_end. */
static int  saved_stderr;
static char captured[8192];

static FILE *capture_file;

static void capture_begin(void)
{
    fflush(stderr);
    capture_file = tmpfile();
    assert_non_null(capture_file);
    saved_stderr = dup(2);
    assert_true(dup2(fileno(capture_file), 2) == 2);
}

static const char *capture_end(void)
{
    size_t n;

    fflush(stderr);
    dup2(saved_stderr, 2);
    close(saved_stderr);
    rewind(capture_file);
    n = fread(captured, 1, sizeof captured - 1, capture_file);
    captured[n] = '\0';
    fclose(capture_file);
    return captured;
}

static int count_lines(const char *text)
{
    int lines = 0;

    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

static void defaults_are_values_of_their_own_rows(void **state)
{
    (void)state;
    assert_int_equal(hc_param_bytes(HC_PARAM_PINNED_MAX), 256 << 20);
    assert_int_equal(hc_param_int(HC_PARAM_PRIORITY), 95);
    assert_true(hc_param_bool(HC_PARAM_ENABLE));
    for (enum hc_param p = 0; p < HC_PARAM_COUNT; p++) {
        const struct hc_param_row *row = hc_param_row(p);

        assert_int_equal(hc_param_source(p), HC_PARAM_DEFAULT);
        assert_int_equal(hc_param_find(row->name), p);
        assert_int_equal(hc_param_set(p, row->default_text, HC_PARAM_DEFAULT),
                         HCOMM_OK);
    }
    assert_int_equal(hc_param_find("nothing"), HC_PARAM_COUNT);
}

static void stronger_source_wins_in_any_order(void **state)
{
    (void)state;
    assert_int_equal(hc_param_set(HC_PARAM_CHUNK, "1MiB", HC_PARAM_MCA), 0);
    assert_int_equal(hc_param_set(HC_PARAM_CHUNK, "2MiB", HC_PARAM_ENVIRONMENT),
                     0);
    assert_int_equal(hc_param_set(HC_PARAM_CHUNK, "3MiB", HC_PARAM_FILE), 0);
    assert_int_equal(hc_param_bytes(HC_PARAM_CHUNK), 1 << 20);
    assert_int_equal(hc_param_source(HC_PARAM_CHUNK), HC_PARAM_MCA);

    assert_int_equal(hc_param_set(HC_PARAM_DEVICES, "hip", HC_PARAM_FILE), 0);
    assert_int_equal(
        hc_param_set(HC_PARAM_DEVICES, "cuda", HC_PARAM_ENVIRONMENT), 0);
    assert_string_equal(hc_param_text(HC_PARAM_DEVICES), "cuda");
}

static void environment_names_its_mistakes(void **state)
{
    const char *said;

    (void)state;
    setenv("HCOMM_PRIORITY", "50", 1);
    setenv("HCOMM_STREAM_ORDER", "sometimes", 1);
    setenv("HCOMM_PINED_MAX", "1MiB", 1);
    capture_begin();
    assert_int_equal(hc_param_read_environment(true), HCOMM_ERR_INVALID);
    said = capture_end();

    assert_int_equal(hc_param_int(HC_PARAM_PRIORITY), 50);
    assert_int_equal(hc_param_source(HC_PARAM_PRIORITY), HC_PARAM_ENVIRONMENT);
    assert_int_equal(hc_param_int(HC_PARAM_STREAM_ORDER), 0);
    assert_int_equal(count_lines(said), 2);
    assert_non_null(strstr(said, "stream_order=sometimes"));
    assert_non_null(strstr(said, "legacy|none|device"));
    assert_non_null(strstr(said, "HCOMM_PINNED_MAX"));

    unsetenv("HCOMM_STREAM_ORDER");
    capture_begin();
    assert_int_equal(hc_param_read_environment(false), HCOMM_OK);
    assert_string_equal(capture_end(), "");
    unsetenv("HCOMM_PINED_MAX");
}

static void refused_value_changes_nothing(void **state)
{
    char long_text[1000];

    (void)state;
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    capture_begin();
    assert_int_equal(hc_param_set(HC_PARAM_PRIORITY, "101", HC_PARAM_MCA),
                     HCOMM_ERR_INVALID);
    assert_int_equal(hc_param_set(HC_PARAM_PRIORITY, "5x", HC_PARAM_MCA),
                     HCOMM_ERR_INVALID);
    assert_int_equal(hc_param_set(HC_PARAM_ENABLE, "maybe", HC_PARAM_MCA),
                     HCOMM_ERR_INVALID);
    assert_int_equal(hc_param_set(HC_PARAM_LOG_FILE, long_text, HC_PARAM_MCA),
                     HCOMM_ERR_INVALID);
    assert_int_equal(count_lines(capture_end()), 4);
    assert_int_equal(hc_param_int(HC_PARAM_PRIORITY), 50);
    assert_true(hc_param_bool(HC_PARAM_ENABLE));
    assert_string_equal(hc_param_text(HC_PARAM_LOG_FILE), "");
}

static void log_line_says_who_and_keeps_errno(void **state)
{
    const char *said;
    char        pid[32];

    (void)state;
    snprintf(pid, sizeof pid, ":%d:3 ", (int)getpid());
    hc_log_set_rank(3);
    capture_begin();
    errno = EAGAIN;
    hc_log(HC_LOG_WARN, "copy of %d bytes", 12);
    hc_log(HC_LOG_DEBUG, "not shown");
    assert_int_equal(errno, EAGAIN);
    said = capture_end();
    assert_int_equal(count_lines(said), 1);
    assert_non_null(strstr(said, "hcomm warn "));
    assert_non_null(strstr(said, pid));
    assert_non_null(strstr(said, "copy of 12 bytes\n"));
}

static void log_goes_to_a_file_named_by_process(void **state)
{
    char  folder[] = "/tmp/hcomm-log-XXXXXX", pattern[64], path[64], line[256];
    FILE *file;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(pattern, sizeof pattern, "%s/%%p.%%r", folder);
    snprintf(path, sizeof path, "%s/%d.3", folder, (int)getpid());
    hc_log_set_file(pattern);
    capture_begin();
    hc_log(HC_LOG_ERROR, "kept");
    assert_string_equal(capture_end(), "");
    hc_log_set_file("");

    file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_non_null(strstr(line, "kept"));
    unlink(path);
    rmdir(folder);

    capture_begin();
    hc_log_set_file("/nonexistent/%h");
    assert_non_null(strstr(capture_end(), "/nonexistent/%h"));
}

static void without_files_nothing_is_compressed(void **state)
{
    struct hc_policy   policy = hc_policy_default();
    struct hc_topology topology = hc_topology_default();

    (void)state;
    assert_int_equal(policy.defaults.compression, HC_COMPRESSION_NONE);
    assert_true(policy.defaults.enable_p2p);
    for (enum hc_link_type t = 0; t < HC_LINK_TYPES; t++) {
        assert_int_equal(topology.assumed[t].type, t);
        assert_true(topology.assumed[t].bytes_per_s > 0);
        assert_true(strlen(hc_link_name(t)) > 0);
    }
    assert_true(topology.assumed[HC_LINK_NVLINK].bytes_per_s >
                topology.assumed[HC_LINK_PCIE].bytes_per_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_values_of_their_own_rows),
        cmocka_unit_test(stronger_source_wins_in_any_order),
        cmocka_unit_test(environment_names_its_mistakes),
        cmocka_unit_test(refused_value_changes_nothing),
        cmocka_unit_test(log_line_says_who_and_keeps_errno),
        cmocka_unit_test(log_goes_to_a_file_named_by_process),
        cmocka_unit_test(without_files_nothing_is_compressed),
    };

    return cmocka_run_group_tests_name("config_param", tests, NULL, NULL);
}
