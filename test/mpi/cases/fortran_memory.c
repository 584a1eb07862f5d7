/* Device memory for fortran.f90. */
#include "test/mpi/mem.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

void *memory_new(const char *name, int rank, int count);
int   memory_is(int first, int step, int count);

static struct mem current;

static void put(int first, int step, int count)
{
    for (int i = 0; i < count; i++) {
        int value = first + i * step;

        memcpy(current.elements + (size_t)i * sizeof value, &value,
               sizeof value);
    }
}

void *memory_new(const char *name, int rank, int count)
{
    for (int kind = 0; kind < MEM_KINDS; kind++) {
        if (strcmp(name, mem_kind_name((enum mem_kind)kind)) != 0 ||
            !mem_available((enum mem_kind)kind, rank))
            continue;
        mem_delete(&current);
        current = mem_new((enum mem_kind)kind, (size_t)count * sizeof(int));
        put(rank, 1, count);
        mem_upload(&current);
        return current.buffer;
    }
    return NULL;
}

int memory_is(int first, int step, int count)
{
    int is, should;

    put(first, step, count);
    return mem_compare(&current, &is, &should) == LONG_MIN;
}
