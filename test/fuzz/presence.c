/*
 * libFuzzer target: what another process has published, of any length.
 */

#include "ompi_component/ompi_presence.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    unsigned char good[HC_PRESENCE_BYTES];
    bool          accelerator = false;

    /* What is taken must be what is written, but for what later versions add:
     * version and length from byte 4, reserved bytes from 9. */
    if (!hc_presence_read(data, bytes, &accelerator))
        return 0;
    hc_presence_write(accelerator, good);
    if (memcmp(data, good, 4) != 0 || data[8] != good[8])
        abort();
    return 0;
}
