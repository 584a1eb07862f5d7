#ifndef HC_OMPI_VERSION_H
#define HC_OMPI_VERSION_H

/* Whether the library that runs us is one we were built for.  Free of Open MPI
 * headers, so that its test needs no Open MPI. */

#include <stdbool.h>

struct hc_ompi_version {
    int  major, minor, release;
    char text[32]; /* "4.1.6", "5.0.0rc12": what to show */
};

/*
 * Read what MPI_Get_library_version says: "Open MPI v4.1.6, package: ...".
 * False when the text is another library's or has no three numbers; then
 * text holds its first words.
 */
bool hc_ompi_version_parse(const char *library_text, struct hc_ompi_version *version_out);

enum { HC_OMPI_ANY_RELEASE = -1 };

/* Whether a plugin built for major.minor.release serves that version.  With
 * HC_OMPI_ANY_RELEASE it serves a whole series, whose structures stayed. */
bool hc_ompi_version_is_served(const struct hc_ompi_version *version, int major, int minor,
                               int release);

#endif
