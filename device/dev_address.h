#ifndef HC_DEV_ADDRESS_H
#define HC_DEV_ADDRESS_H

/* What can be told of an address without asking any driver. */

#include <stdbool.h>

/* Before the first question; again is nothing. */
void hc_address_prepare(void);

/*
 * Whether an address is in the main heap or, asked by the main thread, on its
 * stack, where no driver's memory can be.  Most small buffers are, and some ns
 * here save them the driver's 200.  Not a cache: these places don't change
 * hands.
 */
bool hc_address_is_plain_host(const void *ptr);

/*
 * Whether the CPU may read there.  It serves to say what is wrong with an
 * address, so a page that was readable lately may be taken for readable still:
 * then the program fails as it would without us.
 */
bool hc_address_is_readable(const void *ptr);

#endif
