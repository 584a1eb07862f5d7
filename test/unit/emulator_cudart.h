#ifndef HC_TEST_EMULATOR_CUDART_H
#define HC_TEST_EMULATOR_CUDART_H

/*
 * What the tests of the emulated CUDA runtime share.  One program per major
 * version (CUDART_MAJOR) opens the library of the build by its path.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "test/unit/emulator_role.h"

struct ipc_handle {
    char bytes[64];
};

/* cudaPointerAttributes, with room behind it to see who writes there: CUDA 13
 * has 64 bytes more that it zeroes. */
struct attributes {
    int   type;
    int   device;
    void *device_ptr;
    void *host_ptr;
    char  behind[128];
};

struct dim3 {
    unsigned x, y, z;
};

#define CUDART_LIST(X)                                                         \
    X(cudaGetDeviceCount, (int *count))                                        \
    X(cudaSetDevice, (int device))                                             \
    X(cudaGetDevice, (int *device))                                            \
    X(cudaRuntimeGetVersion, (int *version))                                   \
    X(cudaGetDeviceProperties, (void *prop, int device))                       \
    X(cudaDeviceGetAttribute, (int *value, int attribute, int device))         \
    X(cudaDeviceGetPCIBusId, (char *text, int room, int device))               \
    X(cudaDeviceGetByPCIBusId, (int *device, const char *text))                \
    X(cudaDeviceSynchronize, (void))                                           \
    X(cudaDeviceReset, (void))                                                 \
    X(cudaDeviceCanAccessPeer, (int *can, int device, int peer))               \
    X(cudaDeviceEnablePeerAccess, (int peer, unsigned flags))                  \
    X(cudaGetLastError, (void))                                                \
    X(cudaPeekAtLastError, (void))                                             \
    X(cudaMalloc, (void **ptr, size_t bytes))                                  \
    X(cudaFree, (void *ptr))                                                   \
    X(cudaMallocHost, (void **ptr, size_t bytes))                              \
    X(cudaFreeHost, (void *ptr))                                               \
    X(cudaHostRegister, (void *ptr, size_t bytes, unsigned flags))             \
    X(cudaHostUnregister, (void *ptr))                                         \
    X(cudaMallocManaged, (void **ptr, size_t bytes, unsigned flags))           \
    X(cudaMallocAsync, (void **ptr, size_t bytes, void *stream))               \
    X(cudaFreeAsync, (void *ptr, void *stream))                                \
    X(cudaMallocPitch,                                                         \
      (void **ptr, size_t *pitch, size_t width, size_t height))                \
    X(cudaMemGetInfo, (size_t * free_bytes, size_t * total_bytes))             \
    X(cudaPointerGetAttributes, (struct attributes * out, const void *ptr))    \
    X(cudaMemcpy, (void *dst, const void *src, size_t bytes, int kind))        \
    X(cudaMemcpyAsync,                                                         \
      (void *dst, const void *src, size_t bytes, int kind, void *stream))      \
    X(cudaMemcpyAsync_ptsz,                                                    \
      (void *dst, const void *src, size_t bytes, int kind, void *stream))      \
    X(cudaMemcpy_ptds, (void *dst, const void *src, size_t bytes, int kind))   \
    X(cudaMemcpyPeer, (void *dst, int dst_device, const void *src,             \
                       int src_device, size_t bytes))                          \
    X(cudaMemcpy2D, (void *dst, size_t dst_pitch, const void *src,             \
                     size_t src_pitch, size_t width, size_t height, int kind)) \
    X(cudaMemset, (void *ptr, int value, size_t bytes))                        \
    X(cudaMemset2D,                                                            \
      (void *ptr, size_t pitch, int value, size_t width, size_t height))       \
    X(cudaStreamCreate, (void **stream))                                       \
    X(cudaStreamCreateWithFlags, (void **stream, unsigned flags))              \
    X(cudaStreamDestroy, (void *stream))                                       \
    X(cudaStreamSynchronize, (void *stream))                                   \
    X(cudaStreamSynchronize_ptsz, (void *stream))                              \
    X(cudaStreamQuery, (void *stream))                                         \
    X(cudaStreamWaitEvent, (void *stream, void *event, unsigned flags))        \
    X(cudaStreamAddCallback,                                                   \
      (void *stream, void (*function)(void *, int, void *), void *data,        \
       unsigned flags))                                                        \
    X(cudaLaunchHostFunc,                                                      \
      (void *stream, void (*function)(void *), void *data))                    \
    X(cudaStreamBeginCapture, (void *stream, int mode))                        \
    X(cudaStreamEndCapture, (void *stream, void **graph))                      \
    X(cudaStreamIsCapturing, (void *stream, int *status))                      \
    X(cudaThreadExchangeStreamCaptureMode, (int *mode))                        \
    X(cudaEventCreate, (void **event))                                         \
    X(cudaEventCreateWithFlags, (void **event, unsigned flags))                \
    X(cudaEventDestroy, (void *event))                                         \
    X(cudaEventRecord, (void *event, void *stream))                            \
    X(cudaEventQuery, (void *event))                                           \
    X(cudaEventSynchronize, (void *event))                                     \
    X(cudaEventElapsedTime, (float *ms, void *start, void *end))               \
    X(cudaIpcGetMemHandle, (struct ipc_handle * handle, void *ptr))            \
    X(cudaIpcOpenMemHandle,                                                    \
      (void **ptr, struct ipc_handle handle, unsigned flags))                  \
    X(cudaIpcCloseMemHandle, (void *ptr))                                      \
    X(cudaIpcGetEventHandle, (struct ipc_handle * handle, void *event))        \
    X(cudaIpcOpenEventHandle, (void **event, struct ipc_handle handle))        \
    X(cudaLaunchKernel,                                                        \
      (const void *stub, struct dim3 grid, struct dim3 block,                  \
       void **arguments, size_t shared_bytes, void *stream))                   \
    X(cudaMallocArray, (void))                                                 \
    X(__cudaPopCallConfiguration, (struct dim3 * grid, struct dim3 * block,    \
                                   size_t * shared_bytes, void *stream_out))   \
    X(__cudaPushCallConfiguration, (struct dim3 grid, struct dim3 block,       \
                                    size_t shared_bytes, void *stream))

struct cudart {
#define DECLARE(name, arguments) int(*name) arguments;
    CUDART_LIST(DECLARE)
#undef DECLARE
    const char *(*cudaGetErrorName)(int code);
    const char *(*cudaGetErrorString)(int code);
    /* of the driver beneath */
    int (*cuDevicePrimaryCtxGetState)(int device, unsigned *flags, int *active);
    void *library;
};

extern struct cudart rt;

enum { HOST_HOST, TO_DEVICE, TO_HOST, DEVICE_DEVICE, ANY };
enum { UNREGISTERED, HOST, DEVICE, MANAGED };

/* cudaError_t */
enum {
    INVALID_VALUE = 1,
    NOT_INITIALIZED = 3,
    INVALID_PITCH = 12,
    INVALID_DIRECTION = 21,
    MISSING_CONFIGURATION = 52,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    OWN_HANDLE = 201,
    INVALID_HANDLE = 400,
    NOT_READY = 600,
    PEER_ALREADY_ENABLED = 704,
    ALREADY_REGISTERED = 712,
    NOT_SUPPORTED = 801,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901,
    CAPTURE_IMPLICIT = 906,
};

#define KB ((size_t)1024)
#define MB (KB * KB)

/* Device 1 is slow, host to device: this many bytes take 0.2 s at 10 MB/s. */
#define SLOW_DEVICE 1
#define SLOW_BYTES  (2 * MB)

#define assert_rt(expected, call)                  \
    assert_string_equal(rt.cudaGetErrorName(call), \
                        rt.cudaGetErrorName(expected))
#define assert_ok(call) assert_rt(0, call)

/* The roles of other processes. */
int role_import(const char *argument);
int role_event(const char *argument);
int role_lazy(void);
int role_start(void);

#define CALL_TESTS(X)                            \
    X(devices_are_the_drivers)                   \
    X(properties_lie_where_the_version_has_them) \
    X(copies_arrive_exactly)                     \
    X(copies_and_fills_of_rows_leave_the_gaps)   \
    X(a_wrong_direction_is_refused)              \
    X(device_memory_traps_the_host)              \
    X(each_kind_of_memory_has_its_type)          \
    X(asynchronous_copies_return_early)          \
    X(zero_means_the_threads_stream_in_ptsz)     \
    X(events_measure_time)                       \
    X(callbacks_run_in_order)                    \
    X(a_capture_forbids_allocation)              \
    X(the_last_error_sticks_until_read)          \
    X(version_node_is_the_soname)

#define SHARE_TESTS(X)                               \
    X(another_process_opens_a_handle)                \
    X(another_process_waits_for_an_event)            \
    X(contexts_are_made_when_the_version_makes_them) \
    X(threads_may_all_be_first)                      \
    X(devices_copy_between_each_other)               \
    X(a_reset_device_is_usable_again)                \
    X(a_forked_child_is_not_initialised)             \
    X(without_devices_there_is_no_device)            \
    X(kernels_are_refused)                           \
    X(launch_configurations_nest)

#define DECLARE_TEST(name) void name(void **state);
CALL_TESTS(DECLARE_TEST)
SHARE_TESTS(DECLARE_TEST)
#undef DECLARE_TEST

#endif
