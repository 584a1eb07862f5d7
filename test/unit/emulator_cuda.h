#ifndef HC_TEST_EMULATOR_CUDA_H
#define HC_TEST_EMULATOR_CUDA_H

/*
 * What the tests of the emulated CUDA driver share.  Every test is a scene: a
 * forked process with its own environment that opens the library and exits
 * through its exit handlers.  The facts are those of NVIDIA's driver 580 on an
 * H200, on which the scenes of memory, capture and sharing that need no second
 * device and no slow link pass as well (HC_TEST_LIBCUDA names its library).
 */

#include "test/unit/unit.h"

#include "device/abi_cuda.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DECLARE(name, parameters) extern hc_cu_result(*name) parameters;
HC_CU_FUNCTIONS(DECLARE)
#undef DECLARE

/* A symbol of the library, or NULL. */
void *library_symbol(const char *name);

#define MB ((size_t)1 << 20)

/* Run body in a process of its own with these settings ("NAME=value", or "NAME"
 * to unset); its failed checks fail the test. */
void run_scene(void (*body)(void), ...) __attribute__((sentinel));
/* The same, and what it wrote to stderr. */
void run_scene_stderr(char *text_out, size_t room, void (*body)(void), ...)
    __attribute__((sentinel));

/* Within a scene.  Not those of cmocka: the process is another. */
#define CHECK(condition)                                  \
    do {                                                  \
        if (!(condition))                                 \
            scene_failed(__FILE__, __LINE__, #condition); \
    } while (0)
#define EXPECT(code, call) \
    scene_expect(__FILE__, __LINE__, #call, (code), (call))
#define OK(call) EXPECT(HC_CU_SUCCESS, call)

void scene_failed(const char *file, int line, const char *what)
    __attribute__((noreturn));
void scene_expect(const char *file, int line, const char *call, int expected,
                  int result);

/* Open the library; nothing is called yet. */
void open_library(void);
/* And initialise, with the primary context of device 0 current. */
struct hc_cu_context *open_device(void);

double now_s(void);
/* Bytes that depend on their place and on seed. */
void fill_pattern(void *buffer, size_t bytes, unsigned seed);
bool has_pattern(const void *buffer, size_t bytes, unsigned seed);

/* The process at the other end of a scene; forked before the library is open.
 * Both ends talk through a socket, which also carries file descriptors. */
struct peer {
    int pid, socket;
};
struct peer start_peer(void (*body)(int socket));
void        finish_peer(struct peer peer);
void        send_bytes(int socket, const void *data, size_t bytes, int fd);
/* Returns the file descriptor that came along, or -1. */
int receive_bytes(int socket, void *data, size_t bytes);

#endif
