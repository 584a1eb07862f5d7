#include "device/emulator/emu_cuda.h"

#include <pthread.h>
#include <stdlib.h>

/* What the ABI knows of a context besides the engine. */
struct extra {
    struct extra       *next;
    struct emu_context *context;
    unsigned            flags;
    uint64_t            peers; /* bit per device that access is enabled to */
};

/* Global as the driver's contexts are; all under lock. */
static struct extra   *extras;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    struct emu_context *context; /* kept for ever, so that handles stay good */
    unsigned            refs, flags;
} primaries[64];

#define STACK_DEPTH 32

static _Thread_local struct emu_context *stack[STACK_DEPTH];
static _Thread_local int                 depth;

struct emu_context *emu_cuda_current(void)
{
    return depth > 0 ? stack[depth - 1] : NULL;
}

struct emu_context *emu_cuda_primary(hc_cu_device device)
{
    struct emu_context *context;

    pthread_mutex_lock(&lock);
    context = primaries[device].refs > 0 ? primaries[device].context : NULL;
    pthread_mutex_unlock(&lock);
    return context;
}

/* A context that a caller named. */
static hc_cu_result check_context(struct hc_cu_context *context)
{
    struct emu_context *named = (struct emu_context *)context;

    if (named == NULL)
        return HC_CU_INVALID_VALUE;
    if (!emu_context_valid(named))
        return HC_CU_INVALID_CONTEXT;
    return emu_context_error(named) == HC_CU_CONTEXT_IS_DESTROYED
               ? HC_CU_CONTEXT_IS_DESTROYED
               : HC_CU_SUCCESS;
}

/* ------------------------------------------------------------ make, destroy */

/* lock held */
static struct extra *extra_of(const struct emu_context *context)
{
    struct extra *extra = extras;

    while (extra != NULL && extra->context != context)
        extra = extra->next;
    return extra;
}

/* lock held */
static hc_cu_result make(hc_cu_device device, unsigned flags,
                         struct emu_context **context_out)
{
    struct extra *extra = calloc(1, sizeof *extra);
    hc_cu_result  result;

    if (extra == NULL)
        return HC_CU_OUT_OF_MEMORY;
    result = emu_context_create(device, &extra->context);
    if (result != HC_CU_SUCCESS) {
        free(extra);
        return result;
    }
    extra->flags = flags;
    extra->next = extras;
    extras = extra;
    *context_out = extra->context;
    return HC_CU_SUCCESS;
}

hc_cu_result cuDevicePrimaryCtxRetain(struct hc_cu_context **context_out,
                                      hc_cu_device           device)
{
    hc_cu_result result = emu_cuda_enter_device(__func__, device);

    if (result == HC_CU_SUCCESS && context_out == NULL)
        result = HC_CU_INVALID_VALUE;
    if (result != HC_CU_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    if (primaries[device].context == NULL)
        result =
            make(device, primaries[device].flags, &primaries[device].context);
    else if (primaries[device].refs == 0)
        result = emu_context_revive(primaries[device].context);
    if (result == HC_CU_SUCCESS) {
        primaries[device].refs++;
        *context_out = emu_cuda_context(primaries[device].context);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

hc_cu_result cuDevicePrimaryCtxRelease_v2(hc_cu_device device)
{
    hc_cu_result        result = emu_cuda_enter_device(__func__, device);
    struct emu_context *last = NULL;

    if (result != HC_CU_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    if (primaries[device].refs == 0) {
        result = HC_CU_INVALID_CONTEXT;
    } else if (--primaries[device].refs == 0) {
        last = primaries[device].context;
    }
    emu_context_destroy(last);
    pthread_mutex_unlock(&lock);
    return result;
}

hc_cu_result cuDevicePrimaryCtxReset_v2(hc_cu_device device)
{
    hc_cu_result        result = emu_cuda_enter_device(__func__, device);
    struct emu_context *old;

    if (result != HC_CU_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    old = primaries[device].refs > 0 ? primaries[device].context : NULL;
    primaries[device].refs = 0;
    emu_context_destroy(old);
    pthread_mutex_unlock(&lock);
    return HC_CU_SUCCESS;
}

hc_cu_result cuDevicePrimaryCtxGetState(hc_cu_device device,
                                        unsigned *flags_out, int *active_out)
{
    hc_cu_result result = emu_cuda_enter_device(__func__, device);

    if (result != HC_CU_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    *flags_out = primaries[device].flags;
    *active_out = primaries[device].refs > 0;
    pthread_mutex_unlock(&lock);
    return HC_CU_SUCCESS;
}

hc_cu_result cuDevicePrimaryCtxSetFlags_v2(hc_cu_device device, unsigned flags)
{
    hc_cu_result  result = emu_cuda_enter_device(__func__, device);
    struct extra *extra;

    if (result != HC_CU_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    primaries[device].flags = flags;
    extra = extra_of(primaries[device].context);
    if (extra != NULL)
        extra->flags = flags;
    pthread_mutex_unlock(&lock);
    return HC_CU_SUCCESS;
}

hc_cu_result cuDevicePrimaryCtxRelease(hc_cu_device device)
{
    return cuDevicePrimaryCtxRelease_v2(device);
}

hc_cu_result cuDevicePrimaryCtxReset(hc_cu_device device)
{
    return cuDevicePrimaryCtxReset_v2(device);
}

hc_cu_result cuDevicePrimaryCtxSetFlags(hc_cu_device device, unsigned flags)
{
    return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

static hc_cu_result push(struct emu_context *context)
{
    if (depth == STACK_DEPTH)
        return HC_CU_OUT_OF_MEMORY;
    stack[depth++] = context;
    return HC_CU_SUCCESS;
}

hc_cu_result cuCtxCreate_v2(struct hc_cu_context **context_out, unsigned flags,
                            hc_cu_device device)
{
    hc_cu_result        result = emu_cuda_enter_device(__func__, device);
    struct emu_context *context;

    if (result != HC_CU_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    result = make(device, flags, &context);
    pthread_mutex_unlock(&lock);
    if (result == HC_CU_SUCCESS)
        result = push(context);
    if (result == HC_CU_SUCCESS)
        *context_out = emu_cuda_context(context);
    return result;
}

hc_cu_result cuCtxCreate_v3(struct hc_cu_context **context_out,
                            struct hc_cu_affinity *affinities, int count,
                            unsigned flags, hc_cu_device device)
{
    (void)affinities;
    return count != 0 ? HC_CU_NOT_SUPPORTED
                      : cuCtxCreate_v2(context_out, flags, device);
}

hc_cu_result cuCtxCreate_v4(struct hc_cu_context       **context_out,
                            struct hc_cu_context_params *params, unsigned flags,
                            hc_cu_device device)
{
    return params != NULL ? HC_CU_NOT_SUPPORTED
                          : cuCtxCreate_v2(context_out, flags, device);
}

static bool is_primary(const struct emu_context *context)
{
    return emu_cuda_primary(emu_context_device(context)) == context;
}

hc_cu_result cuCtxDestroy_v2(struct hc_cu_context *context)
{
    struct emu_context *doomed = (struct emu_context *)context;
    hc_cu_result        result = emu_cuda_enter(__func__);

    if (result == HC_CU_SUCCESS)
        result = check_context(context);
    if (result == HC_CU_SUCCESS && is_primary(doomed))
        result = HC_CU_INVALID_CONTEXT;
    if (result != HC_CU_SUCCESS)
        return result;
    emu_context_destroy(doomed);
    if (emu_cuda_current() == doomed)
        depth--;
    return HC_CU_SUCCESS;
}

hc_cu_result cuCtxDestroy(struct hc_cu_context *context)
{
    return cuCtxDestroy_v2(context);
}

/* ----------------------------------------------------------------- current */

hc_cu_result cuCtxPushCurrent_v2(struct hc_cu_context *context)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    if (result == HC_CU_SUCCESS)
        result = check_context(context);
    return result == HC_CU_SUCCESS ? push((struct emu_context *)context)
                                   : result;
}

hc_cu_result cuCtxPushCurrent(struct hc_cu_context *context)
{
    return cuCtxPushCurrent_v2(context);
}

hc_cu_result cuCtxPopCurrent_v2(struct hc_cu_context **context_out)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    if (result != HC_CU_SUCCESS)
        return result;
    if (depth == 0)
        return HC_CU_INVALID_CONTEXT;
    if (context_out != NULL)
        *context_out = emu_cuda_context(emu_cuda_current());
    depth--;
    return HC_CU_SUCCESS;
}

hc_cu_result cuCtxPopCurrent(struct hc_cu_context **context_out)
{
    return cuCtxPopCurrent_v2(context_out);
}

/* Replaces the top of the stack; NULL takes it off.  A destroyed context may be
 * made current: what is called then says so. */
hc_cu_result cuCtxSetCurrent(struct hc_cu_context *context)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    if (result == HC_CU_SUCCESS && context != NULL &&
        !emu_context_valid((struct emu_context *)context))
        result = HC_CU_INVALID_CONTEXT;
    if (result != HC_CU_SUCCESS)
        return result;
    if (context == NULL) {
        depth -= depth > 0;
        return HC_CU_SUCCESS;
    }
    depth -= depth > 0;
    return push((struct emu_context *)context);
}

hc_cu_result cuCtxGetCurrent(struct hc_cu_context **context_out)
{
    hc_cu_result result = emu_cuda_enter(__func__);

    if (result == HC_CU_SUCCESS)
        *context_out = emu_cuda_context(emu_cuda_current());
    return result;
}

hc_cu_result cuCtxGetDevice(hc_cu_device *device_out)
{
    struct emu_context *context;
    hc_cu_result        result = emu_cuda_enter_context(__func__, &context);

    if (result == HC_CU_SUCCESS)
        *device_out = emu_context_device(context);
    return result;
}

hc_cu_result cuCtxGetFlags(unsigned *flags_out)
{
    struct emu_context *context;
    hc_cu_result        result = emu_cuda_enter_context(__func__, &context);
    struct extra       *extra;

    if (result != HC_CU_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    extra = extra_of(context);
    *flags_out = extra != NULL ? extra->flags : 0;
    pthread_mutex_unlock(&lock);
    return HC_CU_SUCCESS;
}

/* NULL stands for the current one. */
static hc_cu_result named_or_current(const char            *function,
                                     struct hc_cu_context **context)
{
    hc_cu_result result = emu_cuda_enter(function);

    if (result == HC_CU_SUCCESS && *context == NULL)
        *context = emu_cuda_context(emu_cuda_current());
    return result == HC_CU_SUCCESS ? check_context(*context) : result;
}

hc_cu_result cuCtxGetId(struct hc_cu_context *context,
                        unsigned long long   *id_out)
{
    hc_cu_result result = named_or_current(__func__, &context);

    if (result == HC_CU_SUCCESS)
        *id_out = emu_context_id((struct emu_context *)context);
    return result;
}

hc_cu_result cuCtxGetApiVersion(struct hc_cu_context *context,
                                unsigned             *version_out)
{
    hc_cu_result result = named_or_current(__func__, &context);

    if (result == HC_CU_SUCCESS)
        *version_out = 3020; /* of the _v2 entry points */
    return result;
}

hc_cu_result cuCtxSynchronize(void)
{
    struct emu_context *context;
    hc_cu_result        result = emu_cuda_enter_unsafe(__func__, &context);

    return result == HC_CU_SUCCESS ? emu_context_synchronize(context) : result;
}

hc_cu_result cuCtxGetStreamPriorityRange(int *least_out, int *greatest_out)
{
    struct emu_context *context;
    hc_cu_result        result = emu_cuda_enter_context(__func__, &context);

    if (result != HC_CU_SUCCESS)
        return result;
    if (least_out != NULL)
        *least_out = EMU_CUDA_LEAST_PRIORITY;
    if (greatest_out != NULL)
        *greatest_out = EMU_CUDA_GREATEST_PRIORITY;
    return HC_CU_SUCCESS;
}

/* A preference for kernels; there are none. */
hc_cu_result cuCtxGetCacheConfig(hc_cu_func_cache *config_out)
{
    struct emu_context *context;
    hc_cu_result        result = emu_cuda_enter_context(__func__, &context);

    if (result == HC_CU_SUCCESS)
        *config_out = 0;
    return result;
}

hc_cu_result cuCtxSetCacheConfig(hc_cu_func_cache config)
{
    struct emu_context *context;

    (void)config;
    return emu_cuda_enter_context(__func__, &context);
}

/* -------------------------------------------------------------------- peers */

static hc_cu_result change_peer(const char           *function,
                                struct hc_cu_context *peer, bool enable)
{
    struct emu_context *context;
    struct extra       *extra;
    uint64_t            bit;
    hc_cu_result        result = emu_cuda_enter_context(function, &context);

    if (result == HC_CU_SUCCESS)
        result = check_context(peer);
    if (result != HC_CU_SUCCESS)
        return result;
    if ((struct emu_context *)peer == context)
        return HC_CU_INVALID_DEVICE;
    if (!emu_can_access_peer(emu_context_device(context),
                             emu_context_device((struct emu_context *)peer)))
        return HC_CU_PEER_ACCESS_UNSUPPORTED;
    bit = (uint64_t)1 << emu_context_device((struct emu_context *)peer);
    pthread_mutex_lock(&lock);
    extra = extra_of(context);
    if (enable && (extra->peers & bit) != 0)
        result = HC_CU_PEER_ACCESS_ALREADY;
    else if (!enable && (extra->peers & bit) == 0)
        result = HC_CU_PEER_ACCESS_NOT_ENABLED;
    else
        extra->peers ^= bit;
    pthread_mutex_unlock(&lock);
    return result;
}

hc_cu_result cuCtxEnablePeerAccess(struct hc_cu_context *peer, unsigned flags)
{
    return flags != 0 ? HC_CU_INVALID_VALUE : change_peer(__func__, peer, true);
}

hc_cu_result cuCtxDisablePeerAccess(struct hc_cu_context *peer)
{
    return change_peer(__func__, peer, false);
}
