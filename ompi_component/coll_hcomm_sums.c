#include "ompi_component/coll_hcomm.h"

#include <pthread.h>

/*
 * Open MPI's component op/avx adds 8- and 16-bit integers with saturation, its
 * plain functions wrap round as C and every GPU do.  Which of the two a call
 * meets depends on its length and its CPU, so where HCOMM serves, the plain
 * ones are put back into MPI_SUM.  Every rank of a communicator that we serve
 * does so before its first call there.
 */

static const int small_types[] = {
    OMPI_OP_BASE_TYPE_INT8_T,
    OMPI_OP_BASE_TYPE_UINT8_T,
    OMPI_OP_BASE_TYPE_INT16_T,
    OMPI_OP_BASE_TYPE_UINT16_T,
};

enum { SMALL_TYPES = sizeof small_types / sizeof small_types[0] };

/* One operation a process, hence globals. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool            is_replaced;
static struct {
    ompi_op_base_handler_fn_t       two;
    ompi_op_base_3buff_handler_fn_t three;
} originals[SMALL_TYPES];

void hc_ompi_sums_wrap(void)
{
    ompi_op_t *sum = &ompi_mpi_op_sum.op;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < SMALL_TYPES && !is_replaced; i++) {
        int type = small_types[i];

        originals[i].two = sum->o_func.intrinsic.fns[type];
        originals[i].three = sum->o_3buff_intrinsic.fns[type];
        sum->o_func.intrinsic.fns[type] = ompi_op_base_functions[OMPI_OP_BASE_FORTRAN_SUM][type];
        sum->o_3buff_intrinsic.fns[type] =
            ompi_op_base_3buff_functions[OMPI_OP_BASE_FORTRAN_SUM][type];
    }
    is_replaced = true;
    pthread_mutex_unlock(&lock);
}

void hc_ompi_sums_undo(void)
{
    ompi_op_t *sum = &ompi_mpi_op_sum.op;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < SMALL_TYPES && is_replaced; i++) {
        sum->o_func.intrinsic.fns[small_types[i]] = originals[i].two;
        sum->o_3buff_intrinsic.fns[small_types[i]] = originals[i].three;
    }
    is_replaced = false;
    pthread_mutex_unlock(&lock);
}
