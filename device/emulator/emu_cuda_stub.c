#include "device/emulator/emu_cuda.h"

/*
 * The rest of the driver's names, so that programs load and say what they miss:
 * each returns 801 (not supported) and is named on stderr once.  Not here are
 * cuCtxGetDevice_v2 and cuCtxSynchronize_v2 (CUDA 13), whose arguments are not
 * those of the plain names: some programs take every _v2 for the better one.
 */

/* clang-format off */
/* Kernels, graphs, arrays, textures, graphics, external memory, tools. */
#define UNSUPPORTED(X)                                                         \
    X(cuArray3DCreate) X(cuArray3DCreate_v2) X(cuArray3DGetDescriptor)         \
    X(cuArray3DGetDescriptor_v2) X(cuArrayCreate) X(cuArrayCreate_v2)          \
    X(cuArrayDestroy) X(cuArrayGetDescriptor) X(cuArrayGetDescriptor_v2)       \
    X(cuArrayGetMemoryRequirements) X(cuArrayGetPlane)                         \
    X(cuArrayGetSparseProperties) X(cuCheckpointProcessCheckpoint)             \
    X(cuCheckpointProcessGetRestoreThreadId) X(cuCheckpointProcessGetState)    \
    X(cuCheckpointProcessLock) X(cuCheckpointProcessRestore)                   \
    X(cuCheckpointProcessUnlock) X(cuCoredumpGetAttribute)                     \
    X(cuCoredumpGetAttributeGlobal) X(cuCoredumpSetAttribute)                  \
    X(cuCoredumpSetAttributeGlobal) X(cuCtxAttach) X(cuCtxDetach)              \
    X(cuCtxFromGreenCtx) X(cuCtxGetDevResource) X(cuCtxGetExecAffinity)        \
    X(cuCtxGetLimit) X(cuCtxGetSharedMemConfig) X(cuCtxRecordEvent)            \
    X(cuCtxResetPersistingL2Cache) X(cuCtxSetFlags) X(cuCtxSetLimit)           \
    X(cuCtxSetSharedMemConfig) X(cuCtxWaitEvent) X(cuDestroyExternalMemory)    \
    X(cuDestroyExternalSemaphore) X(cuDevResourceGenerateDesc)                 \
    X(cuDevSmResourceSplitByCount) X(cuDeviceGetDevResource)                   \
    X(cuDeviceGetExecAffinitySupport) X(cuDeviceGetGraphMemAttribute)          \
    X(cuDeviceGetHostAtomicCapabilities) X(cuDeviceGetLuid)                    \
    X(cuDeviceGetNvSciSyncAttributes) X(cuDeviceGetP2PAtomicCapabilities)      \
    X(cuDeviceGetProperties) X(cuDeviceGetTexture1DLinearMaxWidth)             \
    X(cuDeviceGraphMemTrim) X(cuDeviceRegisterAsyncNotification)               \
    X(cuDeviceSetGraphMemAttribute) X(cuDeviceUnregisterAsyncNotification)     \
    X(cuExternalMemoryGetMappedBuffer)                                         \
    X(cuExternalMemoryGetMappedMipmappedArray) X(cuFlushGPUDirectRDMAWrites)   \
    X(cuFuncGetAttribute) X(cuFuncGetModule) X(cuFuncGetName)                  \
    X(cuFuncGetParamInfo) X(cuFuncIsLoaded) X(cuFuncLoad)                      \
    X(cuFuncSetAttribute) X(cuFuncSetBlockShape) X(cuFuncSetCacheConfig)       \
    X(cuFuncSetSharedMemConfig) X(cuFuncSetSharedSize)                         \
    X(cuGraphAddBatchMemOpNode) X(cuGraphAddChildGraphNode)                    \
    X(cuGraphAddDependencies) X(cuGraphAddDependencies_v2)                     \
    X(cuGraphAddEmptyNode) X(cuGraphAddEventRecordNode)                        \
    X(cuGraphAddEventWaitNode) X(cuGraphAddExternalSemaphoresSignalNode)       \
    X(cuGraphAddExternalSemaphoresWaitNode) X(cuGraphAddHostNode)              \
    X(cuGraphAddKernelNode) X(cuGraphAddKernelNode_v2)                         \
    X(cuGraphAddMemAllocNode) X(cuGraphAddMemFreeNode)                         \
    X(cuGraphAddMemcpyNode) X(cuGraphAddMemsetNode) X(cuGraphAddNode)          \
    X(cuGraphAddNode_v2) X(cuGraphBatchMemOpNodeGetParams)                     \
    X(cuGraphBatchMemOpNodeSetParams) X(cuGraphChildGraphNodeGetGraph)         \
    X(cuGraphClone) X(cuGraphConditionalHandleCreate) X(cuGraphCreate)         \
    X(cuGraphDebugDotPrint) X(cuGraphDestroyNode)                              \
    X(cuGraphEventRecordNodeGetEvent) X(cuGraphEventRecordNodeSetEvent)        \
    X(cuGraphEventWaitNodeGetEvent) X(cuGraphEventWaitNodeSetEvent)            \
    X(cuGraphExecBatchMemOpNodeSetParams)                                      \
    X(cuGraphExecChildGraphNodeSetParams) X(cuGraphExecDestroy)                \
    X(cuGraphExecEventRecordNodeSetEvent) X(cuGraphExecEventWaitNodeSetEvent)  \
    X(cuGraphExecExternalSemaphoresSignalNodeSetParams)                        \
    X(cuGraphExecExternalSemaphoresWaitNodeSetParams) X(cuGraphExecGetFlags)   \
    X(cuGraphExecHostNodeSetParams) X(cuGraphExecKernelNodeSetParams)          \
    X(cuGraphExecKernelNodeSetParams_v2) X(cuGraphExecMemcpyNodeSetParams)     \
    X(cuGraphExecMemsetNodeSetParams) X(cuGraphExecNodeSetParams)              \
    X(cuGraphExecUpdate) X(cuGraphExecUpdate_v2)                               \
    X(cuGraphExternalSemaphoresSignalNodeGetParams)                            \
    X(cuGraphExternalSemaphoresSignalNodeSetParams)                            \
    X(cuGraphExternalSemaphoresWaitNodeGetParams)                              \
    X(cuGraphExternalSemaphoresWaitNodeSetParams) X(cuGraphGetEdges)           \
    X(cuGraphGetEdges_v2) X(cuGraphGetNodes) X(cuGraphGetRootNodes)            \
    X(cuGraphHostNodeGetParams) X(cuGraphHostNodeSetParams)                    \
    X(cuGraphInstantiate) X(cuGraphInstantiateWithFlags)                       \
    X(cuGraphInstantiateWithParams) X(cuGraphInstantiate_v2)                   \
    X(cuGraphKernelNodeCopyAttributes) X(cuGraphKernelNodeGetAttribute)        \
    X(cuGraphKernelNodeGetParams) X(cuGraphKernelNodeGetParams_v2)             \
    X(cuGraphKernelNodeSetAttribute) X(cuGraphKernelNodeSetParams)             \
    X(cuGraphKernelNodeSetParams_v2) X(cuGraphLaunch)                          \
    X(cuGraphMemAllocNodeGetParams) X(cuGraphMemFreeNodeGetParams)             \
    X(cuGraphMemcpyNodeGetParams) X(cuGraphMemcpyNodeSetParams)                \
    X(cuGraphMemsetNodeGetParams) X(cuGraphMemsetNodeSetParams)                \
    X(cuGraphNodeFindInClone) X(cuGraphNodeGetDependencies)                    \
    X(cuGraphNodeGetDependencies_v2) X(cuGraphNodeGetDependentNodes)           \
    X(cuGraphNodeGetDependentNodes_v2) X(cuGraphNodeGetEnabled)                \
    X(cuGraphNodeGetType) X(cuGraphNodeSetEnabled) X(cuGraphNodeSetParams)     \
    X(cuGraphReleaseUserObject) X(cuGraphRemoveDependencies)                   \
    X(cuGraphRemoveDependencies_v2) X(cuGraphRetainUserObject)                 \
    X(cuGraphUpload) X(cuGraphicsMapResources)                                 \
    X(cuGraphicsResourceGetMappedMipmappedArray)                               \
    X(cuGraphicsResourceGetMappedPointer)                                      \
    X(cuGraphicsResourceGetMappedPointer_v2) X(cuGraphicsResourceSetMapFlags)  \
    X(cuGraphicsResourceSetMapFlags_v2)                                        \
    X(cuGraphicsSubResourceGetMappedArray) X(cuGraphicsUnmapResources)         \
    X(cuGraphicsUnregisterResource) X(cuGreenCtxCreate) X(cuGreenCtxDestroy)   \
    X(cuGreenCtxGetDevResource) X(cuGreenCtxGetId) X(cuGreenCtxRecordEvent)    \
    X(cuGreenCtxStreamCreate) X(cuGreenCtxWaitEvent)                           \
    X(cuImportExternalMemory) X(cuImportExternalSemaphore)                     \
    X(cuKernelGetAttribute) X(cuKernelGetFunction) X(cuKernelGetLibrary)       \
    X(cuKernelGetName) X(cuKernelGetParamInfo) X(cuKernelSetAttribute)         \
    X(cuKernelSetCacheConfig) X(cuLaunch) X(cuLaunchCooperativeKernel)         \
    X(cuLaunchCooperativeKernelMultiDevice) X(cuLaunchGrid)                    \
    X(cuLaunchGridAsync) X(cuLaunchKernel) X(cuLaunchKernelEx)                 \
    X(cuLibraryEnumerateKernels) X(cuLibraryGetGlobal) X(cuLibraryGetKernel)   \
    X(cuLibraryGetKernelCount) X(cuLibraryGetManaged) X(cuLibraryGetModule)    \
    X(cuLibraryGetUnifiedFunction) X(cuLibraryLoadData)                        \
    X(cuLibraryLoadFromFile) X(cuLibraryUnload) X(cuLinkAddData)               \
    X(cuLinkAddData_v2) X(cuLinkAddFile) X(cuLinkAddFile_v2)                   \
    X(cuLinkComplete) X(cuLinkCreate) X(cuLinkCreate_v2) X(cuLinkDestroy)      \
    X(cuLogsCurrent) X(cuLogsDumpToFile) X(cuLogsDumpToMemory)                 \
    X(cuLogsRegisterCallback) X(cuLogsUnregisterCallback)                      \
    X(cuMemBatchDecompressAsync) X(cuMemDiscardAndPrefetchBatchAsync)          \
    X(cuMemDiscardBatchAsync) X(cuMemGetDefaultMemPool)                        \
    X(cuMemGetHandleForAddressRange) X(cuMemGetMemPool) X(cuMemMapArrayAsync)  \
    X(cuMemPrefetchBatchAsync) X(cuMemRangeGetAttribute)                       \
    X(cuMemRangeGetAttributes) X(cuMemSetMemPool) X(cuMemcpy3D)                \
    X(cuMemcpy3DAsync) X(cuMemcpy3DAsync_v2) X(cuMemcpy3DBatchAsync)           \
    X(cuMemcpy3DBatchAsync_v2) X(cuMemcpy3DPeer) X(cuMemcpy3DPeerAsync)        \
    X(cuMemcpy3D_v2) X(cuMemcpyAtoA) X(cuMemcpyAtoA_v2) X(cuMemcpyAtoD)        \
    X(cuMemcpyAtoD_v2) X(cuMemcpyAtoH) X(cuMemcpyAtoHAsync)                    \
    X(cuMemcpyAtoHAsync_v2) X(cuMemcpyAtoH_v2) X(cuMemcpyBatchAsync)           \
    X(cuMemcpyBatchAsync_v2) X(cuMemcpyDtoA) X(cuMemcpyDtoA_v2)                \
    X(cuMemcpyHtoA) X(cuMemcpyHtoAAsync) X(cuMemcpyHtoAAsync_v2)               \
    X(cuMemcpyHtoA_v2) X(cuMipmappedArrayCreate) X(cuMipmappedArrayDestroy)    \
    X(cuMipmappedArrayGetLevel) X(cuMipmappedArrayGetMemoryRequirements)       \
    X(cuMipmappedArrayGetSparseProperties) X(cuModuleEnumerateFunctions)       \
    X(cuModuleGetFunction) X(cuModuleGetFunctionCount) X(cuModuleGetGlobal)    \
    X(cuModuleGetGlobal_v2) X(cuModuleGetLoadingMode) X(cuModuleGetSurfRef)    \
    X(cuModuleGetTexRef) X(cuModuleLoad) X(cuModuleLoadData)                   \
    X(cuModuleLoadDataEx) X(cuModuleLoadFatBinary) X(cuModuleUnload)           \
    X(cuMulticastAddDevice) X(cuMulticastBindAddr) X(cuMulticastBindMem)       \
    X(cuMulticastCreate) X(cuMulticastGetGranularity) X(cuMulticastUnbind)     \
    X(cuOccupancyAvailableDynamicSMemPerBlock)                                 \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor)                             \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)                    \
    X(cuOccupancyMaxActiveClusters) X(cuOccupancyMaxPotentialBlockSize)        \
    X(cuOccupancyMaxPotentialBlockSizeWithFlags)                               \
    X(cuOccupancyMaxPotentialClusterSize) X(cuParamSetSize)                    \
    X(cuParamSetTexRef) X(cuParamSetf) X(cuParamSeti) X(cuParamSetv)           \
    X(cuSignalExternalSemaphoresAsync) X(cuStreamAttachMemAsync)               \
    X(cuStreamBatchMemOp) X(cuStreamBatchMemOp_v2)                             \
    X(cuStreamBeginCaptureToGraph) X(cuStreamCopyAttributes)                   \
    X(cuStreamGetAttribute) X(cuStreamGetGreenCtx) X(cuStreamSetAttribute)     \
    X(cuStreamUpdateCaptureDependencies)                                       \
    X(cuStreamUpdateCaptureDependencies_v2) X(cuStreamWaitValue32)             \
    X(cuStreamWaitValue32_v2) X(cuStreamWaitValue64)                           \
    X(cuStreamWaitValue64_v2) X(cuStreamWriteValue32)                          \
    X(cuStreamWriteValue32_v2) X(cuStreamWriteValue64)                         \
    X(cuStreamWriteValue64_v2) X(cuSurfObjectCreate) X(cuSurfObjectDestroy)    \
    X(cuSurfObjectGetResourceDesc) X(cuSurfRefGetArray) X(cuSurfRefSetArray)   \
    X(cuTensorMapEncodeIm2col) X(cuTensorMapEncodeIm2colWide)                  \
    X(cuTensorMapEncodeTiled) X(cuTensorMapReplaceAddress)                     \
    X(cuTexObjectCreate) X(cuTexObjectDestroy) X(cuTexObjectGetResourceDesc)   \
    X(cuTexObjectGetResourceViewDesc) X(cuTexObjectGetTextureDesc)             \
    X(cuTexRefCreate) X(cuTexRefDestroy) X(cuTexRefGetAddress)                 \
    X(cuTexRefGetAddressMode) X(cuTexRefGetAddress_v2) X(cuTexRefGetArray)     \
    X(cuTexRefGetBorderColor) X(cuTexRefGetFilterMode) X(cuTexRefGetFlags)     \
    X(cuTexRefGetFormat) X(cuTexRefGetMaxAnisotropy)                           \
    X(cuTexRefGetMipmapFilterMode) X(cuTexRefGetMipmapLevelBias)               \
    X(cuTexRefGetMipmapLevelClamp) X(cuTexRefGetMipmappedArray)                \
    X(cuTexRefSetAddress) X(cuTexRefSetAddress2D) X(cuTexRefSetAddress2D_v2)   \
    X(cuTexRefSetAddress2D_v3) X(cuTexRefSetAddressMode)                       \
    X(cuTexRefSetAddress_v2) X(cuTexRefSetArray) X(cuTexRefSetBorderColor)     \
    X(cuTexRefSetFilterMode) X(cuTexRefSetFlags) X(cuTexRefSetFormat)          \
    X(cuTexRefSetMaxAnisotropy) X(cuTexRefSetMipmapFilterMode)                 \
    X(cuTexRefSetMipmapLevelBias) X(cuTexRefSetMipmapLevelClamp)               \
    X(cuTexRefSetMipmappedArray) X(cuUserObjectCreate) X(cuUserObjectRelease)  \
    X(cuUserObjectRetain) X(cuWaitExternalSemaphoresAsync)

/* Before CUDA 3.2, with 32-bit sizes and addresses. */
#define TOO_OLD(X)                                                             \
    X(cuCtxCreate) X(cuDeviceTotalMem) X(cuMemAlloc) X(cuMemAllocHost)         \
    X(cuMemAllocPitch) X(cuMemFree) X(cuMemGetAddressRange) X(cuMemGetInfo)    \
    X(cuMemHostGetDevicePointer) X(cuMemcpy2D) X(cuMemcpy2DAsync)              \
    X(cuMemcpy2DUnaligned) X(cuMemcpyDtoD) X(cuMemcpyDtoDAsync)                \
    X(cuMemcpyDtoH) X(cuMemcpyDtoHAsync) X(cuMemcpyHtoD) X(cuMemcpyHtoDAsync)  \
    X(cuMemsetD16) X(cuMemsetD2D16) X(cuMemsetD2D32) X(cuMemsetD2D8)           \
    X(cuMemsetD32) X(cuMemsetD8) X(cuStreamBeginCapture)

/* With the calling thread's own default stream. */
#define PER_THREAD(X)                                                          \
    X(cuEventRecordWithFlags_ptsz) X(cuEventRecord_ptsz)                       \
    X(cuGraphInstantiateWithParams_ptsz) X(cuGraphLaunch_ptsz)                 \
    X(cuGraphUpload_ptsz) X(cuGraphicsMapResources_ptsz)                       \
    X(cuGraphicsUnmapResources_ptsz) X(cuLaunchCooperativeKernel_ptsz)         \
    X(cuLaunchHostFunc_ptsz) X(cuLaunchKernelEx_ptsz) X(cuLaunchKernel_ptsz)   \
    X(cuMemAllocAsync_ptsz) X(cuMemAllocFromPoolAsync_ptsz)                    \
    X(cuMemBatchDecompressAsync_ptsz)                                          \
    X(cuMemDiscardAndPrefetchBatchAsync_ptsz) X(cuMemDiscardBatchAsync_ptsz)   \
    X(cuMemFreeAsync_ptsz) X(cuMemMapArrayAsync_ptsz)                          \
    X(cuMemPrefetchAsync_ptsz) X(cuMemPrefetchAsync_v2_ptsz)                   \
    X(cuMemPrefetchBatchAsync_ptsz) X(cuMemcpy2DAsync_v2_ptsz)                 \
    X(cuMemcpy2DUnaligned_v2_ptds) X(cuMemcpy2D_v2_ptds)                       \
    X(cuMemcpy3DAsync_v2_ptsz) X(cuMemcpy3DBatchAsync_ptsz)                    \
    X(cuMemcpy3DBatchAsync_v2_ptsz) X(cuMemcpy3DPeerAsync_ptsz)                \
    X(cuMemcpy3DPeer_ptds) X(cuMemcpy3D_v2_ptds) X(cuMemcpyAsync_ptsz)         \
    X(cuMemcpyAtoA_v2_ptds) X(cuMemcpyAtoD_v2_ptds)                            \
    X(cuMemcpyAtoHAsync_v2_ptsz) X(cuMemcpyAtoH_v2_ptds)                       \
    X(cuMemcpyBatchAsync_ptsz) X(cuMemcpyBatchAsync_v2_ptsz)                   \
    X(cuMemcpyDtoA_v2_ptds) X(cuMemcpyDtoDAsync_v2_ptsz)                       \
    X(cuMemcpyDtoD_v2_ptds) X(cuMemcpyDtoHAsync_v2_ptsz)                       \
    X(cuMemcpyDtoH_v2_ptds) X(cuMemcpyHtoAAsync_v2_ptsz)                       \
    X(cuMemcpyHtoA_v2_ptds) X(cuMemcpyHtoDAsync_v2_ptsz)                       \
    X(cuMemcpyHtoD_v2_ptds) X(cuMemcpyPeerAsync_ptsz) X(cuMemcpyPeer_ptds)     \
    X(cuMemcpy_ptds) X(cuMemsetD16Async_ptsz) X(cuMemsetD16_v2_ptds)           \
    X(cuMemsetD2D16Async_ptsz) X(cuMemsetD2D16_v2_ptds)                        \
    X(cuMemsetD2D32Async_ptsz) X(cuMemsetD2D32_v2_ptds)                        \
    X(cuMemsetD2D8Async_ptsz) X(cuMemsetD2D8_v2_ptds)                          \
    X(cuMemsetD32Async_ptsz) X(cuMemsetD32_v2_ptds) X(cuMemsetD8Async_ptsz)    \
    X(cuMemsetD8_v2_ptds) X(cuSignalExternalSemaphoresAsync_ptsz)              \
    X(cuStreamAddCallback_ptsz) X(cuStreamAttachMemAsync_ptsz)                 \
    X(cuStreamBatchMemOp_ptsz) X(cuStreamBatchMemOp_v2_ptsz)                   \
    X(cuStreamBeginCaptureToGraph_ptsz) X(cuStreamBeginCapture_ptsz)           \
    X(cuStreamBeginCapture_v2_ptsz) X(cuStreamCopyAttributes_ptsz)             \
    X(cuStreamEndCapture_ptsz) X(cuStreamGetAttribute_ptsz)                    \
    X(cuStreamGetCaptureInfo_ptsz) X(cuStreamGetCaptureInfo_v2_ptsz)           \
    X(cuStreamGetCaptureInfo_v3_ptsz) X(cuStreamGetCtx_ptsz)                   \
    X(cuStreamGetCtx_v2_ptsz) X(cuStreamGetDevice_ptsz)                        \
    X(cuStreamGetFlags_ptsz) X(cuStreamGetId_ptsz)                             \
    X(cuStreamGetPriority_ptsz) X(cuStreamIsCapturing_ptsz)                    \
    X(cuStreamQuery_ptsz) X(cuStreamSetAttribute_ptsz)                         \
    X(cuStreamSynchronize_ptsz) X(cuStreamUpdateCaptureDependencies_ptsz)      \
    X(cuStreamUpdateCaptureDependencies_v2_ptsz) X(cuStreamWaitEvent_ptsz)     \
    X(cuStreamWaitValue32_ptsz) X(cuStreamWaitValue32_v2_ptsz)                 \
    X(cuStreamWaitValue64_ptsz) X(cuStreamWaitValue64_v2_ptsz)                 \
    X(cuStreamWriteValue32_ptsz) X(cuStreamWriteValue32_v2_ptsz)               \
    X(cuStreamWriteValue64_ptsz) X(cuStreamWriteValue64_v2_ptsz)               \
    X(cuWaitExternalSemaphoresAsync_ptsz)
/* clang-format on */

/* Called with whatever arguments; none is looked at. */
#define STUB(name)                                                  \
    __attribute__((visibility("default"))) hc_cu_result name(void); \
    hc_cu_result                                        name(void)  \
    {                                                               \
        return emu_unsupported(__func__);                           \
    }

UNSUPPORTED(STUB)
TOO_OLD(STUB)
PER_THREAD(STUB)
