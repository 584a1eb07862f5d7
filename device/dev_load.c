#include "device/dev_load.h"

#include "config/cfg_param.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct search {
    const char *prefix;
    char        path[4096]; /* "" until found */
};

static int match_object(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    struct search *search = arg;
    const char    *slash = strrchr(info->dlpi_name, '/');
    const char    *file = slash != NULL ? slash + 1 : info->dlpi_name;

    (void)bytes;
    if (strncmp(file, search->prefix, strlen(search->prefix)) != 0)
        return 0;
    snprintf(search->path, sizeof search->path, "%s", info->dlpi_name);
    return 1;
}

static void *already_loaded(const char *const *sonames, const char *prefix)
{
    struct search search = {.prefix = prefix};

    for (; *sonames != NULL; sonames++) {
        void *lib = dlopen(*sonames, RTLD_NOW | RTLD_NOLOAD);

        if (lib != NULL)
            return lib;
    }
    if (dl_iterate_phdr(match_object, &search) == 0)
        return NULL;
    return dlopen(search.path, RTLD_NOW | RTLD_NOLOAD);
}

static void *load_first(const char *const *sonames, char *why, size_t room)
{
    size_t used = (size_t)snprintf(why, room, "not found:");

    for (; *sonames != NULL; sonames++) {
        void *lib = dlopen(*sonames, RTLD_NOW | RTLD_LOCAL);

        if (lib != NULL)
            return lib;
        if (used < room)
            used += (size_t)snprintf(why + used, room - used, " %s", *sonames);
    }
    return NULL;
}

static const char *bind(void *lib, const struct hc_dev_symbol *symbols,
                        void *api)
{
    for (const struct hc_dev_symbol *s = symbols; s->name != NULL; s++) {
        void *function = dlsym(lib, s->name);

        if (function == NULL && !s->optional)
            return s->name;
        /* ISO C has no cast from void * to a function pointer. */
        memcpy((char *)api + s->slot, &function, sizeof function);
    }
    return NULL;
}

hcomm_status hc_dev_load(const char *const *sonames, const char *prefix,
                         enum hc_dev_open_mode       mode,
                         const struct hc_dev_symbol *symbols, void *api,
                         char *why, size_t room)
{
    void       *lib = already_loaded(sonames, prefix);
    const char *missing;

    if (lib == NULL && mode == HC_DEV_IF_LOADED) {
        snprintf(why, room, "the program has not loaded %s", prefix);
        return HCOMM_ERR_NOT_FOUND;
    }
    if (lib == NULL)
        lib = load_first(sonames, why, room);
    if (lib == NULL)
        return HCOMM_ERR_NOT_FOUND;

    missing = bind(lib, symbols, api);
    if (missing != NULL) {
        snprintf(why, room, "%s lacks %s: update the driver", prefix, missing);
        return HCOMM_ERR_UNSUPPORTED;
    }
    return HCOMM_OK;
}

bool hc_dev_findable(const char *const *sonames, const char *prefix, char *why,
                     size_t room)
{
    void *lib = already_loaded(sonames, prefix);

    if (lib == NULL)
        lib = load_first(sonames, why, room);
    if (lib == NULL)
        return false;
    (void)dlclose(lib);
    return true;
}

bool hc_dev_has_open(const char *node)
{
    struct stat    wanted, found;
    struct dirent *entry;
    DIR           *fds;
    bool           has = false;

    if (stat(node, &wanted) != 0 || (fds = opendir("/proc/self/fd")) == NULL)
        return false;
    while (!has && (entry = readdir(fds)) != NULL)
        has = fstat(atoi(entry->d_name), &found) == 0 &&
              S_ISCHR(found.st_mode) && found.st_rdev == wanted.st_rdev;
    closedir(fds);
    return has;
}

bool hc_dev_node_exists(const char *const *paths)
{
    for (; *paths != NULL; paths++) {
        if (access(*paths, F_OK) == 0)
            return true;
    }
    return false;
}

bool hc_dev_is_emulated(const char *const *words)
{
    const char *list = hc_param_text(HC_PARAM_EMULATE);

    /* "nvidia/sm_61:1,amd:2": an item begins with the vendor's word. */
    while (*list != '\0') {
        size_t length = strcspn(list, "/:,");

        for (const char *const *word = words; *word != NULL; word++) {
            if (strlen(*word) == length && strncmp(list, *word, length) == 0)
                return true;
        }
        list += strcspn(list, ",");
        list += *list == ',';
    }
    return false;
}

static int first_object(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    (void)bytes;
    *(unsigned long *)arg = (unsigned long)info->dlpi_adds;
    return 1;
}

unsigned long hc_dev_libraries_loaded(void)
{
    unsigned long adds = 0;

    (void)dl_iterate_phdr(first_object, &adds);
    return adds;
}

bool hc_dev_is_time_to_look(long *last_ms)
{
    struct timespec now;
    long            now_ms, before = *last_ms;

    clock_gettime(CLOCK_MONOTONIC, &now);
    now_ms = now.tv_sec * 1000 + now.tv_nsec / 1000000;
    *last_ms = now_ms;
    return now_ms != before;
}
