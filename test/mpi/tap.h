#ifndef TEST_MPI_TAP_H
#define TEST_MPI_TAP_H

#include <stdbool.h>

/* Test results of a whole job: a line is "ok" where it is on every rank. */
void tap_plan(int tests);
void tap_ok(bool here, const char *what);

#endif
