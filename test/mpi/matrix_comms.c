/* The communicators of the matrix, and who is whose neighbour on them. */
#include "matrix.h"

#include <string.h>

static struct mx_comm comms[COMMS];

struct mx_comm *mx_comm(int comm)
{
    return &comms[comm];
}

static void describe(struct mx_comm *c)
{
    MPI_Comm_rank(c->comm, &c->rank);
    MPI_Comm_size(c->comm, &c->size);
    c->remote_size = c->size;
    MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN);
}

/* The low half of the ranks, and the rest, which is not smaller. */
static void create_inter(struct mx_comm *c, int rank, int nranks)
{
    int      half = nranks / 2;
    bool     is_high = rank >= half;
    MPI_Comm local;

    c->comm = MPI_COMM_NULL;
    if (nranks < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, is_high, rank, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, is_high ? 0 : half, 0,
                         &c->comm);
    MPI_Comm_free(&local);
    describe(c);
    MPI_Comm_remote_size(c->comm, &c->remote_size);
    c->is_inter = true;
    c->base = is_high ? half : 0;
    c->remote_base = is_high ? 0 : half;
}

static int cart_rank(const int size[2], int x, int y)
{
    bool inside = x >= 0 && x < size[0] && y >= 0 && y < size[1];

    return inside ? x * size[1] + y : MPI_PROC_NULL;
}

/* Two dimensions, no period: at the rim there is nobody. */
static void create_cart(struct mx_comm *c, int nranks)
{
    int size[2] = {0, 0}, periods[2] = {0, 0}, x, y;

    MPI_Dims_create(nranks, 2, size);
    MPI_Cart_create(MPI_COMM_WORLD, 2, size, periods, 0, &c->comm);
    describe(c);
    x = c->rank / size[1];
    y = c->rank % size[1];
    c->sources = c->destinations = 4;
    c->source[0] = cart_rank(size, x - 1, y);
    c->source[1] = cart_rank(size, x + 1, y);
    c->source[2] = cart_rank(size, x, y - 1);
    c->source[3] = cart_rank(size, x, y + 1);
    memcpy(c->destination, c->source, sizeof c->source);
}

/* A star: everyone knows rank 0, from the last one on. */
static void create_graph(struct mx_comm *c, int nranks)
{
    int index[MAX_RANKS], edges[2 * MAX_RANKS], n = 0;

    for (int rank = 0; rank < nranks; rank++) {
        if (rank > 0)
            edges[n++] = 0;
        for (int other = nranks - 1; rank == 0 && other > 0; other--)
            edges[n++] = other;
        index[rank] = n;
    }
    MPI_Graph_create(MPI_COMM_WORLD, nranks, index, edges, 0, &c->comm);
    describe(c);
    n = c->rank == 0 ? 0 : index[c->rank - 1];
    for (int i = n; i < index[c->rank]; i++)
        c->source[c->sources++] = edges[i];
    c->destinations = c->sources;
    memcpy(c->destination, c->source, sizeof c->source);
}

/* Each rank to the next, and to the one after that where it is another. */
static void create_dist_graph(struct mx_comm *c, int rank, int nranks)
{
    static const int weights[] = {1, 1};
    int              edges = nranks > 2 ? 2 : 1;

    for (int i = 0; i < edges; i++) {
        c->source[i] = (rank + nranks - i - 1) % nranks;
        c->destination[i] = (rank + i + 1) % nranks;
    }
    c->sources = c->destinations = edges;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, edges, c->source, weights,
                                   edges, c->destination, weights,
                                   MPI_INFO_NULL, 0, &c->comm);
    describe(c);
}

void mx_comms_create(void)
{
    int rank, nranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[COMM_WORLD].comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[COMM_REVERSED].comm);
    MPI_Comm_dup(MPI_COMM_SELF, &comms[COMM_SELF].comm);
    for (int i = COMM_WORLD; i <= COMM_SELF; i++)
        describe(&comms[i]);
    comms[COMM_SELF].base = comms[COMM_SELF].remote_base = rank;
    create_inter(&comms[COMM_INTER], rank, nranks);
    create_cart(&comms[COMM_CART], nranks);
    create_graph(&comms[COMM_GRAPH], nranks);
    create_dist_graph(&comms[COMM_DIST_GRAPH], rank, nranks);
}

void mx_comms_free(void)
{
    for (int i = 0; i < COMMS; i++)
        if (comms[i].comm != MPI_COMM_NULL)
            MPI_Comm_free(&comms[i].comm);
}
