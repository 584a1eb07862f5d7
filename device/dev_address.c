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

/* Where the heap that sbrk moves begins; UINTPTR_MAX: not known. */
static uintptr_t read_heap_begin(void)
{
    enum { START_BRK = 47 }; /* field of /proc/self/stat, from 1 */
    char      line[2048] = "";
    uintptr_t begin = 0;
    FILE     *file = fopen("/proc/self/stat", "re");
    char     *field = NULL;

    if (file == NULL)
        return UINTPTR_MAX;
    if (fgets(line, sizeof line, file) != NULL)
        field = strrchr(line, ')'); /* ends field 2, which may have blanks */
    fclose(file);
    for (int i = 2; field != NULL && i < START_BRK; i++)
        field = strchr(field + 1, ' ');
    if (field != NULL)
        begin = strtoul(field, NULL, 10);
    return begin != 0 ? begin : UINTPTR_MAX;
}

static bool is_in_main_heap(uintptr_t address)
{
    static atomic_uintptr_t known; /* 0: not yet; it never moves */
    uintptr_t begin = atomic_load_explicit(&known, memory_order_relaxed);

    if (begin == 0) {
        begin = read_heap_begin();
        atomic_store(&known, begin);
    }
    return address >= begin && address < (uintptr_t)sbrk(0);
}

static uintptr_t read_stack_end(void)
{
    pthread_attr_t attributes;
    void          *low = NULL;
    size_t         bytes = 0;

    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return 0;
    (void)pthread_attr_getstack(&attributes, &low, &bytes);
    (void)pthread_attr_destroy(&attributes);
    return (uintptr_t)low + bytes;
}

static bool is_on_stack(uintptr_t address)
{
    static _Thread_local uintptr_t end;
    static _Thread_local bool      known;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);

    if (!known)
        end = read_stack_end();
    known = true;
    /* A coroutine's frame is elsewhere, and says nothing. */
    return address >= frame && address < end && end - frame <= STACK_MAX;
}

bool hc_address_is_plain_host(const void *ptr)
{
    uintptr_t address = (uintptr_t)ptr;

    return is_in_main_heap(address) || is_on_stack(address);
}

/* Asked of the kernel without a signal handler: rt_sigprocmask copies its
 * argument in before it looks at the (invalid) first one, and answers EFAULT or
 * EINVAL. */
bool hc_address_is_readable(const void *ptr)
{
    const void *word = (const void *)((uintptr_t)ptr & ~(uintptr_t)7);
    int         saved_errno = errno;
    bool        answer;

    answer =
        syscall(SYS_rt_sigprocmask, ~0, word, NULL, 8) != -1 || errno != EFAULT;
    errno = saved_errno;
    return answer;
}
