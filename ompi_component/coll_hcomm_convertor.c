#include "ompi_component/coll_hcomm_convertor.h"

#include "device/device.h"
#include "ompi_component/coll_hcomm_stage.h"

#include <string.h>

typedef int32_t convert_fn(opal_convertor_t *, struct iovec *, uint32_t *, size_t *);

/* What the functions here return, as Open MPI's do. */
enum { FAILED = -1, MORE_TO_COME = 0 };

static const struct hc_staged_range nothing;

static struct hc_staged_range all_of(const struct hc_ompi_side *side)
{
    return (struct hc_staged_range){.nblocks = 1, .count = side->count};
}

/* Of Open MPI's own types nothing but the part below is ever looked at, so one
 * of the lower library's does as well. */
static struct ompi_datatype_t *as_ompi_type(const opal_datatype_t *type)
{
    return (struct ompi_datatype_t *)type;
}

static hcomm_status open_to_read(struct hc_ompi_stage *stage, const struct hc_ompi_side *side,
                                 struct hc_ompi_window window)
{
    struct hc_staged_range all = all_of(side);
    hcomm_status           status = hc_ompi_stage_open(stage, side, &all, &nothing);

    return status == HCOMM_OK ? hc_ompi_stage_in(stage, all, window) : status;
}

static hcomm_status open_to_write(struct hc_ompi_stage *stage, const struct hc_ompi_side *side)
{
    struct hc_staged_range all = all_of(side);

    return hc_ompi_stage_open(stage, side, &nothing, &all);
}

static hcomm_status copy_out(struct hc_ompi_stage *stage, const struct hc_ompi_side *side,
                             struct hc_ompi_window window)
{
    hcomm_status status = hc_ompi_stage_out(stage, all_of(side), window);

    return status == HCOMM_OK ? hc_ompi_stage_wait(stage) : status;
}

/* One run of packed bytes, and the user's buffer. */
struct step {
    struct hc_ompi_side  user_side, packed_side;
    struct hc_ompi_stage user, packed;
    size_t               position; /* of the run in all packed bytes */
    /* Else, between unlike representations, packed bytes are at other places
     * than the user's. */
    bool is_uniform;
};

static void describe(struct step *step, const opal_convertor_t *convertor,
                     const struct iovec *packed)
{
    *step = (struct step){
        .user_side = {.buffer = convertor->pBaseBuf,
                      .count = convertor->count,
                      .type = as_ompi_type(convertor->pDesc),
                      .quiet = true},
        .packed_side = {.buffer = packed->iov_base,
                        .count = packed->iov_len,
                        .type = &ompi_mpi_byte.dt,
                        .quiet = true},
        .position = convertor->bConverted,
        .is_uniform = (convertor->flags & CONVERTOR_HOMOGENEOUS) != 0,
    };
}

static struct hc_ompi_window user_window(const struct step *step, size_t bytes)
{
    if (!step->is_uniform)
        return hc_ompi_whole;
    return (struct hc_ompi_window){.first = step->position, .most = bytes};
}

/* The convertor remembers places by their distance from its buffer. */
static int32_t convert(struct step *step, convert_fn *real, opal_convertor_t *convertor,
                       struct iovec *packed, size_t *bytes)
{
    unsigned char *buffer = convertor->pBaseBuf;
    struct iovec   stand_in = {.iov_base = step->packed.buffer, .iov_len = packed->iov_len};
    uint32_t       one = 1;
    int32_t        result;

    convertor->pBaseBuf = step->user.buffer;
    result = real(convertor, &stand_in, &one, bytes);
    convertor->pBaseBuf = buffer;
    packed->iov_len = stand_in.iov_len;
    return result;
}

static void close_both(struct step *step)
{
    hc_ompi_stage_close(&step->user);
    hc_ompi_stage_close(&step->packed);
}

/* Some callers send what was packed without a look at the result: so that it
 * is seen for wrong, floating point becomes NaN. */
static void spoil(const struct iovec *packed)
{
    if (packed->iov_len > 0 && hc_dev_is_host(packed->iov_base))
        memset(packed->iov_base, 0xff, packed->iov_len);
}

typedef int32_t step_fn(opal_convertor_t *, struct iovec *, size_t *);

static int32_t pack_one(opal_convertor_t *convertor, struct iovec *packed, size_t *bytes)
{
    struct step  step;
    hcomm_status status;
    int32_t      result = FAILED;

    describe(&step, convertor, packed);
    status = open_to_write(&step.packed, &step.packed_side);
    if (status == HCOMM_OK)
        status = open_to_read(&step.user, &step.user_side, user_window(&step, packed->iov_len));
    if (status == HCOMM_OK) {
        result = convert(&step, opal_convertor_pack, convertor, packed, bytes);
        status = copy_out(&step.packed, &step.packed_side,
                          (struct hc_ompi_window){.most = packed->iov_len});
    }
    close_both(&step);
    if (status == HCOMM_OK)
        return result;
    spoil(packed);
    return FAILED;
}

static hcomm_status open_to_unpack(struct step *step)
{
    hcomm_status status = open_to_read(&step->packed, &step->packed_side, hc_ompi_whole);

    if (status != HCOMM_OK)
        return status;
    /* What is copied out whole must be whole. */
    if (!step->is_uniform)
        return open_to_read(&step->user, &step->user_side, hc_ompi_whole);
    return open_to_write(&step->user, &step->user_side);
}

static int32_t unpack_one(opal_convertor_t *convertor, struct iovec *packed, size_t *bytes)
{
    struct step  step;
    hcomm_status status;
    int32_t      result = FAILED;

    describe(&step, convertor, packed);
    status = open_to_unpack(&step);
    if (status == HCOMM_OK) {
        result = convert(&step, opal_convertor_unpack, convertor, packed, bytes);
        status = copy_out(&step.user, &step.user_side, user_window(&step, *bytes));
    }
    close_both(&step);
    return status == HCOMM_OK ? result : FAILED;
}

/* Several runs are like one call for each, until nothing is left. */
static int32_t each(step_fn *one, opal_convertor_t *convertor, struct iovec *packed,
                    uint32_t *npacked, size_t *bytes)
{
    int32_t  result = MORE_TO_COME;
    size_t   total = 0;
    uint32_t i;

    for (i = 0; i < *npacked && result == MORE_TO_COME; i++) {
        size_t here = packed[i].iov_len;

        result = one(convertor, &packed[i], &here);
        if (result != FAILED)
            total += here;
    }
    *npacked = i;
    *bytes = total;
    return result;
}

/* Cheapest question first: this is asked of every message. */
static bool is_host(const void *ptr)
{
    return hc_dev_surely_host(ptr, ptr) || !hc_dev_active() || hc_dev_is_host(ptr);
}

static bool buffer_is_host(const void *buffer, const opal_datatype_t *type)
{
    if (buffer == MPI_BOTTOM)
        return !hc_dev_active(); /* each piece has to be asked about */
    return is_host((const char *)buffer + type->true_lb);
}

static bool user_is_host(const opal_convertor_t *convertor)
{
    return (convertor->flags & CONVERTOR_COMPLETED) != 0 ||
           buffer_is_host(convertor->pBaseBuf, convertor->pDesc);
}

/* No memory at all asks for the user's own in its place. */
static bool packed_is_host(const struct iovec *packed, uint32_t npacked)
{
    for (uint32_t i = 0; i < npacked; i++)
        if (packed[i].iov_base != NULL && packed[i].iov_len > 0 && !is_host(packed[i].iov_base))
            return false;
    return true;
}

static bool has_memory(const struct iovec *packed, uint32_t npacked)
{
    return npacked > 0 && packed[0].iov_base != NULL;
}

int32_t hc_ompi_pack_to_host(opal_convertor_t *convertor, struct iovec *packed, uint32_t *npacked,
                             size_t *bytes)
{
    if (user_is_host(convertor) || !has_memory(packed, *npacked))
        return opal_convertor_pack(convertor, packed, npacked, bytes);
    return each(pack_one, convertor, packed, npacked, bytes);
}

int32_t hc_ompi_unpack_from_host(opal_convertor_t *convertor, struct iovec *packed,
                                 uint32_t *npacked, size_t *bytes)
{
    if (user_is_host(convertor) || !has_memory(packed, *npacked))
        return opal_convertor_unpack(convertor, packed, npacked, bytes);
    return each(unpack_one, convertor, packed, npacked, bytes);
}

int32_t hc_ompi_pack(opal_convertor_t *convertor, struct iovec *packed, uint32_t *npacked,
                     size_t *bytes)
{
    if ((convertor->flags & CONVERTOR_COMPLETED) != 0 || packed_is_host(packed, *npacked))
        return hc_ompi_pack_to_host(convertor, packed, npacked, bytes);
    return each(pack_one, convertor, packed, npacked, bytes);
}

int32_t hc_ompi_unpack(opal_convertor_t *convertor, struct iovec *packed, uint32_t *npacked,
                       size_t *bytes)
{
    if ((convertor->flags & CONVERTOR_COMPLETED) != 0 || packed_is_host(packed, *npacked))
        return hc_ompi_unpack_from_host(convertor, packed, npacked, bytes);
    return each(unpack_one, convertor, packed, npacked, bytes);
}

int32_t hc_ompi_copy_content(const opal_datatype_t *type, int32_t count, char *dst, char *src)
{
    struct hc_ompi_side  to = {.buffer = dst, .type = as_ompi_type(type), .quiet = true};
    struct hc_ompi_side  from = {.buffer = src, .type = as_ompi_type(type), .quiet = true};
    struct hc_ompi_stage to_stage = {0}, from_stage = {0};
    hcomm_status         status;
    int32_t              result = FAILED;

    if (count <= 0 || type->size == 0 || (buffer_is_host(dst, type) && buffer_is_host(src, type)))
        return opal_datatype_copy_content_same_ddt(type, count, dst, src);
    to.count = from.count = (size_t)count;
    status = open_to_read(&from_stage, &from, hc_ompi_whole);
    if (status == HCOMM_OK)
        status = open_to_write(&to_stage, &to);
    if (status == HCOMM_OK) {
        result =
            opal_datatype_copy_content_same_ddt(type, count, to_stage.buffer, from_stage.buffer);
        status = copy_out(&to_stage, &to, hc_ompi_whole);
    }
    hc_ompi_stage_close(&to_stage);
    hc_ompi_stage_close(&from_stage);
    return status == HCOMM_OK ? result : FAILED;
}
