#ifndef HC_COLL_HCOMM_IO_H
#define HC_COLL_HCOMM_IO_H

/* The reads and writes of MPI-IO on stand-ins. */

#include "ompi_component/ompi_compat.h"

/* The same table with our functions in the place of those that move data. */
mca_io_base_module_2_0_0_t hc_ompi_io_module(const mca_io_base_module_2_0_0_t *stock);

/* The table that the file's component has without us. */
const mca_io_base_module_2_0_0_t *hc_ompi_io_stock(const struct ompi_file_t *file);

#endif
