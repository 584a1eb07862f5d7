#ifndef LAUNCH_PROGRAM_H
#define LAUNCH_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

enum launch_program {
    LAUNCH_RUNS,   /* nothing speaks against it, or it can't be looked into */
    LAUNCH_CANNOT, /* not on emulated devices; why says for what reason */
    LAUNCH_BROKEN, /* this system can't start it at all; why says so */
};

/*
 * Whether a program file can run on emulated devices.  Scripts are not looked
 * into: what they start is not known.
 *
 * emulator_dirs  the folders with the emulated drivers, NULL after the last
 */
enum launch_program launch_program_inspect(const char        *path,
                                           const char *const *emulator_dirs,
                                           char *why, size_t room);

#endif
