/*
 * Communicators of a program that never calls MPI_Init: sessions, several in
 * turn.  Where the library has none (before MPI 4): exit status 77.
 */
#include "device_sum.h"

#include <stdio.h>

#if OMPI_MAJOR_VERSION >= 5
enum { ROUNDS = 3 };

static bool session_is_right(int seed)
{
    MPI_Session session;
    MPI_Group   group;
    MPI_Comm    comm;
    bool        right;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "session", MPI_INFO_NULL,
                               MPI_ERRORS_RETURN, &comm);
    right = device_sum_is_right(comm, seed);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return right;
}

int main(void)
{
    bool right = true;

    for (int round = 0; round < ROUNDS; round++)
        right &= session_is_right(round);
    printf("session: %s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}
#else
int main(void)
{
    return 77;
}
#endif
