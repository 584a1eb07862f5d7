/*
 * The emulated CUDA runtime: cudaDeviceProp, whose layout each major version
 * changed.  CUDA 12's library has the one of CUDA 11 too, under the old name,
 * and it is the beginning of its own.
 */

#include "device/emulator/emu_cudart.h"

#include <string.h>

struct device_prop {
    char     name[256];
    char     uuid[16];
    char     luid[8];
    unsigned luid_node_mask;
    size_t   total_bytes;
    size_t   shared_per_block;
    int      regs_per_block;
    int      warp_size;
    size_t   mem_pitch;
    int      threads_per_block;
    int      threads_dim[3];
    int      grid_size[3];
#if EMU_CUDART < 13000
    int clock_khz;
#endif
    size_t constant_bytes;
    int    major, minor;
    size_t texture_alignment, texture_pitch_alignment;
#if EMU_CUDART < 13000
    int device_overlap;
#endif
    int multiprocessors;
#if EMU_CUDART < 13000
    int exec_timeout;
#endif
    int integrated;
    int can_map_host;
#if EMU_CUDART < 13000
    int compute_mode;
#endif
    int texture_1d, texture_1d_mipmap;
#if EMU_CUDART < 13000
    int texture_1d_linear;
#endif
    int    texture_2d[2], texture_2d_mipmap[2], texture_2d_linear[3];
    int    texture_2d_gather[2], texture_3d[3], texture_3d_alt[3];
    int    texture_cubemap, texture_1d_layered[2], texture_2d_layered[3];
    int    texture_cubemap_layered[2];
    int    surface_1d, surface_2d[2], surface_3d[3], surface_1d_layered[2];
    int    surface_2d_layered[3], surface_cubemap, surface_cubemap_layered[2];
    size_t surface_alignment;
    int    concurrent_kernels;
    int    ecc;
    int    pci_bus, pci_device, pci_domain;
    int    tcc;
    int    async_engines;
    int    unified_addressing;
#if EMU_CUDART < 13000
    int memory_clock_khz;
#endif
    int    memory_bus_bits;
    int    l2_bytes, persisting_l2_bytes;
    int    threads_per_multiprocessor;
    int    stream_priorities;
    int    global_l1, local_l1;
    size_t shared_per_multiprocessor;
    int    regs_per_multiprocessor;
    int    managed;
    int    multi_gpu_board, multi_gpu_board_group;
    int    host_native_atomics;
#if EMU_CUDART < 13000
    int double_ratio;
#endif
    int pageable_access;
    int concurrent_managed;
    int preemption;
    int host_pointer_for_registered;
    int cooperative_launch;
#if EMU_CUDART < 13000
    int cooperative_multi;
#endif
    size_t shared_optin;
    int    pageable_host_tables;
    int    direct_managed_from_host;
    int    blocks_per_multiprocessor;
    int    access_window_bytes;
    size_t reserved_shared_per_block;
#if EMU_CUDART >= 12000
    int      host_register;
    int      sparse_arrays;
    int      host_register_read_only;
    int      timeline_semaphores;
    int      memory_pools;
    int      gpudirect_rdma;
    unsigned gpudirect_flush;
    int      gpudirect_ordering;
    unsigned pool_handle_types;
    int      deferred_arrays;
    int      ipc_events;
    int      cluster_launch;
    int      unified_functions;
#if EMU_CUDART >= 13000
    int      numa_config, numa_id;
    int      mps;
    int      host_numa_id;
    unsigned pci_device_id, pci_subsystem_id;
    int      host_numa_ipc;
    int      reserved[56];
#else
    int reserved[63];
#endif
#endif
};

#if EMU_CUDART >= 13000
_Static_assert(sizeof(struct device_prop) == 1008, "CUDA 13's cudaDeviceProp");
_Static_assert(offsetof(struct device_prop, ipc_events) == 744, "CUDA 13");
_Static_assert(offsetof(struct device_prop, pci_bus) == 568, "CUDA 13");
#elif EMU_CUDART >= 12000
_Static_assert(sizeof(struct device_prop) == 1032, "CUDA 12's cudaDeviceProp");
_Static_assert(offsetof(struct device_prop, ipc_events) == 768, "CUDA 12");
_Static_assert(offsetof(struct device_prop, pci_bus) == 584, "CUDA 12");
#else
_Static_assert(sizeof(struct device_prop) == 728, "CUDA 11's cudaDeviceProp");
_Static_assert(offsetof(struct device_prop, pci_bus) == 584, "CUDA 11");
#endif

/* Bytes of CUDA 11's structure. */
#define OLD_PROP_BYTES 728

/* Fields of type int (I) and size_t (Z) that are one driver attribute each. */
#define INT(field, attribute)                                 \
    {                                                         \
        offsetof(struct device_prop, field), attribute, false \
    }
#define SIZE(field, attribute)                               \
    {                                                        \
        offsetof(struct device_prop, field), attribute, true \
    }

static const struct {
    size_t offset;
    int    attribute; /* CUdevice_attribute */
    bool   is_size;
} fields[] = {
    SIZE(shared_per_block, 8),
    INT(regs_per_block, 12),
    INT(warp_size, 10),
    SIZE(mem_pitch, 11),
    INT(threads_per_block, 1),
    INT(threads_dim[0], 2),
    INT(threads_dim[1], 3),
    INT(threads_dim[2], 4),
    INT(grid_size[0], 5),
    INT(grid_size[1], 6),
    INT(grid_size[2], 7),
    SIZE(constant_bytes, 9),
    INT(major, 75),
    INT(minor, 76),
    SIZE(texture_alignment, 14),
    SIZE(texture_pitch_alignment, 51),
    INT(multiprocessors, 16),
    INT(integrated, 18),
    INT(can_map_host, 19),
    SIZE(surface_alignment, 30),
    INT(concurrent_kernels, 31),
    INT(ecc, 32),
    INT(pci_bus, 33),
    INT(pci_device, 34),
    INT(pci_domain, 50),
    INT(tcc, 35),
    INT(async_engines, 40),
    INT(unified_addressing, 41),
    INT(memory_bus_bits, 37),
    INT(l2_bytes, 38),
    INT(persisting_l2_bytes, 108),
    INT(threads_per_multiprocessor, 39),
    INT(stream_priorities, 78),
    INT(global_l1, 79),
    INT(local_l1, 80),
    SIZE(shared_per_multiprocessor, 81),
    INT(regs_per_multiprocessor, 82),
    INT(managed, 83),
    INT(multi_gpu_board, 84),
    INT(multi_gpu_board_group, 85),
    INT(host_native_atomics, 86),
    INT(pageable_access, 88),
    INT(concurrent_managed, 89),
    INT(preemption, 90),
    INT(host_pointer_for_registered, 91),
    INT(cooperative_launch, 95),
    SIZE(shared_optin, 97),
    INT(pageable_host_tables, 100),
    INT(direct_managed_from_host, 101),
    INT(blocks_per_multiprocessor, 106),
    INT(access_window_bytes, 109),
    SIZE(reserved_shared_per_block, 111),
#if EMU_CUDART < 13000
    INT(clock_khz, 13),
    INT(device_overlap, 15),
    INT(exec_timeout, 17),
    INT(compute_mode, 20),
    INT(memory_clock_khz, 36),
    INT(double_ratio, 87),
    INT(cooperative_multi, 96),
#endif
#if EMU_CUDART >= 12000
    INT(host_register, 99),
    INT(sparse_arrays, 112),
    INT(host_register_read_only, 113),
    INT(timeline_semaphores, 114),
    INT(memory_pools, 115),
    INT(gpudirect_rdma, 116),
    INT(gpudirect_flush, 117),
    INT(gpudirect_ordering, 118),
    INT(pool_handle_types, 119),
    INT(deferred_arrays, 121),
    INT(ipc_events, 125),
    INT(cluster_launch, 120),
    INT(unified_functions, 129),
#endif
#if EMU_CUDART >= 13000
    INT(numa_config, 130),
    INT(numa_id, 131),
    INT(mps, 133),
    INT(host_numa_id, 134),
    INT(pci_device_id, 139),
    INT(pci_subsystem_id, 140),
    INT(host_numa_ipc, 143),
#endif
};

/* An attribute that the driver does not know leaves its field 0. */
static void fill_fields(struct device_prop *prop, int device)
{
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        char *field = (char *)prop + fields[i].offset;
        int   value = 0;

        if (cuDeviceGetAttribute(&value, fields[i].attribute, device))
            continue;
        if (fields[i].is_size)
            *(size_t *)field = (size_t)value;
        else
            *(int *)field = value;
    }
}

static int get_properties(void *out, size_t bytes, int device)
{
    struct device_prop prop;
    int                code = rt_init();

    if (!out)
        return rt_result(RT_INVALID_VALUE);
    memset(&prop, 0, sizeof(prop));
    if (code == RT_SUCCESS)
        code = cuDeviceGetName(prop.name, (int)sizeof(prop.name), device);
    if (code == RT_SUCCESS)
        code = cuDeviceGetUuid_v2(prop.uuid, device);
    if (code == RT_SUCCESS)
        code = cuDeviceTotalMem_v2(&prop.total_bytes, device);
    if (code != RT_SUCCESS)
        return rt_result(code);
    fill_fields(&prop, device);
    memcpy(out, &prop, bytes);
    return RT_SUCCESS;
}

RT_API int cudaGetDeviceProperties(void *out, int device)
{
#if EMU_CUDART >= 13000
    return get_properties(out, sizeof(struct device_prop), device);
#else
    return get_properties(out, OLD_PROP_BYTES, device);
#endif
}

#if EMU_CUDART >= 12000 && EMU_CUDART < 13000
RT_API int cudaGetDeviceProperties_v2(void *out, int device)
{
    return get_properties(out, sizeof(struct device_prop), device);
}
#endif
