#include "tools/launch_args.h"

#include "config/cfg_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* mpirun 4.1's options that are followed by operands, from its --help full. */
static const struct known {
    const char *name;
    int         operands;
} known_options[] = {
    {"am", 1},
    {"app", 1},
    {"bind-to", 1},
    {"c", 1},
    {"cartofile", 1},
    {"cf", 1},
    {"cpu-list", 1},
    {"cpu-set", 1},
    {"cpus-per-proc", 1},
    {"cpus-per-rank", 1},
    {"debugger", 1},
    {"default-hostfile", 1},
    {"gmca", 2},
    {"H", 1},
    {"hnp", 1},
    {"host", 1},
    {"hostfile", 1},
    {"launch-agent", 1},
    {"machinefile", 1},
    {"map-by", 1},
    {"max-restarts", 1},
    {"max-vm-size", 1},
    {"mca", 2},
    {"N", 1},
    {"n", 1},
    {"np", 1},
    {"npernode", 1},
    {"npersocket", 1},
    {"ompi-server", 1},
    {"output-filename", 1},
    {"output-proctable", 1},
    {"path", 1},
    {"personality", 1},
    {"ppr", 1},
    {"prefix", 1},
    {"preload-files", 1},
    {"rank-by", 1},
    {"rankfile", 1},
    {"report-events", 1},
    {"report-pid", 1},
    {"report-uri", 1},
    {"rf", 1},
    {"stdin", 1},
    {"timeout", 1},
    {"tune", 1},
    {"wd", 1},
    {"wdir", 1},
    {"x", 1},
    {"xml-file", 1},
    {"xterm", 1},
    {"allow-run-as-root", 0},
    {"bind-to-core", 0},
    {"bind-to-socket", 0},
    {"bycore", 0},
    {"bynode", 0},
    {"byslot", 0},
    {"continuous", 0},
    {"d", 0},
    {"debug", 0},
    {"debug-daemons", 0},
    {"debug-daemons-file", 0},
    {"debug-devel", 0},
    {"disable-recovery", 0},
    {"display-allocation", 0},
    {"display-devel-allocation", 0},
    {"display-devel-map", 0},
    {"display-diffable-map", 0},
    {"display-map", 0},
    {"display-topo", 0},
    {"do-not-launch", 0},
    {"do-not-resolve", 0},
    {"dvm", 0},
    {"enable-instant-on-support", 0},
    {"enable-recovery", 0},
    {"fwd-mpirun-port", 0},
    {"get-stack-traces", 0},
    {"index-argv-by-rank", 0},
    {"leave-session-attached", 0},
    {"merge-stderr-to-stdout", 0},
    {"nolocal", 0},
    {"nooversubscribe", 0},
    {"noprefix", 0},
    {"novm", 0},
    {"oversubscribe", 0},
    {"pernode", 0},
    {"preload-binary", 0},
    {"q", 0},
    {"quiet", 0},
    {"report-bindings", 0},
    {"report-child-jobs-separately", 0},
    {"report-state-on-timeout", 0},
    {"s", 0},
    {"set-cwd-to-session-dir", 0},
    {"show-progress", 0},
    {"tag-output", 0},
    {"timestamp-output", 0},
    {"tv", 0},
    {"use-hwthread-cpus", 0},
    {"use-regexp", 0},
    {"v", 0},
    {"verbose", 0},
    {"xml", 0},
};

static const char *const own_options[] = {"--dry-run", "--emulate", "--help",
                                          "--version", NULL};

static const struct known *find_known(const char *name)
{
    for (size_t i = 0; i < sizeof known_options / sizeof known_options[0]; i++)
        if (strcmp(known_options[i].name, name) == 0)
            return &known_options[i];
    return NULL;
}

static void keep(struct launch_args *a, char *word)
{
    a->args[a->count++] = word;
}

/*
 * One of our own options at argv[i]?  Returns the words it takes, 0 when it
 * isn't ours, -1 after saying what is wrong.
 */
static int take_own(struct launch_args *a, char **argv, int i)
{
    static const char equals[] = "--emulate=";
    const char       *word = argv[i];

    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        a->help = true;
        return 1;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        a->version = true;
        return 1;
    }
    if (strcmp(word, "--dry-run") == 0) {
        a->dry_run = true;
        return 1;
    }
    if (strncmp(word, equals, sizeof equals - 1) == 0) {
        a->emulate = word + sizeof equals - 1;
        return 1;
    }
    if (strcmp(word, "--emulate") != 0)
        return 0;
    if (argv[i + 1] == NULL) {
        fprintf(stderr, "hcc-launch: --emulate wants devices, for example "
                        "--emulate nvidia:2,amd:1,intel:1\n");
        return -1;
    }
    a->emulate = argv[i + 1];
    return 2;
}

/* A word that mpirun would not know either and that looks like one of ours. */
static bool is_misspelt(const char *word)
{
    const char *meant;
    char        bare[64];

    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(word, "="), word);
    meant = hc_words_nearest(bare, own_options);
    if (meant == NULL)
        return false;
    fprintf(stderr, "hcc-launch: no option %s; did you mean %s?\n", bare,
            meant);
    return true;
}

/* Record mpirun's option at argv[i]; returns the words it takes, -1: usage. */
static int take_option(struct launch_args *a, char **argv, int i)
{
    const char         *name = argv[i] + 1 + (argv[i][1] == '-');
    const struct known *known = find_known(name);
    int                 words = 1;

    if (known == NULL) {
        if (is_misspelt(argv[i]))
            return -1;
        if (a->unknown == NULL)
            a->unknown = argv[i];
        return 1;
    }
    while (words <= known->operands && argv[i + words] != NULL)
        words++;
    if (words <= known->operands) {
        fprintf(stderr,
                "hcc-launch: mpirun's option %s wants %d word%s after it\n",
                argv[i], known->operands, known->operands > 1 ? "s" : "");
        return -1;
    }
    if (a->option_count < LAUNCH_OPTION_MAX)
        a->options[a->option_count++] =
            (struct launch_option){known->name, a->count, known->operands};
    return words;
}

/* The program at argv[i] and its arguments, up to ":" or the end. */
static int take_program(struct launch_args *a, char **argv, int i)
{
    int words = 0;

    if (a->program_count < LAUNCH_PROGRAM_MAX)
        a->programs[a->program_count++] = a->count;
    while (argv[i + words] != NULL && strcmp(argv[i + words], ":") != 0)
        words++;
    return words;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && strcmp(word, "--") != 0;
}

bool launch_args_parse(struct launch_args *a, int argc, char **argv)
{
    int i = 1;

    *a = (struct launch_args){0};
    a->args = calloc((size_t)argc + 1, sizeof *a->args);
    if (a->args == NULL) {
        fprintf(stderr, "hcc-launch: out of memory\n");
        return false;
    }
    while (i < argc) {
        int words = 0;

        if (a->program_count == 0 && (words = take_own(a, argv, i)) > 0) {
            i += words;
            continue;
        }
        if (words == 0) {
            if (strcmp(argv[i], ":") == 0 || strcmp(argv[i], "--") == 0)
                words = 1;
            else if (is_option(argv[i]))
                words = take_option(a, argv, i);
            else
                words = take_program(a, argv, i);
        }
        if (words < 0)
            return false;
        for (int end = i + words; i < end; i++)
            keep(a, argv[i]);
    }
    return true;
}

void launch_args_free(struct launch_args *a)
{
    free(a->args);
    a->args = NULL;
}

const char *launch_args_option(const struct launch_args *a, const char *name)
{
    for (int i = a->option_count - 1; i >= 0; i--)
        if (strcmp(a->options[i].name, name) == 0)
            return a->options[i].operands > 0 ? a->args[a->options[i].index + 1]
                                              : "";
    return NULL;
}

const char *launch_args_mca(const struct launch_args *a, const char *name)
{
    for (int i = a->option_count - 1; i >= 0; i--) {
        const struct launch_option *o = &a->options[i];

        if (o->operands == 2 && strcmp(a->args[o->index + 1], name) == 0)
            return a->args[o->index + 2];
    }
    return NULL;
}
