#ifndef TEST_MPI_MATRIX_PLAN_H
#define TEST_MPI_MATRIX_PLAN_H

/* Inside of plans: what the files that make them share. */

#include "matrix.h"

/* ---- matrix_blocks.c ---- */

int                   mx_level(const struct mx_plan *p, enum mx_factor factor);
int                   mx_call_of(const struct mx_plan *p);
bool                  mx_in_place(const struct mx_plan *p);
int                   mx_my_id(const struct mx_plan *p);
int                   mx_id_of(const struct mx_plan *p, int peer);
bool                  mx_is_w(int call);
int                   mx_part_of(const struct mx_plan *p, int key);
int                   mx_pair_count(const struct mx_plan *p, int from, int to);
const struct mx_type *mx_recv_type(const struct mx_plan *p);
const struct mx_type *mx_pair_type(const struct mx_plan *p, int from, int to,
                                   bool receives);
struct mx_block mx_block(const struct mx_plan *p, const struct mx_type *type,
                         int count);
struct mx_block mx_from_one(struct mx_block b, int from, int to);
void            mx_before(struct mx_side *side, struct mx_block b);
void            mx_after(struct mx_side *side, struct mx_block b);
void            mx_whole(struct mx_side *side, struct mx_block b);
void mx_send_whole(struct mx_plan *p, const struct mx_type *type, int count,
                   int to);
void mx_recv_whole(struct mx_plan *p, int count, int from, int to);
void mx_measure(struct mx_side *side, const struct mx_block *b);
void mx_place(const struct mx_plan *p, struct mx_side *side, struct mx_block *b,
              int n);
int  mx_peers(const struct mx_plan *p, bool outgoing, const int **ranks_out);

/* ---- matrix_plan.c ---- */

void mx_plan_root(struct mx_plan *p);
void mx_plan_call(struct mx_plan *p);

#endif
