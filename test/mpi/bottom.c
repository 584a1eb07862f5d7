/* Buffers from MPI_BOTTOM, with pieces in memory of every vendor. */
#include "mem.h"
#include "tap.h"

#include <limits.h>
#include <mpi.h>
#include <string.h>

/* Of each piece, COUNT integers for every rank. */
enum { PIECES = 4, COUNT = 10, MOST_RANKS = 8 };

static const enum mem_kind kinds[PIECES] = {MEM_HOST, MEM_CUDA, MEM_HIP,
                                            MEM_ZE};

static void fill(struct mem *mem, int block, int first)
{
    for (int i = 0; i < COUNT; i++) {
        int    value = first + i;
        size_t at = (size_t)(block * COUNT + i) * sizeof value;

        memcpy(mem->elements + at, &value, sizeof value);
    }
}

/* One block of every piece. */
static MPI_Datatype type_of(const struct mem mems[PIECES], int block)
{
    int          lengths[PIECES];
    MPI_Aint     places[PIECES];
    MPI_Datatype parts[PIECES], type;

    for (int i = 0; i < PIECES; i++) {
        lengths[i] = COUNT;
        MPI_Get_address(mems[i].buffer + (size_t)(block * COUNT) * sizeof(int),
                        &places[i]);
        parts[i] = MPI_INT;
    }
    MPI_Type_create_struct(PIECES, lengths, places, parts, &type);
    MPI_Type_commit(&type);
    return type;
}

/* What rank `from` has for rank `to`. */
static int value(int from, int to, int piece)
{
    return 10000 * from + 1000 * to + 100 * piece;
}

static bool is_as_imaged(const struct mem mems[PIECES])
{
    bool right = true;
    int  is, should;

    for (int i = 0; i < PIECES; i++)
        right &= mem_compare(&mems[i], &is, &should) == LONG_MIN;
    return right;
}

static void fill_all(struct mem mems[PIECES], int block, int from, int to)
{
    for (int i = 0; i < PIECES; i++)
        fill(&mems[i], block, value(from, to, i));
}

static void upload(const struct mem mems[PIECES])
{
    for (int i = 0; i < PIECES; i++)
        mem_upload(&mems[i]);
}

/* The type is freed before a nonblocking call is complete, as MPI allows. */
static bool bcast_is_right(struct mem mems[PIECES], int rank, int root,
                           bool blocking)
{
    MPI_Datatype type = type_of(mems, 0);
    MPI_Request  request = MPI_REQUEST_NULL;

    fill_all(mems, 0, rank, 9);
    upload(mems);
    if (blocking)
        MPI_Bcast(MPI_BOTTOM, 1, type, root, MPI_COMM_WORLD);
    else
        MPI_Ibcast(MPI_BOTTOM, 1, type, root, MPI_COMM_WORLD, &request);
    MPI_Type_free(&type);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    fill_all(mems, 0, root, 9);
    return is_as_imaged(mems);
}

/* Block r of every rank's goes to rank r, in the block of who sent it. */
static bool alltoallw_is_right(struct mem send[PIECES], struct mem recv[PIECES],
                               int rank, int nranks, bool blocking)
{
    MPI_Request  request = MPI_REQUEST_NULL;
    MPI_Datatype send_types[MOST_RANKS], recv_types[MOST_RANKS];
    int          ones[MOST_RANKS], zeros[MOST_RANKS] = {0};

    for (int r = 0; r < nranks; r++) {
        ones[r] = 1;
        send_types[r] = type_of(send, r);
        recv_types[r] = type_of(recv, r);
        fill_all(send, r, rank, r);
        fill_all(recv, r, 0, 0);
    }
    upload(send);
    upload(recv);
    if (blocking)
        MPI_Alltoallw(MPI_BOTTOM, ones, zeros, send_types, MPI_BOTTOM, ones,
                      zeros, recv_types, MPI_COMM_WORLD);
    else
        MPI_Ialltoallw(MPI_BOTTOM, ones, zeros, send_types, MPI_BOTTOM, ones,
                       zeros, recv_types, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int r = 0; r < nranks; r++) {
        MPI_Type_free(&send_types[r]);
        MPI_Type_free(&recv_types[r]);
        fill_all(recv, r, r, rank);
    }
    return is_as_imaged(send) && is_as_imaged(recv);
}

/* To the next rank, from the one before. */
static bool ring_is_right(struct mem send[PIECES], struct mem recv[PIECES],
                          int rank, int nranks)
{
    int next = (rank + 1) % nranks, last = (rank + nranks - 1) % nranks;
    MPI_Datatype send_type = type_of(send, 0), recv_type = type_of(recv, 0);
    MPI_Request  requests[2];

    fill_all(send, 0, rank, next);
    fill_all(recv, 0, 0, 0);
    upload(send);
    upload(recv);
    MPI_Irecv(MPI_BOTTOM, 1, recv_type, last, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(MPI_BOTTOM, 1, send_type, next, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&send_type);
    MPI_Type_free(&recv_type);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    fill_all(recv, 0, last, rank);
    return is_as_imaged(send) && is_as_imaged(recv);
}

int main(int argc, char **argv)
{
    struct mem send[PIECES], recv[PIECES];
    int        rank, nranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    for (int i = 0; i < PIECES; i++) {
        size_t bytes = MOST_RANKS * COUNT * sizeof(int);

        if (!mem_available(kinds[i], rank) || nranks > MOST_RANKS)
            MPI_Abort(MPI_COMM_WORLD, 77);
        send[i] = mem_new(kinds[i], bytes);
        recv[i] = mem_new(kinds[i], bytes);
    }
    tap_plan(6);
    tap_ok(bcast_is_right(recv, rank, 0, true), "bcast from rank 0");
    tap_ok(bcast_is_right(recv, rank, nranks - 1, true),
           "bcast from the last rank");
    tap_ok(bcast_is_right(recv, rank, 0, false), "nonblocking bcast");
    tap_ok(alltoallw_is_right(send, recv, rank, nranks, true), "alltoallw");
    tap_ok(alltoallw_is_right(send, recv, rank, nranks, false),
           "nonblocking alltoallw");
    tap_ok(ring_is_right(send, recv, rank, nranks), "send and receive");
    for (int i = 0; i < PIECES; i++) {
        mem_delete(&send[i]);
        mem_delete(&recv[i]);
    }
    MPI_Finalize();
    return 0;
}
