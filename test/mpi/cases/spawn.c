/* Jobs that start others or meet them. */
#include "between.h"
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *program;

enum { CHILDREN = 2 };

/* Both jobs do this; a child is side 1. */
static bool met(MPI_Comm between, int side, enum mem_kind kind)
{
    MPI_Comm all;
    bool     right = between_collectives_are_right(between, side, kind);

    right &= between_messages_are_right(between, side, kind);
    MPI_Intercomm_merge(between, side, &all);
    right &= within_is_right(all, kind);
    right &= within_is_right(MPI_COMM_WORLD, kind);
    MPI_Comm_free(&all);
    return between_all(between, right);
}

static bool spawned(enum mem_kind kind)
{
    MPI_Comm between;
    char     number[16];
    char    *arguments[] = {"--child", number, NULL};
    bool     right;

    snprintf(number, sizeof number, "%d", (int)kind);
    if (!CALL(MPI_Comm_spawn(program, arguments, CHILDREN, MPI_INFO_NULL, 0,
                             MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE)))
        return false;
    right = met(between, 0, kind);
    MPI_Comm_disconnect(&between);
    return right;
}

static int child(MPI_Comm parent, enum mem_kind kind)
{
    bool right;

    MPI_Comm_rank(MPI_COMM_WORLD, &cases.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &cases.nranks);
    cases_notes(100);
    right = mem_available(kind, cases.rank);
    /* Kinds alternate by rank where the parents' do, too. */
    right = right && met(parent, 1, kind);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return right ? 0 : 1;
}

/* The even and the odd ranks of one job, who meet at a port. */
static bool connected(enum mem_kind kind)
{
    int      side = cases.rank % 2, half_rank;
    char     port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half, between;
    bool     right;

    MPI_Comm_split(MPI_COMM_WORLD, side, cases.rank, &half);
    MPI_Comm_rank(half, &half_rank);
    if (cases.rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (side == 0)
        right = CALL(MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &between));
    else
        right = CALL(MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &between));
    if (right) {
        right = met(between, side, kind);
        MPI_Comm_disconnect(&between);
    }
    if (cases.rank == 0)
        MPI_Close_port(port);
    MPI_Comm_free(&half);
    return right;
}

static const struct test_case table[] = {
    EACH_KIND("spawn: between parents and children, and merged", spawned),
    EACH_KIND("connect: between halves that met at a port, and merged",
              connected),
    END_OF_CASES,
};

int main(int argc, char **argv)
{
    MPI_Comm parent;
    int      result;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL && argc > 2)
        return child(parent, (enum mem_kind)atoi(argv[2]));
    program = argv[0];
    result = cases_run(argc, argv, table);
    MPI_Finalize();
    return result;
}
