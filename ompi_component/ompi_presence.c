#include "ompi_component/ompi_presence.h"

#include <stdint.h>
#include <string.h>

struct presence {
    uint32_t magic;
    uint16_t version;
    uint16_t bytes;
    uint8_t  accelerator; /* 0 or 1 */
    uint8_t  reserved[7];
};

_Static_assert(sizeof(struct presence) == HC_PRESENCE_BYTES, "no padding on the wire");

enum { MAGIC = 0x4d4f4348 /* "HCOM" on the machines that there are */, VERSION = 1 };

void hc_presence_write(bool accelerator, unsigned char wire_out[HC_PRESENCE_BYTES])
{
    const struct presence presence = {
        .magic = MAGIC,
        .version = VERSION,
        .bytes = sizeof presence,
        .accelerator = accelerator,
    };

    memcpy(wire_out, &presence, sizeof presence);
}

bool hc_presence_read(const void *wire, size_t bytes, bool *accelerator_out)
{
    struct presence presence;

    if (wire == NULL || bytes < sizeof presence)
        return false;
    memcpy(&presence, wire, sizeof presence);
    if (presence.magic != MAGIC || presence.version < VERSION || presence.bytes != bytes ||
        presence.accelerator > 1)
        return false;
    *accelerator_out = presence.accelerator == 1;
    return true;
}
