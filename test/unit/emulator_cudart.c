/*
 * The emulated CUDA runtime, one program per major version: main, and the
 * calls within a process.
 */

#include "test/unit/emulator_cudart.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if CUDART_MAJOR == 11
#define SONAME  "libcudart.so.11.0"
#define VERSION 11080
#elif CUDART_MAJOR == 12
#define SONAME  "libcudart.so.12"
#define VERSION 12040
#elif CUDART_MAJOR == 13
#define SONAME  "libcudart.so.13"
#define VERSION 13000
#else
#error "CUDART_MAJOR says which library is tested"
#endif

struct cudart rt;

static void *open_path(const char *name)
{
    const char *build = getenv("builddir");
    char        path[PATH_MAX];
    void       *library;

    snprintf(path, sizeof(path), "%s/emulator/nvidia/%s", build ? build : ".",
             name);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return library;
}

static void *must_find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);

    if (!symbol) {
        fprintf(stderr, "%s is missing: %s\n", name, dlerror());
        exit(1);
    }
    return symbol;
}

static void open_library(void)
{
    void *driver = open_path("libcuda.so.1");

    rt.library = open_path(SONAME);
#define FIND(name, arguments) *(void **)&rt.name = must_find(rt.library, #name);
    CUDART_LIST(FIND)
#undef FIND
    *(void **)&rt.cudaGetErrorName = must_find(rt.library, "cudaGetErrorName");
    *(void **)&rt.cudaGetErrorString =
        must_find(rt.library, "cudaGetErrorString");
    *(void **)&rt.cuDevicePrimaryCtxGetState =
        must_find(driver, "cuDevicePrimaryCtxGetState");
}

void devices_are_the_drivers(void **state)
{
    char text[32];
    int  count = 0, version = 0, device = -1, warp = 0;

    (void)state;
    assert_ok(rt.cudaGetDeviceCount(&count));
    assert_int_equal(count, 3);
    assert_ok(rt.cudaRuntimeGetVersion(&version));
    assert_int_equal(version, VERSION);
    assert_ok(rt.cudaDeviceGetPCIBusId(text, sizeof(text), 2));
    assert_ok(rt.cudaDeviceGetByPCIBusId(&device, text));
    assert_int_equal(device, 2);
    assert_ok(rt.cudaDeviceGetAttribute(&warp, 10, 0));
    assert_int_equal(warp, 32);
    assert_rt(INVALID_DEVICE, rt.cudaSetDevice(3));
}

/* Offsets of cudaDeviceProp that NVIDIA's headers of these versions give. */
#if CUDART_MAJOR == 13
enum { PROP_BYTES = 1008, PROP_BUS = 568 };
#else
enum { PROP_BYTES = 728, PROP_BUS = 584 }; /* 12: the old name's layout */
#endif

static void check_prop(const char *prop, size_t bytes)
{
    int value;

    assert_non_null(strstr(prop, "emulated"));
    memcpy(&value, prop + 308, sizeof(value));
    assert_int_equal(value, 32); /* warpSize */
    memcpy(&value, prop + 360, sizeof(value));
    assert_int_equal(value, 9); /* major, of sm_90 */
    memcpy(&value, prop + PROP_BUS, sizeof(value));
    assert_int_equal(value, 0x12);
    assert_int_equal(prop[bytes], 0x5a); /* and not a byte further */
}

void properties_lie_where_the_version_has_them(void **state)
{
    char prop[2048];

    (void)state;
    memset(prop, 0x5a, sizeof(prop));
    assert_ok(rt.cudaGetDeviceProperties(prop, 2));
    check_prop(prop, PROP_BYTES);
#if CUDART_MAJOR == 12
    {
        int (*v2)(void *, int);
        int pools;

        *(void **)&v2 = must_find(rt.library, "cudaGetDeviceProperties_v2");
        memset(prop, 0x5a, sizeof(prop));
        assert_ok(v2(prop, 2));
        check_prop(prop, 1032);
        memcpy(&pools, prop + 744, sizeof(pools));
        assert_int_equal(pools, 1); /* memoryPoolsSupported */
    }
#endif
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
        assert_ok(rt.cudaMalloc(&one, bytes));
        assert_ok(rt.cudaMalloc(&two, bytes));
        assert_ok(rt.cudaMemcpy(one, from, bytes, TO_DEVICE));
        assert_ok(rt.cudaMemcpy(two, one, bytes, DEVICE_DEVICE));
        assert_ok(rt.cudaMemcpy(to, two, bytes, ANY));
        assert_true(pattern_is(to, bytes, 3));
        assert_ok(rt.cudaFree(one));
        assert_ok(rt.cudaFree(two));
        assert_rt(INVALID_VALUE, rt.cudaFree(two));
        free(from);
        free(to);
    }
    assert_ok(rt.cudaFree(NULL));
}

void copies_and_fills_of_rows_leave_the_gaps(void **state)
{
    unsigned char rows[4][10], back[4][16];
    size_t        pitch = 0;
    void         *ptr;

    (void)state;
    pattern_fill(&rows[0][0], sizeof(rows), 1);
    memset(back, 0xee, sizeof(back));
    assert_ok(rt.cudaMallocPitch(&ptr, &pitch, 10, 4));
    assert_true(pitch >= 10 && pitch % 256 == 0);
    assert_ok(rt.cudaMemcpy2D(ptr, pitch, rows, 10, 10, 4, TO_DEVICE));
    assert_ok(rt.cudaMemset2D(ptr, pitch, 7, 2, 4));
    assert_ok(rt.cudaMemcpy2D(back, 16, ptr, pitch, 10, 4, ANY));
    for (int i = 0; i < 4; i++) {
        assert_true(back[i][0] == 7 && back[i][1] == 7);
        assert_memory_equal(back[i] + 2, rows[i] + 2, 8);
        assert_true(back[i][10] == 0xee && back[i][15] == 0xee);
    }
    assert_rt(INVALID_PITCH,
              rt.cudaMemcpy2D(ptr, 8, rows, 10, 10, 4, TO_DEVICE));
    assert_ok(rt.cudaFree(ptr));
}

void a_wrong_direction_is_refused(void **state)
{
    char  one[8] = "one", two[8] = "";
    void *ptr;

    (void)state;
    assert_ok(rt.cudaMalloc(&ptr, 8));
    assert_rt(INVALID_VALUE, rt.cudaMemcpy(two, one, 8, TO_DEVICE));
    assert_rt(INVALID_DIRECTION, rt.cudaMemcpy(ptr, one, 8, 9));
    assert_rt(INVALID_VALUE, rt.cudaMemcpy(ptr, one, 9, TO_DEVICE));
    assert_ok(rt.cudaMemcpy(ptr, one, 0, TO_DEVICE));
    assert_ok(rt.cudaMemcpy(two, one, 8, HOST_HOST));
    assert_string_equal(two, "one");
    assert_ok(rt.cudaFree(ptr));
}

void device_memory_traps_the_host(void **state)
{
    void *ptr;

    (void)state;
    assert_ok(rt.cudaMalloc(&ptr, 100));
    assert_true(host_access_faults(ptr, false));
    assert_true(host_access_faults(ptr, true));
    assert_ok(rt.cudaFree(ptr));
}

static struct attributes attributes(const void *ptr)
{
    struct attributes out;
    size_t            reserved = CUDART_MAJOR >= 13 ? 64 : 0;

    memset(&out, 0x5a, sizeof(out));
    assert_ok(rt.cudaPointerGetAttributes(&out, ptr));
    for (size_t i = 0; i < sizeof(out.behind); i++)
        assert_int_equal(out.behind[i], i < reserved ? 0 : 0x5a);
    return out;
}

static void check_type(void *ptr, int type, bool on_device, bool on_host)
{
    struct attributes is = attributes((char *)ptr + 9);

    assert_int_equal(is.type, type);
    assert_ptr_equal(is.device_ptr, on_device ? (char *)ptr + 9 : NULL);
    assert_ptr_equal(is.host_ptr, on_host ? (char *)ptr + 9 : NULL);
    assert_int_equal(is.device, type == UNREGISTERED ? -2 : 2);
}

void each_kind_of_memory_has_its_type(void **state)
{
    char *mine = aligned_alloc(4096, 8192);
    void *plain, *pool, *managed, *pinned;

    (void)state;
    assert_ok(rt.cudaSetDevice(2));
    assert_ok(rt.cudaMalloc(&plain, 100));
    assert_ok(rt.cudaMallocAsync(&pool, 100, NULL));
    assert_ok(rt.cudaMallocManaged(&managed, 100, 1));
    assert_ok(rt.cudaMallocHost(&pinned, 100));
    check_type(mine, UNREGISTERED, false, true);
    assert_ok(rt.cudaHostRegister(mine, 8192, 0));
    assert_rt(ALREADY_REGISTERED, rt.cudaHostRegister(mine, 4096, 0));
    check_type(plain, DEVICE, true, false);
    check_type(pool, DEVICE, true, false);
    check_type(managed, MANAGED, true, true);
    check_type(pinned, HOST, true, true);
    check_type(mine, HOST, true, true);
    assert_ok(rt.cudaHostUnregister(mine));
    assert_ok(rt.cudaFree(plain));
    assert_ok(rt.cudaFreeAsync(pool, NULL));
    assert_ok(rt.cudaFree(managed));
    assert_ok(rt.cudaFreeHost(pinned));
    assert_ok(rt.cudaSetDevice(0));
    free(mine);
}

void asynchronous_copies_return_early(void **state)
{
    void *device, *host, *stream, *event;

    (void)state;
    assert_ok(rt.cudaSetDevice(SLOW_DEVICE));
    assert_ok(rt.cudaMalloc(&device, SLOW_BYTES));
    assert_ok(rt.cudaMallocHost(&host, SLOW_BYTES));
    assert_ok(rt.cudaStreamCreateWithFlags(&stream, 1));
    assert_ok(rt.cudaEventCreateWithFlags(&event, 2));
    assert_ok(rt.cudaMemcpyAsync(device, host, SLOW_BYTES, TO_DEVICE, stream));
    assert_ok(rt.cudaEventRecord(event, stream));
    assert_rt(NOT_READY, rt.cudaStreamQuery(stream));
    assert_rt(NOT_READY, rt.cudaEventQuery(event));
    assert_ok(rt.cudaStreamWaitEvent(NULL, event, 0));
    assert_ok(rt.cudaStreamSynchronize(NULL));
    assert_ok(rt.cudaEventQuery(event));
    assert_ok(rt.cudaEventSynchronize(event));
    assert_ok(rt.cudaEventDestroy(event));
    assert_ok(rt.cudaStreamDestroy(stream));
    assert_rt(INVALID_HANDLE, rt.cudaStreamDestroy(stream));
    assert_ok(rt.cudaFree(device));
    assert_ok(rt.cudaFreeHost(host));
    assert_ok(rt.cudaSetDevice(0));
}

/* A copy on the legacy stream waits for all blocking streams, one on the
 * thread's own stream does not: so it ends while the slow copy runs. */
void zero_means_the_threads_stream_in_ptsz(void **state)
{
    unsigned char data[100], back[100];
    void         *slow, *host, *stream, *ptr;

    (void)state;
    pattern_fill(data, 100, 1);
    assert_ok(rt.cudaSetDevice(SLOW_DEVICE));
    assert_ok(rt.cudaMalloc(&ptr, 100));
    assert_ok(rt.cudaMalloc(&slow, SLOW_BYTES));
    assert_ok(rt.cudaMallocHost(&host, SLOW_BYTES));
    assert_ok(rt.cudaStreamCreate(&stream));
    assert_ok(rt.cudaMemcpyAsync_ptsz(ptr, data, 100, TO_DEVICE, NULL));
    assert_ok(rt.cudaStreamSynchronize_ptsz(NULL));
    assert_ok(rt.cudaMemcpyAsync(slow, host, SLOW_BYTES, TO_DEVICE, stream));
    assert_ok(rt.cudaMemcpy_ptds(back, ptr, 100, TO_HOST));
    assert_rt(NOT_READY, rt.cudaStreamQuery(stream));
    assert_true(pattern_is(back, 100, 1));
    assert_ok(rt.cudaMemcpy(back, ptr, 100, TO_HOST));
    assert_ok(rt.cudaStreamQuery(stream));
    assert_ok(rt.cudaStreamDestroy(stream));
    assert_ok(rt.cudaFree(slow));
    assert_ok(rt.cudaFreeHost(host));
    assert_ok(rt.cudaFree(ptr));
    assert_ok(rt.cudaSetDevice(0));
}

void events_measure_time(void **state)
{
    void *device, *host, *start, *end;
    float ms = 0;

    (void)state;
    assert_ok(rt.cudaSetDevice(SLOW_DEVICE));
    assert_ok(rt.cudaMalloc(&device, SLOW_BYTES));
    assert_ok(rt.cudaMallocHost(&host, SLOW_BYTES));
    assert_ok(rt.cudaEventCreate(&start));
    assert_ok(rt.cudaEventCreate(&end));
    assert_ok(rt.cudaEventRecord(start, NULL));
    assert_ok(rt.cudaMemcpy(device, host, SLOW_BYTES, TO_DEVICE));
    assert_ok(rt.cudaEventRecord(end, NULL));
    assert_ok(rt.cudaDeviceSynchronize());
    assert_ok(rt.cudaEventElapsedTime(&ms, start, end));
    assert_true(ms >= 190 && ms < 10000); /* 2 MiB at 10 MB/s: 210 ms */
    assert_ok(rt.cudaEventDestroy(start));
    assert_ok(rt.cudaEventDestroy(end));
    assert_ok(rt.cudaFree(device));
    assert_ok(rt.cudaFreeHost(host));
    assert_ok(rt.cudaSetDevice(0));
}

static atomic_int next_place;

static void on_host(void *data)
{
    *(int *)data = atomic_fetch_add(&next_place, 1);
}

static void on_callback(void *stream, int status, void *data)
{
    (void)stream;
    *(int *)data = status ? -2 : atomic_fetch_add(&next_place, 1);
}

void callbacks_run_in_order(void **state)
{
    int   first = -1, second = -1;
    void *stream;

    (void)state;
    assert_ok(rt.cudaStreamCreate(&stream));
    assert_ok(rt.cudaStreamAddCallback(stream, on_callback, &first, 0));
    assert_ok(rt.cudaLaunchHostFunc(stream, on_host, &second));
    assert_ok(rt.cudaStreamSynchronize(stream));
    assert_int_equal(first, 0);
    assert_int_equal(second, 1);
    assert_ok(rt.cudaStreamDestroy(stream));
}

void a_capture_forbids_allocation(void **state)
{
    int   status = -1, mode = 2;
    void *stream, *ptr, *graph;

    (void)state;
    assert_ok(rt.cudaStreamCreate(&stream));
    assert_ok(rt.cudaStreamBeginCapture(stream, 0));
    assert_ok(rt.cudaStreamIsCapturing(stream, &status));
    assert_int_equal(status, 1);
    assert_rt(CAPTURE_IMPLICIT, rt.cudaStreamIsCapturing(NULL, &status));
    assert_ok(rt.cudaThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, 0);
    assert_ok(rt.cudaMalloc(&ptr, 100)); /* relaxed: allowed */
    assert_ok(rt.cudaThreadExchangeStreamCaptureMode(&mode));
    assert_rt(CAPTURE_UNSUPPORTED, rt.cudaMalloc(&graph, 100));
    assert_rt(CAPTURE_INVALIDATED, rt.cudaStreamEndCapture(stream, &graph));
    assert_ok(rt.cudaFree(ptr));
    assert_ok(rt.cudaStreamDestroy(stream));
}

void the_last_error_sticks_until_read(void **state)
{
    int device;

    (void)state;
    rt.cudaGetLastError();
    assert_rt(INVALID_DEVICE, rt.cudaSetDevice(99));
    assert_ok(rt.cudaGetDevice(&device));
    assert_rt(INVALID_DEVICE, rt.cudaPeekAtLastError());
    assert_rt(INVALID_DEVICE, rt.cudaGetLastError());
    assert_ok(rt.cudaGetLastError());
    assert_string_equal(rt.cudaGetErrorName(0), "cudaSuccess");
    assert_string_equal(rt.cudaGetErrorName(1), "cudaErrorInvalidValue");
    assert_string_equal(rt.cudaGetErrorString(1), "invalid argument");
    assert_string_equal(rt.cudaGetErrorString(4711), "unrecognized error code");
}

void version_node_is_the_soname(void **state)
{
    (void)state;
    assert_ptr_equal(dlvsym(rt.library, "cudaMalloc", SONAME),
                     (void *)rt.cudaMalloc);
    assert_null(dlvsym(rt.library, "cudaMalloc", "libcudart.so.10"));
}

/* Exit status: the code of the call, or the number of devices + 200. */
static int role_count(void)
{
    int count = -1;
    int code = rt.cudaGetDeviceCount(&count);

    return code ? code : 200 + count;
}

static int play(const char *role, const char *argument)
{
    if (!strcmp(role, "import"))
        return role_import(argument);
    if (!strcmp(role, "event"))
        return role_event(argument);
    if (!strcmp(role, "lazy"))
        return role_lazy();
    if (!strcmp(role, "start"))
        return role_start();
    if (!strcmp(role, "count"))
        return role_count();
    return 126;
}

/* A test that failed half-way leaves its device behind. */
static int begin(void **state)
{
    (void)state;
    return rt.cudaSetDevice(0);
}

#define LIST(name) cmocka_unit_test_setup(name, begin),

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {CALL_TESTS(LIST) SHARE_TESTS(LIST)};

    if (!role_init())
        return 1;
    if (argc < 2) {
        setenv("HCOMM_EMULATE", "nvidia:3", 1);
        setenv("HCOMM_EMU_LINK", "nvidia:1/h2d=10MB/s", 1);
        unsetenv("HCOMM_EMU_FAULT");
        unsetenv("CUDA_VISIBLE_DEVICES");
    }
    open_library();
    if (argc >= 2)
        return play(argv[1], argc > 2 ? argv[2] : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
