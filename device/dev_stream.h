#ifndef HC_DEV_STREAM_H
#define HC_DEV_STREAM_H

/*
 * Queues and events over any driver that is shaped like CUDA's: streams,
 * events, a legacy default stream, stream capture.  CUDA and HIP even share
 * their result codes; each brings the calls below and gets the rest from here.
 */

#include "device/device.h"

/* Result codes with the same meaning in both drivers. */
enum {
    HC_STREAM_OK = 0,
    HC_STREAM_INVALID_VALUE = 1,
    HC_STREAM_OUT_OF_MEMORY = 2,
    HC_STREAM_NOT_INITIALIZED = 3,
    HC_STREAM_DEINITIALIZED = 4,
    HC_STREAM_NO_DEVICE = 100,
    HC_STREAM_INVALID_CONTEXT = 201,
    HC_STREAM_INVALID_HANDLE = 400,
    HC_STREAM_NOT_READY = 600,
    HC_STREAM_ILLEGAL_ADDRESS = 700,
    HC_STREAM_CONTEXT_DESTROYED = 709,
    HC_STREAM_CAPTURE_FIRST = 900,
    HC_STREAM_CAPTURE_LAST = 908,
};

/* Bytes: what both drivers give for the attribute of that name. */
#define HC_STREAM_PITCH_MAX ((size_t)INT32_MAX)

/* Every int is the driver's result code.  All but the first four are called
 * between enter and leave, which make the context current and restore what
 * was. */
struct hc_stream_api {
    const char *name;           /* "cuda", for messages */
    void       *default_stream; /* the legacy one */

    int (*enter)(int device, void *context);
    void (*leave)(void);
    /* A number that no other context ever has, or NULL. */
    int (*context_id)(void *context, uint64_t *id_out);
    /* Whether a context that was good once still is; false where the driver
     * can't tell without being given what may be dangling. */
    bool (*is_alive)(int device, void *context, uint64_t id);
    int (*stream_create)(void **stream_out); /* non-blocking */
    int (*stream_destroy)(void *stream);
    int (*stream_is_capturing)(void *stream, int *capturing_out); /* or NULL */
    int (*stream_wait_event)(void *stream, void *event);
    int (*event_create)(void **event_out); /* without timing */
    int (*event_destroy)(void *event);
    int (*event_record)(void *event, void *stream);
    int (*event_query)(void *event);
    int (*copy_async)(void *dst, const void *src, size_t bytes, void *stream);
    /* Its pitches are at most HC_STREAM_PITCH_MAX. */
    int (*copy_rows_async)(const struct hc_dev_rows *rows, void *stream);
    int (*synchronize)(void); /* all work of the current context */
    int (*host_register)(void *ptr, size_t bytes); /* for every context */
    /* "invalid argument (CUDA_ERROR_INVALID_VALUE)"; never fails. */
    void (*error_text)(int code, char *text, size_t room);
};

/* All queues of one backend.  Zero-initialised but for api. */
struct hc_streams {
    const struct hc_stream_api *api;
    struct hc_dev_queue        *queues;
};

/* The operations of struct hc_dev_ops, on a backend's streams. */
hcomm_status hc_streams_queue(struct hc_streams       *streams,
                              const struct hc_dev_mem *mem,
                              struct hc_dev_queue    **queue_out);
hcomm_status hc_streams_copy_rows(struct hc_dev_queue      *queue,
                                  const struct hc_dev_rows *sets, int nsets);
hcomm_status hc_streams_record(struct hc_dev_queue  *queue,
                               struct hc_dev_event **event_out);
hcomm_status hc_streams_test(struct hc_dev_event *event);
hcomm_status hc_streams_pin(struct hc_streams       *streams,
                            const struct hc_dev_mem *mem, void *ptr,
                            size_t bytes, char *why, size_t room);
/* Destroys queues and events, and leaves to the driver those whose context may
 * have gone: to name them would crash it. */
void hc_streams_close(struct hc_streams *streams);

/* What a code means to our caller.  logs "<api> <what>: <driver's words>;
 * <what to do>" unless the code is success. */
hcomm_status hc_stream_status(const struct hc_stream_api *api, int code,
                              const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
