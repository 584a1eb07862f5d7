#ifndef HC_CFG_LOG_H
#define HC_CFG_LOG_H

/* In the order of parameter log_level's words. */
enum hc_log_level {
    HC_LOG_ERROR, /* this call fails */
    HC_LOG_WARN,  /* odd, we go on */
    HC_LOG_INFO,  /* once per job */
    HC_LOG_DEBUG, /* once per object */
};

extern enum hc_log_level hc_log_level;

/* Who writes: shown in every line as host:pid:rank.  rank < 0: not known. */
void hc_log_set_rank(int rank);

/* Write to this file; %h, %p and %r become host, pid and rank.  Empty: stderr.
 * A file that cannot be opened is said on stderr, which then stays in use. */
void hc_log_set_file(const char *pattern);

/* One line.  Keeps errno, so a caller may log before it reads it. */
void hc_log_write(enum hc_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A macro only to skip formatting when off. */
#define hc_log(level, ...)                      \
    do {                                        \
        if ((level) <= hc_log_level)            \
            hc_log_write((level), __VA_ARGS__); \
    } while (0)

#endif
