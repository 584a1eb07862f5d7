/*
 * The emulated HIP runtime: devices, memory, copies, attributes.
 */

#include "test/unit/emulator_hip.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOST_HOST = HC_HIP_COPY_HOST_HOST, TO_DEV = HC_HIP_COPY_HOST_DEV };
enum { TO_HOST = HC_HIP_COPY_DEV_HOST, ANY = HC_HIP_COPY_DEFAULT };

void devices_say_that_they_are_emulated(void **state)
{
    char          name[256], prop[2048];
    unsigned char uuid[2][16];
    int           count = 0, version = 0, warp = 0;
    size_t        bytes;

    (void)state;
    assert_ok(hip.hipInit(0));
    assert_ok(hip.hipGetDeviceCount(&count));
    assert_int_equal(count, 3);
    assert_ok(hip.hipRuntimeGetVersion(&version));
    assert_int_equal(hc_hip_major(version), HIP_MAJOR);
    assert_ok(hip.hipDeviceGetName(name, sizeof(name), 0));
    assert_non_null(strstr(name, "emulated"));
    assert_non_null(strstr(name, "gfx90a"));
    assert_ok(hip.hipDeviceGetUuid(uuid[0], 0));
    assert_ok(hip.hipDeviceGetUuid(uuid[1], 1));
    assert_memory_not_equal(uuid[0], uuid[1], 16);
    assert_ok(hip.hipDeviceTotalMem(&bytes, 0));
    assert_true(bytes > 0);
    assert_ok(hip.hipDeviceGetAttribute(&warp, HC_HIP_ATTR_WARP, 0));
    assert_int_equal(warp, 64);
    /* The old layout, which every major has under this name: the name, then
     * the size of the memory. */
    assert_ok(hip.hipGetDeviceProperties(prop, 0));
    assert_string_equal(prop, name);
    assert_memory_equal(prop + 256, &bytes, sizeof(bytes));
}

void devices_are_found_by_their_bus_id(void **state)
{
    char text[32];
    int  device = -1;

    (void)state;
    assert_ok(hip.hipDeviceGetPCIBusId(text, sizeof(text), 2));
    assert_string_equal(text, "0000:62:00.0");
    assert_ok(hip.hipDeviceGetByPCIBusId(&device, text));
    assert_int_equal(device, 2);
    assert_hip(HC_HIP_INVALID_VALUE,
               hip.hipDeviceGetByPCIBusId(&device, "0000:7f:00.0"));
    assert_hip(HC_HIP_INVALID_DEVICE, hip.hipSetDevice(3));
    assert_hip(HC_HIP_INVALID_DEVICE, hip.hipSetDevice(-1));
}

void device_memory_traps_the_host(void **state)
{
    void *ptr;
    int   pipe_fds[2];

    (void)state;
    assert_ok(hip.hipMalloc(&ptr, 64 * KB));
    assert_true(host_access_faults(ptr, false));
    assert_true(host_access_faults(ptr, true));
    assert_int_equal(pipe(pipe_fds), 0);
    assert_int_equal(write(pipe_fds[1], ptr, 16), -1);
    assert_int_equal(errno, EFAULT);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    assert_ok(hip.hipFree(ptr));
}

void copies_arrive_exactly(void **state)
{
    static const size_t sizes[] = {1, 255, 4096, 100003};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        size_t         bytes = sizes[i];
        unsigned char *from = malloc(bytes), *to = calloc(1, bytes);
        void          *one, *two;

        pattern_fill(from, bytes, 3);
        assert_ok(hip.hipMalloc(&one, bytes));
        assert_ok(hip.hipMalloc(&two, bytes));
        assert_ok(hip.hipMemcpy(one, from, bytes, TO_DEV));
        assert_ok(hip.hipMemcpy(two, one, bytes, HC_HIP_COPY_DEV_DEV));
        assert_ok(hip.hipMemcpy(to, two, bytes, ANY));
        assert_true(pattern_is(to, bytes, 3));
        assert_ok(hip.hipFree(one));
        assert_ok(hip.hipFree(two));
        free(from);
        free(to);
    }
}

void copies_of_rows_leave_the_gaps(void **state)
{
    unsigned char rows[4][10], back[4][16];
    void         *ptr;

    (void)state;
    pattern_fill(&rows[0][0], sizeof(rows), 1);
    memset(back, 0xee, sizeof(back));
    assert_ok(hip.hipMalloc(&ptr, 4 * 32));
    assert_ok(hip.hipMemcpy2D(ptr, 32, rows, 10, 10, 4, TO_DEV));
    assert_ok(hip.hipMemcpy2D(back, 16, ptr, 32, 10, 4, TO_HOST));
    for (int i = 0; i < 4; i++) {
        assert_memory_equal(back[i], rows[i], 10);
        for (int j = 10; j < 16; j++)
            assert_int_equal(back[i][j], 0xee);
    }
    assert_hip(HC_HIP_INVALID_PITCH,
               hip.hipMemcpy2D(ptr, 8, rows, 10, 10, 4, TO_DEV));
    assert_hip(HC_HIP_INVALID_VALUE, hip.hipMemcpy2D(ptr, (size_t)INT32_MAX + 1,
                                                     rows, 10, 10, 4, TO_DEV));
    assert_ok(hip.hipFree(ptr));
}

void fills_write_elements_of_each_width(void **state)
{
    unsigned char back[64], expected[64];
    void         *ptr;

    (void)state;
    memset(expected, 0x5a, 64);
    for (int i = 0; i < 4; i++) {
        memcpy(expected + 16 + 2 * i, &(uint16_t){0x1234}, 2);
        memcpy(expected + 32 + 4 * i, &(uint32_t){0xdeadbeef}, 4);
    }
    expected[48] = expected[49] = expected[56] = expected[57] = 7;
    assert_ok(hip.hipMalloc(&ptr, 64));
    assert_ok(hip.hipMemset(ptr, 0x15a, 64)); /* the low byte counts */
    assert_ok(hip.hipMemsetD16((char *)ptr + 16, 0x1234, 4));
    assert_ok(hip.hipMemsetD32((char *)ptr + 32, (int)0xdeadbeef, 4));
    assert_ok(hip.hipMemset2D((char *)ptr + 48, 8, 7, 2, 2));
    assert_ok(hip.hipMemcpy(back, ptr, 64, TO_HOST));
    assert_memory_equal(back, expected, 64);
    assert_hip(HC_HIP_INVALID_VALUE, hip.hipMemset(back, 0, 64));
    assert_ok(hip.hipFree(ptr));
}

void a_copy_past_the_end_is_refused(void **state)
{
    char  host[128] = "";
    void *ptr;

    (void)state;
    assert_ok(hip.hipMalloc(&ptr, 100));
    assert_hip(HC_HIP_INVALID_VALUE, hip.hipMemcpy(ptr, host, 101, TO_DEV));
    assert_hip(HC_HIP_INVALID_VALUE,
               hip.hipMemcpy((char *)ptr + 50, host, 51, TO_DEV));
    assert_ok(hip.hipMemcpy(ptr, host, 100, TO_DEV));
    assert_ok(hip.hipMemcpy(ptr, host, 0, TO_DEV));
    assert_ok(hip.hipFree(ptr));
}

void a_wrong_direction_is_refused(void **state)
{
    char one[8] = "one", two[8] = "";

    (void)state;
    assert_hip(HC_HIP_INVALID_VALUE, hip.hipMemcpy(two, one, 8, TO_DEV));
    assert_hip(HC_HIP_INVALID_DIRECTION, hip.hipMemcpy(two, one, 8, 9));
    assert_hip(HC_HIP_INVALID_VALUE, hip.hipMemcpy(NULL, one, 8, ANY));
    assert_ok(hip.hipMemcpy(two, one, 8, HOST_HOST));
    assert_string_equal(two, "one");
}

static struct hc_hip_pointer_attributes attributes(const void *ptr)
{
    struct hc_hip_pointer_attributes out;

    memset(&out, 0xee, sizeof(out));
    assert_ok(hip.hipPointerGetAttributes(&out, ptr));
    return out;
}

void device_memory_has_device_attributes(void **state)
{
    struct hc_hip_pointer_attributes is;
    void                            *ptr, *base;
    size_t                           bytes;

    (void)state;
    assert_ok(hip.hipSetDevice(2));
    assert_ok(hip.hipMalloc(&ptr, 5000));
    assert_ok(hip.hipSetDevice(0));
    is = attributes((char *)ptr + 4999);
    assert_int_equal(is.type, HIP_MAJOR >= 6 ? 2 : 1);
    assert_int_equal(is.device, 2); /* not the thread's */
    assert_ptr_equal(is.device_ptr, (char *)ptr + 4999);
    assert_null(is.host_ptr);
    assert_int_equal(is.is_managed, 0);
    assert_ok(hip.hipMemGetAddressRange(&base, &bytes, (char *)ptr + 4999));
    assert_ptr_equal(base, ptr);
    assert_int_equal(bytes, 5000);
    assert_ok(hip.hipFree(ptr));
}

void pinned_and_registered_memory_have_host_attributes(void **state)
{
    struct hc_hip_pointer_attributes is;
    void                            *pinned, *device;
    char                            *mine = aligned_alloc(4096, 8192);
    unsigned                         flags = 0;

    (void)state;
    assert_ok(hip.hipHostMalloc(&pinned, 100, HC_HIP_HOST_PORTABLE));
    strcpy(pinned, "the host writes");
    is = attributes((char *)pinned + 4);
    assert_int_equal(is.type, HIP_MAJOR >= 6 ? 1 : 0);
    assert_ptr_equal(is.host_ptr, (char *)pinned + 4);
    assert_ptr_equal(is.device_ptr, (char *)pinned + 4);
    assert_ok(hip.hipHostGetFlags(&flags, pinned));
    assert_int_equal(flags, HC_HIP_HOST_PORTABLE);
    assert_ok(hip.hipHostFree(pinned));

    assert_ok(hip.hipHostRegister(mine, 8192, 0));
    is = attributes(mine + 5000);
    assert_int_equal(is.type, HIP_MAJOR >= 6 ? 1 : 0);
    assert_ptr_equal(is.host_ptr, mine + 5000);
    assert_ok(hip.hipHostGetDevicePointer(&device, mine, 0));
    assert_ptr_equal(device, mine);
    assert_hip(HC_HIP_HOST_ALREADY_REGISTERED,
               hip.hipHostRegister(mine + 4096, 4096, 0));
    assert_ok(hip.hipHostUnregister(mine));
    assert_hip(HC_HIP_HOST_NOT_REGISTERED, hip.hipHostUnregister(mine));
    free(mine);
}

void managed_memory_is_reached_by_both(void **state)
{
    struct hc_hip_pointer_attributes is;
    unsigned char                    back[256];
    void                            *ptr;

    (void)state;
    assert_ok(hip.hipMallocManaged(&ptr, 256, 1));
    pattern_fill(ptr, 256, 9);
    assert_ok(hip.hipMemcpy(back, ptr, 256, TO_HOST));
    assert_true(pattern_is(back, 256, 9));
    assert_ok(hip.hipMemset(ptr, 5, 256));
    assert_ok(hip.hipDeviceSynchronize());
    assert_int_equal(((unsigned char *)ptr)[255], 5);
    is = attributes(ptr);
    assert_int_equal(is.type, HIP_MAJOR >= 6 ? 3 : 0);
    assert_int_equal(is.is_managed, 1);
    assert_ptr_equal(is.host_ptr, ptr);
    assert_ptr_equal(is.device_ptr, ptr);
    assert_ok(hip.hipFree(ptr));
}

void pool_memory_is_device_memory(void **state)
{
    struct hc_hip_pointer_attributes is;
    unsigned char                    data[512], back[512];
    void                            *stream, *ptr, *pool;
    uint64_t                         used = 0;

    (void)state;
    pattern_fill(data, sizeof(data), 2);
    assert_ok(hip.hipStreamCreate(&stream));
    assert_ok(hip.hipMallocAsync(&ptr, 512, stream));
    assert_ok(hip.hipMemcpyAsync(ptr, data, 512, TO_DEV, stream));
    assert_ok(hip.hipMemcpyAsync(back, ptr, 512, TO_HOST, stream));
    assert_ok(hip.hipStreamSynchronize(stream));
    assert_true(pattern_is(back, 512, 2));
    is = attributes(ptr);
    assert_int_equal(is.type, hc_hip_type_device(HIP_MAJOR));
    assert_null(is.host_ptr);
    assert_true(host_access_faults(ptr, false));
    assert_ok(hip.hipDeviceGetDefaultMemPool(&pool, 0));
    assert_ok(hip.hipMemPoolGetAttribute(pool, 7, &used));
    assert_true(used >= 512);
    assert_ok(hip.hipFreeAsync(ptr, stream));
    assert_ok(hip.hipStreamSynchronize(stream));
    assert_ok(hip.hipMemPoolGetAttribute(pool, 7, &used));
    assert_int_equal(used, 0);
    assert_ok(hip.hipStreamDestroy(stream));
}

/* hipMemAllocationProp for pinned memory of device 0, without handle type */
static const void *allocation_props(void)
{
    static const int old_order[8] = {0, 1, 0, 0, 1, 0, 0, 0};
    static const int new_order[8] = {1, 0, 1, 0, 0, 0, 0, 0};

    return HIP_MAJOR >= 6 ? new_order : old_order;
}

void mapped_memory_is_device_memory(void **state)
{
    static const int access[3] = {1, 0, 3}; /* device 0 reads and writes */
    struct hc_hip_ipc_handle ipc;
    unsigned char            data[300], back[300];
    void                    *address, *handle;

    (void)state;
    pattern_fill(data, sizeof(data), 8);
    assert_ok(hip.hipMemAddressReserve(&address, 2 * MB, 0, NULL, 0));
    assert_ok(hip.hipMemCreate(&handle, 2 * MB, allocation_props(), 0));
    assert_ok(hip.hipMemMap(address, 2 * MB, 0, handle, 0));
    assert_ok(hip.hipMemSetAccess(address, 2 * MB, access, 1));
    assert_ok(hip.hipMemcpy((char *)address + MB, data, 300, TO_DEV));
    assert_ok(hip.hipMemcpy(back, (char *)address + MB, 300, TO_HOST));
    assert_true(pattern_is(back, 300, 8));
    assert_int_equal(attributes(address).type, hc_hip_type_device(HIP_MAJOR));
    assert_true(host_access_faults(address, true));
    assert_hip(HC_HIP_INVALID_VALUE, hip.hipIpcGetMemHandle(&ipc, address));
    assert_ok(hip.hipMemUnmap(address, 2 * MB));
    assert_ok(hip.hipMemRelease(handle));
    assert_ok(hip.hipMemAddressFree(address, 2 * MB));
}

void an_unknown_address_is_answered_as_the_major_does(void **state)
{
    struct hc_hip_pointer_attributes is;
    int                              mine = 0;

    (void)state;
    if (HIP_MAJOR < 6) {
        assert_hip(HC_HIP_INVALID_VALUE,
                   hip.hipPointerGetAttributes(&is, &mine));
        return;
    }
    is = attributes(&mine);
    assert_int_equal(is.type, HC_HIP6_MEM_UNREGISTERED);
    assert_int_equal(is.device, -2);
    assert_null(is.device_ptr);
    assert_null(is.host_ptr);
}

void single_attributes_agree(void **state)
{
    unsigned type = 99, on = 1;
    bool     sync = false;
    void    *ptr, *base;

    (void)state;
    assert_ok(hip.hipMalloc(&ptr, 100));
    assert_ok(hip.hipPointerGetAttribute(&type, HC_HIP_PTR_MEMORY_TYPE, ptr));
    assert_int_equal(type, hc_hip_type_device(HIP_MAJOR));
    assert_ok(hip.hipPointerGetAttribute(&base, HC_HIP_PTR_RANGE_START,
                                         (char *)ptr + 99));
    assert_ptr_equal(base, ptr);
    assert_ok(hip.hipPointerSetAttribute(&on, HC_HIP_PTR_SYNC_MEMOPS, ptr));
    assert_ok(hip.hipPointerGetAttribute(&sync, HC_HIP_PTR_SYNC_MEMOPS, ptr));
    assert_true(sync);
    assert_hip(HC_HIP_INVALID_VALUE,
               hip.hipPointerGetAttribute(&type, HC_HIP_PTR_MEMORY_TYPE, &on));
    assert_hip(HC_HIP_NOT_SUPPORTED,
               hip.hipPointerGetAttribute(&type, HC_HIP_PTR_P2P_TOKENS, ptr));
    assert_ok(hip.hipFree(ptr));
}

void freeing_twice_is_an_error(void **state)
{
    void *ptr;

    (void)state;
    assert_ok(hip.hipMalloc(&ptr, 100));
    assert_hip(HC_HIP_INVALID_VALUE, hip.hipFree((char *)ptr + 1));
    assert_ok(hip.hipFree(ptr));
    assert_hip(HC_HIP_INVALID_VALUE, hip.hipFree(ptr));
    assert_ok(hip.hipFree(NULL));
    assert_ok(hip.hipMalloc(&ptr, 0));
    assert_null(ptr);
}

void memory_runs_out(void **state)
{
    size_t before, after, total;
    void  *ptr;

    (void)state;
    assert_ok(hip.hipMemGetInfo(&before, &total));
    assert_hip(HC_HIP_OUT_OF_MEMORY, hip.hipMalloc(&ptr, total + 1));
    assert_ok(hip.hipMalloc(&ptr, MB));
    assert_ok(hip.hipMemGetInfo(&after, &total));
    assert_true(after <= before - MB);
    assert_ok(hip.hipFree(ptr));
    assert_ok(hip.hipMemGetInfo(&after, &total));
    assert_int_equal(after, before);
}

void version_nodes_are_amds(void **state)
{
    (void)state;
    assert_ptr_equal(dlvsym(hip.library, "hipMalloc", "hip_4.2"),
                     (void *)hip.hipMalloc);
    assert_non_null(dlvsym(hip.library, "hipMallocAsync", "hip_5.1"));
    assert_non_null(dlvsym(hip.library, "hipLaunchHostFunc", "hip_5.3"));
    assert_null(dlvsym(hip.library, "hipMalloc", "hip_5.1"));
}
