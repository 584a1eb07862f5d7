#include "tools/tool_system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void tool_print(char *text, size_t room, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, room, format, args);
    va_end(args);
}

static long long now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void become(const char *const argv[], int out, int err)
{
    int null = open("/dev/null", O_RDONLY);

    setpgid(0, 0); /* so that its own children end with it at the limit */
    if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
        _exit(127);
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

/* Take what is there; false at its end.  What does not fit is dropped. */
static bool drain(int fd, char *text, size_t room, size_t *used)
{
    char    rest[4096];
    bool    fits = *used + 1 < room;
    ssize_t got;

    got = fits ? read(fd, text + *used, room - 1 - *used)
               : read(fd, rest, sizeof rest);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    if (fits)
        *used += (size_t)got;
    return got > 0;
}

/* False: the time was over before both ends were closed. */
static bool collect(int out, int err, long long deadline,
                    struct tool_output *output)
{
    struct pollfd fds[2] = {{.fd = out, .events = POLLIN},
                            {.fd = err, .events = POLLIN}};
    size_t        out_used = 0, err_used = 0;

    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        long long left = deadline - now_ms();

        if (left <= 0 || (poll(fds, 2, (int)left) < 0 && errno != EINTR))
            return false;
        if (fds[0].fd >= 0 && fds[0].revents != 0 &&
            !drain(out, output->out, sizeof output->out, &out_used))
            fds[0].fd = -1;
        if (fds[1].fd >= 0 && fds[1].revents != 0 &&
            !drain(err, output->err, sizeof output->err, &err_used))
            fds[1].fd = -1;
    }
    return true;
}

/* It may close its output and live on, so the wait has the same limit. */
static int reap(pid_t pid, bool ended, long long deadline)
{
    int wait_status;

    while (ended) {
        pid_t got = waitpid(pid, &wait_status, WNOHANG);

        if (got == pid)
            return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status)
                                          : TOOL_RUN_FAILED;
        if (got < 0 && errno != EINTR)
            return TOOL_RUN_FAILED;
        if (now_ms() >= deadline)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    kill(-pid, SIGKILL);
    waitpid(pid, &wait_status, 0);
    return TOOL_RUN_LATE;
}

int tool_run(const char *const argv[], int timeout_ms,
             struct tool_output *output_out)
{
    long long deadline = now_ms() + timeout_ms;
    int       out[2], err[2], status;
    pid_t     pid;

    memset(output_out, 0, sizeof *output_out);
    if (pipe2(out, O_CLOEXEC) != 0)
        return TOOL_RUN_FAILED;
    if (pipe2(err, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return TOOL_RUN_FAILED;
    }
    pid = fork();
    if (pid == 0)
        become(argv, out[1], err[1]);
    if (pid > 0)
        setpgid(pid, pid); /* here too: whoever comes first */
    close(out[1]);
    close(err[1]);
    status = pid < 0 ? TOOL_RUN_FAILED
                     : reap(pid, collect(out[0], err[0], deadline, output_out),
                            deadline);
    close(out[0]);
    close(err[0]);
    return status;
}

bool tool_is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           access(path, X_OK) == 0;
}

bool tool_which(const char *name, const char *search, char *path_out,
                size_t room)
{
    while (search != NULL) {
        const char *end = strchrnul(search, ':');
        int         length = (int)(end - search);
        char        path[TOOL_PATH_ROOM];

        /* An empty entry is the current directory, as for the shell. */
        TOOL_PRINT(path, "%.*s/%s", length > 0 ? length : 1,
                   length > 0 ? search : ".", name);
        if (tool_is_program(path)) {
            tool_print(path_out, room, "%s", path);
            return true;
        }
        search = *end == ':' ? end + 1 : NULL;
    }
    return false;
}

void tool_self_dir(char *dir_out, size_t room)
{
    char    path[TOOL_PATH_ROOM];
    ssize_t got = readlink("/proc/self/exe", path, sizeof path - 1);
    char   *slash;

    dir_out[0] = '\0';
    if (got <= 0)
        return;
    path[got] = '\0';
    slash = strrchr(path, '/');
    if (slash != NULL)
        tool_print(dir_out, room, "%.*s", (int)(slash - path), path);
}

bool tool_can_read_child(void)
{
    /* Volatile: the child's copy differs from ours, so a read of our own
     * memory would not pass. */
    volatile int word = 1;
    int          seen = 0, ready[2];
    char         byte;
    pid_t        pid;
    ssize_t      got = -1;

    if (pipe2(ready, O_CLOEXEC) != 0)
        return false;
    pid = fork();
    if (pid == 0) {
        word = 2;
        (void)!write(ready[1], "", 1);
        for (;;)
            pause();
    }
    close(ready[1]);
    if (pid > 0 && read(ready[0], &byte, 1) == 1)
        got = process_vm_readv(
            pid, &(struct iovec){&seen, sizeof seen}, 1,
            &(struct iovec){(void *)(size_t)&word, sizeof word}, 1, 0);
    close(ready[0]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return got == (ssize_t)sizeof seen && seen == 2;
}

enum { CPU_MAX = 8192 }; /* CPUs that a mask can name */

static int count_cpus(void)
{
    cpu_set_t *set = CPU_ALLOC(CPU_MAX);
    int        count = -1;

    if (set != NULL && sched_getaffinity(0, CPU_ALLOC_SIZE(CPU_MAX), set) == 0)
        count = CPU_COUNT_S(CPU_ALLOC_SIZE(CPU_MAX), set);
    CPU_FREE(set);
    return count;
}

/* In a child of its own: widen the mask as far as the kernel lets us. */
static int count_reachable_cpus(void)
{
    size_t     bytes = CPU_ALLOC_SIZE(CPU_MAX);
    cpu_set_t *set = CPU_ALLOC(CPU_MAX);

    if (set == NULL)
        return -1;
    memset(set, 0xff, bytes);
    if (sched_setaffinity(0, bytes, set) != 0)
        return -1;
    return count_cpus();
}

bool tool_cpu_mask_is_narrow(void)
{
    int   mine = count_cpus(), wait_status = 0;
    pid_t pid;

    if (mine < 1)
        return false;
    pid = fork();
    if (pid == 0)
        _exit(count_reachable_cpus() > mine ? 1 : 0);
    return pid > 0 && waitpid(pid, &wait_status, 0) == pid &&
           WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 1;
}
