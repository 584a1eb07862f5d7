#include "tools/launch_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void launch_command_free(struct launch_command *c)
{
    for (size_t i = 0; i < c->argc; i++)
        free(c->argv[i]);
    for (size_t i = 0; i < c->variables; i++) {
        free(c->names[i]);
        free(c->values[i]);
    }
    free(c->argv);
    free(c->names);
    free(c->values);
    *c = (struct launch_command){0};
}

/* Append a copy of word and keep the list NULL-terminated. */
static bool append(char ***list, size_t count, const char *word)
{
    char **grown = realloc(*list, (count + 2) * sizeof *grown);

    if (grown == NULL)
        return false;
    *list = grown;
    grown[count] = strdup(word);
    grown[count + 1] = NULL;
    return grown[count] != NULL;
}

void launch_command_add(struct launch_command *c, const char *word)
{
    if (c->failed)
        return;
    c->failed = !append(&c->argv, c->argc, word);
    if (!c->failed)
        c->argc++;
}

void launch_command_set(struct launch_command *c, const char *name,
                        const char *value)
{
    for (size_t i = 0; !c->failed && i < c->variables; i++) {
        if (strcmp(c->names[i], name) == 0) {
            char *copy = strdup(value);

            c->failed = copy == NULL;
            if (copy != NULL) {
                free(c->values[i]);
                c->values[i] = copy;
            }
            return;
        }
    }
    if (c->failed)
        return;
    if (!append(&c->names, c->variables, name)) {
        c->failed = true;
    } else if (!append(&c->values, c->variables, value)) {
        free(c->names[c->variables]);
        c->failed = true;
    } else {
        c->variables++;
    }
}

static void print_quoted(const char *word, FILE *file)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-+./:,=@%^";

    if (*word != '\0' && strspn(word, plain) == strlen(word)) {
        fputs(word, file);
        return;
    }
    fputc('\'', file);
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            fputs("'\\''", file);
        else
            fputc(*word, file);
    }
    fputc('\'', file);
}

void launch_command_print(const struct launch_command *c, FILE *file)
{
    if (c->variables > 0)
        fputs("env ", file);
    for (size_t i = 0; i < c->variables; i++) {
        fprintf(file, "%s=", c->names[i]);
        if (c->values[i][0] != '\0')
            print_quoted(c->values[i], file);
        fputc(' ', file);
    }
    for (size_t i = 0; i < c->argc; i++) {
        print_quoted(c->argv[i], file);
        fputc(i + 1 < c->argc ? ' ' : '\n', file);
    }
}

void launch_command_run(const struct launch_command *c, const char *path)
{
    for (size_t i = 0; i < c->variables; i++)
        if (setenv(c->names[i], c->values[i], 1) != 0)
            return;
    execv(path, c->argv);
}
