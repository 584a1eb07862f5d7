#include "ompi_component/coll_hcomm.h"

#include "config/cfg_log.h"
#include "ompi_component/ompi_presence.h"

#include <stdatomic.h>
#include <stdlib.h>

int hc_ompi_publish_presence(bool present)
{
    unsigned char mine[HC_PRESENCE_BYTES];
    int           rc;

    hc_presence_write(present, mine);
    OPAL_MODEX_SEND(rc, HC_OMPI_MODEX_SCOPE, &mca_coll_hcomm_component.collm_version, mine,
                    sizeof mine);
    return rc;
}

/* A process without hcomm has published nothing: as good as none. */
static bool has_accelerator(const opal_process_name_t *name)
{
    uint8_t *wire = NULL;
    size_t   bytes = 0;
    bool     accelerator = false;

    if (hc_ompi_modex_get(&mca_coll_hcomm_component.collm_version, name, &wire, &bytes) !=
        OPAL_SUCCESS)
        return false;
    if (!hc_presence_read(wire, bytes, &accelerator))
        hc_log(HC_LOG_WARN,
               "rank %u runs an hcomm that this one cannot read, and counts as without "
               "accelerator; install the same version everywhere",
               name->vpid);
    free(wire);
    return accelerator;
}

/* Ourselves first: where there are accelerators, most processes see one, and
 * nothing has to be read of the others. */
static bool scan_own_job(void)
{
    opal_process_name_t name = OPAL_PROC_MY_NAME;
    int                 nranks = hc_ompi_job_size();
    int                 own = (int)name.vpid;

    for (int i = 0; i < nranks; i++) {
        name.vpid = (opal_vpid_t)((own + i) % nranks);
        if (has_accelerator(&name))
            return true;
    }
    return false;
}

/* One answer for all communicators within the own job, found once: programs
 * create communicators by the thousand.  Two threads may both look; they find
 * the same. */
static bool accelerator_in_own_job(void)
{
    enum { UNKNOWN, NO, YES };
    static atomic_int known;
    int               answer = atomic_load(&known);

    if (answer == UNKNOWN) {
        answer = scan_own_job() ? YES : NO;
        atomic_store(&known, answer);
    }
    return answer == YES;
}

static bool is_within_own_job(struct ompi_group_t *group)
{
    opal_process_name_t own = OPAL_PROC_MY_NAME;

    for (int rank = 0; rank < ompi_group_size(group); rank++)
        if (ompi_group_get_proc_name(group, rank).jobid != own.jobid)
            return false;
    return true;
}

static bool accelerator_in_group(struct ompi_group_t *group)
{
    for (int rank = 0; rank < ompi_group_size(group); rank++) {
        opal_process_name_t name = ompi_group_get_proc_name(group, rank);

        if (has_accelerator(&name))
            return true;
    }
    return false;
}

/* Both groups of an intercommunicator see the same two, and decide alike; of
 * other communicators the remote group is the local one. */
bool hc_ompi_accelerator_in(struct ompi_communicator_t *comm)
{
    struct ompi_group_t *local = comm->c_local_group, *remote = comm->c_remote_group;

    if (is_within_own_job(local) && (remote == local || is_within_own_job(remote)))
        return accelerator_in_own_job();
    /* Members of several jobs agree on nothing but the members. */
    return accelerator_in_group(local) || (remote != local && accelerator_in_group(remote));
}

static bool runs_hcomm(const opal_process_name_t *name)
{
    uint8_t *wire = NULL;
    size_t   bytes = 0;
    int      rc = hc_ompi_modex_get(&mca_coll_hcomm_component.collm_version, name, &wire, &bytes);

    if (rc == OPAL_SUCCESS)
        free(wire);
    return rc == OPAL_SUCCESS;
}

bool hc_ompi_serves_all_of(struct ompi_communicator_t *comm)
{
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group, rank);

        if (!runs_hcomm(&name))
            return false;
    }
    return true;
}
