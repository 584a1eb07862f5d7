#include "device/emulator/emu_internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/*
 * A stream is a queue with a thread of its own, made at the first piece of
 * work.  Order between streams is kept by dependencies on sequence numbers,
 * decided when work is submitted; they only point at earlier submissions, so
 * no cycle can arise.
 */

pthread_mutex_t emu_lock = PTHREAD_MUTEX_INITIALIZER;

static int            threads; /* running ones; emu_lock */
static pthread_cond_t threads_gone = PTHREAD_COND_INITIALIZER;

static _Thread_local bool     on_stream_thread;
static _Thread_local uint64_t thread_id;

uint64_t emu_thread_id(void)
{
    static _Atomic uint64_t last;

    if (thread_id == 0)
        thread_id = atomic_fetch_add(&last, 1) + 1;
    return thread_id;
}

bool emu_on_stream_thread(void)
{
    return on_stream_thread;
}

double emu_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool exiting(void)
{
    return emu_state == EMU_EXITING;
}

static struct timespec timespec_of(double when)
{
    struct timespec t = {.tv_sec = (time_t)when};

    t.tv_nsec = (long)((when - (double)t.tv_sec) * 1e9);
    return t;
}

void emu_stream_sleep_until(struct emu_stream *stream, double when)
{
    struct timespec t = timespec_of(when);

    pthread_mutex_lock(&emu_lock);
    while (emu_now() < when && !exiting() && !stream->context->dying)
        pthread_cond_timedwait(&stream->work, &emu_lock, &t);
    pthread_mutex_unlock(&emu_lock);
}

bool emu_stream_dying(struct emu_stream *stream)
{
    bool dying;

    pthread_mutex_lock(&emu_lock);
    dying = stream->context->dying;
    pthread_mutex_unlock(&emu_lock);
    return dying;
}

/* ------------------------------------------------------------ the thread */

/* Earlier work of the stream itself may run on its submitter's thread. */
static void wait_for_turn(struct emu_stream *stream, const struct emu_op *op)
{
    while (stream->completed + 1 < op->seq && !exiting())
        pthread_cond_wait(&stream->progress, &emu_lock);
    for (size_t i = 0; i < op->ndeps; i++) {
        struct emu_dep *dep = &op->deps[i];

        while (dep->stream->completed < dep->seq && !exiting())
            pthread_cond_wait(&dep->stream->progress, &emu_lock);
    }
}

/* A copy that never completes, until its context goes. */
static void stall(struct emu_stream *stream)
{
    while (!exiting() && !stream->context->dying)
        pthread_cond_wait(&stream->work, &emu_lock);
}

static void execute(struct emu_stream *stream, struct emu_op *op)
{
    int code;

    if (emu_context_error(stream->context) != 0)
        return; /* a failed context does no more work */
    if (op->fault == EMU_STALL) {
        stall(stream);
        return;
    }
    pthread_mutex_unlock(&emu_lock);
    code = op->fault != 0 ? op->fault : op->run(op);
    pthread_mutex_lock(&emu_lock);
    if (code != 0)
        emu_context_fail(stream->context, code);
}

static void drop(struct emu_op *op)
{
    for (size_t i = 0; i < op->ndeps; i++)
        emu_stream_unref_locked(op->deps[i].stream);
    free(op->deps);
    op->drop(op);
}

static void finish(struct emu_stream *stream, struct emu_op *op)
{
    stream->head = op->next;
    if (stream->head == NULL)
        stream->tail = &stream->head;
    stream->completed = op->seq;
    pthread_cond_broadcast(&stream->progress);
    drop(op);
}

static void *work(void *argument)
{
    struct emu_stream *stream = argument;
    struct emu_op     *op;

    on_stream_thread = true;
    pthread_mutex_lock(&emu_lock);
    while (!exiting()) {
        op = stream->head;
        if (op == NULL && stream->destroyed)
            break;
        if (op == NULL) {
            pthread_cond_wait(&stream->work, &emu_lock);
            continue;
        }
        wait_for_turn(stream, op);
        if (exiting())
            break;
        execute(stream, op);
        if (exiting()) /* work that never ran stays, for leak checkers */
            break;
        finish(stream, op);
    }
    if (!exiting())
        emu_stream_unref_locked(stream);
    if (--threads == 0)
        pthread_cond_broadcast(&threads_gone);
    pthread_mutex_unlock(&emu_lock);
    return NULL;
}

/* With all signals blocked: handlers run on the program's own threads. */
static bool start_thread(struct emu_stream *stream)
{
    pthread_attr_t attributes;
    pthread_t      thread;
    sigset_t       all, before;
    int            failed;

    if (stream->has_thread)
        return true;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&thread, &attributes, work, stream);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (failed)
        return false;
    stream->has_thread = true;
    stream->refs++;
    threads++;
    return true;
}

/* At exit threads stop where they are; a copy under way is finished first.
 * Bounded, because a host function may be stuck for ever. */
void emu_stream_exit(void)
{
    struct timespec     until;
    struct emu_context *context;
    int                 mine = on_stream_thread ? 1 : 0;

    pthread_mutex_lock(&emu_lock);
    for (context = emu_contexts; context != NULL; context = context->next) {
        for (struct emu_stream *s = context->streams; s != NULL; s = s->next) {
            pthread_cond_broadcast(&s->work);
            pthread_cond_broadcast(&s->progress);
        }
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    while (threads > mine &&
           pthread_cond_timedwait(&threads_gone, &emu_lock, &until) == 0)
        continue;
    pthread_mutex_unlock(&emu_lock);
}

/* ---------------------------------------------------------------- submit */

void emu_op_free(struct emu_op *op)
{
    free(op);
}

bool emu_op_add_dep(struct emu_op *op, struct emu_stream *stream, uint64_t seq)
{
    struct emu_dep *deps;

    if (stream->completed >= seq)
        return true;
    deps = realloc(op->deps, (op->ndeps + 1) * sizeof *deps);
    if (deps == NULL)
        return false;
    op->deps = deps;
    op->deps[op->ndeps].stream = stream;
    op->deps[op->ndeps].seq = seq;
    op->ndeps++;
    stream->refs++;
    return true;
}

/* The legacy stream and the blocking streams of its context wait for each
 * other's earlier work. */
static bool add_implicit_deps(struct emu_stream *stream, struct emu_op *op)
{
    struct emu_context *context = stream->context;
    struct emu_stream  *legacy = context->legacy;

    if (stream->flags & EMU_STREAM_NON_BLOCKING)
        return true;
    if (stream != legacy) {
        if (stream->legacy_seen == legacy->submitted)
            return true;
        stream->legacy_seen = legacy->submitted;
        return emu_op_add_dep(op, legacy, legacy->submitted);
    }
    for (struct emu_stream *s = context->streams; s != NULL; s = s->next) {
        if (s != legacy && !(s->flags & EMU_STREAM_NON_BLOCKING) &&
            !emu_op_add_dep(op, s, s->submitted))
            return false;
    }
    return true;
}

static bool is_done(const struct emu_stream *stream)
{
    return stream->completed >= stream->submitted;
}

bool emu_stream_idle_locked(const struct emu_stream *stream)
{
    const struct emu_stream *legacy = stream->context->legacy;
    const struct emu_stream *s = stream->context->streams;

    if (!is_done(stream))
        return false;
    if (stream->flags & EMU_STREAM_NON_BLOCKING)
        return true;
    if (stream != legacy)
        return legacy == NULL || is_done(legacy);
    while (s != NULL && ((s->flags & EMU_STREAM_NON_BLOCKING) || is_done(s)))
        s = s->next;
    return s == NULL;
}

static int admit(struct emu_stream *stream, struct emu_op *op,
                 bool *captured_out)
{
    int status = emu_context_error(stream->context);

    if (status == EMU_OK)
        status = emu_capture_admit_locked(stream, captured_out);
    if (status != EMU_OK || *captured_out)
        return status;
    if (!add_implicit_deps(stream, op) || !start_thread(stream))
        return EMU_OUT_OF_MEMORY;
    return EMU_OK;
}

int emu_submit_locked(struct emu_stream *stream, struct emu_op *op,
                      uint64_t *seq_out)
{
    bool captured = false;
    int  status = admit(stream, op, &captured);

    if (status != EMU_OK || captured) {
        if (status == EMU_OK && seq_out != NULL)
            *seq_out = 0;
        drop(op);
        return status;
    }
    op->stream = stream;
    op->seq = ++stream->submitted;
    op->next = NULL;
    *stream->tail = op;
    stream->tail = &op->next;
    if (seq_out != NULL)
        *seq_out = op->seq;
    pthread_cond_broadcast(&stream->work);
    return EMU_OK;
}

/* Where nothing is to be waited for, the submitter's own thread does it. */
static void run_here(struct emu_stream *stream, struct emu_op *op)
{
    int code;

    op->stream = stream;
    op->seq = ++stream->submitted;
    stream->refs++;
    pthread_mutex_unlock(&emu_lock);
    code = op->run(op);
    pthread_mutex_lock(&emu_lock);
    if (code != 0)
        emu_context_fail(stream->context, code);
    stream->completed = op->seq;
    pthread_cond_broadcast(&stream->progress);
    drop(op);
    emu_stream_unref_locked(stream);
}

static int submit_and_wait_locked(struct emu_stream *stream, struct emu_op *op,
                                  bool wait)
{
    struct emu_context *context = stream->context;
    uint64_t            seq;
    bool                captured;
    int                 status = emu_context_error(context);

    if (status == EMU_OK && op->fault == 0 && stream->capture == NULL &&
        emu_stream_idle_locked(stream)) {
        status = emu_capture_admit_locked(stream, &captured);
        if (status != EMU_OK) {
            drop(op);
            return status;
        }
        run_here(stream, op);
        return emu_context_error(context);
    }
    status = emu_submit_locked(stream, op, &seq);
    return status == EMU_OK && wait ? emu_wait_locked(stream, seq) : status;
}

int emu_submit_soon(struct emu_stream *stream, struct emu_op *op, bool wait)
{
    int status;

    pthread_mutex_lock(&emu_lock);
    status = submit_and_wait_locked(stream, op, wait);
    pthread_mutex_unlock(&emu_lock);
    return status;
}

int emu_submit(struct emu_stream *stream, struct emu_op *op, uint64_t *seq_out)
{
    int status;

    pthread_mutex_lock(&emu_lock);
    status = emu_submit_locked(stream, op, seq_out);
    pthread_mutex_unlock(&emu_lock);
    return status;
}

/* ------------------------------------------------------------------ wait */

int emu_wait_locked(struct emu_stream *stream, uint64_t seq)
{
    int status;

    stream->refs++;
    while (stream->completed < seq && !exiting())
        pthread_cond_wait(&stream->progress, &emu_lock);
    status = stream->completed < seq ? EMU_DEINITIALIZED
                                     : emu_context_error(stream->context);
    emu_stream_unref_locked(stream);
    return status;
}

int emu_wait(struct emu_stream *stream, uint64_t seq)
{
    int status;

    pthread_mutex_lock(&emu_lock);
    status = emu_wait_locked(stream, seq);
    pthread_mutex_unlock(&emu_lock);
    return status;
}

struct emu_stream *emu_busy_stream_locked(struct emu_context *context,
                                          bool                blocking_only)
{
    struct emu_stream *s = context->streams;

    while (s != NULL &&
           (s->completed >= s->submitted ||
            (blocking_only && (s->flags & EMU_STREAM_NON_BLOCKING))))
        s = s->next;
    return s;
}

int emu_drain_locked(struct emu_context *context)
{
    struct emu_stream *busy;

    while (!exiting() &&
           (busy = emu_busy_stream_locked(context, false)) != NULL)
        emu_wait_locked(busy, busy->submitted);
    return exiting() ? EMU_DEINITIALIZED : emu_context_error(context);
}

void emu_drain_device(int ordinal)
{
    struct emu_context *context;

    pthread_mutex_lock(&emu_lock);
    for (context = emu_contexts; context != NULL; context = context->next) {
        if (ordinal < 0 || context->ordinal == ordinal)
            emu_drain_locked(context);
    }
    pthread_mutex_unlock(&emu_lock);
}
