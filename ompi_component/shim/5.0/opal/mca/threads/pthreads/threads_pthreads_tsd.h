/*
 * What opal/mca/threads/tsd.h of Open MPI 5.0 takes from this header, which
 * distributions leave out of its internal headers.
 */
#ifndef HC_SHIM_THREADS_PTHREADS_TSD_H
#define HC_SHIM_THREADS_PTHREADS_TSD_H

#include <pthread.h>

typedef pthread_key_t opal_tsd_key_t;

static inline int opal_tsd_get(opal_tsd_key_t key, void **value_out)
{
    *value_out = pthread_getspecific(key);
    return 0;
}

static inline int opal_tsd_set(opal_tsd_key_t key, void *value)
{
    return pthread_setspecific(key, value) == 0 ? 0 : -1;
}

#endif
