#include "ompi_component/coll_hcomm.h"

#include "config/cfg_log.h"
#include "config/cfg_param.h"

#include <stdatomic.h>
#include <string.h>

/* Gives each lower module back once, however often it is called: Open MPI
 * disables a module once per slot it holds, and destroys it after. */
static void release_lower(struct hc_ompi_lower *lower)
{
#define X(slot)                            \
    if (lower->slot##_module != NULL)      \
        OBJ_RELEASE(lower->slot##_module); \
    lower->slot##_module = NULL;
    HC_OMPI_SLOTS(X)
#undef X
}

/* Modules are enabled from the lowest priority up, so what stands in the
 * communicator's slots now is what would serve it without us.  A slot that
 * nobody serves stays empty: Open MPI needs none of the neighbour collectives
 * without a topology, or of the scans between two groups.  False: all are. */
static bool take_slots(hc_ompi_module *module, const mca_coll_base_comm_coll_t *slots)
{
    struct hc_ompi_lower *lower = &module->lower;
    bool                  any = false;

#define X(name)                                                              \
    if (slots->coll_##name != NULL && slots->coll_##name##_module != NULL) { \
        lower->name = slots->coll_##name;                                    \
        lower->name##_module = slots->coll_##name##_module;                  \
        OBJ_RETAIN(lower->name##_module);                                    \
        module->super.coll_##name = hc_ompi_##name;                          \
        any = true;                                                          \
    }
    HC_OMPI_SLOTS(X)
#undef X
    return any;
}

/* Once: it is the same for every communicator that the program makes. */
static void warn_of_nothing_beneath(const struct ompi_communicator_t *comm)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;

    if (hc_ompi_speaks_for_job() && !atomic_flag_test_and_set(&said))
        hc_log(HC_LOG_WARN,
               "coll/hcomm stays off %s: no other component serves it; raise coll_hcomm_priority "
               "(now %d), or name more components in --mca coll",
               comm->c_name, hc_param_int(HC_PARAM_PRIORITY));
}

static int module_enable(mca_coll_base_module_t *base, struct ompi_communicator_t *comm)
{
    hc_ompi_module *module = (hc_ompi_module *)base;

    if (!take_slots(module, comm->c_coll)) {
        warn_of_nothing_beneath(comm);
        return OMPI_ERR_NOT_FOUND;
    }
    hc_ompi_sums_wrap();
    hc_log(HC_LOG_DEBUG, "coll/hcomm serves %s, rank %d of %d", comm->c_name, ompi_comm_rank(comm),
           ompi_comm_size(comm));
    return OMPI_SUCCESS;
}

static int module_disable(mca_coll_base_module_t *base, struct ompi_communicator_t *comm)
{
    (void)comm;
    release_lower(&((hc_ompi_module *)base)->lower);
    return OMPI_SUCCESS;
}

static void construct(hc_ompi_module *module)
{
    memset(&module->lower, 0, sizeof module->lower);
}

static void destruct(hc_ompi_module *module)
{
    release_lower(&module->lower);
}

OBJ_CLASS_INSTANCE(hc_ompi_module, mca_coll_base_module_t, construct, destruct);

hc_ompi_module *hc_ompi_module_create(void)
{
    hc_ompi_module *module = OBJ_NEW(hc_ompi_module);

    if (module == NULL)
        return NULL;
    module->super.coll_module_enable = module_enable;
    module->super.coll_module_disable = module_disable;
    return module;
}
