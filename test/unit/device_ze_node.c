/*
 * Where Intel's GPUs are found by their device nodes, nothing is initialised
 * before the program does it.  The node is a stand-in, in a mount namespace of
 * bubblewrap's, and the driver an emulated one that HCOMM is not told of.
 */

#include "config/cfg_param.h"
#include "device/device.h"

#include "test/unit/emulated.h"
#include "test/unit/unit.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define NODE   "/dev/dri/renderD128"
#define INSIDE "DEVICE_ZE_NODE" /* set in the namespace */

static void *loader;

static void node_counts_as_intels(void **state)
{
    (void)state;
    assert_true(hc_dev_ze.present());
    assert_true(hc_dev_any_present());
    assert_false(hc_dev_active());
}

/* The loader opens its drivers in zeInit. */
static bool is_initialised(void)
{
    return dlopen("libze_intel_gpu.so.1", RTLD_NOW | RTLD_NOLOAD) != NULL;
}

static void loaded_is_not_initialised(void **state)
{
    static char       here[64];
    struct hc_dev_mem mem;
    int               count;

    (void)state;
    loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(loader);
    assert_true(hc_dev_active());
    assert_int_equal(hc_dev_query(here, &mem), HCOMM_OK);
    assert_ptr_equal(mem.ops, &hc_dev_host);
    assert_int_equal(hc_dev_ze.count(&count), HCOMM_ERR_UNSUPPORTED);
    assert_false(is_initialised());
}

static void open_node_tells_of_the_programs_zeinit(void **state)
{
    struct timespec   pause = {.tv_nsec = 2000000}; /* looked at every ms */
    void             *symbol = dlsym(loader, "zeInit"), *ptr = NULL;
    struct hc_dev_mem mem;
    int (*zeInit)(unsigned);
    int node, count = 0;

    (void)state;
    assert_non_null(symbol);
    memcpy(&zeInit, &symbol, sizeof zeInit);
    assert_int_equal(zeInit(0), 0);
    node = open(NODE, O_RDWR | O_CLOEXEC); /* as Intel's driver would */
    assert_true(node >= 0);
    nanosleep(&pause, NULL);
    assert_int_equal(hc_dev_ze.count(&count), HCOMM_OK);
    assert_int_equal(count, 1);
    assert_int_equal(hc_dev_ze.alloc(0, 100, &ptr), HCOMM_OK);
    assert_int_equal(hc_dev_query(ptr, &mem), HCOMM_OK);
    assert_ptr_equal(mem.ops, &hc_dev_ze);
    hc_dev_ze.free(0, ptr);
    hc_dev_close_all();
    close(node);
}

static int run_inside(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_counts_as_intels),
        cmocka_unit_test(loaded_is_not_initialised),
        cmocka_unit_test(open_node_tells_of_the_programs_zeinit),
    };

    if (hc_param_read_environment(true) != HCOMM_OK ||
        hc_param_set(HC_PARAM_EMULATE, "", HC_PARAM_MCA) != HCOMM_OK)
        return 99;
    return cmocka_run_group_tests_name("device_ze_node", tests, NULL, NULL);
}

static int skip_all(const char *why)
{
    printf("1..0 # SKIP %s\n", why);
    return 0;
}

/* DIR/renderD128/device/vendor, as in /sys/class/drm */
static bool make_class(const char *dir)
{
    static const char *const parts[] = {"/renderD128", "/device"};
    char                     path[128];
    FILE                    *file;
    bool                     written;

    snprintf(path, sizeof path, "%.60s", dir);
    for (int i = 0; i < 2; i++) {
        strcat(path, parts[i]);
        if (mkdir(path, 0755) != 0)
            return false;
    }
    file = fopen(strcat(path, "/vendor"), "w");
    written = file != NULL && fputs("0x8086\n", file) >= 0;
    return file != NULL && fclose(file) == 0 && written;
}

static void remove_class(const char *dir)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%.60s'", dir);
    if (system(command) != 0)
        fprintf(stderr, "# %s is left\n", dir);
}

/* In the namespace: /dev/full is the node, which nobody has open. */
static int run_namespace(const char *class, const char *program)
{
    const char *const command[] = {
        "bwrap",      "--bind",    "/",     "/",
        "--dev",      "/dev",      "--dir", "/dev/dri",
        "--dev-bind", "/dev/full", NODE,    "--tmpfs",
        "/sys/class", "--bind",    class,   "/sys/class/drm",
        "--",         program,     NULL};
    int   status = -1;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        execvp(command[0], (char *const *)command);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

int main(int argc, char **argv)
{
    char dir[] = "/tmp/device_ze_node.XXXXXX";
    char self[4096] = "";
    int  code;

    (void)argc;
    if (on_real_device())
        return skip_all("it is about a stand-in");
    if (dlopen("libze_loader.so.1", RTLD_NOW | RTLD_NOLOAD) != NULL)
        return skip_all("something has loaded Level Zero already");
    run_emulated(argv, "intel:1");
    if (getenv(INSIDE) != NULL)
        return run_inside();
    loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    if (loader == NULL)
        return skip_all("no libze_loader.so.1: install libze1");
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 ||
        mkdtemp(dir) == NULL || !make_class(dir))
        return 99;
    code = run_namespace(dir, "/bin/true");
    if (code == 0) {
        setenv(INSIDE, "1", 1);
        code = run_namespace(dir, self);
    } else {
        code = skip_all("bubblewrap is missing or not allowed here");
    }
    remove_class(dir);
    return code;
}
