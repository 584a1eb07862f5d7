#ifndef HC_COLL_HCOMM_CONVERTOR_H
#define HC_COLL_HCOMM_CONVERTOR_H

/*
 * Stand-ins for Open MPI's functions that copy data by datatype, which MPI_Pack,
 * MPI_Unpack, MPI_Sendrecv_replace and copies within a process come down to.
 * They run the real ones on host memory in the place of a device's.
 */

#include "ompi_component/ompi_compat.h"

/* In the place of opal_convertor_pack and opal_convertor_unpack. */
int32_t hc_ompi_pack(opal_convertor_t *convertor, struct iovec *packed, uint32_t *npacked,
                     size_t *bytes);
int32_t hc_ompi_unpack(opal_convertor_t *convertor, struct iovec *packed, uint32_t *npacked,
                       size_t *bytes);

/* The same for callers whose packed bytes are never on a device: these pay for
 * one question less on every message. */
int32_t hc_ompi_pack_to_host(opal_convertor_t *convertor, struct iovec *packed, uint32_t *npacked,
                             size_t *bytes);
int32_t hc_ompi_unpack_from_host(opal_convertor_t *convertor, struct iovec *packed,
                                 uint32_t *npacked, size_t *bytes);

/* In the place of opal_datatype_copy_content_same_ddt. */
int32_t hc_ompi_copy_content(const opal_datatype_t *type, int32_t count, char *dst, char *src);

#endif
