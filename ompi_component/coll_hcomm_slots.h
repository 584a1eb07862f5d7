#ifndef HC_COLL_HCOMM_SLOTS_H
#define HC_COLL_HCOMM_SLOTS_H

/*
 * The collectives of Open MPI's table, once.  Each has a blocking, a
 * nonblocking and a persistent form (x, ix, x_init) that differ only in their
 * last arguments, and many share their first: their SHAPE.
 */

#include "ompi_component/ompi_compat.h"

/* X(pass, name, shape, plan): plan is an enum hc_staged_call. */
#define HC_OMPI_COLLECTIVES(X, pass)                                        \
    X(pass, allgather, BLOCKS, HC_STAGED_ALLGATHER)                         \
    X(pass, allgatherv, BLOCKS_TO_V, HC_STAGED_ALLGATHER)                   \
    X(pass, allreduce, VECTOR, HC_STAGED_ALLREDUCE)                         \
    X(pass, alltoall, BLOCKS, HC_STAGED_ALLTOALL)                           \
    X(pass, alltoallv, V_TO_V, HC_STAGED_ALLTOALL)                          \
    X(pass, alltoallw, W_TO_W, HC_STAGED_ALLTOALL)                          \
    X(pass, barrier, NOTHING, HC_STAGED_BARRIER)                            \
    X(pass, bcast, ONE_ROOTED, HC_STAGED_BCAST)                             \
    X(pass, exscan, VECTOR, HC_STAGED_EXSCAN)                               \
    X(pass, gather, BLOCKS_ROOTED, HC_STAGED_GATHER)                        \
    X(pass, gatherv, BLOCKS_TO_V_ROOTED, HC_STAGED_GATHER)                  \
    X(pass, reduce, VECTOR_ROOTED, HC_STAGED_REDUCE)                        \
    X(pass, reduce_scatter, VECTOR_SPLIT, HC_STAGED_REDUCE_SCATTER)         \
    X(pass, reduce_scatter_block, VECTOR, HC_STAGED_REDUCE_SCATTER)         \
    X(pass, scan, VECTOR, HC_STAGED_SCAN)                                   \
    X(pass, scatter, BLOCKS_ROOTED, HC_STAGED_SCATTER)                      \
    X(pass, scatterv, V_TO_BLOCKS_ROOTED, HC_STAGED_SCATTER)                \
    X(pass, neighbor_allgather, BLOCKS, HC_STAGED_NEIGHBOR_ALLGATHER)       \
    X(pass, neighbor_allgatherv, BLOCKS_TO_V, HC_STAGED_NEIGHBOR_ALLGATHER) \
    X(pass, neighbor_alltoall, BLOCKS, HC_STAGED_NEIGHBOR_ALLTOALL)         \
    X(pass, neighbor_alltoallv, V_TO_V, HC_STAGED_NEIGHBOR_ALLTOALL)        \
    X(pass, neighbor_alltoallw, W_TO_W_FAR, HC_STAGED_NEIGHBOR_ALLTOALL)

/* Every slot, each S(slot). */
#define HC_OMPI_FORMS(S, name, shape, plan) S(name) S(i##name) S(name##_init)
#define HC_OMPI_SLOTS(S)                    HC_OMPI_COLLECTIVES(HC_OMPI_FORMS, S) S(reduce_local)

#define HC_OMPI_SLOT_FN(slot) __typeof__(((mca_coll_base_module_t *)NULL)->coll_##slot)

/* A collective's first arguments. */
#define HC_OMPI_PARAMS_NOTHING
#define HC_OMPI_PARAMS_ONE void *buffer, int count, struct ompi_datatype_t *type,
#define HC_OMPI_PARAMS_VECTOR \
    const void *send, void *recv, int count, struct ompi_datatype_t *type, struct ompi_op_t *op,
#define HC_OMPI_PARAMS_VECTOR_SPLIT                                                \
    const void *send, void *recv, const int *counts, struct ompi_datatype_t *type, \
        struct ompi_op_t *op,
#define HC_OMPI_PARAMS_BLOCKS                                                        \
    const void *send, int send_count, struct ompi_datatype_t *send_type, void *recv, \
        int recv_count, struct ompi_datatype_t *recv_type,
#define HC_OMPI_PARAMS_BLOCKS_TO_V                                                   \
    const void *send, int send_count, struct ompi_datatype_t *send_type, void *recv, \
        const int *recv_counts, const int *recv_displs, struct ompi_datatype_t *recv_type,
#define HC_OMPI_PARAMS_V_TO_BLOCKS                                     \
    const void *send, const int *send_counts, const int *send_displs,  \
        struct ompi_datatype_t *send_type, void *recv, int recv_count, \
        struct ompi_datatype_t *recv_type,
#define HC_OMPI_PARAMS_V_TO_V                                                  \
    const void *send, const int *send_counts, const int *send_displs,          \
        struct ompi_datatype_t *send_type, void *recv, const int *recv_counts, \
        const int *recv_displs, struct ompi_datatype_t *recv_type,
#define HC_OMPI_PARAMS_W(displ)                                                        \
    const void *send, const int *send_counts, const displ *send_displs,                \
        struct ompi_datatype_t *const *send_types, void *recv, const int *recv_counts, \
        const displ *recv_displs, struct ompi_datatype_t *const *recv_types,
#define HC_OMPI_PARAMS_W_TO_W             HC_OMPI_PARAMS_W(int)
#define HC_OMPI_PARAMS_W_TO_W_FAR         HC_OMPI_PARAMS_W(MPI_Aint)
#define HC_OMPI_PARAMS_ONE_ROOTED         HC_OMPI_PARAMS_ONE int root,
#define HC_OMPI_PARAMS_VECTOR_ROOTED      HC_OMPI_PARAMS_VECTOR int root,
#define HC_OMPI_PARAMS_BLOCKS_ROOTED      HC_OMPI_PARAMS_BLOCKS int root,
#define HC_OMPI_PARAMS_BLOCKS_TO_V_ROOTED HC_OMPI_PARAMS_BLOCKS_TO_V int root,
#define HC_OMPI_PARAMS_V_TO_BLOCKS_ROOTED HC_OMPI_PARAMS_V_TO_BLOCKS int root,

/* Its last, by form. */
#define HC_OMPI_LAST_BLOCKING struct ompi_communicator_t *comm, mca_coll_base_module_t *module
#define HC_OMPI_LAST_NONBLOCKING \
    struct ompi_communicator_t *comm, ompi_request_t **request_out, mca_coll_base_module_t *module
#define HC_OMPI_LAST_PERSISTENT                                                               \
    struct ompi_communicator_t *comm, struct ompi_info_t *info, ompi_request_t **request_out, \
        mca_coll_base_module_t *module

/* The functions for the table. */
#define HC_OMPI_DECLARE(pass, name, shape, plan)                          \
    int hc_ompi_##name(HC_OMPI_PARAMS_##shape HC_OMPI_LAST_BLOCKING);     \
    int hc_ompi_i##name(HC_OMPI_PARAMS_##shape HC_OMPI_LAST_NONBLOCKING); \
    int hc_ompi_##name##_init(HC_OMPI_PARAMS_##shape HC_OMPI_LAST_PERSISTENT);
HC_OMPI_COLLECTIVES(HC_OMPI_DECLARE, )
#undef HC_OMPI_DECLARE

int hc_ompi_reduce_local(const void *send, void *recv, int count, struct ompi_datatype_t *type,
                         struct ompi_op_t *op, mca_coll_base_module_t *module);

#endif
