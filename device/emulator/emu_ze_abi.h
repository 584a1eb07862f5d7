#ifndef EMU_ZE_ABI_H
#define EMU_ZE_ABI_H

/*
 * What the emulated Level Zero driver needs of the interface (1.4) beyond what
 * HCOMM itself uses.  test/compile/emu_ze_abi.c compares with an installed
 * header.
 */

#include "device/abi_ze.h"

#define EMU_ZE_API_VERSION 0x10004u /* 1.4 */

/* ze_structure_type_t */
enum emu_ze_structure {
    EMU_ZE_IS_P2P_PROPERTIES = 0xb,
    EMU_ZE_IS_LIST_DESC = 0xf,
    EMU_ZE_IS_FENCE_DESC = 0x12,
    EMU_ZE_IS_EXTERNAL_EXPORT_DESC = 0x18,
    EMU_ZE_IS_EXTERNAL_IMPORT_FD = 0x19,
    EMU_ZE_IS_EXTERNAL_EXPORT_FD = 0x1a,
    EMU_ZE_IS_DEVICE_PROPERTIES_1_2 = 0x20006,
};

/* Every structure that may be extended begins so. */
struct emu_ze_header {
    int         stype;
    const void *next;
};

#define EMU_ZE_INIT_VPU_ONLY     0x2u
#define EMU_ZE_IPC_MEMORY        0x1u
#define EMU_ZE_VENDOR_INTEL      0x8086u
#define EMU_ZE_GROUP_COOPERATIVE 0x4u
#define EMU_ZE_ACCESS_RW         0x1u
#define EMU_ZE_ACCESS_CONCURRENT 0x4u
#define EMU_ZE_P2P_ACCESS        0x1u
#define EMU_ZE_FENCE_SIGNALED    0x1u
#define EMU_ZE_POOL_IPC          0x2u

struct emu_ze_driver_properties {
    int           stype;
    void         *next;
    unsigned char uuid[16];
    uint32_t      version;
};

struct emu_ze_ipc_properties {
    int      stype;
    void    *next;
    uint32_t flags;
};

struct emu_ze_extension {
    char     name[256];
    uint32_t version;
};

struct emu_ze_compute_properties {
    int      stype;
    void    *next;
    uint32_t group_threads_max;
    uint32_t group_max[3], groups_max[3];
    uint32_t local_max_bytes;
    uint32_t subgroup_size_count;
    uint32_t subgroup_sizes[8];
};

struct emu_ze_module_properties {
    int           stype;
    void         *next;
    uint32_t      spirv_version;
    uint32_t      flags;
    uint32_t      fp16_flags, fp32_flags, fp64_flags;
    uint32_t      argument_max_bytes;
    uint32_t      printf_bytes;
    unsigned char native_kernel_uuid[16];
};

struct emu_ze_memory_access {
    int      stype;
    void    *next;
    uint32_t host, device, shared_single, shared_cross, shared_system;
};

struct emu_ze_external_memory {
    int      stype;
    void    *next;
    uint32_t memory_import, memory_export, image_import, image_export;
};

struct emu_ze_p2p_properties {
    int      stype;
    void    *next;
    uint32_t flags;
};

struct emu_ze_list_desc {
    int         stype;
    const void *next;
    uint32_t    group;
    uint32_t    flags;
};

struct emu_ze_fence_desc {
    int         stype;
    const void *next;
    uint32_t    flags;
};

/* Goes by value.  Intel's driver keeps a file descriptor in the first bytes,
 * which is valid in the process that made it. */
struct emu_ze_ipc_handle {
    char bytes[64];
};

#endif
