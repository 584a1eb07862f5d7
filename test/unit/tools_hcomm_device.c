/* The public interface where there are devices: emulated ones. */
#include "hcomm.h"

#include "test/unit/emulated.h"
#include "test/unit/unit.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

enum { BYTES = 4096 };

/* What of the driver a program with device memory calls. */
static struct {
    int (*cuInit)(unsigned flags);
    int (*cuDevicePrimaryCtxRetain)(void **context, int device);
    int (*cuCtxSetCurrent)(void *context);
    int (*cuMemAlloc_v2)(uint64_t *ptr, size_t bytes);
    int (*cuMemFree_v2)(uint64_t ptr);
} cuda;

static bool load_driver(void)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);

    if (lib == NULL)
        return false;
#define LOAD(name) *(void **)&cuda.name = dlsym(lib, #name)
    LOAD(cuInit);
    LOAD(cuDevicePrimaryCtxRetain);
    LOAD(cuCtxSetCurrent);
    LOAD(cuMemAlloc_v2);
    LOAD(cuMemFree_v2);
#undef LOAD
    return true;
}

static void devices_are_listed_as_emulated(void **state)
{
    static const char *const archs[] = {"sm_80", "sm_90"};
    hcomm_devices           *devices = NULL;

    (void)state;
    assert_int_equal(hcomm_devices_open(&devices), HCOMM_OK);
    assert_int_equal(hcomm_device_count(devices), 2);
    for (int i = 0; i < 2; i++) {
        const hcomm_device_info *d = hcomm_device_at(devices, i);

        assert_int_equal(d->ordinal, i);
        assert_string_equal(d->vendor->vendor, "nvidia");
        assert_string_equal(d->vendor->name, "cuda");
        assert_int_equal(d->vendor->device_count, 2);
        assert_string_equal(d->arch, archs[i]);
        assert_true(d->emulated);
        assert_true(d->memory_bytes > 0);
        assert_int_equal(strlen(d->bus_id), strlen("0000:10:00.0"));
    }
    assert_memory_not_equal(hcomm_device_at(devices, 0)->uuid,
                            hcomm_device_at(devices, 1)->uuid, 16);
    hcomm_devices_close(devices);
}

static void device_memory_is_the_devices(void **state)
{
    hcomm_memory_info info;
    void             *context = NULL;
    uint64_t          ptr = 0;

    (void)state;
    assert_int_equal(cuda.cuInit(0), 0);
    assert_int_equal(cuda.cuDevicePrimaryCtxRetain(&context, 1), 0);
    assert_int_equal(cuda.cuCtxSetCurrent(context), 0);
    assert_int_equal(cuda.cuMemAlloc_v2(&ptr, BYTES), 0);

    /* From inside the allocation as well as from its start. */
    for (size_t offset = 0; offset < BYTES; offset += BYTES - 1) {
        const void *asked = (const void *)(uintptr_t)(ptr + offset);

        assert_int_equal(hcomm_memory_query(asked, &info), HCOMM_OK);
        assert_int_equal(info.kind, HCOMM_MEMORY_DEVICE);
        assert_string_equal(info.name, "cuda");
        assert_int_equal(info.ordinal, 1);
        assert_int_equal((uintptr_t)info.base, ptr);
        assert_true(info.bytes >= BYTES);
        assert_false(info.host_readable);
    }
    assert_int_equal(hcomm_memory_query(&info, &info), HCOMM_OK);
    assert_string_equal(info.name, "host");
    assert_int_equal(cuda.cuMemFree_v2(ptr), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_listed_as_emulated),
        cmocka_unit_test(device_memory_is_the_devices),
    };

    (void)argc;
    if (on_real_device()) {
        printf("1..0 # SKIP it counts on two emulated devices\n");
        return 0;
    }
    run_emulated(argv, "nvidia/sm_80:1,nvidia:1");
    if (!load_driver()) {
        printf("1..0 # SKIP the emulator is not built\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
