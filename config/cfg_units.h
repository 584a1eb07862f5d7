#ifndef HC_CFG_UNITS_H
#define HC_CFG_UNITS_H

#include "config/hcomm_status.h"

#include <stddef.h>

/*
 * Quantities as people write them.  kB MB GB TB are powers of 1000; KiB MiB
 * GiB TiB (and K M G T alone, as in Open MPI) powers of 1024.
 * All: HCOMM_ERR_INVALID when the text is not wholly such a quantity,
 * negative, or too large; nothing is logged.
 */

/* "4MiB" "4096" "1.5GB" -> bytes */
hcomm_status hc_units_bytes(const char *text, size_t *bytes_out);
/* "100ms" "2us" "1.5s" -> seconds */
hcomm_status hc_units_seconds(const char *text, double *seconds_out);
/* "16GB/s" "900MiB/s" -> bytes per second */
hcomm_status hc_units_rate(const char *text, double *bytes_per_s_out);

#endif
