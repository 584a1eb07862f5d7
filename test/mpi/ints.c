#include "ints.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

void ints_expect(struct mem *mem, int place, int count, int first)
{
    for (int i = 0; i < count; i++) {
        int value = first + i;

        memcpy(mem->elements + (size_t)(place + i) * sizeof value, &value,
               sizeof value);
    }
}

struct mem ints_new(enum mem_kind kind, int count, int first)
{
    struct mem mem = mem_new(kind, (size_t)count * sizeof(int));

    ints_expect(&mem, 0, count, first);
    mem_upload(&mem);
    return mem;
}

bool ints_are_right(const struct mem *mem)
{
    int  is, should;
    long at = mem_compare(mem, &is, &should);

    if (at != LONG_MIN)
        printf("# %s memory: byte %ld is %#x, not %#x\n",
               mem_kind_name(mem->kind), at, (unsigned)is, (unsigned)should);
    return at == LONG_MIN;
}
