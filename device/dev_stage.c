#include "device/dev_stage.h"

#include "config/cfg_log.h"
#include "config/cfg_param.h"
#include "device/dev_pool.h"

#include <errno.h>
#include <stdlib.h>
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
    size_t          bytes = hc_param_bytes(HC_PARAM_CHUNK);
    struct hc_rows *landings = calloc(CHUNKS * HC_ROWS_SETS, sizeof *landings);

    for (; landings != NULL && bytes >= CHUNK_MIN; bytes /= 2) {
        int taken = 0;

        while (taken < CHUNKS &&
               hc_pool_take(&stage->mem, bytes, &stage->chunks[taken].block) ==
                   HCOMM_OK)
            taken++;
        if (taken == CHUNKS) {
            for (int i = 0; i < CHUNKS; i++)
                stage->chunks[i].landings = landings + i * HC_ROWS_SETS;
            return;
        }
        while (taken > 0) {
            hc_pool_give(stage->chunks[--taken].block);
            stage->chunks[taken].block = NULL;
        }
    }
    free(landings);
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
    const char *packed = chunk->block->ptr;

    chunk->busy = false;
    if (status != HCOMM_OK)
        return status;
    for (int i = 0; i < chunk->nlandings; i++) {
        const struct hc_rows *rows = &chunk->landings[i];

        hc_rows_unpack(rows, packed);
        packed += rows->count * rows->bytes;
    }
    return HCOMM_OK;
}

/* Wait for a chunk's copy; a free chunk is no work. */
static hcomm_status drain(struct hc_stage *stage, struct hc_stage_chunk *chunk,
                          void (*progress)(void))
{
    if (!chunk->busy)
        return HCOMM_OK;
    return land(chunk, hc_dev_wait(&stage->mem, chunk->event, progress));
}

/* Copies that are enqueued together, and what they are between. */
struct batch {
    struct hc_stage       *stage;
    uintptr_t              low; /* what stage->host stands for */
    bool                   out;
    struct hc_stage_chunk *chunk; /* NULL: host itself is copied to or from */
    struct hc_dev_rows     copies[HC_ROWS_SETS];
    int                    ncopies;
};

static hcomm_status begin(struct batch *batch)
{
    struct hc_stage *stage = batch->stage;
    hcomm_status     status;

    batch->ncopies = 0;
    if (stage->pinned != NULL || stage->chunks[0].block == NULL) {
        batch->chunk = NULL; /* an event is for earlier copies only */
        return stage->event != NULL ? hc_stage_wait(stage, NULL) : HCOMM_OK;
    }
    batch->chunk = &stage->chunks[stage->next_chunk];
    status = drain(stage, batch->chunk, NULL);
    batch->chunk->bytes = 0;
    batch->chunk->nlandings = 0;
    return status;
}

static hcomm_status send(struct batch *batch)
{
    struct hc_stage       *stage = batch->stage;
    struct hc_stage_chunk *chunk = batch->chunk;
    hcomm_status           status;

    if (batch->ncopies == 0)
        return HCOMM_OK;
    stage->pending |= chunk == NULL;
    status =
        stage->mem.ops->copy_rows(stage->queue, batch->copies, batch->ncopies);
    if (chunk == NULL || status != HCOMM_OK)
        return status;
    status = stage->mem.ops->record(stage->queue, &chunk->event);
    chunk->busy = status == HCOMM_OK;
    stage->next_chunk = (stage->next_chunk + 1) % CHUNKS;
    return status;
}

/* Bytes of such rows that the next copy may have.  Where the driver stages, it
 * may pin the gaps too: not too many of them at once. */
static size_t room(const struct batch *batch, const struct hc_rows *rows)
{
    enum { SPAN = 64 * 1024 * 1024 }; /* bytes: little beside host memory */

    if (batch->chunk != NULL)
        return batch->chunk->block->bytes - batch->chunk->bytes;
    if (batch->stage->pinned != NULL)
        return SIZE_MAX;
    return rows->pitch < SPAN ? SPAN / rows->pitch * rows->bytes : rows->bytes;
}

static void append(struct batch *batch, const struct hc_rows *rows)
{
    struct hc_stage_chunk *chunk = batch->chunk;
    struct hc_rows         host = *rows;
    void                  *device = (void *)rows->address;
    void                  *side;
    size_t                 pitch = rows->pitch;

    host.address = (uintptr_t)batch->stage->host + (rows->address - batch->low);
    side = (void *)host.address;
    if (chunk != NULL) {
        side = (char *)chunk->block->ptr + chunk->bytes;
        pitch = rows->bytes;
        chunk->bytes += rows->count * rows->bytes;
        if (batch->out)
            hc_rows_pack(&host, side);
        else
            chunk->landings[chunk->nlandings++] = host;
    }
    batch->copies[batch->ncopies++] = (struct hc_dev_rows){
        .dst = batch->out ? device : side,
        .src = batch->out ? side : device,
        .bytes = rows->bytes,
        .dst_pitch = batch->out ? rows->pitch : pitch,
        .src_pitch = batch->out ? pitch : rows->pitch,
        .count = rows->count,
    };
}

static hcomm_status move_set(struct batch *batch, struct hc_rows rest)
{
    hcomm_status status = HCOMM_OK;

    while (rest.count > 0 && status == HCOMM_OK) {
        struct hc_rows front = {0};

        if (batch->ncopies < HC_ROWS_SETS)
            front = hc_rows_cut(&rest, room(batch, &rest));
        if (front.count > 0) {
            append(batch, &front);
            continue;
        }
        status = send(batch);
        if (status == HCOMM_OK)
            status = begin(batch);
    }
    return status;
}

/* Rows that no chunk can hold are cut up one by one. */
static hcomm_status move_long_rows(struct batch         *batch,
                                   const struct hc_rows *rows)
{
    struct hc_rows one = *rows;
    hcomm_status   status = HCOMM_OK;

    one.count = 1;
    for (size_t row = 0; row < rows->count && status == HCOMM_OK; row++) {
        status = move_set(batch, one);
        one.address += rows->pitch;
    }
    return status;
}

static hcomm_status move(struct hc_stage *stage, uintptr_t low,
                         const struct hc_rows *sets, int nsets, bool out)
{
    struct batch batch = {.stage = stage, .low = low, .out = out};
    hcomm_status status = begin(&batch);

    for (int i = 0; i < nsets && status == HCOMM_OK; i++) {
        bool is_long =
            batch.chunk != NULL && sets[i].bytes > batch.chunk->block->bytes;

        status = is_long ? move_long_rows(&batch, &sets[i])
                         : move_set(&batch, sets[i]);
    }
    if (status == HCOMM_OK)
        status = send(&batch);
    return note(stage, status);
}

hcomm_status hc_stage_in_rows(struct hc_stage *stage, uintptr_t low,
                              const struct hc_rows *sets, int nsets)
{
    return move(stage, low, sets, nsets, false);
}

hcomm_status hc_stage_out_rows(struct hc_stage *stage, uintptr_t low,
                               const struct hc_rows *sets, int nsets)
{
    return move(stage, low, sets, nsets, true);
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
    hcomm_status status;

    if (stage->lost) {
        hc_log(HC_LOG_ERROR,
               "%s device %d: an earlier copy of this request failed and may "
               "still write to its host memory; free the request and make a "
               "new one",
               mem->ops->name, mem->device);
        return HCOMM_ERR_DEVICE;
    }
    status = mem->ops->queue(mem, &stage->queue);
    if (status == HCOMM_OK)
        stage->mem = *mem;
    return status;
}

void hc_stage_close(struct hc_stage *stage)
{
    (void)hc_stage_wait(stage, NULL);
    free(stage->chunks[0].landings);
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
