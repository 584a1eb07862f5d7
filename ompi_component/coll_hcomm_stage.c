#include "ompi_component/coll_hcomm_stage.h"

#include "config/cfg_log.h"
#include "ompi_component/coll_hcomm_pieces.h"
#include "ompi_component/coll_hcomm_scattered.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64 }; /* bytes: of the widest vector register */

const struct hc_ompi_window hc_ompi_whole = {.most = SIZE_MAX};

/* Elements of one type, one after another. */
struct run {
    uintptr_t               address; /* of the first, as MPI counts */
    size_t                  count;
    struct ompi_datatype_t *type;
};

/* A walk over data bytes: skip some, then copy no more than left. */
struct walk {
    struct hc_ompi_stage    *stage;
    size_t                   skip, left;
    bool                     out;
    struct hc_rows_list      rows; /* pieces not copied yet */
    struct hc_ompi_scattered scattered;
};

static char *stand_in(const struct hc_ompi_stage *stage, uintptr_t user)
{
    return stage->host + (user - stage->low);
}

/* What MPI takes for the buffer's address may lie outside the memory: types
 * begin where they like. */
static void *as_buffer(const struct hc_ompi_stage *stage)
{
    return (void *)((uintptr_t)stage->host + ((uintptr_t)stage->side.buffer - stage->low));
}

/* Blocks that are all alike lie one after another: a single run. */
static int count_runs(const struct hc_ompi_side *side, const struct hc_staged_range *range)
{
    return side->counts != NULL ? range->nblocks : range->nblocks > 0;
}

static uintptr_t block_address(const struct hc_ompi_side *side, int block)
{
    uintptr_t base = (uintptr_t)side->buffer;

    if (side->byte_displs != NULL)
        return base + (uintptr_t)side->byte_displs[block];
    if (side->types != NULL)
        return base + (uintptr_t)(ptrdiff_t)side->displs[block];
    return hc_ompi_element(base, side->displs[block], side->type);
}

static struct run run_at(const struct hc_ompi_side *side, const struct hc_staged_range *range,
                         int i)
{
    struct run run = {.type = side->type};
    int        block = range->first + i;

    if (side->counts == NULL) {
        run.count = (size_t)range->nblocks * range->count;
        run.address = hc_ompi_element((uintptr_t)side->buffer,
                                      (ptrdiff_t)((size_t)block * range->count), side->type);
        return run;
    }
    run.count = (size_t)side->counts[block];
    if (run.count == 0) /* then its type may be none */
        return run;
    if (side->types != NULL)
        run.type = side->types[block];
    run.address = block_address(side, block);
    return run;
}

static bool is_empty(const struct run *run)
{
    return run->count == 0 || run->type->super.size == 0;
}

static hcomm_status copy_rows(void *context, const struct hc_rows *sets, int nsets)
{
    struct walk *walk = context;

    return walk->out ? hc_stage_out_rows(&walk->stage->stage, walk->stage->low, sets, nsets)
                     : hc_stage_in_rows(&walk->stage->stage, walk->stage->low, sets, nsets);
}

static hcomm_status copy(struct walk *walk, uintptr_t user, size_t bytes)
{
    if (walk->stage->kind == HC_OMPI_STAGE_SCATTERED)
        return hc_ompi_scattered_copy(&walk->scattered, stand_in(walk->stage, user), user, bytes,
                                      walk->out);
    walk->rows.take = copy_rows;
    walk->rows.context = walk;
    return hc_rows_add(&walk->rows, user, bytes);
}

/* HCOMM_IN_PROGRESS stops the walk: what is left is not asked for. */
static hcomm_status visit_copy(void *context, uintptr_t user, size_t bytes)
{
    struct walk *walk = context;
    size_t       skipped = bytes < walk->skip ? bytes : walk->skip;
    hcomm_status status;

    walk->skip -= skipped;
    bytes -= skipped;
    if (bytes > walk->left)
        bytes = walk->left;
    walk->left -= bytes;
    status = bytes > 0 ? copy(walk, user + skipped, bytes) : HCOMM_OK;
    return status == HCOMM_OK && walk->left == 0 ? HCOMM_IN_PROGRESS : status;
}

static hcomm_status visit_spoil(void *context, uintptr_t user, size_t bytes)
{
    memset(stand_in(context, user), 0xff, bytes);
    return HCOMM_OK;
}

/* HCOMM_IN_PROGRESS, to stop the walk: a piece on a device was found. */
static hcomm_status visit_find_device(void *context, uintptr_t user, size_t bytes)
{
    struct hc_dev_mem mem;
    hcomm_status      status = hc_ompi_query(user, &mem);

    (void)context;
    (void)bytes;
    if (status != HCOMM_OK)
        return status;
    return hc_dev_must_stage(&mem) ? HCOMM_IN_PROGRESS : HCOMM_OK;
}

/* Call visit for every data byte of a range; as hc_ompi_pieces. */
static hcomm_status visit_range(const struct hc_ompi_side    *side,
                                const struct hc_staged_range *range, hc_ompi_piece_fn *visit,
                                void *context)
{
    hcomm_status status = HCOMM_OK;

    for (int i = 0; i < count_runs(side, range) && status == HCOMM_OK; i++) {
        struct run run = run_at(side, range, i);

        if (!is_empty(&run))
            status = hc_ompi_pieces(run.address, run.count, run.type, visit, context);
    }
    return status;
}

static void spoil(struct hc_ompi_stage *stage, const struct hc_staged_range *range)
{
    (void)visit_range(&stage->side, range, visit_spoil, stage);
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
               "call, others may wait for it; send less at once",
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

/* MPI allows one buffer to span several allocations only from MPI_BOTTOM. */
static hcomm_status open_bottom(struct hc_ompi_stage *stage, const struct hc_staged_range *ranges,
                                int nranges)
{
    hcomm_status status = HCOMM_OK;

    for (int i = 0; i < nranges && status == HCOMM_OK; i++)
        status = visit_range(&stage->side, &ranges[i], visit_find_device, NULL);
    if (status != HCOMM_IN_PROGRESS)
        return status;
    stage->kind = HC_OMPI_STAGE_SCATTERED;
    return map_host(stage);
}

static hcomm_status open_where_it_lies(struct hc_ompi_stage         *stage,
                                       const struct hc_staged_range *ranges, int nranges)
{
    struct hc_dev_mem mem;
    hcomm_status      status;

    if (stage->side.buffer == MPI_BOTTOM)
        return open_bottom(stage, ranges, nranges);
    status = hc_ompi_query(stage->data, &mem);
    if (status != HCOMM_OK || !hc_dev_must_stage(&mem))
        return status;
    return open_device(stage, &mem);
}

/* The bytes from the lowest to the highest of the ranges.  A stand-in begins
 * where all types' alignments do, so that its elements are aligned as the
 * user's are, whose operation may rely on it.  False: there are no bytes. */
static bool measure(struct hc_ompi_stage *stage, const struct hc_staged_range *ranges, int nranges)
{
    uintptr_t low = UINTPTR_MAX, high = 0;

    for (int r = 0; r < nranges; r++) {
        for (int i = 0; i < count_runs(&stage->side, &ranges[r]); i++) {
            struct run            run = run_at(&stage->side, &ranges[r], i);
            struct hc_ompi_extent extent;

            if (is_empty(&run))
                continue;
            if (high == 0)
                stage->data = run.address + (uintptr_t)run.type->super.true_lb;
            extent = hc_ompi_extent_of(run.address, run.count, run.type);
            low = extent.low < low ? extent.low : low;
            high = extent.low + extent.bytes > high ? extent.low + extent.bytes : high;
        }
    }
    stage->low = low / ALIGNMENT * ALIGNMENT;
    stage->bytes = high - stage->low;
    return high != 0;
}

hcomm_status hc_ompi_stage_open(struct hc_ompi_stage *stage, const struct hc_ompi_side *side,
                                const struct hc_staged_range *read,
                                const struct hc_staged_range *written)
{
    const struct hc_staged_range ranges[] = {*read, *written};
    hcomm_status                 status;

    *stage = (struct hc_ompi_stage){.buffer = side->buffer, .side = *side};
    if (!measure(stage, ranges, 2))
        return HCOMM_OK;
    status = open_where_it_lies(stage, ranges, 2);
    if (status != HCOMM_OK)
        substitute(stage);
    return status;
}

static bool copies(const struct hc_ompi_stage *stage)
{
    return !stage->is_gone &&
           (stage->kind == HC_OMPI_STAGE_DEVICE || stage->kind == HC_OMPI_STAGE_SCATTERED);
}

/* Reading the gaps too is one copy in the place of thousands; where there is
 * little but gaps, the pieces alone are less. */
static bool reads_gaps(const struct walk *walk, const struct hc_ompi_extent *extent)
{
    enum { GAPS_AT_MOST = 4 }; /* times the data: about where a copy's cost is its bytes */

    return walk->stage->kind == HC_OMPI_STAGE_DEVICE && walk->skip == 0 &&
           walk->left >= extent->data_bytes && extent->bytes / GAPS_AT_MOST <= extent->data_bytes;
}

static hcomm_status run_in(const struct run *run, struct walk *walk)
{
    struct hc_ompi_extent extent = hc_ompi_extent_of(run->address, run->count, run->type);

    if (reads_gaps(walk, &extent)) {
        walk->left -= extent.data_bytes;
        return copy(walk, extent.low, extent.bytes);
    }
    return hc_ompi_pieces(run->address, run->count, run->type, visit_copy, walk);
}

/* What was found is copied, whatever stopped the walk.  A piece somewhere is
 * waited for even after a failure: its stand-in goes. */
static hcomm_status end_walk(struct walk *walk, hcomm_status status)
{
    hcomm_status finished = hc_ompi_scattered_finish(&walk->scattered);

    if (status < HCOMM_OK)
        return status;
    status = hc_rows_finish(&walk->rows);
    return status == HCOMM_OK ? finished : status;
}

hcomm_status hc_ompi_stage_wait(struct hc_ompi_stage *stage)
{
    if (stage->kind != HC_OMPI_STAGE_DEVICE)
        return HCOMM_OK;
    return hc_stage_wait(&stage->stage, stage->side.quiet ? NULL : hc_ompi_progress);
}

hcomm_status hc_ompi_stage_in(struct hc_ompi_stage *stage, struct hc_staged_range range,
                              struct hc_ompi_window window)
{
    struct walk  walk = {.stage = stage, .skip = window.first, .left = window.most};
    hcomm_status status = HCOMM_OK, waited;

    if ((stage->kind == HC_OMPI_STAGE_SUBSTITUTE && stage->host != NULL) || stage->is_gone)
        spoil(stage, &range);
    if (!copies(stage))
        return HCOMM_OK;
    for (int i = 0; i < count_runs(&stage->side, &range) && status == HCOMM_OK; i++) {
        struct run run = run_at(&stage->side, &range, i);

        if (!is_empty(&run))
            status = run_in(&run, &walk);
    }
    status = end_walk(&walk, status);
    waited = hc_ompi_stage_wait(stage);
    if (status == HCOMM_OK)
        status = waited;
    if (status != HCOMM_OK)
        spoil(stage, &range);
    return status;
}

hcomm_status hc_ompi_stage_out(struct hc_ompi_stage *stage, struct hc_staged_range range,
                               struct hc_ompi_window window)
{
    struct walk walk = {.stage = stage, .skip = window.first, .left = window.most, .out = true};

    if (!copies(stage) || window.most == 0)
        return HCOMM_OK;
    return end_walk(&walk, visit_range(&stage->side, &range, visit_copy, &walk));
}

hcomm_status hc_ompi_stage_test(struct hc_ompi_stage *stage)
{
    return stage->kind == HC_OMPI_STAGE_DEVICE ? hc_stage_test(&stage->stage) : HCOMM_OK;
}

hcomm_status hc_ompi_stage_again(struct hc_ompi_stage *stage)
{
    struct hc_dev_mem mem;
    hcomm_status      status;

    if (stage->kind != HC_OMPI_STAGE_DEVICE)
        return HCOMM_OK;
    status = hc_ompi_query(stage->data, &mem);
    if (status == HCOMM_OK)
        status = hc_stage_again(&stage->stage, &mem);
    stage->is_gone = status != HCOMM_OK;
    return status;
}

static void give_memory_back(struct hc_ompi_stage *stage)
{
    if (stage->kind == HC_OMPI_STAGE_DEVICE)
        hc_stage_close(&stage->stage);
    else if (stage->host != NULL)
        (void)munmap(stage->host, stage->bytes);
    stage->host = NULL;
    stage->buffer = NULL;
}

hcomm_status hc_ompi_stage_move(struct hc_ompi_stage *stage)
{
    const struct hc_dev_mem mem = stage->stage.mem;

    give_memory_back(stage);
    stage->low -= ALIGNMENT;
    stage->bytes += ALIGNMENT;
    return stage->kind == HC_OMPI_STAGE_DEVICE ? open_device(stage, &mem) : map_host(stage);
}

void hc_ompi_stage_close(struct hc_ompi_stage *stage)
{
    give_memory_back(stage);
    *stage = (struct hc_ompi_stage){0};
}
