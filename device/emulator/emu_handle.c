#include "device/emulator/emu_internal.h"

#include <stdlib.h>

/*
 * Open addressing with linear probing; a removed handle leaves a mark so that
 * those behind it are still found.  Global because handles are the driver's.
 */
static const void    **slots;
static size_t          slot_count, used; /* used: live and removed ones */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char      removed;

static size_t slot_of(const void *handle)
{
    return ((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15u >> 20 &
           (slot_count - 1);
}

static void put(const void *handle)
{
    size_t i = slot_of(handle);

    while (slots[i] != NULL)
        i = (i + 1) & (slot_count - 1);
    slots[i] = handle;
    used++;
}

static bool make_room(void)
{
    const void **old = slots;
    size_t       old_count = slot_count, live = 0;

    if (used * 2 < slot_count)
        return true;
    for (size_t i = 0; i < old_count; i++)
        live += old[i] != NULL && old[i] != &removed;
    slot_count = 64;
    while (slot_count < live * 4)
        slot_count *= 2;
    slots = calloc(slot_count, sizeof *slots);
    if (slots == NULL) {
        slots = old;
        slot_count = old_count;
        return false;
    }
    used = 0;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i] != NULL && old[i] != &removed)
            put(old[i]);
    }
    free(old);
    return true;
}

static const void **find(const void *handle)
{
    if (slot_count == 0)
        return NULL;
    for (size_t i = slot_of(handle); slots[i] != NULL;
         i = (i + 1) & (slot_count - 1)) {
        if (slots[i] == handle)
            return &slots[i];
    }
    return NULL;
}

bool emu_handle_add(const void *handle)
{
    bool ok;

    pthread_mutex_lock(&lock);
    ok = make_room();
    if (ok)
        put(handle);
    pthread_mutex_unlock(&lock);
    return ok;
}

void emu_handle_remove(const void *handle)
{
    const void **slot;

    pthread_mutex_lock(&lock);
    slot = find(handle);
    if (slot != NULL)
        *slot = &removed;
    pthread_mutex_unlock(&lock);
}

bool emu_handle_has(const void *handle)
{
    bool found;

    pthread_mutex_lock(&lock);
    found = handle != NULL && find(handle) != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}
