#ifndef HCC_CHECK_H
#define HCC_CHECK_H

#include "tools/hcc_report.h"
#include "tools/tool_mca.h"
#include "tools/tool_ompi.h"

#include "hcomm.h"

/* What several checks need to know, each found once. */
struct hcc_facts {
    enum tool_ompi_found ompi_found;
    struct tool_ompi     ompi;
    struct tool_output   info; /* of ompi_info; empty if it gave no answer */
    int                  info_status; /* its exit status, or TOOL_RUN_ */
    struct tool_mca      settings;
    char                 files[2 * TOOL_PATH_ROOM]; /* those settings' files */
    hcomm_devices       *devices;                   /* NULL: out of memory */
    hcomm_params        *params; /* NULL: a variable has a wrong value */
};

/* Ask Open MPI, read the settings, open the drivers. */
void hcc_facts_gather(struct hcc_facts *f);
void hcc_facts_free(struct hcc_facts *f);

/*
 * The value of a line "key...:value" of ompi_info's parsable output, without
 * quotes; false: no such line.
 */
bool hcc_info_value(const char *output, const char *key, char *value_out,
                    size_t room);

/* Each adds a line or more. */
void hcc_check_install(struct hcc_report *r, const struct hcc_facts *f);
void hcc_check_ompi(struct hcc_report *r, const struct hcc_facts *f);
void hcc_check_plugin(struct hcc_report *r, const struct hcc_facts *f);
void hcc_check_devices(struct hcc_report *r, const struct hcc_facts *f);
void hcc_check_calls(struct hcc_report *r, const struct hcc_facts *f);
void hcc_check_settings(struct hcc_report *r, const struct hcc_facts *f);
void hcc_check_system(struct hcc_report *r, const struct hcc_facts *f);

#endif
