/*
 * The emulated CUDA runtime: names and words of its errors, and the way from
 * the runtime to the driver's functions.
 */

#include "device/emulator/emu_cudart.h"

#include <stdlib.h>

struct error {
    int         code;
    const char *name;
    const char *words; /* NULL: the name must do */
};

/* Sorted by code. */
static const struct error errors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {3, "cudaErrorInitializationError", "initialization error"},
    {4, "cudaErrorCudartUnloading", "driver shutting down"},
    {5, "cudaErrorProfilerDisabled", NULL},
    {6, "cudaErrorProfilerNotInitialized", NULL},
    {7, "cudaErrorProfilerAlreadyStarted", NULL},
    {8, "cudaErrorProfilerAlreadyStopped", NULL},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {12, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {16, "cudaErrorInvalidHostPointer", NULL},
    {17, "cudaErrorInvalidDevicePointer", NULL},
    {18, "cudaErrorInvalidTexture", NULL},
    {19, "cudaErrorInvalidTextureBinding", NULL},
    {20, "cudaErrorInvalidChannelDescriptor", NULL},
    {21, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {22, "cudaErrorAddressOfConstant", NULL},
    {23, "cudaErrorTextureFetchFailed", NULL},
    {24, "cudaErrorTextureNotBound", NULL},
    {25, "cudaErrorSynchronizationError", NULL},
    {26, "cudaErrorInvalidFilterSetting", NULL},
    {27, "cudaErrorInvalidNormSetting", NULL},
    {28, "cudaErrorMixedDeviceExecution", NULL},
    {31, "cudaErrorNotYetImplemented", NULL},
    {32, "cudaErrorMemoryValueTooLarge", NULL},
    {34, "cudaErrorStubLibrary", NULL},
    {35, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {36, "cudaErrorCallRequiresNewerDriver", NULL},
    {37, "cudaErrorInvalidSurface", NULL},
    {43, "cudaErrorDuplicateVariableName", NULL},
    {44, "cudaErrorDuplicateTextureName", NULL},
    {45, "cudaErrorDuplicateSurfaceName", NULL},
    {46, "cudaErrorDevicesUnavailable", NULL},
    {49, "cudaErrorIncompatibleDriverContext", NULL},
    {52, "cudaErrorMissingConfiguration",
     "__global__ function call is not configured"},
    {53, "cudaErrorPriorLaunchFailure", NULL},
    {65, "cudaErrorLaunchMaxDepthExceeded", NULL},
    {66, "cudaErrorLaunchFileScopedTex", NULL},
    {67, "cudaErrorLaunchFileScopedSurf", NULL},
    {68, "cudaErrorSyncDepthExceeded", NULL},
    {69, "cudaErrorLaunchPendingCountExceeded", NULL},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {102, "cudaErrorDeviceNotLicensed", NULL},
    {103, "cudaErrorSoftwareValidityNotEstablished", NULL},
    {127, "cudaErrorStartupFailure", NULL},
    {200, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    {201, "cudaErrorDeviceUninitialized", "invalid device context"},
    {205, "cudaErrorMapBufferObjectFailed", "mapping of buffer object failed"},
    {206, "cudaErrorUnmapBufferObjectFailed", NULL},
    {207, "cudaErrorArrayIsMapped", NULL},
    {208, "cudaErrorAlreadyMapped", NULL},
    {209, "cudaErrorNoKernelImageForDevice", NULL},
    {210, "cudaErrorAlreadyAcquired", NULL},
    {211, "cudaErrorNotMapped", NULL},
    {212, "cudaErrorNotMappedAsArray", NULL},
    {213, "cudaErrorNotMappedAsPointer", NULL},
    {214, "cudaErrorECCUncorrectable", NULL},
    {215, "cudaErrorUnsupportedLimit", NULL},
    {216, "cudaErrorDeviceAlreadyInUse", NULL},
    {217, "cudaErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {218, "cudaErrorInvalidPtx", NULL},
    {219, "cudaErrorInvalidGraphicsContext", NULL},
    {220, "cudaErrorNvlinkUncorrectable", NULL},
    {221, "cudaErrorJitCompilerNotFound", NULL},
    {222, "cudaErrorUnsupportedPtxVersion", NULL},
    {223, "cudaErrorJitCompilationDisabled", NULL},
    {224, "cudaErrorUnsupportedExecAffinity", NULL},
    {225, "cudaErrorUnsupportedDevSideSync", NULL},
    {226, "cudaErrorContained", NULL},
    {300, "cudaErrorInvalidSource", NULL},
    {301, "cudaErrorFileNotFound", NULL},
    {302, "cudaErrorSharedObjectSymbolNotFound", NULL},
    {303, "cudaErrorSharedObjectInitFailed", NULL},
    {304, "cudaErrorOperatingSystem", NULL},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {401, "cudaErrorIllegalState", NULL},
    {402, "cudaErrorLossyQuery", NULL},
    {500, "cudaErrorSymbolNotFound", "named symbol not found"},
    {600, "cudaErrorNotReady", "device not ready"},
    {700, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {701, "cudaErrorLaunchOutOfResources", NULL},
    {702, "cudaErrorLaunchTimeout", NULL},
    {703, "cudaErrorLaunchIncompatibleTexturing", NULL},
    {704, "cudaErrorPeerAccessAlreadyEnabled",
     "peer access is already enabled"},
    {705, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {708, "cudaErrorSetOnActiveProcess",
     "cannot set while device is active in this process"},
    {709, "cudaErrorContextIsDestroyed", "context is destroyed"},
    {710, "cudaErrorAssert", NULL},
    {711, "cudaErrorTooManyPeers", NULL},
    {712, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {713, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {714, "cudaErrorHardwareStackError", NULL},
    {715, "cudaErrorIllegalInstruction", NULL},
    {716, "cudaErrorMisalignedAddress", NULL},
    {717, "cudaErrorInvalidAddressSpace", NULL},
    {718, "cudaErrorInvalidPc", NULL},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {720, "cudaErrorCooperativeLaunchTooLarge", NULL},
    {721, "cudaErrorTensorMemoryLeak", NULL},
    {800, "cudaErrorNotPermitted", "operation not permitted"},
    {801, "cudaErrorNotSupported", "operation not supported"},
    {802, "cudaErrorSystemNotReady", NULL},
    {803, "cudaErrorSystemDriverMismatch", NULL},
    {804, "cudaErrorCompatNotSupportedOnDevice", NULL},
    {805, "cudaErrorMpsConnectionFailed", NULL},
    {806, "cudaErrorMpsRpcFailure", NULL},
    {807, "cudaErrorMpsServerNotReady", NULL},
    {808, "cudaErrorMpsMaxClientsReached", NULL},
    {809, "cudaErrorMpsMaxConnectionsReached", NULL},
    {810, "cudaErrorMpsClientTerminated", NULL},
    {811, "cudaErrorCdpNotSupported", NULL},
    {812, "cudaErrorCdpVersionMismatch", NULL},
    {900, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {901, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {902, "cudaErrorStreamCaptureMerge",
     "operation would result in a merge of separate capture sequences"},
    {903, "cudaErrorStreamCaptureUnmatched",
     "capture was not ended in the same stream as it began"},
    {904, "cudaErrorStreamCaptureUnjoined",
     "capturing stream has unjoined work"},
    {905, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {906, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking "
     "stream"},
    {907, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {908, "cudaErrorStreamCaptureWrongThread",
     "attempt to terminate a thread-local capture sequence from another "
     "thread"},
    {909, "cudaErrorTimeout", "wait operation timed out"},
    {910, "cudaErrorGraphExecUpdateFailure", NULL},
    {911, "cudaErrorExternalDevice", NULL},
    {912, "cudaErrorInvalidClusterSize", NULL},
    {913, "cudaErrorFunctionNotLoaded", NULL},
    {914, "cudaErrorInvalidResourceType", NULL},
    {915, "cudaErrorInvalidResourceConfiguration", NULL},
    {999, "cudaErrorUnknown", "unknown error"},
};

static int compare(const void *code, const void *error)
{
    return *(const int *)code - ((const struct error *)error)->code;
}

static const struct error *find(int code)
{
    return bsearch(&code, errors, sizeof(errors) / sizeof(errors[0]),
                   sizeof(errors[0]), compare);
}

RT_API const char *cudaGetErrorName(int code)
{
    const struct error *error = find(code);

    return error ? error->name : "unrecognized error code";
}

RT_API const char *cudaGetErrorString(int code)
{
    const struct error *error = find(code);

    if (!error)
        return "unrecognized error code";
    return error->words ? error->words : error->name;
}

/* Symbols a program looks up itself; the driver says in *status what it
 * found.  cudaEnablePerThreadDefaultStream is flag 2 here and there. */
static int entry_point(const char *symbol, void **function, int version,
                       uint64_t flags, int *status)
{
    int ignored;
    int code = rt_init();

    if (!symbol || !function)
        return rt_result(RT_INVALID_VALUE);
    if (code == RT_SUCCESS)
        code = cuGetProcAddress_v2(symbol, function, version, flags,
                                   status ? status : &ignored);
    return rt_result(code);
}

#if EMU_CUDART >= 12000
RT_API int cudaGetDriverEntryPoint(const char *symbol, void **function,
                                   unsigned long long flags, int *status)
{
    return entry_point(symbol, function, EMU_CUDART, flags, status);
}

RT_API int cudaGetDriverEntryPoint_ptsz(const char *symbol, void **function,
                                        unsigned long long flags, int *status)
{
    return entry_point(symbol, function, EMU_CUDART, flags ? flags : 2, status);
}

RT_API int cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                            unsigned           version,
                                            unsigned long long flags,
                                            int               *status)
{
    return entry_point(symbol, function, (int)version, flags, status);
}

RT_API int cudaGetDriverEntryPointByVersion_ptsz(const char        *symbol,
                                                 void             **function,
                                                 unsigned           version,
                                                 unsigned long long flags,
                                                 int               *status)
{
    return entry_point(symbol, function, (int)version, flags ? flags : 2,
                       status);
}
#else
RT_API int cudaGetDriverEntryPoint(const char *symbol, void **function,
                                   unsigned long long flags)
{
    return entry_point(symbol, function, EMU_CUDART, flags, NULL);
}

RT_API int cudaGetDriverEntryPoint_ptsz(const char *symbol, void **function,
                                        unsigned long long flags)
{
    return entry_point(symbol, function, EMU_CUDART, flags ? flags : 2, NULL);
}
#endif
