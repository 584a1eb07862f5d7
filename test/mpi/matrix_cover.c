/*
 * A covering array: cases in which every pair of levels of two factors occurs
 * that any case can have.
 *
 * Each case starts from a pair that is still wanted; the other factors follow,
 * the most restricted one first, each at the level that covers most wanted
 * pairs.  Where a choice leaves a factor without a level, it is taken back, so
 * that a pair for which nothing is found is proven impossible.  When no pair is
 * wanted any more, cases are drawn by the levels' weights.
 */
#include "matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LEVELS = 256, MAX_TRIES = 20000 };

enum { WANTED, COVERED, IMPOSSIBLE, MISSED };

static struct {
    int           base[FACTORS + 1]; /* a level's number among all levels */
    unsigned char pair[MAX_LEVELS][MAX_LEVELS];
    long          wanted;
    int           factor_of[MAX_LEVELS];
    uint32_t      random;
    int           tries; /* left for the case being built */
} cover;

/* xorshift32 */
static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static int level_number(int factor, int level)
{
    return cover.base[factor] + level;
}

static unsigned char *pair_of(int a, int b)
{
    return a < b ? &cover.pair[a][b] : &cover.pair[b][a];
}

static struct mx_case undecided(void)
{
    struct mx_case c;

    memset(c.level, MX_ANY, sizeof c.level);
    return c;
}

static void number_levels(void)
{
    cover.base[0] = 0;
    for (int f = 0; f < FACTORS; f++) {
        cover.base[f + 1] = cover.base[f] + mx_levels((enum mx_factor)f);
        if (cover.base[f + 1] > MAX_LEVELS) {
            fprintf(stderr, "# more than %d levels\n", MAX_LEVELS);
            exit(99);
        }
        for (int n = cover.base[f]; n < cover.base[f + 1]; n++)
            cover.factor_of[n] = f;
    }
}

static void set_level(struct mx_case *c, int number)
{
    int factor = cover.factor_of[number];

    c->level[factor] = (signed char)(number - cover.base[factor]);
}

/* What the rules exclude outright need not be searched for. */
static void find_wanted(void)
{
    for (int a = 0; a < cover.base[FACTORS]; a++) {
        for (int b = cover.base[cover.factor_of[a] + 1];
             b < cover.base[FACTORS]; b++) {
            struct mx_case c = undecided();

            set_level(&c, a);
            set_level(&c, b);
            *pair_of(a, b) = mx_impossible(&c) != NULL ? IMPOSSIBLE : WANTED;
            cover.wanted += *pair_of(a, b) == WANTED;
        }
    }
}

static int gain(const struct mx_case *c, int number)
{
    int result = 0;

    for (int f = 0; f < FACTORS; f++)
        if (c->level[f] != MX_ANY && f != cover.factor_of[number])
            result += *pair_of(number, level_number(f, c->level[f])) == WANTED;
    return result;
}

/* Levels that the factor can still have. */
static int feasible(const struct mx_case *c, int factor,
                    signed char level[MAX_LEVELS])
{
    struct mx_case next = *c;
    int            n = 0, levels = mx_levels((enum mx_factor)factor);

    for (int l = 0; l < levels; l++) {
        next.level[factor] = (signed char)l;
        if (mx_impossible(&next) == NULL)
            level[n++] = (signed char)l;
    }
    return n;
}

/* The level that covers most; among equals by chance and weight. */
static int choose(const struct mx_case *c, int factor, const signed char *level,
                  int n)
{
    int best = -1, best_gain = -1;
    int weights = 0;

    for (int i = 0; i < n; i++) {
        int g = gain(c, level_number(factor, level[i]));
        int weight = mx_weight((enum mx_factor)factor, level[i]);

        if (g < best_gain)
            continue;
        if (g > best_gain)
            weights = 0;
        best_gain = g;
        weights += weight;
        if ((int)(next_random(&cover.random) % (uint32_t)weights) < weight)
            best = i;
    }
    return best;
}

/* The factor with the fewest levels left; by chance among equals. */
static int most_restricted(const struct mx_case *c, signed char *level,
                           int *n_out)
{
    signed char some[MAX_LEVELS];
    int         factor = -1, fewest = MAX_LEVELS + 1;
    int         start = (int)(next_random(&cover.random) % FACTORS);

    for (int i = 0; i < FACTORS; i++) {
        int f = (start + i) % FACTORS, n;

        if (c->level[f] != MX_ANY)
            continue;
        n = feasible(c, f, some);
        if (n < fewest) {
            memcpy(level, some, sizeof some);
            factor = f;
            fewest = n;
        }
    }
    *n_out = fewest;
    return factor;
}

static bool complete(struct mx_case *c)
{
    signed char level[MAX_LEVELS];
    int         n, factor;

    if (--cover.tries < 0)
        return false;
    factor = most_restricted(c, level, &n);
    if (factor < 0)
        return true;
    while (n > 0) {
        int i = choose(c, factor, level, n);

        c->level[factor] = level[i];
        if (complete(c))
            return true;
        level[i] = level[--n];
    }
    c->level[factor] = MX_ANY;
    return false;
}

static bool try_complete(struct mx_case *c)
{
    cover.tries = MAX_TRIES;
    return complete(c);
}

static void mark_covered(const struct mx_case *c)
{
    for (int f = 0; f < FACTORS; f++) {
        for (int g = f + 1; g < FACTORS; g++) {
            unsigned char *pair = pair_of(level_number(f, c->level[f]),
                                          level_number(g, c->level[g]));

            cover.wanted -= *pair == WANTED;
            *pair = COVERED;
        }
    }
}

/* Pairs are looked for from a random place on, round and round. */
static bool next_wanted(int *a_out, int *b_out)
{
    int levels = cover.base[FACTORS];
    int start = (int)(next_random(&cover.random) % (uint32_t)levels);

    for (int i = 0; i < levels && cover.wanted > 0; i++) {
        int a = (start + i) % levels;

        for (int b = cover.base[cover.factor_of[a] + 1]; b < levels; b++) {
            if (*pair_of(a, b) == WANTED) {
                *a_out = a;
                *b_out = b;
                return true;
            }
        }
    }
    return false;
}

static struct mx_case next_case(void)
{
    struct mx_case c = undecided();
    int            a, b;

    while (next_wanted(&a, &b)) {
        c = undecided();
        set_level(&c, a);
        set_level(&c, b);
        if (try_complete(&c))
            return c;
        *pair_of(a, b) = cover.tries < 0 ? MISSED : IMPOSSIBLE;
        cover.wanted--;
    }
    do { /* from a call drawn evenly: the most restricted would come first */
        c = undecided();
        c.level[F_CALL] = (signed char)(next_random(&cover.random) % CALLS);
    } while (!try_complete(&c));
    return c;
}

static struct mx_coverage count_pairs(void)
{
    struct mx_coverage result = {0};

    for (int a = 0; a < cover.base[FACTORS]; a++) {
        for (int b = cover.base[cover.factor_of[a] + 1];
             b < cover.base[FACTORS]; b++) {
            unsigned char state = *pair_of(a, b);

            result.covered += state == COVERED;
            result.impossible += state == IMPOSSIBLE;
            result.missed += state == MISSED || state == WANTED;
        }
    }
    return result;
}

static const char *reason_of(int a, int b)
{
    struct mx_case c = undecided();

    set_level(&c, a);
    set_level(&c, b);
    return mx_impossible(&c);
}

/* Pairs that are impossible for one reason; NULL: excluded by no rule alone. */
static long count_impossible(const char *reason)
{
    long n = 0;

    for (int a = 0; a < cover.base[FACTORS]; a++)
        for (int b = cover.base[cover.factor_of[a] + 1];
             b < cover.base[FACTORS]; b++)
            n += *pair_of(a, b) == IMPOSSIBLE && reason_of(a, b) == reason;
    return n;
}

void mx_cover_print_impossible(void)
{
    for (int i = 0; mx_reason(i) != NULL; i++)
        if (count_impossible(mx_reason(i)) > 0)
            printf("# impossible: %ld: %s\n", count_impossible(mx_reason(i)),
                   mx_reason(i));
    printf("# impossible: %ld: no single rule, but no case keeps them all\n",
           count_impossible(NULL));
}

struct mx_case *mx_cover(int cases, uint32_t seed,
                         struct mx_coverage *coverage_out)
{
    struct mx_case *result = calloc((size_t)cases + 1, sizeof *result);

    if (result == NULL)
        exit(99);
    cover.random = seed * 2654435761u + 1;
    cover.wanted = 0;
    number_levels();
    find_wanted();
    for (int i = 0; i < cases; i++) {
        result[i] = next_case();
        mark_covered(&result[i]);
    }
    *coverage_out = count_pairs();
    return result;
}
