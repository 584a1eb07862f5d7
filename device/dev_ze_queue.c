#include "device/dev_ze.h"

#include "config/cfg_log.h"
#include "config/cfg_param.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_EVENTS = 64 };

struct event_pool {
    void              *handle;
    struct event_pool *next;
    struct hc_dev_event {
        struct hc_dev_queue *queue;
        void                *handle; /* NULL: not created yet */
        bool                 used;   /* to be reset before it is used again */
        struct hc_dev_event *next;   /* while idle */
    } events[POOL_EVENTS];
};

/* Commands of an immediate list may overtake each other; the barrier of record
 * comes after them all. */
struct hc_dev_queue {
    const struct hc_ze_device *device;
    int                        ordinal;
    pthread_mutex_t            lock; /* a list serves one thread at a time */
    void                      *list;
    struct event_pool         *pools; /* as many as were ever needed at once */
    struct hc_dev_event       *idle;
    struct hc_dev_queue       *next;
};

/* Guards the list of queues, which are few and stay until close. */
static pthread_mutex_t      queues_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hc_dev_queue *queues;

/* A group that copies and computes not is a copy engine of its own, and leaves
 * the program's kernels alone; else the first group serves, which can do
 * both. */
static uint32_t copy_group(const struct hc_ze_device *device)
{
    enum { GROUPS = 16 };
    struct hc_ze_queue_group groups[GROUPS];
    uint32_t                 count = GROUPS;

    memset(groups, 0, sizeof groups);
    for (int i = 0; i < GROUPS; i++)
        groups[i].stype = HC_ZE_IS_QUEUE_GROUP_PROPERTIES;
    if (hc_ze.zeDeviceGetCommandQueueGroupProperties(device->handle, &count,
                                                     groups) != HC_ZE_SUCCESS)
        return 0;
    for (uint32_t i = 0; i < count && i < GROUPS; i++) {
        if (groups[i].nqueues > 0 && (groups[i].flags & HC_ZE_GROUP_COPY) &&
            !(groups[i].flags & HC_ZE_GROUP_COMPUTE))
            return i;
    }
    return 0;
}

static int create_list(struct hc_dev_queue *queue)
{
    struct hc_ze_queue_desc desc = {
        .stype = HC_ZE_IS_QUEUE_DESC,
        .group = copy_group(queue->device),
        .mode = HC_ZE_QUEUE_ASYNCHRONOUS,
    };

    return hc_ze.zeCommandListCreateImmediate(queue->device->driver->context,
                                              queue->device->handle, &desc,
                                              &queue->list);
}

static hcomm_status create_queue(const struct hc_ze_device *device, int ordinal,
                                 struct hc_dev_queue **queue_out)
{
    struct hc_dev_queue *queue = calloc(1, sizeof *queue);
    int                  code;

    if (queue == NULL) {
        hc_log(HC_LOG_ERROR, "ze: no host memory for a queue of device %d",
               ordinal);
        return HCOMM_ERR_NO_MEMORY;
    }
    queue->device = device;
    queue->ordinal = ordinal;
    code = create_list(queue);
    if (code != HC_ZE_SUCCESS) {
        free(queue);
        return hc_ze_status(code, "command list creation on device %d",
                            ordinal);
    }
    pthread_mutex_init(&queue->lock, NULL);
    queue->next = queues;
    queues = queue;
    *queue_out = queue;
    return HCOMM_OK;
}

/*
 * Level Zero has no default stream, so there is nothing that the program's
 * work could be on and legacy could mean; and no call waits for a program's own
 * queues unless they are named.  So every value of stream_order comes to
 * none, and who asked for more is told.
 */
static void say_what_order_means(void)
{
    static atomic_bool said;

    if (strcmp(hc_param_text(HC_PARAM_STREAM_ORDER), "device") == 0 &&
        !atomic_exchange(&said, true))
        hc_log(HC_LOG_WARN,
               "stream_order=device has no effect on ze: Level Zero has no "
               "call that waits for all work of a device; let the program "
               "wait for its queues before the MPI call");
}

hcomm_status hc_ze_queue(const struct hc_ze_device *device, int ordinal,
                         struct hc_dev_queue **queue_out)
{
    struct hc_dev_queue *queue;
    hcomm_status         status = HCOMM_OK;

    say_what_order_means();
    pthread_mutex_lock(&queues_lock);
    queue = queues;
    while (queue != NULL && queue->ordinal != ordinal)
        queue = queue->next;
    if (queue == NULL)
        status = create_queue(device, ordinal, &queue);
    pthread_mutex_unlock(&queues_lock);
    if (status == HCOMM_OK)
        *queue_out = queue;
    return status;
}

/* A region's numbers have 32 bits, and so have the products that a driver makes
 * of them: each command stays below 2 GiB from its first byte to its last. */
static size_t rows_at_once(const struct hc_dev_rows *rows)
{
    size_t pitch =
        rows->dst_pitch > rows->src_pitch ? rows->dst_pitch : rows->src_pitch;

    return rows->count == 1 || pitch > INT32_MAX ? 1 : INT32_MAX / pitch;
}

static int append_rows(void *list, const struct hc_dev_rows *rows)
{
    size_t most = rows_at_once(rows);
    int    code = HC_ZE_SUCCESS;

    for (size_t done = 0; done < rows->count && code == HC_ZE_SUCCESS;
         done += most) {
        char       *dst = (char *)rows->dst + done * rows->dst_pitch;
        const char *src = (const char *)rows->src + done * rows->src_pitch;
        size_t      left = rows->count - done;
        const struct hc_ze_region region = {
            .width = (uint32_t)rows->bytes,
            .height = (uint32_t)(left < most ? left : most),
            .depth = 1,
        };

        if (most == 1)
            code = hc_ze.zeCommandListAppendMemoryCopy(
                list, dst, src, rows->bytes, NULL, 0, NULL);
        else
            code = hc_ze.zeCommandListAppendMemoryCopyRegion(
                list, dst, &region, (uint32_t)rows->dst_pitch, 0, src, &region,
                (uint32_t)rows->src_pitch, 0, NULL, 0, NULL);
    }
    return code;
}

static hcomm_status copy_status(const struct hc_dev_queue *queue,
                                const struct hc_dev_rows *rows, int code)
{
    if (rows->count > 1)
        return hc_ze_status(
            code, "copy of %zu rows of %zu bytes from %p to %p, device %d",
            rows->count, rows->bytes, rows->src, rows->dst, queue->ordinal);
    return hc_ze_status(code, "copy of %zu bytes from %p to %p, device %d",
                        rows->bytes, rows->src, rows->dst, queue->ordinal);
}

hcomm_status hc_ze_copy_rows(struct hc_dev_queue      *queue,
                             const struct hc_dev_rows *sets, int nsets)
{
    const struct hc_dev_rows *rows = sets;
    int                       code = HC_ZE_SUCCESS;

    pthread_mutex_lock(&queue->lock);
    for (int i = 0; i < nsets && code == HC_ZE_SUCCESS; i++) {
        rows = &sets[i];
        code = append_rows(queue->list, rows);
    }
    pthread_mutex_unlock(&queue->lock);
    return copy_status(queue, rows, code);
}

/* Called with the queue's lock held, as are the three below. */
static int add_pool(struct hc_dev_queue *queue)
{
    struct hc_ze_event_pool_desc desc = {
        .stype = HC_ZE_IS_EVENT_POOL_DESC,
        .flags = HC_ZE_EVENT_POOL_HOST_VISIBLE,
        .count = POOL_EVENTS,
    };
    struct event_pool *pool = calloc(1, sizeof *pool);
    void              *device = queue->device->handle;
    int                code;

    if (pool == NULL)
        return HC_ZE_OUT_OF_HOST_MEMORY;
    code = hc_ze.zeEventPoolCreate(queue->device->driver->context, &desc, 1,
                                   &device, &pool->handle);
    if (code != HC_ZE_SUCCESS) {
        free(pool);
        return code;
    }
    for (int i = POOL_EVENTS - 1; i >= 0; i--) {
        pool->events[i].queue = queue;
        pool->events[i].next = queue->idle;
        queue->idle = &pool->events[i];
    }
    pool->next = queue->pools;
    queue->pools = pool;
    return HC_ZE_SUCCESS;
}

static struct event_pool *pool_of(const struct hc_dev_event *event)
{
    struct event_pool *pool = event->queue->pools;

    while ((uintptr_t)event < (uintptr_t)pool->events ||
           (uintptr_t)event >= (uintptr_t)(pool->events + POOL_EVENTS))
        pool = pool->next;
    return pool;
}

/* Created, or no longer signalled. */
static int make_ready(struct hc_dev_event *event)
{
    struct event_pool      *pool;
    struct hc_ze_event_desc desc = {
        .stype = HC_ZE_IS_EVENT_DESC,
        /* What was copied must be seen by the CPU once the event is. */
        .signal = HC_ZE_SCOPE_HOST,
    };

    if (event->handle != NULL)
        return event->used ? hc_ze.zeEventHostReset(event->handle)
                           : HC_ZE_SUCCESS;
    pool = pool_of(event);
    desc.index = (uint32_t)(event - pool->events);
    return hc_ze.zeEventCreate(pool->handle, &desc, &event->handle);
}

static int take_event(struct hc_dev_queue  *queue,
                      struct hc_dev_event **event_out)
{
    struct hc_dev_event *event;
    int                  code = HC_ZE_SUCCESS;

    if (queue->idle == NULL)
        code = add_pool(queue);
    if (code != HC_ZE_SUCCESS)
        return code;
    event = queue->idle;
    code = make_ready(event);
    if (code != HC_ZE_SUCCESS)
        return code;
    queue->idle = event->next;
    event->used = false;
    *event_out = event;
    return HC_ZE_SUCCESS;
}

static void give_event(struct hc_dev_event *event)
{
    event->next = event->queue->idle;
    event->queue->idle = event;
}

static int record_event(struct hc_dev_queue  *queue,
                        struct hc_dev_event **event_out)
{
    struct hc_dev_event *event;
    int                  code;

    pthread_mutex_lock(&queue->lock);
    code = take_event(queue, &event);
    if (code == HC_ZE_SUCCESS) {
        code = hc_ze.zeCommandListAppendBarrier(queue->list, event->handle, 0,
                                                NULL);
        event->used = code == HC_ZE_SUCCESS;
        if (code == HC_ZE_SUCCESS)
            *event_out = event;
        else
            give_event(event);
    }
    pthread_mutex_unlock(&queue->lock);
    return code;
}

hcomm_status hc_ze_record(struct hc_dev_queue  *queue,
                          struct hc_dev_event **event_out)
{
    return hc_ze_status(record_event(queue, event_out), "event on device %d",
                        queue->ordinal);
}

hcomm_status hc_ze_test(struct hc_dev_event *event)
{
    struct hc_dev_queue *queue = event->queue;
    int                  code = hc_ze.zeEventQueryStatus(event->handle);

    if (code == HC_ZE_NOT_READY)
        return HCOMM_IN_PROGRESS;
    /* After a failure it may yet be signalled: nobody gets it again. */
    if (code == HC_ZE_SUCCESS) {
        pthread_mutex_lock(&queue->lock);
        give_event(event);
        pthread_mutex_unlock(&queue->lock);
    }
    return hc_ze_status(code, "waiting for copies of device %d",
                        queue->ordinal);
}

/* The driver doesn't wait by itself when a list is destroyed. */
static bool is_drained(struct hc_dev_queue *queue)
{
    const uint64_t       timeout_ns = 1000000000; /* a copy takes less */
    struct hc_dev_event *event;

    return record_event(queue, &event) == HC_ZE_SUCCESS &&
           hc_ze.zeEventHostSynchronize(event->handle, timeout_ns) ==
               HC_ZE_SUCCESS;
}

static void destroy_queue(struct hc_dev_queue *queue)
{
    struct event_pool *pool;

    (void)hc_ze.zeCommandListDestroy(queue->list);
    while ((pool = queue->pools) != NULL) {
        queue->pools = pool->next;
        for (int i = 0; i < POOL_EVENTS; i++) {
            if (pool->events[i].handle != NULL)
                (void)hc_ze.zeEventDestroy(pool->events[i].handle);
        }
        (void)hc_ze.zeEventPoolDestroy(pool->handle);
        free(pool);
    }
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

bool hc_ze_close_queues(void)
{
    struct hc_dev_queue *queue;
    bool                 drained = true;

    pthread_mutex_lock(&queues_lock);
    while ((queue = queues) != NULL) {
        queues = queue->next;
        if (is_drained(queue))
            destroy_queue(queue);
        else
            drained = false;
    }
    pthread_mutex_unlock(&queues_lock);
    return drained;
}
