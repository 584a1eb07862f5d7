/*
 * Point-to-point: each rank sends to the next one and receives from the one
 * before, in every mode of sending and every way of receiving.
 */
#include "matrix.h"

#include <stdio.h>
#include <stdlib.h>

enum { TAG = 77 };

static struct {
    struct mx_plan *p;
    MPI_Comm        comm;
    int             source, tag; /* as the receiver names them */
    MPI_Status      status;
    MPI_Datatype    counted; /* the receiver's type, kept for the status */
    const char     *fault;
} x;

/* ---- the sender's half ---- */

static int send_blocking(int call, const struct mx_side *s)
{
    int to = x.p->to;

    switch (call) {
    case CALL_SEND:
        return MPI_Send(s->buffer, s->count, s->type, to, TAG, x.comm);
    case CALL_BSEND:
        return MPI_Bsend(s->buffer, s->count, s->type, to, TAG, x.comm);
    case CALL_SSEND:
        return MPI_Ssend(s->buffer, s->count, s->type, to, TAG, x.comm);
    default:
        return MPI_Rsend(s->buffer, s->count, s->type, to, TAG, x.comm);
    }
}

static int send_nonblocking(int call, const struct mx_side *s, MPI_Request *r)
{
    int to = x.p->to;

    switch (call) {
    case CALL_SEND:
        return MPI_Isend(s->buffer, s->count, s->type, to, TAG, x.comm, r);
    case CALL_BSEND:
        return MPI_Ibsend(s->buffer, s->count, s->type, to, TAG, x.comm, r);
    case CALL_SSEND:
        return MPI_Issend(s->buffer, s->count, s->type, to, TAG, x.comm, r);
    default:
        return MPI_Irsend(s->buffer, s->count, s->type, to, TAG, x.comm, r);
    }
}

static int send_init(int call, const struct mx_side *s, MPI_Request *r)
{
    int to = x.p->to;

    switch (call) {
    case CALL_SEND:
        return MPI_Send_init(s->buffer, s->count, s->type, to, TAG, x.comm, r);
    case CALL_BSEND:
        return MPI_Bsend_init(s->buffer, s->count, s->type, to, TAG, x.comm, r);
    case CALL_SSEND:
        return MPI_Ssend_init(s->buffer, s->count, s->type, to, TAG, x.comm, r);
    default:
        return MPI_Rsend_init(s->buffer, s->count, s->type, to, TAG, x.comm, r);
    }
}

/* Leaves a request unless it blocks. */
static int start_send(MPI_Request *request)
{
    int call = x.p->c->level[F_CALL], rc = MPI_SUCCESS;

    switch (x.p->c->level[F_MODE]) {
    case MODE_BLOCKING:
        return send_blocking(call, &x.p->send);
    case MODE_NONBLOCKING:
        return send_nonblocking(call, &x.p->send, request);
    default:
        if (*request == MPI_REQUEST_NULL)
            rc = send_init(call, &x.p->send, request);
        return rc == MPI_SUCCESS ? MPI_Start(request) : rc;
    }
}

/* ---- the receiver's half ---- */

static bool is_posted_first(void)
{
    int receive = x.p->c->level[F_RECEIVE];

    return receive == RECEIVE_IRECV || receive == RECEIVE_INIT;
}

static int post_receive(MPI_Request *request)
{
    struct mx_side *r = &x.p->recv;
    int             rc = MPI_SUCCESS;

    if (x.p->c->level[F_RECEIVE] == RECEIVE_IRECV)
        return MPI_Irecv(r->buffer, r->count, r->type, x.source, x.tag, x.comm,
                         request);
    if (*request == MPI_REQUEST_NULL)
        rc = MPI_Recv_init(r->buffer, r->count, r->type, x.source, x.tag,
                           x.comm, request);
    return rc == MPI_SUCCESS ? MPI_Start(request) : rc;
}

static bool is_count(const MPI_Status *status)
{
    int  count = -1;
    bool any = x.p->from != MPI_PROC_NULL;

    MPI_Get_count(status, x.counted, &count);
    return count == (any ? x.p->recv.count : 0);
}

static void probed(const MPI_Status *status)
{
    if (!is_count(status))
        x.fault = "the probe's status has another count";
}

static int receive_matched(MPI_Message *message)
{
    struct mx_side *r = &x.p->recv;
    MPI_Request     request;
    int             rc;

    if (x.p->c->level[F_RECEIVE] == RECEIVE_MPROBE)
        return MPI_Mrecv(r->buffer, r->count, r->type, message, &x.status);
    rc = MPI_Imrecv(r->buffer, r->count, r->type, message, &request);
    return rc == MPI_SUCCESS ? MPI_Wait(&request, &x.status) : rc;
}

static int receive_mprobed(void)
{
    MPI_Message message;
    MPI_Status  status;
    int         rc, there = 0;

    if (x.p->c->level[F_RECEIVE] == RECEIVE_MPROBE)
        rc = MPI_Mprobe(x.source, x.tag, x.comm, &message, &status);
    else
        do
            rc =
                MPI_Improbe(x.source, x.tag, x.comm, &there, &message, &status);
        while (rc == MPI_SUCCESS && !there);
    if (rc != MPI_SUCCESS)
        return rc;
    probed(&status);
    return receive_matched(&message);
}

static int receive_blocking(void)
{
    struct mx_side *r = &x.p->recv;
    MPI_Status      status;
    int             rc;

    if (x.p->c->level[F_RECEIVE] >= RECEIVE_MPROBE)
        return receive_mprobed();
    if (x.p->c->level[F_RECEIVE] == RECEIVE_PROBE) {
        rc = MPI_Probe(x.source, x.tag, x.comm, &status);
        if (rc != MPI_SUCCESS)
            return rc;
        probed(&status);
    }
    return MPI_Recv(r->buffer, r->count, r->type, x.source, x.tag, x.comm,
                    &x.status);
}

/* ---- both ---- */

static void check_status(void)
{
    bool any = x.p->from != MPI_PROC_NULL;

    if (x.status.MPI_SOURCE != x.p->from)
        x.fault = "the status has another source";
    else if (x.status.MPI_TAG != (any ? TAG : MPI_ANY_TAG))
        x.fault = "the status has another tag";
    else if (!is_count(&x.status))
        x.fault = "the status has another count";
}

static int earlier(int rc, int later)
{
    return rc != MPI_SUCCESS ? rc : later;
}

/* Where both block, every second rank, or one of two groups, receives first.
 * The last rank of an odd number waits for the others' chain to reach it. */
static bool sends_first(void)
{
    const struct mx_comm *c = x.p->comm;

    if (c->is_inter)
        return c->base == 0;
    return c->rank % 2 == 0;
}

static int send_and_receive(void)
{
    MPI_Request *sending = &x.p->request[0], *receiving = &x.p->request[1];
    bool         blocks = x.p->c->level[F_MODE] == MODE_BLOCKING;
    bool         posted = is_posted_first();
    bool         receives_now = !posted && blocks && !sends_first() &&
                        x.p->c->level[F_CALL] != CALL_BSEND;
    int rc = MPI_SUCCESS;

    if (posted)
        rc = post_receive(receiving);
    if (x.p->c->level[F_CALL] == CALL_RSEND)
        rc = earlier(rc, MPI_Barrier(MPI_COMM_WORLD));
    if (receives_now)
        rc = earlier(rc, receive_blocking());
    rc = earlier(rc, start_send(sending));
    if (!posted && !receives_now)
        rc = earlier(rc, receive_blocking());
    if (x.p->c->level[F_MODE] == MODE_NONBLOCKING && rc == MPI_SUCCESS)
        mx_plan_free_handles(x.p);
    if (posted)
        rc = earlier(rc, MPI_Wait(receiving, &x.status));
    if (!blocks)
        rc = earlier(rc, MPI_Wait(sending, MPI_STATUS_IGNORE));
    return rc;
}

/* One buffer for all cases: a persistent request of Open MPI 4.1 keeps its
 * place in the buffer from one start to the next, where MPI allows to detach
 * it. */
static int send_buffered(void)
{
    enum { ROOM = 16 << 20 }; /* bytes; twice the largest message */
    static char *room;

    if (room == NULL) {
        room = malloc(ROOM);
        MPI_Buffer_attach(room, ROOM);
    }
    return send_and_receive();
}

#if OMPI_MAJOR_VERSION >= 5
static int send_receive_nonblocking(void)
{
    struct mx_side *s = &x.p->send, *r = &x.p->recv;
    MPI_Request     request;
    int             rc;

    if (x.p->c->level[F_CALL] == CALL_SENDRECV)
        rc =
            MPI_Isendrecv(s->buffer, s->count, s->type, x.p->to, TAG, r->buffer,
                          r->count, r->type, x.source, x.tag, x.comm, &request);
    else
        rc = MPI_Isendrecv_replace(r->buffer, r->count, r->type, x.p->to, TAG,
                                   x.source, x.tag, x.comm, &request);
    return rc == MPI_SUCCESS ? MPI_Wait(&request, &x.status) : rc;
}
#endif

static int send_receive(void)
{
    struct mx_side *s = &x.p->send, *r = &x.p->recv;

#if OMPI_MAJOR_VERSION >= 5
    if (x.p->c->level[F_MODE] == MODE_NONBLOCKING)
        return send_receive_nonblocking();
#endif
    if (x.p->c->level[F_CALL] == CALL_SENDRECV)
        return MPI_Sendrecv(s->buffer, s->count, s->type, x.p->to, TAG,
                            r->buffer, r->count, r->type, x.source, x.tag,
                            x.comm, &x.status);
    return MPI_Sendrecv_replace(r->buffer, r->count, r->type, x.p->to, TAG,
                                x.source, x.tag, x.comm, &x.status);
}

int mx_exchange(struct mx_plan *p, const char **fault_out)
{
    bool wild = p->c->level[F_ROOT] == ROOT_LAST && p->from != MPI_PROC_NULL;
    int  rc;

    x.p = p;
    x.comm = p->comm->comm;
    x.source = wild ? MPI_ANY_SOURCE : p->from;
    x.tag = wild ? MPI_ANY_TAG : TAG;
    x.fault = NULL;
    MPI_Type_dup(p->recv.type, &x.counted);
    if (p->c->level[F_CALL] >= CALL_SENDRECV)
        rc = send_receive();
    else if (p->c->level[F_CALL] == CALL_BSEND)
        rc = send_buffered();
    else
        rc = send_and_receive();
    if (rc == MPI_SUCCESS)
        check_status();
    MPI_Type_free(&x.counted);
    *fault_out = x.fault;
    return rc;
}
