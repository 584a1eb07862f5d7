#include "examples/digits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number from 0 to max at *text; steps over it and the comma or line end
 * that follows.  -1 when there is none. */
static int take_number(const char **text, int max, char end)
{
    char *after;
    long  value;

    if (**text < '0' || **text > '9')
        return -1;
    value = strtol(*text, &after, 10);
    if (value > max)
        return -1;
    if (end == '\n') {
        after += strspn(after, " \r\n");
        if (*after != '\0')
            return -1;
    } else if (*after++ != end) {
        return -1;
    }
    *text = after;
    return (int)value;
}

static int parse(const char *line, struct digit *digit_out)
{
    int value;

    for (int i = 0; i < DIGIT_PIXELS; i++) {
        value = take_number(&line, DIGIT_LEVEL_MAX, ',');
        if (value < 0)
            return -1;
        digit_out->pixel[i] = (unsigned char)value;
    }
    value = take_number(&line, DIGIT_CLASSES - 1, '\n');
    if (value < 0)
        return -1;
    digit_out->label = (unsigned char)value;
    return 0;
}

/* Room for one more digit; NULL when memory is out, and the old is kept. */
static struct digit *grown(struct digit *digits, int count, int *room)
{
    struct digit *more;

    if (count < *room)
        return digits;
    more = realloc(digits, (size_t)*room * 2 * sizeof *digits);
    if (more != NULL)
        *room *= 2;
    return more;
}

static int read_lines(FILE *file, const char *path, struct digit **digits,
                      int *count, char *why, size_t why_bytes)
{
    char line[512]; /* a line has at most 65 numbers of 3 characters */
    int  room = 1024;

    *digits = malloc((size_t)room * sizeof **digits);
    while (*digits != NULL && fgets(line, sizeof line, file) != NULL) {
        struct digit *more = grown(*digits, *count, &room);

        if (more == NULL) {
            snprintf(why, why_bytes, "%s: no memory for its digits", path);
            return -1;
        }
        *digits = more;
        if (parse(line, &(*digits)[*count]) != 0) {
            snprintf(why, why_bytes,
                     "%s:%d: expected 64 grey levels (0..16) and a digit "
                     "(0..9), separated by commas",
                     path, *count + 1);
            return -1;
        }
        ++*count;
    }
    if (*count > 0 && !ferror(file))
        return 0;
    snprintf(why, why_bytes, "%s: %s", path,
             ferror(file) ? strerror(errno) : "holds no digits");
    return -1;
}

int digits_read(const char *path, struct digit **digits_out, int *count_out,
                char *why, size_t why_bytes)
{
    struct digit *digits = NULL;
    int           count = 0;
    int           failed;
    FILE         *file = fopen(path, "r");

    if (file == NULL) {
        snprintf(why, why_bytes, "%s: %s", path, strerror(errno));
        return -1;
    }
    failed = read_lines(file, path, &digits, &count, why, why_bytes);
    fclose(file);
    if (failed != 0) {
        free(digits);
        return -1;
    }
    *digits_out = digits;
    *count_out = count;
    return 0;
}
