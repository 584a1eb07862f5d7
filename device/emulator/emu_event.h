#ifndef EMU_EVENT_H
#define EMU_EVENT_H

/* An event, for the files that make and share it. */

#include "device/emulator/emu_internal.h"

/* In memory that several processes map. */
struct emu_shared_event {
    _Atomic uint32_t recorded; /* how often record was called */
    _Atomic uint32_t done;     /* the last record that was reached */
};

struct emu_event {
    struct emu_context *context;
    unsigned            flags;
    int                 refs;   /* emu_lock */
    struct emu_stream  *stream; /* of the last record, referenced; or NULL */
    uint64_t            seq;
    double              time; /* when the last record was reached */
    struct emu_capture_mark  mark;
    struct emu_shared_event *shared; /* NULL: of this process only */
    int                      fd;     /* of shared */
    uint64_t                 shared_id;
    bool                     imported;
};

void emu_event_unref_locked(struct emu_event *event);
/* Give it memory that other processes can map. */
int emu_event_share(struct emu_event *event);

#endif
