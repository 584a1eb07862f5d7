#include "tools/tool_place.h"

#include "tools/tool_system.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes that both paths share, up to a border of components. */
static size_t common_prefix(const char *a, const char *b)
{
    size_t i = 0, border = 0;

    while (a[i] != '\0' && a[i] == b[i]) {
        i++;
        if ((a[i] == '/' || a[i] == '\0') && (b[i] == '/' || b[i] == '\0'))
            border = i;
    }
    return border;
}

void tool_place_follow(const char *start, const char *from, const char *to,
                       char *path_out, size_t room)
{
    size_t shared = common_prefix(from, to);
    char   up[256] = "";

    for (const char *at = from + shared; *at != '\0'; at++) {
        size_t used = strlen(up);

        if (*at == '/' && at[1] != '\0' && at[1] != '/' && used + 4 < sizeof up)
            tool_print(up + used, sizeof up - used, "/..");
    }
    tool_print(path_out, room, "%s%s%s", start, up, to + shared);
}

/* The top of the build tree that the running tool was built in, or "": libtool
 * keeps what is not installed in .libs. */
static void build_top(char *top, size_t room)
{
    static const char libs[] = "/.libs";
    char              dir[TOOL_PATH_ROOM], mark[TOOL_PATH_ROOM + 16];
    size_t            length;

    top[0] = '\0';
    tool_self_dir(dir, sizeof dir);
    length = strlen(dir);
    if (length >= sizeof libs &&
        strcmp(dir + length - (sizeof libs - 1), libs) == 0)
        dir[length - (sizeof libs - 1)] = '\0';
    TOOL_PRINT(mark, "%s/libtool", dir);
    if (access(mark, R_OK) == 0)
        tool_print(top, room, "%s", dir);
}

static void installed(const char *below, char *dir_out, size_t room)
{
    char self[TOOL_PATH_ROOM], pkglib[TOOL_PATH_ROOM];

    tool_self_dir(self, sizeof self);
    tool_place_follow(self, HC_BINDIR, HC_PKGLIBDIR, pkglib, sizeof pkglib);
    tool_print(dir_out, room, "%s/%s", pkglib, below);
}

static bool holds_plugin(const char *dir)
{
    char path[TOOL_PATH_ROOM];

    TOOL_PRINT(path, "%s/" TOOL_PLUGIN, dir);
    return access(path, R_OK) == 0;
}

/* Without "..", which would only puzzle a reader of the path. */
static void make_plain(char *dir, size_t room)
{
    char *real = realpath(dir, NULL);

    if (real != NULL)
        tool_print(dir, room, "%s", real);
    free(real);
}

bool tool_place_plugin(const char *series, char *dir_out, size_t room)
{
    char top[TOOL_PATH_ROOM], below[64];

    build_top(top, sizeof top);
    if (top[0] != '\0') {
        tool_print(dir_out, room, "%s/ompi_component", top);
    } else {
        TOOL_PRINT(below, "openmpi-%s", series);
        installed(below, dir_out, room);
    }
    make_plain(dir_out, room);
    return holds_plugin(dir_out);
}

bool tool_place_emulator(const char *vendor, char *dir_out, size_t room)
{
    char top[TOOL_PATH_ROOM], below[64];

    build_top(top, sizeof top);
    if (top[0] != '\0') {
        tool_print(dir_out, room, "%s/emulator/%s", top, vendor);
    } else {
        TOOL_PRINT(below, "emulator/%s", vendor);
        installed(below, dir_out, room);
    }
    make_plain(dir_out, room);
    return access(dir_out, X_OK) == 0;
}
