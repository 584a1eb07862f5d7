#include "cases.h"

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cases_job cases;

enum {
    MAX_PLACES = MEM_KINDS + 1,
    NOTES = 5,
    SECONDS = 60,
    LONG_SECONDS = 580
};

/* Kinds by rank: rank r has kinds[r % nkinds]. */
struct place {
    const char   *name;
    enum mem_kind kinds[MEM_KINDS];
    int           nkinds;
};

static struct place places[MAX_PLACES];
static int          nplaces;

static const char *only = "";
static const char *skip_reason;
static int         number, failures, notes_left;
static char        current[256]; /* for the watchdog's last words */

void cases_note(const char *format, ...)
{
    char    line[400];
    va_list arguments;

    if (notes_left-- <= 0)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    printf("# rank %d: %s\n", cases.rank, line);
    fflush(stdout);
}

void cases_notes(int lines)
{
    notes_left = lines;
}

bool cases_skip(const char *reason)
{
    skip_reason = reason;
    return true;
}

bool cases_everywhere(bool here)
{
    int all = here;

    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
}

bool succeeded(int rc, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int  length;

    if (rc == MPI_SUCCESS)
        return true;
    MPI_Error_string(rc, text, &length);
    cases_note("%s: %s", call, text);
    return false;
}

/* A job that hangs names the case. */
static void watchdog(int signal)
{
    static const char words[] = "# hangs: ";

    (void)signal;
    if (write(STDOUT_FILENO, words, sizeof words - 1) < 0 ||
        write(STDOUT_FILENO, current, strlen(current)) < 0 ||
        write(STDOUT_FILENO, "\n", 1) < 0)
        _exit(97);
    _exit(98);
}

/* --- kinds of memory */

static bool is_here(enum mem_kind kind)
{
    return cases_everywhere(mem_available(kind, cases.device));
}

static bool is_device(enum mem_kind kind)
{
    static const char *const names[] = {"cuda", "hip", "ze"};

    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(mem_kind_name(kind), names[i]) == 0)
            return true;
    return false;
}

static struct place mixed_place(void)
{
    struct place place = {.name = "mixed"};

    for (int kind = 0; kind < MEM_KINDS; kind++)
        if (is_device((enum mem_kind)kind) && is_here((enum mem_kind)kind))
            place.kinds[place.nkinds++] = (enum mem_kind)kind;
    return place;
}

/* Each rank has what it sees, be it no device at all. */
static struct place place_here(void)
{
    struct place place = {.name = "here", .kinds = {MEM_HOST}, .nkinds = 1};

    for (int kind = MEM_KINDS - 1; kind >= 0; kind--)
        if (is_device((enum mem_kind)kind) &&
            mem_available((enum mem_kind)kind, cases.device))
            place.kinds[0] = (enum mem_kind)kind;
    return place;
}

static struct place named_place(const char *name)
{
    struct place place = {.name = name};

    if (strcmp(name, "mixed") == 0)
        return mixed_place();
    if (strcmp(name, "here") == 0)
        return place_here();
    for (int kind = 0; kind < MEM_KINDS; kind++)
        if (strcmp(name, mem_kind_name((enum mem_kind)kind)) == 0 &&
            is_here((enum mem_kind)kind))
            place.kinds[place.nkinds++] = (enum mem_kind)kind;
    return place;
}

static void add_asked_places(char *names)
{
    for (char *name = strtok(names, ","); name != NULL && nplaces < MAX_PLACES;
         name = strtok(NULL, ","))
        places[nplaces++] = named_place(name);
}

static void add_places_here(void)
{
    struct place mixed;

    for (int kind = 0; kind < MEM_KINDS; kind++) {
        const char *name = mem_kind_name((enum mem_kind)kind);

        if (kind != MEM_HOST && is_here((enum mem_kind)kind))
            places[nplaces++] = named_place(name);
    }
    mixed = mixed_place();
    if (mixed.nkinds > 1)
        places[nplaces++] = mixed;
}

/* Drivers are opened here, which ONCE cases at a table's head come before. */
static void find_places(void)
{
    static bool found;
    char       *names;

    if (found)
        return;
    found = true;
    if (cases.kinds == NULL) {
        add_places_here();
        return;
    }
    names = strdup(cases.kinds); /* for good: the places' names point to it */
    if (names != NULL)
        add_asked_places(names);
}

/* --- a case */

static void report(const char *claim, const char *place, bool here)
{
    bool all = cases_everywhere(here);

    failures += !all;
    if (cases.rank == 0)
        printf("%s %d - %s%s%s%s%s\n", all ? "ok" : "not ok", ++number, claim,
               place[0] != '\0' ? ", " : "", place,
               all && skip_reason != NULL ? " # SKIP " : "",
               all && skip_reason != NULL ? skip_reason : "");
    fflush(stdout);
}

static void try_case(const struct test_case *test, const char *place,
                     enum mem_kind kind)
{
    bool right;

    skip_reason = NULL;
    notes_left = NOTES;
    snprintf(current, sizeof current, "%s, %s", test->claim, place);
    alarm(cases.is_long ? LONG_SECONDS : SECONDS);
    right = test->holds(kind);
    report(test->claim, place, right);
    alarm(0);
}

static void try_places(const struct test_case *test)
{
    find_places();
    for (int i = 0; i < nplaces; i++) {
        const struct place *p = &places[i];
        enum mem_kind       kind;

        if (p->nkinds == 0) {
            skip_reason = NULL;
            report(test->claim, "which needs memory that is not here", false);
            continue;
        }
        kind = p->kinds[cases.rank % p->nkinds];
        if (test->scope == SCOPE_KINDS)
            try_case(test, p->name, kind);
        else if (strcmp(p->name, mem_kind_name(MEM_CUDA)) == 0)
            try_case(test, p->name, kind);
    }
}

static void read_arguments(int argc, char **argv)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &cases.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &cases.nranks);
    cases.device = cases.rank;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--long") == 0)
            cases.is_long = true;
        else if (strcmp(argv[i], "--kinds") == 0 && i + 1 < argc)
            cases.kinds = argv[++i];
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc)
            cases.device = atoi(argv[++i]);
        else if (cases.rank == 0)
            fprintf(stderr, "# unknown argument %s\n", argv[i]);
    }
}

int cases_run(int argc, char **argv, const struct test_case *table)
{
    read_arguments(argc, argv);
    signal(SIGALRM, watchdog);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (const struct test_case *test = table; test->claim != NULL; test++) {
        if (strstr(test->claim, only) == NULL ||
            (test->is_asked && only[0] == '\0'))
            continue;
        if (test->scope == SCOPE_ONCE)
            try_case(test, "", MEM_HOST);
        else
            try_places(test);
    }
    if (cases.rank == 0)
        printf("1..%d\n", number);
    fflush(stdout);
    return failures == 0 ? 0 : 1;
}

int cases_main(int argc, char **argv, const struct test_case *table)
{
    int result;

    MPI_Init(&argc, &argv);
    result = cases_run(argc, argv, table);
    MPI_Finalize();
    return result;
}

/* --- cells */

size_t cell_bytes(enum cell cell)
{
    static const size_t bytes[CELLS] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};

    return bytes[cell];
}

MPI_Datatype cell_type(enum cell cell)
{
    const MPI_Datatype types[CELLS] = {
        MPI_INT8_T,   MPI_UINT8_T, MPI_INT16_T,  MPI_UINT16_T, MPI_INT32_T,
        MPI_UINT32_T, MPI_INT64_T, MPI_UINT64_T, MPI_FLOAT,    MPI_DOUBLE};

    return types[cell];
}

void put_at(struct mem *mem, size_t offset, enum cell cell, int64_t value)
{
    float  single = (float)value;
    double wide = (double)value;

    /* The low bytes of a little-endian integer are what C's conversion to a
     * narrower one keeps. */
    if (cell == F32)
        memcpy(mem->elements + offset, &single, sizeof single);
    else if (cell == F64)
        memcpy(mem->elements + offset, &wide, sizeof wide);
    else
        memcpy(mem->elements + offset, &value, cell_bytes(cell));
}

void put(struct mem *mem, enum cell cell, size_t at, size_t count,
         int64_t first, int64_t step)
{
    size_t bytes = cell_bytes(cell);

    for (size_t i = 0; i < count; i++)
        put_at(mem, (at + i) * bytes, cell, first + (int64_t)i * step);
}

struct mem cells(enum mem_kind kind, enum cell cell, size_t count,
                 int64_t first, int64_t step)
{
    struct mem mem = mem_new(kind, count * cell_bytes(cell));

    put(&mem, cell, 0, count, first, step);
    mem_upload(&mem);
    return mem;
}

struct mem blank(enum mem_kind kind, size_t bytes)
{
    struct mem mem = mem_new(kind, bytes);

    mem_upload(&mem);
    return mem;
}

bool is_as_put(const struct mem *mem, const char *what)
{
    int  is = 0, should = 0;
    long at = mem_compare(mem, &is, &should);

    if (at == LONG_MIN)
        return true;
    cases_note("byte %ld of %s (%zu bytes, %s) is %#x, not %#x", at, what,
               mem->block_bytes - (size_t)2 * MEM_GUARD_BYTES,
               mem_kind_name(mem->kind), (unsigned)is, (unsigned)should);
    return false;
}

bool range_is_as_put(const struct mem *mem, size_t from, size_t to,
                     const char *what)
{
    struct mem range = *mem;

    range.block += MEM_GUARD_BYTES + from;
    range.image += MEM_GUARD_BYTES + from;
    range.block_bytes = to - from;
    return is_as_put(&range, what);
}

bool ends_as_put(struct mem *mem, const char *what)
{
    bool right = is_as_put(mem, what);

    mem_delete(mem);
    return right;
}
