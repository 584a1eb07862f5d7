#include "device/device.h"

#include "config/cfg_log.h"
#include "device/abi_hip.h"
#include "device/dev_load.h"
#include "device/dev_stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* One consumer for HIP 5, 6 and 7: only what kept its ABI.  hipDeviceProp_t
 * changed layout behind one name, so it is never asked for. */
#define HIP_API(X)                                                        \
    X(hipInit, (unsigned flags))                                          \
    X(hipRuntimeGetVersion, (int *version))                               \
    X(hipGetDeviceCount, (int *count))                                    \
    X(hipGetDevice, (int *device))                                        \
    X(hipSetDevice, (int device))                                         \
    X(hipDeviceGetName, (char *name, int room, int device))               \
    X(hipDeviceGetPCIBusId, (char *id, int room, int device))             \
    X(hipDeviceTotalMem, (size_t * bytes, int device))                    \
    X(hipDeviceSynchronize, (void))                                       \
    X(hipPointerGetAttributes,                                            \
      (struct hc_hip_pointer_attributes * attributes, const void *ptr))   \
    X(hipMemGetAddressRange, (void **base, size_t *bytes, void *ptr))     \
    X(hipGetLastError, (void))                                            \
    X(hipMalloc, (void **ptr, size_t bytes))                              \
    X(hipFree, (void *ptr))                                               \
    X(hipHostRegister, (void *ptr, size_t bytes, unsigned flags))         \
    X(hipHostUnregister, (void *ptr))                                     \
    X(hipMemcpyAsync,                                                     \
      (void *dst, const void *src, size_t bytes, int kind, void *stream)) \
    X(hipMemcpy2DAsync,                                                   \
      (void *dst, size_t dst_pitch, const void *src, size_t src_pitch,    \
       size_t width, size_t height, int kind, void *stream))              \
    X(hipStreamCreateWithFlags, (void **stream, unsigned flags))          \
    X(hipStreamDestroy, (void *stream))                                   \
    X(hipStreamWaitEvent, (void *stream, void *event, unsigned flags))    \
    X(hipEventCreateWithFlags, (void **event, unsigned flags))            \
    X(hipEventDestroy, (void *event))                                     \
    X(hipEventRecord, (void *event, void *stream))                        \
    X(hipEventQuery, (void *event))

#define HIP_API_OPTIONAL(X)                                                  \
    X(hipDeviceGetUuid, (void *uuid, int device))                            \
    X(hipPointerSetAttribute, (const void *value, int attribute, void *ptr)) \
    X(hipStreamIsCapturing, (void *stream, int *status))                     \
    X(hipThreadExchangeStreamCaptureMode, (int *mode))

static struct hip_api {
#define X(name, parameters) int(*name) parameters;
    HIP_API(X)
    HIP_API_OPTIONAL(X)
#undef X
    /* Return text, not a code. */
    const char *(*hipGetErrorName)(int code);
    const char *(*hipGetErrorString)(int code);
} hip;

static const struct hc_dev_symbol hip_symbols[] = {
#define X(name, parameters) {#name, offsetof(struct hip_api, name), false},
    HIP_API(X)
#undef X
#define X(name, parameters) {#name, offsetof(struct hip_api, name), true},
        HIP_API_OPTIONAL(X)
#undef X
            {"hipGetErrorName", offsetof(struct hip_api, hipGetErrorName),
             false},
    {"hipGetErrorString", offsetof(struct hip_api, hipGetErrorString), false},
    {NULL, 0, false},
};

static const char *const sonames[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                      "libamdhip64.so.5", NULL};

#define NODE "/dev/kfd"

/* The runtime is the process's, hence the global: 60200000 = 6.2; 0 until it
 * was asked.  Two threads that ask at once get the same. */
static atomic_int runtime_version;

/* What was the thread's before enter. */
static _Thread_local int current_device, capture_mode;

static void exchange_capture_mode(void)
{
    if (hip.hipThreadExchangeStreamCaptureMode != NULL)
        (void)hip.hipThreadExchangeStreamCaptureMode(&capture_mode);
}

static int hip_enter(int device, void *context)
{
    int code = hip.hipGetDevice(&current_device);

    (void)context; /* HIP has one per device */
    if (code == HC_STREAM_OK && current_device != device)
        code = hip.hipSetDevice(device);
    if (code != HC_STREAM_OK)
        return code;
    capture_mode = HC_HIP_CAPTURE_RELAXED;
    exchange_capture_mode();
    return HC_STREAM_OK;
}

static void hip_leave(void)
{
    int device;

    exchange_capture_mode();
    if (hip.hipGetDevice(&device) == HC_STREAM_OK && device != current_device)
        (void)hip.hipSetDevice(current_device);
}

/* A device's one context lasts as long as the process. */
static bool hip_is_alive(int device, void *context, uint64_t id)
{
    (void)device;
    (void)context;
    (void)id;
    return true;
}

static int hip_stream_create(void **stream_out)
{
    return hip.hipStreamCreateWithFlags(stream_out, HC_HIP_STREAM_NON_BLOCKING);
}

static int hip_stream_destroy(void *stream)
{
    return hip.hipStreamDestroy(stream);
}

static int hip_stream_is_capturing(void *stream, int *capturing_out)
{
    *capturing_out = 0;
    return hip.hipStreamIsCapturing != NULL
               ? hip.hipStreamIsCapturing(stream, capturing_out)
               : HC_STREAM_OK;
}

static int hip_stream_wait_event(void *stream, void *event)
{
    return hip.hipStreamWaitEvent(stream, event, 0);
}

static int hip_event_create(void **event_out)
{
    return hip.hipEventCreateWithFlags(event_out, HC_HIP_EVENT_DISABLE_TIMING);
}

static int hip_event_destroy(void *event)
{
    return hip.hipEventDestroy(event);
}

static int hip_event_record(void *event, void *stream)
{
    return hip.hipEventRecord(event, stream);
}

static int version_of_runtime(void)
{
    int version = atomic_load(&runtime_version);

    if (version == 0 && hip.hipRuntimeGetVersion(&version) == HC_STREAM_OK)
        atomic_store(&runtime_version, version);
    return version;
}

static int hip_event_query(void *event)
{
    int code = hip.hipEventQuery(event);

    /* Up to HIP 6 "not ready" sticks as the thread's last error; it is none.
     * From 7 on the last error would be the program's own. */
    if (code == HC_STREAM_NOT_READY && hc_hip_major(version_of_runtime()) < 7)
        (void)hip.hipGetLastError();
    return code;
}

static int hip_copy_async(void *dst, const void *src, size_t bytes,
                          void *stream)
{
    return hip.hipMemcpyAsync(dst, src, bytes, HC_HIP_COPY_DEFAULT, stream);
}

static int hip_copy_rows_async(const struct hc_dev_rows *rows, void *stream)
{
    return hip.hipMemcpy2DAsync(rows->dst, rows->dst_pitch, rows->src,
                                rows->src_pitch, rows->bytes, rows->count,
                                HC_HIP_COPY_DEFAULT, stream);
}

static int hip_synchronize(void)
{
    return hip.hipDeviceSynchronize();
}

static int hip_host_register(void *ptr, size_t bytes)
{
    return hip.hipHostRegister(ptr, bytes, HC_HIP_HOST_PORTABLE);
}

static void hip_error_text(int code, char *text, size_t room)
{
    const char *words = hip.hipGetErrorString(code);
    const char *name = hip.hipGetErrorName(code);

    /* The failure is reported by us; don't leave it to the program's next
     * hipGetLastError. */
    (void)hip.hipGetLastError();
    snprintf(text, room, "%s (%s)", words != NULL ? words : "unknown error",
             name != NULL ? name : "?");
}

static const struct hc_stream_api stream_api = {
    .name = "hip",
    .default_stream = NULL,
    .enter = hip_enter,
    .leave = hip_leave,
    .is_alive = hip_is_alive,
    .stream_create = hip_stream_create,
    .stream_destroy = hip_stream_destroy,
    .stream_is_capturing = hip_stream_is_capturing,
    .stream_wait_event = hip_stream_wait_event,
    .event_create = hip_event_create,
    .event_destroy = hip_event_destroy,
    .event_record = hip_event_record,
    .event_query = hip_event_query,
    .copy_async = hip_copy_async,
    .copy_rows_async = hip_copy_rows_async,
    .synchronize = hip_synchronize,
    .host_register = hip_host_register,
    .error_text = hip_error_text,
};

static struct hc_streams streams = {.api = &stream_api};

static bool is_emulated(void)
{
    static const char *const words[] = {"amd", "hip", "rocm", NULL};

    return hc_dev_is_emulated(words);
}

static bool hip_present(void)
{
    static const char *const nodes[] = {NODE, NULL};

    return is_emulated() || hc_dev_node_exists(nodes);
}

/*
 * Every call of HIP initialises it, and fixes which devices the process sees;
 * so none is made until the program has made its own, which an open /dev/kfd
 * tells.  Initialising takes tens of ms, so looking once per ms misses no
 * pointer; once it is up, this is one load.
 */
static bool runtime_is_up(void)
{
    /* Who comes while another looks waits for what that one finds. */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static atomic_bool     up;
    static long            last_look_ms;

    if (atomic_load_explicit(&up, memory_order_relaxed))
        return true;
    pthread_mutex_lock(&lock);
    if (hc_dev_is_time_to_look(&last_look_ms) &&
        (is_emulated() || hc_dev_has_open(NODE)))
        atomic_store(&up, true);
    pthread_mutex_unlock(&lock);
    return atomic_load(&up);
}

static bool hip_findable(char *why, size_t room)
{
    return hc_dev_findable(sonames, "libamdhip64.so", why, room);
}

static hcomm_status hip_open(enum hc_dev_open_mode mode, char *why, size_t room)
{
    hcomm_status status;
    int          code;

    status = hc_dev_load(sonames, "libamdhip64.so", mode, hip_symbols, &hip,
                         why, room);
    if (status != HCOMM_OK)
        return status;
    code = mode == HC_DEV_LOAD ? hip.hipInit(0) : HC_STREAM_OK;
    if (code != HC_STREAM_OK) {
        char words[128];

        hip_error_text(code, words, sizeof words);
        snprintf(why, room, "hipInit: %s, code %d", words, code);
        return HCOMM_ERR_UNSUPPORTED;
    }
    return HCOMM_OK;
}

static void hip_close(void)
{
    hc_streams_close(&streams);
}

static hcomm_status hip_count(int *count_out)
{
    return hip.hipGetDeviceCount(count_out) == HC_STREAM_OK
               ? HCOMM_OK
               : HCOMM_ERR_UNSUPPORTED;
}

static hcomm_status hip_info(int device, struct hc_dev_info *info_out)
{
    struct hc_dev_info info = {0};
    int                code;

    code = hip.hipDeviceGetName(info.name, (int)sizeof info.name, device);
    if (code == HC_STREAM_OK)
        code = hip.hipDeviceGetPCIBusId(info.bus_id, (int)sizeof info.bus_id,
                                        device);
    if (code == HC_STREAM_OK)
        code = hip.hipDeviceTotalMem(&info.memory_bytes, device);
    if (code != HC_STREAM_OK)
        return hc_stream_status(&stream_api, code, "description of device %d",
                                device);
    if (hip.hipDeviceGetUuid != NULL)
        (void)hip.hipDeviceGetUuid(info.uuid, device);
    info.emulated = strstr(info.name, "emulated") != NULL;
    *info_out = info;
    return HCOMM_OK;
}

static void hip_version(char *text, size_t room)
{
    int version = version_of_runtime();

    snprintf(text, room, "HIP %d.%d", hc_hip_major(version),
             version % 10000000 / 100000);
}

/*
 * hipMemoryType was renumbered between 5 and 6, so the two pointers decide:
 * device memory has no host address, pinned and managed memory have both, and
 * what the runtime doesn't know (an error in 5, a type of its own in 6) has
 * none on the device.
 */
static bool classify(const struct hc_hip_pointer_attributes *attributes,
                     enum hc_dev_mem_type                   *type_out)
{
    if (attributes->device_ptr == NULL)
        return false;
    if (attributes->is_managed)
        *type_out = HC_MEM_MANAGED;
    else if (attributes->host_ptr != NULL)
        *type_out = HC_MEM_PINNED;
    else
        *type_out = HC_MEM_DEVICE;
    return true;
}

static hcomm_status hip_query(const void *ptr, struct hc_dev_mem *mem_out)
{
    struct hc_hip_pointer_attributes attributes = {0};
    struct hc_dev_mem                mem = {.ops = &hc_dev_hip};
    unsigned                         on = 1;
    void                            *base = NULL;

    if (!runtime_is_up())
        return HCOMM_ERR_NOT_FOUND;
    if (hip.hipPointerGetAttributes(&attributes, ptr) != HC_STREAM_OK) {
        (void)hip.hipGetLastError();
        return HCOMM_ERR_NOT_FOUND;
    }
    if (!classify(&attributes, &mem.type))
        return HCOMM_ERR_NOT_FOUND;

    mem.device = attributes.device;
    mem.base = (uintptr_t)ptr;
    if (hip.hipMemGetAddressRange(&base, &mem.bytes, attributes.device_ptr) ==
        HC_STREAM_OK)
        mem.base = (uintptr_t)base;
    else
        (void)hip.hipGetLastError();
    /* As for CUDA; HIP can't be asked whether it is set, and setting it again
     * changes nothing. */
    if (mem.type == HC_MEM_DEVICE && hip.hipPointerSetAttribute != NULL &&
        hip.hipPointerSetAttribute(&on, HC_HIP_PTR_SYNC_MEMOPS,
                                   attributes.device_ptr) != HC_STREAM_OK)
        (void)hip.hipGetLastError();
    *mem_out = mem;
    return HCOMM_OK;
}

static hcomm_status hip_alloc(int device, size_t bytes, void **ptr_out)
{
    int code = hip_enter(device, NULL);

    if (code == HC_STREAM_OK) {
        code = hip.hipMalloc(ptr_out, bytes);
        hip_leave();
    }
    return hc_stream_status(&stream_api, code,
                            "allocation of %zu bytes on device %d", bytes,
                            device);
}

static void hip_free(int device, void *ptr)
{
    if (hip_enter(device, NULL) == HC_STREAM_OK) {
        (void)hip.hipFree(ptr);
        hip_leave();
    }
}

static hcomm_status hip_pin(const struct hc_dev_mem *mem, void *ptr,
                            size_t bytes, char *why, size_t room)
{
    return hc_streams_pin(&streams, mem, ptr, bytes, why, room);
}

static void hip_unpin(const struct hc_dev_mem *mem, void *ptr)
{
    (void)mem;
    if (hip.hipHostUnregister(ptr) != HC_STREAM_OK)
        (void)hip.hipGetLastError();
}

static hcomm_status hip_queue(const struct hc_dev_mem *mem,
                              struct hc_dev_queue    **queue_out)
{
    return hc_streams_queue(&streams, mem, queue_out);
}

const struct hc_dev_ops hc_dev_hip = {
    .name = "hip",
    .vendor = "amd",
    .kind = HC_DEV_HIP,
    .present = hip_present,
    .findable = hip_findable,
    .open = hip_open,
    .close = hip_close,
    .count = hip_count,
    .info = hip_info,
    .version = hip_version,
    .query = hip_query,
    .alloc = hip_alloc,
    .free = hip_free,
    .pin = hip_pin,
    .unpin = hip_unpin,
    .queue = hip_queue,
    .copy_rows = hc_streams_copy_rows,
    .record = hc_streams_record,
    .test = hc_streams_test,
};
