#include "test/unit/emulator_cuda.h"

/* Injected failures and stalls. */

static void fail_second_alloc(void)
{
    hc_cu_ptr p;

    open_device();
    OK(cuMemAlloc_v2(&p, 64));
    EXPECT(HC_CU_OUT_OF_MEMORY, cuMemAlloc_v2(&p, 64));
    OK(cuMemAlloc_v2(&p, 64));
}

static void fail_from_the_second_alloc_on(void)
{
    hc_cu_ptr p;

    open_device();
    OK(cuMemAlloc_v2(&p, 64));
    for (int i = 0; i < 5; i++)
        EXPECT(HC_CU_OUT_OF_MEMORY, cuMemAlloc_v2(&p, 64));
}

static void fail_every_export(void)
{
    struct hc_cu_ipc_mem_handle handle;
    hc_cu_ptr                   p;

    open_device();
    OK(cuMemAlloc_v2(&p, 64));
    for (int i = 0; i < 3; i++)
        EXPECT(HC_CU_UNKNOWN, cuIpcGetMemHandle(&handle, p));
}

static void fail_nothing(void)
{
    hc_cu_ptr p;

    open_device();
    for (int i = 0; i < 5; i++)
        OK(cuMemAlloc_v2(&p, 64));
}

static void fail_init(void)
{
    open_library();
    EXPECT(HC_CU_UNKNOWN, cuInit(0));
    OK(cuInit(0));
}

static void faults_strike_the_calls_they_name(void **state)
{
    (void)state;
    run_scene(fail_second_alloc, "HCOMM_EMU_FAULT=cuMemAlloc@2=2", NULL);
    run_scene(fail_second_alloc,
              "HCOMM_EMU_FAULT=cudaMalloc@1=2, hipMalloc@1=2,cuMemAlloc_v2@2=2",
              NULL);
    run_scene(fail_from_the_second_alloc_on, "HCOMM_EMU_FAULT=cuMemAlloc@2+=2",
              NULL);
    run_scene(fail_every_export, "HCOMM_EMU_FAULT=cuIpcGetMemHandle@*=999",
              NULL);
    run_scene(fail_init, "HCOMM_EMU_FAULT=cuInit@1=999", NULL);
}

static void faults_may_be_meant_for_one_rank(void **state)
{
    const char *fault = "HCOMM_EMU_FAULT=1:cuMemAlloc@2=2";

    (void)state;
    run_scene(fail_second_alloc, fault, "OMPI_COMM_WORLD_RANK=1", NULL);
    run_scene(fail_nothing, fault, "OMPI_COMM_WORLD_RANK=0", NULL);
    run_scene(fail_nothing, fault, "OMPI_COMM_WORLD_RANK=11", NULL);
    run_scene(fail_nothing, fault, "OMPI_COMM_WORLD_RANK", NULL);
}

/* The call does nothing, so the data is the old one. */
static void fail_a_copy_call(void)
{
    struct hc_cu_stream *stream;
    char                 old[64], new[64], got[64];
    hc_cu_ptr            p;

    open_device();
    fill_pattern(old, sizeof old, 1);
    fill_pattern(new, sizeof new, 2);
    OK(cuStreamCreate(&stream, 0));
    OK(cuMemAlloc_v2(&p, sizeof old));
    OK(cuMemcpyAsync(p, (uintptr_t)old, sizeof old, stream));
    EXPECT(HC_CU_ILLEGAL_ADDRESS,
           cuMemcpyAsync(p, (uintptr_t) new, sizeof new, stream));
    OK(cuMemcpyDtoH_v2(got, p, sizeof got));
    CHECK(has_pattern(got, sizeof got, 1));
}

static void an_injected_call_does_nothing(void **state)
{
    (void)state;
    run_scene(fail_a_copy_call, "HCOMM_EMU_FAULT=cuMemcpyAsync@2=700", NULL);
}

/* A failure on the device comes later, and stays. */
static void fail_on_the_device(void)
{
    struct hc_cu_stream *stream;
    hc_cu_ptr            p, other;
    void                *pinned;

    open_device();
    OK(cuStreamCreate(&stream, HC_CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc_v2(&p, MB));
    OK(cuMemHostAlloc(&pinned, MB, 0));
    OK(cuMemcpyHtoDAsync_v2(p, pinned, MB, stream));
    OK(cuMemcpyHtoDAsync_v2(p, pinned, MB, stream));
    EXPECT(HC_CU_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
    EXPECT(HC_CU_ILLEGAL_ADDRESS, cuStreamQuery(stream));
    EXPECT(HC_CU_ILLEGAL_ADDRESS, cuMemAlloc_v2(&other, 64));
    EXPECT(HC_CU_ILLEGAL_ADDRESS, cuMemcpyHtoD_v2(p, pinned, 64));
    EXPECT(HC_CU_ILLEGAL_ADDRESS, cuCtxSynchronize());
    OK(cuDevicePrimaryCtxReset_v2(0)); /* the way out */
}

static void a_device_failure_is_sticky(void **state)
{
    (void)state;
    run_scene(fail_on_the_device, "HCOMM_EMU_FAULT=copy@2=700", NULL);
}

static void stall_a_copy(struct hc_cu_stream *stream)
{
    hc_cu_ptr p;
    void     *pinned;

    OK(cuMemAlloc_v2(&p, MB));
    OK(cuMemHostAlloc(&pinned, MB, 0));
    OK(cuMemcpyHtoDAsync_v2(p, pinned, MB, stream));
}

static void stall_one_stream(void)
{
    struct hc_cu_stream *stalled, *other;
    struct hc_cu_event  *event;

    open_device();
    OK(cuStreamCreate(&stalled, HC_CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&other, HC_CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, HC_CU_EVENT_DISABLE_TIMING));
    stall_a_copy(stalled);
    OK(cuEventRecord(event, stalled));
    stall_a_copy(other); /* the second copy: it completes */
    OK(cuStreamSynchronize(other));
    usleep(50000);
    EXPECT(HC_CU_NOT_READY, cuStreamQuery(stalled));
    EXPECT(HC_CU_NOT_READY, cuEventQuery(event));
    /* and the process exits */
}

static void stall_and_destroy(void)
{
    struct hc_cu_stream  *stream;
    struct hc_cu_context *context;

    open_device();
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuStreamCreate(&stream, 0));
    stall_a_copy(stream);
    EXPECT(HC_CU_NOT_READY, cuStreamQuery(stream));
    OK(cuCtxDestroy_v2(context));
    OK(cuCtxSynchronize()); /* of the primary one */
}

static void a_stalled_copy_never_completes(void **state)
{
    (void)state;
    run_scene(stall_one_stream, "HCOMM_EMU_FAULT=copy@1=stall", NULL);
    run_scene(stall_and_destroy, "HCOMM_EMU_FAULT=copy@*=stall", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_strike_the_calls_they_name),
        cmocka_unit_test(faults_may_be_meant_for_one_rank),
        cmocka_unit_test(an_injected_call_does_nothing),
        cmocka_unit_test(a_device_failure_is_sticky),
        cmocka_unit_test(a_stalled_copy_never_completes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
