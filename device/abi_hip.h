#ifndef HC_ABI_HIP_H
#define HC_ABI_HIP_H

/*
 * What HCOMM needs of AMD's HIP runtime interface, in names of its own, so that
 * no vendor header is needed and none is contradicted.  Majors 5, 6 and 7 of
 * libamdhip64 are covered; where their numbers differ a function of the
 * major picks them.  test/compile/abi_hip.c compares with an installed header.
 */

#include <stddef.h>

/* hipError_t: the same numbers in all majors */
enum hc_hip_error {
    HC_HIP_SUCCESS = 0,
    HC_HIP_INVALID_VALUE = 1,
    HC_HIP_OUT_OF_MEMORY = 2,
    HC_HIP_NOT_INITIALIZED = 3,
    HC_HIP_DEINITIALIZED = 4,
    HC_HIP_INVALID_CONFIGURATION = 9,
    HC_HIP_INVALID_PITCH = 12,
    HC_HIP_INVALID_SYMBOL = 13,
    HC_HIP_INVALID_DEVICE_POINTER = 17,
    HC_HIP_INVALID_DIRECTION = 21,
    HC_HIP_NO_DEVICE = 100,
    HC_HIP_INVALID_DEVICE = 101,
    HC_HIP_INVALID_CONTEXT = 201, /* also: one's own IPC handle */
    HC_HIP_MAP_FAILED = 205,
    HC_HIP_PEER_UNSUPPORTED = 217,
    HC_HIP_INVALID_HANDLE = 400,
    HC_HIP_NOT_FOUND = 500,
    HC_HIP_NOT_READY = 600,
    HC_HIP_ILLEGAL_ADDRESS = 700,
    HC_HIP_PEER_ALREADY_ENABLED = 704,
    HC_HIP_PEER_NOT_ENABLED = 705,
    HC_HIP_CONTEXT_DESTROYED = 709,
    HC_HIP_HOST_ALREADY_REGISTERED = 712,
    HC_HIP_HOST_NOT_REGISTERED = 713,
    HC_HIP_NOT_SUPPORTED = 801,
    HC_HIP_CAPTURE_UNSUPPORTED = 900,
    HC_HIP_CAPTURE_INVALIDATED = 901,
    HC_HIP_CAPTURE_IMPLICIT = 906,
    HC_HIP_CAPTURED_EVENT = 907,
    HC_HIP_UNKNOWN = 999,
};

/* hipRuntimeGetVersion: major * 10000000 + minor * 100000 + patch */
static inline int hc_hip_major(int runtime_version)
{
    return runtime_version / 10000000;
}

/* hipMemoryType was renumbered in HIP 6. */
enum hc_hip_memory_type_5 {
    HC_HIP5_MEM_HOST = 0,
    HC_HIP5_MEM_DEVICE = 1,
    HC_HIP5_MEM_ARRAY = 2,
    HC_HIP5_MEM_UNIFIED = 3,
    HC_HIP5_MEM_MANAGED = 4, /* declared from 5.4 on */
};

enum hc_hip_memory_type_6 {
    HC_HIP6_MEM_UNREGISTERED = 0,
    HC_HIP6_MEM_HOST = 1,
    HC_HIP6_MEM_DEVICE = 2,
    HC_HIP6_MEM_MANAGED = 3,
    HC_HIP6_MEM_ARRAY = 10,
    HC_HIP6_MEM_UNIFIED = 11,
};

/*
 * hipPointerAttribute_t: one layout in all majors; the first field is called
 * memoryType in 5 and type later.
 * An address HIP does not know: in 5 the query fails with INVALID_VALUE; from 6
 * on it succeeds, type is UNREGISTERED and device HC_HIP_INVALID_DEVICE_ID.
 */
struct hc_hip_pointer_attributes {
    int      type; /* of enum hc_hip_memory_type_5 or _6 */
    int      device;
    void    *device_ptr;
    void    *host_ptr; /* NULL for memory the host cannot reach */
    int      is_managed;
    unsigned allocation_flags;
};

#define HC_HIP_CPU_DEVICE_ID     (-1)
#define HC_HIP_INVALID_DEVICE_ID (-2)

/* The type of plain device memory and of pinned host memory in a major. */
static inline int hc_hip_type_device(int major)
{
    return major >= 6 ? (int)HC_HIP6_MEM_DEVICE : (int)HC_HIP5_MEM_DEVICE;
}

static inline int hc_hip_type_host(int major)
{
    return major >= 6 ? (int)HC_HIP6_MEM_HOST : (int)HC_HIP5_MEM_HOST;
}

/* hipPointer_attribute, of hipPointerGetAttribute (5.0 on) */
enum hc_hip_pointer_attribute {
    HC_HIP_PTR_CONTEXT = 1,
    HC_HIP_PTR_MEMORY_TYPE = 2,
    HC_HIP_PTR_DEVICE_POINTER = 3,
    HC_HIP_PTR_HOST_POINTER = 4,
    HC_HIP_PTR_P2P_TOKENS = 5,
    HC_HIP_PTR_SYNC_MEMOPS = 6,
    HC_HIP_PTR_BUFFER_ID = 7,
    HC_HIP_PTR_IS_MANAGED = 8,
    HC_HIP_PTR_DEVICE_ORDINAL = 9,
    HC_HIP_PTR_LEGACY_IPC_CAPABLE = 10,
    HC_HIP_PTR_RANGE_START = 11,
    HC_HIP_PTR_RANGE_BYTES = 12,
    HC_HIP_PTR_MAPPED = 13,
    HC_HIP_PTR_ALLOWED_HANDLE_TYPES = 14,
    HC_HIP_PTR_RDMA_CAPABLE = 15,
    HC_HIP_PTR_ACCESS_FLAGS = 16,
    HC_HIP_PTR_MEMPOOL = 17,
};

/* hipMemcpyKind */
enum hc_hip_copy_kind {
    HC_HIP_COPY_HOST_HOST = 0,
    HC_HIP_COPY_HOST_DEV = 1,
    HC_HIP_COPY_DEV_HOST = 2,
    HC_HIP_COPY_DEV_DEV = 3,
    HC_HIP_COPY_DEFAULT = 4,
};

/* hipIpcMemHandle_t and hipIpcEventHandle_t; both go by value. */
struct hc_hip_ipc_handle {
    char bytes[64];
};

/* hipIpcMemLazyEnablePeerAccess, the only flag that opening accepts */
enum {
    HC_HIP5_IPC_LAZY_PEER = 0,
    HC_HIP6_IPC_LAZY_PEER = 1,
};

static inline unsigned hc_hip_ipc_lazy_peer(int major)
{
    return major >= 6 ? HC_HIP6_IPC_LAZY_PEER : HC_HIP5_IPC_LAZY_PEER;
}

/* Flags of streams, events, host memory */
#define HC_HIP_STREAM_NON_BLOCKING  0x1u
#define HC_HIP_EVENT_BLOCKING_SYNC  0x1u
#define HC_HIP_EVENT_DISABLE_TIMING 0x2u
#define HC_HIP_EVENT_INTERPROCESS   0x4u
#define HC_HIP_HOST_PORTABLE        0x1u
#define HC_HIP_HOST_MAPPED          0x2u

#define HC_HIP_STREAM_PER_THREAD ((void *)2)

/* hipStreamCaptureMode, hipStreamCaptureStatus */
enum hc_hip_capture_mode {
    HC_HIP_CAPTURE_GLOBAL,
    HC_HIP_CAPTURE_THREAD_LOCAL,
    HC_HIP_CAPTURE_RELAXED,
};

enum hc_hip_capture_status {
    HC_HIP_CAPTURE_NONE,
    HC_HIP_CAPTURE_ACTIVE,
    HC_HIP_CAPTURE_IS_INVALIDATED,
};

/* hipDeviceAttribute_t: numbers that are the same in all majors */
enum hc_hip_device_attribute {
    HC_HIP_ATTR_ASYNC_ENGINES = 2,
    HC_HIP_ATTR_CAN_MAP_HOST = 3,
    HC_HIP_ATTR_HOST_POINTER_REGISTERED = 4,
    HC_HIP_ATTR_CLOCK_KHZ = 5,
    HC_HIP_ATTR_CONCURRENT_KERNELS = 8,
    HC_HIP_ATTR_CONCURRENT_MANAGED = 9,
    HC_HIP_ATTR_INTEGRATED = 16,
    HC_HIP_ATTR_L2_BYTES = 19,
    HC_HIP_ATTR_MAJOR = 23,
    HC_HIP_ATTR_MANAGED_MEMORY = 24,
    HC_HIP_ATTR_BLOCK_X = 26,
    HC_HIP_ATTR_BLOCK_Y = 27,
    HC_HIP_ATTR_BLOCK_Z = 28,
    HC_HIP_ATTR_GRID_X = 29,
    HC_HIP_ATTR_GRID_Y = 30,
    HC_HIP_ATTR_GRID_Z = 31,
    HC_HIP_ATTR_THREADS_PER_BLOCK = 56,
    HC_HIP_ATTR_THREADS_PER_MULTIPROCESSOR = 57,
    HC_HIP_ATTR_PITCH = 58,
    HC_HIP_ATTR_MEMORY_BUS_BITS = 59,
    HC_HIP_ATTR_MEMORY_CLOCK_KHZ = 60,
    HC_HIP_ATTR_MINOR = 61,
    HC_HIP_ATTR_MULTIPROCESSORS = 63,
    HC_HIP_ATTR_PAGEABLE_ACCESS = 65,
    HC_HIP_ATTR_PCI_BUS = 67,
    HC_HIP_ATTR_PCI_DEVICE = 68,
    HC_HIP_ATTR_PCI_DOMAIN = 69,
    HC_HIP_ATTR_REGISTERS_PER_BLOCK = 71,
    HC_HIP_ATTR_SHARED_PER_BLOCK = 74,
    HC_HIP_ATTR_STREAM_PRIORITIES = 78,
    HC_HIP_ATTR_CONSTANT_BYTES = 83,
    HC_HIP_ATTR_UNIFIED_ADDRESSING = 85,
    HC_HIP_ATTR_WARP = 87,
    HC_HIP_ATTR_MEMORY_POOLS = 88,
};

/* hip_Memcpy2D */
struct hc_hip_copy_2d {
    size_t      src_x_bytes, src_y;
    int         src_type; /* of enum hc_hip_memory_type_5 or _6 */
    const void *src_host;
    void       *src_device;
    void       *src_array;
    size_t      src_pitch_bytes;
    size_t      dst_x_bytes, dst_y;
    int         dst_type;
    void       *dst_host;
    void       *dst_device;
    void       *dst_array;
    size_t      dst_pitch_bytes;
    size_t      width_bytes, height;
};

#endif
