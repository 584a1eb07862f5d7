#include "tools/launch_command.h"

#include <stdarg.h>
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

/* Append word, which becomes the list's, and keep the list NULL-terminated. */
static bool append(char ***list, size_t count, char *word)
{
    char **grown =
        word != NULL ? realloc(*list, (count + 2) * sizeof *grown) : NULL;

    if (grown == NULL) {
        free(word);
        return false;
    }
    *list = grown;
    grown[count] = word;
    grown[count + 1] = NULL;
    return true;
}

static char *format_text(const char *format, va_list args)
{
    char *text = NULL;

    return vasprintf(&text, format, args) < 0 ? NULL : text;
}

void launch_command_add(struct launch_command *c, const char *format, ...)
{
    va_list args;

    if (c->failed)
        return;
    va_start(args, format);
    c->failed = !append(&c->argv, c->argc, format_text(format, args));
    va_end(args);
    c->argc += !c->failed;
}

/* The place of a variable's value, made if there is none; NULL: no memory. */
static char **value_slot(struct launch_command *c, const char *name)
{
    for (size_t i = 0; i < c->variables; i++)
        if (strcmp(c->names[i], name) == 0)
            return &c->values[i];
    if (!append(&c->values, c->variables, strdup("")))
        return NULL;
    if (!append(&c->names, c->variables, strdup(name))) {
        free(c->values[c->variables]);
        return NULL;
    }
    return &c->values[c->variables++];
}

void launch_command_set(struct launch_command *c, const char *name,
                        const char *format, ...)
{
    va_list args;
    char  **slot, *value;

    if (c->failed)
        return;
    va_start(args, format);
    value = format_text(format, args);
    va_end(args);
    slot = value != NULL ? value_slot(c, name) : NULL;
    if (slot == NULL) {
        free(value);
        c->failed = true;
        return;
    }
    free(*slot);
    *slot = value;
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
