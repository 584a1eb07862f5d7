#ifndef TOOL_SYSTEM_H
#define TOOL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

/* What the tools ask of the operating system. */

enum {
    TOOL_PATH_ROOM = 4096, /* bytes of a path, with its end */
    TOOL_RUN_FAILED = -1,  /* not started, or killed by a signal */
    TOOL_RUN_LATE = -2,    /* stopped at its time limit */
};

/* What a command wrote, cut at the room there is. */
struct tool_output {
    char out[65536];
    char err[8192];
};

/*
 * Run a command without a shell; argv[0] is the path of the program, stdin is
 * empty.  Returns its exit status, or one of TOOL_RUN_.
 */
int tool_run(const char *const argv[], int timeout_ms,
             struct tool_output *output_out);

/* The first executable regular file of that name in search, a list as in PATH
 * (NULL: none).  False: not there. */
bool tool_which(const char *name, const char *search, char *path_out,
                size_t room);

bool tool_is_program(const char *path);

/* The directory that holds the running program; "" when /proc is missing. */
void tool_self_dir(char *dir_out, size_t room);

/* Whether one process may read its child's memory by process_vm_readv: what
 * Open MPI's shared memory transport uses where it can. */
bool tool_can_read_child(void);

/* Whether this process was confined, as by taskset, to fewer CPUs than the
 * machine (or the container) would let it have. */
bool tool_cpu_mask_is_narrow(void);

/* printf into a fixed array; what does not fit is cut, never past the end. */
#define TOOL_PRINT(array, ...) tool_print((array), sizeof(array), __VA_ARGS__)
void tool_print(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
