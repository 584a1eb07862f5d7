#include "device/device.h"

#include "config/cfg_log.h"
#include "device/abi_cuda.h"
#include "device/dev_load.h"
#include "device/dev_stream.h"

#include <stdio.h>
#include <string.h>

/* dlsym needs the versioned names that cuda.h hides behind #defines: a plain
 * cuMemAlloc is the pre-3.2 entry point and truncates sizes to 32 bits. */
#define CUDA_API(X)                                                            \
    X(cuInit, (unsigned flags))                                                \
    X(cuDriverGetVersion, (int *version))                                      \
    X(cuGetErrorName, (int code, const char **text))                           \
    X(cuGetErrorString, (int code, const char **text))                         \
    X(cuDeviceGetCount, (int *count))                                          \
    X(cuDeviceGet, (int *device, int ordinal))                                 \
    X(cuDeviceGetName, (char *name, int room, int device))                     \
    X(cuDeviceGetPCIBusId, (char *id, int room, int device))                   \
    X(cuDeviceTotalMem_v2, (size_t * bytes, int device))                       \
    X(cuDeviceGetAttribute, (int *value, int attribute, int device))           \
    X(cuDevicePrimaryCtxGetState, (int device, unsigned *flags, int *active))  \
    X(cuDevicePrimaryCtxRetain, (void **context, int device))                  \
    X(cuDevicePrimaryCtxRelease_v2, (int device))                              \
    X(cuCtxPushCurrent_v2, (void *context))                                    \
    X(cuCtxPopCurrent_v2, (void **context))                                    \
    X(cuCtxGetCurrent, (void **context))                                       \
    X(cuCtxGetDevice, (int *device))                                           \
    X(cuCtxSynchronize, (void))                                                \
    X(cuPointerGetAttributes,                                                  \
      (unsigned count, int *attributes, void **values, uint64_t ptr))          \
    X(cuPointerSetAttribute, (const void *value, int attribute, uint64_t ptr)) \
    X(cuMemAlloc_v2, (uint64_t * ptr, size_t bytes))                           \
    X(cuMemFree_v2, (uint64_t ptr))                                            \
    X(cuMemHostRegister_v2, (void *ptr, size_t bytes, unsigned flags))         \
    X(cuMemHostUnregister, (void *ptr))                                        \
    X(cuMemcpyAsync, (uint64_t dst, uint64_t src, size_t bytes, void *stream)) \
    X(cuMemcpy2DAsync_v2, (const struct hc_cu_copy_2d *copy, void *stream))    \
    X(cuStreamCreate, (void **stream, unsigned flags))                         \
    X(cuStreamDestroy_v2, (void *stream))                                      \
    X(cuStreamWaitEvent, (void *stream, void *event, unsigned flags))          \
    X(cuEventCreate, (void **event, unsigned flags))                           \
    X(cuEventDestroy_v2, (void *event))                                        \
    X(cuEventRecord, (void *event, void *stream))                              \
    X(cuEventQuery, (void *event))

enum { DRIVER_MIN = 10020 }; /* 10.2: the pointer attributes that we ask for */

/* Younger than that driver; NULL where absent.  cuCtxGetId is of 12.0. */
#define CUDA_API_OPTIONAL(X)                               \
    X(cuCtxGetId, (void *context, unsigned long long *id)) \
    X(cuDeviceGetUuid, (void *uuid, int device))           \
    X(cuStreamIsCapturing, (void *stream, int *status))    \
    X(cuThreadExchangeStreamCaptureMode, (int *mode))

static struct cuda_api {
#define X(name, parameters) int(*name) parameters;
    CUDA_API(X) CUDA_API_OPTIONAL(X)
#undef X
} cuda;

static const struct hc_dev_symbol cuda_symbols[] = {
#define X(name, parameters) {#name, offsetof(struct cuda_api, name), false},
    CUDA_API(X)
#undef X
#define X(name, parameters) {#name, offsetof(struct cuda_api, name), true},
        CUDA_API_OPTIONAL(X)
#undef X
            {NULL, 0, false},
};

static const char *const sonames[] = {"libcuda.so.1", NULL};

/* The driver is the process's, hence the global: 13000 = 13.0. */
static int driver_version;

/* What the thread's capture mode was before enter. */
static _Thread_local int capture_mode;

static void exchange_capture_mode(void)
{
    if (cuda.cuThreadExchangeStreamCaptureMode != NULL)
        (void)cuda.cuThreadExchangeStreamCaptureMode(&capture_mode);
}

static int cuda_enter(int device, void *context)
{
    int code = cuda.cuCtxPushCurrent_v2(context);

    (void)device;
    if (code != HC_STREAM_OK)
        return code;
    /* Another thread's capture must not forbid our calls, nor they spoil it. */
    capture_mode = HC_CU_CAPTURE_RELAXED;
    exchange_capture_mode();
    return HC_STREAM_OK;
}

static void cuda_leave(void)
{
    void *context;

    exchange_capture_mode();
    (void)cuda.cuCtxPopCurrent_v2(&context);
}

static int cuda_context_id(void *context, uint64_t *id_out)
{
    unsigned long long id = 0;
    int                code = HC_STREAM_OK;

    if (cuda.cuCtxGetId != NULL)
        code = cuda.cuCtxGetId(context, &id);
    *id_out = id;
    return code;
}

/* The device's primary context, if the program uses it now; borrowed. */
static void *primary_context(int device)
{
    void    *context = NULL;
    unsigned flags;
    int      active = 0;

    if (cuda.cuDevicePrimaryCtxGetState(device, &flags, &active) !=
            HC_STREAM_OK ||
        !active ||
        cuda.cuDevicePrimaryCtxRetain(&context, device) != HC_STREAM_OK)
        return NULL;
    (void)cuda.cuDevicePrimaryCtxRelease_v2(device);
    return context;
}

/* Of the contexts that a program makes itself the driver can't be asked. */
static bool cuda_is_alive(int device, void *context, uint64_t id)
{
    uint64_t now = 0;

    return context == primary_context(device) &&
           cuda_context_id(context, &now) == HC_STREAM_OK && now == id;
}

static int cuda_stream_create(void **stream_out)
{
    return cuda.cuStreamCreate(stream_out, HC_CU_STREAM_NON_BLOCKING);
}

static int cuda_stream_destroy(void *stream)
{
    return cuda.cuStreamDestroy_v2(stream);
}

static int cuda_stream_is_capturing(void *stream, int *capturing_out)
{
    *capturing_out = 0;
    return cuda.cuStreamIsCapturing != NULL
               ? cuda.cuStreamIsCapturing(stream, capturing_out)
               : HC_STREAM_OK;
}

static int cuda_stream_wait_event(void *stream, void *event)
{
    return cuda.cuStreamWaitEvent(stream, event, 0);
}

static int cuda_event_create(void **event_out)
{
    return cuda.cuEventCreate(event_out, HC_CU_EVENT_DISABLE_TIMING);
}

static int cuda_event_destroy(void *event)
{
    return cuda.cuEventDestroy_v2(event);
}

static int cuda_event_record(void *event, void *stream)
{
    return cuda.cuEventRecord(event, stream);
}

static int cuda_event_query(void *event)
{
    return cuda.cuEventQuery(event);
}

static int cuda_copy_async(void *dst, const void *src, size_t bytes,
                           void *stream)
{
    return cuda.cuMemcpyAsync((uintptr_t)dst, (uintptr_t)src, bytes, stream);
}

static int cuda_copy_rows_async(const struct hc_dev_rows *rows, void *stream)
{
    const struct hc_cu_copy_2d copy = {
        .src_type = HC_CU_MEMORYTYPE_UNIFIED,
        .src_device = (uintptr_t)rows->src,
        .src_pitch = rows->src_pitch,
        .dst_type = HC_CU_MEMORYTYPE_UNIFIED,
        .dst_device = (uintptr_t)rows->dst,
        .dst_pitch = rows->dst_pitch,
        .width_bytes = rows->bytes,
        .height = rows->count,
    };

    return cuda.cuMemcpy2DAsync_v2(&copy, stream);
}

static int cuda_synchronize(void)
{
    return cuda.cuCtxSynchronize();
}

static int cuda_host_register(void *ptr, size_t bytes)
{
    return cuda.cuMemHostRegister_v2(ptr, bytes,
                                     HC_CU_MEMHOSTREGISTER_PORTABLE);
}

static void cuda_error_text(int code, char *text, size_t room)
{
    const char *words = NULL, *name = NULL;

    (void)cuda.cuGetErrorString(code, &words);
    (void)cuda.cuGetErrorName(code, &name);
    snprintf(text, room, "%s (%s)", words != NULL ? words : "unknown error",
             name != NULL ? name : "?");
}

static const struct hc_stream_api stream_api = {
    .name = "cuda",
    .default_stream = (void *)HC_CU_STREAM_LEGACY,
    .enter = cuda_enter,
    .leave = cuda_leave,
    .context_id = cuda_context_id,
    .is_alive = cuda_is_alive,
    .stream_create = cuda_stream_create,
    .stream_destroy = cuda_stream_destroy,
    .stream_is_capturing = cuda_stream_is_capturing,
    .stream_wait_event = cuda_stream_wait_event,
    .event_create = cuda_event_create,
    .event_destroy = cuda_event_destroy,
    .event_record = cuda_event_record,
    .event_query = cuda_event_query,
    .copy_async = cuda_copy_async,
    .copy_rows_async = cuda_copy_rows_async,
    .synchronize = cuda_synchronize,
    .host_register = cuda_host_register,
    .error_text = cuda_error_text,
};

static struct hc_streams streams = {.api = &stream_api};

static bool cuda_present(void)
{
    static const char *const nodes[] = {
        "/dev/nvidiactl",
        "/dev/nvidia0",
        "/dev/dxg",        /* WSL */
        "/dev/nvhost-gpu", /* Tegra */
        NULL,
    };
    static const char *const words[] = {"nvidia", "cuda", NULL};

    return hc_dev_is_emulated(words) || hc_dev_node_exists(nodes);
}

static bool cuda_findable(char *why, size_t room)
{
    return hc_dev_findable(sonames, "libcuda.so", why, room);
}

static hcomm_status cuda_open(enum hc_dev_open_mode mode, char *why,
                              size_t room)
{
    hcomm_status status;
    int          code;

    status = hc_dev_load(sonames, "libcuda.so", mode, cuda_symbols, &cuda, why,
                         room);
    if (status != HCOMM_OK)
        return status;
    /* A guest initialises nothing: until the program has called cuInit, every
     * query says so, and no pointer can be the driver's. */
    code = mode == HC_DEV_LOAD ? cuda.cuInit(0) : HC_STREAM_OK;
    if (code != HC_STREAM_OK) {
        char words[128];

        cuda_error_text(code, words, sizeof words);
        snprintf(why, room, "cuInit: %s, code %d", words, code);
        return HCOMM_ERR_UNSUPPORTED;
    }
    if (cuda.cuDriverGetVersion(&driver_version) != HC_STREAM_OK)
        driver_version = 0;
    if (driver_version < DRIVER_MIN) {
        snprintf(why, room,
                 "the driver is of CUDA %d.%d, and 10.2 is the oldest served: "
                 "update it",
                 driver_version / 1000, driver_version % 1000 / 10);
        return HCOMM_ERR_UNSUPPORTED;
    }
    return HCOMM_OK;
}

static void cuda_close(void)
{
    hc_streams_close(&streams);
}

static hcomm_status cuda_count(int *count_out)
{
    return cuda.cuDeviceGetCount(count_out) == HC_STREAM_OK
               ? HCOMM_OK
               : HCOMM_ERR_UNSUPPORTED;
}

static hcomm_status cuda_info(int ordinal, struct hc_dev_info *info_out)
{
    struct hc_dev_info info = {0};
    int                device, major = 0, minor = 0;
    int                code = cuda.cuDeviceGet(&device, ordinal);

    if (code == HC_STREAM_OK)
        code = cuda.cuDeviceGetName(info.name, (int)sizeof info.name, device);
    if (code == HC_STREAM_OK)
        code = cuda.cuDeviceGetPCIBusId(info.bus_id, (int)sizeof info.bus_id,
                                        device);
    if (code == HC_STREAM_OK)
        code = cuda.cuDeviceTotalMem_v2(&info.memory_bytes, device);
    if (code != HC_STREAM_OK)
        return hc_stream_status(&stream_api, code, "description of device %d",
                                ordinal);

    (void)cuda.cuDeviceGetAttribute(
        &major, HC_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR, device);
    (void)cuda.cuDeviceGetAttribute(
        &minor, HC_CU_DEVICE_COMPUTE_CAPABILITY_MINOR, device);
    snprintf(info.arch, sizeof info.arch, "sm_%d%d", major, minor);
    if (cuda.cuDeviceGetUuid != NULL)
        (void)cuda.cuDeviceGetUuid(info.uuid, device);
    info.emulated = strstr(info.name, "emulated") != NULL;
    *info_out = info;
    return HCOMM_OK;
}

static void cuda_version(char *text, size_t room)
{
    snprintf(text, room, "CUDA %d.%d", driver_version / 1000,
             driver_version % 1000 / 10);
}

/* Pool and mapped memory belong to a device, not to a context: its primary one
 * serves if the program uses it, else the thread's own.  Borrowed: the program
 * must be free to end it. */
static void *context_on(int device)
{
    void *context = primary_context(device);
    int   current = -1;

    if (context == NULL && cuda.cuCtxGetDevice(&current) == HC_STREAM_OK &&
        current == device)
        (void)cuda.cuCtxGetCurrent(&context);
    return context;
}

/* No pointer is the driver's where it was not initialised, or has gone. */
static hcomm_status query_status(int code, const void *ptr)
{
    switch (code) {
    case HC_STREAM_INVALID_VALUE:
    case HC_STREAM_NOT_INITIALIZED:
    case HC_STREAM_DEINITIALIZED:
    case HC_STREAM_NO_DEVICE:
        return HCOMM_ERR_NOT_FOUND;
    default:
        return hc_stream_status(&stream_api, code, "question about address %p",
                                ptr);
    }
}

/* The driver answers all in one call, or none where it is too old for one. */
static hcomm_status describe(const void *ptr, struct hc_dev_mem *mem,
                             int *sync_memops_out)
{
    void *context = NULL, *pool = NULL;
    int   device = -1, legacy_ipc = 1;
    void *base = NULL;
    int   names[] = {
          HC_CU_POINTER_ATTRIBUTE_CONTEXT,
          HC_CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
          HC_CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
          HC_CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
          HC_CU_POINTER_ATTRIBUTE_RANGE_SIZE,
          HC_CU_POINTER_ATTRIBUTE_IS_LEGACY_IPC,
          HC_CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, /* 11.3 */
    };
    void *values[] = {&context,    &device, sync_memops_out, &base, &mem->bytes,
                      &legacy_ipc, &pool};
    unsigned count = sizeof names / sizeof names[0];
    int      code;

    if (driver_version < 11030)
        count--;
    code = cuda.cuPointerGetAttributes(count, names, values, (uintptr_t)ptr);
    if (code != HC_STREAM_OK)
        return query_status(code, ptr);

    mem->device = device;
    mem->base = (uintptr_t)base;
    mem->context = context != NULL ? context : context_on(device);
    if (mem->type == HC_MEM_DEVICE && pool != NULL)
        mem->type = HC_MEM_POOL;
    else if (mem->type == HC_MEM_DEVICE && !legacy_ipc)
        mem->type = HC_MEM_VMM;
    return HCOMM_OK;
}

static hcomm_status cuda_query(const void *ptr, struct hc_dev_mem *mem_out)
{
    struct hc_dev_mem mem = {.ops = &hc_dev_cuda, .type = HC_MEM_DEVICE};
    unsigned          type = 0, on = 1;
    int               managed = 0, sync_memops = 0;
    int               names[] = {HC_CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 HC_CU_POINTER_ATTRIBUTE_IS_MANAGED};
    void             *values[] = {&type, &managed};
    hcomm_status      status;
    int               code;

    code = cuda.cuPointerGetAttributes(2, names, values, (uintptr_t)ptr);
    if (code != HC_STREAM_OK)
        return query_status(code, ptr);
    if (type == 0 && !managed)
        return HCOMM_ERR_NOT_FOUND;
    if (managed)
        mem.type = HC_MEM_MANAGED;
    else if (type == HC_CU_MEMORYTYPE_HOST)
        mem.type = HC_MEM_PINNED;

    capture_mode = HC_CU_CAPTURE_RELAXED;
    exchange_capture_mode();
    status = describe(ptr, &mem, &sync_memops);
    /* Else the driver's synchronous copies to and from it may return before
     * they are done, and other libraries read too early. */
    if (status == HCOMM_OK && mem.type == HC_MEM_DEVICE && !sync_memops)
        (void)cuda.cuPointerSetAttribute(
            &on, HC_CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (uintptr_t)ptr);
    exchange_capture_mode();
    if (status != HCOMM_OK)
        return status;
    *mem_out = mem;
    return HCOMM_OK;
}

/* For tools and tests: memory in the device's primary context. */
static hcomm_status cuda_alloc(int device, size_t bytes, void **ptr_out)
{
    void    *context;
    uint64_t ptr = 0;
    int      code = cuda.cuDevicePrimaryCtxRetain(&context, device);

    if (code == HC_STREAM_OK)
        code = cuda_enter(device, context);
    if (code == HC_STREAM_OK) {
        code = cuda.cuMemAlloc_v2(&ptr, bytes);
        cuda_leave();
    }
    if (code == HC_STREAM_OK)
        *ptr_out = (void *)(uintptr_t)ptr;
    return hc_stream_status(&stream_api, code,
                            "allocation of %zu bytes on device %d", bytes,
                            device);
}

static void cuda_free(int device, void *ptr)
{
    void *context;

    if (cuda.cuDevicePrimaryCtxRetain(&context, device) != HC_STREAM_OK)
        return;
    if (cuda_enter(device, context) == HC_STREAM_OK) {
        (void)cuda.cuMemFree_v2((uintptr_t)ptr);
        cuda_leave();
    }
    /* This retain and the one of alloc. */
    (void)cuda.cuDevicePrimaryCtxRelease_v2(device);
    (void)cuda.cuDevicePrimaryCtxRelease_v2(device);
}

static hcomm_status cuda_pin(const struct hc_dev_mem *mem, void *ptr,
                             size_t bytes, char *why, size_t room)
{
    return hc_streams_pin(&streams, mem, ptr, bytes, why, room);
}

static void cuda_unpin(const struct hc_dev_mem *mem, void *ptr)
{
    /* A context that has gone took the pinning along: an error, and right. */
    (void)mem;
    (void)cuda.cuMemHostUnregister(ptr);
}

static hcomm_status cuda_queue(const struct hc_dev_mem *mem,
                               struct hc_dev_queue    **queue_out)
{
    return hc_streams_queue(&streams, mem, queue_out);
}

const struct hc_dev_ops hc_dev_cuda = {
    .name = "cuda",
    .vendor = "nvidia",
    .kind = HC_DEV_CUDA,
    .present = cuda_present,
    .findable = cuda_findable,
    .open = cuda_open,
    .close = cuda_close,
    .count = cuda_count,
    .info = cuda_info,
    .version = cuda_version,
    .query = cuda_query,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .pin = cuda_pin,
    .unpin = cuda_unpin,
    .queue = cuda_queue,
    .copy_rows = hc_streams_copy_rows,
    .record = hc_streams_record,
    .test = hc_streams_test,
};
