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

static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
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

/* A stream of the context with unfinished work that blocking_only lets pass. */
static struct emu_stream *busy_stream(struct emu_context *context,
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

    while (!exiting() && (busy = busy_stream(context, false)) != NULL)
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

int emu_stream_synchronize(struct emu_stream *stream)
{
    struct emu_stream *busy;
    int                status;

    pthread_mutex_lock(&emu_lock);
    status = emu_capture_forbid_wait_locked(stream);
    if (status == EMU_OK)
        status = emu_wait_locked(stream, stream->submitted);
    /* The legacy stream stands for the blocking ones too. */
    while (status == EMU_OK && stream == stream->context->legacy &&
           (busy = busy_stream(stream->context, true)) != NULL)
        status = emu_wait_locked(busy, busy->submitted);
    pthread_mutex_unlock(&emu_lock);
    return status;
}

int emu_stream_query(struct emu_stream *stream)
{
    int status;

    pthread_mutex_lock(&emu_lock);
    status = emu_capture_forbid_wait_locked(stream);
    if (status == EMU_OK)
        status = emu_context_error(stream->context);
    if (status == EMU_OK && (stream->completed < stream->submitted ||
                             (stream == stream->context->legacy &&
                              busy_stream(stream->context, true) != NULL)))
        status = EMU_NOT_READY;
    pthread_mutex_unlock(&emu_lock);
    return status;
}

/* ---------------------------------------------------------------- objects */

static struct emu_stream *new_stream(struct emu_context *context,
                                     unsigned flags, int priority)
{
    static _Atomic uint64_t last_id;
    struct emu_stream      *stream = calloc(1, sizeof *stream);

    if (stream == NULL || !emu_handle_add(stream)) {
        free(stream);
        return NULL;
    }
    stream->context = context;
    stream->flags = flags;
    stream->priority = priority;
    stream->id = atomic_fetch_add(&last_id, 1) + 1;
    stream->refs = 1;
    stream->tail = &stream->head;
    init_condition(&stream->work);
    init_condition(&stream->progress);
    stream->next = context->streams;
    context->streams = stream;
    return stream;
}

void emu_stream_unref_locked(struct emu_stream *stream)
{
    struct emu_stream **link = &stream->context->streams;

    if (--stream->refs > 0)
        return;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    pthread_cond_destroy(&stream->work);
    pthread_cond_destroy(&stream->progress);
    free(stream);
}

void emu_stream_retire_locked(struct emu_stream *stream)
{
    emu_handle_remove(stream);
    emu_capture_forget_locked(stream);
    stream->destroyed = true;
    pthread_cond_broadcast(&stream->work);
    emu_stream_unref_locked(stream);
}

int emu_stream_create(struct emu_context *context, unsigned flags, int priority,
                      struct emu_stream **stream_out)
{
    struct emu_stream *stream;

    if (flags & ~(unsigned)EMU_STREAM_NON_BLOCKING)
        return EMU_INVALID_VALUE;
    pthread_mutex_lock(&emu_lock);
    stream = new_stream(context, flags, priority);
    pthread_mutex_unlock(&emu_lock);
    if (stream == NULL)
        return EMU_OUT_OF_MEMORY;
    *stream_out = stream;
    return EMU_OK;
}

int emu_stream_destroy(struct emu_stream *stream)
{
    if (stream == stream->context->legacy || stream->thread != 0)
        return EMU_INVALID_HANDLE;
    pthread_mutex_lock(&emu_lock);
    emu_stream_retire_locked(stream);
    pthread_mutex_unlock(&emu_lock);
    return EMU_OK;
}

struct emu_stream *emu_stream_legacy(struct emu_context *context)
{
    struct emu_stream *legacy;

    pthread_mutex_lock(&emu_lock);
    if (context->legacy == NULL)
        context->legacy = new_stream(context, 0, 0);
    legacy = context->legacy;
    pthread_mutex_unlock(&emu_lock);
    return legacy;
}

struct emu_stream *emu_stream_per_thread(struct emu_context *context)
{
    uint64_t           mine = emu_thread_id();
    struct emu_stream *stream;

    pthread_mutex_lock(&emu_lock);
    stream = context->streams;
    while (stream != NULL && stream->thread != mine)
        stream = stream->next;
    if (stream == NULL) {
        stream = new_stream(context, 0, 0);
        if (stream != NULL)
            stream->thread = mine;
    }
    pthread_mutex_unlock(&emu_lock);
    return stream;
}

bool emu_stream_valid(const struct emu_stream *stream)
{
    return emu_handle_has(stream);
}

struct emu_context *emu_stream_context(const struct emu_stream *stream)
{
    return stream->context;
}

unsigned emu_stream_flags(const struct emu_stream *stream)
{
    return stream->flags;
}

int emu_stream_priority(const struct emu_stream *stream)
{
    return stream->priority;
}

uint64_t emu_stream_id(const struct emu_stream *stream)
{
    return stream->id;
}

/* ---------------------------------------------------------- host functions */

struct host_op {
    struct emu_op op;
    void (*function)(void *);
    void *argument;
};

static int run_host(struct emu_op *op)
{
    struct host_op *host = (struct host_op *)op;

    host->function(host->argument);
    return 0;
}

int emu_stream_host(struct emu_stream *stream, void (*function)(void *),
                    void              *argument)
{
    struct host_op *host = calloc(1, sizeof *host);

    if (host == NULL)
        return EMU_OUT_OF_MEMORY;
    host->op.run = run_host;
    host->op.drop = emu_op_free;
    host->function = function;
    host->argument = argument;
    return emu_submit(stream, &host->op, NULL);
}
