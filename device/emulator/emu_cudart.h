#ifndef EMU_CUDART_H
#define EMU_CUDART_H

/*
 * The CUDA runtime's public interface over the driver's: what the sources of
 * the emulated libcudart share.  They are compiled once per major version,
 * with EMU_CUDART 11080, 12040 or 13000, into libcudart.so.11.0, .12 and .13.
 *
 * Nothing here emulates: every call ends in libcuda.so.1, which also traces
 * and injects faults.  Result codes need no translation, since the runtime
 * numbers its errors as the driver does (from CUDA 10.1 on).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if EMU_CUDART != 11080 && EMU_CUDART != 12040 && EMU_CUDART != 13000
#error "EMU_CUDART must be 11080, 12040 or 13000"
#endif

/* Every public function; the version script keeps the rest inside. */
#define RT_API __attribute__((visibility("default")))

/* Runtime errors that have no twin in the driver, and those we decide. */
enum {
    RT_SUCCESS = 0,
    RT_INVALID_VALUE = 1,
    RT_INVALID_PITCH = 12,
    RT_INVALID_DIRECTION = 21,
    RT_INVALID_DEVICE = 101,
    RT_NOT_SUPPORTED = 801,
    RT_UNKNOWN = 999,
};

/* cudaMemcpyKind */
enum { RT_HOST_HOST, RT_HOST_DEV, RT_DEV_HOST, RT_DEV_DEV, RT_DEFAULT };

/* The driver's handle of the per-thread default stream. */
#define RT_STREAM_PER_THREAD ((void *)2)

/* What a program compiled with a per-thread default stream means by 0. */
static inline void *rt_per_thread(void *stream)
{
    return stream ? stream : RT_STREAM_PER_THREAD;
}

struct rt_ipc_handle {
    char bytes[64];
};

struct rt_location {
    int type; /* 0 invalid, 1 device, 2.. some part of the host */
    int id;
};

/* CUDA_MEMCPY2D_v2 */
struct rt_copy_2d {
    size_t      src_x_bytes, src_y;
    unsigned    src_type; /* 1 host, 2 device, 4 either */
    const void *src_host;
    uintptr_t   src_device;
    void       *src_array;
    size_t      src_pitch_bytes;
    size_t      dst_x_bytes, dst_y;
    unsigned    dst_type;
    void       *dst_host;
    uintptr_t   dst_device;
    void       *dst_array;
    size_t      dst_pitch_bytes;
    size_t      width_bytes, height;
};

/* Keep a failure for cudaGetLastError; returns it.  Success leaves the last
 * error alone, as in the real runtime. */
int rt_result(int code);

/* The driver is initialised.  0 or the driver's code. */
int rt_init(void);

/* A context is current in this thread: the one it has, else the primary
 * context of the thread's device.  0 or the driver's code. */
int rt_ready(void);

/* The primary context of a device, retained once per process. */
int rt_primary(int device, void **context_out);

/* Log once per name that a function is not emulated; RT_NOT_SUPPORTED. */
int rt_unsupported(const char *name, bool *said);

/* The driver's functions in use, by the names that the library exports. */
int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int room, int device);
int cuDeviceGetUuid_v2(void *uuid, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceGetPCIBusId(char *text, int room, int device);
int cuDeviceGetByPCIBusId(int *device, const char *text);
int cuDeviceCanAccessPeer(int *can, int device, int peer);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxReset_v2(int device);
int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
int cuCtxGetCurrent(void **context);
int cuCtxSetCurrent(void *context);
int cuCtxGetDevice(int *device);
int cuCtxSynchronize(void);
int cuCtxEnablePeerAccess(void *context, unsigned flags);
int cuCtxDisablePeerAccess(void *context);
int cuCtxGetStreamPriorityRange(int *least, int *greatest);

int cuMemAlloc_v2(uintptr_t *ptr, size_t bytes);
int cuMemFree_v2(uintptr_t ptr);
int cuMemAllocManaged(uintptr_t *ptr, size_t bytes, unsigned flags);
int cuMemHostAlloc(void **ptr, size_t bytes, unsigned flags);
int cuMemFreeHost(void *ptr);
int cuMemHostRegister_v2(void *ptr, size_t bytes, unsigned flags);
int cuMemHostUnregister(void *ptr);
int cuMemHostGetDevicePointer_v2(uintptr_t *device, void *host, unsigned flags);
int cuMemHostGetFlags(unsigned *flags, void *ptr);
int cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes);
int cuPointerGetAttributes(unsigned count, int *attributes, void **data,
                           uintptr_t ptr);
int cuMemPrefetchAsync(uintptr_t ptr, size_t bytes, int device, void *stream);
int cuMemAdvise(uintptr_t ptr, size_t bytes, int advice, int device);

int cuMemAllocAsync(uintptr_t *ptr, size_t bytes, void *stream);
int cuMemAllocFromPoolAsync(uintptr_t *ptr, size_t bytes, void *pool,
                            void *stream);
int cuMemFreeAsync(uintptr_t ptr, void *stream);
int cuDeviceGetDefaultMemPool(void **pool, int device);
int cuDeviceGetMemPool(void **pool, int device);
int cuDeviceSetMemPool(int device, void *pool);
int cuMemPoolCreate(void **pool, const void *props);
int cuMemPoolDestroy(void *pool);
int cuMemPoolTrimTo(void *pool, size_t keep_bytes);
int cuMemPoolSetAttribute(void *pool, int attribute, void *value);
int cuMemPoolGetAttribute(void *pool, int attribute, void *value);
int cuMemPoolSetAccess(void *pool, const void *access, size_t count);
int cuMemPoolGetAccess(int *flags, void *pool, void *location);
int cuMemPoolExportToShareableHandle(void *handle, void *pool, int type,
                                     unsigned long long flags);
int cuMemPoolImportFromShareableHandle(void **pool, void *handle, int type,
                                       unsigned long long flags);
int cuMemPoolExportPointer(void *export_data, uintptr_t ptr);
int cuMemPoolImportPointer(uintptr_t *ptr, void *pool, void *export_data);

int cuMemcpy(uintptr_t dst, uintptr_t src, size_t bytes);
int cuMemcpyAsync(uintptr_t dst, uintptr_t src, size_t bytes, void *stream);
int cuMemcpyHtoD_v2(uintptr_t dst, const void *src, size_t bytes);
int cuMemcpyDtoH_v2(void *dst, uintptr_t src, size_t bytes);
int cuMemcpyDtoD_v2(uintptr_t dst, uintptr_t src, size_t bytes);
int cuMemcpyHtoDAsync_v2(uintptr_t dst, const void *src, size_t bytes,
                         void *stream);
int cuMemcpyDtoHAsync_v2(void *dst, uintptr_t src, size_t bytes, void *stream);
int cuMemcpyDtoDAsync_v2(uintptr_t dst, uintptr_t src, size_t bytes,
                         void *stream);
int cuMemcpyPeer(uintptr_t dst, void *dst_context, uintptr_t src,
                 void *src_context, size_t bytes);
int cuMemcpyPeerAsync(uintptr_t dst, void *dst_context, uintptr_t src,
                      void *src_context, size_t bytes, void *stream);
int cuMemcpy2DUnaligned_v2(const struct rt_copy_2d *copy);
int cuMemcpy2DAsync_v2(const struct rt_copy_2d *copy, void *stream);
int cuMemsetD8_v2(uintptr_t ptr, unsigned char value, size_t count);
int cuMemsetD8Async(uintptr_t ptr, unsigned char value, size_t count,
                    void *stream);
int cuMemsetD2D8_v2(uintptr_t ptr, size_t pitch_bytes, unsigned char value,
                    size_t width, size_t height);
int cuMemsetD2D8Async(uintptr_t ptr, size_t pitch_bytes, unsigned char value,
                      size_t width, size_t height, void *stream);

int cuStreamCreate(void **stream, unsigned flags);
int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority);
int cuStreamDestroy_v2(void *stream);
int cuStreamSynchronize(void *stream);
int cuStreamQuery(void *stream);
int cuStreamWaitEvent(void *stream, void *event, unsigned flags);
int cuStreamGetFlags(void *stream, unsigned *flags);
int cuStreamGetPriority(void *stream, int *priority);
int cuStreamAddCallback(void *stream, void (*function)(void *, int, void *),
                        void *data, unsigned flags);
int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data);
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, void **graph);
int cuStreamIsCapturing(void *stream, int *status);
int cuStreamGetCaptureInfo_v2(void *stream, int *status, uint64_t *id,
                              void **graph, const void **nodes, size_t *count);
int cuThreadExchangeStreamCaptureMode(int *mode);
int cuGraphDestroy(void *graph);
int cuEventCreate(void **event, unsigned flags);
int cuEventDestroy_v2(void *event);
int cuEventRecord(void *event, void *stream);
int cuEventQuery(void *event);
int cuEventSynchronize(void *event);
int cuEventElapsedTime(float *ms, void *start, void *end);

int cuIpcGetMemHandle(struct rt_ipc_handle *handle, uintptr_t ptr);
int cuIpcOpenMemHandle_v2(uintptr_t *ptr, struct rt_ipc_handle handle,
                          unsigned flags);
int cuIpcCloseMemHandle(uintptr_t ptr);
int cuIpcGetEventHandle(struct rt_ipc_handle *handle, void *event);
int cuIpcOpenEventHandle(void **event, struct rt_ipc_handle handle);
int cuGetProcAddress_v2(const char *symbol, void **function, int version,
                        uint64_t flags, int *status);

#endif
