#ifndef TEST_MPI_TYPES_H
#define TEST_MPI_TYPES_H

/* Datatypes and operations, with what each rank contributes and what comes of
 * it: by formulas, in plain C. */

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct test_type {
    const char  *name;
    MPI_Datatype type;
    MPI_Op       op;
    size_t       extent; /* bytes from one element to the next */
    bool         has_gaps;
    bool         is_shifted; /* data begins elsewhere than the element does */
    /* Write what rank contributes as element i. */
    void (*value)(unsigned char *element, int rank, size_t i);
    /* Combine into element what the next rank contributed. */
    void (*combine)(unsigned char *element, const unsigned char *next);
};

enum { TEST_TYPES = 9 };

void types_create(struct test_type types[TEST_TYPES]);
void types_free(struct test_type types[TEST_TYPES]);

/* Element i of the reduction over all ranks, in rank order. */
void types_reduced(const struct test_type *type, unsigned char *element,
                   int nranks, size_t i);

#endif
