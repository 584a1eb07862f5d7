#include "ompi_component/coll_hcomm_hooks.h"

#include "config/cfg_log.h"
#include "device/dev_load.h"
#include "device/device.h"
#include "ompi_component/coll_hcomm_attached.h"
#include "ompi_component/coll_hcomm_convertor.h"
#include "ompi_component/coll_hcomm_files.h"
#include "ompi_component/coll_hcomm_windows.h"
#include "ompi_component/ompi_got.h"

#include <string.h>

#define HOOK(name, with)                                                                          \
    {                                                                                             \
        .symbol = #name, .real = (hc_got_function *)name, .replacement = (hc_got_function *)with, \
    }

/* What was installed: the process's, like the tables it is in. */
static bool hooks_frameworks, hooks_memory;

/* Components that move data hand out memory of their own for the packed bytes,
 * and do so for every message. */
static bool is_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;

    return strncmp(name, "mca_", 4) == 0 || strncmp(name, "libopen-pal", 11) == 0;
}

static bool is_other(const char *path)
{
    return !is_component(path);
}

static bool is_any(const char *path)
{
    (void)path;
    return true;
}

static int open_framework(mca_base_framework_t *framework, mca_base_open_flag_t flags);

static const struct hc_got_hook on_frameworks[] = {
    HOOK(mca_base_framework_open, open_framework),
};
static const struct hc_got_hook on_memory[] = {
    HOOK(opal_datatype_copy_content_same_ddt, hc_ompi_copy_content),
    HOOK(mca_pml_base_bsend_attach, hc_ompi_attach),
    HOOK(mca_pml_base_bsend_detach, hc_ompi_detach),
};
static const struct hc_got_hook on_packing[] = {
    HOOK(opal_convertor_pack, hc_ompi_pack),
    HOOK(opal_convertor_unpack, hc_ompi_unpack),
};
static const struct hc_got_hook on_packing_of_messages[] = {
    HOOK(opal_convertor_pack, hc_ompi_pack_to_host),
    HOOK(opal_convertor_unpack, hc_ompi_unpack_from_host),
};

#define COUNT(hooks) (sizeof(hooks) / sizeof(hooks)[0])

/* What libraries import, as far as they are loaded; later ones by
 * open_framework, which all of Open MPI's come through. */
static size_t install(void)
{
    size_t changed = 0;

    if (hooks_frameworks)
        changed += hc_got_install(on_frameworks, COUNT(on_frameworks), is_any);
    if (hooks_memory) {
        changed += hc_got_install(on_memory, COUNT(on_memory), is_any);
        changed += hc_got_install(on_packing, COUNT(on_packing), is_other);
        changed +=
            hc_got_install(on_packing_of_messages, COUNT(on_packing_of_messages), is_component);
    }
    return changed;
}

/* In the place of Open MPI's.  By the count of libraries around the call, not
 * since the last one seen: another thread's pass may have come while these
 * were being loaded, and before the linker filled their tables. */
static int open_framework(mca_base_framework_t *framework, mca_base_open_flag_t flags)
{
    unsigned long before = hc_dev_libraries_loaded();
    int           rc = mca_base_framework_open(framework, flags);

    if (hc_dev_libraries_loaded() != before)
        (void)install();
    if (rc == OPAL_SUCCESS && framework == &ompi_io_base_framework)
        hc_ompi_files_wrap();
    return rc;
}

/* Where parameter devices can't be obeyed, every question about memory fails:
 * calls are refused then, but Open MPI must be able to work within. */
static bool memory_can_be_told(void)
{
    struct hc_dev_mem mem;

    return hc_dev_query(&mem, &mem) != HCOMM_ERR_UNSUPPORTED;
}

static void warn_of_no_hooks(void)
{
    hc_log(HC_LOG_WARN,
           "Open MPI's calls within itself can't be replaced here: MPI_Pack, MPI_Unpack, "
           "MPI_Sendrecv_replace and MPI-IO must not be given device memory");
}

void hc_ompi_hooks_open(void)
{
    size_t changed;

    hc_ompi_windows_open();
    if (!hc_dev_any_present())
        return;
    hooks_frameworks = true;
    hooks_memory = memory_can_be_told();
    changed = install();
    if (changed == 0)
        warn_of_no_hooks();
    hc_log(HC_LOG_DEBUG, "%zu calls of Open MPI's libraries go through hcomm", changed);
    if (mca_base_framework_is_open(&ompi_io_base_framework))
        hc_ompi_files_wrap();
}

void hc_ompi_hooks_close(void)
{
    hc_ompi_windows_close();
    if (!hooks_frameworks)
        return;
    hc_ompi_files_unwrap();
    hooks_frameworks = hooks_memory = false;
    (void)hc_got_remove(on_frameworks, COUNT(on_frameworks));
    (void)hc_got_remove(on_memory, COUNT(on_memory));
    (void)hc_got_remove(on_packing, COUNT(on_packing));
    (void)hc_got_remove(on_packing_of_messages, COUNT(on_packing_of_messages));
}
