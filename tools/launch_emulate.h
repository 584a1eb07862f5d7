#ifndef LAUNCH_EMULATE_H
#define LAUNCH_EMULATE_H

#include <stdbool.h>
#include <stddef.h>

enum launch_vendor { LAUNCH_NVIDIA, LAUNCH_AMD, LAUNCH_INTEL, LAUNCH_VENDORS };

/* What --emulate asks for, as the emulator reads it from HCOMM_EMULATE. */
struct launch_emulate {
    char list[512]; /* "nvidia:2,amd/gfx90a:1", aliases resolved */
    bool named[LAUNCH_VENDORS];
};

/* "nvidia", "amd", "intel": also the names of the emulator's folders. */
const char *launch_vendor_name(enum launch_vendor vendor);

/* False: why says what is wrong with which word and how it should look. */
bool launch_emulate_parse(const char *text, struct launch_emulate *emulate_out,
                          char *why, size_t room);

#endif
