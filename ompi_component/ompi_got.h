#ifndef HC_OMPI_GOT_H
#define HC_OMPI_GOT_H

/*
 * Functions that shared libraries import from each other, called through
 * tables that the dynamic linker fills: here an entry is pointed elsewhere.
 * Free of Open MPI, so that it can be tested alone.
 */

#include <stdbool.h>
#include <stddef.h>

typedef void hc_got_function(void);

struct hc_got_hook {
    const char      *symbol;
    hc_got_function *real;        /* what the symbol means without us */
    hc_got_function *replacement; /* of the same type; it may call real */
};

/* Whether calls that this library makes shall be replaced; name is its path,
 * "" for the program itself. */
typedef bool hc_got_wanted_fn(const char *name);

/* Whether this machine's tables are known; else nothing is ever replaced. */
bool hc_got_is_supported(void);

/*
 * Let every wanted library that is loaded now, but the one that holds the
 * replacements, import those; how many entries changed.  Libraries that are
 * loaded later need another call, when their loading is complete.
 */
size_t hc_got_install(const struct hc_got_hook *hooks, size_t nhooks, hc_got_wanted_fn *wanted);

/* Let every library import the real functions again. */
size_t hc_got_remove(const struct hc_got_hook *hooks, size_t nhooks);

#endif
