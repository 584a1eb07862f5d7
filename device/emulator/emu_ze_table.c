/*
 * The emulated Level Zero driver: the tables of its functions, which is all
 * that the loader sees, and the functions that are not emulated.
 */

#include "device/emulator/emu_ze.h"
#include "device/emulator/emu_ze_names.h"

#include <string.h>

typedef void (*entry)(void);

/* No arguments: none is looked at, and the caller cleans up after itself. */
#define SKIP(name)
#define STUB(name)                                \
    static int name(void)                         \
    {                                             \
        return ze_result(emu_unsupported(#name)); \
    }
#define STUBS(table, getter) table(SKIP, STUB)
ZE_TABLES(STUBS)

/* No device is managed through us: as where no driver is.  Loaders of API 1.5
 * and later call this without looking whether it is there, for everyone who
 * asks them, hwloc and so mpirun among them. */
static int zesInit(uint32_t flags)
{
    (void)flags;
    return HC_ZE_UNINITIALIZED;
}

static int fill(uint32_t version, entry *table, const entry *entries,
                size_t count)
{
    if (table == NULL)
        return HC_ZE_INVALID_NULL_POINTER;
    /* A table of an older version may be shorter. */
    if (HC_ZE_MAJOR(version) != HC_ZE_MAJOR(EMU_ZE_API_VERSION) ||
        HC_ZE_MINOR(version) < HC_ZE_MINOR(EMU_ZE_API_VERSION))
        return HC_ZE_UNSUPPORTED_VERSION;
    if (count > 0)
        memcpy(table, entries, count * sizeof *entries);
    return HC_ZE_SUCCESS;
}

#define ENTRY(name) (entry) name,
#define GETTER(table, getter)                                 \
    ZE_API int getter(uint32_t version, entry *out);          \
    ZE_API int getter(uint32_t version, entry *out)           \
    {                                                         \
        static const entry entries[] = {table(ENTRY, ENTRY)}; \
                                                              \
        return fill(version, out, entries,                    \
                    sizeof(entries) / sizeof(entries[0]));    \
    }
ZE_TABLES(GETTER)

/*
 * Tables of later versions: newer loaders want the functions, and find the
 * tables empty.
 */
#define LATER(getter)                                \
    ZE_API int getter(uint32_t version, entry *out); \
    ZE_API int getter(uint32_t version, entry *out)  \
    {                                                \
        return fill(version, out, NULL, 0);          \
    }
LATER(zeGetCommandListExpProcAddrTable)
LATER(zeGetDriverExpProcAddrTable)
LATER(zeGetMemExpProcAddrTable)
LATER(zeGetRTASBuilderExpProcAddrTable)
LATER(zeGetRTASParallelOperationExpProcAddrTable)
LATER(zesGetDeviceExpProcAddrTable)
LATER(zesGetDriverExpProcAddrTable)
LATER(zesGetFirmwareExpProcAddrTable)
LATER(zesGetOverclockProcAddrTable)
LATER(zesGetRasExpProcAddrTable)
LATER(zesGetVFManagementExpProcAddrTable)
LATER(zetGetDeviceExpProcAddrTable)
LATER(zetGetMetricDecoderExpProcAddrTable)
LATER(zetGetMetricExpProcAddrTable)
LATER(zetGetMetricProgrammableExpProcAddrTable)
LATER(zetGetMetricTracerExpProcAddrTable)

/* ------------------------------------------------------------------- names */

bool ze_is_function(const char *name)
{
    static const char *const names[] = {
#define NAME(name)           #name,
#define NAMES(table, getter) table(NAME, NAME)
        ZE_TABLES(NAMES) //
        "zexDriverImportExternalPointer",
        "zexDriverReleaseImportedPointer",
        "zexDriverGetHostPointerBaseAddress",
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}
