#include "device/dev_address.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* bytes; further apart, a frame and a stack's end are not of one stack */
#define STACK_MAX ((uintptr_t)64 << 20)

/* Fields of /proc/self/stat, counted from 1. */
enum { START_STACK = 28, START_BRK = 47 };

/* Neither ever moves; written once. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uintptr_t      heap_begin = UINTPTR_MAX; /* of the heap sbrk moves */
static uintptr_t      main_stack_end;           /* 0: not known */

static uintptr_t nth_field(const char *line, int n)
{
    const char *field = strrchr(line, ')'); /* ends 2, which may have blanks */

    for (int i = 2; field != NULL && i < n; i++)
        field = strchr(field + 1, ' ');
    return field != NULL ? strtoul(field, NULL, 10) : 0;
}

static void read_stat(void)
{
    char  line[2048] = "";
    FILE *file = fopen("/proc/self/stat", "re");

    if (file == NULL)
        return;
    if (fgets(line, sizeof line, file) != NULL) {
        main_stack_end = nth_field(line, START_STACK);
        if (nth_field(line, START_BRK) != 0)
            heap_begin = nth_field(line, START_BRK);
    }
    fclose(file);
}

void hc_address_prepare(void)
{
    (void)pthread_once(&once, read_stat);
}

bool hc_address_is_plain_host(const void *ptr)
{
    uintptr_t address = (uintptr_t)ptr;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);

    /* The frame of another thread, or of a coroutine, is elsewhere, and says
     * nothing. */
    if (address >= frame && address < main_stack_end &&
        main_stack_end - frame <= STACK_MAX)
        return true;
    return address >= heap_begin && address < (uintptr_t)sbrk(0);
}

/* Asked of the kernel without a signal handler: rt_sigprocmask copies its
 * argument in before it looks at the (invalid) first one, and answers EFAULT or
 * EINVAL. */
static bool kernel_can_read(const void *ptr)
{
    const void *word = (const void *)((uintptr_t)ptr & ~(uintptr_t)7);
    int         saved_errno = errno;
    bool        answer;

    if (word == NULL) /* which the call takes for "no set" */
        return false;
    answer =
        syscall(SYS_rt_sigprocmask, ~0, word, NULL, 8) != -1 || errno != EFAULT;
    errno = saved_errno;
    return answer;
}

bool hc_address_is_readable(const void *ptr)
{
    enum { PAGE_BITS = 12, KNOWN = 64 };
    static _Thread_local uintptr_t known[KNOWN]; /* by page, the last seen */
    uintptr_t page = ((uintptr_t)ptr >> PAGE_BITS) + 1; /* 0: none */

    if (known[page % KNOWN] == page)
        return true;
    if (!kernel_can_read(ptr))
        return false;
    known[page % KNOWN] = page;
    return true;
}
