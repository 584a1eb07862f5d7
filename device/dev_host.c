#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Host memory as a device like the others: copies are memcpy and complete at
 * once, so callers need no second path. */

static bool host_present(void)
{
    return true;
}

static bool host_findable(char *why, size_t room)
{
    (void)why;
    (void)room;
    return true;
}

static hcomm_status host_open(enum hc_dev_open_mode mode, char *why,
                              size_t room)
{
    (void)mode;
    (void)why;
    (void)room;
    return HCOMM_OK;
}

static void host_close(void)
{
}

static hcomm_status host_count(int *count_out)
{
    *count_out = 1;
    return HCOMM_OK;
}

static hcomm_status host_info(int device, struct hc_dev_info *info_out)
{
    if (device != 0)
        return HCOMM_ERR_NOT_FOUND;
    *info_out = (struct hc_dev_info){.name = "host memory"};
    return HCOMM_OK;
}

static void host_version(char *text, size_t room)
{
    snprintf(text, room, "host");
}

static hcomm_status host_query(const void *ptr, struct hc_dev_mem *mem_out)
{
    *mem_out = (struct hc_dev_mem){
        .ops = &hc_dev_host,
        .type = HC_MEM_PAGEABLE,
        .device = -1,
        .base = (uintptr_t)ptr,
    };
    return HCOMM_OK;
}

static hcomm_status host_alloc(int device, size_t bytes, void **ptr_out)
{
    void *ptr = malloc(bytes > 0 ? bytes : 1);

    (void)device;
    if (ptr == NULL)
        return HCOMM_ERR_NO_MEMORY;
    *ptr_out = ptr;
    return HCOMM_OK;
}

static void host_free(int device, void *ptr)
{
    (void)device;
    free(ptr);
}

static hcomm_status host_queue(const struct hc_dev_mem *mem,
                               struct hc_dev_queue    **queue_out)
{
    (void)mem;
    *queue_out = NULL;
    return HCOMM_OK;
}

static hcomm_status host_copy_rows(struct hc_dev_queue      *queue,
                                   const struct hc_dev_rows *sets, int nsets)
{
    (void)queue;
    for (int i = 0; i < nsets; i++) {
        const struct hc_dev_rows *rows = &sets[i];

        for (size_t row = 0; row < rows->count; row++)
            memmove((char *)rows->dst + row * rows->dst_pitch,
                    (const char *)rows->src + row * rows->src_pitch,
                    rows->bytes);
    }
    return HCOMM_OK;
}

static hcomm_status host_record(struct hc_dev_queue  *queue,
                                struct hc_dev_event **event_out)
{
    (void)queue;
    *event_out = NULL;
    return HCOMM_OK;
}

static hcomm_status host_test(struct hc_dev_event *event)
{
    (void)event;
    return HCOMM_OK;
}

const struct hc_dev_ops hc_dev_host = {
    .name = "host",
    .vendor = "cpu",
    .kind = HC_DEV_HOST,
    .present = host_present,
    .findable = host_findable,
    .open = host_open,
    .close = host_close,
    .count = host_count,
    .info = host_info,
    .version = host_version,
    .query = host_query,
    .alloc = host_alloc,
    .free = host_free,
    .queue = host_queue,
    .copy_rows = host_copy_rows,
    .record = host_record,
    .test = host_test,
};
