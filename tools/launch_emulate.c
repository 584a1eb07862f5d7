#include "tools/launch_emulate.h"

#include "config/cfg_words.h"
#include "tools/tool_system.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { DEVICES_MAX = 64 }; /* of one entry; more is surely a slip */

static const struct word {
    const char        *text;
    enum launch_vendor vendor;
} words[] = {
    {"nvidia", LAUNCH_NVIDIA}, {"cuda", LAUNCH_NVIDIA}, {"amd", LAUNCH_AMD},
    {"hip", LAUNCH_AMD},       {"rocm", LAUNCH_AMD},    {"intel", LAUNCH_INTEL},
    {"ze", LAUNCH_INTEL},
};

enum { WORDS = sizeof words / sizeof words[0] };

static const struct vendor {
    const char *name;
    const char *arch;        /* what is emulated if none is given */
    const char *arch_prefix; /* hexadecimal digits follow; NULL: a word */
} vendors[LAUNCH_VENDORS] = {
    [LAUNCH_NVIDIA] = {"nvidia", "sm_90", "sm_"},
    [LAUNCH_AMD] = {"amd", "gfx90a", "gfx"},
    [LAUNCH_INTEL] = {"intel", "xe-hpc", NULL},
};

const char *launch_vendor_name(enum launch_vendor vendor)
{
    return vendors[vendor].name;
}

static bool find_vendor(const char *text, enum launch_vendor *vendor_out,
                        char *why, size_t room)
{
    const char *names[WORDS + 1] = {NULL};
    const char *nearest;

    for (size_t i = 0; i < WORDS; i++) {
        if (strcasecmp(words[i].text, text) == 0) {
            *vendor_out = words[i].vendor;
            return true;
        }
        names[i] = words[i].text;
    }
    nearest = hc_words_nearest(text, names);
    tool_print(why, room, "\"%s\" is no vendor that can be emulated; %s%s%s",
               text, nearest != NULL ? "did you mean " : "there are ",
               nearest != NULL ? nearest : "nvidia, amd and intel",
               nearest != NULL ? "?" : "");
    return false;
}

static bool is_intels_arch(const char *arch)
{
    static const char *const known[] = {"xe-hpc", "xe-hpg", "xe-lp"};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i], arch) == 0)
            return true;
    return false;
}

/* "sm_90", "gfx90a": what the vendor's tools call an architecture. */
static bool is_arch(const struct vendor *v, const char *arch)
{
    const char *digits;

    if (v->arch_prefix == NULL)
        return is_intels_arch(arch);
    digits = arch + strlen(v->arch_prefix);
    return strncmp(arch, v->arch_prefix, strlen(v->arch_prefix)) == 0 &&
           *digits != '\0' &&
           strspn(digits, "0123456789abcdef") == strlen(digits) &&
           strlen(digits) <= 5;
}

static bool check_arch(enum launch_vendor vendor, const char *arch, char *why,
                       size_t room)
{
    if (is_arch(&vendors[vendor], arch))
        return true;
    tool_print(why, room, "\"%s\" is no architecture of %s; for example %s",
               arch, vendors[vendor].name, vendors[vendor].arch);
    return false;
}

static bool parse_count(const char *text, int *count_out)
{
    int count = 0;

    if (*text == '\0')
        return false;
    for (; isdigit((unsigned char)*text) && count <= DEVICES_MAX; text++)
        count = count * 10 + (*text - '0');
    *count_out = count;
    return *text == '\0' && count >= 1 && count <= DEVICES_MAX;
}

/* One "vendor[/arch]:count", cut to pieces. */
static bool add_entry(struct launch_emulate *e, char *entry, char *why,
                      size_t room)
{
    char              *colon = strchr(entry, ':');
    char              *arch, *count_text = colon != NULL ? colon + 1 : entry;
    enum launch_vendor vendor;
    int                count;
    size_t             used = strlen(e->list);

    if (colon == NULL) {
        tool_print(why, room,
                   "\"%s\" has no number of devices; write it as "
                   "nvidia:2 or amd/gfx90a:1",
                   entry);
        return false;
    }
    *colon = '\0';
    arch = strchr(entry, '/');
    if (arch != NULL)
        *arch++ = '\0';
    if (!find_vendor(entry, &vendor, why, room) ||
        (arch != NULL && !check_arch(vendor, arch, why, room)))
        return false;
    if (!parse_count(count_text, &count)) {
        tool_print(why, room, "\"%s\" is no number of devices (1 to %d)",
                   count_text, DEVICES_MAX);
        return false;
    }
    e->named[vendor] = true;
    tool_print(e->list + used, sizeof e->list - used, "%s%s%s%s:%d",
               used > 0 ? "," : "", launch_vendor_name(vendor),
               arch != NULL ? "/" : "", arch != NULL ? arch : "", count);
    return true;
}

bool launch_emulate_parse(const char *text, struct launch_emulate *emulate_out,
                          char *why, size_t room)
{
    struct launch_emulate e = {0};
    char                  copy[sizeof e.list / 2], *rest = copy, *entry;

    /* Half the room: an alias may become a longer name. */
    if (strlen(text) >= sizeof copy) {
        tool_print(why, room, "the list is too long (%zu characters)",
                   strlen(text));
        return false;
    }
    TOOL_PRINT(copy, "%s", text);
    while ((entry = strsep(&rest, ",")) != NULL)
        if (!add_entry(&e, entry, why, room))
            return false;
    *emulate_out = e;
    return true;
}
