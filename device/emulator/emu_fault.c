#include "device/emulator/emu_internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FAULTS 64

enum when { THIS_CALL, FROM_THIS_CALL_ON, EVERY_CALL };

struct fault {
    char        name[64];
    enum when   when;
    long        call; /* from 1 */
    int         code; /* or EMU_STALL */
    atomic_long calls;
};

/* Global: they count the calls of the process. */
static struct fault faults[MAX_FAULTS];
static int          fault_count;
static bool         tracing, well_formed;
static bool (*_Atomic is_function)(const char *name);
static pthread_once_t once = PTHREAD_ONCE_INIT;

void emu_set_names(bool (*known)(const char *name))
{
    is_function = known;
}

/* Length of a name without _v2, _ptsz and _ptds. */
static size_t base_length(const char *name)
{
    size_t length = strlen(name);

    if (length > 5 && (strcmp(name + length - 5, "_ptsz") == 0 ||
                       strcmp(name + length - 5, "_ptds") == 0))
        length -= 5;
    if (length > 3 && name[length - 3] == '_' && name[length - 2] == 'v')
        length -= 3;
    return length;
}

static bool same_function(const char *a, const char *b)
{
    size_t length = base_length(a);

    return length == base_length(b) && strncmp(a, b, length) == 0;
}

/* Whether our own library exports the function under any version. */
static bool exported(const char *name)
{
    static const char *const suffixes[] = {"", "_v2", "_v3", "_v4"};
    char                     versioned[80];
    Dl_info                  info;
    void                    *self;
    bool                     found = false;

    if (is_function != NULL)
        return is_function(name);
    if (dladdr((const void *)&fault_count, &info) == 0)
        return true;
    self = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (self == NULL)
        return true;
    for (int i = 0; i < 4 && !found; i++) {
        snprintf(versioned, sizeof versioned, "%.64s%s", name, suffixes[i]);
        found = dlsym(self, versioned) != NULL;
    }
    dlclose(self);
    return found;
}

/* A name of another emulated library is none of our business. */
static bool known_function(const char *name)
{
    static const char *const prefixes[] = {"cu", "hip", "ze"};
    const char              *ours = prefixes[emu_vendor];

    if (strcmp(name, "copy") == 0 || strncmp(name, "cuda", 4) == 0)
        return true;
    if (strncmp(name, ours, strlen(ours)) == 0)
        return exported(name);
    return strncmp(name, "hip", 3) == 0 || strncmp(name, "cu", 2) == 0 ||
           strncmp(name, "ze", 2) == 0;
}

/* "3", "3+" or "*" */
static bool parse_when(const char *text, struct fault *fault)
{
    char *end;

    if (strcmp(text, "*") == 0) {
        fault->when = EVERY_CALL;
        return true;
    }
    fault->call = strtol(text, &end, 10);
    if (*text < '0' || *text > '9' || fault->call < 1)
        return false;
    fault->when = *end == '+' ? FROM_THIS_CALL_ON : THIS_CALL;
    return strcmp(end, "+") == 0 || *end == '\0';
}

static bool parse_code(const char *text, struct fault *fault)
{
    bool  hex = strncmp(text, "0x", 2) == 0;
    char *end;
    long  code = strtol(text, &end, hex ? 16 : 10);

    if (strcmp(text, "stall") == 0) {
        fault->code = EMU_STALL;
        return strcmp(fault->name, "copy") == 0;
    }
    fault->code = (int)code;
    return *text >= '0' && *text <= '9' && *end == '\0' && code > 0 &&
           code < (hex ? 0x7fffffff : 100000);
}

/* Takes "1:" off the front.  *ours_out: it is meant for this rank. */
static bool parse_rank(char **item, bool *ours_out)
{
    const char *mine = getenv("OMPI_COMM_WORLD_RANK");
    char       *colon = strchr(*item, ':');

    *ours_out = true;
    if (colon == NULL)
        return true;
    *colon = '\0';
    if (colon == *item || (*item)[strspn(*item, "0123456789")] != '\0')
        return false;
    *ours_out =
        mine != NULL && strtol(mine, NULL, 10) == strtol(*item, NULL, 10);
    *item = colon + 1;
    return true;
}

/* [rank:]function@when=code */
static bool parse_fault(char *item)
{
    struct fault *fault = &faults[fault_count];
    char         *when, *code;
    bool          ours;

    if (fault_count == MAX_FAULTS || !parse_rank(&item, &ours))
        return false;
    when = strchr(item, '@');
    code = when ? strchr(when, '=') : NULL;
    if (code == NULL)
        return false;
    *when++ = '\0';
    *code++ = '\0';
    if (strlen(item) >= sizeof fault->name || !known_function(item))
        return false;
    strcpy(fault->name, item);
    if (!parse_when(when, fault) || !parse_code(code, fault))
        return false;
    if (ours)
        fault_count++;
    return true;
}

static void read_environment(void)
{
    const char *text = getenv("HCOMM_EMU_FAULT");
    const char *trace = getenv("HCOMM_EMU_TRACE");
    char        item[160], copy[160];

    tracing = trace != NULL && trace[0] != '\0' && trace[0] != '0';
    well_formed = true;
    while (well_formed && emu_next_item(&text, item, sizeof item)) {
        strcpy(copy, item);
        if (!parse_fault(copy)) {
            emu_complain("HCOMM_EMU_FAULT", item,
                         "is no [rank:]function@call=code of a function that "
                         "is emulated, such as cuMemcpyAsync@3=700, "
                         "copy@5=stall or 1:cuMemAlloc@2+=2");
            well_formed = false;
        }
    }
}

bool emu_fault_init(void)
{
    pthread_once(&once, read_environment);
    return well_formed;
}

static bool strikes(struct fault *fault)
{
    long call = atomic_fetch_add(&fault->calls, 1) + 1;

    switch (fault->when) {
    case THIS_CALL:
        return call == fault->call;
    case FROM_THIS_CALL_ON:
        return call >= fault->call;
    case EVERY_CALL:
        break;
    }
    return true;
}

/* Every fault counts every call, so that their order doesn't matter. */
static int injected(const char *function)
{
    int code = 0;

    for (int i = 0; i < fault_count; i++) {
        if (same_function(faults[i].name, function) && strikes(&faults[i]) &&
            code == 0)
            code = faults[i].code;
    }
    return code;
}

static enum emu_vendor vendor_of(const char *function)
{
    if (strncmp(function, "ze", 2) == 0)
        return EMU_INTEL;
    return strncmp(function, "hip", 3) == 0 ? EMU_AMD : EMU_NVIDIA;
}

int emu_enter_always(const char *function)
{
    if (emu_state == EMU_FRESH) /* the vendor's variables are not read yet */
        emu_vendor = vendor_of(function);
    pthread_once(&once, read_environment);
    if (tracing)
        fprintf(stderr, "emulated %s %d: %s\n", emu_vendor_word(),
                (int)getpid(), function);
    return fault_count > 0 ? injected(function) : EMU_OK;
}

int emu_enter(const char *function, bool needs_init)
{
    int state = emu_state;

    if (state == EMU_FORKED)
        return EMU_NOT_INITIALIZED;
    if (state == EMU_EXITING)
        return EMU_DEINITIALIZED;
    if (needs_init && state == EMU_FRESH)
        return EMU_NOT_INITIALIZED;
    if (emu_on_stream_thread())
        return EMU_NOT_PERMITTED;
    return emu_enter_always(function);
}

int emu_fault_copy(void)
{
    return fault_count > 0 ? injected("copy") : 0;
}

int emu_unsupported(const char *function)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const char     *said[1024]; /* more names than the ABI has */
    static int             count;
    int                    status = emu_enter(function, false);
    bool                   first = true;

    if (status != EMU_OK)
        return status;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count && first; i++)
        first = strcmp(said[i], function) != 0;
    if (first && count < (int)(sizeof said / sizeof said[0]))
        said[count++] = function;
    pthread_mutex_unlock(&lock);
    if (first)
        fprintf(stderr, "HCOMM emulated %s driver: %s is not emulated\n",
                emu_vendor_word(), function);
    return EMU_NOT_SUPPORTED;
}
