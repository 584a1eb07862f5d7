#include "ompi_component/coll_hcomm.h"

#include "config/cfg_log.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * What each process publishes before MPI_Init exchanges such things, and may
 * read of any other after.  Later versions only append, so a longer one is
 * read as far as it is known.
 */
struct presence {
    uint32_t magic;
    uint16_t version;
    uint16_t bytes;
    uint8_t  accelerator; /* 0 or 1 */
    uint8_t  reserved[7];
};

enum { PRESENCE_MAGIC = 0x4d4f4348 /* "HCOM" */, PRESENCE_VERSION = 1 };

int hc_ompi_publish_presence(bool present)
{
    struct presence mine = {
        .magic = PRESENCE_MAGIC,
        .version = PRESENCE_VERSION,
        .bytes = sizeof mine,
        .accelerator = present,
    };
    int rc;

    OPAL_MODEX_SEND(rc, HC_OMPI_MODEX_SCOPE, &mca_coll_hcomm_component.collm_version, &mine,
                    sizeof mine);
    return rc;
}

static bool is_valid(const struct presence *presence, size_t bytes)
{
    return presence->magic == PRESENCE_MAGIC && presence->version >= PRESENCE_VERSION &&
           presence->bytes == bytes;
}

/* A process without hcomm has published nothing: as good as none. */
static bool has_accelerator(const opal_process_name_t *name)
{
    struct presence presence;
    uint8_t        *blob = NULL;
    size_t          bytes = 0;
    bool            valid = false;

    if (hc_ompi_modex_get(&mca_coll_hcomm_component.collm_version, name, &blob, &bytes) !=
        OPAL_SUCCESS)
        return false;
    if (bytes >= sizeof presence) {
        memcpy(&presence, blob, sizeof presence);
        valid = is_valid(&presence, bytes);
    }
    free(blob);
    if (!valid)
        hc_log(HC_LOG_WARN,
               "rank %u runs an hcomm that this one cannot read, and counts as without "
               "accelerator; install the same version everywhere",
               name->vpid);
    return valid && presence.accelerator == 1;
}

/* Ourselves first: where there are accelerators, most processes see one, and
 * nothing has to be read of the others. */
static bool scan_own_job(void)
{
    opal_process_name_t name = OPAL_PROC_MY_NAME;
    int                 nranks = ompi_comm_size(&ompi_mpi_comm_world.comm);
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

static bool is_within_own_job(struct ompi_communicator_t *comm)
{
    opal_process_name_t own = OPAL_PROC_MY_NAME;

    for (int rank = 0; rank < ompi_comm_size(comm); rank++)
        if (ompi_group_get_proc_name(comm->c_local_group, rank).jobid != own.jobid)
            return false;
    return true;
}

bool hc_ompi_accelerator_in(struct ompi_communicator_t *comm)
{
    if (is_within_own_job(comm))
        return accelerator_in_own_job();

    /* Members of several jobs agree on nothing but the members. */
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group, rank);

        if (has_accelerator(&name))
            return true;
    }
    return false;
}
