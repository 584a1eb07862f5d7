#ifndef LAUNCH_ARGS_H
#define LAUNCH_ARGS_H

#include <stdbool.h>

/*
 * The command line of hcc-launch: its own few options, mpirun's, and the
 * programs.  Only as much of mpirun's is understood as tells where the
 * programs stand and what the user has settled already.
 */

enum {
    LAUNCH_OPTION_MAX = 256, /* options of mpirun; more are not looked at */
    LAUNCH_PROGRAM_MAX = 64, /* programs separated by ":" */
};

struct launch_option {
    const char *name;  /* as in mpirun's table: "bind-to", "mca", "x" */
    int         index; /* of the option in args */
    int         operands;
};

struct launch_args {
    bool        help, version, dry_run;
    const char *emulate; /* NULL: not given */

    char **args; /* what goes to mpirun, in order, NULL at the end; the array
                  * is owned, the strings are main's */
    int count;

    struct launch_option options[LAUNCH_OPTION_MAX];
    int                  option_count;
    int                  programs[LAUNCH_PROGRAM_MAX]; /* indexes in args */
    int                  program_count;
    /* An option that we don't know: whether a word is its operand or the
     * program can't be told, so the programs are not looked at. */
    const char *unknown;
};

/* False: a usage error, said on stderr. */
bool launch_args_parse(struct launch_args *a, int argc, char **argv);
void launch_args_free(struct launch_args *a);

/* The last occurrence's first operand, "" if it has none; NULL: not there. */
const char *launch_args_option(const struct launch_args *a, const char *name);

/* The value of --mca name or --gmca name; NULL: not there. */
const char *launch_args_mca(const struct launch_args *a, const char *name);

#endif
