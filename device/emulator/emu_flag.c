#include "device/emulator/emu_flag.h"

#include "device/emulator/emu_internal.h"

#include <stdlib.h>
#include <time.h>

/* On the stack of a thread that waits. */
struct waiter {
    pthread_cond_t *condition;
    struct waiter  *next;
};

struct emu_flag { /* all of it under emu_lock */
    int            refs;
    bool           up;
    int            failure; /* of the work that was to put it up */
    struct waiter *waiters;
};

int emu_flag_create(bool up, struct emu_flag **flag_out)
{
    struct emu_flag *flag = calloc(1, sizeof *flag);

    if (flag == NULL)
        return EMU_OUT_OF_MEMORY;
    flag->refs = 1;
    flag->up = up;
    *flag_out = flag;
    return EMU_OK;
}

static void unref_locked(struct emu_flag *flag)
{
    if (--flag->refs == 0)
        free(flag);
}

void emu_flag_unref(struct emu_flag *flag)
{
    pthread_mutex_lock(&emu_lock);
    unref_locked(flag);
    pthread_mutex_unlock(&emu_lock);
}

void emu_flag_ref(struct emu_flag *flag)
{
    pthread_mutex_lock(&emu_lock);
    flag->refs++;
    pthread_mutex_unlock(&emu_lock);
}

/* ------------------------------------------------------------ up and down */

static void wake_locked(struct emu_flag *flag)
{
    for (struct waiter *w = flag->waiters; w != NULL; w = w->next)
        pthread_cond_broadcast(w->condition);
}

static void set_locked(struct emu_flag *flag, bool up)
{
    flag->up = up;
    flag->failure = 0;
    if (up)
        wake_locked(flag);
}

void emu_flag_set(struct emu_flag *flag, bool up)
{
    pthread_mutex_lock(&emu_lock);
    set_locked(flag, up);
    pthread_mutex_unlock(&emu_lock);
}

static int query_locked(const struct emu_flag *flag)
{
    if (flag->failure != 0)
        return flag->failure;
    return flag->up ? EMU_OK : EMU_NOT_READY;
}

int emu_flag_query(struct emu_flag *flag)
{
    int status;

    pthread_mutex_lock(&emu_lock);
    status = query_locked(flag);
    pthread_mutex_unlock(&emu_lock);
    return status;
}

/* ---------------------------------------------------------- the host waits */

/* Far enough for any program, and no overflow in timespec. */
#define FOR_EVER_S ((uint64_t)1 << 32)

static struct timespec deadline(uint64_t timeout_ns)
{
    uint64_t        seconds = timeout_ns / 1000000000;
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)(seconds < FOR_EVER_S ? seconds : FOR_EVER_S);
    t.tv_nsec += (long)(timeout_ns % 1000000000);
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void add_waiter(struct emu_flag *flag, struct waiter *waiter)
{
    waiter->next = flag->waiters;
    flag->waiters = waiter;
    flag->refs++;
}

static void remove_waiter(struct emu_flag *flag, struct waiter *waiter)
{
    struct waiter **link = &flag->waiters;

    while (*link != waiter)
        link = &(*link)->next;
    *link = waiter->next;
    unref_locked(flag);
}

static int wait_locked(struct emu_flag *flag, uint64_t timeout_ns)
{
    struct timespec until = deadline(timeout_ns);
    pthread_cond_t  condition;
    struct waiter   waiter = {.condition = &condition};
    int             status;

    init_condition(&condition);
    add_waiter(flag, &waiter);
    while ((status = query_locked(flag)) == EMU_NOT_READY &&
           pthread_cond_timedwait(&condition, &emu_lock, &until) == 0)
        continue;
    remove_waiter(flag, &waiter);
    pthread_cond_destroy(&condition);
    return status;
}

int emu_flag_wait(struct emu_flag *flag, uint64_t timeout_ns)
{
    int status;

    pthread_mutex_lock(&emu_lock);
    status = query_locked(flag);
    if (status == EMU_NOT_READY && timeout_ns > 0)
        status = wait_locked(flag, timeout_ns);
    pthread_mutex_unlock(&emu_lock);
    return status;
}

int emu_stream_wait(struct emu_stream *stream, uint64_t timeout_ns)
{
    struct timespec until = deadline(timeout_ns);
    uint64_t        seq;
    bool            late = timeout_ns == 0;
    int             status;

    pthread_mutex_lock(&emu_lock);
    seq = stream->submitted;
    stream->refs++;
    while (stream->completed < seq && !late)
        late =
            pthread_cond_timedwait(&stream->progress, &emu_lock, &until) != 0;
    status = emu_context_error(stream->context);
    if (status == EMU_OK && stream->completed < seq)
        status = EMU_NOT_READY;
    emu_stream_unref_locked(stream);
    pthread_mutex_unlock(&emu_lock);
    return status;
}

/* --------------------------------------------------------- in stream order */

struct flag_op {
    struct emu_op       op;
    struct emu_flag    *flag;    /* referenced */
    struct emu_context *context; /* of the stream */
    bool                up, ran;
};

static int run_set(struct emu_op *op)
{
    struct flag_op *set = (struct flag_op *)op;

    pthread_mutex_lock(&emu_lock);
    set_locked(set->flag, set->up);
    set->ran = true;
    pthread_mutex_unlock(&emu_lock);
    return 0;
}

/* Who waits for a signal that will not come is told why. */
static void drop_set(struct emu_op *op)
{
    struct flag_op *set = (struct flag_op *)op;

    if (set->up && !set->ran) {
        set->flag->failure = emu_context_error(set->context);
        wake_locked(set->flag);
    }
    unref_locked(set->flag);
    free(op);
}

static int run_wait(struct emu_op *op)
{
    struct flag_op *wait = (struct flag_op *)op;
    struct waiter   waiter = {.condition = &op->stream->work};
    int             status;

    pthread_mutex_lock(&emu_lock);
    add_waiter(wait->flag, &waiter);
    while ((status = query_locked(wait->flag)) == EMU_NOT_READY &&
           emu_state != EMU_EXITING && !op->stream->context->dying)
        pthread_cond_wait(&op->stream->work, &emu_lock);
    remove_waiter(wait->flag, &waiter);
    pthread_mutex_unlock(&emu_lock);
    return status == EMU_NOT_READY ? 0 : status;
}

static void drop_wait(struct emu_op *op)
{
    unref_locked(((struct flag_op *)op)->flag);
    free(op);
}

static int submit(struct emu_stream *stream, struct emu_flag *flag,
                  const struct flag_op *model)
{
    struct flag_op *op = malloc(sizeof *op);

    if (op == NULL)
        return EMU_OUT_OF_MEMORY;
    *op = *model;
    op->flag = flag;
    op->context = stream->context;
    emu_flag_ref(flag);
    return emu_submit(stream, &op->op, NULL);
}

int emu_stream_set_flag(struct emu_stream *stream, struct emu_flag *flag,
                        bool up)
{
    const struct flag_op model = {.op = {.run = run_set, .drop = drop_set},
                                  .up = up};

    return submit(stream, flag, &model);
}

int emu_stream_wait_flag(struct emu_stream *stream, struct emu_flag *flag)
{
    const struct flag_op model = {.op = {.run = run_wait, .drop = drop_wait}};

    return submit(stream, flag, &model);
}
