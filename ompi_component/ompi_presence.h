#ifndef HC_OMPI_PRESENCE_H
#define HC_OMPI_PRESENCE_H

/*
 * What each process publishes of itself for the others of the job, as bytes.
 * Free of Open MPI, so that it can be tested and fuzzed alone.
 */

#include <stdbool.h>
#include <stddef.h>

enum { HC_PRESENCE_BYTES = 16 };

void hc_presence_write(bool accelerator, unsigned char wire_out[HC_PRESENCE_BYTES]);

/*
 * wire  [bytes] from another process, perhaps of another version of HCOMM:
 *       later ones only append, so a longer one is read as far as it is known
 * False: these bytes are no such thing; *accelerator_out is untouched.
 */
bool hc_presence_read(const void *wire, size_t bytes, bool *accelerator_out);

#endif
