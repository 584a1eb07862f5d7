#ifndef TOOL_MCA_H
#define TOOL_MCA_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Open MPI's settings as a program started now would find them: environment
 * and parameter files, not the command line.
 */
struct tool_mca_entry {
    char *name; /* without OMPI_MCA_ */
    char *value;
    char *where; /* "OMPI_MCA_coll" or "/etc/openmpi/...conf:12" */
};

/* Strongest first: override file, environment, files in their order. */
struct tool_mca {
    struct tool_mca_entry *entries;
    size_t                 count;
};

/*
 * files: separated by commas, the first is the strongest; override_file may be
 * NULL.  A file that can't be read has no settings.  False: out of memory.
 */
bool tool_mca_read(struct tool_mca *mca, const char *files,
                   const char *override_file);
void tool_mca_free(struct tool_mca *mca);

/* The entry that counts, or NULL. */
const struct tool_mca_entry *tool_mca_find(const struct tool_mca *mca,
                                           const char            *name);

/*
 * One line of a parameter file, "name = value" or "--mca name value".  Cuts
 * the line to pieces; false: blank, a comment, or something else.
 */
bool tool_mca_parse_line(char *line, char **name_out, char **value_out);

#endif
