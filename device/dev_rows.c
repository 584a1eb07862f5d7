#include "device/dev_rows.h"

#include <stdbool.h>
#include <string.h>

/* A set of many rows knows where its next one begins. */
static bool expects(const struct hc_rows *set, uintptr_t address, size_t bytes)
{
    return set->count > 1 && set->bytes == bytes &&
           address == set->address + set->count * set->pitch;
}

/* A single row takes any other behind it, and has a pitch then. */
static bool could_pair(const struct hc_rows *set, uintptr_t address,
                       size_t bytes)
{
    return set->count == 1 && set->bytes == bytes && address > set->address &&
           address - set->address >= bytes;
}

/*
 * Elements of several pieces feed several sets by turns: so the one after the
 * last is looked at first, and every one before none is found.
 */
static struct hc_rows *find(struct hc_rows_list *list,
                            bool (*fits)(const struct hc_rows *, uintptr_t,
                                         size_t))
{
    for (int i = 0; i < list->nsets; i++) {
        int at = (list->next + i) % list->nsets;

        if (fits(&list->sets[at], list->address, list->bytes)) {
            list->next = at + 1;
            return &list->sets[at];
        }
    }
    return NULL;
}

static hcomm_status hand_over(struct hc_rows_list *list)
{
    int nsets = list->nsets;

    list->nsets = 0;
    list->next = 0;
    return nsets > 0 ? list->take(list->context, list->sets, nsets) : HCOMM_OK;
}

/* The last piece is all there. */
static hcomm_status place(struct hc_rows_list *list)
{
    struct hc_rows *set;
    hcomm_status    status = HCOMM_OK;

    if (list->bytes == 0)
        return HCOMM_OK;
    set = find(list, expects);
    if (set == NULL)
        set = find(list, could_pair);
    if (set != NULL) {
        if (set->count == 1)
            set->pitch = list->address - set->address;
        set->count++;
        return HCOMM_OK;
    }
    if (list->nsets == HC_ROWS_SETS)
        status = hand_over(list);
    list->sets[list->nsets++] = (struct hc_rows){
        .address = list->address,
        .bytes = list->bytes,
        .pitch = list->bytes,
        .count = 1,
    };
    return status;
}

hcomm_status hc_rows_add(struct hc_rows_list *list, uintptr_t address,
                         size_t bytes)
{
    hcomm_status status;

    if (bytes == 0)
        return HCOMM_OK;
    if (list->bytes > 0 && address == list->address + list->bytes) {
        list->bytes += bytes;
        return HCOMM_OK;
    }
    status = place(list);
    list->address = address;
    list->bytes = bytes;
    return status;
}

hcomm_status hc_rows_finish(struct hc_rows_list *list)
{
    hcomm_status placed = place(list);
    hcomm_status handed;

    list->bytes = 0;
    handed = hand_over(list);
    return placed != HCOMM_OK ? placed : handed;
}

struct hc_rows hc_rows_cut(struct hc_rows *rows, size_t room)
{
    struct hc_rows front = *rows;
    size_t         fit = room / rows->bytes;

    if (fit == 0 && rows->count == 1) {
        front.bytes = front.pitch = room;
        front.count = room > 0;
        rows->address += room;
        rows->bytes -= room;
        return front;
    }
    front.count = fit < rows->count ? fit : rows->count;
    rows->address += front.count * rows->pitch;
    rows->count -= front.count;
    return front;
}

void hc_rows_pack(const struct hc_rows *rows, void *packed)
{
    for (size_t row = 0; row < rows->count; row++)
        memcpy((char *)packed + row * rows->bytes,
               (const char *)rows->address + row * rows->pitch, rows->bytes);
}

void hc_rows_unpack(const struct hc_rows *rows, const void *packed)
{
    for (size_t row = 0; row < rows->count; row++)
        memcpy((char *)rows->address + row * rows->pitch,
               (const char *)packed + row * rows->bytes, rows->bytes);
}
