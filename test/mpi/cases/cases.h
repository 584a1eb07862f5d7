#ifndef TEST_MPI_CASES_H
#define TEST_MPI_CASES_H

/*
 * Acceptance cases: each is a small program that once broke some MPI, some
 * vendor's library or some application.  A program has a table of them and
 * tries each on every kind of memory asked for, with a TAP line each.
 *
 *   program [--kinds cuda,hip,...] [--only TEXT] [--device N] [--long]
 *
 * --kinds   as mem_kind_name says; "mixed": vendors alternate by rank; "here":
 *           what each rank sees, host memory where that is no device.  By
 *           default whatever every rank sees.  What is asked for by name and is
 *           not here fails.
 * --only    the cases whose claim has TEXT in it
 * --device  every rank uses device N, instead of its rank's
 * --long    sizes and times for a large machine, by hand
 */

#include "test/mpi/mem.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cases_job {
    int  rank, nranks; /* in MPI_COMM_WORLD */
    int  device;       /* ordinal this rank uses, modulo their number */
    bool is_long;
    /* For programs that start others like them. */
    const char *kinds;
};
extern struct cases_job cases;

struct test_case {
    const char *claim; /* "case 5: ..." */
    /* True where the claim holds on this rank, whose memory is to be of this
     * kind.  Called on every rank. */
    bool (*holds)(enum mem_kind kind);
    enum { SCOPE_KINDS, SCOPE_ONCE, SCOPE_CUDA } scope;
    bool is_asked; /* needs a job of its own: only with --only */
};

#define EACH_KIND(is_claim, function)            \
    {                                            \
        .claim = (is_claim), .holds = (function) \
    }
/* With MEM_HOST, whatever kinds were asked for. */
#define ONCE(is_claim, function)                                      \
    {                                                                 \
        .claim = (is_claim), .holds = (function), .scope = SCOPE_ONCE \
    }
/* Uses what only this vendor has: with MEM_CUDA, where "cuda" was asked for. */
#define CUDA_ONLY(is_claim, function)                                 \
    {                                                                 \
        .claim = (is_claim), .holds = (function), .scope = SCOPE_CUDA \
    }
#define WHEN_ASKED(is_claim, function)                             \
    {                                                              \
        .claim = (is_claim), .holds = (function), .is_asked = true \
    }
#define END_OF_CASES  \
    {                 \
        .claim = NULL \
    }

/* Between MPI_Init and MPI_Finalize.  The table ends with an empty entry.
 * Returns what main is to return. */
int cases_run(int argc, char **argv, const struct test_case *table);
/* The same with those two around it. */
int cases_main(int argc, char **argv, const struct test_case *table);

/* Inside a case: this can't be tried here.  Say the same on every rank. */
bool cases_skip(const char *reason);
/* Whether it is so on every rank. */
bool cases_everywhere(bool here);
/* A line of diagnosis, with the rank. */
void cases_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* How many more lines of it there may be. */
void cases_notes(int lines);

/* True for MPI_SUCCESS; a note otherwise. */
bool succeeded(int rc, const char *call);
#define CALL(call) succeeded((call), #call)

/* What a cell of a buffer is. */
enum cell { I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, CELLS };

size_t       cell_bytes(enum cell cell);
MPI_Datatype cell_type(enum cell cell);

/* The image gets value at an offset in bytes; converted as C does, so that
 * integers wrap. */
void put_at(struct mem *mem, size_t offset, enum cell cell, int64_t value);
/* Cell at + i gets first + i * step, for i below count. */
void put(struct mem *mem, enum cell cell, size_t at, size_t count,
         int64_t first, int64_t step);

/* A buffer of count cells so filled, uploaded. */
struct mem cells(enum mem_kind kind, enum cell cell, size_t count,
                 int64_t first, int64_t step);
/* A buffer of a guard's pattern. */
struct mem blank(enum mem_kind kind, size_t bytes);

/* Whether memory is as its image says; a note where it is not. */
bool is_as_put(const struct mem *mem, const char *what);
/* Only bytes [from, to) of the buffer. */
bool range_is_as_put(const struct mem *mem, size_t from, size_t to,
                     const char *what);
/* is_as_put, and the buffer is gone. */
bool ends_as_put(struct mem *mem, const char *what);

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
