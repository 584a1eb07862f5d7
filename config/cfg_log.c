#include "config/cfg_log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum hc_log_level hc_log_level = HC_LOG_WARN;

/* One log per process, whoever writes: hence the globals. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE           *sink;
static int             own_rank = -1;

enum { LINE_MAX_BYTES = 1024 };

void hc_log_set_rank(int rank)
{
    pthread_mutex_lock(&lock);
    own_rank = rank;
    pthread_mutex_unlock(&lock);
}

static void short_host(char *host, size_t room)
{
    if (gethostname(host, room) != 0)
        strncpy(host, "?", room);
    host[room - 1] = '\0';
    host[strcspn(host, ".")] = '\0';
}

/* "%h" and friends; returns -1 when the result does not fit. */
static int expand(const char *pattern, int rank, char *path, size_t room)
{
    size_t used = 0;
    char   word[64];

    for (; *pattern != '\0'; pattern++) {
        snprintf(word, sizeof word, "%c", *pattern);
        if (*pattern == '%') {
            pattern++;
            if (*pattern == 'h')
                short_host(word, sizeof word);
            else if (*pattern == 'p')
                snprintf(word, sizeof word, "%d", (int)getpid());
            else if (*pattern == 'r')
                snprintf(word, sizeof word, "%d", rank);
            else if (*pattern != '%')
                return -1;
        }
        used += (size_t)snprintf(path + used, room - used, "%s", word);
        if (used >= room)
            return -1;
    }
    return 0;
}

void hc_log_set_file(const char *pattern)
{
    char  path[4096];
    FILE *file = NULL;

    if (pattern[0] != '\0') {
        if (expand(pattern, own_rank, path, sizeof path) != 0)
            hc_log(HC_LOG_ERROR,
                   "log_file=%s: too long, or more than %%h, %%p and %%r; "
                   "writing to stderr",
                   pattern);
        else if ((file = fopen(path, "ae")) == NULL)
            hc_log(HC_LOG_ERROR,
                   "log_file=%s: cannot be opened (%s); writing to stderr",
                   pattern, strerror(errno));
    }

    pthread_mutex_lock(&lock);
    if (sink != NULL)
        fclose(sink);
    sink = file;
    pthread_mutex_unlock(&lock);
}

void hc_log_write(enum hc_log_level level, const char *format, ...)
{
    static const char *const names[] = {"error", "warn", "info", "debug"};
    int                      saved_errno = errno;
    char                     host[64], message[LINE_MAX_BYTES], rank[16] = "-";
    va_list                  args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    short_host(host, sizeof host);

    pthread_mutex_lock(&lock);
    if (own_rank >= 0)
        snprintf(rank, sizeof rank, "%d", own_rank);
    /* One call, so that lines of several processes don't mix. */
    fprintf(sink != NULL ? sink : stderr, "hcomm %s %s:%d:%s %s\n",
            names[level], host, (int)getpid(), rank, message);
    if (sink != NULL)
        fflush(sink);
    pthread_mutex_unlock(&lock);
    errno = saved_errno;
}
