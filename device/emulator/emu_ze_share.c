/*
 * The emulated Level Zero driver: memory shared between processes, and the
 * program's own host memory.
 */

#include "device/emulator/emu_ze.h"

#include <string.h>

/*
 * As in Intel's driver the handle begins with a file descriptor of the process
 * that made it.  Another process has to get it across (pidfd_getfd, SCM_RIGHTS)
 * and put its own number in.  Where a number is of another file by chance, the
 * real driver would open that; here the inode gives it away.
 */
struct handle {
    uint64_t fd;
    uint64_t inode;
};

int zeMemGetIpcHandle(void *context, const void *ptr,
                      struct emu_ze_ipc_handle *handle)
{
    struct handle h;
    int           fd, code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(context, ZE_CONTEXT);
    if (code == HC_ZE_SUCCESS && (ptr == NULL || handle == NULL))
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS)
        code = ze_result(emu_fd_export(ptr, &fd, &h.inode));
    if (code != HC_ZE_SUCCESS)
        return code;
    h.fd = (uint64_t)fd;
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &h, sizeof h);
    return code;
}

int zeMemOpenIpcHandle(void *context, void *device,
                       struct emu_ze_ipc_handle handle, uint32_t flags,
                       void **ptr)
{
    struct emu_context *engine;
    struct handle       h;
    int                 code = ze_enter(__func__), ordinal;

    (void)flags; /* how it is cached */
    if (code == HC_ZE_SUCCESS)
        code = ze_check_pair(context, device, &ordinal);
    if (code == HC_ZE_SUCCESS && ptr == NULL)
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS)
        code = ze_result(ze_engine(ordinal, &engine));
    if (code != HC_ZE_SUCCESS)
        return code;
    memcpy(&h, &handle, sizeof h);
    return ze_result(emu_fd_import(engine, (int)h.fd, h.inode, ptr));
}

int zeMemCloseIpcHandle(void *context, const void *ptr)
{
    int code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(context, ZE_CONTEXT);
    if (code == HC_ZE_SUCCESS && ptr == NULL)
        code = HC_ZE_INVALID_NULL_POINTER;
    if (code == HC_ZE_SUCCESS)
        code = ze_result(emu_release((void *)ptr, EMU_DEVICE, true));
    return code;
}

/* ------------------------------------------- extensions of Intel's driver */

int zexDriverImportExternalPointer(void *driver, void *ptr, size_t bytes)
{
    struct emu_context *engine;
    int                 code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(driver, ZE_DRIVER);
    if (code == HC_ZE_SUCCESS)
        code = ze_result(ze_engine(0, &engine));
    if (code != HC_ZE_SUCCESS)
        return code;
    return emu_register(engine, ptr, bytes, 0) == EMU_OK
               ? HC_ZE_SUCCESS
               : HC_ZE_INVALID_ARGUMENT;
}

int zexDriverReleaseImportedPointer(void *driver, void *ptr)
{
    int code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(driver, ZE_DRIVER);
    if (code == HC_ZE_SUCCESS)
        code = ze_result(emu_release(ptr, EMU_REGISTERED, false));
    return code;
}

int zexDriverGetHostPointerBaseAddress(void *driver, void *ptr, void **base)
{
    struct emu_range range;
    int              code = ze_enter(__func__);

    if (code == HC_ZE_SUCCESS)
        code = ze_check(driver, ZE_DRIVER);
    if (code == HC_ZE_SUCCESS &&
        (emu_query(ptr, &range) != EMU_OK || range.kind != EMU_REGISTERED))
        code = HC_ZE_INVALID_ARGUMENT;
    if (code == HC_ZE_SUCCESS && base != NULL)
        *base = (void *)range.base;
    return code;
}
