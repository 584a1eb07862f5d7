/* Threads that each talk to their like on the other rank, all at once. */
#include "ints.h"
#include "tap.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, TIMES = 30, COUNT = 3000 };

static const enum mem_kind kinds[] = {MEM_CUDA, MEM_HIP, MEM_HOST, MEM_ZE};

struct worker {
    pthread_t thread;
    int       number, rank;
    bool      right;
};

static int start_number(const struct worker *w, int rank, int time)
{
    return 1000 * w->number + 100 * rank + time;
}

static void exchange(const struct worker *w, struct mem *send, struct mem *recv,
                     int time)
{
    MPI_Request requests[2];
    int         peer = 1 - w->rank;

    if (time % 2 == 0) {
        MPI_Sendrecv(send->buffer, COUNT, MPI_INT, peer, w->number,
                     recv->buffer, COUNT, MPI_INT, peer, w->number,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Irecv(recv->buffer, COUNT, MPI_INT, peer, w->number, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Isend(send->buffer, COUNT, MPI_INT, peer, w->number, MPI_COMM_WORLD,
              &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* While other threads complete whatever they find. */
static bool cancels(const struct worker *w, struct mem *recv)
{
    MPI_Request request;
    MPI_Status  status;
    int         cancelled = 0;

    MPI_Irecv(recv->buffer, COUNT, MPI_INT, 1 - w->rank, THREADS + w->number,
              MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    return cancelled != 0;
}

static void *work(void *argument)
{
    struct worker *w = argument;
    enum mem_kind  kind = kinds[w->number];

    for (int time = 0; time < TIMES; time++) {
        struct mem send = ints_new(kind, COUNT, start_number(w, w->rank, time));
        struct mem recv = ints_new(kind, COUNT, -1000000);

        w->right &= cancels(w, &recv);
        exchange(w, &send, &recv, time);
        ints_expect(&recv, 0, COUNT, start_number(w, 1 - w->rank, time));
        w->right &= ints_are_right(&recv) && ints_are_right(&send);
        mem_delete(&send);
        mem_delete(&recv);
    }
    return NULL;
}

static bool all_threads_are_right(int rank)
{
    struct worker workers[THREADS];
    bool          right = true;

    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.number = i, .rank = rank, .right = true};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            MPI_Abort(MPI_COMM_WORLD, 99);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        right &= workers[i].right;
    }
    return right;
}

int main(int argc, char **argv)
{
    int  provided, rank;
    bool right = true;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* By one thread, since it opens the drivers. */
    for (int i = 0; i < THREADS; i++)
        if (!mem_available(kinds[i], rank))
            MPI_Abort(MPI_COMM_WORLD, 77);
    tap_plan(2);
    tap_ok(provided == MPI_THREAD_MULTIPLE, "the library is built for threads");
    right = all_threads_are_right(rank);
    tap_ok(right, "four threads, a kind of memory each");
    MPI_Finalize();
    return 0;
}
