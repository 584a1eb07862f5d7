/* The ops of the matrix, and the user's function behind two of them. */
#include "matrix.h"

#include <string.h>

static struct {
    const struct mx_type *layout;
    MPI_Datatype          type;
    int                   op;
    const char           *fault;
} user;

const char *mx_op_fault(void)
{
    const char *fault = user.fault;

    user.fault = NULL;
    return fault;
}

/* inout = in op inout; padding isn't the op's to write. */
static void combine_item(const struct mx_base *base, const unsigned char *in,
                         unsigned char *inout)
{
    unsigned char item[64];

    memcpy(item, in, (size_t)base->extent);
    mx_combine(base, user.op, item, inout);
    memcpy(inout, item, (size_t)base->bytes);
    memcpy(inout + base->at, item + base->at, (size_t)base->second_bytes);
}

/* Reads and writes as a program does: it dies of device memory. */
static void combine(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const unsigned char *left = in;
    unsigned char       *right = inout;

    if (*type != user.type) {
        user.fault = "the user's function got another datatype than the call";
        return;
    }
    for (int i = 0; i < *count; i++) {
        for (int j = 0; j < user.layout->items; j++) {
            long at = user.layout->item[j].at;

            combine_item(user.layout->item[j].base, left + at, right + at);
        }
        left += user.layout->extent;
        right += user.layout->extent;
    }
}

MPI_Op mx_op_new(const struct mx_plan *p)
{
    const MPI_Op predefined[] = {MPI_OP_NULL, MPI_SUM,  MPI_PROD, MPI_MAX,
                                 MPI_MIN,     MPI_LAND, MPI_LOR,  MPI_LXOR,
                                 MPI_BAND,    MPI_BOR,  MPI_BXOR, MPI_MAXLOC,
                                 MPI_MINLOC};
    MPI_Op       result;

    user.op = p->c->level[F_OP];
    if (user.op < OP_USER)
        return predefined[user.op];
    user.layout = &p->layout;
    user.type = p->layout.type;
    MPI_Op_create(combine, user.op == OP_USER, &result);
    return result;
}

void mx_op_delete(MPI_Op *op)
{
    if (*op != MPI_OP_NULL && user.op >= OP_USER)
        MPI_Op_free(op);
    *op = MPI_OP_NULL;
}
