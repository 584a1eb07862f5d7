#ifndef HC_TEST_EMULATOR_ZE_H
#define HC_TEST_EMULATOR_ZE_H

/*
 * What the tests of the emulated Level Zero driver share.  They go through the
 * vendor's loader, as programs do.
 */

#include "test/unit/unit.h"

#include <stdbool.h>

#include "device/emulator/emu_ze_abi.h"
#include "test/unit/emulator_role.h"

#define ZE_API_LIST(X)                                                         \
    X(zeInit, (uint32_t flags))                                                \
    X(zeDriverGet, (uint32_t * count, void **drivers))                         \
    X(zeDriverGetApiVersion, (void *driver, uint32_t *version))                \
    X(zeDriverGetProperties,                                                   \
      (void *driver, struct emu_ze_driver_properties *out))                    \
    X(zeDriverGetIpcProperties,                                                \
      (void *driver, struct emu_ze_ipc_properties *out))                       \
    X(zeDriverGetExtensionProperties,                                          \
      (void *driver, uint32_t *count, struct emu_ze_extension *out))           \
    X(zeDriverGetExtensionFunctionAddress,                                     \
      (void *driver, const char *name, void **address))                        \
    X(zeContextCreate,                                                         \
      (void *driver, const struct hc_ze_context_desc *desc, void **context))   \
    X(zeContextCreateEx, (void *driver, const struct hc_ze_context_desc *desc, \
                          uint32_t ndevices, void **devices, void **context))  \
    X(zeContextDestroy, (void *context))                                       \
    X(zeContextGetStatus, (void *context))                                     \
    X(zeContextMakeMemoryResident,                                             \
      (void *context, void *device, void *ptr, size_t bytes))                  \
    X(zeContextEvictMemory,                                                    \
      (void *context, void *device, void *ptr, size_t bytes))                  \
    X(zeDeviceGet, (void *driver, uint32_t *count, void **devices))            \
    X(zeDeviceGetSubDevices, (void *device, uint32_t *count, void **devices))  \
    X(zeDeviceGetProperties,                                                   \
      (void *device, struct hc_ze_device_properties *out))                     \
    X(zeDeviceGetComputeProperties,                                            \
      (void *device, struct emu_ze_compute_properties *out))                   \
    X(zeDeviceGetModuleProperties,                                             \
      (void *device, struct emu_ze_module_properties *out))                    \
    X(zeDeviceGetCommandQueueGroupProperties,                                  \
      (void *device, uint32_t *count, struct hc_ze_queue_group *out))          \
    X(zeDeviceGetMemoryProperties,                                             \
      (void *device, uint32_t *count, struct hc_ze_device_memory *out))        \
    X(zeDeviceGetMemoryAccessProperties,                                       \
      (void *device, struct emu_ze_memory_access *out))                        \
    X(zeDeviceGetExternalMemoryProperties,                                     \
      (void *device, struct emu_ze_external_memory *out))                      \
    X(zeDeviceGetP2PProperties,                                                \
      (void *device, void *peer, struct emu_ze_p2p_properties *out))           \
    X(zeDeviceCanAccessPeer, (void *device, void *peer, unsigned char *value)) \
    X(zeDeviceGetStatus, (void *device))                                       \
    X(zeDeviceGetGlobalTimestamps,                                             \
      (void *device, uint64_t *host_ns, uint64_t *device_ticks))               \
    X(zeDevicePciGetPropertiesExt,                                             \
      (void *device, struct hc_ze_pci_properties *out))                        \
    X(zeMemAllocDevice,                                                        \
      (void *context, const struct hc_ze_device_alloc_desc *desc,              \
       size_t bytes, size_t alignment, void *device, void **ptr))              \
    X(zeMemAllocHost,                                                          \
      (void *context, const struct hc_ze_host_alloc_desc *desc, size_t bytes,  \
       size_t alignment, void **ptr))                                          \
    X(zeMemAllocShared,                                                        \
      (void *context, const struct hc_ze_device_alloc_desc *desc,              \
       const struct hc_ze_host_alloc_desc *host_desc, size_t bytes,            \
       size_t alignment, void *device, void **ptr))                            \
    X(zeMemFree, (void *context, void *ptr))                                   \
    X(zeMemGetAllocProperties,                                                 \
      (void *context, const void *ptr, struct hc_ze_alloc_properties *out,     \
       void **device))                                                         \
    X(zeMemGetAddressRange,                                                    \
      (void *context, const void *ptr, void **base, size_t *bytes))            \
    X(zeMemGetIpcHandle,                                                       \
      (void *context, const void *ptr, struct emu_ze_ipc_handle *handle))      \
    X(zeMemOpenIpcHandle,                                                      \
      (void *context, void *device, struct emu_ze_ipc_handle handle,           \
       uint32_t flags, void **ptr))                                            \
    X(zeMemCloseIpcHandle, (void *context, const void *ptr))                   \
    X(zeCommandQueueCreate, (void *context, void *device,                      \
                             const struct hc_ze_queue_desc *desc, void **out)) \
    X(zeCommandQueueDestroy, (void *queue))                                    \
    X(zeCommandQueueExecuteCommandLists,                                       \
      (void *queue, uint32_t count, void **lists, void *fence))                \
    X(zeCommandQueueSynchronize, (void *queue, uint64_t timeout_ns))           \
    X(zeFenceCreate,                                                           \
      (void *queue, const struct emu_ze_fence_desc *desc, void **fence))       \
    X(zeFenceDestroy, (void *fence))                                           \
    X(zeFenceHostSynchronize, (void *fence, uint64_t timeout_ns))              \
    X(zeFenceQueryStatus, (void *fence))                                       \
    X(zeFenceReset, (void *fence))                                             \
    X(zeCommandListCreate, (void *context, void *device,                       \
                            const struct emu_ze_list_desc *desc, void **list)) \
    X(zeCommandListCreateImmediate,                                            \
      (void *context, void *device, const struct hc_ze_queue_desc *desc,       \
       void **list))                                                           \
    X(zeCommandListDestroy, (void *list))                                      \
    X(zeCommandListClose, (void *list))                                        \
    X(zeCommandListReset, (void *list))                                        \
    X(zeCommandListAppendBarrier,                                              \
      (void *list, void *signal, uint32_t nwait, void **wait))                 \
    X(zeCommandListAppendMemoryCopy,                                           \
      (void *list, void *dst, const void *src, size_t bytes, void *signal,     \
       uint32_t nwait, void **wait))                                           \
    X(zeCommandListAppendMemoryCopyRegion,                                     \
      (void *list, void *dst, const struct hc_ze_region *dst_region,           \
       uint32_t dst_pitch, uint32_t dst_slice_pitch, const void *src,          \
       const struct hc_ze_region *src_region, uint32_t src_pitch,              \
       uint32_t src_slice_pitch, void *signal, uint32_t nwait, void **wait))   \
    X(zeCommandListAppendMemoryFill,                                           \
      (void *list, void *dst, const void *pattern, size_t pattern_bytes,       \
       size_t bytes, void *signal, uint32_t nwait, void **wait))               \
    X(zeCommandListAppendSignalEvent, (void *list, void *event))               \
    X(zeCommandListAppendWaitOnEvents,                                         \
      (void *list, uint32_t count, void **events))                             \
    X(zeCommandListAppendEventReset, (void *list, void *event))                \
    X(zeEventPoolCreate,                                                       \
      (void *context, const struct hc_ze_event_pool_desc *desc,                \
       uint32_t ndevices, void **devices, void **pool))                        \
    X(zeEventPoolDestroy, (void *pool))                                        \
    X(zeEventCreate,                                                           \
      (void *pool, const struct hc_ze_event_desc *desc, void **event))         \
    X(zeEventDestroy, (void *event))                                           \
    X(zeEventHostSignal, (void *event))                                        \
    X(zeEventHostSynchronize, (void *event, uint64_t timeout_ns))              \
    X(zeEventQueryStatus, (void *event))                                       \
    X(zeEventHostReset, (void *event))                                         \
    X(zeModuleCreate, (void *context, void *device, const void *desc,          \
                       void **module, void **log))

struct ze_api {
#define DECLARE(name, parameters) int(*name) parameters;
    ZE_API_LIST(DECLARE)
#undef DECLARE
};

extern struct ze_api ze;

#define KB ((size_t)1024)
#define MB (KB * KB)

#define MS UINT64_C(1000000) /* ns */

/* The link of device 1 is slow, host to device, so that a copy of this many
 * bytes is still under way when the call that started it returns. */
#define SLOW_DEVICE 1
#define SLOW_BYTES  (2 * MB) /* 0.2 s at 10 MB/s */

enum { DEVICES = 3, EVENTS = 64 };

/* What most tests need; made once per process, by open_driver. */
struct ze_bench {
    void *driver, *devices[DEVICES], *context;
    void *lists[DEVICES]; /* immediate, asynchronous, of the first group */
    void *pool;
};

extern struct ze_bench bench;

/* Loads the loader and makes the bench.  The code of the first call that
 * failed. */
int open_driver(void);

#define assert_ze(expected, call) \
    assert_int_equal((unsigned)(call), (unsigned)(expected))
#define assert_ok(call) assert_ze(HC_ZE_SUCCESS, call)

int alloc_device(int device, size_t bytes, void **ptr);
int alloc_host(size_t bytes, void **ptr);
int alloc_shared(int device, size_t bytes, void **ptr);
int open_list(int device, uint32_t group, int mode, void **list);
int new_event(void **event); /* at the next place of the pool */
/* Copy by a device's list and wait for it. */
int copy_on(int device, void *dst, const void *src, size_t bytes);

/* The roles of other processes. */
int role_import(const char *argument);
int role_raw(const char *argument);
int role_pidfd(const char *argument);
int role_peer(void);
int role_overtake(void);
int role_start(void);
int role_correct(void);
int role_lost(const char *argument);
int role_stall(void);

/* The tests, by file. */
#define MEMORY_TESTS(X)                            \
    X(devices_say_that_they_are_emulated)          \
    X(groups_and_memories_are_listed)              \
    X(device_memory_traps_the_host)                \
    X(host_and_shared_memory_are_reached_by_both)  \
    X(copies_arrive_exactly)                       \
    X(copies_of_regions_leave_the_gaps)            \
    X(fills_repeat_their_pattern)                  \
    X(a_copy_past_the_end_is_refused)              \
    X(an_address_is_known_in_every_context)        \
    X(an_unknown_address_has_no_type_and_no_range) \
    X(alignments_are_obeyed)                       \
    X(sizes_and_alignments_are_checked)            \
    X(descriptors_of_other_kinds_are_refused)      \
    X(memory_runs_out)                             \
    X(freeing_twice_is_an_error)                   \
    X(freeing_does_not_wait_and_hurts_no_copy)     \
    X(host_memory_of_the_program_is_imported)

#define LIST_TESTS(X)                                  \
    X(an_immediate_copy_returns_early)                 \
    X(a_synchronous_list_returns_late)                 \
    X(a_list_waits_for_a_signal_that_comes_later)      \
    X(lists_of_two_devices_wait_for_each_other)        \
    X(waiting_ends_after_its_time)                     \
    X(events_go_up_and_down_in_the_lists_order)        \
    X(an_event_may_be_destroyed_while_it_is_used)      \
    X(without_a_barrier_copies_overtake_when_asked_to) \
    X(a_closed_list_is_executed_again_and_again)       \
    X(a_list_that_is_not_ready_is_refused)             \
    X(an_immediate_list_may_be_closed_and_reset)       \
    X(a_fence_goes_up_after_its_lists)                 \
    X(threads_copy_at_once)                            \
    X(bad_handles_are_errors)

#define SHARE_TESTS(X)                            \
    X(another_process_opens_a_handle)             \
    X(another_process_takes_the_descriptor)       \
    X(a_raw_handle_of_another_process_is_refused) \
    X(ones_own_handle_gives_another_address)      \
    X(what_has_no_handle_is_refused)              \
    X(peers_are_as_the_variable_says)             \
    X(a_forked_child_is_not_initialised)          \
    X(without_devices_there_is_no_driver)         \
    X(the_affinity_mask_is_a_set)                 \
    X(threads_may_all_be_first)

#define FAULT_TESTS(X)                           \
    X(a_malformed_variable_fails_initialisation) \
    X(faults_are_injected_by_name)               \
    X(a_failed_copy_loses_the_device)            \
    X(a_stalled_copy_leaves_the_event_down)      \
    X(calls_are_traced)                          \
    X(what_is_not_emulated_says_so_once)         \
    X(the_loader_finds_it_by_its_path)           \
    X(the_loaders_layers_have_nothing_to_say)    \
    X(exit_with_copies_in_flight_is_clean)

#define DECLARE_TEST(name) void name(void **state);
MEMORY_TESTS(DECLARE_TEST)
LIST_TESTS(DECLARE_TEST)
SHARE_TESTS(DECLARE_TEST)
FAULT_TESTS(DECLARE_TEST)
#undef DECLARE_TEST

#endif
