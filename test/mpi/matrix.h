#ifndef TEST_MPI_MATRIX_H
#define TEST_MPI_MATRIX_H

/*
 * The matrix: every call of MPI that moves or combines data, in cases that
 * differ in the factors below.  A level is a number from 0; level 0 is the
 * plainest one, and what a call has no use for stays at it.
 */

#include "mem.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mx_factor {
    F_CALL,
    F_MODE,
    F_RECEIVE, /* point-to-point: how the other end receives */
    F_MEMORY,
    F_OTHER, /* the second kind of memory, where F_SPREAD uses one */
    F_SPREAD,
    F_PLACE,
    F_LAYOUT,
    F_TYPE,
    F_OP,
    F_COUNT,
    F_RANKS,
    F_COMM,
    F_ROOT,
    F_ADDRESS, /* a pointer, or MPI_BOTTOM and a type of absolute addresses */
    F_MATCH,   /* the receiver gives the sender's type, or only its signature */
    FACTORS
};

enum mx_call {
    CALL_BARRIER,
    CALL_BCAST,
    CALL_GATHER,
    CALL_GATHERV,
    CALL_SCATTER,
    CALL_SCATTERV,
    CALL_ALLGATHER,
    CALL_ALLGATHERV,
    CALL_ALLTOALL,
    CALL_ALLTOALLV,
    CALL_ALLTOALLW,
    CALL_REDUCE,
    CALL_ALLREDUCE,
    CALL_REDUCE_SCATTER,
    CALL_REDUCE_SCATTER_BLOCK,
    CALL_SCAN,
    CALL_EXSCAN,
    CALL_REDUCE_LOCAL,
    CALL_NEIGHBOR_ALLGATHER,
    CALL_NEIGHBOR_ALLGATHERV,
    CALL_NEIGHBOR_ALLTOALL,
    CALL_NEIGHBOR_ALLTOALLV,
    CALL_NEIGHBOR_ALLTOALLW,
    CALL_SEND,
    CALL_BSEND,
    CALL_SSEND,
    CALL_RSEND,
    CALL_SENDRECV,
    CALL_SENDRECV_REPLACE,
    CALLS
};

enum { MODE_BLOCKING, MODE_NONBLOCKING, MODE_PERSISTENT, MODES };

enum {
    RECEIVE_NONE,
    RECEIVE_RECV,
    RECEIVE_IRECV,
    RECEIVE_INIT,
    RECEIVE_PROBE,
    RECEIVE_MPROBE,
    RECEIVE_IMPROBE, /* and imrecv */
    RECEIVES
};

enum { SPREAD_ALIKE, SPREAD_SIDES, SPREAD_BY_RANK, SPREAD_ROOT, SPREADS };
enum { PLACE_OUT, PLACE_IN, PLACES };

enum {
    LAYOUT_PLAIN,
    LAYOUT_CONTIGUOUS,
    LAYOUT_VECTOR,
    LAYOUT_INDEXED,
    LAYOUT_STRUCT,
    LAYOUT_RESIZED,
    LAYOUT_INTERLEAVED,
    LAYOUT_SHIFTED,
    LAYOUTS
};

enum {
    OP_NONE,
    OP_SUM,
    OP_PROD,
    OP_MAX,
    OP_MIN,
    OP_LAND,
    OP_LOR,
    OP_LXOR,
    OP_BAND,
    OP_BOR,
    OP_BXOR,
    OP_MAXLOC,
    OP_MINLOC,
    OP_USER,
    OP_ORDERED, /* a user's that does not commute */
    OPS
};

enum { COUNT_7, COUNT_0, COUNT_1, COUNT_1000, COUNT_65537, COUNTS };
enum { MAX_RANKS = 5 };

enum {
    COMM_WORLD,
    COMM_REVERSED,
    COMM_SELF,
    COMM_INTER,
    COMM_CART,
    COMM_GRAPH,
    COMM_DIST_GRAPH,
    COMMS
};

enum { ROOT_FIRST, ROOT_LAST, ROOTS };
enum { ADDRESS_POINTER, ADDRESS_BOTTOM, ADDRESSES };
enum { MATCH_TYPE, MATCH_SIGNATURE, MATCHES };

enum { MX_ANY = -1 };

struct mx_case {
    signed char level[FACTORS]; /* MX_ANY: not decided yet */
};

/* ---- matrix_factors.c: what there is ---- */

int         mx_levels(enum mx_factor factor);
const char *mx_factor_name(enum mx_factor factor);
const char *mx_level_name(enum mx_factor factor, int level);
/* How often a level is taken where nothing else decides. */
int mx_weight(enum mx_factor factor, int level);
int mx_count(const struct mx_case *c);
/* "host,cuda": only these kinds of memory; NULL: all that are here. */
bool mx_choose_memory(const char *names, int which);
bool mx_has_memory(int kind);

bool mx_is_reduction(int call);
bool mx_is_neighbor(int call);
bool mx_is_point_to_point(int call);
bool mx_is_rooted(int call);

/* ---- matrix_rules.c: what can't be ---- */

/* Why no case with the levels decided so far can be, or NULL. */
const char *mx_impossible(const struct mx_case *c);
/* What is left out because stock Open MPI fails on host memory too. */
void mx_print_left_out(void);
/* The reasons that mx_impossible gives, one after the other, then NULL. */
const char *mx_reason(int i);

/* ---- matrix_cover.c: cases in which every pair of levels occurs ---- */

struct mx_coverage {
    long covered, impossible, missed;
};

/* The same cases for the same seed; caller frees. */
struct mx_case *mx_cover(int cases, uint32_t seed,
                         struct mx_coverage *coverage_out);
/* How many pairs each rule excludes. */
void mx_cover_print_impossible(void);

/* ---- matrix_types.c: base types, and layouts made of them ---- */

enum mx_class {
    CLASS_NONE, /* moves only */
    CLASS_INTEGER,
    CLASS_FORTRAN_INTEGER, /* and multi-language types */
    CLASS_FLOATING,
    CLASS_LOGICAL,
    CLASS_COMPLEX,
    CLASS_BYTE,
    CLASS_PAIR
};

enum mx_number { NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_FLOAT };

/* A predefined type: one number, or two of which the second lies at `at`. */
struct mx_base {
    const char  *name;
    MPI_Datatype type;
    enum mx_class class;
    int            extent;
    enum mx_number number, second;
    int            bytes, at, second_bytes; /* second_bytes 0: only one */
};

enum { MX_ITEMS = 4 };

struct mx_type {
    MPI_Datatype type;
    bool         is_ours; /* to be freed */
    int          items;   /* per element, in the order of the type map */
    struct {
        long                  at;
        const struct mx_base *base;
    } item[MX_ITEMS];
    long extent, first, end; /* bytes of data: [first, end) around 0 */
};

int                   mx_bases(void);
const struct mx_base *mx_base(int type);
struct mx_type        mx_type_new(int layout, const struct mx_base *base);
void                  mx_type_delete(struct mx_type *type);
/* The same at an absolute address, for use with MPI_BOTTOM. */
MPI_Datatype mx_type_at(MPI_Datatype type, const void *address);

/* ---- matrix_values.c: what is sent, and what comes of it ---- */

bool mx_allows(enum mx_class class, int op);
/* Item k of what rank `from` has for `to`, written as op needs it. */
void mx_contribution(const struct mx_base *base, int op, unsigned char *item,
                     int from, int to, size_t k);
/* item = item op next, next being of a higher rank. */
void mx_combine(const struct mx_base *base, int op, unsigned char *item,
                const unsigned char *next);
/* What the cases of a second round are to differ in. */
extern uint32_t mx_salt;

/* ---- matrix_comms.c ---- */

enum { MX_NEIGHBORS = 8 };

/* Ranks are told apart by ids: of an intercommunicator the low group counts
 * first, then the high one. */
struct mx_comm {
    MPI_Comm comm;
    int      rank, size, remote_size;
    int      base, remote_base; /* id of rank 0 of either group */
    bool     is_inter;
    int      sources, destinations; /* of a topology; ranks, -1 for none */
    int      source[MX_NEIGHBORS], destination[MX_NEIGHBORS];
};

void            mx_comms_create(void);
void            mx_comms_free(void);
struct mx_comm *mx_comm(int comm);

/* ---- matrix_plan.c: what every buffer holds before and after a call ---- */

/* count elements of type at byte `at` of a buffer: items k, k+1... of what
 * the ranks [first, last) have for `to`, combined. */
struct mx_block {
    const struct mx_type *type;
    int                   count;
    long                  at;
    int                   first, last, to;
    size_t                k;
};

struct mx_side {
    int             blocks, results; /* before the call, and after it */
    struct mx_block block[MX_NEIGHBORS], result[MX_NEIGHBORS];
    long            head, bytes; /* before the address given, and after it */
    enum mem_kind   kind;
    struct mem      mem;
    /* What MPI is given. */
    void        *buffer;
    int          count;
    MPI_Datatype type;
    int          counts[MX_NEIGHBORS], displs[MX_NEIGHBORS];
    MPI_Aint     addresses[MX_NEIGHBORS]; /* displs in bytes */
    MPI_Datatype types[MX_NEIGHBORS];
    int          slots; /* how many of these */
    bool         is_significant;
};

enum { MX_TYPES_MADE = 2 * (MX_NEIGHBORS + 1) };

struct mx_plan {
    const struct mx_case *c;
    struct mx_comm       *comm;
    const struct mx_base *base;
    struct mx_type        layout, flat; /* flat: the base type alone */
    MPI_Datatype          made[MX_TYPES_MADE];
    int                   types_made;
    MPI_Op                op;
    int                   count;
    int                   root;   /* as given to MPI */
    bool           is_root, idle; /* idle: beside the root of two groups */
    int            to, from;      /* point-to-point: ranks, or none */
    struct mx_side send, recv;
    MPI_Request    request[2]; /* persistent ones */
};

void mx_plan_make(struct mx_plan *p, const struct mx_case *c);
void mx_plan_free(struct mx_plan *p);
/* MPI keeps what it needs of types and ops, so that a program can free them
 * while a call is under way. */
void mx_plan_free_handles(struct mx_plan *p);
/* What the buffers hold before; then what they must hold after. */
void mx_plan_fill(struct mx_plan *p);
void mx_plan_expect(struct mx_plan *p);

/* ---- matrix_ops.c ---- */

/* Faults that a user's function saw since the last call, in words, or NULL. */
const char *mx_op_fault(void);
MPI_Op      mx_op_new(const struct mx_plan *p);
void        mx_op_delete(MPI_Op *op);

/* ---- matrix_calls.c, matrix_p2p.c: to issue a call, and to complete it ----
 */

/* The MPI error code; a status that says something wrong is told in words in
 * *fault_out.  Persistent requests are made once, and stay in the plan. */
int mx_collective(struct mx_plan *p, const char **fault_out);
int mx_exchange(struct mx_plan *p, const char **fault_out);

#endif
