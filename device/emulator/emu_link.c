#include "device/emulator/emu_internal.h"

#include "config/cfg_units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct link {
    double bytes_per_s; /* 0: no limit */
    double latency_s;
    double busy_until; /* on emu_now's clock */
};

/* Global: the links are the machine's. */
static struct link     links[EMU_MAX_DEVICES][EMU_DIRECTIONS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *const direction_words[EMU_DIRECTIONS] = {"h2d", "d2h",
                                                            "d2d"};

/* "12GB/s+5us": either part, in either order */
static bool parse_speed(char *text, struct link *link_out)
{
    struct link speed = {0};
    char       *rest = NULL;

    for (char *part = strtok_r(text, "+", &rest); part != NULL;
         part = strtok_r(NULL, "+", &rest)) {
        if (hc_units_rate(part, &speed.bytes_per_s) != HCOMM_OK &&
            hc_units_seconds(part, &speed.latency_s) != HCOMM_OK)
            return false;
    }
    if (speed.bytes_per_s == 0 && speed.latency_s == 0)
        return false;
    *link_out = speed;
    return true;
}

/* "*", "nvidia:*" or "nvidia:0".  *first_out > *last_out: another vendor's. */
static bool parse_devices(char *text, int *first_out, int *last_out)
{
    char *index = strchr(text, ':');
    char *end;
    long  device;

    *first_out = 0;
    *last_out = EMU_MAX_DEVICES - 1;
    if (strcmp(text, "*") == 0)
        return true;
    if (index == NULL)
        return false;
    *index++ = '\0';
    if (strcmp(text, "nvidia") != 0 && strcmp(text, "amd") != 0 &&
        strcmp(text, "intel") != 0)
        return false;
    if (strcmp(index, "*") != 0) {
        device = strtol(index, &end, 10);
        if (*index < '0' || *index > '9' || *end != '\0' ||
            device >= EMU_MAX_DEVICES)
            return false;
        *first_out = *last_out = (int)device;
    }
    if (strcmp(text, emu_vendor_word()) != 0)
        *last_out = -1;
    return true;
}

static bool parse_item(char *item)
{
    char       *direction = strchr(item, '/');
    char       *speed = direction ? strchr(direction, '=') : NULL;
    struct link link;
    int         first, last;
    bool        known = false;

    if (speed == NULL)
        return false;
    *direction++ = '\0';
    *speed++ = '\0';
    if (!parse_devices(item, &first, &last) || !parse_speed(speed, &link))
        return false;
    for (int d = 0; d < EMU_DIRECTIONS; d++) {
        if (strcmp(direction, direction_words[d]) != 0 &&
            strcmp(direction, "*") != 0)
            continue;
        known = true;
        for (int i = first; i <= last; i++)
            links[i][d] = link;
    }
    return known;
}

int emu_link_init(void)
{
    const char *text = getenv("HCOMM_EMU_LINK");
    char        item[128], copy[128];

    memset(links, 0, sizeof links);
    while (emu_next_item(&text, item, sizeof item)) {
        strcpy(copy, item);
        if (!parse_item(copy)) {
            emu_complain("HCOMM_EMU_LINK", item,
                         "is no device/direction=rate+latency, such as "
                         "nvidia:0/h2d=12GB/s+5us or */d2d=100GB/s");
            return EMU_INVALID_VALUE;
        }
    }
    return EMU_OK;
}

bool emu_link_slow(int physical, enum emu_direction direction)
{
    const struct link *link = &links[physical][direction];

    return link->bytes_per_s > 0 || link->latency_s > 0;
}

double emu_link_book(int physical, enum emu_direction direction, size_t bytes)
{
    struct link *link = &links[physical][direction];
    double       now, end;

    if (!emu_link_slow(physical, direction))
        return 0;
    pthread_mutex_lock(&lock);
    now = emu_now();
    end = link->busy_until > now ? link->busy_until : now;
    if (link->bytes_per_s > 0)
        end += (double)bytes / link->bytes_per_s;
    link->busy_until = end; /* latencies overlap, bytes don't */
    pthread_mutex_unlock(&lock);
    return end + link->latency_s;
}
