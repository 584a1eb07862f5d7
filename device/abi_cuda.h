#ifndef HC_ABI_CUDA_H
#define HC_ABI_CUDA_H

/*
 * The part of NVIDIA's driver ABI (libcuda.so.1) that HCOMM calls and its
 * emulator provides, so that neither needs cuda.h.  Names start with hc_cu and
 * HC_CU, so a file may include both; test/compile/abi_cuda.c compares them.
 */

#include <stddef.h>
#include <stdint.h>

typedef int                hc_cu_result; /* enum hc_cu_code */
typedef int                hc_cu_device; /* ordinal */
typedef unsigned long long hc_cu_ptr;    /* address as the driver spells it */
typedef unsigned long long hc_cu_vmm;    /* handle of physical memory */

/* The driver's enumerations, as integers of their size. */
typedef unsigned hc_cu_device_attribute;
typedef unsigned hc_cu_pointer_attribute;
typedef unsigned hc_cu_pool_attribute;
typedef unsigned hc_cu_capture_mode;
typedef unsigned hc_cu_capture_status;
typedef unsigned hc_cu_handle_type;
typedef unsigned hc_cu_access_flags;
typedef unsigned hc_cu_granularity_flags;
typedef unsigned hc_cu_advice;
typedef unsigned hc_cu_peer_attribute;
typedef unsigned hc_cu_proc_status;
typedef unsigned hc_cu_func_cache;

struct hc_cu_context;
struct hc_cu_stream;
struct hc_cu_event;
struct hc_cu_pool;
struct hc_cu_graph;
struct hc_cu_graph_node;
struct hc_cu_affinity;
struct hc_cu_context_params;
struct hc_cu_edge;

enum hc_cu_code {
    HC_CU_SUCCESS = 0,
    HC_CU_INVALID_VALUE = 1,
    HC_CU_OUT_OF_MEMORY = 2,
    HC_CU_NOT_INITIALIZED = 3,
    HC_CU_DEINITIALIZED = 4,
    HC_CU_NO_DEVICE = 100,
    HC_CU_INVALID_DEVICE = 101,
    HC_CU_INVALID_IMAGE = 200,
    HC_CU_INVALID_CONTEXT = 201,
    HC_CU_MAP_FAILED = 205,
    HC_CU_ALREADY_MAPPED = 208,
    HC_CU_NO_BINARY_FOR_GPU = 209,
    HC_CU_PEER_ACCESS_UNSUPPORTED = 217,
    HC_CU_INVALID_HANDLE = 400,
    HC_CU_ILLEGAL_STATE = 401,
    HC_CU_NOT_FOUND = 500,
    HC_CU_NOT_READY = 600,
    HC_CU_ILLEGAL_ADDRESS = 700,
    HC_CU_PEER_ACCESS_ALREADY = 704,
    HC_CU_PEER_ACCESS_NOT_ENABLED = 705,
    HC_CU_PRIMARY_CONTEXT_ACTIVE = 708,
    HC_CU_CONTEXT_IS_DESTROYED = 709,
    HC_CU_HOST_ALREADY_REGISTERED = 712,
    HC_CU_HOST_NOT_REGISTERED = 713,
    HC_CU_LAUNCH_FAILED = 719,
    HC_CU_NOT_PERMITTED = 800,
    HC_CU_NOT_SUPPORTED = 801,
    HC_CU_CAPTURE_UNSUPPORTED = 900,
    HC_CU_CAPTURE_INVALIDATED = 901,
    HC_CU_CAPTURE_MERGE = 902,
    HC_CU_CAPTURE_UNMATCHED = 903,
    HC_CU_CAPTURE_UNJOINED = 904,
    HC_CU_CAPTURE_ISOLATION = 905,
    HC_CU_CAPTURE_IMPLICIT = 906,
    HC_CU_CAPTURED_EVENT = 907,
    HC_CU_CAPTURE_WRONG_THREAD = 908,
    HC_CU_UNKNOWN = 999,
};

/* hc_cu_device_attribute: those that are used; the emulator knows more. */
enum {
    HC_CU_DEVICE_MAX_THREADS_PER_BLOCK = 1,
    HC_CU_DEVICE_MAX_BLOCK_DIM_X = 2,
    HC_CU_DEVICE_MAX_BLOCK_DIM_Y = 3,
    HC_CU_DEVICE_MAX_BLOCK_DIM_Z = 4,
    HC_CU_DEVICE_MAX_GRID_DIM_X = 5,
    HC_CU_DEVICE_MAX_GRID_DIM_Y = 6,
    HC_CU_DEVICE_MAX_GRID_DIM_Z = 7,
    HC_CU_DEVICE_MAX_SHARED_PER_BLOCK = 8,
    HC_CU_DEVICE_TOTAL_CONSTANT_MEMORY = 9,
    HC_CU_DEVICE_WARP_SIZE = 10,
    HC_CU_DEVICE_MAX_PITCH = 11,
    HC_CU_DEVICE_MAX_REGISTERS_PER_BLOCK = 12,
    HC_CU_DEVICE_CLOCK_RATE = 13,
    HC_CU_DEVICE_TEXTURE_ALIGNMENT = 14,
    HC_CU_DEVICE_GPU_OVERLAP = 15,
    HC_CU_DEVICE_MULTIPROCESSOR_COUNT = 16,
    HC_CU_DEVICE_INTEGRATED = 18,
    HC_CU_DEVICE_CAN_MAP_HOST_MEMORY = 19,
    HC_CU_DEVICE_COMPUTE_MODE = 20,
    HC_CU_DEVICE_CONCURRENT_KERNELS = 31,
    HC_CU_DEVICE_ECC_ENABLED = 32,
    HC_CU_DEVICE_PCI_BUS_ID = 33,
    HC_CU_DEVICE_PCI_DEVICE_ID = 34,
    HC_CU_DEVICE_MEMORY_CLOCK_RATE = 36,
    HC_CU_DEVICE_MEMORY_BUS_WIDTH = 37,
    HC_CU_DEVICE_L2_CACHE_SIZE = 38,
    HC_CU_DEVICE_MAX_THREADS_PER_SM = 39,
    HC_CU_DEVICE_ASYNC_ENGINE_COUNT = 40,
    HC_CU_DEVICE_UNIFIED_ADDRESSING = 41,
    HC_CU_DEVICE_PCI_DOMAIN_ID = 50,
    HC_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR = 75,
    HC_CU_DEVICE_COMPUTE_CAPABILITY_MINOR = 76,
    HC_CU_DEVICE_STREAM_PRIORITIES = 78,
    HC_CU_DEVICE_MAX_SHARED_PER_SM = 81,
    HC_CU_DEVICE_MAX_REGISTERS_PER_SM = 82,
    HC_CU_DEVICE_MANAGED_MEMORY = 83,
    HC_CU_DEVICE_PAGEABLE_MEMORY_ACCESS = 88,
    HC_CU_DEVICE_CONCURRENT_MANAGED_ACCESS = 89,
    HC_CU_DEVICE_COMPUTE_PREEMPTION = 90,
    HC_CU_DEVICE_HOST_POINTER_IS_DEVICE = 91,
    HC_CU_DEVICE_MAX_SHARED_PER_BLOCK_OPTIN = 97,
    HC_CU_DEVICE_HOST_REGISTER = 99,
    HC_CU_DEVICE_VMM = 102,
    HC_CU_DEVICE_HANDLE_TYPE_FD = 103,
    HC_CU_DEVICE_MEMORY_POOLS = 115,
    HC_CU_DEVICE_GPU_DIRECT_RDMA = 116,
    HC_CU_DEVICE_POOL_HANDLE_TYPES = 119,
    HC_CU_DEVICE_DMA_BUF = 124,
    HC_CU_DEVICE_IPC_EVENT = 125,
};

/* hc_cu_pointer_attribute, with the type of the value */
enum {
    HC_CU_POINTER_ATTRIBUTE_CONTEXT = 1,               /* context pointer */
    HC_CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,           /* unsigned */
    HC_CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,        /* hc_cu_ptr */
    HC_CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,          /* void * */
    HC_CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,           /* int; settable */
    HC_CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,             /* uint64_t */
    HC_CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,            /* int */
    HC_CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,        /* int; -2: unknown */
    HC_CU_POINTER_ATTRIBUTE_IS_LEGACY_IPC = 10,        /* int */
    HC_CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,     /* hc_cu_ptr */
    HC_CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,           /* size_t */
    HC_CU_POINTER_ATTRIBUTE_MAPPED = 13,               /* int */
    HC_CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES = 14, /* uint64_t */
    HC_CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA = 15,   /* int */
    HC_CU_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16,         /* unsigned */
    HC_CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17,       /* pool pointer */
    HC_CU_POINTER_ATTRIBUTE_MAPPING_SIZE = 18,         /* size_t */
    HC_CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR = 19,    /* hc_cu_ptr */
    HC_CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID = 20,      /* uint64_t */
};

/* Values of HC_CU_POINTER_ATTRIBUTE_MEMORY_TYPE; 0: not the driver's. */
enum {
    HC_CU_MEMORYTYPE_HOST = 1,
    HC_CU_MEMORYTYPE_DEVICE = 2,
    HC_CU_MEMORYTYPE_ARRAY = 3,
    HC_CU_MEMORYTYPE_UNIFIED = 4,
};

enum {
    HC_CU_STREAM_NON_BLOCKING = 1,

    HC_CU_EVENT_BLOCKING_SYNC = 1,
    HC_CU_EVENT_DISABLE_TIMING = 2,
    HC_CU_EVENT_INTERPROCESS = 4,

    HC_CU_MEMHOSTALLOC_PORTABLE = 1,
    HC_CU_MEMHOSTALLOC_DEVICEMAP = 2,
    HC_CU_MEMHOSTALLOC_WRITECOMBINED = 4,
    HC_CU_MEMHOSTREGISTER_PORTABLE = 1,
    HC_CU_MEMHOSTREGISTER_DEVICEMAP = 2,
    HC_CU_MEMHOSTREGISTER_IOMEMORY = 4,
    HC_CU_MEMHOSTREGISTER_READ_ONLY = 8,

    HC_CU_MEM_ATTACH_GLOBAL = 1,
    HC_CU_MEM_ATTACH_HOST = 2,
    HC_CU_MEM_ATTACH_SINGLE = 4,

    HC_CU_IPC_LAZY_PEER_ACCESS = 1,

    HC_CU_CAPTURE_GLOBAL = 0, /* hc_cu_capture_mode */
    HC_CU_CAPTURE_THREAD_LOCAL = 1,
    HC_CU_CAPTURE_RELAXED = 2,

    HC_CU_CAPTURE_STATUS_NONE = 0, /* hc_cu_capture_status */
    HC_CU_CAPTURE_STATUS_ACTIVE = 1,
    HC_CU_CAPTURE_STATUS_INVALIDATED = 2,

    HC_CU_HANDLE_NONE = 0, /* hc_cu_handle_type */
    HC_CU_HANDLE_FD = 1,

    HC_CU_LOCATION_DEVICE = 1,
    HC_CU_ALLOCATION_PINNED = 1,
    HC_CU_ACCESS_NONE = 0, /* hc_cu_access_flags */
    HC_CU_ACCESS_READ = 1,
    HC_CU_ACCESS_READWRITE = 3,

    HC_CU_POOL_RELEASE_THRESHOLD = 4, /* hc_cu_pool_attribute */
    HC_CU_POOL_RESERVED_CURRENT = 5,
    HC_CU_POOL_RESERVED_HIGH = 6,
    HC_CU_POOL_USED_CURRENT = 7,
    HC_CU_POOL_USED_HIGH = 8,

    HC_CU_PROC_FOUND = 0, /* hc_cu_proc_status */
    HC_CU_PROC_NOT_FOUND = 1,
    HC_CU_PROC_NEWER_VERSION = 2,

    HC_CU_PEER_ACCESS_SUPPORTED = 2, /* hc_cu_peer_attribute */
};

/* Streams that need not be created. */
#define HC_CU_STREAM_LEGACY     ((struct hc_cu_stream *)1)
#define HC_CU_STREAM_PER_THREAD ((struct hc_cu_stream *)2)

struct hc_cu_uuid {
    char bytes[16];
};

struct hc_cu_ipc_mem_handle {
    char reserved[64];
};

struct hc_cu_ipc_event_handle {
    char reserved[64];
};

struct hc_cu_pool_pointer {
    unsigned char reserved[64];
};

struct hc_cu_location {
    unsigned type; /* HC_CU_LOCATION_DEVICE */
    int      id;   /* ordinal */
};

struct hc_cu_access {
    struct hc_cu_location location;
    hc_cu_access_flags    flags;
};

struct hc_cu_allocation_prop {
    unsigned              type; /* HC_CU_ALLOCATION_PINNED */
    hc_cu_handle_type     requested_handle_types;
    struct hc_cu_location location;
    void                 *win32_metadata; /* NULL */
    unsigned char         compression;
    unsigned char         gpu_direct_rdma;
    unsigned short        usage;
    unsigned char         reserved[4];
};

struct hc_cu_pool_props {
    unsigned              type; /* HC_CU_ALLOCATION_PINNED */
    hc_cu_handle_type     handle_types;
    struct hc_cu_location location;
    void                 *win32_attributes; /* NULL */
    size_t                max_bytes;        /* 0: the system's limit */
    unsigned short        usage;
    unsigned char         reserved[54];
};

/* x and y move the corner: by bytes, and by rows of pitch. */
struct hc_cu_copy_2d {
    size_t      src_x_bytes, src_y;
    unsigned    src_type; /* HC_CU_MEMORYTYPE_*: which address counts */
    const void *src_host;
    hc_cu_ptr   src_device;
    void       *src_array;
    size_t      src_pitch;
    size_t      dst_x_bytes, dst_y;
    unsigned    dst_type;
    void       *dst_host;
    hc_cu_ptr   dst_device;
    void       *dst_array;
    size_t      dst_pitch;
    size_t      width_bytes, height;
};

/*
 * Functions by their names in the library: dlsym needs the versioned name that
 * cuda.h hides behind a macro.  A plain cuMemAlloc, where there is a _v2, is
 * the entry point of another signature.  In groups, so that no list is
 * too long to read.
 */
/* clang-format off */
#define HC_CU_DEVICE_FUNCTIONS(X)                                              \
    X(cuInit, (unsigned flags))                                                \
    X(cuDriverGetVersion, (int *version_out))                                  \
    X(cuGetErrorName, (hc_cu_result code, const char **text_out))              \
    X(cuGetErrorString, (hc_cu_result code, const char **text_out))            \
    X(cuGetProcAddress, (const char *name, void **function_out, int version,   \
                         uint64_t flags))                                      \
    X(cuGetProcAddress_v2, (const char *name, void **function_out,             \
                            int version, uint64_t flags,                       \
                            hc_cu_proc_status *status_out))                    \
    X(cuGetExportTable, (const void **table_out, const struct hc_cu_uuid *id)) \
    X(cuDeviceGetCount, (int *count_out))                                      \
    X(cuDeviceGet, (hc_cu_device *device_out, int ordinal))                    \
    X(cuDeviceGetName, (char *name_out, int room, hc_cu_device device))        \
    X(cuDeviceGetAttribute, (int *value_out,                                   \
                             hc_cu_device_attribute attribute,                 \
                             hc_cu_device device))                             \
    X(cuDeviceGetPCIBusId, (char *text_out, int room, hc_cu_device device))    \
    X(cuDeviceGetByPCIBusId, (hc_cu_device *device_out, const char *bus_id))   \
    X(cuDeviceGetUuid, (struct hc_cu_uuid *uuid_out, hc_cu_device device))     \
    X(cuDeviceGetUuid_v2, (struct hc_cu_uuid *uuid_out, hc_cu_device device))  \
    X(cuDeviceTotalMem_v2, (size_t *bytes_out, hc_cu_device device))           \
    X(cuDeviceComputeCapability, (int *major_out, int *minor_out,              \
                                  hc_cu_device device))                        \
    X(cuDeviceCanAccessPeer, (int *can_out, hc_cu_device device,               \
                              hc_cu_device peer))                              \
    X(cuDeviceGetP2PAttribute, (int *value_out,                                \
                                hc_cu_peer_attribute attribute,                \
                                hc_cu_device source, hc_cu_device destination))\
    X(cuDeviceGetDefaultMemPool, (struct hc_cu_pool **pool_out,                \
                                  hc_cu_device device))                        \
    X(cuDeviceGetMemPool, (struct hc_cu_pool **pool_out, hc_cu_device device)) \
    X(cuDeviceSetMemPool, (hc_cu_device device, struct hc_cu_pool *pool))      \
    X(cuDevicePrimaryCtxRetain, (struct hc_cu_context **context_out,           \
                                 hc_cu_device device))                         \
    X(cuDevicePrimaryCtxRelease_v2, (hc_cu_device device))                     \
    X(cuDevicePrimaryCtxReset_v2, (hc_cu_device device))                       \
    X(cuDevicePrimaryCtxGetState, (hc_cu_device device, unsigned *flags_out,   \
                                   int *active_out))                           \
    X(cuDevicePrimaryCtxSetFlags_v2, (hc_cu_device device, unsigned flags))    \
    X(cuCtxCreate_v2, (struct hc_cu_context **context_out, unsigned flags,     \
                       hc_cu_device device))                                   \
    X(cuCtxDestroy_v2, (struct hc_cu_context *context))                        \
    X(cuCtxPushCurrent_v2, (struct hc_cu_context *context))                    \
    X(cuCtxPopCurrent_v2, (struct hc_cu_context **context_out))                \
    X(cuCtxSetCurrent, (struct hc_cu_context *context))                        \
    X(cuCtxGetCurrent, (struct hc_cu_context **context_out))                   \
    X(cuCtxGetDevice, (hc_cu_device *device_out))                              \
    X(cuCtxGetFlags, (unsigned *flags_out))                                    \
    X(cuCtxGetId, (struct hc_cu_context *context,                              \
                   unsigned long long *id_out))                                \
    X(cuCtxGetApiVersion, (struct hc_cu_context *context,                      \
                           unsigned *version_out))                             \
    X(cuCtxSynchronize, (void))                                                \
    X(cuCtxGetStreamPriorityRange, (int *least_out, int *greatest_out))        \
    X(cuCtxGetCacheConfig, (hc_cu_func_cache *config_out))                     \
    X(cuCtxSetCacheConfig, (hc_cu_func_cache config))                          \
    X(cuCtxEnablePeerAccess, (struct hc_cu_context *peer, unsigned flags))     \
    X(cuCtxDisablePeerAccess, (struct hc_cu_context *peer))

#define HC_CU_MEMORY_FUNCTIONS(X)                                              \
    X(cuMemGetInfo_v2, (size_t *free_out, size_t *total_out))                  \
    X(cuMemAlloc_v2, (hc_cu_ptr *ptr_out, size_t bytes))                       \
    X(cuMemAllocPitch_v2, (hc_cu_ptr *ptr_out, size_t *pitch_out,              \
                           size_t width_bytes, size_t height,                  \
                           unsigned element_bytes))                            \
    X(cuMemFree_v2, (hc_cu_ptr ptr))                                           \
    X(cuMemGetAddressRange_v2, (hc_cu_ptr *base_out, size_t *bytes_out,        \
                                hc_cu_ptr ptr))                                \
    X(cuMemAllocHost_v2, (void **ptr_out, size_t bytes))                       \
    X(cuMemFreeHost, (void *ptr))                                              \
    X(cuMemHostAlloc, (void **ptr_out, size_t bytes, unsigned flags))          \
    X(cuMemHostRegister_v2, (void *ptr, size_t bytes, unsigned flags))         \
    X(cuMemHostUnregister, (void *ptr))                                        \
    X(cuMemHostGetDevicePointer_v2, (hc_cu_ptr *ptr_out, void *host,           \
                                     unsigned flags))                          \
    X(cuMemHostGetFlags, (unsigned *flags_out, void *host))                    \
    X(cuMemAllocManaged, (hc_cu_ptr *ptr_out, size_t bytes, unsigned flags))   \
    X(cuMemPrefetchAsync, (hc_cu_ptr ptr, size_t bytes, hc_cu_device device,   \
                           struct hc_cu_stream *stream))                       \
    X(cuMemAdvise, (hc_cu_ptr ptr, size_t bytes, hc_cu_advice advice,          \
                    hc_cu_device device))                                      \
    X(cuPointerGetAttribute, (void *value_out,                                 \
                              hc_cu_pointer_attribute attribute,               \
                              hc_cu_ptr ptr))                                  \
    X(cuPointerGetAttributes, (unsigned count,                                 \
                               hc_cu_pointer_attribute *attributes,            \
                               void **values_out, hc_cu_ptr ptr))              \
    X(cuPointerSetAttribute, (const void *value,                               \
                              hc_cu_pointer_attribute attribute,               \
                              hc_cu_ptr ptr))                                  \
    X(cuIpcGetMemHandle, (struct hc_cu_ipc_mem_handle *handle_out,             \
                          hc_cu_ptr ptr))                                      \
    X(cuIpcOpenMemHandle_v2, (hc_cu_ptr *ptr_out,                              \
                              struct hc_cu_ipc_mem_handle handle,              \
                              unsigned flags))                                 \
    X(cuIpcCloseMemHandle, (hc_cu_ptr ptr))                                    \
    X(cuIpcGetEventHandle, (struct hc_cu_ipc_event_handle *handle_out,         \
                            struct hc_cu_event *event))                        \
    X(cuIpcOpenEventHandle, (struct hc_cu_event **event_out,                   \
                             struct hc_cu_ipc_event_handle handle))            \
    X(cuMemAllocAsync, (hc_cu_ptr *ptr_out, size_t bytes,                      \
                        struct hc_cu_stream *stream))                          \
    X(cuMemFreeAsync, (hc_cu_ptr ptr, struct hc_cu_stream *stream))            \
    X(cuMemAllocFromPoolAsync, (hc_cu_ptr *ptr_out, size_t bytes,              \
                                struct hc_cu_pool *pool,                       \
                                struct hc_cu_stream *stream))                  \
    X(cuMemPoolCreate, (struct hc_cu_pool **pool_out,                          \
                        const struct hc_cu_pool_props *props))                 \
    X(cuMemPoolDestroy, (struct hc_cu_pool *pool))                             \
    X(cuMemPoolGetAttribute, (struct hc_cu_pool *pool,                         \
                              hc_cu_pool_attribute attribute,                  \
                              void *value_out))                                \
    X(cuMemPoolSetAttribute, (struct hc_cu_pool *pool,                         \
                              hc_cu_pool_attribute attribute, void *value))    \
    X(cuMemPoolTrimTo, (struct hc_cu_pool *pool, size_t keep_bytes))           \
    X(cuMemPoolSetAccess, (struct hc_cu_pool *pool,                            \
                           const struct hc_cu_access *access, size_t count))   \
    X(cuMemPoolGetAccess, (hc_cu_access_flags *flags_out,                      \
                           struct hc_cu_pool *pool,                            \
                           struct hc_cu_location *location))                   \
    X(cuMemPoolExportToShareableHandle, (void *handle_out,                     \
                                         struct hc_cu_pool *pool,              \
                                         hc_cu_handle_type type,               \
                                         unsigned long long flags))            \
    X(cuMemPoolImportFromShareableHandle, (struct hc_cu_pool **pool_out,       \
                                           void *handle,                       \
                                           hc_cu_handle_type type,             \
                                           unsigned long long flags))          \
    X(cuMemPoolExportPointer, (struct hc_cu_pool_pointer *data_out,            \
                               hc_cu_ptr ptr))                                 \
    X(cuMemPoolImportPointer, (hc_cu_ptr *ptr_out, struct hc_cu_pool *pool,    \
                               struct hc_cu_pool_pointer *data))

#define HC_CU_VMM_FUNCTIONS(X)                                                 \
    X(cuMemGetAllocationGranularity, (size_t *bytes_out,                       \
                                      const struct hc_cu_allocation_prop *prop,\
                                      hc_cu_granularity_flags flags))          \
    X(cuMemAddressReserve, (hc_cu_ptr *ptr_out, size_t bytes,                  \
                            size_t alignment, hc_cu_ptr hint,                  \
                            unsigned long long flags))                         \
    X(cuMemAddressFree, (hc_cu_ptr ptr, size_t bytes))                         \
    X(cuMemCreate, (hc_cu_vmm *handle_out, size_t bytes,                       \
                    const struct hc_cu_allocation_prop *prop,                  \
                    unsigned long long flags))                                 \
    X(cuMemRelease, (hc_cu_vmm handle))                                        \
    X(cuMemMap, (hc_cu_ptr ptr, size_t bytes, size_t offset,                   \
                 hc_cu_vmm handle, unsigned long long flags))                  \
    X(cuMemUnmap, (hc_cu_ptr ptr, size_t bytes))                               \
    X(cuMemSetAccess, (hc_cu_ptr ptr, size_t bytes,                            \
                       const struct hc_cu_access *access, size_t count))       \
    X(cuMemGetAccess, (unsigned long long *flags_out,                          \
                       const struct hc_cu_location *location, hc_cu_ptr ptr))  \
    X(cuMemRetainAllocationHandle, (hc_cu_vmm *handle_out, void *ptr))         \
    X(cuMemExportToShareableHandle, (void *handle_out, hc_cu_vmm handle,       \
                                     hc_cu_handle_type type,                   \
                                     unsigned long long flags))                \
    X(cuMemImportFromShareableHandle, (hc_cu_vmm *handle_out, void *handle,    \
                                       hc_cu_handle_type type))                \
    X(cuMemGetAllocationPropertiesFromHandle,                                  \
      (struct hc_cu_allocation_prop *prop_out, hc_cu_vmm handle))

#define HC_CU_COPY_FUNCTIONS(X)                                                \
    X(cuMemcpy, (hc_cu_ptr dst, hc_cu_ptr src, size_t bytes))                  \
    X(cuMemcpyAsync, (hc_cu_ptr dst, hc_cu_ptr src, size_t bytes,              \
                      struct hc_cu_stream *stream))                            \
    X(cuMemcpyHtoD_v2, (hc_cu_ptr dst, const void *src, size_t bytes))         \
    X(cuMemcpyDtoH_v2, (void *dst, hc_cu_ptr src, size_t bytes))               \
    X(cuMemcpyDtoD_v2, (hc_cu_ptr dst, hc_cu_ptr src, size_t bytes))           \
    X(cuMemcpyHtoDAsync_v2, (hc_cu_ptr dst, const void *src, size_t bytes,     \
                             struct hc_cu_stream *stream))                     \
    X(cuMemcpyDtoHAsync_v2, (void *dst, hc_cu_ptr src, size_t bytes,           \
                             struct hc_cu_stream *stream))                     \
    X(cuMemcpyDtoDAsync_v2, (hc_cu_ptr dst, hc_cu_ptr src, size_t bytes,       \
                             struct hc_cu_stream *stream))                     \
    X(cuMemcpyPeer, (hc_cu_ptr dst, struct hc_cu_context *dst_context,         \
                     hc_cu_ptr src, struct hc_cu_context *src_context,         \
                     size_t bytes))                                            \
    X(cuMemcpyPeerAsync, (hc_cu_ptr dst, struct hc_cu_context *dst_context,    \
                          hc_cu_ptr src, struct hc_cu_context *src_context,    \
                          size_t bytes, struct hc_cu_stream *stream))          \
    X(cuMemcpy2D_v2, (const struct hc_cu_copy_2d *copy))                       \
    X(cuMemcpy2DUnaligned_v2, (const struct hc_cu_copy_2d *copy))              \
    X(cuMemcpy2DAsync_v2, (const struct hc_cu_copy_2d *copy,                   \
                           struct hc_cu_stream *stream))                       \
    X(cuMemsetD8_v2, (hc_cu_ptr dst, unsigned char value, size_t count))       \
    X(cuMemsetD16_v2, (hc_cu_ptr dst, unsigned short value, size_t count))     \
    X(cuMemsetD32_v2, (hc_cu_ptr dst, unsigned value, size_t count))           \
    X(cuMemsetD8Async, (hc_cu_ptr dst, unsigned char value, size_t count,      \
                        struct hc_cu_stream *stream))                          \
    X(cuMemsetD16Async, (hc_cu_ptr dst, unsigned short value, size_t count,    \
                         struct hc_cu_stream *stream))                         \
    X(cuMemsetD32Async, (hc_cu_ptr dst, unsigned value, size_t count,          \
                         struct hc_cu_stream *stream))                         \
    X(cuMemsetD2D8_v2, (hc_cu_ptr dst, size_t pitch, unsigned char value,      \
                        size_t width, size_t height))                          \
    X(cuMemsetD2D16_v2, (hc_cu_ptr dst, size_t pitch, unsigned short value,    \
                         size_t width, size_t height))                         \
    X(cuMemsetD2D32_v2, (hc_cu_ptr dst, size_t pitch, unsigned value,          \
                         size_t width, size_t height))                         \
    X(cuMemsetD2D8Async, (hc_cu_ptr dst, size_t pitch, unsigned char value,    \
                          size_t width, size_t height,                         \
                          struct hc_cu_stream *stream))                        \
    X(cuMemsetD2D16Async, (hc_cu_ptr dst, size_t pitch, unsigned short value,  \
                           size_t width, size_t height,                        \
                           struct hc_cu_stream *stream))                       \
    X(cuMemsetD2D32Async, (hc_cu_ptr dst, size_t pitch, unsigned value,        \
                           size_t width, size_t height,                        \
                           struct hc_cu_stream *stream))

#define HC_CU_STREAM_FUNCTIONS(X)                                              \
    X(cuStreamCreate, (struct hc_cu_stream **stream_out, unsigned flags))      \
    X(cuStreamCreateWithPriority, (struct hc_cu_stream **stream_out,           \
                                   unsigned flags, int priority))              \
    X(cuStreamDestroy_v2, (struct hc_cu_stream *stream))                       \
    X(cuStreamSynchronize, (struct hc_cu_stream *stream))                      \
    X(cuStreamQuery, (struct hc_cu_stream *stream))                            \
    X(cuStreamWaitEvent, (struct hc_cu_stream *stream,                         \
                          struct hc_cu_event *event, unsigned flags))          \
    X(cuStreamGetCtx, (struct hc_cu_stream *stream,                            \
                       struct hc_cu_context **context_out))                    \
    X(cuStreamGetFlags, (struct hc_cu_stream *stream, unsigned *flags_out))    \
    X(cuStreamGetPriority, (struct hc_cu_stream *stream, int *priority_out))   \
    X(cuStreamGetId, (struct hc_cu_stream *stream,                             \
                      unsigned long long *id_out))                             \
    X(cuStreamGetDevice, (struct hc_cu_stream *stream,                         \
                          hc_cu_device *device_out))                           \
    X(cuStreamAddCallback, (struct hc_cu_stream *stream,                       \
                            void (*function)(struct hc_cu_stream *,            \
                                             hc_cu_result, void *),            \
                            void *argument, unsigned flags))                   \
    X(cuLaunchHostFunc, (struct hc_cu_stream *stream,                          \
                         void (*function)(void *), void *argument))            \
    X(cuStreamBeginCapture_v2, (struct hc_cu_stream *stream,                   \
                                hc_cu_capture_mode mode))                      \
    X(cuStreamEndCapture, (struct hc_cu_stream *stream,                        \
                           struct hc_cu_graph **graph_out))                    \
    X(cuStreamIsCapturing, (struct hc_cu_stream *stream,                       \
                            hc_cu_capture_status *status_out))                 \
    X(cuStreamGetCaptureInfo, (struct hc_cu_stream *stream,                    \
                               hc_cu_capture_status *status_out,               \
                               uint64_t *id_out))                              \
    X(cuStreamGetCaptureInfo_v2, (struct hc_cu_stream *stream,                 \
                                  hc_cu_capture_status *status_out,            \
                                  uint64_t *id_out,                            \
                                  struct hc_cu_graph **graph_out,              \
                                  struct hc_cu_graph_node *const **deps_out,   \
                                  size_t *deps_count_out))                     \
    X(cuThreadExchangeStreamCaptureMode, (hc_cu_capture_mode *mode))           \
    X(cuGraphDestroy, (struct hc_cu_graph *graph))                             \
    X(cuEventCreate, (struct hc_cu_event **event_out, unsigned flags))         \
    X(cuEventDestroy_v2, (struct hc_cu_event *event))                          \
    X(cuEventRecord, (struct hc_cu_event *event, struct hc_cu_stream *stream)) \
    X(cuEventRecordWithFlags, (struct hc_cu_event *event,                      \
                               struct hc_cu_stream *stream, unsigned flags))   \
    X(cuEventQuery, (struct hc_cu_event *event))                               \
    X(cuEventSynchronize, (struct hc_cu_event *event))                         \
    X(cuEventElapsedTime, (float *ms_out, struct hc_cu_event *start,           \
                           struct hc_cu_event *end))

/* Newer entry points that CUDA 12.5 and later headers name. */
#define HC_CU_NEW_FUNCTIONS(X)                                                 \
    X(cuCtxCreate_v3, (struct hc_cu_context **context_out,                     \
                       struct hc_cu_affinity *affinities, int count,           \
                       unsigned flags, hc_cu_device device))                   \
    X(cuCtxCreate_v4, (struct hc_cu_context **context_out,                     \
                       struct hc_cu_context_params *params, unsigned flags,    \
                       hc_cu_device device))                                   \
    X(cuMemPrefetchAsync_v2, (hc_cu_ptr ptr, size_t bytes,                     \
                              struct hc_cu_location location,                  \
                              unsigned flags, struct hc_cu_stream *stream))    \
    X(cuMemAdvise_v2, (hc_cu_ptr ptr, size_t bytes, hc_cu_advice advice,       \
                       struct hc_cu_location location))                        \
    X(cuStreamGetCaptureInfo_v3, (struct hc_cu_stream *stream,                 \
                                  hc_cu_capture_status *status_out,            \
                                  uint64_t *id_out,                            \
                                  struct hc_cu_graph **graph_out,              \
                                  struct hc_cu_graph_node *const **deps_out,   \
                                  const struct hc_cu_edge **edges_out,         \
                                  size_t *deps_count_out))                     \
    X(cuEventElapsedTime_v2, (float *ms_out, struct hc_cu_event *start,        \
                              struct hc_cu_event *end))

/* Names of old entry points with the same arguments as their _v2. */
#define HC_CU_OLD_FUNCTIONS(X)                                                 \
    X(cuIpcOpenMemHandle, (hc_cu_ptr *ptr_out,                                 \
                           struct hc_cu_ipc_mem_handle handle,                 \
                           unsigned flags))                                    \
    X(cuMemHostRegister, (void *ptr, size_t bytes, unsigned flags))            \
    X(cuDevicePrimaryCtxRelease, (hc_cu_device device))                        \
    X(cuDevicePrimaryCtxReset, (hc_cu_device device))                          \
    X(cuDevicePrimaryCtxSetFlags, (hc_cu_device device, unsigned flags))       \
    X(cuStreamDestroy, (struct hc_cu_stream *stream))                          \
    X(cuEventDestroy, (struct hc_cu_event *event))                             \
    X(cuCtxDestroy, (struct hc_cu_context *context))                           \
    X(cuCtxPushCurrent, (struct hc_cu_context *context))                       \
    X(cuCtxPopCurrent, (struct hc_cu_context **context_out))

#define HC_CU_FUNCTIONS(X)                                                     \
    HC_CU_DEVICE_FUNCTIONS(X)                                                  \
    HC_CU_MEMORY_FUNCTIONS(X)                                                  \
    HC_CU_VMM_FUNCTIONS(X)                                                     \
    HC_CU_COPY_FUNCTIONS(X)                                                    \
    HC_CU_STREAM_FUNCTIONS(X)                                                  \
    HC_CU_OLD_FUNCTIONS(X)                                                     \
    HC_CU_NEW_FUNCTIONS(X)
/* clang-format on */

#endif
