/* Threads that each have their communicator and buffers, all at once. */
#include "device_sum.h"
#include "tap.h"

#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, TIMES = 40 };

struct worker {
    pthread_t thread;
    MPI_Comm  comm;
    int       seed;
    bool      right;
};

static void *work(void *argument)
{
    struct worker *w = argument;

    for (int i = 0; i < TIMES; i++)
        w->right &= device_sum_is_right(w->comm, w->seed + i);
    return NULL;
}

static bool all_threads_are_right(void)
{
    struct worker workers[THREADS];
    bool          right = true;

    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.seed = i * 1000, .right = true};
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            MPI_Abort(MPI_COMM_WORLD, 99);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        right &= workers[i].right;
        MPI_Comm_free(&workers[i].comm);
    }
    return right;
}

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    tap_plan(2);
    tap_ok(provided == MPI_THREAD_MULTIPLE, "the library is built for threads");
    /* Once before, so that the driver is opened by one thread. */
    tap_ok(device_sum_is_right(MPI_COMM_WORLD, 1) && all_threads_are_right(),
           "four threads, a communicator each");
    MPI_Finalize();
    return 0;
}
