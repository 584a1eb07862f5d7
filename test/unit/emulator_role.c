/* See emulator_role.h. */

#include "test/unit/emulator_role.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char self[PATH_MAX];

bool role_init(void)
{
    return readlink("/proc/self/exe", self, sizeof(self) - 1) > 0;
}

static void apply(const char *set)
{
    char *text = strdup(set);
    char *value = strchr(text, '=');

    if (value) {
        *value++ = '\0';
        setenv(text, value, 1);
    } else {
        unsetenv(text);
    }
    free(text);
}

static int status_of(pid_t pid)
{
    int status = 0;

    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int role_run(const char *role, const char *argument, const char *const *set)
{
    pid_t pid = fork();

    if (pid == 0) {
        for (; set && *set; set++)
            apply(*set);
        execl(self, self, role, argument ? argument : "", (char *)NULL);
        _exit(127);
    }
    return status_of(pid);
}

bool host_access_faults(volatile char *ptr, bool write_to_it)
{
    pid_t pid = fork();

    if (pid == 0) {
        struct rlimit none = {0, 0};

        setrlimit(RLIMIT_CORE, &none);
        signal(SIGSEGV, SIG_DFL); /* a sanitizer would catch it */
        if (write_to_it)
            *ptr = 1;
        else
            (void)*ptr;
        _exit(0);
    }
    return status_of(pid) == 128 + SIGSEGV;
}

void role_hex(const char bytes[64], char text_out[129])
{
    for (int i = 0; i < 64; i++)
        snprintf(text_out + 2 * i, 3, "%02x", (unsigned char)bytes[i]);
}

void role_unhex(const char *text, char bytes_out[64])
{
    memset(bytes_out, 0, 64);
    for (int i = 0; i < 64 && text[0] && text[1]; i++, text += 2) {
        char two[3] = {text[0], text[1], '\0'};

        bytes_out[i] = (char)strtol(two, NULL, 16);
    }
}

void pattern_fill(unsigned char *data, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(i * 7 + i / 251 + seed);
}

bool pattern_is(const unsigned char *data, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++) {
        if (data[i] != (unsigned char)(i * 7 + i / 251 + seed))
            return false;
    }
    return true;
}
