/* A program that is not linked with MPI: it opens the library as a scripting
 * language does, with RTLD_LOCAL.  Case 48c. */
#include "test/mpi/mem.h"

#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

static void *symbol(const char *name)
{
    void *address = library != NULL ? dlsym(library, name) : NULL;

    if (address == NULL) {
        printf("# %s\n", dlerror());
        exit(99);
    }
    return address;
}

/* MPI's handles are addresses of what is in the library. */
static bool sum_is_right(enum mem_kind kind)
{
    int (*allreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    struct mem send = mem_new(kind, sizeof(int));
    struct mem recv = mem_new(kind, sizeof(int));
    int        one = 1, is, should;
    bool       right;

    *(void **)&allreduce = symbol("MPI_Allreduce");
    memcpy(send.elements, &one, sizeof one);
    mem_upload(&send);
    mem_upload(&recv);
    right =
        allreduce(send.buffer, recv.buffer, 1, symbol("ompi_mpi_int"),
                  symbol("ompi_mpi_op_sum"), symbol("ompi_mpi_comm_self")) == 0;
    memcpy(recv.elements, &one, sizeof one);
    right = right && mem_compare(&recv, &is, &should) == LONG_MIN;
    mem_delete(&send);
    mem_delete(&recv);
    return right;
}

int main(int argc, char **argv)
{
    int (*init)(int *, char ***);
    int (*finalize)(void);
    bool right = false;

    library = dlopen("libmpi.so.40", RTLD_NOW | RTLD_LOCAL);
    *(void **)&init = symbol("MPI_Init");
    *(void **)&finalize = symbol("MPI_Finalize");
    init(&argc, &argv);
    for (int kind = 0; kind < MEM_KINDS; kind++)
        if (argc > 1 &&
            strcmp(argv[1], mem_kind_name((enum mem_kind)kind)) == 0)
            right = mem_available((enum mem_kind)kind, 0) &&
                    sum_is_right((enum mem_kind)kind);
    finalize();
    printf("%s 1 - case 48c: MPI opened with RTLD_LOCAL, %s\n1..1\n",
           right ? "ok" : "not ok", argc > 1 ? argv[1] : "no kind given");
    return right ? 0 : 1;
}
