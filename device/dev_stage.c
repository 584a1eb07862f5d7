#include "device/dev_stage.h"

#include "config/cfg_log.h"
#include "config/cfg_param.h"
#include "device/dev_pool.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum {
    CHUNKS = 2, /* one on the wire while the CPU copies the other */
    SHARE = 4,  /* of the pinned memory, what one buffer may have whole */
};

/* Halve the chunk until two fit below the cap; none at all is also an answer:
 * the driver then stages ordinary memory itself. */
static void take_chunks(struct hc_stage *stage)
{
    enum { CHUNK_MIN = 64 * 1024 }; /* bytes: the pool's smallest block */
    size_t bytes = hc_param_bytes(HC_PARAM_CHUNK);

    for (; bytes >= CHUNK_MIN; bytes /= 2) {
        int taken = 0;

        while (taken < CHUNKS &&
               hc_pool_take(&stage->mem, bytes, &stage->chunks[taken].block) ==
                   HCOMM_OK)
            taken++;
        if (taken == CHUNKS)
            return;
        while (taken > 0) {
            hc_pool_give(stage->chunks[--taken].block);
            stage->chunks[taken].block = NULL;
        }
    }
}

hcomm_status hc_stage_open(struct hc_stage *stage, const struct hc_dev_mem *mem,
                           size_t bytes)
{
    hcomm_status status;

    *stage = (struct hc_stage){.bytes = bytes, .mem = *mem};
    status = mem->ops->queue(mem, &stage->queue);
    if (status != HCOMM_OK)
        return status;

    if (bytes <= hc_param_bytes(HC_PARAM_PINNED_MAX) / SHARE &&
        hc_pool_take(mem, bytes, &stage->pinned) == HCOMM_OK) {
        stage->host = stage->pinned->ptr;
        return HCOMM_OK;
    }
    stage->mapped = bytes > 0 ? bytes : 1;
    stage->host = mmap(NULL, stage->mapped, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stage->host == MAP_FAILED) {
        hc_log(HC_LOG_ERROR,
               "%s device %d: no %zu bytes of host memory to stage a buffer "
               "in (%s); send it in parts",
               mem->ops->name, mem->device, bytes, strerror(errno));
        *stage = (struct hc_stage){0};
        return HCOMM_ERR_NO_MEMORY;
    }
    take_chunks(stage);
    return HCOMM_OK;
}

static hcomm_status note(struct hc_stage *stage, hcomm_status status)
{
    stage->lost |= status != HCOMM_OK;
    return status;
}

/* What came of a chunk's copy: it is free, and its bytes land. */
static hcomm_status land(struct hc_stage_chunk *chunk, hcomm_status status)
{
    chunk->busy = false;
    if (status == HCOMM_OK && chunk->landing != NULL)
        memcpy(chunk->landing, chunk->block->ptr, chunk->bytes);
    return status;
}

/* Wait for a chunk's copy; a free chunk is no work. */
static hcomm_status drain(struct hc_stage *stage, struct hc_stage_chunk *chunk,
                          void (*progress)(void))
{
    if (!chunk->busy)
        return HCOMM_OK;
    return land(chunk, hc_dev_wait(&stage->mem, chunk->event, progress));
}

/* One chunk's worth: into host when out is false. */
static hcomm_status move_chunk(struct hc_stage *stage, char *host, char *device,
                               size_t bytes, bool out)
{
    struct hc_stage_chunk   *chunk = &stage->chunks[stage->next_chunk];
    const struct hc_dev_ops *ops = stage->mem.ops;
    hcomm_status             status = drain(stage, chunk, NULL);

    if (status != HCOMM_OK)
        return status;
    stage->next_chunk = (stage->next_chunk + 1) % CHUNKS;
    chunk->landing = out ? NULL : host;
    chunk->bytes = bytes;
    if (out) {
        memcpy(chunk->block->ptr, host, bytes);
        status = ops->copy(stage->queue, device, chunk->block->ptr, bytes);
    } else {
        status = ops->copy(stage->queue, chunk->block->ptr, device, bytes);
    }
    if (status == HCOMM_OK)
        status = ops->record(stage->queue, &chunk->event);
    chunk->busy = status == HCOMM_OK;
    return status;
}

static hcomm_status move(struct hc_stage *stage, size_t offset, char *device,
                         size_t bytes, bool out)
{
    char        *host = (char *)stage->host + offset;
    hcomm_status status = HCOMM_OK;
    size_t       most;

    if (bytes == 0)
        return HCOMM_OK;
    if (stage->pinned != NULL || stage->chunks[0].block == NULL) {
        if (stage->event != NULL) /* it is for earlier copies only */
            status = hc_stage_wait(stage, NULL);
        if (status != HCOMM_OK)
            return status;
        stage->pending = true;
        return stage->mem.ops->copy(stage->queue, out ? device : host,
                                    out ? host : device, bytes);
    }
    most = stage->chunks[0].block->bytes;
    for (size_t done = 0; done < bytes && status == HCOMM_OK; done += most) {
        size_t part = bytes - done < most ? bytes - done : most;

        status = move_chunk(stage, host + done, device + done, part, out);
    }
    return status;
}

hcomm_status hc_stage_in(struct hc_stage *stage, size_t offset,
                         const void *device_ptr, size_t bytes)
{
    return note(stage, move(stage, offset, (char *)(uintptr_t)device_ptr, bytes,
                            false));
}

hcomm_status hc_stage_out(struct hc_stage *stage, size_t offset,
                          void *device_ptr, size_t bytes)
{
    return note(stage, move(stage, offset, device_ptr, bytes, true));
}

/* In the order they were filled, so that pieces land in order. */
static struct hc_stage_chunk *chunk_in_order(struct hc_stage *stage, int i)
{
    return &stage->chunks[(stage->next_chunk + i) % CHUNKS];
}

static hcomm_status test_chunks(struct hc_stage *stage)
{
    for (int i = 0; i < CHUNKS; i++) {
        struct hc_stage_chunk *chunk = chunk_in_order(stage, i);
        hcomm_status           status;

        if (!chunk->busy)
            continue;
        status = stage->mem.ops->test(chunk->event);
        if (status == HCOMM_IN_PROGRESS)
            return status;
        status = land(chunk, status);
        if (status != HCOMM_OK)
            return status;
    }
    return HCOMM_OK;
}

static hcomm_status test_pending(struct hc_stage *stage)
{
    hcomm_status status = HCOMM_OK;

    if (!stage->pending)
        return HCOMM_OK;
    if (stage->event == NULL)
        status = stage->mem.ops->record(stage->queue, &stage->event);
    if (status == HCOMM_OK)
        status = stage->mem.ops->test(stage->event);
    if (status != HCOMM_IN_PROGRESS) {
        stage->pending = false;
        stage->event = NULL;
    }
    return status;
}

hcomm_status hc_stage_test(struct hc_stage *stage)
{
    hcomm_status status = test_chunks(stage);

    if (status == HCOMM_OK)
        status = test_pending(stage);
    return status == HCOMM_IN_PROGRESS ? status : note(stage, status);
}

hcomm_status hc_stage_wait(struct hc_stage *stage, void (*progress)(void))
{
    hcomm_status status = HCOMM_OK;

    for (int i = 0; i < CHUNKS; i++) {
        hcomm_status drained = drain(stage, chunk_in_order(stage, i), progress);

        if (status == HCOMM_OK)
            status = drained;
    }
    if (stage->pending) {
        hcomm_status waited = test_pending(stage);

        if (waited == HCOMM_IN_PROGRESS)
            waited = hc_dev_wait(&stage->mem, stage->event, progress);
        stage->pending = false;
        stage->event = NULL;
        if (status == HCOMM_OK)
            status = waited;
    }
    return note(stage, status);
}

hcomm_status hc_stage_again(struct hc_stage         *stage,
                            const struct hc_dev_mem *mem)
{
    stage->mem = *mem;
    return note(stage, mem->ops->queue(mem, &stage->queue));
}

void hc_stage_close(struct hc_stage *stage)
{
    (void)hc_stage_wait(stage, NULL);
    if (stage->lost) {
        *stage = (struct hc_stage){0};
        return;
    }
    if (stage->pinned != NULL)
        hc_pool_give(stage->pinned);
    else
        (void)munmap(stage->host, stage->mapped);
    for (int i = 0; i < CHUNKS; i++)
        hc_pool_give(stage->chunks[i].block);
    *stage = (struct hc_stage){0};
}
