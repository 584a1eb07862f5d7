#ifndef TEST_MPI_CASES_BETWEEN_H
#define TEST_MPI_CASES_BETWEEN_H

/* Collectives and messages between two groups, and within a merged one. */

#include "cases.h"

/* comm is an intercommunicator; `side` is 0 in one of its groups and 1 in the
 * other.  Every rank of both calls it; what comes back is about this rank. */
bool between_collectives_are_right(MPI_Comm comm, int side, enum mem_kind kind);
bool between_messages_are_right(MPI_Comm comm, int side, enum mem_kind kind);

/* On an intracommunicator. */
bool within_is_right(MPI_Comm comm, enum mem_kind kind);

/* Whether `here` is true on all ranks of both groups. */
bool between_all(MPI_Comm comm, bool here);

#endif
