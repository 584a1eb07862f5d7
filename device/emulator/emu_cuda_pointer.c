#include "device/emulator/emu_cuda.h"

/* What the driver says about an address, by kind of allocation. */

#define UNKNOWN_ORDINAL (-2)

union value {
    void              *pointer;
    hc_cu_ptr          address;
    size_t             bytes;
    uint64_t           number;
    unsigned           word;
    int                integer;
    struct hc_cu_pool *pool;
};

/* How much of the union the caller's variable holds.  NOTHING: the variable is
 * left as it was. */
enum width { WORD, LONG, NOTHING };

static bool is_host(const struct emu_range *range)
{
    return (range->kind & (EMU_PINNED | EMU_REGISTERED)) != 0;
}

static bool host_accessible(const struct emu_range *range)
{
    return is_host(range) || range->kind == EMU_MANAGED;
}

/* Pool and VMM memory belong to a device and to no context. */
static bool has_context(const struct emu_range *range)
{
    return (range->kind & (EMU_POOL | EMU_VMM)) == 0;
}

/* Of VMM memory it is all of the reserved addresses, mapped or not. */
static bool outer_range(hc_cu_ptr ptr, const struct emu_range *range,
                        uintptr_t *base_out, size_t *bytes_out)
{
    if (range != NULL && range->kind != EMU_VMM) {
        *base_out = range->base;
        *bytes_out = range->bytes;
        return true;
    }
    return emu_vmm_reservation(emu_cuda_address(ptr), base_out, bytes_out) ==
           EMU_OK;
}

/* The driver maps registered memory by pages, all other by larger units. */
static uintptr_t mapping_unit(const struct emu_range *range)
{
    return range->kind == EMU_REGISTERED ? 4096 : EMU_VMM_GRANULARITY;
}

static uintptr_t mapping_base(const struct emu_range *range)
{
    return range->kind == EMU_REGISTERED
               ? range->base & ~(mapping_unit(range) - 1)
               : range->base;
}

static size_t mapping_bytes(const struct emu_range *range)
{
    uintptr_t unit = mapping_unit(range);
    uintptr_t end = range->base + range->bytes;

    return (end - mapping_base(range) + unit - 1) & ~(unit - 1);
}

/* range NULL: no allocation of ours.  *absent_out: the attribute doesn't apply
 * to this memory, which is an error when it alone is asked for. */
static hc_cu_result look_up(hc_cu_pointer_attribute attribute, hc_cu_ptr ptr,
                            const struct emu_range *range, union value *value,
                            enum width *width_out, bool *absent_out)
{
    bool      known = range != NULL;
    uintptr_t base = 0;
    size_t    bytes = 0;

    value->number = 0;
    *width_out = LONG;
    *absent_out = !known;
    switch (attribute) {
    case HC_CU_POINTER_ATTRIBUTE_CONTEXT:
        if (known && has_context(range))
            value->pointer = range->context;
        break;
    case HC_CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *width_out = WORD;
        if (known)
            value->word = is_host(range) ? HC_CU_MEMORYTYPE_HOST
                                         : HC_CU_MEMORYTYPE_DEVICE;
        break;
    case HC_CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *absent_out = !known || !range->accessible;
        if (!*absent_out)
            value->address = ptr;
        break;
    case HC_CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *absent_out = !known || !host_accessible(range);
        if (!known || !*absent_out)
            value->address = ptr;
        break;
    case HC_CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *width_out = WORD;
        if (known)
            value->integer = range->sync_memops;
        break;
    case HC_CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case HC_CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        if (known)
            value->number = range->buffer_id;
        break;
    case HC_CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *width_out = WORD;
        if (known)
            value->integer = range->kind == EMU_MANAGED;
        break;
    case HC_CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *width_out = WORD;
        value->integer = known ? range->device : UNKNOWN_ORDINAL;
        break;
    case HC_CU_POINTER_ATTRIBUTE_IS_LEGACY_IPC:
        *width_out = WORD;
        if (known)
            value->integer = range->kind == EMU_DEVICE && !range->imported;
        break;
    case HC_CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        if (!outer_range(ptr, range, &base, &bytes))
            *width_out = NOTHING;
        value->address = base;
        break;
    case HC_CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        if (!outer_range(ptr, range, &base, &bytes))
            *width_out = NOTHING;
        value->bytes = bytes;
        break;
    case HC_CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        if (known)
            value->address = mapping_base(range);
        break;
    case HC_CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        if (known)
            value->bytes = mapping_bytes(range);
        break;
    case HC_CU_POINTER_ATTRIBUTE_MAPPED:
        *width_out = WORD;
        if (known)
            value->integer = 1;
        break;
    case HC_CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        if (known)
            value->number = range->handle_types;
        break;
    case HC_CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA:
        *width_out = WORD; /* no network card can reach emulated memory */
        break;
    case HC_CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *width_out = WORD;
        if (known)
            value->word =
                range->accessible ? HC_CU_ACCESS_READWRITE : HC_CU_ACCESS_NONE;
        break;
    case HC_CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        if (known)
            value->pool = (struct hc_cu_pool *)range->pool;
        break;
    default:
        return HC_CU_INVALID_VALUE;
    }
    return HC_CU_SUCCESS;
}

static void store(void *out, const union value *value, enum width width)
{
    if (width == WORD)
        *(unsigned *)out = value->word;
    else if (width == LONG)
        *(uint64_t *)out = value->number;
}

hc_cu_result cuPointerGetAttribute(void                   *value_out,
                                   hc_cu_pointer_attribute attribute,
                                   hc_cu_ptr               ptr)
{
    hc_cu_result     result = emu_cuda_enter(__func__);
    struct emu_range range;
    union value      value;
    enum width       width;
    bool             absent;

    if (result != HC_CU_SUCCESS)
        return result;
    if (value_out == NULL || emu_query(emu_cuda_address(ptr), &range) != EMU_OK)
        return HC_CU_INVALID_VALUE;
    result = look_up(attribute, ptr, &range, &value, &width, &absent);
    if (result != HC_CU_SUCCESS)
        return result;
    store(value_out, &value, width);
    return absent ? HC_CU_INVALID_VALUE : HC_CU_SUCCESS;
}

/* An address that is not ours is no error here: type 0, ordinal -2. */
hc_cu_result cuPointerGetAttributes(unsigned                 count,
                                    hc_cu_pointer_attribute *attributes,
                                    void **values_out, hc_cu_ptr ptr)
{
    hc_cu_result     result = emu_cuda_enter(__func__);
    struct emu_range range;
    union value      value;
    enum width       width;
    bool             known, absent;

    if (result != HC_CU_SUCCESS)
        return result;
    if (count == 0 || attributes == NULL || values_out == NULL)
        return HC_CU_INVALID_VALUE;
    known = emu_query(emu_cuda_address(ptr), &range) == EMU_OK;
    for (unsigned i = 0; i < count; i++) {
        result = look_up(attributes[i], ptr, known ? &range : NULL, &value,
                         &width, &absent);
        if (result != HC_CU_SUCCESS)
            return result;
        store(values_out[i], &value, width);
    }
    return HC_CU_SUCCESS;
}

hc_cu_result cuPointerSetAttribute(const void             *value,
                                   hc_cu_pointer_attribute attribute,
                                   hc_cu_ptr               ptr)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    if (result != HC_CU_SUCCESS)
        return result;
    if (value == NULL || attribute != HC_CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
        return HC_CU_INVALID_VALUE;
    return emu_set_sync_memops(emu_cuda_address(ptr),
                               *(const unsigned *)value != 0);
}
