/*
 * The emulated HIP runtime: device attributes and the two layouts of
 * hipDeviceProp_t.  The figures are those of one die of a CDNA 2 accelerator;
 * nothing runs on it, but programs size their work by them.
 */

#include "device/emulator/emu_hip.h"

#include <stdio.h>
#include <string.h>

enum {
    MULTIPROCESSORS = 104,
    THREADS_PER_BLOCK = 1024,
    THREADS_PER_MULTIPROCESSOR = 2048,
    GRID = 0x7fffffff,
    REGISTERS = 65536,
    SHARED_BYTES = 65536,
    L2_BYTES = 8 << 20,
    CLOCK_KHZ = 1700000,
    MEMORY_CLOCK_KHZ = 1600000,
    MEMORY_BUS_BITS = 4096,
    CONSTANT_BYTES = 0x7fffffff,
    ALIGNMENT = 256,
};

struct arch {
    int major, minor, stepping;
};

static int digit(char c)
{
    return c >= 'a' ? c - 'a' + 10 : c - '0';
}

/* "gfx90a": the last digit is the stepping, the one before it the minor, both
 * hexadecimal; what is before is the major, decimal. */
static struct arch parse_arch(const char *text)
{
    struct arch arch = {0, 0, 0};
    size_t      length = strlen(text);

    if (length < 6 || sscanf(text, "gfx%*x") == EOF)
        return arch;
    arch.stepping = digit(text[length - 1]);
    arch.minor = digit(text[length - 2]);
    for (size_t i = 3; i + 2 < length; i++)
        arch.major = arch.major * 10 + digit(text[i]);
    return arch;
}

/* CDNA and what came before have waves of 64; RDNA, from gfx10 on, of 32. */
static int warp_of(const struct arch *arch)
{
    return arch->major >= 10 ? 32 : 64;
}

static void parse_bus(const char *text, unsigned bus_out[3])
{
    if (sscanf(text, "%x:%x:%x", &bus_out[0], &bus_out[1], &bus_out[2]) != 3)
        memset(bus_out, 0, 3 * sizeof(bus_out[0]));
}

static int attribute_of(const struct emu_device *device, int attribute,
                        int *value)
{
    struct arch arch = parse_arch(device->arch);
    unsigned    bus[3];

    parse_bus(device->bus_id, bus);
    switch (attribute) {
    case HC_HIP_ATTR_ASYNC_ENGINES:
        *value = 2;
        break;
    case HC_HIP_ATTR_CAN_MAP_HOST:
    case HC_HIP_ATTR_HOST_POINTER_REGISTERED:
    case HC_HIP_ATTR_CONCURRENT_KERNELS:
    case HC_HIP_ATTR_CONCURRENT_MANAGED:
    case HC_HIP_ATTR_MANAGED_MEMORY:
    case HC_HIP_ATTR_STREAM_PRIORITIES:
    case HC_HIP_ATTR_UNIFIED_ADDRESSING:
    case HC_HIP_ATTR_MEMORY_POOLS:
        *value = 1;
        break;
    case HC_HIP_ATTR_INTEGRATED:
    case HC_HIP_ATTR_PAGEABLE_ACCESS:
        *value = 0;
        break;
    case HC_HIP_ATTR_CLOCK_KHZ:
        *value = CLOCK_KHZ;
        break;
    case HC_HIP_ATTR_L2_BYTES:
        *value = L2_BYTES;
        break;
    case HC_HIP_ATTR_MAJOR:
        *value = arch.major;
        break;
    case HC_HIP_ATTR_MINOR:
        *value = arch.minor;
        break;
    case HC_HIP_ATTR_BLOCK_X:
    case HC_HIP_ATTR_BLOCK_Y:
    case HC_HIP_ATTR_BLOCK_Z:
    case HC_HIP_ATTR_THREADS_PER_BLOCK:
        *value = THREADS_PER_BLOCK;
        break;
    case HC_HIP_ATTR_GRID_X:
    case HC_HIP_ATTR_GRID_Y:
    case HC_HIP_ATTR_GRID_Z:
        *value = GRID;
        break;
    case HC_HIP_ATTR_THREADS_PER_MULTIPROCESSOR:
        *value = THREADS_PER_MULTIPROCESSOR;
        break;
    case HC_HIP_ATTR_PITCH:
        *value = HIP_MAX_PITCH;
        break;
    case HC_HIP_ATTR_MEMORY_BUS_BITS:
        *value = MEMORY_BUS_BITS;
        break;
    case HC_HIP_ATTR_MEMORY_CLOCK_KHZ:
        *value = MEMORY_CLOCK_KHZ;
        break;
    case HC_HIP_ATTR_MULTIPROCESSORS:
        *value = MULTIPROCESSORS;
        break;
    case HC_HIP_ATTR_PCI_DOMAIN:
        *value = (int)bus[0];
        break;
    case HC_HIP_ATTR_PCI_BUS:
        *value = (int)bus[1];
        break;
    case HC_HIP_ATTR_PCI_DEVICE:
        *value = (int)bus[2];
        break;
    case HC_HIP_ATTR_REGISTERS_PER_BLOCK:
        *value = REGISTERS;
        break;
    case HC_HIP_ATTR_SHARED_PER_BLOCK:
        *value = SHARED_BYTES;
        break;
    case HC_HIP_ATTR_CONSTANT_BYTES:
        *value = CONSTANT_BYTES;
        break;
    case HC_HIP_ATTR_WARP:
        *value = warp_of(&arch);
        break;
    default:
        return HC_HIP_INVALID_VALUE;
    }
    return HC_HIP_SUCCESS;
}

HIP_API int hipDeviceGetAttribute(int *value, int attribute, int device)
{
    int code = hip_enter(__func__);

    if (code == EMU_OK && !value)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = hip_check_device(device);
    if (code == EMU_OK)
        code = attribute_of(emu_device(device), attribute, value);
    return hip_leave(code);
}

HIP_API int hipDeviceComputeCapability(int *major, int *minor, int device)
{
    struct arch arch;
    int         code = hip_enter(__func__);

    if (code == EMU_OK && (!major || !minor))
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = hip_check_device(device);
    if (code != EMU_OK)
        return hip_leave(code);
    arch = parse_arch(emu_device(device)->arch);
    *major = arch.major;
    *minor = arch.minor;
    return hip_leave(HC_HIP_SUCCESS);
}

/* The layout of HIP 5, which later majors keep under the old function name. */
struct prop_r0000 {
    char      name[256];
    size_t    total_bytes;
    size_t    shared_per_block;
    int       regs_per_block;
    int       warp_size;
    int       threads_per_block;
    int       threads_dim[3];
    int       grid_size[3];
    int       clock_khz, memory_clock_khz, memory_bus_bits;
    size_t    constant_bytes;
    int       major, minor;
    int       multiprocessors;
    int       l2_bytes;
    int       threads_per_multiprocessor;
    int       compute_mode;
    int       clock_instruction_khz;
    unsigned  arch_flags;
    int       concurrent_kernels;
    int       pci_domain, pci_bus, pci_device;
    size_t    shared_per_multiprocessor;
    int       multi_gpu_board;
    int       can_map_host;
    int       gcn_arch;
    char      gcn_arch_name[256];
    int       integrated;
    int       cooperative_launch, cooperative_multi;
    int       texture_1d_linear, texture_1d, texture_2d[2], texture_3d[3];
    unsigned *hdp_mem, *hdp_reg;
    size_t    mem_pitch, texture_alignment, texture_pitch_alignment;
    int       exec_timeout;
    int       ecc;
    int       tcc;
    int       cooperative_unmatched[4];
    int       large_bar;
    int       asic_revision;
    int       managed;
    int       direct_managed_from_host;
    int       concurrent_managed;
    int       pageable_access, pageable_host_tables;
};

_Static_assert(sizeof(struct prop_r0000) == 792, "HIP 5's hipDeviceProp_t");
_Static_assert(offsetof(struct prop_r0000, pci_bus) == 368, "HIP 5");
_Static_assert(offsetof(struct prop_r0000, gcn_arch_name) == 396, "HIP 5");
_Static_assert(offsetof(struct prop_r0000, managed) == 772, "HIP 5");

static int get_r0000(const char *function, struct prop_r0000 *prop, int ordinal)
{
    const struct emu_device *device;
    struct arch              arch;
    unsigned                 bus[3];
    int                      code = hip_enter(function);

    if (code == EMU_OK && !prop)
        code = HC_HIP_INVALID_VALUE;
    if (code == EMU_OK)
        code = hip_check_device(ordinal);
    if (code != EMU_OK)
        return hip_leave(code);

    device = emu_device(ordinal);
    arch = parse_arch(device->arch);
    parse_bus(device->bus_id, bus);
    *prop = (struct prop_r0000){
        .total_bytes = device->total_bytes,
        .shared_per_block = SHARED_BYTES,
        .regs_per_block = REGISTERS,
        .warp_size = warp_of(&arch),
        .threads_per_block = THREADS_PER_BLOCK,
        .threads_dim = {THREADS_PER_BLOCK, THREADS_PER_BLOCK,
                        THREADS_PER_BLOCK},
        .grid_size = {GRID, GRID, GRID},
        .clock_khz = CLOCK_KHZ,
        .memory_clock_khz = MEMORY_CLOCK_KHZ,
        .memory_bus_bits = MEMORY_BUS_BITS,
        .constant_bytes = CONSTANT_BYTES,
        .major = arch.major,
        .minor = arch.minor,
        .multiprocessors = MULTIPROCESSORS,
        .l2_bytes = L2_BYTES,
        .threads_per_multiprocessor = THREADS_PER_MULTIPROCESSOR,
        .concurrent_kernels = 1,
        .pci_domain = (int)bus[0],
        .pci_bus = (int)bus[1],
        .pci_device = (int)bus[2],
        .shared_per_multiprocessor = SHARED_BYTES,
        .can_map_host = 1,
        .gcn_arch = arch.major * 100 + arch.minor * 10 + arch.stepping,
        .mem_pitch = HIP_MAX_PITCH,
        .texture_alignment = ALIGNMENT,
        .texture_pitch_alignment = ALIGNMENT,
        .managed = 1,
        .concurrent_managed = 1,
    };
    memcpy(prop->name, device->name, sizeof(device->name));
    memcpy(prop->gcn_arch_name, device->arch, sizeof(device->arch));
    return hip_leave(HC_HIP_SUCCESS);
}

HIP_API int hipGetDeviceProperties(struct prop_r0000 *prop, int ordinal)
{
    return get_r0000(__func__, prop, ordinal);
}

#if EMU_HIP >= 6
/* The layout of HIP 6, which begins like that of CUDA 12.  What is between
 * the fields that are filled is padding here. */
struct prop_r0600 {
    char          name[256];
    unsigned char uuid[16];
    char          luid[8];
    unsigned      luid_node_mask;
    size_t        total_bytes; /* 288 */
    size_t        shared_per_block;
    int           regs_per_block;
    int           warp_size;
    size_t        mem_pitch;
    int           threads_per_block;
    int           threads_dim[3];
    int           grid_size[3];
    int           clock_khz;
    size_t        constant_bytes;
    int           major, minor;
    size_t        texture_alignment, texture_pitch_alignment;
    int           device_overlap;
    int           multiprocessors;
    int           exec_timeout;
    int           integrated;
    int           can_map_host;
    int           compute_mode;
    int           textures_surfaces[40];
    size_t        surface_alignment;
    int           concurrent_kernels;
    int           ecc;
    int           pci_bus, pci_device, pci_domain; /* 584 */
    int           tcc;
    int           async_engines;
    int           unified_addressing;
    int           memory_clock_khz, memory_bus_bits;
    int           l2_bytes, persisting_l2_bytes;
    int           threads_per_multiprocessor;
    int           stream_priorities;
    int           global_l1, local_l1;
    size_t        shared_per_multiprocessor;
    int           regs_per_multiprocessor;
    int           managed;
    int           multi_gpu[2];
    int           host_native_atomics;
    int           double_ratio;
    int           pageable_access;
    int           concurrent_managed;
    int           preemption;
    int           host_pointer_for_registered;
    int           cooperative[2];
    size_t        shared_optin;
    int           pageable_host_tables, direct_managed_from_host;
    int           blocks_per_multiprocessor, access_window_bytes;
    size_t        reserved_shared;
    int           host_register;
    int           sparse, read_only, semaphores;
    int           memory_pools;
    int           rdma, rdma_flush, rdma_order;
    unsigned      pool_handle_types;
    int           deferred;
    int           ipc_events;
    int           cluster_launch, unified_functions;
    int           reserved[95];
    char          gcn_arch_name[256]; /* 1160 */
    size_t        max_shared_per_multiprocessor;
    int           clock_instruction_khz;
    unsigned      arch_flags;
    unsigned     *hdp_mem, *hdp_reg;
    int           cooperative_unmatched[4];
    int           large_bar;
    int           asic_revision;
};

_Static_assert(sizeof(struct prop_r0600) == 1472, "HIP 6's hipDeviceProp_t");
_Static_assert(offsetof(struct prop_r0600, pci_bus) == 584, "HIP 6");
_Static_assert(offsetof(struct prop_r0600, unified_functions) == 776, "HIP 6");
_Static_assert(offsetof(struct prop_r0600, gcn_arch_name) == 1160, "HIP 6");

HIP_API int hipGetDevicePropertiesR0600(struct prop_r0600 *prop, int ordinal)
{
    const struct emu_device *device;
    struct prop_r0000        old;
    int                      code;

    if (!prop)
        return hip_leave(HC_HIP_INVALID_VALUE);
    code = get_r0000(__func__, &old, ordinal);
    if (code != HC_HIP_SUCCESS)
        return code;
    device = emu_device(ordinal);
    *prop = (struct prop_r0600){
        .total_bytes = old.total_bytes,
        .shared_per_block = old.shared_per_block,
        .regs_per_block = old.regs_per_block,
        .warp_size = old.warp_size,
        .mem_pitch = old.mem_pitch,
        .threads_per_block = old.threads_per_block,
        .clock_khz = old.clock_khz,
        .constant_bytes = old.constant_bytes,
        .major = old.major,
        .minor = old.minor,
        .texture_alignment = ALIGNMENT,
        .texture_pitch_alignment = ALIGNMENT,
        .device_overlap = 1,
        .multiprocessors = old.multiprocessors,
        .can_map_host = 1,
        .concurrent_kernels = 1,
        .pci_bus = old.pci_bus,
        .pci_device = old.pci_device,
        .pci_domain = old.pci_domain,
        .async_engines = 2,
        .unified_addressing = 1,
        .memory_clock_khz = old.memory_clock_khz,
        .memory_bus_bits = old.memory_bus_bits,
        .l2_bytes = old.l2_bytes,
        .threads_per_multiprocessor = old.threads_per_multiprocessor,
        .stream_priorities = 1,
        .shared_per_multiprocessor = old.shared_per_multiprocessor,
        .regs_per_multiprocessor = REGISTERS,
        .managed = 1,
        .concurrent_managed = 1,
        .host_pointer_for_registered = 1,
        .host_register = 1,
        .memory_pools = 1,
        .pool_handle_types = 1, /* POSIX file descriptor */
        .ipc_events = 1,
        .max_shared_per_multiprocessor = old.shared_per_multiprocessor,
    };
    memcpy(prop->name, old.name, sizeof(prop->name));
    memcpy(prop->uuid, device->uuid, sizeof(prop->uuid));
    memcpy(prop->threads_dim, old.threads_dim, sizeof(prop->threads_dim));
    memcpy(prop->grid_size, old.grid_size, sizeof(prop->grid_size));
    memcpy(prop->gcn_arch_name, old.gcn_arch_name, sizeof(prop->gcn_arch_name));
    return hip_leave(HC_HIP_SUCCESS);
}
#endif
