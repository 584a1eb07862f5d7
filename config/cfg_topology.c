#include "config/cfg_topology.h"

struct hc_topology hc_topology_default(void)
{
    static const struct hc_link links[] = {
        {HC_LINK_NVLINK, 450e9, 2e-6}, /* NVLink 4, 18 links */
        {HC_LINK_XGMI, 64e9, 2e-6},    /* one Infinity Fabric link */
        {HC_LINK_XELINK, 26e9, 2e-6},  /* one Xe Link port */
        {HC_LINK_PCIE, 25e9, 8e-6},    /* PCIe 4.0 x16, net of framing */
        {HC_LINK_SHM, 8e9, 0.5e-6},    /* one core's memcpy */
        {HC_LINK_IB, 25e9, 2e-6},      /* HDR 200 */
        {HC_LINK_ROCE, 12.5e9, 4e-6},  /* 100 Gb/s */
        {HC_LINK_ETH, 1.25e9, 20e-6},  /* 10 Gb/s */
        {HC_LINK_TCP, 1.25e9, 20e-6},  /* the same wire */
    };
    struct hc_topology topology = {0};

    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        topology.assumed[links[i].type] = links[i];
    return topology;
}

const char *hc_link_name(enum hc_link_type type)
{
    static const char *const names[] = {
        [HC_LINK_NVLINK] = "nvlink", [HC_LINK_XGMI] = "xgmi",
        [HC_LINK_XELINK] = "xelink", [HC_LINK_PCIE] = "pcie",
        [HC_LINK_SHM] = "shm",       [HC_LINK_IB] = "ib",
        [HC_LINK_ROCE] = "roce",     [HC_LINK_ETH] = "eth",
        [HC_LINK_TCP] = "tcp",
    };

    return type < HC_LINK_TYPES ? names[type] : "unknown";
}
