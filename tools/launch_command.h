#ifndef LAUNCH_COMMAND_H
#define LAUNCH_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A command that is put together, then printed or run. */
struct launch_command {
    char **argv; /* NULL at the end */
    size_t argc;
    char **names; /* variables to set before it runs */
    char **values;
    size_t variables;
    bool   failed; /* out of memory on the way; the rest did nothing */
};

void launch_command_free(struct launch_command *c);

/* Both in printf's manner, of any length.  A second setting of a name replaces
 * the first. */
void launch_command_add(struct launch_command *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void launch_command_set(struct launch_command *c, const char *name,
                        const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One line that a shell would run. */
void launch_command_print(const struct launch_command *c, FILE *file);

/* Become the command, found at path; returns only with errno set. */
void launch_command_run(const struct launch_command *c, const char *path);

#endif
