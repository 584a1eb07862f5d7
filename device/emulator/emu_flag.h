#ifndef EMU_FLAG_H
#define EMU_FLAG_H

/*
 * Flags: the events of Level Zero.  A flag is up or down; work on a stream, or
 * the host, puts it up or down, and who waits for it waits until it is up, also
 * for what is submitted later.  So unlike a recorded event it may be waited for
 * before anyone means to signal it, and such a wait may last for ever.
 */

#include "device/emulator/emu_core.h"

struct emu_flag;

int emu_flag_create(bool up, struct emu_flag **flag_out);
/* Gives up the caller's reference; work that uses it keeps its own. */
void emu_flag_unref(struct emu_flag *flag);
void emu_flag_ref(struct emu_flag *flag);

void emu_flag_set(struct emu_flag *flag, bool up);
/* EMU_OK: up.  EMU_NOT_READY: down.  Else the code of the failure because of
 * which the work that was to put it up never ran. */
int emu_flag_query(struct emu_flag *flag);
/* UINT64_MAX: without end.  EMU_NOT_READY: the time is over. */
int emu_flag_wait(struct emu_flag *flag, uint64_t timeout_ns);

/* In stream order. */
int emu_stream_set_flag(struct emu_stream *stream, struct emu_flag *flag,
                        bool up);
int emu_stream_wait_flag(struct emu_stream *stream, struct emu_flag *flag);

/* emu_stream_synchronize that gives up with EMU_NOT_READY. */
int emu_stream_wait(struct emu_stream *stream, uint64_t timeout_ns);

#endif
