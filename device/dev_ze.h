#ifndef HC_DEV_ZE_H
#define HC_DEV_ZE_H

/* What the parts of the ze backend share: dev_ze_driver.c finds drivers and
 * devices, dev_ze_queue.c moves bytes, dev_ze.c is the table and the rest. */

#include "device/abi_ze.h"
#include "device/device.h"

/* The names are the same in every version: a change of meaning gets a new
 * one. */
#define ZE_API(X)                                                             \
    X(zeInit, (uint32_t flags))                                               \
    X(zeDriverGet, (uint32_t * count, void **drivers))                        \
    X(zeDriverGetApiVersion, (void *driver, uint32_t *version))               \
    X(zeDriverGetExtensionFunctionAddress,                                    \
      (void *driver, const char *name, void **address))                       \
    X(zeDeviceGet, (void *driver, uint32_t *count, void **devices))           \
    X(zeDeviceGetSubDevices, (void *device, uint32_t *count, void **devices)) \
    X(zeDeviceGetProperties,                                                  \
      (void *device, struct hc_ze_device_properties *properties))             \
    X(zeDeviceGetMemoryProperties,                                            \
      (void *device, uint32_t *count, struct hc_ze_device_memory *memories))  \
    X(zeDeviceGetCommandQueueGroupProperties,                                 \
      (void *device, uint32_t *count, struct hc_ze_queue_group *groups))      \
    X(zeContextCreate,                                                        \
      (void *driver, const struct hc_ze_context_desc *desc, void **context))  \
    X(zeContextDestroy, (void *context))                                      \
    X(zeMemAllocDevice,                                                       \
      (void *context, const struct hc_ze_device_alloc_desc *desc,             \
       size_t bytes, size_t alignment, void *device, void **ptr))             \
    X(zeMemFree, (void *context, void *ptr))                                  \
    X(zeMemGetAllocProperties,                                                \
      (void *context, const void *ptr,                                        \
       struct hc_ze_alloc_properties *properties, void **device))             \
    X(zeMemGetAddressRange,                                                   \
      (void *context, const void *ptr, void **base, size_t *bytes))           \
    X(zeCommandListCreateImmediate,                                           \
      (void *context, void *device, const struct hc_ze_queue_desc *desc,      \
       void **list))                                                          \
    X(zeCommandListDestroy, (void *list))                                     \
    X(zeCommandListAppendMemoryCopy,                                          \
      (void *list, void *dst, const void *src, size_t bytes, void *signal,    \
       uint32_t nwait, void **wait))                                          \
    X(zeCommandListAppendMemoryCopyRegion,                                    \
      (void *list, void *dst, const struct hc_ze_region *dst_region,          \
       uint32_t dst_pitch, uint32_t dst_slice_pitch, const void *src,         \
       const struct hc_ze_region *src_region, uint32_t src_pitch,             \
       uint32_t src_slice_pitch, void *signal, uint32_t nwait, void **wait))  \
    X(zeCommandListAppendBarrier,                                             \
      (void *list, void *signal, uint32_t nwait, void **wait))                \
    X(zeEventPoolCreate,                                                      \
      (void *context, const struct hc_ze_event_pool_desc *desc,               \
       uint32_t ndevices, void **devices, void **pool))                       \
    X(zeEventPoolDestroy, (void *pool))                                       \
    X(zeEventCreate,                                                          \
      (void *pool, const struct hc_ze_event_desc *desc, void **event))        \
    X(zeEventDestroy, (void *event))                                          \
    X(zeEventQueryStatus, (void *event))                                      \
    X(zeEventHostSynchronize, (void *event, uint64_t timeout_ns))             \
    X(zeEventHostReset, (void *event))

/* An extension of 1.0, absent from some loaders; NULL then. */
#define ZE_API_OPTIONAL(X)         \
    X(zeDevicePciGetPropertiesExt, \
      (void *device, struct hc_ze_pci_properties *properties))

struct hc_ze_api {
#define X(name, parameters) int(*name) parameters;
    ZE_API(X)
    ZE_API_OPTIONAL(X)
#undef X
};

struct hc_ze_driver {
    void *handle;
    void *context; /* ours: Intel's driver looks an address up
                      in all of the process's contexts */
    hc_ze_import_pointer  import_pointer; /* NULL where it has none */
    hc_ze_release_pointer release_pointer;
};

struct hc_ze_device {
    void                *handle;
    struct hc_ze_driver *driver;
};

enum {
    HC_ZE_DRIVERS_MAX =
        8, /* of one process; GPUs, NPUs and CPUs have each one */
    HC_ZE_DEVICES_MAX = 64, /* of all drivers */
};

/* What there is, while Level Zero is up; it stays the same then. */
struct hc_ze_list {
    struct hc_ze_driver drivers[HC_ZE_DRIVERS_MAX];
    int                 ndrivers;
    struct hc_ze_device devices[HC_ZE_DEVICES_MAX];
    int                 ndevices;
};

/* The loader is the process's, hence globals; the first is filled by open. */
extern struct hc_ze_api  hc_ze;
extern struct hc_ze_list hc_ze_list;

/* Whether the program has initialised Level Zero, and it has a GPU. */
bool hc_ze_is_up(void);

/* The ordinal of a driver's device, or of what it is a part of; NULL stands for
 * any of the driver's.  -1: none of the drivers listed it. */
int hc_ze_device_of(const struct hc_ze_driver *driver, const void *handle);

/* What a code means to our caller.  Logs "ze <what>: <words>; <what to do>"
 * unless the code is success. */
hcomm_status hc_ze_status(int code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "invalid argument (ZE_RESULT_ERROR_INVALID_ARGUMENT), code 0x78000004" */
void hc_ze_error_text(int code, char *text, size_t room);

/* Operations of struct hc_dev_ops; ordinal names the device. */
bool         hc_ze_present(void);
bool         hc_ze_findable(char *why, size_t room);
hcomm_status hc_ze_open(enum hc_dev_open_mode mode, char *why, size_t room);
void         hc_ze_close(void);
hcomm_status hc_ze_queue(const struct hc_ze_device *device, int ordinal,
                         struct hc_dev_queue **queue_out);
hcomm_status hc_ze_copy_rows(struct hc_dev_queue      *queue,
                             const struct hc_dev_rows *sets, int nsets);
hcomm_status hc_ze_record(struct hc_dev_queue  *queue,
                          struct hc_dev_event **event_out);
hcomm_status hc_ze_test(struct hc_dev_event *event);
/* Destroys every queue; false where copies would not end, so that the driver's
 * own objects had to be left as they are. */
bool hc_ze_close_queues(void);

#endif
