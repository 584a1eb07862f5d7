#include "test/unit/emulator_cuda.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>

/* Memory: who may touch it, what the driver says of it, copies and fills. */

static sigjmp_buf         back;
static volatile uintptr_t fault_address;

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    (void)context;
    fault_address = (uintptr_t)info->si_addr;
    siglongjmp(back, 1);
}

static bool faults(hc_cu_ptr p, bool write)
{
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO};
    volatile char   *byte = (volatile char *)(uintptr_t)p;

    sigaction(SIGSEGV, &action, NULL);
    if (sigsetjmp(back, 1) != 0)
        return fault_address == p;
    if (write)
        *byte = 1;
    else
        (void)*byte;
    return false;
}

/* What the kernel does on the host's behalf. */
static void system_calls_refuse(hc_cu_ptr p)
{
    char         local[16] = {0};
    struct iovec here = {local, sizeof local};
    struct iovec there = {(void *)(uintptr_t)p, sizeof local};
    int          ends[2];

    CHECK(pipe2(ends, O_CLOEXEC) == 0);
    CHECK(write(ends[1], there.iov_base, 16) == -1 && errno == EFAULT);
    CHECK(write(ends[1], local, 16) == 16);
    CHECK(read(ends[0], there.iov_base, 16) == -1 && errno == EFAULT);
    CHECK(process_vm_readv(getpid(), &here, 1, &there, 1, 0) == -1);
    CHECK(errno == EFAULT || errno == EPERM);
    close(ends[0]);
    close(ends[1]);
}

static hc_cu_ptr map_vmm(size_t bytes, unsigned handle_types)
{
    struct hc_cu_allocation_prop prop = {
        .type = HC_CU_ALLOCATION_PINNED,
        .requested_handle_types = handle_types,
        .location = {HC_CU_LOCATION_DEVICE, 0}};
    struct hc_cu_access access = {.location = {HC_CU_LOCATION_DEVICE, 0},
                                  .flags = HC_CU_ACCESS_READWRITE};
    hc_cu_vmm           handle;
    hc_cu_ptr           p;

    OK(cuMemCreate(&handle, bytes, &prop, 0));
    OK(cuMemAddressReserve(&p, 2 * bytes, 0, 0, 0));
    OK(cuMemMap(p, bytes, 0, handle, 0));
    OK(cuMemSetAccess(p, bytes, &access, 1));
    OK(cuMemRelease(handle)); /* the mapping keeps it */
    return p;
}

static void touch_device_memory(void)
{
    hc_cu_ptr plain, pool, managed;
    void     *pinned;

    open_device();
    OK(cuMemAlloc_v2(&plain, MB));
    OK(cuMemAllocAsync(&pool, MB, NULL));
    CHECK(faults(plain, true) && faults(plain + 4097, false));
    CHECK(faults(pool, true) && faults(map_vmm(2 * MB, 0) + 5, false));
    system_calls_refuse(plain + 64);
    OK(cuMemAllocManaged(&managed, MB, HC_CU_MEM_ATTACH_GLOBAL));
    OK(cuMemHostAlloc(&pinned, MB, 0));
    CHECK(!faults(managed, true) && !faults((uintptr_t)pinned, true));
    OK(cuMemFree_v2(plain));
    CHECK(faults(plain, true));
}

static void device_memory_traps_the_host(void **state)
{
    (void)state;
    run_scene(touch_device_memory, NULL);
}

/* ------------------------------------------------------------- attributes */

struct facts {
    unsigned type;
    bool     context, host_pointer, managed, ipc, pool;
    unsigned handle_types, sync_memops;
};

static uint64_t attribute(unsigned which, hc_cu_ptr p, int expected)
{
    uint64_t value = 0;

    EXPECT(expected, cuPointerGetAttribute(&value, which, p));
    return value;
}

static void is_described(hc_cu_ptr p, size_t bytes, const struct facts *f)
{
    struct hc_cu_ipc_mem_handle handle;

    CHECK(attribute(HC_CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p, 0) == f->type);
    CHECK((attribute(HC_CU_POINTER_ATTRIBUTE_CONTEXT, p, 0) != 0) ==
          f->context);
    CHECK(attribute(HC_CU_POINTER_ATTRIBUTE_DEVICE_POINTER, p + 9, 0) == p + 9);
    CHECK(attribute(HC_CU_POINTER_ATTRIBUTE_HOST_POINTER, p,
                    f->host_pointer ? 0 : HC_CU_INVALID_VALUE) ==
          (f->host_pointer ? p : 0));
    CHECK(attribute(HC_CU_POINTER_ATTRIBUTE_IS_MANAGED, p, 0) == f->managed);
    CHECK(attribute(HC_CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p, 0) == 0);
    CHECK(attribute(HC_CU_POINTER_ATTRIBUTE_IS_LEGACY_IPC, p, 0) == f->ipc);
    CHECK(attribute(HC_CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 9, 0) == p);
    CHECK(attribute(HC_CU_POINTER_ATTRIBUTE_RANGE_SIZE, p, 0) == bytes);
    CHECK(attribute(HC_CU_POINTER_ATTRIBUTE_MAPPED, p, 0) == 1);
    CHECK(attribute(HC_CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, p, 0) ==
          f->handle_types);
    CHECK((attribute(HC_CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p, 0) != 0) ==
          f->pool);
    CHECK(attribute(HC_CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p, 0) ==
          f->sync_memops);
    CHECK(attribute(HC_CU_POINTER_ATTRIBUTE_BUFFER_ID, p, 0) != 0);
    EXPECT(f->ipc ? HC_CU_SUCCESS : HC_CU_INVALID_VALUE,
           cuIpcGetMemHandle(&handle, p + 9));
}

static hc_cu_ptr exportable_pool_memory(size_t bytes)
{
    struct hc_cu_pool_props props = {.type = HC_CU_ALLOCATION_PINNED,
                                     .handle_types = HC_CU_HANDLE_FD,
                                     .location = {HC_CU_LOCATION_DEVICE, 0}};
    struct hc_cu_pool      *pool;
    hc_cu_ptr               p;

    OK(cuMemPoolCreate(&pool, &props));
    OK(cuMemAllocFromPoolAsync(&p, bytes, pool, NULL));
    return p;
}

static void describe_every_kind(void)
{
    const struct facts plain = {.type = 2, .context = true, .ipc = true};
    const struct facts pool = {.type = 2, .pool = true};
    const struct facts pool_fd = {.type = 2, .pool = true, .handle_types = 1};
    const struct facts vmm = {.type = 2};
    const struct facts vmm_fd = {.type = 2, .handle_types = 1};
    const struct facts host = {
        .type = 1, .context = true, .host_pointer = true};
    const struct facts managed = {.type = 2,
                                  .context = true,
                                  .host_pointer = true,
                                  .managed = true,
                                  .sync_memops = 1};
    hc_cu_ptr          p;
    void              *h;
    static char        own[8192];

    open_device();
    OK(cuMemAlloc_v2(&p, MB));
    is_described(p, MB, &plain);
    OK(cuMemAllocAsync(&p, MB, NULL));
    is_described(p, MB, &pool);
    is_described(exportable_pool_memory(MB), MB, &pool_fd);
    /* Of VMM memory the range is the reservation. */
    is_described(map_vmm(2 * MB, 0), 4 * MB, &vmm);
    is_described(map_vmm(2 * MB, HC_CU_HANDLE_FD), 4 * MB, &vmm_fd);
    OK(cuMemHostAlloc(&h, MB, 0));
    is_described((uintptr_t)h, MB, &host);
    OK(cuMemHostRegister_v2(own, sizeof own, 0));
    is_described((uintptr_t)own, sizeof own, &host);
    OK(cuMemAllocManaged(&p, MB, HC_CU_MEM_ATTACH_GLOBAL));
    is_described(p, MB, &managed);
}

static void every_kind_of_memory_is_described_as_by_the_driver(void **state)
{
    (void)state;
    run_scene(describe_every_kind, NULL);
}

/* No error where several are asked for: type 0, ordinal -2. */
static void ask_about(hc_cu_ptr p)
{
    unsigned which[] = {HC_CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                        HC_CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                        HC_CU_POINTER_ATTRIBUTE_CONTEXT,
                        HC_CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    unsigned type = 77;
    int      ordinal = 77;
    void    *context = &type;
    size_t   range = 77;
    void    *out[] = {&type, &ordinal, &context, &range};

    OK(cuPointerGetAttributes(4, which, out, p));
    CHECK(type == 0 && ordinal == -2 && context == NULL && range == 77);
    EXPECT(HC_CU_INVALID_VALUE, cuPointerGetAttribute(&type, which[0], p));
}

static void ask_about_unknown_memory(void)
{
    char      stack[16];
    hc_cu_ptr p, base;
    size_t    bytes;

    open_device();
    ask_about((uintptr_t)stack);
    ask_about(0);
    OK(cuMemAlloc_v2(&p, MB));
    ask_about(p + MB);
    OK(cuMemFree_v2(p));
    ask_about(p);
    EXPECT(HC_CU_NOT_FOUND, cuMemGetAddressRange_v2(&base, &bytes, p));
    EXPECT(HC_CU_INVALID_VALUE, cuPointerGetAttributes(0, NULL, NULL, p));
}

static void unknown_memory_is_no_error(void **state)
{
    (void)state;
    run_scene(ask_about_unknown_memory, NULL);
}

/* ------------------------------------------------------------ life of memory
 */

static void allocate_and_free(void)
{
    hc_cu_ptr p, base;
    void     *h;
    size_t    bytes, before, after, total;
    char      stack[16];

    open_device();
    EXPECT(HC_CU_INVALID_VALUE, cuMemAlloc_v2(&p, 0));
    EXPECT(HC_CU_OUT_OF_MEMORY, cuMemAlloc_v2(&p, (size_t)1 << 50));
    OK(cuMemGetInfo_v2(&before, &total));
    OK(cuMemAlloc_v2(&p, 3 * MB));
    OK(cuMemGetInfo_v2(&after, &total));
    CHECK(before - after >= 3 * MB);
    OK(cuMemGetAddressRange_v2(&base, &bytes, p + 2 * MB));
    CHECK(base == p && bytes == 3 * MB);
    EXPECT(HC_CU_INVALID_VALUE, cuMemFree_v2(p + 8));
    EXPECT(HC_CU_INVALID_VALUE, cuMemFree_v2((uintptr_t)stack));
    OK(cuMemFree_v2(p));
    EXPECT(HC_CU_INVALID_VALUE, cuMemFree_v2(p));
    OK(cuMemFree_v2(0));
    OK(cuMemGetInfo_v2(&after, &total));
    CHECK(before == after);
    EXPECT(HC_CU_OUT_OF_MEMORY, cuMemAlloc_v2(&p, total + 1));
    OK(cuMemHostAlloc(&h, 100, 0));
    EXPECT(HC_CU_INVALID_VALUE, cuMemFree_v2((uintptr_t)h));
    EXPECT(HC_CU_INVALID_VALUE, cuMemFreeHost((char *)h + 64));
    OK(cuMemFreeHost(h));
    EXPECT(HC_CU_INVALID_VALUE, cuMemFreeHost(h));
    OK(cuMemHostAlloc(&h, 0, 0));
    CHECK(h == NULL);
    OK(cuMemAllocAsync(&p, MB, NULL));
    OK(cuMemFreeAsync(p, NULL));
    EXPECT(HC_CU_INVALID_VALUE, cuMemFreeAsync(p, NULL));
    OK(cuMemAllocAsync(&p, MB, NULL));
    OK(cuMemFree_v2(p));
}

static void memory_is_freed_once_and_by_its_start(void **state)
{
    (void)state;
    run_scene(allocate_and_free, NULL);
}

static void register_memory(void)
{
    char *m = mmap(NULL, MB, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *none =
        mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    hc_cu_ptr p;
    unsigned  flags = 0;

    open_device();
    OK(cuMemHostRegister_v2(m + 4160, 8192, 0));
    OK(cuMemHostGetFlags(&flags, m + 4160));
    CHECK(flags == HC_CU_MEMHOSTALLOC_DEVICEMAP);
    OK(cuMemHostGetDevicePointer_v2(&p, m + 4160, 0));
    CHECK(p == (uintptr_t)m + 4160);
    ask_about((uintptr_t)m + 4096);
    EXPECT(HC_CU_HOST_ALREADY_REGISTERED, cuMemHostRegister_v2(m, MB, 0));
    EXPECT(HC_CU_HOST_ALREADY_REGISTERED,
           cuMemHostRegister_v2(m + 8192, 64, 0));
    EXPECT(HC_CU_INVALID_VALUE, cuMemHostUnregister(m + 4176));
    EXPECT(HC_CU_INVALID_VALUE, cuMemFreeHost(m + 4160));
    OK(cuMemHostUnregister(m + 4160));
    EXPECT(HC_CU_HOST_NOT_REGISTERED, cuMemHostUnregister(m + 4160));
    EXPECT(HC_CU_INVALID_VALUE, cuMemHostRegister_v2(m, 0, 0));
    EXPECT(HC_CU_INVALID_VALUE, cuMemHostRegister_v2(NULL, 64, 0));
    EXPECT(HC_CU_INVALID_VALUE, cuMemHostRegister_v2(none, 4096, 0));
    munmap(none, 65536);
    EXPECT(HC_CU_INVALID_VALUE, cuMemHostRegister_v2(none, 4096, 0));
    OK(cuMemAlloc_v2(&p, 4096));
    EXPECT(HC_CU_INVALID_VALUE,
           cuMemHostRegister_v2((void *)(uintptr_t)p, 4096, 0));
}

static void registration_refuses_what_it_cannot_pin(void **state)
{
    (void)state;
    run_scene(register_memory, NULL);
}

/* -------------------------------------------------------- copies and fills */

static void copy_and_fill(void)
{
    static unsigned char sent[5 * MB], got[5 * MB];
    struct hc_cu_copy_2d rows = {.src_type = HC_CU_MEMORYTYPE_HOST,
                                 .src_host = sent,
                                 .src_pitch = 1000,
                                 .dst_type = HC_CU_MEMORYTYPE_DEVICE,
                                 .dst_pitch = 64,
                                 .width_bytes = 48,
                                 .height = 100};
    hc_cu_ptr            a, b;
    uint32_t             word;

    open_device();
    OK(cuMemAlloc_v2(&a, sizeof sent));
    OK(cuMemAlloc_v2(&b, sizeof sent));
    fill_pattern(sent, sizeof sent, 11);
    OK(cuMemcpyHtoD_v2(a, sent, sizeof sent));
    OK(cuMemcpyDtoD_v2(b + 3, a, sizeof sent - 3));
    OK(cuMemcpyDtoH_v2(got, b + 3, sizeof sent - 3));
    CHECK(has_pattern(got, sizeof sent - 3, 11));
    OK(cuMemcpy((uintptr_t)got, a, sizeof sent));
    CHECK(has_pattern(got, sizeof sent, 11));

    OK(cuMemsetD8_v2(b, 0xee, 64 * 100));
    rows.dst_device = b;
    OK(cuMemcpy2D_v2(&rows));
    OK(cuMemcpyDtoH_v2(got, b, 64 * 100));
    for (size_t y = 0; y < 100; y++) {
        CHECK(memcmp(got + y * 64, sent + y * 1000, 48) == 0);
        CHECK(got[y * 64 + 48] == 0xee && got[y * 64 + 63] == 0xee);
    }
    rows.src_pitch = 40;
    EXPECT(HC_CU_INVALID_VALUE, cuMemcpy2D_v2(&rows));
    rows.src_pitch = (size_t)INT32_MAX + 1;
    EXPECT(HC_CU_INVALID_VALUE, cuMemcpy2DAsync_v2(&rows, NULL));

    OK(cuMemsetD32_v2(b + 4, 0x01020304, 2));
    OK(cuMemsetD16_v2(b + 8, 0xabcd, 1));
    OK(cuMemcpyDtoH_v2(&word, b + 8, 4));
    CHECK(word == 0x0102abcd);
    EXPECT(HC_CU_INVALID_VALUE, cuMemsetD32_v2(b + 2, 1, 4));
    OK(cuMemsetD2D8_v2(b, 16, 0x55, 4, 3));
    OK(cuMemcpyDtoH_v2(got, b, 48));
    CHECK(got[32] == 0x55 && got[35] == 0x55 && got[36] != 0x55);
}

static void copies_and_fills_are_exact(void **state)
{
    (void)state;
    run_scene(copy_and_fill, NULL);
}

static void copy_out_of_bounds(void)
{
    static char host[64 << 10];
    hc_cu_ptr   p;
    void       *pinned;

    open_device();
    OK(cuMemAlloc_v2(&p, 4096));
    OK(cuMemHostAlloc(&pinned, 4096, 0));
    EXPECT(HC_CU_INVALID_VALUE, cuMemcpyHtoD_v2(p, host, 4097));
    EXPECT(HC_CU_INVALID_VALUE, cuMemcpyDtoH_v2(host, p + 8, 4096));
    EXPECT(HC_CU_INVALID_VALUE, cuMemcpyHtoD_v2((uintptr_t)host, host, 64));
    EXPECT(HC_CU_INVALID_VALUE, cuMemcpyDtoH_v2(host, (uintptr_t)host, 64));
    EXPECT(HC_CU_INVALID_VALUE, cuMemcpyDtoD_v2(p, (uintptr_t)host, 64));
    EXPECT(HC_CU_INVALID_VALUE, cuMemcpyHtoD_v2(p, NULL, 64));
    EXPECT(HC_CU_INVALID_VALUE, cuMemsetD8_v2(p, 1, 4097));
    EXPECT(HC_CU_INVALID_VALUE, cuMemsetD8_v2((uintptr_t)host, 1, 64));
    OK(cuMemcpyHtoD_v2((uintptr_t)pinned, host, 64)); /* known: as good */
    OK(cuMemcpyHtoD_v2(0, NULL, 0));
    OK(cuCtxSynchronize()); /* none of these is sticky */
}

static void a_copy_out_of_bounds_is_refused(void **state)
{
    (void)state;
    run_scene(copy_out_of_bounds, NULL);
}

/* --------------------------------------------------------------------- speed
 */

#define LOOKUPS 20000

/* Best of several: others use this machine, too. */
static double lookup_seconds(hc_cu_ptr p)
{
    unsigned which[] = {HC_CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
    unsigned type;
    void    *out[] = {&type};
    double   best = 1, start, took;

    for (int round = 0; round < 10; round++) {
        start = now_s();
        for (int i = 0; i < LOOKUPS; i++)
            OK(cuPointerGetAttributes(1, which, out, p + (hc_cu_ptr)i));
        took = (now_s() - start) / LOOKUPS;
        best = took < best ? took : best;
    }
    return best;
}

static void look_up_among_a_thousand(void)
{
    static char unknown[LOOKUPS];
    hc_cu_ptr   first, p;
    double      seconds;

    open_device();
    OK(cuMemAlloc_v2(&first, LOOKUPS));
    for (int i = 1; i < 1500; i++) /* more than the usual limit of files */
        OK(cuMemAlloc_v2(&p, 4096));
    seconds = lookup_seconds((uintptr_t)unknown);
    printf("# unknown address among 1500 allocations: %.0f ns\n",
           seconds * 1e9);
    /* 0.2 us on an idle machine; sanitizers and neighbours take their share,
     * while a walk over a list takes longer still. */
    CHECK(seconds < 2e-6);
    CHECK(lookup_seconds(first) < 2e-6);
}

static void an_address_is_found_fast_among_a_thousand(void **state)
{
    (void)state;
    run_scene(look_up_among_a_thousand, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_memory_traps_the_host),
        cmocka_unit_test(every_kind_of_memory_is_described_as_by_the_driver),
        cmocka_unit_test(unknown_memory_is_no_error),
        cmocka_unit_test(memory_is_freed_once_and_by_its_start),
        cmocka_unit_test(registration_refuses_what_it_cannot_pin),
        cmocka_unit_test(copies_and_fills_are_exact),
        cmocka_unit_test(a_copy_out_of_bounds_is_refused),
        cmocka_unit_test(an_address_is_found_fast_among_a_thousand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
