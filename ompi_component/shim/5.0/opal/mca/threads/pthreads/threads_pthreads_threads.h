/*
 * What opal/mca/threads/threads.h of Open MPI 5.0 takes from this header,
 * which distributions leave out of its internal headers.
 */
#ifndef HC_SHIM_THREADS_PTHREADS_THREADS_H
#define HC_SHIM_THREADS_PTHREADS_THREADS_H

#include <pthread.h>
#include <sched.h>

static inline void opal_thread_yield(void)
{
    (void)sched_yield();
}

#endif
