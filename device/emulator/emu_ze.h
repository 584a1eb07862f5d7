#ifndef EMU_ZE_H
#define EMU_ZE_H

/*
 * A Level Zero driver over the engine: what its sources share.  The vendor's
 * loader (libze_loader.so.1) opens the library, asks its zeGet...ProcAddrTable
 * functions for tables of entries, and hands the program's calls on.  So the
 * functions have the API's names, but only the table functions are symbols.
 */

#include "device/emulator/emu_core.h"
#include "device/emulator/emu_flag.h"
#include "device/emulator/emu_ze_abi.h"

#define ZE_API __attribute__((visibility("default")))

#define ZE_MAX_DEVICES 64

/* ------------------------------------------------------------------- entry */

/* First thing in every function; returns a code of Level Zero. */
int ze_enter(const char *function);
/* A status of the engine as a code of Level Zero; these stay what they are. */
int ze_result(int status);
/* Whether HCOMM_EMU_FAULT may name it. */
bool ze_is_function(const char *name);

/* ----------------------------------------------------------------- handles */

enum ze_kind {
    ZE_DRIVER = 1,
    ZE_DEVICE,
    ZE_CONTEXT,
    ZE_QUEUE,
    ZE_LIST,
    ZE_FENCE,
    ZE_POOL,
    ZE_EVENT,
};

/* What every handle points at, as its first member. */
struct ze_object {
    enum ze_kind kind;
};

struct ze_device {
    struct ze_object object;
    int              ordinal;
};

struct ze_context {
    struct ze_object object;
};

/* Level Zero's own check: a program that hands over something else gets a code
 * instead of a crash. */
int ze_check(const void *handle, enum ze_kind kind);
/* The same and the device's ordinal. */
int ze_check_device(const void *device, int *ordinal_out);
/* A context and a device. */
int ze_check_pair(const void *context, const void *device, int *ordinal_out);
/* A zeroed object of this kind, entered as a handle; NULL: no memory. */
void *ze_new(enum ze_kind kind, size_t bytes);
void  ze_delete(void *object);

void *ze_device_handle(int ordinal);
/* One engine context per device serves all contexts of the program, as they
 * share addresses and the device's fate. */
int ze_engine(int ordinal, struct emu_context **context_out);

/* -------------------------------------------------------- queues and lists */

struct ze_queue {
    struct ze_object   object;
    struct emu_stream *stream;
    int                ordinal;
    uint32_t           group;
    bool               synchronous;
    struct emu_stream *late; /* what may be overtaken; else NULL */
    struct emu_flag   *gate; /* what is on late waits for it; else NULL */
};

/* The queue groups of a device: one computes and copies, one only copies. */
enum { ZE_GROUP_MAIN, ZE_GROUP_COPY, ZE_GROUPS };
extern const struct hc_ze_queue_group ze_groups[ZE_GROUPS];

int ze_queue_open(struct ze_queue *queue, int ordinal,
                  const struct hc_ze_queue_desc *desc);

struct ze_event {
    struct ze_object object;
    struct emu_flag *flag;
};

enum ze_command_kind {
    ZE_COPY,
    ZE_FILL,
    ZE_WAIT,   /* until flag is up */
    ZE_SIGNAL, /* puts flag up */
    ZE_RESET,  /* puts flag down */
};

struct ze_command {
    enum ze_command_kind kind;
    union {
        struct emu_copy copy;
        struct {
            void         *dst;
            size_t        bytes, pattern_bytes;
            unsigned char pattern[EMU_MAX_PATTERN];
        } fill;
        struct emu_flag *flag; /* referenced while it is in a list */
    } u;
};

/* Start it on a stream; a status of the engine. */
int ze_submit(struct emu_stream *stream, const struct ze_command *command);

struct ze_list {
    struct ze_object   object;
    int                ordinal;
    uint32_t           group;
    struct ze_queue   *queue; /* of an immediate list, which keeps nothing */
    bool               closed;
    struct ze_command *commands;
    size_t             count, room;
};

/* emu_ze_order.c: whether commands of immediate lists overtake each other, and
 * which stream of an immediate list takes the next one. */
bool ze_overtakes(void);
int  ze_choose_stream(struct ze_queue *queue, bool may_be_late,
                      bool orders_others, struct emu_stream **stream_out);
void ze_open_gate(struct ze_queue *queue);

/* What an append function hands over beside its own arguments. */
struct ze_order {
    void    *signal; /* event or NULL */
    uint32_t nwait;
    void   **wait;
};

/* The list, if commands may be put into it now. */
int ze_check_open(void *list);
/* Waits, the commands, the signal. */
int ze_append(struct ze_list *list, const struct ze_command *commands,
              size_t count, const struct ze_order *order);

/* --------------------------------- the API, by the sources that define it */

/* emu_ze.c */
int zeInit(uint32_t flags);
int zeDriverGet(uint32_t *count, void **drivers);
int zeDriverGetApiVersion(void *driver, uint32_t *version);
int zeDriverGetProperties(void *driver, struct emu_ze_driver_properties *out);
int zeDriverGetIpcProperties(void *driver, struct emu_ze_ipc_properties *out);
int zeDriverGetExtensionProperties(void *driver, uint32_t *count,
                                   struct emu_ze_extension *out);
int zeDriverGetExtensionFunctionAddress(void *driver, const char *name,
                                        void **address);
int zeContextCreate(void *driver, const struct hc_ze_context_desc *desc,
                    void **context);
int zeContextCreateEx(void *driver, const struct hc_ze_context_desc *desc,
                      uint32_t ndevices, void **devices, void **context);
int zeContextDestroy(void *context);
int zeContextGetStatus(void *context);

/* emu_ze_device.c */
int zeDeviceGet(void *driver, uint32_t *count, void **devices);
int zeDeviceGetSubDevices(void *device, uint32_t *count, void **devices);
int zeDeviceGetProperties(void *device, struct hc_ze_device_properties *out);
int zeDeviceGetComputeProperties(void                             *device,
                                 struct emu_ze_compute_properties *out);
int zeDeviceGetModuleProperties(void                            *device,
                                struct emu_ze_module_properties *out);
int zeDeviceGetCommandQueueGroupProperties(void *device, uint32_t *count,
                                           struct hc_ze_queue_group *out);
int zeDeviceGetMemoryProperties(void *device, uint32_t *count,
                                struct hc_ze_device_memory *out);
int zeDeviceGetMemoryAccessProperties(void                        *device,
                                      struct emu_ze_memory_access *out);
int zeDeviceGetCacheProperties(void *device, uint32_t *count, void *out);
int zeDeviceGetExternalMemoryProperties(void                          *device,
                                        struct emu_ze_external_memory *out);
int zeDeviceGetP2PProperties(void *device, void *peer,
                             struct emu_ze_p2p_properties *out);
int zeDeviceCanAccessPeer(void *device, void *peer, unsigned char *value);
int zeDeviceGetStatus(void *device);
int zeDeviceGetGlobalTimestamps(void *device, uint64_t *host_ns,
                                uint64_t *device_ticks);
int zeDevicePciGetPropertiesExt(void *device, struct hc_ze_pci_properties *out);

/* emu_ze_memory.c */
int zeMemAllocDevice(void *context, const struct hc_ze_device_alloc_desc *desc,
                     size_t bytes, size_t alignment, void *device, void **ptr);
int zeMemAllocHost(void *context, const struct hc_ze_host_alloc_desc *desc,
                   size_t bytes, size_t alignment, void **ptr);
int zeMemAllocShared(void *context, const struct hc_ze_device_alloc_desc *desc,
                     const struct hc_ze_host_alloc_desc *host_desc,
                     size_t bytes, size_t alignment, void *device, void **ptr);
int zeMemFree(void *context, void *ptr);
int zeMemGetAllocProperties(void *context, const void *ptr,
                            struct hc_ze_alloc_properties *out, void **device);
int zeMemGetAddressRange(void *context, const void *ptr, void **base,
                         size_t *bytes);
int zeContextMakeMemoryResident(void *context, void *device, void *ptr,
                                size_t bytes);
int zeContextEvictMemory(void *context, void *device, void *ptr, size_t bytes);

/* emu_ze_share.c */
int zeMemGetIpcHandle(void *context, const void *ptr,
                      struct emu_ze_ipc_handle *handle);
int zeMemOpenIpcHandle(void *context, void *device,
                       struct emu_ze_ipc_handle handle, uint32_t flags,
                       void **ptr);
int zeMemCloseIpcHandle(void *context, const void *ptr);
int zexDriverImportExternalPointer(void *driver, void *ptr, size_t bytes);
int zexDriverReleaseImportedPointer(void *driver, void *ptr);
int zexDriverGetHostPointerBaseAddress(void *driver, void *ptr, void **base);

/* emu_ze_queue.c */
int zeCommandQueueCreate(void *context, void *device,
                         const struct hc_ze_queue_desc *desc, void **queue);
int zeCommandQueueDestroy(void *queue);
int zeCommandQueueExecuteCommandLists(void *queue, uint32_t count, void **lists,
                                      void *fence);
int zeCommandQueueSynchronize(void *queue, uint64_t timeout_ns);
int zeFenceCreate(void *queue, const struct emu_ze_fence_desc *desc,
                  void **fence);
int zeFenceDestroy(void *fence);
int zeFenceHostSynchronize(void *fence, uint64_t timeout_ns);
int zeFenceQueryStatus(void *fence);
int zeFenceReset(void *fence);

/* emu_ze_list.c */
int zeCommandListCreate(void *context, void *device,
                        const struct emu_ze_list_desc *desc, void **list);
int zeCommandListCreateImmediate(void *context, void *device,
                                 const struct hc_ze_queue_desc *desc,
                                 void                         **list);
int zeCommandListDestroy(void *list);
int zeCommandListClose(void *list);
int zeCommandListReset(void *list);

/* emu_ze_append.c */
int zeCommandListAppendBarrier(void *list, void *signal, uint32_t nwait,
                               void **wait);
int zeCommandListAppendMemoryRangesBarrier(void *list, uint32_t count,
                                           const size_t *bytes,
                                           const void **ptrs, void *signal,
                                           uint32_t nwait, void **wait);
int zeCommandListAppendMemoryCopy(void *list, void *dst, const void *src,
                                  size_t bytes, void *signal, uint32_t nwait,
                                  void **wait);
int zeCommandListAppendMemoryCopyFromContext(void *list, void *dst,
                                             void *src_context, const void *src,
                                             size_t bytes, void *signal,
                                             uint32_t nwait, void **wait);
int zeCommandListAppendMemoryCopyRegion(
    void *list, void *dst, const struct hc_ze_region *dst_region,
    uint32_t dst_pitch, uint32_t dst_slice_pitch, const void *src,
    const struct hc_ze_region *src_region, uint32_t src_pitch,
    uint32_t src_slice_pitch, void *signal, uint32_t nwait, void **wait);
int zeCommandListAppendMemoryFill(void *list, void *dst, const void *pattern,
                                  size_t pattern_bytes, size_t bytes,
                                  void *signal, uint32_t nwait, void **wait);
int zeCommandListAppendMemoryPrefetch(void *list, const void *ptr,
                                      size_t bytes);
int zeCommandListAppendMemAdvise(void *list, void *device, const void *ptr,
                                 size_t bytes, int advice);
int zeCommandListAppendSignalEvent(void *list, void *event);
int zeCommandListAppendWaitOnEvents(void *list, uint32_t count, void **events);
int zeCommandListAppendEventReset(void *list, void *event);

/* emu_ze_event.c */
int zeEventPoolCreate(void *context, const struct hc_ze_event_pool_desc *desc,
                      uint32_t ndevices, void **devices, void **pool);
int zeEventPoolDestroy(void *pool);
int zeEventCreate(void *pool, const struct hc_ze_event_desc *desc,
                  void **event);
int zeEventDestroy(void *event);
int zeEventHostSignal(void *event);
int zeEventHostSynchronize(void *event, uint64_t timeout_ns);
int zeEventQueryStatus(void *event);
int zeEventHostReset(void *event);

#endif
