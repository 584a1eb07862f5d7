/* The emulated Level Zero driver: devices, memory, copies of it. */

#include "test/unit/emulator_ze.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void devices_say_that_they_are_emulated(void **state)
{
    struct hc_ze_device_properties p[DEVICES];
    uint32_t                       count = 0;

    (void)state;
    assert_ok(ze.zeDeviceGet(bench.driver, &count, NULL));
    assert_int_equal(count, DEVICES);
    for (int i = 0; i < DEVICES; i++) {
        struct hc_ze_pci_properties pci = {.stype = HC_ZE_IS_PCI_PROPERTIES};

        p[i] = (struct hc_ze_device_properties){.stype =
                                                    HC_ZE_IS_DEVICE_PROPERTIES};
        assert_ok(ze.zeDeviceGetProperties(bench.devices[i], &p[i]));
        assert_non_null(strstr(p[i].name, "emulated"));
        assert_non_null(strstr(p[i].name, "xe-hpc"));
        assert_int_equal(p[i].type, HC_ZE_DEVICE_GPU);
        assert_int_equal(p[i].vendor_id, EMU_ZE_VENDOR_INTEL);
        assert_int_equal(p[i].timer_resolution, 1); /* ns */
        assert_ok(ze.zeDevicePciGetPropertiesExt(bench.devices[i], &pci));
        assert_int_equal(pci.domain, 0);
        assert_int_equal(pci.bus, 0xa0 + i);
        assert_int_equal(pci.device | pci.function, 0);
    }
    assert_memory_not_equal(p[0].uuid, p[1].uuid, sizeof p[0].uuid);
    p[0].stype = EMU_ZE_IS_DEVICE_PROPERTIES_1_2;
    assert_ok(ze.zeDeviceGetProperties(bench.devices[0], &p[0]));
    assert_int_equal(p[0].timer_resolution, 1000000000); /* a second */
}

void groups_and_memories_are_listed(void **state)
{
    struct hc_ze_queue_group   groups[8] = {{0}};
    struct hc_ze_device_memory memory = {.stype = HC_ZE_IS_DEVICE_MEMORY};
    struct emu_ze_extension    extension;
    uint32_t                   count = 0, version;

    (void)state;
    assert_ok(ze.zeDriverGetApiVersion(bench.driver, &version));
    assert_int_equal(version, EMU_ZE_API_VERSION);
    assert_ok(ze.zeDeviceGetCommandQueueGroupProperties(bench.devices[0],
                                                        &count, NULL));
    assert_int_equal(count, 2);
    count = 8;
    assert_ok(ze.zeDeviceGetCommandQueueGroupProperties(bench.devices[0],
                                                        &count, groups));
    assert_int_equal(count, 2);
    assert_true(groups[0].flags & HC_ZE_GROUP_COMPUTE);
    assert_int_equal(groups[1].flags, HC_ZE_GROUP_COPY);
    assert_true(groups[0].nqueues > 0 && groups[1].nqueues > 0);
    count = 1;
    assert_ok(
        ze.zeDeviceGetMemoryProperties(bench.devices[0], &count, &memory));
    assert_int_equal(count, 1);
    assert_true(memory.bytes == (size_t)16 << 30);
    assert_ok(ze.zeDeviceGetSubDevices(bench.devices[0], &count, NULL));
    assert_int_equal(count, 0);
    count = 1;
    assert_ok(
        ze.zeDriverGetExtensionProperties(bench.driver, &count, &extension));
    assert_string_equal(extension.name, "ZE_extension_pci_properties");
}

void device_memory_traps_the_host(void **state)
{
    void *ptr;
    int   pipes[2];

    (void)state;
    assert_ok(alloc_device(0, 10 * KB, &ptr));
    assert_true(host_access_faults(ptr, false));
    assert_true(host_access_faults((char *)ptr + 10 * KB - 1, true));
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(write(pipes[1], ptr, 1), -1);
    assert_int_equal(errno, EFAULT);
    close(pipes[0]);
    close(pipes[1]);
    assert_ok(ze.zeMemFree(bench.context, ptr));
}

void host_and_shared_memory_are_reached_by_both(void **state)
{
    struct hc_ze_alloc_properties is = {.stype = HC_ZE_IS_ALLOC_PROPERTIES};
    unsigned char                *host, *shared;
    void                         *device, *of;

    (void)state;
    assert_ok(alloc_host(MB, (void **)&host));
    assert_ok(alloc_shared(2, MB, (void **)&shared));
    assert_ok(alloc_device(0, MB, &device));
    pattern_fill(host, MB, 1);
    assert_ok(copy_on(0, device, host, MB));
    assert_ok(copy_on(2, shared, device, MB));
    assert_true(pattern_is(shared, MB, 1));
    pattern_fill(shared, MB, 2);
    assert_ok(copy_on(0, host, shared, MB));
    assert_true(pattern_is(host, MB, 2));

    assert_ok(ze.zeMemGetAllocProperties(bench.context, host + 5, &is, &of));
    assert_int_equal(is.type, HC_ZE_MEMORY_HOST);
    assert_null(of);
    assert_ok(ze.zeMemGetAllocProperties(bench.context, shared + 5, &is, &of));
    assert_int_equal(is.type, HC_ZE_MEMORY_SHARED);
    assert_ptr_equal(of, bench.devices[2]);
    assert_ok(ze.zeMemFree(bench.context, host));
    assert_ok(ze.zeMemFree(bench.context, shared));
    assert_ok(ze.zeMemFree(bench.context, device));
}

void copies_arrive_exactly(void **state)
{
    static const size_t sizes[] = {1, 7, 4096, 4097, 300 * KB + 1};
    unsigned char      *data = malloc(MB), *back = malloc(MB);
    void               *one, *two;

    (void)state;
    assert_ok(alloc_device(0, MB, &one));
    assert_ok(alloc_device(2, MB, &two));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        memset(back, 0, MB);
        pattern_fill(data, sizes[i], (unsigned)i);
        assert_ok(copy_on(0, (char *)one + 3, data, sizes[i]));
        assert_ok(copy_on(0, (char *)two + 9, (char *)one + 3, sizes[i]));
        assert_ok(copy_on(2, back + 1, (char *)two + 9, sizes[i]));
        assert_true(pattern_is(back + 1, sizes[i], (unsigned)i));
        assert_int_equal(back[0] | back[1 + sizes[i]], 0);
    }
    assert_ok(ze.zeMemFree(bench.context, one));
    assert_ok(ze.zeMemFree(bench.context, two));
    free(data);
    free(back);
}

/* Boxes of 3 x 2 x 2 out of one with rows of 10 and slices of 50 bytes. */
void copies_of_regions_leave_the_gaps(void **state)
{
    const struct hc_ze_region from = {1, 2, 1, 3, 2, 2};
    const struct hc_ze_region to = {4, 1, 0, 3, 2, 2};
    const struct hc_ze_region other = {0, 0, 0, 3, 2, 1};
    unsigned char             data[200], back[64], expected[64];
    void                     *device, *event;

    (void)state;
    assert_ok(alloc_device(0, 64, &device));
    assert_ok(new_event(&event));
    pattern_fill(data, sizeof data, 3);
    memset(expected, 0xee, sizeof expected);
    for (size_t z = 0; z < 2; z++) {
        for (size_t y = 0; y < 2; y++)
            memcpy(&expected[4 + (1 + y) * 8 + z * 32],
                   &data[1 + (2 + y) * 10 + (1 + z) * 50], 3);
    }
    memset(back, 0xee, sizeof back);
    assert_ok(copy_on(0, device, back, sizeof back));
    assert_ok(ze.zeCommandListAppendMemoryCopyRegion(bench.lists[0], device,
                                                     &to, 8, 32, data, &from,
                                                     10, 50, event, 0, NULL));
    assert_ok(ze.zeEventHostSynchronize(event, UINT64_MAX));
    assert_ok(copy_on(0, back, device, sizeof back));
    assert_memory_equal(back, expected, sizeof back);
    assert_ze(HC_ZE_INVALID_ARGUMENT, ze.zeCommandListAppendMemoryCopyRegion(
                                          bench.lists[0], device, &to, 8, 32,
                                          data, &other, 10, 50, NULL, 0, NULL));
    assert_ok(ze.zeEventDestroy(event));
    assert_ok(ze.zeMemFree(bench.context, device));
}

static void fill(void *list, void *ptr, const void *pattern,
                 size_t pattern_bytes, size_t bytes)
{
    void *event;

    assert_ok(new_event(&event));
    assert_ok(ze.zeCommandListAppendMemoryFill(
        list, ptr, pattern, pattern_bytes, bytes, event, 0, NULL));
    assert_ok(ze.zeEventHostSynchronize(event, UINT64_MAX));
    assert_ok(ze.zeEventDestroy(event));
}

void fills_repeat_their_pattern(void **state)
{
    const unsigned char pattern[16] = {1, 2,  3,  4,  5,  6,  7,  8,
                                       9, 10, 11, 12, 13, 14, 15, 16};
    unsigned char       back[100];
    void               *ptr, *copier;

    (void)state;
    assert_ok(alloc_device(0, 100, &ptr));
    for (size_t bytes = 1; bytes <= 16; bytes *= 2) {
        fill(bench.lists[0], ptr, "\377", 1, 100);
        fill(bench.lists[0], ptr, pattern, bytes, 96);
        assert_ok(copy_on(0, back, ptr, 100));
        for (size_t i = 0; i < 96; i++)
            assert_int_equal(back[i], pattern[i % bytes]);
        for (size_t i = 96; i < 100; i++)
            assert_int_equal(back[i], 0xff);
    }
    assert_ze(HC_ZE_INVALID_SIZE,
              ze.zeCommandListAppendMemoryFill(bench.lists[0], ptr, pattern, 3,
                                               96, NULL, 0, NULL));
    /* A copy engine fills with bytes. */
    assert_ok(open_list(0, 1, HC_ZE_QUEUE_ASYNCHRONOUS, &copier));
    fill(copier, ptr, "\1", 1, 100);
    assert_ze(HC_ZE_INVALID_SIZE,
              ze.zeCommandListAppendMemoryFill(copier, ptr, pattern, 4, 96,
                                               NULL, 0, NULL));
    assert_ok(ze.zeCommandListDestroy(copier));
    assert_ok(ze.zeMemFree(bench.context, ptr));
}

void a_copy_past_the_end_is_refused(void **state)
{
    unsigned char data[200] = {0};
    void         *ptr;

    (void)state;
    assert_ok(alloc_device(0, 100, &ptr));
    assert_ze(HC_ZE_INVALID_ARGUMENT, copy_on(0, ptr, data, 101));
    assert_ze(HC_ZE_INVALID_ARGUMENT, copy_on(0, data, (char *)ptr + 1, 100));
    assert_ze(HC_ZE_INVALID_NULL_POINTER, copy_on(0, ptr, NULL, 1));
    assert_ok(copy_on(0, (char *)ptr + 1, data, 99));
    assert_ok(ze.zeMemFree(bench.context, ptr));
}

void an_address_is_known_in_every_context(void **state)
{
    const struct hc_ze_context_desc desc = {.stype = HC_ZE_IS_CONTEXT_DESC};
    struct hc_ze_alloc_properties   is = {.stype = HC_ZE_IS_ALLOC_PROPERTIES};
    void                           *ptr, *other, *device, *base;
    size_t                          bytes;

    (void)state;
    assert_ok(ze.zeContextCreate(bench.driver, &desc, &other));
    assert_ok(alloc_device(1, 1000, &ptr));
    assert_ok(
        ze.zeMemGetAllocProperties(other, (char *)ptr + 999, &is, &device));
    assert_int_equal(is.type, HC_ZE_MEMORY_DEVICE);
    assert_true(is.id > 0 && is.page_bytes > 0);
    assert_ptr_equal(device, bench.devices[1]);
    assert_ok(ze.zeMemGetAddressRange(other, (char *)ptr + 999, &base, &bytes));
    assert_ptr_equal(base, ptr);
    assert_int_equal(bytes, 1000);
    assert_ok(ze.zeContextGetStatus(other));
    assert_ok(ze.zeContextDestroy(other));
    assert_ze(HC_ZE_INVALID_ARGUMENT, ze.zeContextGetStatus(other));
    assert_ok(ze.zeMemFree(bench.context, ptr));
}

void an_unknown_address_has_no_type_and_no_range(void **state)
{
    struct hc_ze_alloc_properties is = {.stype = HC_ZE_IS_ALLOC_PROPERTIES};
    void                         *ptr, *device = &is, *base;
    size_t                        bytes;
    int                           mine = 0;

    (void)state;
    is.type = HC_ZE_MEMORY_DEVICE;
    assert_ok(ze.zeMemGetAllocProperties(bench.context, &mine, &is, &device));
    assert_int_equal(is.type, HC_ZE_MEMORY_UNKNOWN);
    assert_null(device);
    assert_ze(HC_ZE_UNKNOWN,
              ze.zeMemGetAddressRange(bench.context, &mine, &base, &bytes));
    assert_ok(alloc_device(0, 100, &ptr));
    assert_ok(ze.zeMemFree(bench.context, ptr));
    assert_ok(ze.zeMemGetAllocProperties(bench.context, ptr, &is, &device));
    assert_int_equal(is.type, HC_ZE_MEMORY_UNKNOWN);
}

void alignments_are_obeyed(void **state)
{
    const struct hc_ze_device_alloc_desc desc = {
        .stype = HC_ZE_IS_DEVICE_ALLOC_DESC};
    const struct hc_ze_host_alloc_desc host = {.stype =
                                                   HC_ZE_IS_HOST_ALLOC_DESC};
    unsigned char                      data[5000], back[5000];
    void                              *ptr;

    (void)state;
    pattern_fill(data, sizeof data, 4);
    for (size_t alignment = 1; alignment <= 4 * MB; alignment *= 4) {
        assert_ok(ze.zeMemAllocDevice(bench.context, &desc, sizeof data,
                                      alignment, bench.devices[0], &ptr));
        assert_int_equal((uintptr_t)ptr % alignment, 0);
        assert_true(host_access_faults(ptr, true));
        assert_ok(copy_on(0, ptr, data, sizeof data));
        assert_ok(copy_on(0, back, ptr, sizeof data));
        assert_true(pattern_is(back, sizeof back, 4));
        assert_ok(ze.zeMemFree(bench.context, ptr));
        assert_ok(ze.zeMemAllocHost(bench.context, &host, sizeof data,
                                    alignment, &ptr));
        assert_int_equal((uintptr_t)ptr % alignment, 0);
        memcpy(ptr, data, sizeof data);
        assert_ok(ze.zeMemFree(bench.context, ptr));
    }
}

void sizes_and_alignments_are_checked(void **state)
{
    const struct hc_ze_device_alloc_desc desc = {
        .stype = HC_ZE_IS_DEVICE_ALLOC_DESC};
    void *ptr;

    (void)state;
    assert_ze(HC_ZE_UNSUPPORTED_SIZE, alloc_device(0, 0, &ptr));
    assert_ze(HC_ZE_UNSUPPORTED_SIZE, alloc_host(0, &ptr));
    assert_ze(HC_ZE_UNSUPPORTED_ALIGNMENT,
              ze.zeMemAllocDevice(bench.context, &desc, 100, 48,
                                  bench.devices[0], &ptr));
}

void descriptors_of_other_kinds_are_refused(void **state)
{
    const struct emu_ze_header out = {.stype = EMU_ZE_IS_EXTERNAL_EXPORT_DESC};
    struct emu_ze_external_memory  can = {0};
    struct hc_ze_device_alloc_desc desc = {.stype = HC_ZE_IS_DEVICE_ALLOC_DESC,
                                           .next = &out};
    void                          *ptr;

    (void)state;
    can.memory_export = 99;
    assert_ok(ze.zeDeviceGetExternalMemoryProperties(bench.devices[0], &can));
    assert_int_equal(can.memory_export, 0);
    assert_ze(HC_ZE_UNSUPPORTED_ENUMERATION,
              ze.zeMemAllocDevice(bench.context, &desc, 100, 0,
                                  bench.devices[0], &ptr));
}

void memory_runs_out(void **state)
{
    void *ptr, *rest;

    (void)state;
    assert_ze(HC_ZE_OUT_OF_DEVICE_MEMORY,
              alloc_device(0, ((size_t)16 << 30) + 1, &ptr));
    assert_ok(alloc_device(0, (size_t)15 << 30, &ptr));
    assert_ze(HC_ZE_OUT_OF_DEVICE_MEMORY,
              alloc_device(0, (size_t)2 << 30, &rest));
    assert_ok(ze.zeMemFree(bench.context, ptr));
}

void freeing_twice_is_an_error(void **state)
{
    void *ptr;
    int   mine = 0;

    (void)state;
    assert_ok(alloc_device(0, 100, &ptr));
    assert_ze(HC_ZE_INVALID_ARGUMENT,
              ze.zeMemFree(bench.context, (char *)ptr + 1));
    assert_ok(ze.zeMemFree(bench.context, ptr));
    assert_ze(HC_ZE_INVALID_ARGUMENT, ze.zeMemFree(bench.context, ptr));
    assert_ze(HC_ZE_INVALID_ARGUMENT, ze.zeMemFree(bench.context, &mine));
    assert_ze(HC_ZE_INVALID_NULL_POINTER, ze.zeMemFree(bench.context, NULL));
}

void freeing_does_not_wait_and_hurts_no_copy(void **state)
{
    struct hc_ze_alloc_properties is = {.stype = HC_ZE_IS_ALLOC_PROPERTIES};
    unsigned char                *back = calloc(1, MB);
    void                         *device, *host, *go, *event;

    (void)state;
    assert_ok(alloc_device(0, MB, &device));
    assert_ok(alloc_host(MB, &host));
    pattern_fill(host, MB, 7);
    assert_ok(new_event(&go));
    assert_ok(new_event(&event));
    assert_ok(ze.zeCommandListAppendMemoryCopy(bench.lists[0], device, host, MB,
                                               NULL, 1, &go));
    assert_ok(ze.zeCommandListAppendBarrier(bench.lists[0], NULL, 0, NULL));
    assert_ok(ze.zeCommandListAppendMemoryCopy(bench.lists[0], back, device, MB,
                                               event, 0, NULL));
    assert_ok(ze.zeMemFree(bench.context, device));
    assert_ok(ze.zeMemFree(bench.context, host));
    assert_ze(HC_ZE_NOT_READY, ze.zeEventQueryStatus(event));
    assert_ok(ze.zeMemGetAllocProperties(bench.context, device, &is, NULL));
    assert_int_equal(is.type, HC_ZE_MEMORY_UNKNOWN);
    assert_ok(ze.zeEventHostSignal(go));
    assert_ok(ze.zeEventHostSynchronize(event, UINT64_MAX));
    assert_true(pattern_is(back, MB, 7));
    assert_ok(ze.zeDeviceGetStatus(bench.devices[0]));
    assert_ok(ze.zeEventDestroy(go));
    assert_ok(ze.zeEventDestroy(event));
    free(back);
}

void host_memory_of_the_program_is_imported(void **state)
{
    struct hc_ze_alloc_properties is = {.stype = HC_ZE_IS_ALLOC_PROPERTIES};
    hc_ze_import_pointer          import_pointer;
    hc_ze_release_pointer         release_pointer;
    unsigned char                *mine = malloc(MB);
    void                         *address, *ptr;

    (void)state;
    assert_ok(ze.zeDriverGetExtensionFunctionAddress(
        bench.driver, HC_ZE_IMPORT_POINTER, &address));
    *(void **)&import_pointer = address;
    assert_ok(ze.zeDriverGetExtensionFunctionAddress(
        bench.driver, HC_ZE_RELEASE_POINTER, &address));
    *(void **)&release_pointer = address;
    assert_ze(HC_ZE_INVALID_ARGUMENT, ze.zeDriverGetExtensionFunctionAddress(
                                          bench.driver, "zexNone", &address));

    assert_ok(alloc_device(0, MB, &ptr));
    assert_ok(import_pointer(bench.driver, mine + 100, KB));
    assert_ze(HC_ZE_INVALID_ARGUMENT,
              import_pointer(bench.driver, mine + 100, KB));
    assert_ze(HC_ZE_INVALID_ARGUMENT, import_pointer(bench.driver, ptr, KB));
    /* It stays the program's, and copies may go beyond. */
    assert_ok(ze.zeMemGetAllocProperties(bench.context, mine + 100, &is, NULL));
    assert_int_equal(is.type, HC_ZE_MEMORY_UNKNOWN);
    pattern_fill(mine, MB, 5);
    assert_ok(copy_on(0, ptr, mine, MB));
    memset(mine, 0, MB);
    assert_ok(copy_on(0, mine, ptr, MB));
    assert_true(pattern_is(mine, MB, 5));
    assert_ok(release_pointer(bench.driver, mine + 100));
    assert_ze(HC_ZE_INVALID_ARGUMENT,
              release_pointer(bench.driver, mine + 100));
    assert_ok(ze.zeMemFree(bench.context, ptr));
    free(mine);
}
