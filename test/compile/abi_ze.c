/*
 * Compile-time facts: device/abi_ze.h against the Level Zero header, where one
 * is installed.  Built as part of the tests; there is nothing to run.
 */

#include "device/abi_ze.h"

#ifdef HAVE_LEVEL_ZERO_HEADERS

#include <level_zero/ze_api.h>

#define SAME(ours, theirs) \
    _Static_assert((long)(ours) == (long)(theirs), #ours " is not " #theirs)
#define SAME_FIELD(ours, our_field, theirs, their_field)                   \
    SAME(offsetof(struct ours, our_field), offsetof(theirs, their_field)); \
    SAME(sizeof(((struct ours *)0)->our_field),                            \
         sizeof(((theirs *)0)->their_field))

#define X(name, theirs, number, words) SAME(HC_ZE_##name, ZE_RESULT_##theirs);
HC_ZE_RESULTS(X)
#undef X

SAME(HC_ZE_IS_DRIVER_PROPERTIES, ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES);
SAME(HC_ZE_IS_DEVICE_PROPERTIES, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES);
SAME(HC_ZE_IS_QUEUE_GROUP_PROPERTIES,
     ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES);
SAME(HC_ZE_IS_DEVICE_MEMORY, ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES);
SAME(HC_ZE_IS_CONTEXT_DESC, ZE_STRUCTURE_TYPE_CONTEXT_DESC);
SAME(HC_ZE_IS_QUEUE_DESC, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC);
SAME(HC_ZE_IS_EVENT_POOL_DESC, ZE_STRUCTURE_TYPE_EVENT_POOL_DESC);
SAME(HC_ZE_IS_EVENT_DESC, ZE_STRUCTURE_TYPE_EVENT_DESC);
SAME(HC_ZE_IS_DEVICE_ALLOC_DESC, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC);
SAME(HC_ZE_IS_HOST_ALLOC_DESC, ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC);
SAME(HC_ZE_IS_ALLOC_PROPERTIES, ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES);
SAME(HC_ZE_IS_PCI_PROPERTIES, ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES);

SAME(HC_ZE_DEVICE_GPU, ZE_DEVICE_TYPE_GPU);
SAME(HC_ZE_DEVICE_CPU, ZE_DEVICE_TYPE_CPU);
SAME(HC_ZE_DEVICE_FPGA, ZE_DEVICE_TYPE_FPGA);
SAME(HC_ZE_DEVICE_MCA, ZE_DEVICE_TYPE_MCA);
SAME(HC_ZE_DEVICE_VPU, ZE_DEVICE_TYPE_VPU);
SAME(HC_ZE_MEMORY_UNKNOWN, ZE_MEMORY_TYPE_UNKNOWN);
SAME(HC_ZE_MEMORY_HOST, ZE_MEMORY_TYPE_HOST);
SAME(HC_ZE_MEMORY_DEVICE, ZE_MEMORY_TYPE_DEVICE);
SAME(HC_ZE_MEMORY_SHARED, ZE_MEMORY_TYPE_SHARED);
SAME(HC_ZE_QUEUE_DEFAULT, ZE_COMMAND_QUEUE_MODE_DEFAULT);
SAME(HC_ZE_QUEUE_SYNCHRONOUS, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
SAME(HC_ZE_QUEUE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
SAME(HC_ZE_GROUP_COMPUTE, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
SAME(HC_ZE_GROUP_COPY, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
SAME(HC_ZE_EVENT_POOL_HOST_VISIBLE, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
SAME(HC_ZE_SCOPE_HOST, ZE_EVENT_SCOPE_FLAG_HOST);
SAME(HC_ZE_MAJOR(ZE_API_VERSION_1_3), 1);
SAME(HC_ZE_MINOR(ZE_API_VERSION_1_3), 3);

SAME(sizeof(struct hc_ze_context_desc), sizeof(ze_context_desc_t));
SAME_FIELD(hc_ze_context_desc, flags, ze_context_desc_t, flags);

SAME(sizeof(struct hc_ze_device_properties), sizeof(ze_device_properties_t));
SAME_FIELD(hc_ze_device_properties, type, ze_device_properties_t, type);
SAME_FIELD(hc_ze_device_properties, device_id, ze_device_properties_t,
           deviceId);
SAME_FIELD(hc_ze_device_properties, allocation_max_bytes,
           ze_device_properties_t, maxMemAllocSize);
SAME_FIELD(hc_ze_device_properties, slices, ze_device_properties_t, numSlices);
SAME_FIELD(hc_ze_device_properties, kernel_timestamp_bits,
           ze_device_properties_t, kernelTimestampValidBits);
SAME_FIELD(hc_ze_device_properties, uuid, ze_device_properties_t, uuid);
SAME_FIELD(hc_ze_device_properties, name, ze_device_properties_t, name);

SAME(sizeof(struct hc_ze_device_memory), sizeof(ze_device_memory_properties_t));
SAME_FIELD(hc_ze_device_memory, bytes, ze_device_memory_properties_t,
           totalSize);

SAME(sizeof(struct hc_ze_queue_group),
     sizeof(ze_command_queue_group_properties_t));
SAME_FIELD(hc_ze_queue_group, flags, ze_command_queue_group_properties_t,
           flags);
SAME_FIELD(hc_ze_queue_group, nqueues, ze_command_queue_group_properties_t,
           numQueues);

SAME(sizeof(struct hc_ze_pci_properties), sizeof(ze_pci_ext_properties_t));
SAME_FIELD(hc_ze_pci_properties, domain, ze_pci_ext_properties_t,
           address.domain);
SAME_FIELD(hc_ze_pci_properties, function, ze_pci_ext_properties_t,
           address.function);
SAME_FIELD(hc_ze_pci_properties, generation, ze_pci_ext_properties_t,
           maxSpeed.genVersion);
SAME_FIELD(hc_ze_pci_properties, bytes_per_s, ze_pci_ext_properties_t,
           maxSpeed.maxBandwidth);

SAME(sizeof(struct hc_ze_queue_desc), sizeof(ze_command_queue_desc_t));
SAME_FIELD(hc_ze_queue_desc, group, ze_command_queue_desc_t, ordinal);
SAME_FIELD(hc_ze_queue_desc, index, ze_command_queue_desc_t, index);
SAME_FIELD(hc_ze_queue_desc, mode, ze_command_queue_desc_t, mode);
SAME_FIELD(hc_ze_queue_desc, priority, ze_command_queue_desc_t, priority);

SAME(sizeof(struct hc_ze_event_pool_desc), sizeof(ze_event_pool_desc_t));
SAME_FIELD(hc_ze_event_pool_desc, flags, ze_event_pool_desc_t, flags);
SAME_FIELD(hc_ze_event_pool_desc, count, ze_event_pool_desc_t, count);
SAME(sizeof(struct hc_ze_event_desc), sizeof(ze_event_desc_t));
SAME_FIELD(hc_ze_event_desc, index, ze_event_desc_t, index);
SAME_FIELD(hc_ze_event_desc, signal, ze_event_desc_t, signal);
SAME_FIELD(hc_ze_event_desc, wait, ze_event_desc_t, wait);

SAME(sizeof(struct hc_ze_device_alloc_desc),
     sizeof(ze_device_mem_alloc_desc_t));
SAME_FIELD(hc_ze_device_alloc_desc, memory, ze_device_mem_alloc_desc_t,
           ordinal);
SAME(sizeof(struct hc_ze_host_alloc_desc), sizeof(ze_host_mem_alloc_desc_t));
SAME(sizeof(struct hc_ze_region), sizeof(ze_copy_region_t));
SAME_FIELD(hc_ze_region, x, ze_copy_region_t, originX);
SAME_FIELD(hc_ze_region, width, ze_copy_region_t, width);
SAME_FIELD(hc_ze_region, depth, ze_copy_region_t, depth);
SAME(sizeof(struct hc_ze_alloc_properties),
     sizeof(ze_memory_allocation_properties_t));
SAME_FIELD(hc_ze_alloc_properties, type, ze_memory_allocation_properties_t,
           type);
SAME_FIELD(hc_ze_alloc_properties, id, ze_memory_allocation_properties_t, id);

#else
typedef int hc_test_no_level_zero_header;
#endif
