#include "ompi_component/coll_hcomm_attached.h"

#include "config/cfg_log.h"
#include "ompi_component/coll_hcomm_access.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A process has one attached buffer. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void           *users;    /* on a device; NULL: Open MPI has the user's own */
static void           *stand_in; /* malloc'ed */

int hc_ompi_attach(void *buffer, int bytes)
{
    void *host;
    int   rc;

    if (bytes <= 0 || !hc_ompi_is_out_of_reach(buffer))
        return mca_pml_base_bsend_attach(buffer, bytes);
    host = malloc((size_t)bytes);
    if (host == NULL) {
        hc_log(HC_LOG_ERROR, "no %d bytes of host memory in the place of the attached buffer %p",
               bytes, buffer);
        return MPI_ERR_NO_MEM;
    }
    rc = mca_pml_base_bsend_attach(host, bytes);
    if (rc != OMPI_SUCCESS) {
        free(host);
        return rc;
    }
    pthread_mutex_lock(&lock);
    users = buffer;
    stand_in = host;
    pthread_mutex_unlock(&lock);
    return OMPI_SUCCESS;
}

int hc_ompi_detach(void *buffer, int *bytes)
{
    void *was = NULL;
    int   rc = mca_pml_base_bsend_detach(&was, bytes); /* waits for the messages */

    if (rc != OMPI_SUCCESS)
        return rc;
    pthread_mutex_lock(&lock);
    if (stand_in != NULL && was == stand_in) {
        was = users;
        free(stand_in);
        stand_in = users = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (buffer != NULL)
        memcpy(buffer, &was, sizeof was);
    return OMPI_SUCCESS;
}
