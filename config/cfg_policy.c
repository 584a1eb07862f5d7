#include "config/cfg_policy.h"

struct hc_policy hc_policy_default(void)
{
    return (struct hc_policy){
        .defaults =
            {
                .enable_nvlink = true,
                .enable_p2p = true,
                .compression = HC_COMPRESSION_NONE,
                .threshold_bytes = 1000000,
            },
        .timeout_s = 0.1,
    };
}
