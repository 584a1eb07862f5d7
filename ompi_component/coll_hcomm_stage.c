#include "ompi_component/coll_hcomm_stage.h"

#include "config/cfg_log.h"
#include "config/cfg_param.h"
#include "ompi_component/coll_hcomm_pieces.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static char *stand_in(const struct hc_ompi_stage *stage, uintptr_t user)
{
    return stage->host + (user - stage->low);
}

/* What MPI takes for the buffer's address may lie outside the memory: types
 * begin where they like. */
static void *as_buffer(const struct hc_ompi_stage *stage)
{
    return (void *)((uintptr_t)stage->host + (stage->user - stage->low));
}

/* HCOMM_ERR_INVALID is logged here, where it is known to be an error. */
static hcomm_status query(uintptr_t address, struct hc_dev_mem *mem_out)
{
    hcomm_status status = hc_dev_query((void *)address, mem_out);

    if (status == HCOMM_ERR_INVALID)
        hc_log(HC_LOG_ERROR,
               "address %p is neither host memory nor known to an open driver: was the buffer "
               "freed, or does parameter devices (%s) leave its vendor out?",
               (void *)address, hc_param_text(HC_PARAM_DEVICES));
    return status;
}

/* One waited-for copy between host memory and wherever the piece lies. */
static hcomm_status copy_piece(void *host, uintptr_t user, size_t bytes, bool out)
{
    struct hc_dev_mem    mem;
    struct hc_dev_queue *queue;
    struct hc_dev_event *event;
    void                *dst = out ? (void *)user : host;
    void                *src = out ? host : (void *)user;
    hcomm_status         status = query(user, &mem);

    if (status != HCOMM_OK)
        return status;
    if (!hc_dev_must_stage(&mem)) {
        memcpy(dst, src, bytes);
        return HCOMM_OK;
    }
    status = mem.ops->queue(&mem, &queue);
    if (status == HCOMM_OK)
        status = mem.ops->copy(queue, dst, src, bytes);
    if (status == HCOMM_OK)
        status = mem.ops->record(queue, &event);
    return status == HCOMM_OK ? hc_dev_wait(&mem, event, opal_progress) : status;
}

static hcomm_status piece_in(void *context, uintptr_t user, size_t bytes)
{
    struct hc_ompi_stage *stage = context;
    char                 *host = stand_in(stage, user);

    if (stage->kind == HC_OMPI_STAGE_SCATTERED)
        return copy_piece(host, user, bytes, false);
    return hc_stage_in(&stage->stage, (size_t)(host - stage->host), (const void *)user, bytes);
}

static hcomm_status piece_out(void *context, uintptr_t user, size_t bytes)
{
    struct hc_ompi_stage *stage = context;
    char                 *host = stand_in(stage, user);

    if (stage->kind == HC_OMPI_STAGE_SCATTERED)
        return copy_piece(host, user, bytes, true);
    return hc_stage_out(&stage->stage, (size_t)(host - stage->host), (void *)user, bytes);
}

static hcomm_status piece_spoil(void *context, uintptr_t user, size_t bytes)
{
    memset(stand_in(context, user), 0xff, bytes);
    return HCOMM_OK;
}

static void spoil(struct hc_ompi_stage *stage, size_t first, size_t count)
{
    (void)hc_ompi_pieces(hc_ompi_element(stage->user, first, stage->type), count, stage->type,
                         piece_spoil, stage);
}

/* Address space for the whole layout, of which only pages with data cost
 * memory: from host to device may be terabytes. */
static hcomm_status map_host(struct hc_ompi_stage *stage)
{
    void *host = mmap(NULL, stage->bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (host == MAP_FAILED) {
        hc_log(HC_LOG_ERROR,
               "no %zu bytes of host memory to stand in for a buffer (%s): this rank leaves the "
               "collective, the others may wait for it; send less at once",
               stage->bytes, strerror(errno));
        return HCOMM_ERR_NO_MEMORY;
    }
    stage->host = host;
    stage->buffer = as_buffer(stage);
    return HCOMM_OK;
}

static void substitute(struct hc_ompi_stage *stage)
{
    stage->kind = HC_OMPI_STAGE_SUBSTITUTE;
    stage->buffer = NULL;
    (void)map_host(stage);
}

static hcomm_status open_device(struct hc_ompi_stage *stage, const struct hc_dev_mem *mem)
{
    hcomm_status status = hc_stage_open(&stage->stage, mem, stage->bytes);

    if (status != HCOMM_OK)
        return status;
    stage->kind = HC_OMPI_STAGE_DEVICE;
    stage->host = stage->stage.host;
    stage->buffer = as_buffer(stage);
    return HCOMM_OK;
}

/* HCOMM_IN_PROGRESS, to stop the walk: a piece on a device was found. */
static hcomm_status find_device_piece(void *context, uintptr_t user, size_t bytes)
{
    struct hc_dev_mem mem;
    hcomm_status      status = query(user, &mem);

    (void)context;
    (void)bytes;
    if (status != HCOMM_OK)
        return status;
    return hc_dev_must_stage(&mem) ? HCOMM_IN_PROGRESS : HCOMM_OK;
}

/* MPI allows one buffer to span several allocations only from MPI_BOTTOM. */
static hcomm_status open_bottom(struct hc_ompi_stage *stage, size_t elements)
{
    hcomm_status status =
        hc_ompi_pieces(stage->user, elements, stage->type, find_device_piece, NULL);

    if (status != HCOMM_IN_PROGRESS)
        return status;
    stage->kind = HC_OMPI_STAGE_SCATTERED;
    return map_host(stage);
}

static hcomm_status open_where_it_lies(struct hc_ompi_stage *stage, size_t elements)
{
    struct hc_dev_mem mem;
    uintptr_t         data = stage->user + (uintptr_t)stage->type->super.true_lb;
    hcomm_status      status;

    if ((void *)stage->user == MPI_BOTTOM)
        return open_bottom(stage, elements);
    status = query(data, &mem);
    if (status != HCOMM_OK || !hc_dev_must_stage(&mem))
        return status;
    return open_device(stage, &mem);
}

hcomm_status hc_ompi_stage_open(struct hc_ompi_stage *stage, const void *user, size_t elements,
                                struct ompi_datatype_t *type)
{
    struct hc_ompi_extent extent;
    hcomm_status          status;

    *stage = (struct hc_ompi_stage){.buffer = (void *)user, .user = (uintptr_t)user, .type = type};
    if (elements == 0 || type->super.size == 0)
        return HCOMM_OK;
    extent = hc_ompi_extent_of(stage->user, elements, type);
    stage->low = extent.low;
    stage->bytes = extent.bytes;
    status = open_where_it_lies(stage, elements);
    if (status != HCOMM_OK)
        substitute(stage);
    return status;
}

/* Reading the gaps too is one copy in the place of thousands; where there is
 * little but gaps, the pieces alone are less. */
static bool is_dense(const struct hc_ompi_extent *extent)
{
    enum { GAPS_AT_MOST = 4 }; /* times the data: about where a copy's cost is its bytes */

    return extent->bytes / GAPS_AT_MOST <= extent->data_bytes;
}

static bool copies(const struct hc_ompi_stage *stage)
{
    return stage->kind == HC_OMPI_STAGE_DEVICE || stage->kind == HC_OMPI_STAGE_SCATTERED;
}

static hcomm_status wait_for_copies(struct hc_ompi_stage *stage, hcomm_status status)
{
    hcomm_status waited = HCOMM_OK;

    if (stage->kind == HC_OMPI_STAGE_DEVICE)
        waited = hc_stage_wait(&stage->stage, opal_progress);
    return status != HCOMM_OK ? status : waited;
}

hcomm_status hc_ompi_stage_in(struct hc_ompi_stage *stage, size_t first, size_t count)
{
    uintptr_t             address;
    struct hc_ompi_extent extent;
    hcomm_status          status;

    if (stage->kind == HC_OMPI_STAGE_SUBSTITUTE && stage->host != NULL)
        spoil(stage, first, count);
    if (!copies(stage) || count == 0)
        return HCOMM_OK;
    address = hc_ompi_element(stage->user, first, stage->type);
    extent = hc_ompi_extent_of(address, count, stage->type);
    if (stage->kind == HC_OMPI_STAGE_DEVICE && is_dense(&extent))
        status = piece_in(stage, extent.low, extent.bytes);
    else
        status = hc_ompi_pieces(address, count, stage->type, piece_in, stage);
    status = wait_for_copies(stage, status);
    if (status != HCOMM_OK)
        spoil(stage, first, count);
    return status;
}

hcomm_status hc_ompi_stage_out(struct hc_ompi_stage *stage, size_t first, size_t count)
{
    hcomm_status status;

    if (!copies(stage) || count == 0)
        return HCOMM_OK;
    status = hc_ompi_pieces(hc_ompi_element(stage->user, first, stage->type), count, stage->type,
                            piece_out, stage);
    return wait_for_copies(stage, status);
}

void hc_ompi_stage_close(struct hc_ompi_stage *stage)
{
    if (stage->kind == HC_OMPI_STAGE_DEVICE)
        hc_stage_close(&stage->stage);
    else if (stage->host != NULL)
        (void)munmap(stage->host, stage->bytes);
    *stage = (struct hc_ompi_stage){0};
}
