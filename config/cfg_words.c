#include "config/cfg_words.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

enum { WORD_MAX = 64 }; /* longer words are compared by their beginning */

static int lower(const char *word, size_t i)
{
    return tolower((unsigned char)word[i]);
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Optimal string alignment; the last three rows are enough for swaps. */
static int distance(const char *a, const char *b)
{
    int    rows[3][WORD_MAX + 1];
    size_t na = strnlen(a, WORD_MAX), nb = strnlen(b, WORD_MAX);

    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = (int)j;

    for (size_t i = 1; i <= na; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3];
        int *above2 = rows[(i + 1) % 3];

        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int changed = lower(a, i - 1) != lower(b, j - 1);

            row[j] = smaller(above[j - 1] + changed,
                             smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a, i - 1) == lower(b, j - 2) &&
                lower(a, i - 2) == lower(b, j - 1))
                row[j] = smaller(row[j], above2[j - 2] + 1);
        }
    }
    return rows[na % 3][nb];
}

const char *hc_words_nearest(const char *word, const char *const *words)
{
    const char *nearest = NULL;
    int         least = INT_MAX;
    int         close = (int)strnlen(word, WORD_MAX) / 3;

    for (; *words != NULL; words++) {
        int d = distance(word, *words);

        if (d < least) {
            least = d;
            nearest = *words;
        }
    }
    return least <= (close > 0 ? close : 1) ? nearest : NULL;
}

int hc_words_index(const char *word, const char *choices)
{
    size_t length = strlen(word);

    for (int index = 0;; index++) {
        size_t n = strcspn(choices, "|");

        if (n == length && strncmp(word, choices, n) == 0)
            return index;
        if (choices[n] == '\0')
            return -1;
        choices += n + 1;
    }
}
