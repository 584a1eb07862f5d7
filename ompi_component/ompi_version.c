#include "ompi_component/ompi_version.h"

#include <stdio.h>
#include <string.h>

/* Up to the comma, or as much as there is room for. */
static void copy_first_words(char *text, size_t room, const char *from)
{
    size_t length = strcspn(from, ",\n");

    snprintf(text, room, "%.*s", (int)length, from);
}

bool hc_ompi_version_parse(const char *library_text, struct hc_ompi_version *version_out)
{
    static const char prefix[] = "Open MPI v";
    const char       *numbers = library_text + sizeof prefix - 1;

    memset(version_out, 0, sizeof *version_out);
    copy_first_words(version_out->text, sizeof version_out->text, library_text);
    if (strncmp(library_text, prefix, sizeof prefix - 1) != 0)
        return false;
    if (sscanf(numbers, "%d.%d.%d", &version_out->major, &version_out->minor,
               &version_out->release) != 3)
        return false;
    copy_first_words(version_out->text, sizeof version_out->text, numbers);
    return true;
}

bool hc_ompi_version_is_served(const struct hc_ompi_version *version, int major, int minor,
                               int release)
{
    return version->major == major && version->minor == minor &&
           (release == HC_OMPI_ANY_RELEASE || version->release == release);
}
