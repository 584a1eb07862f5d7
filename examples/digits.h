#ifndef DIGITS_H
#define DIGITS_H

#include <stddef.h>

/* Handwritten digits, 8 by 8 pixels: one line of the file each, 64 grey levels
 * from 0 to 16 and then the digit, separated by commas. */

enum { DIGIT_PIXELS = 64, DIGIT_CLASSES = 10, DIGIT_LEVEL_MAX = 16 };

struct digit {
    unsigned char pixel[DIGIT_PIXELS];
    unsigned char label;
};

/**
 * Read a file of digits.
 *
 * digits_out  [*count_out] digits; the caller frees them
 * why         filled on failure: what is wrong with which file (and line)
 * Returns 0, or -1 when the file can't be read, holds no digit, or has a line
 * that is no digit.
 */
int digits_read(const char *path, struct digit **digits_out, int *count_out,
                char *why, size_t why_bytes);

#endif
