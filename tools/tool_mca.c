#include "tools/tool_mca.h"

#include "tools/tool_system.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static const char variable_prefix[] = "OMPI_MCA_";

static char *skip_space(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

static void trim_end(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
}

/* A value may stand in quotes. */
static char *unquote(char *text)
{
    size_t length = strlen(text);

    if (length >= 2 && (text[0] == '"' || text[0] == '\'') &&
        text[length - 1] == text[0]) {
        text[length - 1] = '\0';
        return text + 1;
    }
    return text;
}

static bool parse_option(char *line, char **name_out, char **value_out)
{
    char *name, *value;

    line += strspn(line, "-");
    if (strncmp(line, "mca", 3) != 0 || !isspace((unsigned char)line[3]))
        return false;
    name = skip_space(line + 3);
    value = name + strcspn(name, " \t");
    if (*value == '\0')
        return false;
    *value = '\0';
    *name_out = name;
    *value_out = unquote(skip_space(value + 1));
    return true;
}

bool tool_mca_parse_line(char *line, char **name_out, char **value_out)
{
    char *equals;

    line = skip_space(line);
    trim_end(line);
    if (*line == '\0' || *line == '#' || strncmp(line, "//", 2) == 0)
        return false;
    if (*line == '-')
        return parse_option(line, name_out, value_out);
    equals = strchr(line, '=');
    if (equals == NULL || equals == line)
        return false;
    *equals = '\0';
    trim_end(line);
    *name_out = line;
    *value_out = unquote(skip_space(equals + 1));
    return true;
}

static bool append(struct tool_mca *mca, const char *name, const char *value,
                   const char *where)
{
    struct tool_mca_entry *grown, *e;

    grown = realloc(mca->entries, (mca->count + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    mca->entries = grown;
    e = &grown[mca->count++];
    *e = (struct tool_mca_entry){
        .name = strdup(name), .value = strdup(value), .where = strdup(where)};
    return e->name != NULL && e->value != NULL && e->where != NULL;
}

/* Within a file the last line of a name counts: put them there in reverse. */
static void reverse(struct tool_mca *mca, size_t from)
{
    for (size_t i = from, j = mca->count; i + 1 < j; i++) {
        struct tool_mca_entry swap = mca->entries[i];

        mca->entries[i] = mca->entries[--j];
        mca->entries[j] = swap;
    }
}

static bool read_file(struct tool_mca *mca, const char *path)
{
    FILE  *file = fopen(path, "re");
    char  *line = NULL, *name, *value;
    size_t room = 0, from = mca->count;
    int    number = 0;
    bool   ok = true;

    if (file == NULL)
        return true;
    while (ok && getline(&line, &room, file) >= 0) {
        char where[TOOL_PATH_ROOM + 16];

        number++;
        TOOL_PRINT(where, "%s:%d", path, number);
        if (tool_mca_parse_line(line, &name, &value))
            ok = append(mca, name, value, where);
    }
    free(line);
    fclose(file);
    reverse(mca, from);
    return ok;
}

static bool read_environment(struct tool_mca *mca)
{
    size_t prefix = sizeof variable_prefix - 1;
    bool   ok = true;

    for (char **e = environ; ok && e != NULL && *e != NULL; e++) {
        const char *equals = strchr(*e, '=');
        char        where[256];

        if (equals == NULL || strncmp(*e, variable_prefix, prefix) != 0)
            continue;
        TOOL_PRINT(where, "%.*s", (int)(equals - *e), *e);
        ok = append(mca, where + prefix, equals + 1, where);
    }
    return ok;
}

static bool read_files(struct tool_mca *mca, const char *files)
{
    char *copy = strdup(files), *rest = copy, *path;
    bool  ok = copy != NULL;

    while (ok && (path = strsep(&rest, ",")) != NULL)
        ok = read_file(mca, path);
    free(copy);
    return ok;
}

bool tool_mca_read(struct tool_mca *mca, const char *files,
                   const char *override_file)
{
    *mca = (struct tool_mca){0};
    return (override_file == NULL || read_file(mca, override_file)) &&
           read_environment(mca) && read_files(mca, files);
}

void tool_mca_free(struct tool_mca *mca)
{
    for (size_t i = 0; i < mca->count; i++) {
        free(mca->entries[i].name);
        free(mca->entries[i].value);
        free(mca->entries[i].where);
    }
    free(mca->entries);
    *mca = (struct tool_mca){0};
}

const struct tool_mca_entry *tool_mca_find(const struct tool_mca *mca,
                                           const char            *name)
{
    for (size_t i = 0; i < mca->count; i++)
        if (strcmp(mca->entries[i].name, name) == 0)
            return &mca->entries[i];
    return NULL;
}
