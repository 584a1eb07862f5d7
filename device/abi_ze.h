#ifndef HC_ABI_ZE_H
#define HC_ABI_ZE_H

/*
 * What HCOMM needs of the Level Zero core interface (1.0 on), in names of its
 * own, so that no vendor header is needed and none is contradicted.  Handles
 * are void pointers.  test/compile/abi_ze.c compares with an installed header.
 */

#include <stddef.h>
#include <stdint.h>

/* ze_result_t: our name, the header's name after ZE_RESULT_, number, words. */
#define HC_ZE_RESULTS(X)                                                     \
    X(SUCCESS, SUCCESS, 0, "success")                                        \
    X(NOT_READY, NOT_READY, 1, "not ready")                                  \
    X(DEVICE_LOST, ERROR_DEVICE_LOST, 0x70000001,                            \
      "the device hung, was reset or removed")                               \
    X(OUT_OF_HOST_MEMORY, ERROR_OUT_OF_HOST_MEMORY, 0x70000002,              \
      "out of host memory")                                                  \
    X(OUT_OF_DEVICE_MEMORY, ERROR_OUT_OF_DEVICE_MEMORY, 0x70000003,          \
      "out of device memory")                                                \
    X(MODULE_BUILD_FAILURE, ERROR_MODULE_BUILD_FAILURE, 0x70000004,          \
      "a module could not be built")                                         \
    X(MODULE_LINK_FAILURE, ERROR_MODULE_LINK_FAILURE, 0x70000005,            \
      "a module could not be linked")                                        \
    X(DEVICE_REQUIRES_RESET, ERROR_DEVICE_REQUIRES_RESET, 0x70000006,        \
      "the device must be reset")                                            \
    X(DEVICE_IN_LOW_POWER, ERROR_DEVICE_IN_LOW_POWER_STATE, 0x70000007,      \
      "the device is in a low power state")                                  \
    X(INSUFFICIENT_PERMISSIONS, ERROR_INSUFFICIENT_PERMISSIONS, 0x70010000,  \
      "insufficient permissions")                                            \
    X(NOT_AVAILABLE, ERROR_NOT_AVAILABLE, 0x70010001,                        \
      "in use by somebody else")                                             \
    X(DEPENDENCY_UNAVAILABLE, ERROR_DEPENDENCY_UNAVAILABLE, 0x70020000,      \
      "a library or service that it needs is absent")                        \
    X(UNINITIALIZED, ERROR_UNINITIALIZED, 0x78000001,                        \
      "no driver is initialised")                                            \
    X(UNSUPPORTED_VERSION, ERROR_UNSUPPORTED_VERSION, 0x78000002,            \
      "unsupported version")                                                 \
    X(UNSUPPORTED_FEATURE, ERROR_UNSUPPORTED_FEATURE, 0x78000003,            \
      "unsupported feature")                                                 \
    X(INVALID_ARGUMENT, ERROR_INVALID_ARGUMENT, 0x78000004,                  \
      "invalid argument")                                                    \
    X(INVALID_NULL_HANDLE, ERROR_INVALID_NULL_HANDLE, 0x78000005,            \
      "a handle is NULL")                                                    \
    X(HANDLE_IN_USE, ERROR_HANDLE_OBJECT_IN_USE, 0x78000006,                 \
      "a handle is in use")                                                  \
    X(INVALID_NULL_POINTER, ERROR_INVALID_NULL_POINTER, 0x78000007,          \
      "a pointer is NULL")                                                   \
    X(INVALID_SIZE, ERROR_INVALID_SIZE, 0x78000008, "invalid size")          \
    X(UNSUPPORTED_SIZE, ERROR_UNSUPPORTED_SIZE, 0x78000009,                  \
      "unsupported size")                                                    \
    X(UNSUPPORTED_ALIGNMENT, ERROR_UNSUPPORTED_ALIGNMENT, 0x7800000a,        \
      "unsupported alignment")                                               \
    X(INVALID_SYNC_OBJECT, ERROR_INVALID_SYNCHRONIZATION_OBJECT, 0x7800000b, \
      "invalid synchronization object")                                      \
    X(INVALID_ENUMERATION, ERROR_INVALID_ENUMERATION, 0x7800000c,            \
      "invalid enumeration value")                                           \
    X(UNSUPPORTED_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION, 0x7800000d,    \
      "unsupported enumeration value")                                       \
    X(INVALID_COMMAND_LIST, ERROR_INVALID_COMMAND_LIST_TYPE, 0x78000019,     \
      "invalid kind of command list")                                        \
    X(OVERLAPPING_REGIONS, ERROR_OVERLAPPING_REGIONS, 0x7800001a,            \
      "source and destination overlap")                                      \
    X(UNKNOWN, ERROR_UNKNOWN, 0x7ffffffe, "unknown failure")

enum hc_ze_result {
#define X(name, theirs, number, words) HC_ZE_##name = number,
    HC_ZE_RESULTS(X)
#undef X
};

/* ze_structure_type_t, the first field of every structure */
enum hc_ze_structure {
    HC_ZE_IS_DRIVER_PROPERTIES = 0x1,
    HC_ZE_IS_DEVICE_PROPERTIES = 0x3,
    HC_ZE_IS_QUEUE_GROUP_PROPERTIES = 0x6,
    HC_ZE_IS_DEVICE_MEMORY = 0x7,
    HC_ZE_IS_CONTEXT_DESC = 0xd,
    HC_ZE_IS_QUEUE_DESC = 0xe,
    HC_ZE_IS_EVENT_POOL_DESC = 0x10,
    HC_ZE_IS_EVENT_DESC = 0x11,
    HC_ZE_IS_DEVICE_ALLOC_DESC = 0x15,
    HC_ZE_IS_HOST_ALLOC_DESC = 0x16,
    HC_ZE_IS_ALLOC_PROPERTIES = 0x17,
    HC_ZE_IS_PCI_PROPERTIES = 0x10008,
};

/* ze_device_type_t */
enum hc_ze_device_type {
    HC_ZE_DEVICE_GPU = 1,
    HC_ZE_DEVICE_CPU = 2,
    HC_ZE_DEVICE_FPGA = 3,
    HC_ZE_DEVICE_MCA = 4,
    HC_ZE_DEVICE_VPU = 5,
};

/* ze_memory_type_t */
enum hc_ze_memory_type {
    HC_ZE_MEMORY_UNKNOWN = 0, /* what zeMemGetAllocProperties does not know */
    HC_ZE_MEMORY_HOST = 1,
    HC_ZE_MEMORY_DEVICE = 2,
    HC_ZE_MEMORY_SHARED = 3,
};

/* ze_command_queue_mode_t */
enum hc_ze_queue_mode {
    HC_ZE_QUEUE_DEFAULT = 0,
    HC_ZE_QUEUE_SYNCHRONOUS = 1,
    HC_ZE_QUEUE_ASYNCHRONOUS = 2,
};

/* Flags of queue groups, event pools, events' scopes */
#define HC_ZE_GROUP_COMPUTE           0x1u
#define HC_ZE_GROUP_COPY              0x2u
#define HC_ZE_EVENT_POOL_HOST_VISIBLE 0x1u
#define HC_ZE_SCOPE_HOST              0x4u

/* ze_api_version_t: major << 16 | minor */
#define HC_ZE_MAJOR(version) ((version) >> 16)
#define HC_ZE_MINOR(version) ((version)&0xffffu)

struct hc_ze_context_desc {
    int         stype;
    const void *next;
    uint32_t    flags;
};

struct hc_ze_device_properties {
    int      stype;
    void    *next;
    int      type; /* of enum hc_ze_device_type */
    uint32_t vendor_id, device_id;
    uint32_t flags;
    uint32_t subdevice_id;
    uint32_t clock_mhz;
    uint64_t allocation_max_bytes;
    uint32_t contexts_max, queue_priority_max;
    uint32_t threads_per_eu, eu_simd_width, eus_per_subslice,
        subslices_per_slice, slices;
    uint64_t      timer_resolution;
    uint32_t      timestamp_bits, kernel_timestamp_bits;
    unsigned char uuid[16];
    char          name[256];
};

struct hc_ze_device_memory {
    int      stype;
    void    *next;
    uint32_t flags;
    uint32_t clock_mhz, bus_bits;
    uint64_t bytes;
    char     name[256];
};

struct hc_ze_queue_group {
    int      stype;
    void    *next;
    uint32_t flags; /* HC_ZE_GROUP_ */
    size_t   fill_pattern_max_bytes;
    uint32_t nqueues;
};

struct hc_ze_pci_properties {
    int      stype;
    void    *next;
    uint32_t domain, bus, device, function;
    int32_t  generation, width; /* -1: unknown */
    int64_t  bytes_per_s;       /* -1: unknown */
};

struct hc_ze_queue_desc {
    int         stype;
    const void *next;
    uint32_t    group; /* the header's ordinal */
    uint32_t    index;
    uint32_t    flags;
    int         mode; /* of enum hc_ze_queue_mode */
    int         priority;
};

struct hc_ze_event_pool_desc {
    int         stype;
    const void *next;
    uint32_t    flags; /* HC_ZE_EVENT_POOL_ */
    uint32_t    count;
};

struct hc_ze_event_desc {
    int         stype;
    const void *next;
    uint32_t    index;
    uint32_t    signal, wait; /* HC_ZE_SCOPE_ */
};

struct hc_ze_device_alloc_desc {
    int         stype;
    const void *next;
    uint32_t    flags;
    uint32_t    memory; /* the header's ordinal */
};

struct hc_ze_host_alloc_desc {
    int         stype;
    const void *next;
    uint32_t    flags;
};

/* A box of a copy: where it begins, and its size; x and width in bytes. */
struct hc_ze_region {
    uint32_t x, y, z;
    uint32_t width, height, depth;
};

struct hc_ze_alloc_properties {
    int      stype;
    void    *next;
    int      type; /* of enum hc_ze_memory_type */
    uint64_t id;   /* no other allocation of the process ever has it */
    uint64_t page_bytes;
};

/*
 * Extension functions of Intel's driver, by
 * zeDriverGetExtensionFunctionAddress: host memory that the program allocated
 * itself, pinned for the driver's copies.  The core interface has none.
 */
#define HC_ZE_IMPORT_POINTER  "zexDriverImportExternalPointer"
#define HC_ZE_RELEASE_POINTER "zexDriverReleaseImportedPointer"
typedef int (*hc_ze_import_pointer)(void *driver, void *ptr, size_t bytes);
typedef int (*hc_ze_release_pointer)(void *driver, void *ptr);

#endif
