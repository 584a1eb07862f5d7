#ifndef HC_TEST_EMULATED_H
#define HC_TEST_EMULATED_H

/*
 * Run this program on emulated devices: the emulator's settings and library
 * path are read when a process starts, so it starts itself once more.  With
 * TEST_REAL=1 in the environment it stays on the machine's own driver.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline bool on_real_device(void)
{
    return getenv("TEST_REAL") != NULL;
}

static inline void run_emulated(char **argv, const char *devices)
{
    const char *build = getenv("builddir");
    const char *before = getenv("LD_LIBRARY_PATH");
    char        path[4096];

    if (on_real_device() || getenv("HCOMM_EMULATE") != NULL)
        return;
    if (build == NULL)
        build = ".";
    snprintf(path, sizeof path,
             "%s/emulator/nvidia:%s/emulator/amd:%s/emulator/intel:%s", build,
             build, build, before != NULL ? before : "");
    setenv("LD_LIBRARY_PATH", path, 1);
    setenv("HCOMM_EMULATE", devices, 1);
    execv("/proc/self/exe", argv);
    perror("cannot start again");
    exit(99);
}

#endif
