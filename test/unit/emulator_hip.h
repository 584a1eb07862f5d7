#ifndef HC_TEST_EMULATOR_HIP_H
#define HC_TEST_EMULATOR_HIP_H

/*
 * What the tests of the emulated HIP share.  One program per major version
 * (HIP_MAJOR) opens the library of the build by its path.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/abi_hip.h"
#include "test/unit/emulator_role.h"

#define HIP_API_LIST(X)                                                        \
    X(hipInit, (unsigned flags))                                               \
    X(hipGetDeviceCount, (int *count))                                         \
    X(hipSetDevice, (int device))                                              \
    X(hipGetDevice, (int *device))                                             \
    X(hipRuntimeGetVersion, (int *version))                                    \
    X(hipDeviceGetName, (char *name, int room, int device))                    \
    X(hipDeviceGetUuid, (unsigned char *uuid, int device))                     \
    X(hipDeviceGetPCIBusId, (char *text, int room, int device))                \
    X(hipDeviceGetByPCIBusId, (int *device, const char *text))                 \
    X(hipDeviceTotalMem, (size_t * bytes, int device))                         \
    X(hipDeviceGetAttribute, (int *value, int attribute, int device))          \
    X(hipGetDeviceProperties, (void *prop, int device))                        \
    X(hipDeviceSynchronize, (void))                                            \
    X(hipDevicePrimaryCtxGetState, (int device, unsigned *flags, int *active)) \
    X(hipDeviceCanAccessPeer, (int *can, int device, int peer))                \
    X(hipDeviceEnablePeerAccess, (int peer, unsigned flags))                   \
    X(hipDeviceDisablePeerAccess, (int peer))                                  \
    X(hipGetLastError, (void))                                                 \
    X(hipPeekAtLastError, (void))                                              \
    X(hipMalloc, (void **ptr, size_t bytes))                                   \
    X(hipFree, (void *ptr))                                                    \
    X(hipHostMalloc, (void **ptr, size_t bytes, unsigned flags))               \
    X(hipHostFree, (void *ptr))                                                \
    X(hipHostRegister, (void *ptr, size_t bytes, unsigned flags))              \
    X(hipHostUnregister, (void *ptr))                                          \
    X(hipHostGetDevicePointer, (void **device, void *host, unsigned flags))    \
    X(hipHostGetFlags, (unsigned *flags, void *ptr))                           \
    X(hipMallocManaged, (void **ptr, size_t bytes, unsigned flags))            \
    X(hipMallocAsync, (void **ptr, size_t bytes, void *stream))                \
    X(hipFreeAsync, (void *ptr, void *stream))                                 \
    X(hipMemPoolGetAttribute, (void *pool, int attribute, void *value))        \
    X(hipMemPoolCreate, (void **pool, const void *props))                      \
    X(hipMemPoolDestroy, (void *pool))                                         \
    X(hipMallocFromPoolAsync,                                                  \
      (void **ptr, size_t bytes, void *pool, void *stream))                    \
    X(hipMemPoolExportToShareableHandle,                                       \
      (void *handle, void *pool, int type, unsigned flags))                    \
    X(hipMemPoolImportFromShareableHandle,                                     \
      (void **pool, void *handle, int type, unsigned flags))                   \
    X(hipMemPoolExportPointer, (void *data, void *ptr))                        \
    X(hipMemPoolImportPointer, (void **ptr, void *pool, const void *data))     \
    X(hipDeviceGetDefaultMemPool, (void **pool, int device))                   \
    X(hipMemGetInfo, (size_t * free_bytes, size_t * total_bytes))              \
    X(hipMemGetAddressRange, (void **base, size_t *bytes, void *ptr))          \
    X(hipPointerGetAttributes,                                                 \
      (struct hc_hip_pointer_attributes * out, const void *ptr))               \
    X(hipPointerGetAttribute, (void *out, int attribute, void *ptr))           \
    X(hipPointerSetAttribute, (const void *value, int attribute, void *ptr))   \
    X(hipMemcpy, (void *dst, const void *src, size_t bytes, int kind))         \
    X(hipMemcpyAsync,                                                          \
      (void *dst, const void *src, size_t bytes, int kind, void *stream))      \
    X(hipMemcpyPeer, (void *dst, int dst_device, const void *src,              \
                      int src_device, size_t bytes))                           \
    X(hipMemcpy2D, (void *dst, size_t dst_pitch, const void *src,              \
                    size_t src_pitch, size_t width, size_t height, int kind))  \
    X(hipMemset, (void *dst, int value, size_t bytes))                         \
    X(hipMemsetAsync, (void *dst, int value, size_t bytes, void *stream))      \
    X(hipMemsetD16, (void *dst, unsigned short value, size_t count))           \
    X(hipMemsetD32, (void *dst, int value, size_t count))                      \
    X(hipMemset2D,                                                             \
      (void *dst, size_t pitch, int value, size_t width, size_t height))       \
    X(hipStreamCreate, (void **stream))                                        \
    X(hipStreamCreateWithFlags, (void **stream, unsigned flags))               \
    X(hipStreamDestroy, (void *stream))                                        \
    X(hipStreamSynchronize, (void *stream))                                    \
    X(hipStreamQuery, (void *stream))                                          \
    X(hipStreamWaitEvent, (void *stream, void *event, unsigned flags))         \
    X(hipStreamAddCallback,                                                    \
      (void *stream, void (*function)(void *, int, void *), void *data,        \
       unsigned flags))                                                        \
    X(hipLaunchHostFunc, (void *stream, void (*function)(void *), void *data)) \
    X(hipStreamBeginCapture, (void *stream, int mode))                         \
    X(hipStreamEndCapture, (void *stream, void **graph))                       \
    X(hipStreamIsCapturing, (void *stream, int *status))                       \
    X(hipThreadExchangeStreamCaptureMode, (int *mode))                         \
    X(hipGraphDestroy, (void *graph))                                          \
    X(hipEventCreate, (void **event))                                          \
    X(hipEventCreateWithFlags, (void **event, unsigned flags))                 \
    X(hipEventDestroy, (void *event))                                          \
    X(hipEventRecord, (void *event, void *stream))                             \
    X(hipEventQuery, (void *event))                                            \
    X(hipEventSynchronize, (void *event))                                      \
    X(hipEventElapsedTime, (float *ms, void *start, void *end))                \
    X(hipIpcGetMemHandle, (struct hc_hip_ipc_handle * handle, void *ptr))      \
    X(hipIpcOpenMemHandle,                                                     \
      (void **ptr, struct hc_hip_ipc_handle handle, unsigned flags))           \
    X(hipIpcCloseMemHandle, (void *ptr))                                       \
    X(hipIpcGetEventHandle, (struct hc_hip_ipc_handle * handle, void *event))  \
    X(hipIpcOpenEventHandle, (void **event, struct hc_hip_ipc_handle handle))  \
    X(hipMemAddressReserve, (void **ptr, size_t bytes, size_t alignment,       \
                             void *hint, unsigned long long flags))            \
    X(hipMemAddressFree, (void *ptr, size_t bytes))                            \
    X(hipMemCreate, (void **handle, size_t bytes, const void *props,           \
                     unsigned long long flags))                                \
    X(hipMemRelease, (void *handle))                                           \
    X(hipMemMap, (void *ptr, size_t bytes, size_t offset, void *handle,        \
                  unsigned long long flags))                                   \
    X(hipMemUnmap, (void *ptr, size_t bytes))                                  \
    X(hipMemSetAccess,                                                         \
      (void *ptr, size_t bytes, const void *access, size_t count))             \
    X(hipModuleLoad, (void **module, const char *path))                        \
    X(hipMallocArray, (void))

struct hip_api {
#define DECLARE(name, arguments) int(*name) arguments;
    HIP_API_LIST(DECLARE)
#undef DECLARE
    const char *(*hipGetErrorName)(int code);
    const char *(*hipGetErrorString)(int code);
    void *library;
};

extern struct hip_api hip;

#define KB ((size_t)1024)
#define MB (KB * KB)

/* The link of device 1 is slow, host to device, so that a copy of this many
 * bytes is still under way when the call that started it returns. */
#define SLOW_DEVICE 1
#define SLOW_BYTES  (2 * MB) /* 0.2 s at 10 MB/s */

#define assert_hip(expected, call)                 \
    assert_string_equal(hip.hipGetErrorName(call), \
                        hip.hipGetErrorName(expected))
#define assert_ok(call) assert_hip(HC_HIP_SUCCESS, call)

/* The roles of other processes. */
int role_import(const char *argument);
int role_event(const char *argument);
int role_open(const char *argument);
int role_pool(const char *argument);

/* The tests, by file. */
#define MEMORY_TESTS(X)                                  \
    X(devices_say_that_they_are_emulated)                \
    X(devices_are_found_by_their_bus_id)                 \
    X(device_memory_traps_the_host)                      \
    X(copies_arrive_exactly)                             \
    X(copies_of_rows_leave_the_gaps)                     \
    X(fills_write_elements_of_each_width)                \
    X(a_copy_past_the_end_is_refused)                    \
    X(a_wrong_direction_is_refused)                      \
    X(device_memory_has_device_attributes)               \
    X(pinned_and_registered_memory_have_host_attributes) \
    X(managed_memory_is_reached_by_both)                 \
    X(pool_memory_is_device_memory)                      \
    X(mapped_memory_is_device_memory)                    \
    X(an_unknown_address_is_answered_as_the_major_does)  \
    X(single_attributes_agree)                           \
    X(freeing_twice_is_an_error)                         \
    X(memory_runs_out)                                   \
    X(version_nodes_are_amds)

#define STREAM_TESTS(X)                              \
    X(an_asynchronous_copy_returns_early)            \
    X(freeing_waits_for_the_copy)                    \
    X(the_default_stream_waits_for_blocking_streams) \
    X(a_non_blocking_stream_does_not_wait)           \
    X(a_stream_waits_for_an_event)                   \
    X(events_measure_time)                           \
    X(callbacks_run_in_order)                        \
    X(bad_handles_are_errors)                        \
    X(capture_is_seen_and_ended)                     \
    X(a_capture_forbids_unsafe_calls)                \
    X(relaxed_mode_allows_them)                      \
    X(threads_copy_at_once)                          \
    X(the_last_error_is_kept_as_the_major_does)

#define SHARE_TESTS(X)                             \
    X(another_process_opens_a_handle)              \
    X(a_handle_of_freed_memory_is_refused)         \
    X(ones_own_handle_is_refused)                  \
    X(pool_managed_and_host_memory_have_no_handle) \
    X(another_process_imports_a_pool)              \
    X(another_process_waits_for_an_event)          \
    X(peer_access_is_counted)                      \
    X(a_forked_child_is_not_initialised)           \
    X(without_devices_there_is_no_device)          \
    X(asking_makes_no_context)                     \
    X(threads_may_all_be_first)                    \
    X(visible_devices_are_obeyed)                  \
    X(a_malformed_variable_fails_initialisation)   \
    X(faults_are_injected_by_name)                 \
    X(what_is_not_emulated_says_so)                \
    X(exit_with_copies_in_flight_is_clean)

#define DECLARE_TEST(name) void name(void **state);
MEMORY_TESTS(DECLARE_TEST)
STREAM_TESTS(DECLARE_TEST)
SHARE_TESTS(DECLARE_TEST)
#undef DECLARE_TEST

#endif
