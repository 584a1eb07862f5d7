#ifndef TEST_MPI_MATRIX_PLAN_H
#define TEST_MPI_MATRIX_PLAN_H

/* Inside of plans: what the files that make them share. */

#include "matrix.h"

/* ---- matrix_blocks.c ---- */

int  mx_level(const struct mx_plan *p, enum mx_factor factor);
int  mx_call_of(const struct mx_plan *p);
bool mx_in_place(const struct mx_plan *p);
bool mx_is_w(int call);
/* Ids; peers are ranks of the remote group, or of the only one. */
int mx_my_id(const struct mx_plan *p);
int mx_id_of(const struct mx_plan *p, int peer);
/* Ranks that this one sends to or receives from; negative: nobody. */
int mx_peers(const struct mx_plan *p, bool outgoing, const int **ranks_out);

/* Elements of the layout that belong to a rank, or go from one to another. */
int mx_part_of(const struct mx_plan *p, int key);
int mx_pair_count(const struct mx_plan *p, int from, int to);

const struct mx_type *mx_recv_type(const struct mx_plan *p);
const struct mx_type *mx_pair_type(const struct mx_plan *p, int from, int to,
                                   bool receives);

/* `count` elements of the layout, expressed in type, at the buffer's begin. */
struct mx_block mx_block(const struct mx_plan *p, const struct mx_type *type,
                         int count);
struct mx_block mx_from_one(struct mx_block b, int from, int to);

/* A block in a side's buffer, before the call or after it. */
void mx_before(struct mx_side *side, struct mx_block b);
void mx_after(struct mx_side *side, struct mx_block b);
/* The side's buffer has room for it. */
void mx_measure(struct mx_side *side, const struct mx_block *b);
/* MPI is given the block's type and count for the side. */
void mx_whole(struct mx_side *side, struct mx_block b);
/* A side that consists of one block. */
void mx_send_whole(struct mx_plan *p, const struct mx_type *type, int count,
                   int to);
void mx_recv_whole(struct mx_plan *p, int count, int from, int to);
/* n blocks, one for each peer, find their places in the side's buffer. */
void mx_place(const struct mx_plan *p, struct mx_side *side, struct mx_block *b,
              int n);

/* ---- matrix_plan.c ---- */

/* Who the root is, as MPI wants to hear it; then what the call moves. */
void mx_plan_root(struct mx_plan *p);
void mx_plan_call(struct mx_plan *p);

#endif
