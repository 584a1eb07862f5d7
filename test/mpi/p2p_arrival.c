/*
 * What arrives on rank 1 where that is not all of its buffer, or not from a
 * plain peer.  Rank 0 sends from host memory; rank 1 receives in each kind.
 */
#include "ints.h"
#include "tap.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TAG = 5,
    ROOM = 60,
    STAGED_KINDS = 4,
    SENT = 7,
    LONG_SENT = 100000,
    SHORT = 5
};

static int rank;

typedef int receive(void *buffer, int count, MPI_Datatype type,
                    MPI_Status *status);

static int by_recv(void *buffer, int count, MPI_Datatype type,
                   MPI_Status *status)
{
    return MPI_Recv(buffer, count, type, 0, TAG, MPI_COMM_WORLD, status);
}

static int by_irecv(void *buffer, int count, MPI_Datatype type,
                    MPI_Status *status)
{
    MPI_Request request;

    MPI_Irecv(buffer, count, type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
              &request);
    return MPI_Wait(&request, status);
}

/* Open MPI frees a request that failed, persistent or not. */
static int by_recv_init(void *buffer, int count, MPI_Datatype type,
                        MPI_Status *status)
{
    MPI_Request request;
    int         rc;

    MPI_Recv_init(buffer, count, type, 0, TAG, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    rc = MPI_Wait(&request, status);
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    return rc;
}

static int by_mrecv(void *buffer, int count, MPI_Datatype type,
                    MPI_Status *status)
{
    MPI_Message message;

    MPI_Mprobe(0, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    return MPI_Mrecv(buffer, count, type, &message, status);
}

static int by_imrecv(void *buffer, int count, MPI_Datatype type,
                     MPI_Status *status)
{
    MPI_Message message;
    MPI_Request request;

    MPI_Mprobe(0, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(buffer, count, type, &message, &request);
    return MPI_Wait(&request, status);
}

static const struct way {
    const char *name;
    receive    *go;
} ways[] = {
    {"recv", by_recv},   {"irecv", by_irecv},   {"recv_init", by_recv_init},
    {"mrecv", by_mrecv}, {"imrecv", by_imrecv},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static void send_ints(int count)
{
    struct mem mem = ints_new(MEM_HOST, count, 0);

    MPI_Send(mem.buffer, count, MPI_INT, 1, TAG, MPI_COMM_WORLD);
    mem_delete(&mem);
}

static bool error_is(int rc, int expected)
{
    int class = MPI_SUCCESS;

    if (rc != MPI_SUCCESS)
        MPI_Error_class(rc, &class);
    if (class != expected)
        printf("# error class %d, not %d\n", class, expected);
    return class == expected;
}

/* Pairs of ints, two pairs from one to the next. */
static MPI_Datatype pairs_type(void)
{
    MPI_Datatype vector, type;

    MPI_Type_vector(2, 2, 4, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, 8 * sizeof(int), &type);
    MPI_Type_free(&vector);
    MPI_Type_commit(&type);
    return type;
}

/* Seven ints: an element, and three ints of the next. */
static bool fewer_is_right(const struct way *way, enum mem_kind kind)
{
    MPI_Datatype type = pairs_type();
    MPI_Status   status;
    struct mem   mem;
    bool         right = true;
    int          rc, ints = -1, elements = -1;

    if (rank == 0)
        send_ints(SENT);
    if (rank == 1) {
        mem = ints_new(kind, ROOM, -1000);
        rc = way->go(mem.buffer, ROOM / 8, type, &status);
        MPI_Get_elements(&status, type, &ints);
        MPI_Get_count(&status, type, &elements);
        ints_expect(&mem, 0, 2, 0);
        ints_expect(&mem, 4, 2, 2);
        ints_expect(&mem, 8, 2, 4);
        ints_expect(&mem, 12, 1, 6);
        right = error_is(rc, MPI_SUCCESS) && ints == SENT &&
                elements == MPI_UNDEFINED && ints_are_right(&mem);
        mem_delete(&mem);
    }
    MPI_Type_free(&type);
    return right;
}

static bool is_over_ucx(void)
{
    const char *pml = getenv("OMPI_MCA_pml");

    return pml != NULL && strcmp(pml, "ucx") == 0;
}

/* What is in the buffer after this error, MPI leaves open: pml/ob1 fills it,
 * pml/ucx does as it likes.  And pml/ob1 writes past the end of any buffer
 * when a peer's memory is read for it, so that is only done to pml/ucx. */
static bool more_is_right(const struct way *way, enum mem_kind kind)
{
    int        sent = is_over_ucx() ? LONG_SENT : SENT;
    MPI_Status status;
    struct mem mem;
    bool       right = true;
    int        rc;

    if (rank == 0)
        send_ints(sent);
    if (rank == 1) {
        mem = ints_new(kind, SHORT, -1000);
        rc = way->go(mem.buffer, SHORT, MPI_INT, &status);
        ints_expect(&mem, 0, SHORT, 0);
        if (is_over_ucx()) {
            unsigned char *copy = malloc(mem.block_bytes);

            mem_download(&mem, copy);
            memcpy(mem.elements, copy + MEM_GUARD_BYTES, SHORT * sizeof(int));
            free(copy);
        }
        right = error_is(rc, MPI_ERR_TRUNCATE) && ints_are_right(&mem);
        mem_delete(&mem);
    }
    return right;
}

/* The program has freed its handles before anything arrives. */
static bool survives_its_handles(enum mem_kind kind)
{
    MPI_Datatype type = pairs_type();
    MPI_Request  request;
    MPI_Comm     comm;
    struct mem   mem = ints_new(rank == 0 ? MEM_HOST : kind, 8, 10 - 10 * rank);
    bool         right;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 1)
        MPI_Irecv(mem.buffer, 1, type, 0, TAG, comm, &request);
    if (rank == 0)
        MPI_Isend(mem.buffer, 1, type, 1, TAG, comm, &request);
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) {
        ints_expect(&mem, 0, 2, 10);
        ints_expect(&mem, 4, 2, 14);
    }
    right = ints_are_right(&mem);
    mem_delete(&mem);
    return right;
}

static bool is_from_no_one(const MPI_Status *status)
{
    int count = -1;

    MPI_Get_count(status, MPI_INT, &count);
    return status->MPI_SOURCE == MPI_PROC_NULL && count == 0;
}

static bool no_one_is_right(enum mem_kind kind)
{
    struct mem  mem = ints_new(kind, ROOM, 0);
    MPI_Request requests[2];
    MPI_Status  statuses[3];
    bool        right = true;

    MPI_Send(mem.buffer, ROOM, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD);
    MPI_Recv(mem.buffer, ROOM, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD,
             &statuses[0]);
    MPI_Isend(mem.buffer, ROOM, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Recv_init(mem.buffer, ROOM, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD,
                  &requests[1]);
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests, &statuses[1]);
    MPI_Request_free(&requests[1]);
    right = is_from_no_one(&statuses[0]) && is_from_no_one(&statuses[2]) &&
            ints_are_right(&mem);
    mem_delete(&mem);
    return right;
}

static bool self_is_right(enum mem_kind kind)
{
    struct mem  from = ints_new(kind, LONG_SENT, rank);
    struct mem  to = ints_new(kind, LONG_SENT, -1);
    MPI_Request request;
    bool        right;

    MPI_Irecv(to.buffer, LONG_SENT, MPI_INT, 0, TAG, MPI_COMM_SELF, &request);
    MPI_Send(from.buffer, LONG_SENT, MPI_INT, 0, TAG, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ints_expect(&to, 0, LONG_SENT, rank);
    right = ints_are_right(&to) && ints_are_right(&from);
    mem_delete(&from);
    mem_delete(&to);
    return right;
}

static bool between_groups_is_right(MPI_Comm inter, enum mem_kind kind)
{
    struct mem from = ints_new(kind, LONG_SENT, rank);
    struct mem to = ints_new(kind, LONG_SENT, -1);
    bool       right;

    MPI_Sendrecv(from.buffer, LONG_SENT, MPI_INT, 0, TAG, to.buffer, LONG_SENT,
                 MPI_INT, 0, TAG, inter, MPI_STATUS_IGNORE);
    ints_expect(&to, 0, LONG_SENT, 1 - rank);
    right = ints_are_right(&to);
    mem_delete(&from);
    mem_delete(&to);
    return right;
}

static void report(bool right, const char *name, const char *what)
{
    char line[128];

    snprintf(line, sizeof line, "%s: %s", name, what);
    tap_ok(right, line);
}

/* On other memory it is pml/ucx that crashes in errors of imrecv. */
static bool is_staged(enum mem_kind kind)
{
    return kind == MEM_POOL || kind == MEM_CUDA || kind == MEM_HIP ||
           kind == MEM_ZE;
}

static void run_kind(enum mem_kind kind, MPI_Comm inter)
{
    const char *name = mem_kind_name(kind);
    bool        fewer = true, more = true;

    for (int i = 0; i < WAYS; i++) {
        fewer &= fewer_is_right(&ways[i], kind);
        if (is_staged(kind))
            more &= more_is_right(&ways[i], kind);
    }
    report(fewer, name, "what did not come leaves the buffer as it was");
    if (is_staged(kind))
        report(more, name, "too long a message is an error");
    report(survives_its_handles(kind), name, "type and communicator are freed");
    report(no_one_is_right(kind), name, "MPI_PROC_NULL");
    report(self_is_right(kind), name, "MPI_COMM_SELF");
    report(between_groups_is_right(inter, kind), name, "intercommunicator");
}

int main(int argc, char **argv)
{
    MPI_Comm inter;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, TAG,
                         &inter);
    tap_plan(MEM_KINDS * 5 + STAGED_KINDS);
    for (enum mem_kind kind = MEM_HOST; kind < MEM_KINDS; kind++) {
        if (!mem_available(kind, rank))
            MPI_Abort(MPI_COMM_WORLD, 77);
        run_kind(kind, inter);
    }
    MPI_Comm_free(&inter);
    MPI_Finalize();
    return 0;
}
