#include "ompi_component/coll_hcomm_access.h"

#include "config/cfg_log.h"
#include "device/device.h"
#include "ompi_component/coll_hcomm_pieces.h"
#include "ompi_component/coll_hcomm_staged.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Calls on a window that take a buffer of this process's, each X(slot). */
/* clang-format off */
#define HC_ACCESS_SLOTS(X) \
    X(put) \
    X(get) \
    X(accumulate) \
    X(compare_and_swap) \
    X(fetch_and_op) \
    X(get_accumulate) \
    X(rput) \
    X(rget) \
    X(raccumulate) \
    X(rget_accumulate) \
    X(win_attach)
/* clang-format on */

/*
 * What a component puts into the modules of its windows, and so what stood
 * there before us.  The function that frees a window, which we let alone, tells
 * the components apart.  Nothing is kept for a window by itself: calls are to
 * cost as little as they can.
 */
struct component_calls {
    ompi_osc_base_module_t  stock;
    struct component_calls *next;
};

/* Components live as long as the process's MPI; entries are never taken out. */
static struct component_calls *_Atomic known;
static pthread_mutex_t                 lock = PTHREAD_MUTEX_INITIALIZER;

static struct component_calls *find(const ompi_osc_base_module_t *module)
{
    struct component_calls *calls = atomic_load_explicit(&known, memory_order_acquire);

    while (calls != NULL && calls->stock.osc_free != module->osc_free)
        calls = calls->next;
    return calls;
}

static const ompi_osc_base_module_t *stock(const struct ompi_win_t *win)
{
    return &find(win->w_osc_module)->stock;
}

bool hc_ompi_is_out_of_reach(const void *ptr)
{
    struct hc_dev_mem mem;

    if (hc_dev_surely_host(ptr, ptr) || !hc_dev_active())
        return false;
    if (hc_dev_query(ptr, &mem) != HCOMM_OK)
        return true;
    return hc_dev_must_stage(&mem) && mem.type != HC_MEM_MANAGED;
}

static hcomm_status stop_out_of_reach(void *context, uintptr_t address, size_t bytes)
{
    (void)context;
    (void)bytes;
    return hc_ompi_is_out_of_reach((void *)address) ? HCOMM_ERR_UNSUPPORTED : HCOMM_OK;
}

static bool buffer_is_out_of_reach(const void *buffer, size_t count, struct ompi_datatype_t *type)
{
    if (count == 0 || hc_ompi_is_host(buffer, type, buffer, type))
        return false;
    if (buffer != MPI_BOTTOM)
        return hc_ompi_is_out_of_reach((const char *)buffer + type->super.true_lb);
    return hc_ompi_pieces(0, count, type, stop_out_of_reach, NULL) != HCOMM_OK;
}

/* What MPI shall return instead of the call: OMPI_SUCCESS if nothing. */
static int refuse(const char *call, const void *buffer, size_t count, struct ompi_datatype_t *type)
{
    if (!buffer_is_out_of_reach(buffer, count, type))
        return OMPI_SUCCESS;
    hc_log(HC_LOG_ERROR,
           "%s with a buffer at %p that is device memory: one-sided calls take host memory only, "
           "and nothing was sent; copy it to the host, or send and receive",
           call, buffer);
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

static int guarded_put(const void *origin, int count, struct ompi_datatype_t *type, int target,
                       ptrdiff_t displacement, int target_count,
                       struct ompi_datatype_t *target_type, struct ompi_win_t *win)
{
    int rc = refuse("MPI_Put", origin, (size_t)count, type);

    if (rc != OMPI_SUCCESS)
        return rc;
    return stock(win)->osc_put(origin, count, type, target, displacement, target_count, target_type,
                               win);
}

static int guarded_get(void *origin, int count, struct ompi_datatype_t *type, int target,
                       ptrdiff_t displacement, int target_count,
                       struct ompi_datatype_t *target_type, struct ompi_win_t *win)
{
    int rc = refuse("MPI_Get", origin, (size_t)count, type);

    if (rc != OMPI_SUCCESS)
        return rc;
    return stock(win)->osc_get(origin, count, type, target, displacement, target_count, target_type,
                               win);
}

static int guarded_accumulate(const void *origin, int count, struct ompi_datatype_t *type,
                              int target, ptrdiff_t displacement, int target_count,
                              struct ompi_datatype_t *target_type, struct ompi_op_t *op,
                              struct ompi_win_t *win)
{
    int rc = refuse("MPI_Accumulate", origin, (size_t)count, type);

    if (rc != OMPI_SUCCESS)
        return rc;
    return stock(win)->osc_accumulate(origin, count, type, target, displacement, target_count,
                                      target_type, op, win);
}

static int guarded_compare_and_swap(const void *origin, const void *compare, void *result,
                                    struct ompi_datatype_t *type, int target,
                                    ptrdiff_t displacement, struct ompi_win_t *win)
{
    int rc = refuse("MPI_Compare_and_swap", origin, 1, type);

    if (rc == OMPI_SUCCESS)
        rc = refuse("MPI_Compare_and_swap", compare, 1, type);
    if (rc == OMPI_SUCCESS)
        rc = refuse("MPI_Compare_and_swap", result, 1, type);
    if (rc != OMPI_SUCCESS)
        return rc;
    return stock(win)->osc_compare_and_swap(origin, compare, result, type, target, displacement,
                                            win);
}

/* With MPI_NO_OP the origin is any pointer. */
static int refuse_fetch(const char *call, const void *origin, size_t count,
                        struct ompi_datatype_t *type, const void *result, size_t result_count,
                        struct ompi_datatype_t *result_type, const struct ompi_op_t *op)
{
    int rc = OMPI_SUCCESS;

    if (op != &ompi_mpi_op_no_op.op)
        rc = refuse(call, origin, count, type);
    return rc == OMPI_SUCCESS ? refuse(call, result, result_count, result_type) : rc;
}

static int guarded_fetch_and_op(const void *origin, void *result, struct ompi_datatype_t *type,
                                int target, ptrdiff_t displacement, struct ompi_op_t *op,
                                struct ompi_win_t *win)
{
    int rc = refuse_fetch("MPI_Fetch_and_op", origin, 1, type, result, 1, type, op);

    if (rc != OMPI_SUCCESS)
        return rc;
    return stock(win)->osc_fetch_and_op(origin, result, type, target, displacement, op, win);
}

static int guarded_get_accumulate(const void *origin, int count, struct ompi_datatype_t *type,
                                  void *result, int result_count,
                                  struct ompi_datatype_t *result_type, int target,
                                  ptrdiff_t displacement, int target_count,
                                  struct ompi_datatype_t *target_type, struct ompi_op_t *op,
                                  struct ompi_win_t *win)
{
    int rc = refuse_fetch("MPI_Get_accumulate", origin, (size_t)count, type, result,
                          (size_t)result_count, result_type, op);

    if (rc != OMPI_SUCCESS)
        return rc;
    return stock(win)->osc_get_accumulate(origin, count, type, result, result_count, result_type,
                                          target, displacement, target_count, target_type, op, win);
}

static int guarded_rput(const void *origin, int count, struct ompi_datatype_t *type, int target,
                        ptrdiff_t displacement, int target_count,
                        struct ompi_datatype_t *target_type, struct ompi_win_t *win,
                        struct ompi_request_t **request)
{
    int rc = refuse("MPI_Rput", origin, (size_t)count, type);

    if (rc != OMPI_SUCCESS)
        return rc;
    return stock(win)->osc_rput(origin, count, type, target, displacement, target_count,
                                target_type, win, request);
}

static int guarded_rget(void *origin, int count, struct ompi_datatype_t *type, int target,
                        ptrdiff_t displacement, int target_count,
                        struct ompi_datatype_t *target_type, struct ompi_win_t *win,
                        struct ompi_request_t **request)
{
    int rc = refuse("MPI_Rget", origin, (size_t)count, type);

    if (rc != OMPI_SUCCESS)
        return rc;
    return stock(win)->osc_rget(origin, count, type, target, displacement, target_count,
                                target_type, win, request);
}

static int guarded_raccumulate(const void *origin, int count, struct ompi_datatype_t *type,
                               int target, ptrdiff_t displacement, int target_count,
                               struct ompi_datatype_t *target_type, struct ompi_op_t *op,
                               struct ompi_win_t *win, struct ompi_request_t **request)
{
    int rc = refuse("MPI_Raccumulate", origin, (size_t)count, type);

    if (rc != OMPI_SUCCESS)
        return rc;
    return stock(win)->osc_raccumulate(origin, count, type, target, displacement, target_count,
                                       target_type, op, win, request);
}

static int guarded_rget_accumulate(const void *origin, int count, struct ompi_datatype_t *type,
                                   void *result, int result_count,
                                   struct ompi_datatype_t *result_type, int target,
                                   ptrdiff_t displacement, int target_count,
                                   struct ompi_datatype_t *target_type, struct ompi_op_t *op,
                                   struct ompi_win_t *win, struct ompi_request_t **request)
{
    int rc = refuse_fetch("MPI_Rget_accumulate", origin, (size_t)count, type, result,
                          (size_t)result_count, result_type, op);

    if (rc != OMPI_SUCCESS)
        return rc;
    return stock(win)->osc_rget_accumulate(origin, count, type, result, result_count, result_type,
                                           target, displacement, target_count, target_type, op, win,
                                           request);
}

static int guarded_win_attach(struct ompi_win_t *win, void *base, size_t bytes)
{
    if (bytes > 0 && hc_ompi_is_out_of_reach(base)) {
        hc_log(HC_LOG_ERROR,
               "MPI_Win_attach of %zu bytes of device memory at %p: windows serve host memory "
               "only; attach host memory and copy, or send and receive",
               bytes, base);
        return MPI_ERR_RMA_ATTACH;
    }
    return stock(win)->osc_win_attach(win, base, bytes);
}

static struct component_calls *remember(const ompi_osc_base_module_t *module)
{
    struct component_calls *calls;

    pthread_mutex_lock(&lock);
    calls = find(module);
    if (calls == NULL && (calls = malloc(sizeof *calls)) != NULL) {
        *calls = (struct component_calls){.stock = *module, .next = atomic_load(&known)};
        atomic_store_explicit(&known, calls, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return calls;
}

/* A slot that holds something else belongs to one who came between
 * (osc/monitoring), and calls us. */
int hc_ompi_guard_access(ompi_osc_base_module_t *module)
{
    struct component_calls *calls = NULL;

    if (!hc_dev_any_present())
        return OMPI_SUCCESS;
    calls = remember(module);
    if (calls == NULL)
        return OMPI_ERR_OUT_OF_RESOURCE;
#define X(slot)                                                                      \
    if (module->osc_##slot != NULL && module->osc_##slot == calls->stock.osc_##slot) \
        module->osc_##slot = guarded_##slot;
    HC_ACCESS_SLOTS(X)
#undef X
    return OMPI_SUCCESS;
}
