#include "hcomm.h"

#include "config.h"
#include "config/cfg_param.h"
#include "device/device.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_ROOM = 256, /* bytes for a driver's version or a reason */
    NAME_ROOM = 64,  /* bytes for HCOMM_<NAME> and coll_hcomm_<name> */
};

/* Drivers are opened, and settings read, by one thread at a time; both are the
 * process's, hence a global. */
static pthread_mutex_t process_lock = PTHREAD_MUTEX_INITIALIZER;

struct vendor {
    hcomm_vendor_info info;
    char              driver[TEXT_ROOM];
    char              why[TEXT_ROOM];
};

struct device {
    hcomm_device_info  info;
    struct hc_dev_info text; /* info's strings live here */
};

struct hcomm_devices {
    struct vendor *vendors;
    struct device *devices;
    int            vendor_count;
    int            device_count;
};

struct param {
    hcomm_param_info info;
    char             env_name[NAME_ROOM];
    char             mca_name[NAME_ROOM];
    char            *value;
};

struct hcomm_params {
    struct param params[HC_PARAM_COUNT];
};

const char *hcomm_version(void)
{
    return PACKAGE_VERSION;
}

const char *hcomm_status_text(hcomm_status status)
{
    switch (status) {
    case HCOMM_OK:
        return "success";
    case HCOMM_IN_PROGRESS:
        return "in progress";
    case HCOMM_ERR_NO_MEMORY:
        return "out of memory";
    case HCOMM_ERR_UNSUPPORTED:
        return "not supported here";
    case HCOMM_ERR_NOT_FOUND:
        return "not found";
    case HCOMM_ERR_DEVICE:
        return "the device's driver failed";
    case HCOMM_ERR_INVALID:
        return "invalid argument or setting";
    }
    return "unknown status";
}

static void open_vendor(struct vendor *v, const struct hc_dev_ops *ops)
{
    v->info = (hcomm_vendor_info){.name = ops->name,
                                  .vendor = ops->vendor,
                                  .present = ops->present(),
                                  .status = HCOMM_ERR_UNSUPPORTED,
                                  .driver = v->driver,
                                  .why = v->why};
    if (!v->info.present) {
        snprintf(v->why, sizeof v->why, "no %s device node", ops->vendor);
        return;
    }
    v->info.status = ops->open(HC_DEV_LOAD, v->why, sizeof v->why);
    if (v->info.status == HCOMM_OK)
        v->info.status = ops->count(&v->info.device_count);
    if (v->info.status != HCOMM_OK) {
        v->info.device_count = 0;
        if (v->why[0] == '\0')
            snprintf(v->why, sizeof v->why, "%s: %s", ops->name,
                     hcomm_status_text(v->info.status));
        return;
    }
    v->why[0] = '\0';
    ops->version(v->driver, sizeof v->driver);
}

/* A device that can't be described is left out, not made up. */
static void describe_devices(hcomm_devices *list, int vendor)
{
    const struct hc_dev_ops *ops = hc_dev_vendor(vendor);
    struct vendor           *v = &list->vendors[vendor];
    int                      described = 0;

    for (int i = 0; i < v->info.device_count; i++) {
        struct device *d = &list->devices[list->device_count];

        if (ops->info(i, &d->text) != HCOMM_OK)
            continue;
        d->info = (hcomm_device_info){.vendor = &v->info,
                                      .ordinal = i,
                                      .name = d->text.name,
                                      .arch = d->text.arch,
                                      .bus_id = d->text.bus_id,
                                      .memory_bytes = d->text.memory_bytes,
                                      .emulated = d->text.emulated};
        memcpy(d->info.uuid, d->text.uuid, sizeof d->info.uuid);
        list->device_count++;
        described++;
    }
    v->info.device_count = described;
}

hcomm_status hcomm_devices_open(hcomm_devices **devices_out)
{
    hcomm_devices *list = calloc(1, sizeof *list);
    int            total = 0;

    if (list == NULL)
        return HCOMM_ERR_NO_MEMORY;
    while (hc_dev_vendor(list->vendor_count) != NULL)
        list->vendor_count++;
    list->vendors =
        calloc((size_t)list->vendor_count + 1, sizeof *list->vendors);
    if (list->vendors == NULL)
        goto fail;

    pthread_mutex_lock(&process_lock);
    /* A bad setting is logged where it is read; the list is still right. */
    (void)hc_param_read_environment(false);
    for (int i = 0; i < list->vendor_count; i++) {
        open_vendor(&list->vendors[i], hc_dev_vendor(i));
        total += list->vendors[i].info.device_count;
    }
    pthread_mutex_unlock(&process_lock);
    list->devices = calloc((size_t)total + 1, sizeof *list->devices);
    if (list->devices == NULL)
        goto fail;
    for (int i = 0; i < list->vendor_count; i++)
        describe_devices(list, i);

    *devices_out = list;
    return HCOMM_OK;

fail:
    hcomm_devices_close(list);
    return HCOMM_ERR_NO_MEMORY;
}

void hcomm_devices_close(hcomm_devices *devices)
{
    if (devices == NULL)
        return;
    free(devices->vendors);
    free(devices->devices);
    free(devices);
}

int hcomm_vendor_count(const hcomm_devices *devices)
{
    return devices->vendor_count;
}

const hcomm_vendor_info *hcomm_vendor_at(const hcomm_devices *devices,
                                         int                  index)
{
    if (index < 0 || index >= devices->vendor_count)
        return NULL;
    return &devices->vendors[index].info;
}

int hcomm_device_count(const hcomm_devices *devices)
{
    return devices->device_count;
}

const hcomm_device_info *hcomm_device_at(const hcomm_devices *devices,
                                         int                  index)
{
    if (index < 0 || index >= devices->device_count)
        return NULL;
    return &devices->devices[index].info;
}

/* The public numbers are fixed; the internal ones may move. */
static hcomm_memory_kind public_kind(enum hc_dev_mem_type type)
{
    switch (type) {
    case HC_MEM_PAGEABLE:
        return HCOMM_MEMORY_PAGEABLE;
    case HC_MEM_PINNED:
        return HCOMM_MEMORY_PINNED;
    case HC_MEM_MANAGED:
        return HCOMM_MEMORY_MANAGED;
    case HC_MEM_DEVICE:
        return HCOMM_MEMORY_DEVICE;
    case HC_MEM_POOL:
        return HCOMM_MEMORY_POOL;
    case HC_MEM_VMM:
        return HCOMM_MEMORY_VMM;
    }
    return HCOMM_MEMORY_PAGEABLE;
}

hcomm_status hcomm_memory_query(const void *ptr, hcomm_memory_info *memory_out)
{
    struct hc_dev_mem mem;
    hcomm_status      status;

    if (memory_out == NULL)
        return HCOMM_ERR_INVALID;
    /* What is looked for depends on settings. */
    pthread_mutex_lock(&process_lock);
    (void)hc_param_read_environment(false);
    pthread_mutex_unlock(&process_lock);
    /* Looks for newly loaded drivers and opens them; without one, every
     * address is the host's and the query below says so. */
    (void)hc_dev_active();
    status = hc_dev_query(ptr, &mem);
    if (status != HCOMM_OK)
        return status;
    *memory_out =
        (hcomm_memory_info){.kind = public_kind(mem.type),
                            .name = mem.ops->name,
                            .ordinal = mem.device,
                            .base = (const void *)mem.base,
                            .bytes = mem.bytes,
                            .host_readable = !hc_dev_must_stage(&mem)};
    return HCOMM_OK;
}

/* "HCOMM_" + "LOG_LEVEL" */
static void print_env_name(char *text, size_t room, const char *name)
{
    snprintf(text, room, "HCOMM_%s", name);
    for (; *text != '\0'; text++)
        *text = (char)toupper((unsigned char)*text);
}

static hcomm_status describe_param(struct param *p, enum hc_param id)
{
    const struct hc_param_row *row = hc_param_row(id);

    p->value = strdup(hc_param_text(id));
    if (p->value == NULL)
        return HCOMM_ERR_NO_MEMORY;
    print_env_name(p->env_name, sizeof p->env_name, row->name);
    snprintf(p->mca_name, sizeof p->mca_name, "coll_hcomm_%s", row->name);
    p->info = (hcomm_param_info){
        .name = row->name,
        .env_name = p->env_name,
        .mca_name = row->scope == HC_PARAM_OF_PROCESS ? NULL : p->mca_name,
        .value = p->value,
        .default_value = row->default_text,
        .source = hc_param_source_name(hc_param_source(id)),
        .unit = row->unit,
        .help = row->help,
        .level = row->level};
    return HCOMM_OK;
}

hcomm_status hcomm_params_open(hcomm_params **params_out)
{
    hcomm_params *list = calloc(1, sizeof *list);
    hcomm_status  status = HCOMM_OK;

    if (list == NULL)
        return HCOMM_ERR_NO_MEMORY;
    pthread_mutex_lock(&process_lock);
    status = hc_param_read_environment(false);
    for (int i = 0; status == HCOMM_OK && i < HC_PARAM_COUNT; i++)
        status = describe_param(&list->params[i], (enum hc_param)i);
    pthread_mutex_unlock(&process_lock);
    if (status != HCOMM_OK) {
        hcomm_params_close(list);
        return status;
    }
    *params_out = list;
    return HCOMM_OK;
}

void hcomm_params_close(hcomm_params *params)
{
    if (params == NULL)
        return;
    for (int i = 0; i < HC_PARAM_COUNT; i++)
        free(params->params[i].value);
    free(params);
}

int hcomm_param_count(const hcomm_params *params)
{
    (void)params;
    return HC_PARAM_COUNT;
}

const hcomm_param_info *hcomm_param_at(const hcomm_params *params, int index)
{
    if (index < 0 || index >= HC_PARAM_COUNT)
        return NULL;
    return &params->params[index].info;
}
