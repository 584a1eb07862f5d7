#include "ompi_component/coll_hcomm_scattered.h"

#include "config/cfg_log.h"
#include "config/cfg_param.h"

#include <string.h>

hcomm_status hc_ompi_query(uintptr_t address, struct hc_dev_mem *mem_out)
{
    hcomm_status status = hc_dev_query((void *)address, mem_out);

    if (status == HCOMM_ERR_INVALID)
        hc_log(HC_LOG_ERROR,
               "address %p is neither host memory nor known to an open driver: was the buffer "
               "freed, or does parameter devices (%s) leave its vendor out?",
               (void *)address, hc_param_text(HC_PARAM_DEVICES));
    return status;
}

static bool is_within(const struct hc_dev_mem *mem, uintptr_t address, size_t bytes)
{
    return address >= mem->base && address - mem->base < mem->bytes &&
           bytes <= mem->bytes - (address - mem->base);
}

/* From here on pieces are looked for in the allocation that holds address. */
static hcomm_status move_to(struct hc_ompi_scattered *scattered, uintptr_t address)
{
    hcomm_status status = hc_ompi_scattered_finish(scattered);

    scattered->queue = NULL;
    if (status == HCOMM_OK)
        status = hc_ompi_query(address, &scattered->mem);
    if (status == HCOMM_OK && hc_dev_must_stage(&scattered->mem))
        status = scattered->mem.ops->queue(&scattered->mem, &scattered->queue);
    return status;
}

hcomm_status hc_ompi_scattered_copy(struct hc_ompi_scattered *scattered, void *host, uintptr_t user,
                                    size_t bytes, bool out)
{
    void        *dst = out ? (void *)user : host;
    const void  *src = out ? host : (void *)user;
    hcomm_status status = HCOMM_OK;

    if (scattered->queue == NULL || !is_within(&scattered->mem, user, bytes))
        status = move_to(scattered, user);
    if (status != HCOMM_OK)
        return status;
    if (scattered->queue == NULL) {
        memcpy(dst, src, bytes);
        return HCOMM_OK;
    }
    scattered->is_pending = true;
    return hc_dev_copy(scattered->mem.ops, scattered->queue, dst, src, bytes);
}

hcomm_status hc_ompi_scattered_finish(struct hc_ompi_scattered *scattered)
{
    struct hc_dev_event *event;
    hcomm_status         status;

    if (!scattered->is_pending)
        return HCOMM_OK;
    scattered->is_pending = false;
    status = scattered->mem.ops->record(scattered->queue, &event);
    return status == HCOMM_OK ? hc_dev_wait(&scattered->mem, event, NULL) : status;
}
