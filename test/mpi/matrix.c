/*
 * Every call, in cases that cover each pair of: the call's form, memory on
 * each side and rank, in place or not, layout, type, op, count, communicator,
 * root.  Each rank checks every byte of its buffers against formulas.
 *
 *   matrix [--cases N] [--seed S] [--memory host,cuda] [--from K] [--case K]
 *          [--limit SECONDS] [--repeat TIMES]
 *
 * All ranks, and jobs of any number of ranks, number the same cases for the
 * same options; a job runs those with its own number of ranks.
 */
#include "matrix.h"
#include "tap.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LINE = 640, CI_CASES = 6000 };

static struct {
    int         cases, from, only, repeat;
    unsigned    limit; /* seconds a case */
    uint32_t    seed;
    const char *memory;
} options = {
    .cases = CI_CASES, .only = -1, .repeat = 1, .seed = 1, .limit = 60};

static int  rank, nranks;
static char current[LINE]; /* for the handler of deadly signals */
static char failed_before;

/* ---- words ---- */

static int add(char *line, int at, const char *format, const char *a,
               const char *b)
{
    int n = snprintf(line + at, (size_t)(LINE - at), format, a, b);

    return n < 0 || at + n >= LINE ? LINE - 1 : at + n;
}

/* All that is needed to repeat the case, and what it is. */
static void describe(const struct mx_case *c, int number)
{
    int at = snprintf(current, LINE, "mpirun -n %d matrix --case %d --seed %u",
                      c->level[F_RANKS] + 1, number, options.seed);

    if (options.cases != CI_CASES) {
        char digits[16];

        snprintf(digits, sizeof digits, "%d", options.cases);
        at = add(current, at, " --cases %s%s", digits, "");
    }
    if (options.memory != NULL)
        at = add(current, at, " --memory %s%s", options.memory, "");
    at =
        add(current, at, ": %s%s", mx_level_name(F_CALL, c->level[F_CALL]), "");
    for (int f = F_MODE; f < FACTORS; f++) {
        enum mx_factor factor = (enum mx_factor)f;

        if (c->level[f] != 0 || f == F_MODE || f == F_MEMORY || f == F_TYPE ||
            f == F_COUNT)
            at = add(current, at, ", %s %s", mx_factor_name(factor),
                     mx_level_name(factor, c->level[f]));
    }
}

static void complain(const char *what)
{
    printf("# rank %d: %s: %s\n", rank, what, current);
    fflush(stdout);
    failed_before = 1;
}

/* Says in which case the process dies, then lets it.  Async-signal-safe, and
 * in one write, as other ranks may die of the same. */
static void die(int number)
{
    char        *said = number == SIGALRM ? "# hung in " : "# died in ";
    struct iovec line[] = {
        {said, strlen(said)}, {current, strlen(current)}, {"\n", 1}};

    if (writev(STDERR_FILENO, line, 3) < 0 || number == SIGALRM)
        _exit(98);
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_signals(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS,  SIGFPE,
                                 SIGILL,  SIGABRT, SIGALRM};

    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
        struct sigaction action = {.sa_handler = die};

        sigaction(deadly[i], &action, NULL);
    }
}

/* ---- one case ---- */

/* Which bytes differ from what they should be: the first, and how many. */
static void check_side(const char *name, const struct mem *mem, int round)
{
    char           what[160];
    unsigned char *is = malloc(mem->block_bytes), *should = mem->image;
    size_t         first = 0, differ = 0;

    if (is == NULL)
        abort();
    mem_download(mem, is);
    for (size_t i = mem->block_bytes; i-- > 0;) {
        if (is[i] != should[i]) {
            first = i;
            differ++;
        }
    }
    if (differ > 0) {
        snprintf(what, sizeof what,
                 "byte %ld of %s (%s) is %#x, not %#x, and %zu more are wrong, "
                 "round %d",
                 (long)first - MEM_GUARD_BYTES, name, mem_kind_name(mem->kind),
                 (unsigned)is[first], (unsigned)should[first], differ - 1,
                 round + 1);
        complain(what);
    }
    free(is);
}

static void check_rc(int rc)
{
    char what[MPI_MAX_ERROR_STRING + 32], words[MPI_MAX_ERROR_STRING] = "";
    int  n;

    if (rc == MPI_SUCCESS)
        return;
    MPI_Error_string(rc, words, &n);
    snprintf(what, sizeof what, "error %d (%s)", rc, words);
    complain(what);
}

static void run_round(struct mx_plan *p, int round)
{
    const char *fault = NULL;
    int         rc;

    mx_plan_fill(p);
    if (mx_is_point_to_point(p->c->level[F_CALL]))
        rc = mx_exchange(p, &fault);
    else
        rc = mx_collective(p, &fault);
    mx_plan_expect(p);
    check_rc(rc);
    if (fault != NULL)
        complain(fault);
    check_side("send", &p->send.mem, round);
    check_side("recv", &p->recv.mem, round);
}

/* Persistent calls are started twice, with other data; but not a persistent
 * bsend, of which Open MPI 4.1.4 sends something else the second time. */
static int rounds_of(const struct mx_case *c)
{
    return c->level[F_MODE] == MODE_PERSISTENT && c->level[F_CALL] != CALL_BSEND
               ? 2
               : 1;
}

static bool run_case(const struct mx_case *c)
{
    int            rounds = rounds_of(c);
    struct mx_plan p;

    failed_before = 0;
    mx_plan_make(&p, c);
    for (int round = 0; round < rounds && !failed_before; round++) {
        mx_salt = options.seed + (uint32_t)round * 0x27d4eb2fu;
        run_round(&p, round);
        /* Nobody starts the next while someone is in this one. */
        MPI_Allreduce(MPI_IN_PLACE, &failed_before, 1, MPI_CHAR, MPI_MAX,
                      MPI_COMM_WORLD);
    }
    mx_plan_free(&p);
    return !failed_before;
}

static int run_cases(const struct mx_case *cases, int *ran_out)
{
    int failures = 0;

    for (int i = options.from; i < options.cases; i++) {
        bool chosen = options.only < 0 || options.only == i;

        if (!chosen || cases[i].level[F_RANKS] + 1 != nranks)
            continue;
        describe(&cases[i], i);
        if (options.only >= 0 && rank == 0)
            printf("# %s\n", current);
        alarm(options.limit);
        for (int n = 0; n < options.repeat; n++)
            failures += !run_case(&cases[i]);
        alarm(0);
        ++*ran_out;
    }
    return failures;
}

/* ---- the whole ---- */

static bool parse(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *value = argv[i + 1];

        if (strcmp(argv[i], "--cases") == 0)
            options.cases = atoi(value);
        else if (strcmp(argv[i], "--seed") == 0)
            options.seed = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--memory") == 0)
            options.memory = value;
        else if (strcmp(argv[i], "--from") == 0)
            options.from = atoi(value);
        else if (strcmp(argv[i], "--case") == 0)
            options.only = atoi(value);
        else if (strcmp(argv[i], "--repeat") == 0)
            options.repeat = atoi(value);
        else if (strcmp(argv[i], "--limit") == 0)
            options.limit = (unsigned)atoi(value);
        else
            return false;
    }
    return argc % 2 == 1 && options.cases > 0 && options.from >= 0;
}

static void report(const struct mx_coverage *coverage, int ran, int failures)
{
    char what[160];

    if (rank == 0) {
        printf("# %ld pairs of levels occur in %d cases, %ld are impossible, "
               "%ld are missing\n",
               coverage->covered, options.cases, coverage->impossible,
               coverage->missed);
        mx_cover_print_impossible();
        mx_print_left_out();
    }
    snprintf(what, sizeof what, "%d cases with %d ranks, seed %u", ran, nranks,
             options.seed);
    tap_plan(2);
    tap_ok(failures == 0, what);
    tap_ok(coverage->missed == 0 || options.only >= 0,
           "every pair of levels that can occur does");
}

int main(int argc, char **argv)
{
    struct mx_coverage coverage;
    struct mx_case    *cases;
    int                ran = 0, failures;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    /* Errors of requests go to one of these. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (!parse(argc, argv) || !mx_choose_memory(options.memory, rank)) {
        fprintf(stderr, "# usage: matrix [--cases N] [--seed S] [--memory "
                        "host,...] [--from K] [--case K] [--limit SECONDS] "
                        "[--repeat TIMES]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    catch_signals();
    cases = mx_cover(options.cases, options.seed, &coverage);
    mx_comms_create();
    failures = run_cases(cases, &ran);
    mx_comms_free();
    report(&coverage, ran, failures);
    free(cases);
    MPI_Finalize();
    return failures > 0;
}
