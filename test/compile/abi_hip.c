/*
 * Compile-time facts: device/abi_hip.h against AMD's own header, where one is
 * installed.  Built as part of the tests; there is nothing to run.
 */

#include "device/abi_hip.h"

#ifdef HAVE_ROCM_HEADERS

#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>

#define SAME(ours, theirs) \
    _Static_assert((long)(ours) == (long)(theirs), #ours " is not " #theirs)

SAME(HC_HIP_INVALID_VALUE, hipErrorInvalidValue);
SAME(HC_HIP_OUT_OF_MEMORY, hipErrorOutOfMemory);
SAME(HC_HIP_NOT_INITIALIZED, hipErrorNotInitialized);
SAME(HC_HIP_DEINITIALIZED, hipErrorDeinitialized);
SAME(HC_HIP_INVALID_CONFIGURATION, hipErrorInvalidConfiguration);
SAME(HC_HIP_INVALID_PITCH, hipErrorInvalidPitchValue);
SAME(HC_HIP_INVALID_SYMBOL, hipErrorInvalidSymbol);
SAME(HC_HIP_INVALID_DEVICE_POINTER, hipErrorInvalidDevicePointer);
SAME(HC_HIP_INVALID_DIRECTION, hipErrorInvalidMemcpyDirection);
SAME(HC_HIP_NO_DEVICE, hipErrorNoDevice);
SAME(HC_HIP_INVALID_DEVICE, hipErrorInvalidDevice);
SAME(HC_HIP_INVALID_CONTEXT, hipErrorInvalidContext);
SAME(HC_HIP_MAP_FAILED, hipErrorMapFailed);
SAME(HC_HIP_PEER_UNSUPPORTED, hipErrorPeerAccessUnsupported);
SAME(HC_HIP_INVALID_HANDLE, hipErrorInvalidHandle);
SAME(HC_HIP_NOT_FOUND, hipErrorNotFound);
SAME(HC_HIP_NOT_READY, hipErrorNotReady);
SAME(HC_HIP_ILLEGAL_ADDRESS, hipErrorIllegalAddress);
SAME(HC_HIP_PEER_ALREADY_ENABLED, hipErrorPeerAccessAlreadyEnabled);
SAME(HC_HIP_PEER_NOT_ENABLED, hipErrorPeerAccessNotEnabled);
SAME(HC_HIP_CONTEXT_DESTROYED, hipErrorContextIsDestroyed);
SAME(HC_HIP_HOST_ALREADY_REGISTERED, hipErrorHostMemoryAlreadyRegistered);
SAME(HC_HIP_HOST_NOT_REGISTERED, hipErrorHostMemoryNotRegistered);
SAME(HC_HIP_NOT_SUPPORTED, hipErrorNotSupported);
SAME(HC_HIP_CAPTURE_UNSUPPORTED, hipErrorStreamCaptureUnsupported);
SAME(HC_HIP_CAPTURE_INVALIDATED, hipErrorStreamCaptureInvalidated);
SAME(HC_HIP_CAPTURE_IMPLICIT, hipErrorStreamCaptureImplicit);
SAME(HC_HIP_CAPTURED_EVENT, hipErrorCapturedEvent);
SAME(HC_HIP_UNKNOWN, hipErrorUnknown);

#if HIP_VERSION_MAJOR >= 6
SAME(HC_HIP6_IPC_LAZY_PEER, hipIpcMemLazyEnablePeerAccess);
SAME(HC_HIP6_MEM_UNREGISTERED, hipMemoryTypeUnregistered);
SAME(HC_HIP6_MEM_HOST, hipMemoryTypeHost);
SAME(HC_HIP6_MEM_DEVICE, hipMemoryTypeDevice);
SAME(HC_HIP6_MEM_MANAGED, hipMemoryTypeManaged);
SAME(HC_HIP6_MEM_ARRAY, hipMemoryTypeArray);
SAME(HC_HIP6_MEM_UNIFIED, hipMemoryTypeUnified);
SAME(offsetof(struct hc_hip_pointer_attributes, type),
     offsetof(hipPointerAttribute_t, type));
#else
SAME(HC_HIP5_IPC_LAZY_PEER, hipIpcMemLazyEnablePeerAccess);
SAME(HC_HIP5_MEM_HOST, hipMemoryTypeHost);
SAME(HC_HIP5_MEM_DEVICE, hipMemoryTypeDevice);
SAME(HC_HIP5_MEM_ARRAY, hipMemoryTypeArray);
SAME(HC_HIP5_MEM_UNIFIED, hipMemoryTypeUnified);
#if HIP_VERSION_MINOR >= 4
SAME(HC_HIP5_MEM_MANAGED, hipMemoryTypeManaged);
#endif
SAME(offsetof(struct hc_hip_pointer_attributes, type),
     offsetof(hipPointerAttribute_t, memoryType));
#endif

SAME(sizeof(struct hc_hip_pointer_attributes), sizeof(hipPointerAttribute_t));
SAME(offsetof(struct hc_hip_pointer_attributes, device),
     offsetof(hipPointerAttribute_t, device));
SAME(offsetof(struct hc_hip_pointer_attributes, device_ptr),
     offsetof(hipPointerAttribute_t, devicePointer));
SAME(offsetof(struct hc_hip_pointer_attributes, host_ptr),
     offsetof(hipPointerAttribute_t, hostPointer));
SAME(offsetof(struct hc_hip_pointer_attributes, is_managed),
     offsetof(hipPointerAttribute_t, isManaged));
SAME(offsetof(struct hc_hip_pointer_attributes, allocation_flags),
     offsetof(hipPointerAttribute_t, allocationFlags));
SAME(HC_HIP_CPU_DEVICE_ID, hipCpuDeviceId);
SAME(HC_HIP_INVALID_DEVICE_ID, hipInvalidDeviceId);

SAME(HC_HIP_PTR_CONTEXT, HIP_POINTER_ATTRIBUTE_CONTEXT);
SAME(HC_HIP_PTR_MEMORY_TYPE, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE);
SAME(HC_HIP_PTR_DEVICE_POINTER, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER);
SAME(HC_HIP_PTR_HOST_POINTER, HIP_POINTER_ATTRIBUTE_HOST_POINTER);
SAME(HC_HIP_PTR_P2P_TOKENS, HIP_POINTER_ATTRIBUTE_P2P_TOKENS);
SAME(HC_HIP_PTR_SYNC_MEMOPS, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS);
SAME(HC_HIP_PTR_BUFFER_ID, HIP_POINTER_ATTRIBUTE_BUFFER_ID);
SAME(HC_HIP_PTR_IS_MANAGED, HIP_POINTER_ATTRIBUTE_IS_MANAGED);
SAME(HC_HIP_PTR_DEVICE_ORDINAL, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
SAME(HC_HIP_PTR_LEGACY_IPC_CAPABLE,
     HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE);
SAME(HC_HIP_PTR_RANGE_START, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR);
SAME(HC_HIP_PTR_RANGE_BYTES, HIP_POINTER_ATTRIBUTE_RANGE_SIZE);
SAME(HC_HIP_PTR_MAPPED, HIP_POINTER_ATTRIBUTE_MAPPED);
SAME(HC_HIP_PTR_ALLOWED_HANDLE_TYPES,
     HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES);
SAME(HC_HIP_PTR_RDMA_CAPABLE, HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE);
SAME(HC_HIP_PTR_ACCESS_FLAGS, HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS);
SAME(HC_HIP_PTR_MEMPOOL, HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE);

SAME(HC_HIP_COPY_HOST_HOST, hipMemcpyHostToHost);
SAME(HC_HIP_COPY_HOST_DEV, hipMemcpyHostToDevice);
SAME(HC_HIP_COPY_DEV_HOST, hipMemcpyDeviceToHost);
SAME(HC_HIP_COPY_DEV_DEV, hipMemcpyDeviceToDevice);
SAME(HC_HIP_COPY_DEFAULT, hipMemcpyDefault);

SAME(sizeof(struct hc_hip_ipc_handle), sizeof(hipIpcMemHandle_t));
SAME(sizeof(struct hc_hip_ipc_handle), sizeof(hipIpcEventHandle_t));

SAME(HC_HIP_STREAM_NON_BLOCKING, hipStreamNonBlocking);
SAME(HC_HIP_EVENT_BLOCKING_SYNC, hipEventBlockingSync);
SAME(HC_HIP_EVENT_DISABLE_TIMING, hipEventDisableTiming);
SAME(HC_HIP_EVENT_INTERPROCESS, hipEventInterprocess);
SAME(HC_HIP_HOST_PORTABLE, hipHostMallocPortable);
SAME(HC_HIP_HOST_MAPPED, hipHostMallocMapped);
SAME(HC_HIP_CAPTURE_GLOBAL, hipStreamCaptureModeGlobal);
SAME(HC_HIP_CAPTURE_THREAD_LOCAL, hipStreamCaptureModeThreadLocal);
SAME(HC_HIP_CAPTURE_RELAXED, hipStreamCaptureModeRelaxed);
SAME(HC_HIP_CAPTURE_NONE, hipStreamCaptureStatusNone);
SAME(HC_HIP_CAPTURE_ACTIVE, hipStreamCaptureStatusActive);
SAME(HC_HIP_CAPTURE_IS_INVALIDATED, hipStreamCaptureStatusInvalidated);

SAME(HC_HIP_ATTR_ASYNC_ENGINES, hipDeviceAttributeAsyncEngineCount);
SAME(HC_HIP_ATTR_CAN_MAP_HOST, hipDeviceAttributeCanMapHostMemory);
SAME(HC_HIP_ATTR_HOST_POINTER_REGISTERED,
     hipDeviceAttributeCanUseHostPointerForRegisteredMem);
SAME(HC_HIP_ATTR_CLOCK_KHZ, hipDeviceAttributeClockRate);
SAME(HC_HIP_ATTR_CONCURRENT_KERNELS, hipDeviceAttributeConcurrentKernels);
SAME(HC_HIP_ATTR_CONCURRENT_MANAGED, hipDeviceAttributeConcurrentManagedAccess);
SAME(HC_HIP_ATTR_INTEGRATED, hipDeviceAttributeIntegrated);
SAME(HC_HIP_ATTR_L2_BYTES, hipDeviceAttributeL2CacheSize);
SAME(HC_HIP_ATTR_MAJOR, hipDeviceAttributeComputeCapabilityMajor);
SAME(HC_HIP_ATTR_MANAGED_MEMORY, hipDeviceAttributeManagedMemory);
SAME(HC_HIP_ATTR_BLOCK_X, hipDeviceAttributeMaxBlockDimX);
SAME(HC_HIP_ATTR_BLOCK_Y, hipDeviceAttributeMaxBlockDimY);
SAME(HC_HIP_ATTR_BLOCK_Z, hipDeviceAttributeMaxBlockDimZ);
SAME(HC_HIP_ATTR_GRID_X, hipDeviceAttributeMaxGridDimX);
SAME(HC_HIP_ATTR_GRID_Y, hipDeviceAttributeMaxGridDimY);
SAME(HC_HIP_ATTR_GRID_Z, hipDeviceAttributeMaxGridDimZ);
SAME(HC_HIP_ATTR_THREADS_PER_BLOCK, hipDeviceAttributeMaxThreadsPerBlock);
SAME(HC_HIP_ATTR_THREADS_PER_MULTIPROCESSOR,
     hipDeviceAttributeMaxThreadsPerMultiProcessor);
SAME(HC_HIP_ATTR_PITCH, hipDeviceAttributeMaxPitch);
SAME(HC_HIP_ATTR_MEMORY_BUS_BITS, hipDeviceAttributeMemoryBusWidth);
SAME(HC_HIP_ATTR_MEMORY_CLOCK_KHZ, hipDeviceAttributeMemoryClockRate);
SAME(HC_HIP_ATTR_MINOR, hipDeviceAttributeComputeCapabilityMinor);
SAME(HC_HIP_ATTR_MULTIPROCESSORS, hipDeviceAttributeMultiprocessorCount);
SAME(HC_HIP_ATTR_PAGEABLE_ACCESS, hipDeviceAttributePageableMemoryAccess);
SAME(HC_HIP_ATTR_PCI_BUS, hipDeviceAttributePciBusId);
SAME(HC_HIP_ATTR_PCI_DEVICE, hipDeviceAttributePciDeviceId);
SAME(HC_HIP_ATTR_PCI_DOMAIN, hipDeviceAttributePciDomainID);
SAME(HC_HIP_ATTR_REGISTERS_PER_BLOCK, hipDeviceAttributeMaxRegistersPerBlock);
SAME(HC_HIP_ATTR_SHARED_PER_BLOCK, hipDeviceAttributeMaxSharedMemoryPerBlock);
SAME(HC_HIP_ATTR_STREAM_PRIORITIES,
     hipDeviceAttributeStreamPrioritiesSupported);
SAME(HC_HIP_ATTR_CONSTANT_BYTES, hipDeviceAttributeTotalConstantMemory);
SAME(HC_HIP_ATTR_UNIFIED_ADDRESSING, hipDeviceAttributeUnifiedAddressing);
SAME(HC_HIP_ATTR_WARP, hipDeviceAttributeWarpSize);
SAME(HC_HIP_ATTR_MEMORY_POOLS, hipDeviceAttributeMemoryPoolsSupported);

SAME(sizeof(struct hc_hip_copy_2d), sizeof(hip_Memcpy2D));
SAME(offsetof(struct hc_hip_copy_2d, src_type),
     offsetof(hip_Memcpy2D, srcMemoryType));
SAME(offsetof(struct hc_hip_copy_2d, src_device),
     offsetof(hip_Memcpy2D, srcDevice));
SAME(offsetof(struct hc_hip_copy_2d, dst_type),
     offsetof(hip_Memcpy2D, dstMemoryType));
SAME(offsetof(struct hc_hip_copy_2d, dst_device),
     offsetof(hip_Memcpy2D, dstDevice));
SAME(offsetof(struct hc_hip_copy_2d, dst_pitch_bytes),
     offsetof(hip_Memcpy2D, dstPitch));
SAME(offsetof(struct hc_hip_copy_2d, height), offsetof(hip_Memcpy2D, Height));

#else
typedef int hc_test_no_hip_header;
#endif
