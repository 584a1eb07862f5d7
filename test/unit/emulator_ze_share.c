/* The emulated Level Zero driver: other processes, other environments. */

#include "test/unit/emulator_ze.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHARED_BYTES = 100000 };

#define SHARED_FD 77 /* inherited by the other process under this number */

static struct emu_ze_ipc_handle from_hex(const char *text)
{
    struct emu_ze_ipc_handle handle;

    role_unhex(text, handle.bytes);
    return handle;
}

/* As programs do that bring the descriptor across by themselves. */
static void patch(struct emu_ze_ipc_handle *handle, int fd)
{
    memcpy(handle->bytes, &fd, sizeof fd);
}

static int descriptor(const struct emu_ze_ipc_handle *handle)
{
    int fd;

    memcpy(&fd, handle->bytes, sizeof fd);
    return fd;
}

/* Reads the pattern of seed 4 and leaves that of seed 5. */
static int use_shared(struct emu_ze_ipc_handle handle)
{
    struct hc_ze_alloc_properties is = {.stype = HC_ZE_IS_ALLOC_PROPERTIES};
    unsigned char                *data = malloc(SHARED_BYTES);
    void                         *ptr, *device, *base;
    size_t                        bytes;

    if (ze.zeMemOpenIpcHandle(bench.context, bench.devices[0], handle, 0, &ptr))
        return 1;
    if (ze.zeMemGetAllocProperties(bench.context, (char *)ptr + 5, &is,
                                   &device) ||
        is.type != HC_ZE_MEMORY_DEVICE || device != bench.devices[2])
        return 2;
    if (ze.zeMemGetAddressRange(bench.context, (char *)ptr + 5, &base,
                                &bytes) ||
        base != ptr || bytes != SHARED_BYTES)
        return 3;
    if (copy_on(0, data, ptr, SHARED_BYTES) ||
        !pattern_is(data, SHARED_BYTES, 4))
        return 4;
    pattern_fill(data, SHARED_BYTES, 5);
    if (copy_on(0, ptr, data, SHARED_BYTES))
        return 5;
    if (!host_access_faults(ptr, true))
        return 6;
    /* It is another's: to be closed, once, and neither freed nor passed on. */
    if (ze.zeMemFree(bench.context, ptr) != HC_ZE_INVALID_ARGUMENT ||
        ze.zeMemGetIpcHandle(bench.context, ptr, &handle) !=
            HC_ZE_INVALID_ARGUMENT)
        return 7;
    if (ze.zeMemCloseIpcHandle(bench.context, ptr) ||
        ze.zeMemCloseIpcHandle(bench.context, ptr) != HC_ZE_INVALID_ARGUMENT)
        return 8;
    free(data);
    return 0;
}

int role_import(const char *argument)
{
    struct emu_ze_ipc_handle handle = from_hex(argument);

    patch(&handle, SHARED_FD);
    return open_driver() ? 99 : use_shared(handle);
}

/* The number in the handle is of the other process: here it is of no file, or
 * of one of our own, which must not be taken for it. */
int role_raw(const char *argument)
{
    struct emu_ze_ipc_handle handle = from_hex(argument), own;
    void                    *ptr, *mine;

    if (open_driver() || alloc_device(2, 100, &mine) ||
        ze.zeMemGetIpcHandle(bench.context, mine, &own))
        return 99;
    if (ze.zeMemOpenIpcHandle(bench.context, bench.devices[0], handle, 0,
                              &ptr) != HC_ZE_INVALID_ARGUMENT)
        return 1;
    patch(&handle, descriptor(&own));
    return ze.zeMemOpenIpcHandle(bench.context, bench.devices[0], handle, 0,
                                 &ptr) == HC_ZE_INVALID_ARGUMENT
               ? 0
               : 2;
}

/* Numbers of the Linux ABI; older C libraries lack the names.  77: the kernel
 * or its policy forbids it. */
int role_pidfd(const char *argument)
{
    struct emu_ze_ipc_handle handle = from_hex(argument);
    int                      process, fd;

    process = (int)syscall(434, getppid(), 0); /* pidfd_open */
    fd = process < 0 ? -1 : (int)syscall(438, process, descriptor(&handle), 0);
    if (fd < 0) /* pidfd_getfd */
        return errno == ENOSYS || errno == EPERM ? 77 : 98;
    patch(&handle, fd);
    return open_driver() ? 99 : use_shared(handle);
}

static void *shared_memory(struct emu_ze_ipc_handle *handle, char text[129])
{
    unsigned char *data = malloc(SHARED_BYTES);
    void          *ptr;

    assert_ok(alloc_device(2, SHARED_BYTES, &ptr));
    pattern_fill(data, SHARED_BYTES, 4);
    assert_ok(copy_on(2, ptr, data, SHARED_BYTES));
    /* Wherever the address points, the handle is of the whole allocation. */
    assert_ok(ze.zeMemGetIpcHandle(bench.context, (char *)ptr + 1000, handle));
    role_hex(handle->bytes, text);
    free(data);
    return ptr;
}

static void check_answer_and_free(void *ptr)
{
    unsigned char *data = malloc(SHARED_BYTES);

    assert_ok(copy_on(2, data, ptr, SHARED_BYTES));
    assert_true(pattern_is(data, SHARED_BYTES, 5));
    assert_ok(ze.zeMemFree(bench.context, ptr));
    free(data);
}

void another_process_opens_a_handle(void **state)
{
    struct emu_ze_ipc_handle handle;
    char                     text[129];
    void                    *ptr = shared_memory(&handle, text);

    (void)state;
    assert_int_equal(dup2(descriptor(&handle), SHARED_FD), SHARED_FD);
    assert_int_equal(role_run("import", text, NULL), 0);
    close(SHARED_FD);
    check_answer_and_free(ptr);
}

void another_process_takes_the_descriptor(void **state)
{
    struct emu_ze_ipc_handle handle;
    char                     text[129];
    void                    *ptr = shared_memory(&handle, text);
    int                      status;

    (void)state;
    (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    status = role_run("pidfd", text, NULL);
    if (status == 77) {
        assert_ok(ze.zeMemFree(bench.context, ptr));
        print_message("this kernel gives nobody another's descriptors\n");
        skip();
    }
    assert_int_equal(status, 0);
    check_answer_and_free(ptr);
}

void a_raw_handle_of_another_process_is_refused(void **state)
{
    struct emu_ze_ipc_handle handle;
    char                     text[129];
    void                    *ptr = shared_memory(&handle, text);

    (void)state;
    assert_int_equal(role_run("raw", text, NULL), 0);
    assert_ok(ze.zeMemFree(bench.context, ptr));
}

void ones_own_handle_gives_another_address(void **state)
{
    struct emu_ze_ipc_handle handle;
    unsigned char            data[100], back[100];
    void                    *ptr, *again;

    (void)state;
    pattern_fill(data, sizeof data, 6);
    assert_ok(alloc_device(0, sizeof data, &ptr));
    assert_ok(ze.zeMemGetIpcHandle(bench.context, ptr, &handle));
    assert_ok(ze.zeMemOpenIpcHandle(bench.context, bench.devices[0], handle, 0,
                                    &again));
    assert_ptr_not_equal(ptr, again);
    assert_ok(copy_on(0, ptr, data, sizeof data));
    /* The memory lives as long as it is open. */
    assert_ok(ze.zeMemFree(bench.context, ptr));
    assert_ok(copy_on(0, back, again, sizeof data));
    assert_true(pattern_is(back, sizeof back, 6));
    assert_ok(ze.zeMemCloseIpcHandle(bench.context, again));
}

void what_has_no_handle_is_refused(void **state)
{
    struct emu_ze_ipc_handle handle = {{0}};
    void                    *host, *shared, *ptr;
    int                      mine = 0;

    (void)state;
    assert_ok(alloc_host(100, &host));
    assert_ok(alloc_shared(0, 100, &shared));
    assert_ze(HC_ZE_INVALID_ARGUMENT,
              ze.zeMemGetIpcHandle(bench.context, host, &handle));
    assert_ze(HC_ZE_INVALID_ARGUMENT,
              ze.zeMemGetIpcHandle(bench.context, shared, &handle));
    assert_ze(HC_ZE_INVALID_ARGUMENT,
              ze.zeMemGetIpcHandle(bench.context, &mine, &handle));
    patch(&handle, STDERR_FILENO);
    assert_ze(HC_ZE_INVALID_ARGUMENT,
              ze.zeMemOpenIpcHandle(bench.context, bench.devices[0], handle, 0,
                                    &ptr));
    assert_ze(HC_ZE_INVALID_ARGUMENT,
              ze.zeMemCloseIpcHandle(bench.context, shared));
    assert_ok(ze.zeMemFree(bench.context, host));
    assert_ok(ze.zeMemFree(bench.context, shared));
}

/* Exit status: bit 0: 0 reaches 2; bit 1: 0 reaches itself; bit 2: an IPC
 * handle of device 2 opens on device 0. */
int role_peer(void)
{
    struct emu_ze_p2p_properties p2p = {.stype = EMU_ZE_IS_P2P_PROPERTIES};
    struct emu_ze_ipc_handle     handle;
    unsigned char                other = 9, self = 9;
    void                        *ptr, *opened;
    int                          opens;

    if (open_driver() || alloc_device(2, 100, &ptr) ||
        ze.zeMemGetIpcHandle(bench.context, ptr, &handle) ||
        ze.zeDeviceCanAccessPeer(bench.devices[0], bench.devices[2], &other) ||
        ze.zeDeviceCanAccessPeer(bench.devices[0], bench.devices[0], &self) ||
        ze.zeDeviceGetP2PProperties(bench.devices[0], bench.devices[2], &p2p))
        return 99;
    if (other != (p2p.flags & EMU_ZE_P2P_ACCESS))
        return 98;
    opens = ze.zeMemOpenIpcHandle(bench.context, bench.devices[0], handle, 0,
                                  &opened) == HC_ZE_SUCCESS;
    return other | self << 1 | opens << 2;
}

void peers_are_as_the_variable_says(void **state)
{
    const char *const off[] = {"HCOMM_EMU_PEER=0", NULL};

    (void)state;
    assert_int_equal(role_run("peer", NULL, NULL), 7);
    assert_int_equal(role_run("peer", NULL, off), 2);
}

void a_forked_child_is_not_initialised(void **state)
{
    int   status = 0;
    void *ptr, *event;
    pid_t pid;

    (void)state;
    assert_ok(new_event(&event));
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        bool all = ze.zeInit(0) == HC_ZE_UNINITIALIZED &&
                   alloc_device(0, 100, &ptr) == HC_ZE_UNINITIALIZED &&
                   ze.zeEventQueryStatus(event) == HC_ZE_UNINITIALIZED;
        _exit(all ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_ok(ze.zeEventDestroy(event));
}

void without_devices_there_is_no_driver(void **state)
{
    const char *const unset[] = {"HCOMM_EMULATE", NULL};
    const char *const other[] = {"HCOMM_EMULATE=nvidia:2", NULL};

    (void)state;
    assert_int_equal(role_run("count", NULL, unset),
                     HC_ZE_UNINITIALIZED & 0xff);
    assert_int_equal(role_run("count", NULL, other),
                     HC_ZE_UNINITIALIZED & 0xff);
}

void the_affinity_mask_is_a_set(void **state)
{
    static const struct {
        const char *mask;
        int         count, bus;
    } cases[] = {
        {"ZE_AFFINITY_MASK=2", 1, 0xa2},   {"ZE_AFFINITY_MASK=1,0", 2, 0xa0},
        {"ZE_AFFINITY_MASK=2.0", 1, 0xa2}, {"ZE_AFFINITY_MASK=2,2,9", 1, 0xa2},
        {"ZE_AFFINITY_MASK=", 3, 0xa0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const set[] = {cases[i].mask, NULL};

        assert_int_equal(role_run("count", NULL, set), 200 + cases[i].count);
        assert_int_equal(role_run("first-bus", NULL, set), cases[i].bus);
    }
}

static void *first_call(void *argument)
{
    const struct hc_ze_context_desc    desc = {.stype = HC_ZE_IS_CONTEXT_DESC};
    const struct hc_ze_host_alloc_desc host = {.stype =
                                                   HC_ZE_IS_HOST_ALLOC_DESC};
    uint32_t                           count = 1;
    void                              *driver, *context, *ptr;

    (void)argument;
    return ze.zeInit(0) || ze.zeDriverGet(&count, &driver) ||
                   ze.zeContextCreate(driver, &desc, &context) ||
                   ze.zeMemAllocHost(context, &host, KB, 0, &ptr) ||
                   ze.zeMemFree(context, ptr) || ze.zeContextDestroy(context)
               ? "failed"
               : NULL;
}

/* Nobody has called the driver before these threads do. */
int role_start(void)
{
    pthread_t threads[8];
    void     *why;
    int       failures = 0;

    for (int i = 0; i < 8; i++) {
        if (pthread_create(&threads[i], NULL, first_call, NULL))
            return 99;
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], &why);
        failures += why != NULL;
    }
    return failures;
}

void threads_may_all_be_first(void **state)
{
    (void)state;
    assert_int_equal(role_run("start", NULL, NULL), 0);
}
