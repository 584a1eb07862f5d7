#include "test/unit/emulator_cuda.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#define DEFINE(name, parameters) hc_cu_result(*name) parameters;
HC_CU_FUNCTIONS(DEFINE)
#undef DEFINE

static void *library;

/* ---------------------------------------------------------------- a scene */

void scene_failed(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    exit(1);
}

void scene_expect(const char *file, int line, const char *call, int expected,
                  int result)
{
    if (result == expected)
        return;
    fprintf(stderr, "%s:%d: %s gave %d, not %d\n", file, line, call, result,
            expected);
    exit(1);
}

void *library_symbol(const char *name)
{
    return dlsym(library, name);
}

void open_library(void)
{
    const char *real = getenv("HC_TEST_LIBCUDA");
    const char *dir = getenv("builddir");
    char        path[512];

    snprintf(path, sizeof path, "%s/emulator/nvidia/libcuda.so.1",
             dir != NULL ? dir : ".");
    library = dlopen(real != NULL ? real : path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        scene_failed(__FILE__, __LINE__, dlerror());
#define LOAD(name, parameters)                                \
    name = (hc_cu_result(*) parameters)dlsym(library, #name); \
    CHECK(name != NULL);
    HC_CU_FUNCTIONS(LOAD)
#undef LOAD
}

struct hc_cu_context *open_device(void)
{
    struct hc_cu_context *context;

    open_library();
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    return context;
}

static void apply_settings(va_list settings)
{
    const char *setting;

    setenv("HCOMM_EMULATE", "nvidia:1", 1);
    while ((setting = va_arg(settings, const char *)) != NULL) {
        if (strchr(setting, '=') == NULL)
            unsetenv(setting);
        else
            putenv(strdup(setting));
    }
}

static void finish(int pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status))
        fail_msg("the scene died of signal %d", WTERMSIG(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int start(void (*body)(void), int stderr_to, va_list settings)
{
    int pid;

    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    if (stderr_to >= 0)
        dup2(stderr_to, STDERR_FILENO);
    apply_settings(settings);
    alarm(120); /* a scene that hangs is a failed one */
    body();
    exit(0);
}

void run_scene(void (*body)(void), ...)
{
    va_list settings;
    int     pid;

    va_start(settings, body);
    pid = start(body, -1, settings);
    va_end(settings);
    finish(pid);
}

void run_scene_stderr(char *text_out, size_t room, void (*body)(void), ...)
{
    va_list settings;
    int     pid, ends[2];
    size_t  length = 0;
    ssize_t got;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    va_start(settings, body);
    pid = start(body, ends[1], settings);
    va_end(settings);
    close(ends[1]);
    while ((got = read(ends[0], text_out + length, room - 1 - length)) > 0)
        length += (size_t)got;
    text_out[length] = '\0';
    close(ends[0]);
    finish(pid);
}

/* ------------------------------------------------------------- other helps */

double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void fill_pattern(void *buffer, size_t bytes, unsigned seed)
{
    unsigned char *at = buffer;

    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(i * 7 + (i >> 8) + seed);
}

bool has_pattern(const void *buffer, size_t bytes, unsigned seed)
{
    const unsigned char *at = buffer;

    for (size_t i = 0; i < bytes; i++) {
        if (at[i] != (unsigned char)(i * 7 + (i >> 8) + seed))
            return false;
    }
    return true;
}

struct peer start_peer(void (*body)(int socket))
{
    struct peer peer;
    int         ends[2];

    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    peer.pid = fork();
    CHECK(peer.pid >= 0);
    if (peer.pid == 0) {
        close(ends[0]);
        alarm(120);
        body(ends[1]);
        exit(0);
    }
    close(ends[1]);
    peer.socket = ends[0];
    return peer;
}

void finish_peer(struct peer peer)
{
    int status;

    CHECK(waitpid(peer.pid, &status, 0) == peer.pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(peer.socket);
}

void send_bytes(int socket, const void *data, size_t bytes, int fd)
{
    struct iovec vector = {(void *)data, bytes};
    union {
        struct cmsghdr header;
        char           room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};

    if (fd >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.header.cmsg_len = CMSG_LEN(sizeof fd);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    }
    CHECK(sendmsg(socket, &message, 0) == (ssize_t)bytes);
}

int receive_bytes(int socket, void *data, size_t bytes)
{
    struct iovec vector = {data, bytes};
    union {
        struct cmsghdr header;
        char           room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {.msg_iov = &vector,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    int           fd = -1;

    CHECK(recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == (ssize_t)bytes);
    if (message.msg_controllen >= CMSG_LEN(sizeof fd))
        memcpy(&fd, CMSG_DATA(&control.header), sizeof fd);
    return fd;
}
