/*
 * Compile-time facts: what the emulated driver adds to device/abi_ze.h, and
 * its tables, against the Level Zero headers, where they are installed.  Built
 * as part of the tests; there is nothing to run.
 */

#include "device/emulator/emu_ze_abi.h"

#ifdef HAVE_LEVEL_ZERO_HEADERS

#include "device/emulator/emu_ze_names.h"

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_ddi.h>

#define SAME(ours, theirs) \
    _Static_assert((long)(ours) == (long)(theirs), #ours " is not " #theirs)
#define FIELD(type, ours, theirs_type, theirs) \
    SAME(offsetof(struct type, ours), offsetof(theirs_type, theirs))
#define SIZE(type, theirs) SAME(sizeof(struct type), sizeof(theirs))

SAME(EMU_ZE_API_VERSION, ZE_API_VERSION_1_4);
SAME(EMU_ZE_IS_P2P_PROPERTIES, ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES);
SAME(EMU_ZE_IS_LIST_DESC, ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC);
SAME(EMU_ZE_IS_FENCE_DESC, ZE_STRUCTURE_TYPE_FENCE_DESC);
SAME(EMU_ZE_IS_EXTERNAL_EXPORT_DESC,
     ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC);
SAME(EMU_ZE_IS_EXTERNAL_IMPORT_FD, ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD);
SAME(EMU_ZE_IS_EXTERNAL_EXPORT_FD, ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD);
SAME(EMU_ZE_IS_DEVICE_PROPERTIES_1_2, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2);
SAME(EMU_ZE_INIT_VPU_ONLY, ZE_INIT_FLAG_VPU_ONLY);
SAME(EMU_ZE_IPC_MEMORY, ZE_IPC_PROPERTY_FLAG_MEMORY);
SAME(EMU_ZE_GROUP_COOPERATIVE,
     ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS);
SAME(EMU_ZE_ACCESS_RW, ZE_MEMORY_ACCESS_CAP_FLAG_RW);
SAME(EMU_ZE_ACCESS_CONCURRENT, ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT);
SAME(EMU_ZE_P2P_ACCESS, ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS);
SAME(EMU_ZE_FENCE_SIGNALED, ZE_FENCE_FLAG_SIGNALED);
SAME(EMU_ZE_POOL_IPC, ZE_EVENT_POOL_FLAG_IPC);

FIELD(emu_ze_header, next, ze_base_desc_t, pNext);
SIZE(emu_ze_header, ze_base_desc_t);
SIZE(emu_ze_driver_properties, ze_driver_properties_t);
FIELD(emu_ze_driver_properties, version, ze_driver_properties_t, driverVersion);
SIZE(emu_ze_ipc_properties, ze_driver_ipc_properties_t);
SIZE(emu_ze_extension, ze_driver_extension_properties_t);
SIZE(emu_ze_compute_properties, ze_device_compute_properties_t);
FIELD(emu_ze_compute_properties, groups_max, ze_device_compute_properties_t,
      maxGroupCountX);
FIELD(emu_ze_compute_properties, local_max_bytes,
      ze_device_compute_properties_t, maxSharedLocalMemory);
FIELD(emu_ze_compute_properties, subgroup_sizes, ze_device_compute_properties_t,
      subGroupSizes);
SIZE(emu_ze_module_properties, ze_device_module_properties_t);
FIELD(emu_ze_module_properties, native_kernel_uuid,
      ze_device_module_properties_t, nativeKernelSupported);
SIZE(emu_ze_memory_access, ze_device_memory_access_properties_t);
FIELD(emu_ze_memory_access, shared_system, ze_device_memory_access_properties_t,
      sharedSystemAllocCapabilities);
SIZE(emu_ze_external_memory, ze_device_external_memory_properties_t);
FIELD(emu_ze_external_memory, memory_export,
      ze_device_external_memory_properties_t, memoryAllocationExportTypes);
SIZE(emu_ze_p2p_properties, ze_device_p2p_properties_t);
SIZE(emu_ze_list_desc, ze_command_list_desc_t);
FIELD(emu_ze_list_desc, group, ze_command_list_desc_t,
      commandQueueGroupOrdinal);
SIZE(emu_ze_fence_desc, ze_fence_desc_t);
SIZE(emu_ze_ipc_handle, ze_ipc_mem_handle_t);

/* The order of a table is seen where its entries have the names' types: a
 * table made of the vendor's own functions, as ours are listed. */
#define ENTRY(name)       name,
#define TABLE(type, list) const type hc_test_##type = {list(ENTRY, ENTRY)};

TABLE(ze_global_dditable_t, ENTRIES_ZE_GLOBAL)
TABLE(ze_driver_dditable_t, ENTRIES_ZE_DRIVER)
TABLE(ze_device_dditable_t, ENTRIES_ZE_DEVICE)
TABLE(ze_context_dditable_t, ENTRIES_ZE_CONTEXT)
TABLE(ze_command_queue_dditable_t, ENTRIES_ZE_COMMAND_QUEUE)
TABLE(ze_command_list_dditable_t, ENTRIES_ZE_COMMAND_LIST)
TABLE(ze_fence_dditable_t, ENTRIES_ZE_FENCE)
TABLE(ze_event_pool_dditable_t, ENTRIES_ZE_EVENT_POOL)
TABLE(ze_event_dditable_t, ENTRIES_ZE_EVENT)
TABLE(ze_mem_dditable_t, ENTRIES_ZE_MEM)
TABLE(ze_module_dditable_t, ENTRIES_ZE_MODULE)
TABLE(ze_kernel_dditable_t, ENTRIES_ZE_KERNEL)
TABLE(ze_virtual_mem_dditable_t, ENTRIES_ZE_VIRTUAL_MEM)

#else
typedef int hc_test_no_level_zero_header;
#endif
