#ifndef HC_CFG_TOPOLOGY_H
#define HC_CFG_TOPOLOGY_H

#include <stddef.h>

enum hc_link_type {
    HC_LINK_NVLINK,
    HC_LINK_XGMI,
    HC_LINK_XELINK,
    HC_LINK_PCIE,
    HC_LINK_SHM,
    HC_LINK_IB,
    HC_LINK_ROCE,
    HC_LINK_ETH,
    HC_LINK_TCP,
    HC_LINK_TYPES
};

/* What is assumed of a link that neither a file nor a measurement describes. */
struct hc_link {
    enum hc_link_type type;
    double            bytes_per_s; /* one direction */
    double            latency_s;
};

struct hc_topology {
    struct hc_link assumed[HC_LINK_TYPES]; /* indexed by type */
};

/* What holds without any file.  Source of the figures: the vendors' nominal
 * rates of one current link; they order paths, they promise nothing. */
struct hc_topology hc_topology_default(void);

/* "pcie"; never NULL. */
const char *hc_link_name(enum hc_link_type type);

#endif
