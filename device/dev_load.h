#ifndef HC_DEV_LOAD_H
#define HC_DEV_LOAD_H

#include "config/hcomm_status.h"
#include "device/device.h"

#include <stdbool.h>
#include <stddef.h>

struct hc_dev_symbol {
    const char *name;
    size_t      slot;     /* byte offset of the function pointer in the api */
    bool        optional; /* absent: the slot becomes NULL */
};

/*
 * Open the first of sonames (NULL after the last) that can be had, and fill
 * every slot of api.  IF_LOADED takes only a library that the process already
 * has, also under another file name that begins with prefix, so that there are
 * never two runtimes of one vendor in a process.
 * HCOMM_ERR_NOT_FOUND: none there; HCOMM_ERR_UNSUPPORTED: it lacks a symbol;
 * why says which.
 * The library stays loaded for good: drivers don't like to be closed.
 */
hcomm_status hc_dev_load(const char *const *sonames, const char *prefix,
                         enum hc_dev_open_mode       mode,
                         const struct hc_dev_symbol *symbols, void *api,
                         char *why, size_t room);

/*
 * Whether one of the libraries is loaded or could be; it is not kept, since the
 * program may want another of them.  why: what was tried.
 */
bool hc_dev_findable(const char *const *sonames, const char *prefix, char *why,
                     size_t room);

/* How many libraries this process ever loaded, by the loader's own counter:
 * some 30 ns. */
unsigned long hc_dev_libraries_loaded(void);

/*
 * Whether it is time to look again for what may have come since *last_ms, 0 at
 * first: once per millisecond.  Callers hold a lock of theirs.
 */
bool hc_dev_is_time_to_look(long *last_ms);

/* Whether this process has a device node open, as drivers do once they are
 * initialised. */
bool hc_dev_has_open(const char *node);

/* Whether one of these paths (NULL after the last) exists. */
bool hc_dev_node_exists(const char *const *paths);

/* Whether parameter emulate names one of these vendor words. */
bool hc_dev_is_emulated(const char *const *words);

#endif
