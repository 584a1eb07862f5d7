#ifndef EMU_ZE_NAMES_H
#define EMU_ZE_NAMES_H

/*
 * The tables that the loader asks for, entry by entry in the order of API 1.4.
 * I: implemented here.  S: a stub that says it is not emulated.
 */

#define ENTRIES_ZE_GLOBAL(I, S) I(zeInit)

#define ENTRIES_ZE_DRIVER(I, S)       \
    I(zeDriverGet)                    \
    I(zeDriverGetApiVersion)          \
    I(zeDriverGetProperties)          \
    I(zeDriverGetIpcProperties)       \
    I(zeDriverGetExtensionProperties) \
    I(zeDriverGetExtensionFunctionAddress)

#define ENTRIES_ZE_DEVICE(I, S)               \
    I(zeDeviceGet)                            \
    I(zeDeviceGetSubDevices)                  \
    I(zeDeviceGetProperties)                  \
    I(zeDeviceGetComputeProperties)           \
    I(zeDeviceGetModuleProperties)            \
    I(zeDeviceGetCommandQueueGroupProperties) \
    I(zeDeviceGetMemoryProperties)            \
    I(zeDeviceGetMemoryAccessProperties)      \
    I(zeDeviceGetCacheProperties)             \
    S(zeDeviceGetImageProperties)             \
    I(zeDeviceGetExternalMemoryProperties)    \
    I(zeDeviceGetP2PProperties)               \
    I(zeDeviceCanAccessPeer)                  \
    I(zeDeviceGetStatus)                      \
    I(zeDeviceGetGlobalTimestamps)            \
    S(zeDeviceReserveCacheExt)                \
    S(zeDeviceSetCacheAdviceExt)              \
    I(zeDevicePciGetPropertiesExt)

#define ENTRIES_ZE_DEVICE_EXP(I, S) S(zeDeviceGetFabricVertexExp)

#define ENTRIES_ZE_CONTEXT(I, S)   \
    I(zeContextCreate)             \
    I(zeContextDestroy)            \
    I(zeContextGetStatus)          \
    S(zeContextSystemBarrier)      \
    I(zeContextMakeMemoryResident) \
    I(zeContextEvictMemory)        \
    S(zeContextMakeImageResident)  \
    S(zeContextEvictImage)         \
    I(zeContextCreateEx)

#define ENTRIES_ZE_COMMAND_QUEUE(I, S)   \
    I(zeCommandQueueCreate)              \
    I(zeCommandQueueDestroy)             \
    I(zeCommandQueueExecuteCommandLists) \
    I(zeCommandQueueSynchronize)

#define ENTRIES_ZE_COMMAND_LIST(I, S)                   \
    I(zeCommandListCreate)                              \
    I(zeCommandListCreateImmediate)                     \
    I(zeCommandListDestroy)                             \
    I(zeCommandListClose)                               \
    I(zeCommandListReset)                               \
    S(zeCommandListAppendWriteGlobalTimestamp)          \
    I(zeCommandListAppendBarrier)                       \
    I(zeCommandListAppendMemoryRangesBarrier)           \
    I(zeCommandListAppendMemoryCopy)                    \
    I(zeCommandListAppendMemoryFill)                    \
    I(zeCommandListAppendMemoryCopyRegion)              \
    I(zeCommandListAppendMemoryCopyFromContext)         \
    S(zeCommandListAppendImageCopy)                     \
    S(zeCommandListAppendImageCopyRegion)               \
    S(zeCommandListAppendImageCopyToMemory)             \
    S(zeCommandListAppendImageCopyFromMemory)           \
    I(zeCommandListAppendMemoryPrefetch)                \
    I(zeCommandListAppendMemAdvise)                     \
    I(zeCommandListAppendSignalEvent)                   \
    I(zeCommandListAppendWaitOnEvents)                  \
    I(zeCommandListAppendEventReset)                    \
    S(zeCommandListAppendQueryKernelTimestamps)         \
    S(zeCommandListAppendLaunchKernel)                  \
    S(zeCommandListAppendLaunchCooperativeKernel)       \
    S(zeCommandListAppendLaunchKernelIndirect)          \
    S(zeCommandListAppendLaunchMultipleKernelsIndirect) \
    S(zeCommandListAppendImageCopyToMemoryExt)          \
    S(zeCommandListAppendImageCopyFromMemoryExt)

#define ENTRIES_ZE_IMAGE(I, S) \
    S(zeImageGetProperties)    \
    S(zeImageCreate)           \
    S(zeImageDestroy)          \
    S(zeImageGetAllocPropertiesExt)

#define ENTRIES_ZE_IMAGE_EXP(I, S)   \
    S(zeImageGetMemoryPropertiesExp) \
    S(zeImageViewCreateExp)

#define ENTRIES_ZE_FENCE(I, S) \
    I(zeFenceCreate)           \
    I(zeFenceDestroy)          \
    I(zeFenceHostSynchronize)  \
    I(zeFenceQueryStatus)      \
    I(zeFenceReset)

#define ENTRIES_ZE_EVENT_POOL(I, S) \
    I(zeEventPoolCreate)            \
    I(zeEventPoolDestroy)           \
    S(zeEventPoolGetIpcHandle)      \
    S(zeEventPoolOpenIpcHandle)     \
    S(zeEventPoolCloseIpcHandle)

#define ENTRIES_ZE_EVENT(I, S) \
    I(zeEventCreate)           \
    I(zeEventDestroy)          \
    I(zeEventHostSignal)       \
    I(zeEventHostSynchronize)  \
    I(zeEventQueryStatus)      \
    I(zeEventHostReset)        \
    S(zeEventQueryKernelTimestamp)

#define ENTRIES_ZE_EVENT_EXP(I, S) S(zeEventQueryTimestampsExp)

#define ENTRIES_ZE_MODULE(I, S)   \
    S(zeModuleCreate)             \
    S(zeModuleDestroy)            \
    S(zeModuleDynamicLink)        \
    S(zeModuleGetNativeBinary)    \
    S(zeModuleGetGlobalPointer)   \
    S(zeModuleGetKernelNames)     \
    S(zeModuleGetProperties)      \
    S(zeModuleGetFunctionPointer) \
    S(zeModuleInspectLinkageExt)

#define ENTRIES_ZE_MODULE_BUILD_LOG(I, S) \
    S(zeModuleBuildLogDestroy)            \
    S(zeModuleBuildLogGetString)

#define ENTRIES_ZE_KERNEL(I, S)                \
    S(zeKernelCreate)                          \
    S(zeKernelDestroy)                         \
    S(zeKernelSetCacheConfig)                  \
    S(zeKernelSetGroupSize)                    \
    S(zeKernelSuggestGroupSize)                \
    S(zeKernelSuggestMaxCooperativeGroupCount) \
    S(zeKernelSetArgumentValue)                \
    S(zeKernelSetIndirectAccess)               \
    S(zeKernelGetIndirectAccess)               \
    S(zeKernelGetSourceAttributes)             \
    S(zeKernelGetProperties)                   \
    S(zeKernelGetName)

#define ENTRIES_ZE_KERNEL_EXP(I, S) \
    S(zeKernelSetGlobalOffsetExp)   \
    S(zeKernelSchedulingHintExp)

#define ENTRIES_ZE_SAMPLER(I, S) \
    S(zeSamplerCreate)           \
    S(zeSamplerDestroy)

#define ENTRIES_ZE_PHYSICAL_MEM(I, S) \
    S(zePhysicalMemCreate)            \
    S(zePhysicalMemDestroy)

#define ENTRIES_ZE_MEM(I, S)   \
    I(zeMemAllocShared)        \
    I(zeMemAllocDevice)        \
    I(zeMemAllocHost)          \
    I(zeMemFree)               \
    I(zeMemGetAllocProperties) \
    I(zeMemGetAddressRange)    \
    I(zeMemGetIpcHandle)       \
    I(zeMemOpenIpcHandle)      \
    I(zeMemCloseIpcHandle)     \
    S(zeMemFreeExt)

#define ENTRIES_ZE_VIRTUAL_MEM(I, S)  \
    S(zeVirtualMemReserve)            \
    S(zeVirtualMemFree)               \
    S(zeVirtualMemQueryPageSize)      \
    S(zeVirtualMemMap)                \
    S(zeVirtualMemUnmap)              \
    S(zeVirtualMemSetAccessAttribute) \
    S(zeVirtualMemGetAccessAttribute)

#define ENTRIES_ZE_FABRIC_VERTEX_EXP(I, S) \
    S(zeFabricVertexGetExp)                \
    S(zeFabricVertexGetSubVerticesExp)     \
    S(zeFabricVertexGetPropertiesExp)      \
    S(zeFabricVertexGetDeviceExp)

#define ENTRIES_ZE_FABRIC_EDGE_EXP(I, S) \
    S(zeFabricEdgeGetExp)                \
    S(zeFabricEdgeGetVerticesExp)        \
    S(zeFabricEdgeGetPropertiesExp)

#define ENTRIES_ZES_GLOBAL(I, S) I(zesInit)

#define ENTRIES_ZES_DRIVER(I, S) \
    S(zesDriverEventListen)      \
    S(zesDriverEventListenEx)

#define ENTRIES_ZES_DEVICE(I, S)             \
    S(zesDeviceGetProperties)                \
    S(zesDeviceGetState)                     \
    S(zesDeviceReset)                        \
    S(zesDeviceProcessesGetState)            \
    S(zesDevicePciGetProperties)             \
    S(zesDevicePciGetState)                  \
    S(zesDevicePciGetBars)                   \
    S(zesDevicePciGetStats)                  \
    S(zesDeviceEnumDiagnosticTestSuites)     \
    S(zesDeviceEnumEngineGroups)             \
    S(zesDeviceEventRegister)                \
    S(zesDeviceEnumFabricPorts)              \
    S(zesDeviceEnumFans)                     \
    S(zesDeviceEnumFirmwares)                \
    S(zesDeviceEnumFrequencyDomains)         \
    S(zesDeviceEnumLeds)                     \
    S(zesDeviceEnumMemoryModules)            \
    S(zesDeviceEnumPerformanceFactorDomains) \
    S(zesDeviceEnumPowerDomains)             \
    S(zesDeviceGetCardPowerDomain)           \
    S(zesDeviceEnumPsus)                     \
    S(zesDeviceEnumRasErrorSets)             \
    S(zesDeviceEnumSchedulers)               \
    S(zesDeviceEnumStandbyDomains)           \
    S(zesDeviceEnumTemperatureSensors)       \
    S(zesDeviceEccAvailable)                 \
    S(zesDeviceEccConfigurable)              \
    S(zesDeviceGetEccState)                  \
    S(zesDeviceSetEccState)

#define ENTRIES_ZES_SCHEDULER(I, S)           \
    S(zesSchedulerGetProperties)              \
    S(zesSchedulerGetCurrentMode)             \
    S(zesSchedulerGetTimeoutModeProperties)   \
    S(zesSchedulerGetTimesliceModeProperties) \
    S(zesSchedulerSetTimeoutMode)             \
    S(zesSchedulerSetTimesliceMode)           \
    S(zesSchedulerSetExclusiveMode)           \
    S(zesSchedulerSetComputeUnitDebugMode)

#define ENTRIES_ZES_PERFORMANCE_FACTOR(I, S) \
    S(zesPerformanceFactorGetProperties)     \
    S(zesPerformanceFactorGetConfig)         \
    S(zesPerformanceFactorSetConfig)

#define ENTRIES_ZES_POWER(I, S)   \
    S(zesPowerGetProperties)      \
    S(zesPowerGetEnergyCounter)   \
    S(zesPowerGetLimits)          \
    S(zesPowerSetLimits)          \
    S(zesPowerGetEnergyThreshold) \
    S(zesPowerSetEnergyThreshold) \
    S(zesPowerGetLimitsExt)       \
    S(zesPowerSetLimitsExt)

#define ENTRIES_ZES_FREQUENCY(I, S)     \
    S(zesFrequencyGetProperties)        \
    S(zesFrequencyGetAvailableClocks)   \
    S(zesFrequencyGetRange)             \
    S(zesFrequencySetRange)             \
    S(zesFrequencyGetState)             \
    S(zesFrequencyGetThrottleTime)      \
    S(zesFrequencyOcGetCapabilities)    \
    S(zesFrequencyOcGetFrequencyTarget) \
    S(zesFrequencyOcSetFrequencyTarget) \
    S(zesFrequencyOcGetVoltageTarget)   \
    S(zesFrequencyOcSetVoltageTarget)   \
    S(zesFrequencyOcSetMode)            \
    S(zesFrequencyOcGetMode)            \
    S(zesFrequencyOcGetIccMax)          \
    S(zesFrequencyOcSetIccMax)          \
    S(zesFrequencyOcGetTjMax)           \
    S(zesFrequencyOcSetTjMax)

#define ENTRIES_ZES_ENGINE(I, S) \
    S(zesEngineGetProperties)    \
    S(zesEngineGetActivity)

#define ENTRIES_ZES_STANDBY(I, S) \
    S(zesStandbyGetProperties)    \
    S(zesStandbyGetMode)          \
    S(zesStandbySetMode)

#define ENTRIES_ZES_FIRMWARE(I, S) \
    S(zesFirmwareGetProperties)    \
    S(zesFirmwareFlash)

#define ENTRIES_ZES_MEMORY(I, S) \
    S(zesMemoryGetProperties)    \
    S(zesMemoryGetState)         \
    S(zesMemoryGetBandwidth)

#define ENTRIES_ZES_FABRIC_PORT(I, S) \
    S(zesFabricPortGetProperties)     \
    S(zesFabricPortGetLinkType)       \
    S(zesFabricPortGetConfig)         \
    S(zesFabricPortSetConfig)         \
    S(zesFabricPortGetState)          \
    S(zesFabricPortGetThroughput)

#define ENTRIES_ZES_TEMPERATURE(I, S) \
    S(zesTemperatureGetProperties)    \
    S(zesTemperatureGetConfig)        \
    S(zesTemperatureSetConfig)        \
    S(zesTemperatureGetState)

#define ENTRIES_ZES_PSU(I, S) \
    S(zesPsuGetProperties)    \
    S(zesPsuGetState)

#define ENTRIES_ZES_FAN(I, S)  \
    S(zesFanGetProperties)     \
    S(zesFanGetConfig)         \
    S(zesFanSetDefaultMode)    \
    S(zesFanSetFixedSpeedMode) \
    S(zesFanSetSpeedTableMode) \
    S(zesFanGetState)

#define ENTRIES_ZES_LED(I, S) \
    S(zesLedGetProperties)    \
    S(zesLedGetState)         \
    S(zesLedSetState)         \
    S(zesLedSetColor)

#define ENTRIES_ZES_RAS(I, S) \
    S(zesRasGetProperties)    \
    S(zesRasGetConfig)        \
    S(zesRasSetConfig)        \
    S(zesRasGetState)

#define ENTRIES_ZES_DIAGNOSTICS(I, S) \
    S(zesDiagnosticsGetProperties)    \
    S(zesDiagnosticsGetTests)         \
    S(zesDiagnosticsRunTests)

#define ENTRIES_ZET_DEVICE(I, S) S(zetDeviceGetDebugProperties)

#define ENTRIES_ZET_CONTEXT(I, S) S(zetContextActivateMetricGroups)

#define ENTRIES_ZET_COMMAND_LIST(I, S)          \
    S(zetCommandListAppendMetricStreamerMarker) \
    S(zetCommandListAppendMetricQueryBegin)     \
    S(zetCommandListAppendMetricQueryEnd)       \
    S(zetCommandListAppendMetricMemoryBarrier)

#define ENTRIES_ZET_MODULE(I, S) S(zetModuleGetDebugInfo)

#define ENTRIES_ZET_KERNEL(I, S) S(zetKernelGetProfileInfo)

#define ENTRIES_ZET_METRIC_GROUP(I, S) \
    S(zetMetricGroupGet)               \
    S(zetMetricGroupGetProperties)     \
    S(zetMetricGroupCalculateMetricValues)

#define ENTRIES_ZET_METRIC_GROUP_EXP(I, S) \
    S(zetMetricGroupCalculateMultipleMetricValuesExp)

#define ENTRIES_ZET_METRIC(I, S) \
    S(zetMetricGet)              \
    S(zetMetricGetProperties)

#define ENTRIES_ZET_METRIC_STREAMER(I, S) \
    S(zetMetricStreamerOpen)              \
    S(zetMetricStreamerClose)             \
    S(zetMetricStreamerReadData)

#define ENTRIES_ZET_METRIC_QUERY_POOL(I, S) \
    S(zetMetricQueryPoolCreate)             \
    S(zetMetricQueryPoolDestroy)

#define ENTRIES_ZET_METRIC_QUERY(I, S) \
    S(zetMetricQueryCreate)            \
    S(zetMetricQueryDestroy)           \
    S(zetMetricQueryReset)             \
    S(zetMetricQueryGetData)

#define ENTRIES_ZET_TRACER_EXP(I, S) \
    S(zetTracerExpCreate)            \
    S(zetTracerExpDestroy)           \
    S(zetTracerExpSetPrologues)      \
    S(zetTracerExpSetEpilogues)      \
    S(zetTracerExpSetEnabled)

#define ENTRIES_ZET_DEBUG(I, S)         \
    S(zetDebugAttach)                   \
    S(zetDebugDetach)                   \
    S(zetDebugReadEvent)                \
    S(zetDebugAcknowledgeEvent)         \
    S(zetDebugInterrupt)                \
    S(zetDebugResume)                   \
    S(zetDebugReadMemory)               \
    S(zetDebugWriteMemory)              \
    S(zetDebugGetRegisterSetProperties) \
    S(zetDebugReadRegisters)            \
    S(zetDebugWriteRegisters)

/* Each table and the function that fills it in. */
#define ZE_TABLES(X)                                                        \
    X(ENTRIES_ZE_GLOBAL, zeGetGlobalProcAddrTable)                          \
    X(ENTRIES_ZE_DRIVER, zeGetDriverProcAddrTable)                          \
    X(ENTRIES_ZE_DEVICE, zeGetDeviceProcAddrTable)                          \
    X(ENTRIES_ZE_DEVICE_EXP, zeGetDeviceExpProcAddrTable)                   \
    X(ENTRIES_ZE_CONTEXT, zeGetContextProcAddrTable)                        \
    X(ENTRIES_ZE_COMMAND_QUEUE, zeGetCommandQueueProcAddrTable)             \
    X(ENTRIES_ZE_COMMAND_LIST, zeGetCommandListProcAddrTable)               \
    X(ENTRIES_ZE_IMAGE, zeGetImageProcAddrTable)                            \
    X(ENTRIES_ZE_IMAGE_EXP, zeGetImageExpProcAddrTable)                     \
    X(ENTRIES_ZE_FENCE, zeGetFenceProcAddrTable)                            \
    X(ENTRIES_ZE_EVENT_POOL, zeGetEventPoolProcAddrTable)                   \
    X(ENTRIES_ZE_EVENT, zeGetEventProcAddrTable)                            \
    X(ENTRIES_ZE_EVENT_EXP, zeGetEventExpProcAddrTable)                     \
    X(ENTRIES_ZE_MODULE, zeGetModuleProcAddrTable)                          \
    X(ENTRIES_ZE_MODULE_BUILD_LOG, zeGetModuleBuildLogProcAddrTable)        \
    X(ENTRIES_ZE_KERNEL, zeGetKernelProcAddrTable)                          \
    X(ENTRIES_ZE_KERNEL_EXP, zeGetKernelExpProcAddrTable)                   \
    X(ENTRIES_ZE_SAMPLER, zeGetSamplerProcAddrTable)                        \
    X(ENTRIES_ZE_PHYSICAL_MEM, zeGetPhysicalMemProcAddrTable)               \
    X(ENTRIES_ZE_MEM, zeGetMemProcAddrTable)                                \
    X(ENTRIES_ZE_VIRTUAL_MEM, zeGetVirtualMemProcAddrTable)                 \
    X(ENTRIES_ZE_FABRIC_VERTEX_EXP, zeGetFabricVertexExpProcAddrTable)      \
    X(ENTRIES_ZE_FABRIC_EDGE_EXP, zeGetFabricEdgeExpProcAddrTable)          \
    X(ENTRIES_ZES_GLOBAL, zesGetGlobalProcAddrTable)                        \
    X(ENTRIES_ZES_DRIVER, zesGetDriverProcAddrTable)                        \
    X(ENTRIES_ZES_DEVICE, zesGetDeviceProcAddrTable)                        \
    X(ENTRIES_ZES_SCHEDULER, zesGetSchedulerProcAddrTable)                  \
    X(ENTRIES_ZES_PERFORMANCE_FACTOR, zesGetPerformanceFactorProcAddrTable) \
    X(ENTRIES_ZES_POWER, zesGetPowerProcAddrTable)                          \
    X(ENTRIES_ZES_FREQUENCY, zesGetFrequencyProcAddrTable)                  \
    X(ENTRIES_ZES_ENGINE, zesGetEngineProcAddrTable)                        \
    X(ENTRIES_ZES_STANDBY, zesGetStandbyProcAddrTable)                      \
    X(ENTRIES_ZES_FIRMWARE, zesGetFirmwareProcAddrTable)                    \
    X(ENTRIES_ZES_MEMORY, zesGetMemoryProcAddrTable)                        \
    X(ENTRIES_ZES_FABRIC_PORT, zesGetFabricPortProcAddrTable)               \
    X(ENTRIES_ZES_TEMPERATURE, zesGetTemperatureProcAddrTable)              \
    X(ENTRIES_ZES_PSU, zesGetPsuProcAddrTable)                              \
    X(ENTRIES_ZES_FAN, zesGetFanProcAddrTable)                              \
    X(ENTRIES_ZES_LED, zesGetLedProcAddrTable)                              \
    X(ENTRIES_ZES_RAS, zesGetRasProcAddrTable)                              \
    X(ENTRIES_ZES_DIAGNOSTICS, zesGetDiagnosticsProcAddrTable)              \
    X(ENTRIES_ZET_DEVICE, zetGetDeviceProcAddrTable)                        \
    X(ENTRIES_ZET_CONTEXT, zetGetContextProcAddrTable)                      \
    X(ENTRIES_ZET_COMMAND_LIST, zetGetCommandListProcAddrTable)             \
    X(ENTRIES_ZET_MODULE, zetGetModuleProcAddrTable)                        \
    X(ENTRIES_ZET_KERNEL, zetGetKernelProcAddrTable)                        \
    X(ENTRIES_ZET_METRIC_GROUP, zetGetMetricGroupProcAddrTable)             \
    X(ENTRIES_ZET_METRIC_GROUP_EXP, zetGetMetricGroupExpProcAddrTable)      \
    X(ENTRIES_ZET_METRIC, zetGetMetricProcAddrTable)                        \
    X(ENTRIES_ZET_METRIC_STREAMER, zetGetMetricStreamerProcAddrTable)       \
    X(ENTRIES_ZET_METRIC_QUERY_POOL, zetGetMetricQueryPoolProcAddrTable)    \
    X(ENTRIES_ZET_METRIC_QUERY, zetGetMetricQueryProcAddrTable)             \
    X(ENTRIES_ZET_TRACER_EXP, zetGetTracerExpProcAddrTable)                 \
    X(ENTRIES_ZET_DEBUG, zetGetDebugProcAddrTable)

#endif
