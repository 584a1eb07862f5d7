/*
 * Distributions ship Open MPI's internal headers without this one, which
 * ompi/op/op.h includes for two conversions of Fortran integers.  It is last
 * on the include path, so the true header wins where it exists.  Nothing of
 * ours calls Fortran, and the sizes agree wherever INTEGER is an int.
 */
#ifndef HC_SHIM_FINT_2_INT_H
#define HC_SHIM_FINT_2_INT_H

#define OMPI_INT_2_FINT(value) ((MPI_Fint)(value))
#define OMPI_FINT_2_INT(value) ((int)(value))

#endif
