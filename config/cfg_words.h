#ifndef HC_CFG_WORDS_H
#define HC_CFG_WORDS_H

#include <stddef.h>

/*
 * The word of a NULL-terminated list that someone who typed `word` most
 * likely meant: the fewest insertions, deletions, changes and swaps of
 * neighbours, upper and lower case alike.  NULL when none is within a third
 * of the length, so that a suggestion is worth reading.
 */
const char *hc_words_nearest(const char *word, const char *const *words);

/* The index of word in "one|two|three", -1 when it is not there. */
int hc_words_index(const char *word, const char *choices);

#endif
