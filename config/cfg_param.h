#ifndef HC_CFG_PARAM_H
#define HC_CFG_PARAM_H

#include "config/hcomm_status.h"

#include <stdbool.h>
#include <stddef.h>

enum hc_param_type {
    HC_PARAM_BOOL,  /* 0 1 no yes off on false true */
    HC_PARAM_INT,   /* decimal */
    HC_PARAM_BYTES, /* 4MiB, 4MB, 4096: value in bytes */
    HC_PARAM_WORD,  /* one of a list of words: value is its index */
    HC_PARAM_TEXT,  /* anything; checked where it is used */
};

/* Whose value counts when ranks were given different ones. */
enum hc_param_scope {
    HC_PARAM_OF_RANK,    /* each rank's own business */
    HC_PARAM_OF_PROCESS, /* environment only: read before MPI_Init or by tools
                          */
};

/* Where a value came from, weakest first; a weaker source never overrides. */
enum hc_param_source {
    HC_PARAM_DEFAULT,
    HC_PARAM_FILE,        /* an MCA parameter file */
    HC_PARAM_ENVIRONMENT, /* HCOMM_X */
    HC_PARAM_MCA,         /* mpirun --mca, or OMPI_MCA_coll_hcomm_x */
};

/*
 * The one table.  A row is a setting: HCOMM_<NAME> in the environment,
 * coll_hcomm_<name> as MCA parameter (except HC_PARAM_OF_PROCESS), a line in
 * the printed lists.  Columns: identifier, name, type, default, words or unit,
 * ompi_info level, scope, help.
 */
#define HC_PARAMS(X)                                                           \
    X(ENABLE, "enable", BOOL, "1", "", 1, RANK,                                \
      "serve GPU memory in this process; 0 leaves Open MPI as it was")         \
    X(DEVICES, "devices", TEXT, "auto", "list of cuda|hip|ze", 1, RANK,        \
      "drivers to use (nvidia, amd, rocm, intel accepted); auto: those the "   \
      "program has loaded; one named here must be there")                      \
    X(LOG_LEVEL, "log_level", WORD, "warn", "error|warn|info|debug", 1, RANK,  \
      "what is written to stderr or log_file")                                 \
    X(LOG_FILE, "log_file", TEXT, "", "path; %h host, %p pid, %r rank", 4,     \
      RANK, "write the log here, not to stderr")                               \
    X(STREAM_ORDER, "stream_order", WORD, "legacy", "legacy|none|device", 4,   \
      RANK,                                                                    \
      "what our copies wait for: work on the legacy default stream, nothing, " \
      "or (to find a missing synchronisation) everything on the device")       \
    X(PINNED_MAX, "pinned_max", BYTES, "256MiB", "bytes", 4, RANK,             \
      "pinned host memory that a process may hold for staging; 0: none")       \
    X(CHUNK, "chunk", BYTES, "4MiB", "bytes", 6, RANK,                         \
      "size of a staging copy where a buffer exceeds the pinned memory")       \
    X(PRIORITY, "priority", INT, "95", "0..100", 9, RANK,                      \
      "priority of coll/hcomm among Open MPI's collective components")         \
    X(EMULATE, "emulate", TEXT, "", "nvidia:2,amd/gfx90a:1,intel:1", 1,        \
      PROCESS, "emulated devices of this job; set by hcc-launch --emulate")    \
    X(EMU_LINK, "emu_link", TEXT, "", "device/direction=rate+latency,...", 6,  \
      PROCESS, "bandwidth and latency of emulated devices")                    \
    X(EMU_FAULT, "emu_fault", TEXT, "", "function@n=code,...", 6, PROCESS,     \
      "make the n-th call of an emulated driver function fail")                \
    X(EMU_PEER, "emu_peer", BOOL, "1", "", 6, PROCESS,                         \
      "whether emulated devices of one vendor can map each other")             \
    X(EMU_TRACE, "emu_trace", BOOL, "0", "", 6, PROCESS,                       \
      "write every call of an emulated driver to stderr")                      \
    X(EMU_OVERTAKE, "emu_overtake", BOOL, "0", "", 6, PROCESS,                 \
      "commands of emulated Level Zero lists overtake each other")

enum hc_param {
#define X(id, name, type, value, unit, level, scope, help) HC_PARAM_##id,
    HC_PARAMS(X)
#undef X
        HC_PARAM_COUNT
};

struct hc_param_row {
    const char         *name; /* lower case, as in coll_hcomm_<name> */
    enum hc_param_type  type;
    const char         *default_text;
    const char         *unit;  /* or the words, separated by | */
    int                 level; /* ompi_info --level: 1 everyday .. 9 internal */
    enum hc_param_scope scope;
    const char         *help;
};

/* Lives as long as the process. */
const struct hc_param_row *hc_param_row(enum hc_param param);

/*
 * Give a parameter the value that text spells.  A source weaker than the
 * present one changes nothing and is not an error.
 * HCOMM_ERR_INVALID: the text is no such value; logged, naming setting and
 * text.
 */
hcomm_status hc_param_set(enum hc_param param, const char *text,
                          enum hc_param_source source);

/*
 * Read every HCOMM_X of the environment.  Called once, before the first value
 * is used.  say_unknown: warn about names that no setting has, with the
 * nearest that one has (a job of many ranks lets one of them say it).
 * HCOMM_ERR_INVALID: some value was refused and logged; the rest counts.
 */
hcomm_status hc_param_read_environment(bool say_unknown);

/* HC_PARAM_COUNT when no parameter has that name. */
enum hc_param hc_param_find(const char *name);
/* The known name most like this one, or NULL when none is close. */
const char *hc_param_nearest(const char *name);

bool        hc_param_bool(enum hc_param param);
int         hc_param_int(enum hc_param param); /* also the index of a WORD */
size_t      hc_param_bytes(enum hc_param param);
const char *hc_param_text(enum hc_param param); /* as given; until next set */
enum hc_param_source hc_param_source(enum hc_param param);
const char          *hc_param_source_name(enum hc_param_source source);

#endif
