#ifndef HC_DEV_ADDRESS_H
#define HC_DEV_ADDRESS_H

/* What can be told of an address without asking any driver. */

#include <stdbool.h>

/*
 * Whether an address is in the main heap or on the calling thread's stack,
 * where no driver's memory can be.  Most small buffers are, and some 10 ns here
 * save them the driver's 200.  Not a cache: these places don't change hands.
 */
bool hc_address_is_plain_host(const void *ptr);

/* Whether the CPU may read there; some 100 ns.  Leaves errno alone. */
bool hc_address_is_readable(const void *ptr);

#endif
