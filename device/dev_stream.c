#include "device/dev_stream.h"

#include "config/cfg_log.h"
#include "config/cfg_param.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct hc_dev_event {
    struct hc_dev_queue *queue;
    void                *handle;
    struct hc_dev_event *next; /* while idle */
};

struct hc_dev_queue {
    struct hc_streams   *streams;
    int                  device;
    void                *context;    /* borrowed from the application */
    uint64_t             context_id; /* 0: the driver doesn't number them */
    void                *stream;
    void                *order_event; /* the default stream, up to now */
    struct hc_dev_event *idle;
    /* Its context was destroyed, its handles with it, and another may stand at
     * the same address; it waits for close, since events may still be in
     * somebody's hands. */
    bool                 retired;
    struct hc_dev_queue *next;
};

/* Guards the lists of queues and idle events; driver calls are made outside. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum order { ORDER_LEGACY, ORDER_NONE, ORDER_DEVICE }; /* stream_order */

static const char *advice(int code)
{
    if (code >= HC_STREAM_CAPTURE_FIRST && code <= HC_STREAM_CAPTURE_LAST)
        return "; a stream is being captured into a graph: end the capture "
               "before the MPI call, which cannot be part of a graph";

    switch (code) {
    case HC_STREAM_OUT_OF_MEMORY:
        return "; free device or pinned memory, or lower pinned_max";
    case HC_STREAM_INVALID_CONTEXT:
    case HC_STREAM_INVALID_HANDLE:
    case HC_STREAM_CONTEXT_DESTROYED:
        return "; the buffer's context was destroyed or reset (allocate the "
               "buffer anew), or the thread has none (make one current)";
    case HC_STREAM_ILLEGAL_ADDRESS:
        return "; the buffer is shorter than count says, or an earlier kernel "
               "faulted: run the vendor's memory checker";
    case HC_STREAM_INVALID_VALUE:
        return "; the buffer was freed, or is shorter than count says";
    case HC_STREAM_NOT_INITIALIZED:
    case HC_STREAM_DEINITIALIZED:
        return "; the driver is not usable here (after fork, or at exit)";
    default:
        return "; see the driver's log (dmesg) and run hcc";
    }
}

static hcomm_status meaning(int code)
{
    if (code == HC_STREAM_OK)
        return HCOMM_OK;
    if (code >= HC_STREAM_CAPTURE_FIRST && code <= HC_STREAM_CAPTURE_LAST)
        return HCOMM_ERR_INVALID;
    return code == HC_STREAM_OUT_OF_MEMORY ? HCOMM_ERR_NO_MEMORY
                                           : HCOMM_ERR_DEVICE;
}

hcomm_status hc_stream_status(const struct hc_stream_api *api, int code,
                              const char *format, ...)
{
    char    what[256], words[256];
    va_list args;

    if (code == HC_STREAM_OK)
        return HCOMM_OK;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    api->error_text(code, words, sizeof words);
    hc_log(HC_LOG_ERROR, "%s %s: %s, code %d%s", api->name, what, words, code,
           advice(code));
    return meaning(code);
}

static void retire(struct hc_dev_queue *queue)
{
    pthread_mutex_lock(&lock);
    queue->retired = true;
    pthread_mutex_unlock(&lock);
}

static struct hc_dev_queue *find_queue(struct hc_streams       *streams,
                                       const struct hc_dev_mem *mem,
                                       uint64_t                 context_id)
{
    struct hc_dev_queue *queue;

    pthread_mutex_lock(&lock);
    for (queue = streams->queues; queue != NULL; queue = queue->next) {
        if (queue->retired || queue->device != mem->device ||
            queue->context != mem->context)
            continue;
        if (queue->context_id == context_id)
            break;
        queue->retired = true;
    }
    pthread_mutex_unlock(&lock);
    return queue;
}

static void destroy_queue(struct hc_dev_queue *queue)
{
    const struct hc_stream_api *api = queue->streams->api;
    struct hc_dev_event        *event;
    bool                        entered;

    entered = !queue->retired &&
              api->is_alive(queue->device, queue->context, queue->context_id) &&
              api->enter(queue->device, queue->context) == HC_STREAM_OK;
    while ((event = queue->idle) != NULL) {
        queue->idle = event->next;
        if (entered)
            (void)api->event_destroy(event->handle);
        free(event);
    }
    if (entered) {
        if (queue->order_event != NULL)
            (void)api->event_destroy(queue->order_event);
        if (queue->stream != NULL)
            (void)api->stream_destroy(queue->stream);
        api->leave();
    }
    free(queue);
}

static hcomm_status create_queue(struct hc_streams       *streams,
                                 const struct hc_dev_mem *mem,
                                 uint64_t                 context_id,
                                 struct hc_dev_queue    **queue_out)
{
    const struct hc_stream_api *api = streams->api;
    struct hc_dev_queue        *queue = calloc(1, sizeof *queue);
    int                         code;

    if (queue == NULL) {
        hc_log(HC_LOG_ERROR, "%s: no host memory for a stream of device %d",
               api->name, mem->device);
        return HCOMM_ERR_NO_MEMORY;
    }
    queue->context_id = context_id;
    queue->streams = streams;
    queue->device = mem->device;
    queue->context = mem->context;

    code = api->enter(queue->device, queue->context);
    if (code == HC_STREAM_OK) {
        code = api->stream_create(&queue->stream);
        if (code == HC_STREAM_OK)
            code = api->event_create(&queue->order_event);
        api->leave();
    }
    if (code != HC_STREAM_OK) {
        destroy_queue(queue);
        return hc_stream_status(api, code, "stream creation on device %d",
                                mem->device);
    }

    pthread_mutex_lock(&lock);
    queue->next = streams->queues;
    streams->queues = queue;
    pthread_mutex_unlock(&lock);
    *queue_out = queue;
    return HCOMM_OK;
}

/* Asked before anything that would invalidate the capture. */
static int refuse_capture(const struct hc_stream_api *api)
{
    int capturing = 0;
    int code = HC_STREAM_OK;

    if (api->stream_is_capturing != NULL)
        code = api->stream_is_capturing(api->default_stream, &capturing);
    return code == HC_STREAM_OK && capturing ? HC_STREAM_CAPTURE_FIRST : code;
}

static int wait_for_application(struct hc_dev_queue *queue)
{
    const struct hc_stream_api *api = queue->streams->api;
    int                         code = HC_STREAM_OK;

    switch ((enum order)hc_param_int(HC_PARAM_STREAM_ORDER)) {
    case ORDER_LEGACY:
        code = api->event_record(queue->order_event, api->default_stream);
        return code == HC_STREAM_OK
                   ? api->stream_wait_event(queue->stream, queue->order_event)
                   : code;
    case ORDER_DEVICE:
        code = api->synchronize();
        break;
    case ORDER_NONE:
        break;
    }
    /* Nothing to wait for, but are the handles still good? */
    return code == HC_STREAM_OK
               ? api->event_record(queue->order_event, queue->stream)
               : code;
}

static int order_after_application(struct hc_dev_queue *queue)
{
    const struct hc_stream_api *api = queue->streams->api;
    int code = api->enter(queue->device, queue->context);

    if (code != HC_STREAM_OK)
        return code;
    code = refuse_capture(api);
    if (code == HC_STREAM_OK)
        code = wait_for_application(queue);
    api->leave();
    return code;
}

hcomm_status hc_streams_queue(struct hc_streams       *streams,
                              const struct hc_dev_mem *mem,
                              struct hc_dev_queue    **queue_out)
{
    uint64_t             context_id = 0;
    struct hc_dev_queue *queue;
    hcomm_status         status;
    int                  code;

    if (streams->api->context_id != NULL)
        (void)streams->api->context_id(mem->context, &context_id);
    queue = find_queue(streams, mem, context_id);
    if (queue != NULL) {
        code = order_after_application(queue);
        if (code != HC_STREAM_INVALID_HANDLE &&
            code != HC_STREAM_CONTEXT_DESTROYED)
            goto done;
        retire(queue); /* the driver has no numbers, or the stream's own end */
    }

    status = create_queue(streams, mem, context_id, &queue);
    if (status != HCOMM_OK)
        return status;
    code = order_after_application(queue);
done:
    if (code == HC_STREAM_OK)
        *queue_out = queue;
    return hc_stream_status(streams->api, code,
                            "ordering after the program's work on device %d",
                            mem->device);
}

static int start_copy(struct hc_dev_queue      *queue,
                      const struct hc_dev_rows *rows)
{
    const struct hc_stream_api *api = queue->streams->api;
    int                         code = HC_STREAM_OK;

    if (rows->count > 1 && rows->dst_pitch <= HC_STREAM_PITCH_MAX &&
        rows->src_pitch <= HC_STREAM_PITCH_MAX)
        return api->copy_rows_async(rows, queue->stream);
    for (size_t row = 0; row < rows->count && code == HC_STREAM_OK; row++)
        code = api->copy_async((char *)rows->dst + row * rows->dst_pitch,
                               (const char *)rows->src + row * rows->src_pitch,
                               rows->bytes, queue->stream);
    return code;
}

static hcomm_status copy_status(const struct hc_dev_queue *queue,
                                const struct hc_dev_rows *rows, int code)
{
    if (rows->count > 1)
        return hc_stream_status(
            queue->streams->api, code,
            "copy of %zu rows of %zu bytes from %p to %p, device %d",
            rows->count, rows->bytes, rows->src, rows->dst, queue->device);
    return hc_stream_status(queue->streams->api, code,
                            "copy of %zu bytes from %p to %p, device %d",
                            rows->bytes, rows->src, rows->dst, queue->device);
}

hcomm_status hc_streams_copy_rows(struct hc_dev_queue      *queue,
                                  const struct hc_dev_rows *sets, int nsets)
{
    const struct hc_stream_api *api = queue->streams->api;
    const struct hc_dev_rows   *rows = sets;
    int code = api->enter(queue->device, queue->context);

    if (code == HC_STREAM_OK) {
        for (int i = 0; i < nsets && code == HC_STREAM_OK; i++) {
            rows = &sets[i];
            code = start_copy(queue, rows);
        }
        api->leave();
    }
    return copy_status(queue, rows, code);
}

static void give_event(struct hc_dev_event *event)
{
    struct hc_dev_queue *queue = event->queue;

    pthread_mutex_lock(&lock);
    event->next = queue->idle;
    queue->idle = event;
    pthread_mutex_unlock(&lock);
}

/* An idle event, or a new one; the queue's context is current. */
static int take_event(struct hc_dev_queue  *queue,
                      struct hc_dev_event **event_out)
{
    struct hc_dev_event *event;
    int                  code;

    pthread_mutex_lock(&lock);
    event = queue->idle;
    if (event != NULL)
        queue->idle = event->next;
    pthread_mutex_unlock(&lock);

    if (event == NULL) {
        event = calloc(1, sizeof *event);
        if (event == NULL)
            return HC_STREAM_OUT_OF_MEMORY;
        event->queue = queue;
        code = queue->streams->api->event_create(&event->handle);
        if (code != HC_STREAM_OK) {
            free(event);
            return code;
        }
    }
    *event_out = event;
    return HC_STREAM_OK;
}

hcomm_status hc_streams_record(struct hc_dev_queue  *queue,
                               struct hc_dev_event **event_out)
{
    const struct hc_stream_api *api = queue->streams->api;
    struct hc_dev_event        *event = NULL;
    int code = api->enter(queue->device, queue->context);

    if (code == HC_STREAM_OK) {
        code = take_event(queue, &event);
        if (code == HC_STREAM_OK)
            code = api->event_record(event->handle, queue->stream);
        api->leave();
    }
    if (code == HC_STREAM_OK)
        *event_out = event;
    else if (event != NULL)
        give_event(event);
    return hc_stream_status(api, code, "event on device %d", queue->device);
}

hcomm_status hc_streams_test(struct hc_dev_event *event)
{
    struct hc_dev_queue        *queue = event->queue;
    const struct hc_stream_api *api = queue->streams->api;
    int code = api->enter(queue->device, queue->context);

    if (code == HC_STREAM_OK) {
        code = api->event_query(event->handle);
        api->leave();
    }
    if (code == HC_STREAM_NOT_READY)
        return HCOMM_IN_PROGRESS;
    give_event(event);
    return hc_stream_status(api, code, "waiting for copies of device %d",
                            queue->device);
}

hcomm_status hc_streams_pin(struct hc_streams       *streams,
                            const struct hc_dev_mem *mem, void *ptr,
                            size_t bytes, char *why, size_t room)
{
    const struct hc_stream_api *api = streams->api;
    int                         code = api->enter(mem->device, mem->context);

    if (code == HC_STREAM_OK) {
        code = api->host_register(ptr, bytes);
        api->leave();
    }
    if (code != HC_STREAM_OK)
        api->error_text(code, why, room);
    return meaning(code);
}

void hc_streams_close(struct hc_streams *streams)
{
    struct hc_dev_queue *queue;

    while ((queue = streams->queues) != NULL) {
        streams->queues = queue->next;
        destroy_queue(queue);
    }
}
