/*
 * The emulated HIP runtime: names and words of its errors.
 */

#include "device/emulator/emu_hip.h"

#include <stdlib.h>

struct error {
    int         code;
    const char *name;
    const char *words; /* NULL: the name must do */
};

/* Sorted by code. */
static const struct error errors[] = {
    {0, "hipSuccess", "no error"},
    {1, "hipErrorInvalidValue", "invalid argument"},
    {2, "hipErrorOutOfMemory", "out of memory"},
    {3, "hipErrorNotInitialized", "initialization error"},
    {4, "hipErrorDeinitialized", "driver shutting down"},
    {5, "hipErrorProfilerDisabled", NULL},
    {6, "hipErrorProfilerNotInitialized", NULL},
    {7, "hipErrorProfilerAlreadyStarted", NULL},
    {8, "hipErrorProfilerAlreadyStopped", NULL},
    {9, "hipErrorInvalidConfiguration", NULL},
    {12, "hipErrorInvalidPitchValue", "invalid pitch argument"},
    {13, "hipErrorInvalidSymbol", NULL},
    {17, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    {21, "hipErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {35, "hipErrorInsufficientDriver", NULL},
    {52, "hipErrorMissingConfiguration",
     "__global__ function call is not configured"},
    {53, "hipErrorPriorLaunchFailure", NULL},
    {98, "hipErrorInvalidDeviceFunction", NULL},
    {100, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {101, "hipErrorInvalidDevice", "invalid device ordinal"},
    {200, "hipErrorInvalidImage", NULL},
    {201, "hipErrorInvalidContext", "invalid device context"},
    {202, "hipErrorContextAlreadyCurrent", NULL},
    {205, "hipErrorMapFailed", "mapping of buffer object failed"},
    {206, "hipErrorUnmapFailed", NULL},
    {207, "hipErrorArrayIsMapped", NULL},
    {208, "hipErrorAlreadyMapped", NULL},
    {209, "hipErrorNoBinaryForGpu", NULL},
    {210, "hipErrorAlreadyAcquired", NULL},
    {211, "hipErrorNotMapped", NULL},
    {212, "hipErrorNotMappedAsArray", NULL},
    {213, "hipErrorNotMappedAsPointer", NULL},
    {214, "hipErrorECCNotCorrectable", NULL},
    {215, "hipErrorUnsupportedLimit", NULL},
    {216, "hipErrorContextAlreadyInUse", NULL},
    {217, "hipErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {218, "hipErrorInvalidKernelFile", NULL},
    {219, "hipErrorInvalidGraphicsContext", NULL},
    {300, "hipErrorInvalidSource", NULL},
    {301, "hipErrorFileNotFound", NULL},
    {302, "hipErrorSharedObjectSymbolNotFound", NULL},
    {303, "hipErrorSharedObjectInitFailed", NULL},
    {304, "hipErrorOperatingSystem", NULL},
    {400, "hipErrorInvalidHandle", "invalid resource handle"},
    {401, "hipErrorIllegalState", NULL},
    {500, "hipErrorNotFound", "named symbol not found"},
    {600, "hipErrorNotReady", "device not ready"},
    {700, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {701, "hipErrorLaunchOutOfResources", NULL},
    {702, "hipErrorLaunchTimeOut", NULL},
    {704, "hipErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {705, "hipErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {708, "hipErrorSetOnActiveProcess", NULL},
    {709, "hipErrorContextIsDestroyed", "context is destroyed"},
    {710, "hipErrorAssert", NULL},
    {712, "hipErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {713, "hipErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {719, "hipErrorLaunchFailure", "unspecified launch failure"},
    {720, "hipErrorCooperativeLaunchTooLarge", NULL},
    {801, "hipErrorNotSupported", "operation not supported"},
    {900, "hipErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {901, "hipErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {902, "hipErrorStreamCaptureMerge",
     "operation would result in a merge of separate capture sequences"},
    {903, "hipErrorStreamCaptureUnmatched",
     "capture was not ended in the same stream as it began"},
    {904, "hipErrorStreamCaptureUnjoined",
     "capturing stream has unjoined work"},
    {905, "hipErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {906, "hipErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking "
     "stream"},
    {907, "hipErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {908, "hipErrorStreamCaptureWrongThread",
     "attempt to terminate a thread-local capture sequence from another "
     "thread"},
    {910, "hipErrorGraphExecUpdateFailure", NULL},
    {911, "hipErrorInvalidChannelDescriptor", NULL},
    {912, "hipErrorInvalidTexture", NULL},
    {999, "hipErrorUnknown", "unknown error"},
    {1052, "hipErrorRuntimeMemory", NULL},
    {1053, "hipErrorRuntimeOther", NULL},
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

HIP_API const char *hipGetErrorName(int code)
{
    const struct error *error = find(code);

    return error ? error->name : "hipErrorUnknown";
}

HIP_API const char *hipGetErrorString(int code)
{
    const struct error *error = find(code);

    if (!error)
        return "unknown error";
    return error->words ? error->words : error->name;
}

HIP_API int hipDrvGetErrorName(int code, const char **name)
{
    if (!name || !find(code))
        return HC_HIP_INVALID_VALUE;
    *name = hipGetErrorName(code);
    return HC_HIP_SUCCESS;
}

HIP_API int hipDrvGetErrorString(int code, const char **words)
{
    if (!words || !find(code))
        return HC_HIP_INVALID_VALUE;
    *words = hipGetErrorString(code);
    return HC_HIP_SUCCESS;
}

/* The few that return text and are not emulated. */
HIP_API const char *hipApiName(unsigned id)
{
    (void)id;
    return "unknown";
}

HIP_API const char *hipGetCmdName(unsigned id)
{
    (void)id;
    return "unknown";
}

HIP_API const char *hipKernelNameRef(const void *function)
{
    (void)function;
    return "unknown";
}

HIP_API const char *hipKernelNameRefByPtr(const void *stub, void *stream)
{
    (void)stub;
    (void)stream;
    return "unknown";
}

HIP_API const char *hiprtcGetErrorString(int code)
{
    (void)code;
    return "HIPRTC is not emulated";
}
