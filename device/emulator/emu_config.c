#include "device/emulator/emu_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Atomic int emu_state = EMU_FRESH;
_Atomic int emu_vendor = EMU_NVIDIA;

/* Global because a driver is: one per library and process. */
static struct emu_device physical[EMU_MAX_DEVICES];
static int               physical_count;
static int               visible[EMU_MAX_DEVICES]; /* ordinal -> physical */
static int               visible_count;
static pthread_mutex_t   init_lock = PTHREAD_MUTEX_INITIALIZER;

#define TOTAL_BYTES ((size_t)16 << 30) /* of each device */

const char *emu_vendor_word(void)
{
    static const char *const words[] = {"nvidia", "amd", "intel"};

    return words[emu_vendor];
}

void emu_complain(const char *variable, const char *word, const char *why)
{
    fprintf(stderr, "HCOMM emulated %s driver: %s: '%s' %s\n",
            emu_vendor_word(), variable, word, why);
}

bool emu_next_item(const char **text, char *item_out, size_t room)
{
    const char *start = *text;
    size_t      length;

    if (start == NULL || *start == '\0')
        return false;
    length = strcspn(start, ",");
    *text = start[length] == ',' ? start + length + 1 : start + length;
    while (length > 0 && *start == ' ') {
        start++;
        length--;
    }
    while (length > 0 && start[length - 1] == ' ')
        length--;
    if (length >= room)
        length = room - 1;
    memcpy(item_out, start, length);
    item_out[length] = '\0';
    return true;
}

/* Stable per vendor and index.  AMD's are the ASCII digits of a serial number,
 * as its runtime hands them out. */
static void make_uuid(struct emu_device *device)
{
    char serial[17];

    if (emu_vendor == EMU_AMD) {
        snprintf(serial, sizeof serial, "68636f6d6d%06x",
                 (unsigned)device->physical);
        memcpy(device->uuid, serial, 16);
        return;
    }
    memcpy(device->uuid, "hcomm-emulated", 14);
    device->uuid[6] = 0x40; /* version 4, as in a random UUID */
    device->uuid[14] = emu_vendor == EMU_INTEL ? 2 : 0;
    device->uuid[15] = (unsigned char)device->physical;
}

static void add_device(const char *arch)
{
    struct emu_device *device = &physical[physical_count];
    static const struct {
        const char *name;
        int         first_bus;
    } vendors[] = {{"NVIDIA", 0x10}, {"AMD", 0x60}, {"Intel", 0xa0}};

    device->physical = physical_count++;
    device->total_bytes = TOTAL_BYTES;
    snprintf(device->arch, sizeof device->arch, "%s", arch);
    snprintf(device->name, sizeof device->name, "HCOMM emulated %s GPU (%.20s)",
             vendors[emu_vendor].name, arch);
    snprintf(device->bus_id, sizeof device->bus_id, "0000:%02x:00.0",
             (vendors[emu_vendor].first_bus + device->physical) & 0xff);
    make_uuid(device);
}

static bool known_vendor(const char *word)
{
    return strcmp(word, "nvidia") == 0 || strcmp(word, "amd") == 0 ||
           strcmp(word, "intel") == 0;
}

/* "sm_" and digits, or "gfx" and hexadecimal digits; Intel's have names. */
static bool known_arch(const char *vendor, const char *arch)
{
    const char *start = strcmp(vendor, "nvidia") == 0 ? "sm_" : "gfx";
    const char *digits = arch + 3;

    if (strcmp(vendor, "intel") == 0)
        return strcmp(arch, "xe-hpc") == 0 || strcmp(arch, "xe-hpg") == 0 ||
               strcmp(arch, "xe-lp") == 0;
    return strncmp(arch, start, 3) == 0 && *digits != '\0' &&
           digits[strspn(digits, "0123456789abcdef")] == '\0' &&
           strlen(digits) <= 8;
}

static char *default_arch(void)
{
    static char words[][8] = {"sm_90", "gfx90a", "xe-hpc"};

    return words[emu_vendor];
}

/* vendor[/arch][:count] */
static bool parse_devices(char *item)
{
    const char *count_text = strchr(item, ':');
    char       *arch = strchr(item, '/');
    char       *end = NULL;
    long        count = 1;

    if (count_text != NULL) {
        *(char *)count_text++ = '\0';
        count = strtol(count_text, &end, 10);
        if (*count_text < '0' || *count_text > '9' || *end != '\0' ||
            count > EMU_MAX_DEVICES)
            return false;
    }
    if (arch != NULL)
        *arch++ = '\0';
    if (!known_vendor(item) || (arch != NULL && !known_arch(item, arch)))
        return false;
    if (strcmp(item, emu_vendor_word()) != 0)
        return true;
    if (arch == NULL)
        arch = default_arch();
    if (physical_count + count > EMU_MAX_DEVICES)
        return false;
    while (count-- > 0)
        add_device(arch);
    return true;
}

static int read_devices(void)
{
    const char *text = getenv("HCOMM_EMULATE");
    char        item[80], copy[80];

    physical_count = 0;
    while (emu_next_item(&text, item, sizeof item)) {
        strcpy(copy, item);
        if (!parse_devices(copy)) {
            emu_complain("HCOMM_EMULATE", item,
                         "is no vendor[/arch][:count], such as nvidia:2 or "
                         "amd/gfx90a:1");
            return EMU_INVALID_VALUE;
        }
    }
    return EMU_OK;
}

/* The UUID as the vendor's tools print it. */
static void print_uuid(const struct emu_device *device, char text[48])
{
    const unsigned char *u = device->uuid;
    char                *at = text + sprintf(text, "GPU-");

    if (emu_vendor == EMU_AMD) {
        memcpy(at, u, 16);
        at[16] = '\0';
        return;
    }
    for (int i = 0; i < 16; i++)
        at += sprintf(at, "%s%02x",
                      i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", u[i]);
}

static bool is_index(const char *word)
{
    return word[strspn(word, "+-")] >= '0' && word[strspn(word, "+-")] <= '9';
}

/* What follows the digits is ignored, as the drivers do.  -1: none of the
 * visible devices. */
static int find_index(const char *word)
{
    long index = strtol(word, NULL, 10);

    return index >= 0 && index < visible_count ? visible[index] : -1;
}

/* A UUID may be abbreviated as long as it fits one device only. */
static int find_uuid(const char *word)
{
    size_t length = strlen(word);
    char   text[48];
    int    found = -1;

    if (length <= 4 || strncmp(word, "GPU-", 4) != 0)
        return -1;
    for (int i = 0; i < visible_count; i++) {
        print_uuid(&physical[visible[i]], text);
        if (strncasecmp(text, word, length) != 0)
            continue;
        if (found >= 0)
            return -1;
        found = visible[i];
    }
    return found;
}

/*
 * Keep what the variable lists, in its order, up to the first word that names
 * no device, or not in the way of the first word.  EMU_INVALID_DEVICE: one is
 * listed twice.
 */
static int apply_visible(const char *variable)
{
    const char *text = getenv(variable);
    char        word[64];
    int         kept[EMU_MAX_DEVICES], count = 0, device;
    bool        indexes = false;

    if (text == NULL)
        return EMU_OK;
    while (emu_next_item(&text, word, sizeof word)) {
        if (count == 0)
            indexes = is_index(word);
        if (is_index(word) != indexes)
            break;
        device = indexes ? find_index(word) : find_uuid(word);
        if (device < 0)
            break;
        for (int i = 0; i < count; i++) {
            if (kept[i] == device)
                return EMU_INVALID_DEVICE;
        }
        kept[count++] = device;
    }
    memcpy(visible, kept, sizeof kept[0] * (size_t)count);
    visible_count = count;
    return EMU_OK;
}

/* ZE_AFFINITY_MASK: "1", or "1.0" for its only tile.  The order of the devices
 * stays; what names none is passed over. */
static int apply_mask(void)
{
    const char *text = getenv("ZE_AFFINITY_MASK");
    bool        named[EMU_MAX_DEVICES] = {false};
    char        word[32], *end;
    long        index;

    if (text == NULL || *text == '\0')
        return EMU_OK;
    while (emu_next_item(&text, word, sizeof word)) {
        index = strtol(word, &end, 10);
        if (word[0] >= '0' && word[0] <= '9' && index < physical_count &&
            (*end == '\0' || strcmp(end, ".0") == 0))
            named[index] = true;
    }
    visible_count = 0;
    for (int i = 0; i < physical_count; i++) {
        if (named[i])
            visible[visible_count++] = i;
    }
    return EMU_OK;
}

static int choose_visible(void)
{
    const char *hip = getenv("HIP_VISIBLE_DEVICES");
    int         status;

    visible_count = physical_count;
    for (int i = 0; i < physical_count; i++)
        visible[i] = i;
    if (emu_vendor == EMU_INTEL)
        return apply_mask();
    if (emu_vendor == EMU_NVIDIA)
        return apply_visible("CUDA_VISIBLE_DEVICES");
    /* ROCr numbers what is left anew, and HIP chooses among these. */
    status = apply_visible("ROCR_VISIBLE_DEVICES");
    if (status != EMU_OK)
        return status;
    return apply_visible(hip != NULL ? "HIP_VISIBLE_DEVICES"
                                     : "CUDA_VISIBLE_DEVICES");
}

static void in_child(void)
{
    if (emu_state != EMU_FRESH)
        emu_state = EMU_FORKED;
}

__attribute__((destructor)) static void at_exit(void)
{
    if (emu_state != EMU_READY)
        return;
    emu_state = EMU_EXITING;
    emu_stream_exit();
}

static int init_locked(void)
{
    int status;

    if (emu_state != EMU_FRESH)
        return EMU_OK;
    if (!emu_fault_init() || emu_link_init() != EMU_OK)
        return EMU_INVALID_VALUE;
    status = read_devices();
    if (status != EMU_OK)
        return status;
    status = choose_visible();
    if (status != EMU_OK)
        return status;
    if (visible_count == 0)
        return EMU_NO_DEVICE;
    if (pthread_atfork(NULL, NULL, in_child) != 0)
        return EMU_OUT_OF_MEMORY;
    emu_state = EMU_READY;
    return EMU_OK;
}

int emu_init(enum emu_vendor vendor)
{
    int status;

    if (emu_state == EMU_FORKED)
        return EMU_NOT_INITIALIZED;
    if (emu_state == EMU_READY)
        return EMU_OK;
    pthread_mutex_lock(&init_lock);
    if (emu_state == EMU_FRESH)
        emu_vendor = vendor;
    status = init_locked();
    pthread_mutex_unlock(&init_lock);
    return status;
}

int emu_device_count(void)
{
    return emu_state == EMU_READY ? visible_count : 0;
}

const struct emu_device *emu_device(int ordinal)
{
    if (ordinal < 0 || ordinal >= emu_device_count())
        return NULL;
    return &physical[visible[ordinal]];
}

int emu_ordinal(int index)
{
    for (int i = 0; i < visible_count; i++) {
        if (visible[i] == index)
            return i;
    }
    return -1;
}

bool emu_can_access_peer(int ordinal, int peer)
{
    const char *text = getenv("HCOMM_EMU_PEER");

    return ordinal != peer && emu_device(ordinal) != NULL &&
           emu_device(peer) != NULL && !(text != NULL && text[0] == '0');
}
