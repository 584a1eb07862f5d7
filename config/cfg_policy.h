#ifndef HC_CFG_POLICY_H
#define HC_CFG_POLICY_H

#include <stdbool.h>
#include <stddef.h>

enum hc_compression {
    HC_COMPRESSION_NONE,
    HC_COMPRESSION_AUTO,
    HC_COMPRESSION_SPARSE,
    HC_COMPRESSION_ZSTD,
};

/* What a policy file may say about a transfer; the defaults hold where no rule
 * matches. */
struct hc_policy_actions {
    bool                enable_nvlink;
    bool                enable_p2p;
    enum hc_compression compression;
    size_t              threshold_bytes; /* smaller transfers: no compression */
    size_t              chunk_bytes;     /* 0: chosen by measurement */
};

struct hc_policy {
    struct hc_policy_actions defaults;
    double                   timeout_s; /* without progress on a path */
};

/* What holds without any file. */
struct hc_policy hc_policy_default(void);

#endif
