#ifndef EMU_CUDA_H
#define EMU_CUDA_H

/*
 * The emulated libcuda.so.1: NVIDIA's driver ABI over the engine.  A context,
 * stream, event or pool of the ABI is the engine's object itself.
 */

#include "device/abi_cuda.h"
#include "device/emulator/emu_core.h"

#define EMU_CUDA_VERSION 13000 /* CUDA 13.0: what cuDriverGetVersion says */

#define EMU_CUDA_MAX_PITCH 0x7fffffff /* bytes between rows of a copy */

/* Of streams; lower numbers go first. */
#define EMU_CUDA_LEAST_PRIORITY    0
#define EMU_CUDA_GREATEST_PRIORITY (-5)

/* Every definition is checked against the list that users of the ABI call. */
#define EMU_CUDA_DECLARE(name, parameters) \
    __attribute__((visibility("default"))) hc_cu_result name parameters;
HC_CU_FUNCTIONS(EMU_CUDA_DECLARE)
#undef EMU_CUDA_DECLARE

static inline hc_cu_ptr emu_cuda_ptr(const void *p)
{
    return (hc_cu_ptr)(uintptr_t)p;
}

static inline void *emu_cuda_address(hc_cu_ptr ptr)
{
    return (void *)(uintptr_t)ptr;
}

static inline struct hc_cu_context *
emu_cuda_context(struct emu_context *context)
{
    return (struct hc_cu_context *)context;
}

/* How a function of the ABI starts, in the order of what it needs; the first
 * argument is __func__.  Not HC_CU_SUCCESS: return it. */

/* The driver is initialised. */
hc_cu_result emu_cuda_enter(const char *function);
/* And device exists. */
hc_cu_result emu_cuda_enter_device(const char *function, hc_cu_device device);
/* And a live context is current. */
hc_cu_result emu_cuda_enter_context(const char          *function,
                                    struct emu_context **context_out);
/* And it is no moment of a stream capture that forbids the call. */
hc_cu_result emu_cuda_enter_unsafe(const char          *function,
                                   struct emu_context **context_out);
/* And stream is NULL, one of the special handles, or a live stream. */
hc_cu_result emu_cuda_enter_stream(const char          *function,
                                   struct hc_cu_stream *stream,
                                   struct emu_stream  **stream_out);
/* And event is a live event. */
hc_cu_result emu_cuda_enter_event(const char         *function,
                                  struct hc_cu_event *event,
                                  struct emu_event  **event_out);

/* The context current to the calling thread, or NULL. */
struct emu_context *emu_cuda_current(void);
/* The device's primary context, or NULL while nobody holds it. */
struct emu_context *emu_cuda_primary(hc_cu_device device);

#endif
