#include "tools/hcc_check.h"

#include "config.h"
#include "config/cfg_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum exit_code {
    EXIT_FAILS = 1, /* something doesn't work here */
    EXIT_USAGE = 2,
};

static const char help_text[] =
    "Usage: hcc [--json]\n"
    "Say whether HCOMM works here: one line per check, and under each that is "
    "not OK\n"
    "what to do about it.  NONE: not here, and nothing wrong with that.\n"
    "\n"
    "  --json         the same for programs\n"
    "  -h, --help     print this help\n"
    "  -V, --version  print the version\n"
    "\n"
    "Exit status: 0 nothing fails (a machine without a GPU is no failure); 1 "
    "something\n"
    "fails; 2 wrong usage.\n";

static const char *const words[] = {"--json", "--help", "--version", NULL};

static bool any_emulated(const struct hcc_facts *f)
{
    for (int i = 0; f->devices != NULL && i < hcomm_device_count(f->devices);
         i++)
        if (hcomm_device_at(f->devices, i)->emulated)
            return true;
    return false;
}

/* The answer to "does it work here?" */
static const char *sum_up(const struct hcc_report *r, int devices,
                          bool emulated)
{
    if (hcc_report_worst(r) == HCC_FAIL)
        return "HCOMM does not work here yet: see the lines with FAIL.";
    if (devices == 0)
        return "HCOMM is installed, but there is no GPU here: programs run as "
               "with Open MPI alone.";
    if (emulated)
        return "HCOMM works here, on emulated devices: results are right, "
               "times mean nothing.";
    return "HCOMM works here: mpirun -n 2 --mca coll hcomm ./app";
}

static int check_all(bool json)
{
    struct hcc_facts  f = {0};
    struct hcc_report r = {0};
    const char       *last;
    bool              failed, emulated;
    int               devices;

    hcc_facts_gather(&f);
    hcc_check_install(&r, &f);
    hcc_check_ompi(&r, &f);
    hcc_check_plugin(&r, &f);
    hcc_check_devices(&r, &f);
    hcc_check_calls(&r, &f);
    hcc_check_settings(&r, &f);
    hcc_check_system(&r, &f);

    devices = f.devices != NULL ? hcomm_device_count(f.devices) : 0;
    emulated = any_emulated(&f);
    failed = hcc_report_worst(&r) == HCC_FAIL;
    last = sum_up(&r, devices, emulated);
    if (json)
        hcc_report_print_json(&r, last, devices, emulated, stdout);
    else
        hcc_report_print(&r, last, stdout);
    hcc_report_free(&r);
    hcc_facts_free(&f);
    return failed ? EXIT_FAILS : EXIT_SUCCESS;
}

static int refuse(const char *word)
{
    const char *nearest = hc_words_nearest(word, words);

    fprintf(stderr, "hcc: unknown argument %s%s%s; try hcc --help\n", word,
            nearest != NULL ? ", did you mean " : "",
            nearest != NULL ? nearest : "");
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    bool json = false;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help_text, stdout);
            return EXIT_SUCCESS;
        }
        if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0) {
            printf("hcc " PACKAGE_VERSION "\n");
            return EXIT_SUCCESS;
        }
        if (strcmp(argv[i], "--json") != 0)
            return refuse(argv[i]);
        json = true;
    }
    return check_all(json);
}
