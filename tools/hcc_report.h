#ifndef HCC_REPORT_H
#define HCC_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum hcc_verdict {
    HCC_OK,
    HCC_NONE, /* not here, and nothing wrong with that */
    HCC_WARN, /* works, but not as well as it could or not always */
    HCC_FAIL, /* MPI programs on GPU memory won't run until it is fixed */
};

struct hcc_line {
    enum hcc_verdict verdict;
    const char      *name; /* what was looked at: static */
    char            *text; /* what was found */
    char            *fix;  /* NULL with HCC_OK */
};

/* The checks' answers in the order they were given. */
struct hcc_report {
    struct hcc_line *lines;
    size_t           count;
    bool             failed; /* out of memory; lines are missing */
};

void hcc_report_free(struct hcc_report *r);

/* Add a line; text in printf's manner. */
void hcc_say(struct hcc_report *r, enum hcc_verdict verdict, const char *name,
             const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What to do about the line just added; once for each that is not HCC_OK. */
void hcc_fix(struct hcc_report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The worst of all lines. */
enum hcc_verdict hcc_report_worst(const struct hcc_report *r);

/* last: one line that sums up. */
void hcc_report_print(const struct hcc_report *r, const char *last, FILE *file);

/*
 * One object: version, verdict, devices, emulated, summary, and "checks", an
 * array of {check, verdict, text, fix}.  Keys are only ever added.
 */
void hcc_report_print_json(const struct hcc_report *r, const char *last,
                           int devices, bool emulated, FILE *file);

#endif
