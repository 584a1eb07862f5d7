#include "footprint.h"

#include "driver.h"

#include <dirent.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long lines_of(const char *path)
{
    FILE *file = fopen(path, "r");
    long  lines = 0;

    if (file == NULL)
        return -1;
    for (int c = getc(file); c != EOF; c = getc(file))
        lines += c == '\n';
    fclose(file);
    return lines;
}

/* A number of /proc/self/status. */
static long status_of(const char *field)
{
    FILE *file = fopen("/proc/self/status", "r");
    char  line[256];
    long  value = -1;

    if (file == NULL)
        return -1;
    while (value < 0 && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, field, strlen(field)) == 0)
            value = atol(line + strlen(field));
    fclose(file);
    return value;
}

static long entries_of(const char *path)
{
    DIR *folder = opendir(path);
    long entries = 0;

    if (folder == NULL)
        return -1;
    while (readdir(folder) != NULL)
        entries++;
    closedir(folder);
    return entries;
}

struct footprint footprint_mark(enum mem_kind kind)
{
    struct mallinfo2 heap;
    struct footprint f;

    MPI_Barrier(MPI_COMM_WORLD);
    heap = mallinfo2();
    f = (struct footprint){
        .part = {[FOOTPRINT_MAPS] = lines_of("/proc/self/maps"),
                 [FOOTPRINT_MAPPED] = status_of("VmSize:"),
                 [FOOTPRINT_HEAP] = (long)(heap.uordblks + heap.hblkhd),
                 [FOOTPRINT_FILES] = entries_of("/proc/self/fd"),
                 [FOOTPRINT_THREADS] = entries_of("/proc/self/task")}};
    if (kind == MEM_CUDA || kind == MEM_HIP)
        f.part[FOOTPRINT_DEVICE] = -(long)(driver_free_bytes(kind) >> 10);
    MPI_Barrier(MPI_COMM_WORLD);
    return f;
}

static long least_growth(const struct footprint marks[FOOTPRINT_MARKS],
                         int                    part)
{
    long least = LONG_MAX;

    for (int i = 1; i < FOOTPRINT_MARKS; i++)
        if (marks[i].part[part] - marks[i - 1].part[part] < least)
            least = marks[i].part[part] - marks[i - 1].part[part];
    return least;
}

bool footprint_is_flat(const struct footprint marks[FOOTPRINT_MARKS],
                       int rounds_between, const char *what)
{
    static const char *const names[FOOTPRINT_PARTS] = {
        "mappings", "KiB of mappings", "bytes of heap",
        "files",    "threads",         "KiB of the device"};
    bool flat = true;

    for (int part = 0; part < FOOTPRINT_PARTS; part++) {
        long growth = least_growth(marks, part);
        /* Pools of Open MPI's grow a little now and then. */
        long allowed = part == FOOTPRINT_HEAP ? 8 * (long)rounds_between : 0;

        if (growth <= allowed)
            continue;
        cases_note("%s: in %d rounds, %ld %s more each time", what,
                   rounds_between, growth, names[part]);
        flat = false;
    }
    return flat;
}
