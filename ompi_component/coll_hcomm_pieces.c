#include "ompi_component/coll_hcomm_pieces.h"

static ptrdiff_t extent_bytes(const struct ompi_datatype_t *type)
{
    return type->super.ub - type->super.lb;
}

uintptr_t hc_ompi_element(uintptr_t address, ptrdiff_t index, const struct ompi_datatype_t *type)
{
    return address + (uintptr_t)(index * extent_bytes(type));
}

/* Not opal_datatype_span, which takes an extent for positive: a resized type
 * may step downwards. */
struct hc_ompi_extent hc_ompi_extent_of(uintptr_t address, size_t count,
                                        const struct ompi_datatype_t *type)
{
    ptrdiff_t low = type->super.true_lb;
    ptrdiff_t high = type->super.true_ub;
    ptrdiff_t reach;

    if (count == 0 || type->super.size == 0)
        return (struct hc_ompi_extent){.low = address};
    reach = (ptrdiff_t)(count - 1) * extent_bytes(type);
    if (reach < 0)
        low += reach;
    else
        high += reach;
    return (struct hc_ompi_extent){
        .low = address + (uintptr_t)low,
        .bytes = (size_t)(high - low),
        .data_bytes = count * type->super.size,
    };
}

static hcomm_status visit_raw(opal_convertor_t *convertor, hc_ompi_piece_fn *visit, void *context)
{
    enum { AT_ONCE = 64 };
    hcomm_status status = HCOMM_OK;
    bool         last = false;

    while (!last && status == HCOMM_OK) {
        struct iovec runs[AT_ONCE];
        uint32_t     nruns = AT_ONCE;
        size_t       bytes = 0;

        last = opal_convertor_raw(convertor, runs, &nruns, &bytes) == 1;
        if (nruns == 0)
            last = true; /* a type that yields nothing would go on for ever */
        for (uint32_t i = 0; i < nruns && status == HCOMM_OK; i++)
            status = visit(context, (uintptr_t)runs[i].iov_base, runs[i].iov_len);
    }
    return status;
}

hcomm_status hc_ompi_pieces(uintptr_t address, size_t count, struct ompi_datatype_t *type,
                            hc_ompi_piece_fn *visit, void *context)
{
    opal_convertor_t convertor;
    hcomm_status     status;

    if (count == 0 || type->super.size == 0)
        return HCOMM_OK;
    /* With the count: one MPI_DOUBLE_INT has no gap, two have. */
    if (opal_datatype_is_contiguous_memory_layout(&type->super, (int32_t)(count > 1 ? 2 : 1)))
        return visit(context, address + (uintptr_t)type->super.true_lb, count * type->super.size);

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    (void)opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &type->super, count,
                                                   (const void *)address, HC_OMPI_CONVERTOR_FLAGS,
                                                   &convertor);
    status = visit_raw(&convertor, visit, context);
    OBJ_DESTRUCT(&convertor);
    return status;
}
