#ifndef EMU_HIP_H
#define EMU_HIP_H

/*
 * AMD's HIP runtime over the engine: what the sources of the emulated
 * libamdhip64 share.  They are compiled once per major version, with EMU_HIP
 * 5, 6 or 7.  Stream, event and pool handles are the engine's pointers.
 */

#include "device/abi_hip.h"
#include "device/emulator/emu_core.h"

#if EMU_HIP < 5 || EMU_HIP > 7
#error "EMU_HIP must be 5, 6 or 7"
#endif

/* Every public function; the version script keeps the rest inside. */
#define HIP_API __attribute__((visibility("default")))

#define HIP_MAX_DEVICES 64
#define HIP_MAX_PITCH   0x7fffffff /* bytes between rows of a copy */

/* First thing in every function: initialises at need, traces, injects. */
int hip_enter(const char *function);
/* Last thing: keeps the code for hipGetLastError and returns it in HIP's
 * numbers. */
int hip_leave(int code);
/* hip_enter, then the context of the thread's device. */
int hip_enter_context(const char *function, struct emu_context **context_out);
/* The same for calls that no capture may contain: allocation, waits for all. */
int hip_enter_unsafe(const char *function, struct emu_context **context_out);

/* Devices.  HIP has one context on each, made at first use. */
int  hip_thread_device(void);
void hip_use_device(int device);
int  hip_check_device(int device); /* HC_HIP_INVALID_DEVICE */
int  hip_context_of(int device, struct emu_context **context_out);
bool hip_context_active(int device);
/* Ends the device's context with all it owns; the next use makes a new one. */
void hip_context_reset(int device);
/* Whether the device may use memory of a peer (hipDeviceEnablePeerAccess). */
int hip_set_peer(int device, int peer, bool on);

/* The engine's stream for a handle: 0 is the default stream of the thread's
 * device.  HC_HIP_CONTEXT_DESTROYED: no such stream. */
int hip_stream(void *handle, struct emu_stream **stream_out);
/* HC_HIP_INVALID_HANDLE: no such event. */
int hip_event(void *handle, struct emu_event **event_out);

#endif
