#include "tools/hcc_check.h"

#include "config.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static bool same_file(const char *a, const char *b)
{
    char *real_a = realpath(a, NULL), *real_b = realpath(b, NULL);
    bool same = real_a != NULL && real_b != NULL && strcmp(real_a, real_b) == 0;

    free(real_a);
    free(real_b);
    return same;
}

static void check_self(struct hcc_report *r)
{
    char dir[TOOL_PATH_ROOM], self[TOOL_PATH_ROOM + 8], first[TOOL_PATH_ROOM];

    tool_self_dir(dir, sizeof dir);
    TOOL_PRINT(self, "%s/hcc", dir);
    if (!tool_which("hcc", getenv("PATH"), first, sizeof first)) {
        hcc_say(r, HCC_OK, "hcc", PACKAGE_VERSION ", %s (not in PATH)", self);
    } else if (same_file(first, self) || strstr(dir, "/.libs") != NULL) {
        /* In a build tree libtool's script of that name runs this. */
        hcc_say(r, HCC_OK, "hcc", PACKAGE_VERSION ", %s", self);
    } else {
        hcc_say(r, HCC_WARN, "hcc",
                PACKAGE_VERSION ", %s, but PATH finds another hcc first: %s",
                self, first);
        hcc_fix(r,
                "put %s before it in PATH (a compiler of older ROCm releases "
                "has the same name)",
                dir);
    }
}

static void check_library(struct hcc_report *r)
{
    const char *version = hcomm_version();
    Dl_info     where = {.dli_fname = "?"};

    (void)dladdr((void *)(size_t)hcomm_version, &where);
    if (strcmp(version, PACKAGE_VERSION) == 0) {
        hcc_say(r, HCC_OK, "libhcomm", "%s, %s", version, where.dli_fname);
        return;
    }
    hcc_say(r, HCC_FAIL, "libhcomm",
            "%s of version %s is loaded, but hcc is " PACKAGE_VERSION,
            where.dli_fname, version);
    hcc_fix(r, "remove the older one, or take its directory out of "
               "LD_LIBRARY_PATH");
}

void hcc_check_install(struct hcc_report *r, const struct hcc_facts *f)
{
    (void)f;
    check_self(r);
    check_library(r);
}
