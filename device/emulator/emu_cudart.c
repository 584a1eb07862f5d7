/*
 * The emulated CUDA runtime: initialisation, devices, and the last error of
 * each thread.  A thread without a context gets the primary context of its
 * device at its first call, as NVIDIA documents it.
 */

#include "device/emulator/emu_cudart.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define MAX_DEVICES 64

static _Thread_local int   last_error;
static _Thread_local int   thread_device;
static _Thread_local void *thread_context;   /* the last that we made current */
static _Thread_local unsigned thread_resets; /* of the process, seen so far */

static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;
static void           *primary[MAX_DEVICES];
static atomic_bool     initialised;
static atomic_uint     resets; /* calls of cudaDeviceReset */

int rt_result(int code)
{
    if (code != RT_SUCCESS)
        last_error = code;
    return code;
}

int rt_unsupported(const char *name, bool *said)
{
    if (!__atomic_exchange_n(said, true, __ATOMIC_RELAXED))
        fprintf(stderr,
                "HCOMM emulated CUDA runtime: %s is not emulated; it returns "
                "cudaErrorNotSupported\n",
                name);
    return rt_result(RT_NOT_SUPPORTED);
}

int rt_init(void)
{
    int code;

    if (atomic_load_explicit(&initialised, memory_order_acquire))
        return RT_SUCCESS;
    code = cuInit(0);
    if (code == RT_SUCCESS)
        atomic_store_explicit(&initialised, true, memory_order_release);
    return code;
}

int rt_primary(int device, void **context_out)
{
    int count = 0;
    int code = rt_init();

    if (code == RT_SUCCESS)
        code = cuDeviceGetCount(&count);
    if (code != RT_SUCCESS)
        return code;
    if (device < 0 || device >= count || device >= MAX_DEVICES)
        return RT_INVALID_DEVICE;

    pthread_mutex_lock(&primary_lock);
    if (!primary[device])
        code = cuDevicePrimaryCtxRetain(&primary[device], device);
    if (code == RT_SUCCESS)
        *context_out = primary[device];
    pthread_mutex_unlock(&primary_lock);
    return code;
}

static int make_current(int device)
{
    void *context;
    int   code = rt_primary(device, &context);

    if (code == RT_SUCCESS)
        code = cuCtxSetCurrent(context);
    if (code == RT_SUCCESS) {
        thread_context = context;
        thread_resets = atomic_load(&resets);
    }
    return code;
}

int rt_ready(void)
{
    void *context = NULL;
    int   code = rt_init();

    if (code == RT_SUCCESS)
        code = cuCtxGetCurrent(&context);
    if (code != RT_SUCCESS)
        return code;
    /* A context that the program made current itself is left alone; one of
     * ours may have died in another thread's cudaDeviceReset. */
    if (context &&
        (context != thread_context || thread_resets == atomic_load(&resets)))
        return RT_SUCCESS;
    return make_current(thread_device);
}

RT_API int cudaGetLastError(void)
{
    int code = last_error;

    last_error = RT_SUCCESS;
    return code;
}

RT_API int cudaPeekAtLastError(void)
{
    return last_error;
}

RT_API int cudaDriverGetVersion(int *version)
{
    if (!version)
        return rt_result(RT_INVALID_VALUE);
    return rt_result(cuDriverGetVersion(version));
}

RT_API int cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return rt_result(RT_INVALID_VALUE);
    *version = EMU_CUDART;
    return RT_SUCCESS;
}

RT_API int cudaGetDeviceCount(int *count)
{
    int code;

    if (!count)
        return rt_result(RT_INVALID_VALUE);
    *count = 0;
    code = rt_init();
    if (code == RT_SUCCESS)
        code = cuDeviceGetCount(count);
    return rt_result(code);
}

#if EMU_CUDART < 12000
static bool has_primary(int device)
{
    bool has;

    pthread_mutex_lock(&primary_lock);
    has = device < MAX_DEVICES && primary[device];
    pthread_mutex_unlock(&primary_lock);
    return has;
}
#endif

RT_API int cudaSetDevice(int device)
{
    int count = 0;
    int code = rt_init();

    if (code == RT_SUCCESS)
        code = cuDeviceGetCount(&count);
    if (code != RT_SUCCESS)
        return rt_result(code);
    if (device < 0 || device >= count)
        return rt_result(RT_INVALID_DEVICE);
    thread_device = device;
#if EMU_CUDART < 12000
    /* Before CUDA 12 it only chooses; the next call makes the context. */
    if (!has_primary(device))
        return rt_result(cuCtxSetCurrent(NULL));
#endif
    return rt_result(make_current(device));
}

#if EMU_CUDART >= 12000
RT_API int cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    void *context;
    int   code = rt_init();

    if (code == RT_SUCCESS && (flags & 1)) /* cudaInitDeviceFlagsAreValid */
        code = cuDevicePrimaryCtxSetFlags_v2(device, device_flags);
    if (code == RT_SUCCESS)
        code = rt_primary(device, &context);
    return rt_result(code);
}
#endif

/* The device of this thread's calls: of its context, else the chosen one. */
static int current_device(int *device_out)
{
    void *context = NULL;
    int   code = rt_init();

    if (code == RT_SUCCESS)
        code = cuCtxGetCurrent(&context);
    if (code != RT_SUCCESS)
        return code;
    if (context && context != thread_context)
        return cuCtxGetDevice(device_out);
    *device_out = thread_device;
    return RT_SUCCESS;
}

RT_API int cudaGetDevice(int *device)
{
    if (!device)
        return rt_result(RT_INVALID_VALUE);
    return rt_result(current_device(device));
}

RT_API int cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    int code = rt_init();

    if (code == RT_SUCCESS)
        code = cuDeviceGetAttribute(value, attribute, device);
    return rt_result(code);
}

RT_API int cudaDeviceGetPCIBusId(char *text, int room, int device)
{
    int code = rt_init();

    if (code == RT_SUCCESS)
        code = cuDeviceGetPCIBusId(text, room, device);
    return rt_result(code);
}

RT_API int cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    int code = rt_init();

    if (code == RT_SUCCESS)
        code = cuDeviceGetByPCIBusId(device, text);
    return rt_result(code);
}

RT_API int cudaDeviceSynchronize(void)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuCtxSynchronize();
    return rt_result(code);
}

RT_API int cudaDeviceReset(void)
{
    int device;
    int code = current_device(&device);

    if (code != RT_SUCCESS)
        return rt_result(code);
    pthread_mutex_lock(&primary_lock);
    if (device < MAX_DEVICES && primary[device]) {
        code = cuDevicePrimaryCtxReset_v2(device);
        cuDevicePrimaryCtxRelease_v2(device);
        primary[device] = NULL;
        atomic_fetch_add(&resets, 1);
        cuCtxSetCurrent(NULL);
        thread_context = NULL;
    }
    pthread_mutex_unlock(&primary_lock);
    return rt_result(code);
}

RT_API int cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    int code = rt_init();

    if (code == RT_SUCCESS)
        code = cuDeviceCanAccessPeer(can, device, peer);
    return rt_result(code);
}

RT_API int cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    void *context;
    int   code = rt_ready();

    if (code == RT_SUCCESS)
        code = rt_primary(peer, &context);
    if (code == RT_SUCCESS)
        code = cuCtxEnablePeerAccess(context, flags);
    return rt_result(code);
}

RT_API int cudaDeviceDisablePeerAccess(int peer)
{
    void *context;
    int   code = rt_ready();

    if (code == RT_SUCCESS)
        code = rt_primary(peer, &context);
    if (code == RT_SUCCESS)
        code = cuCtxDisablePeerAccess(context);
    return rt_result(code);
}

RT_API int cudaSetDeviceFlags(unsigned flags)
{
    int device;
    int code = current_device(&device);

    if (code == RT_SUCCESS)
        code = cuDevicePrimaryCtxSetFlags_v2(device, flags);
    return rt_result(code);
}

RT_API int cudaGetDeviceFlags(unsigned *flags)
{
    int device, active;
    int code = current_device(&device);

    if (!flags)
        return rt_result(RT_INVALID_VALUE);
    if (code == RT_SUCCESS)
        code = cuDevicePrimaryCtxGetState(device, flags, &active);
    if (code == RT_SUCCESS)
        *flags |= 8; /* cudaDeviceMapHost: always so with one address space */
    return rt_result(code);
}

RT_API int cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    int code = rt_ready();

    if (code == RT_SUCCESS)
        code = cuCtxGetStreamPriorityRange(least, greatest);
    return rt_result(code);
}

/* A profiler has nothing to see here, but programs bracket regions for one. */
RT_API int cudaProfilerStart(void)
{
    return rt_result(rt_ready());
}

RT_API int cudaProfilerStop(void)
{
    return rt_result(rt_ready());
}

#if EMU_CUDART < 13000
/* The names of CUDA 3, gone with CUDA 13. */
RT_API int cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

RT_API int cudaThreadExit(void)
{
    return cudaDeviceReset();
}
#endif
