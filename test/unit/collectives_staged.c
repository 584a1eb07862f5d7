#include "collectives/staged.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_range(const struct hc_staged_range *range,
                         enum hc_staged_side side, size_t first, size_t count)
{
    assert_int_equal(range->count, count);
    if (count > 0) {
        assert_int_equal(range->side, side);
        assert_int_equal(range->first, first);
    }
}

static void assert_elements(const struct hc_staged_plan *plan, size_t send,
                            size_t recv)
{
    assert_int_equal(plan->elements[HC_STAGED_SEND], send);
    assert_int_equal(plan->elements[HC_STAGED_RECV], recv);
}

static struct hc_staged_plan plan_of(enum hc_staged_call call, int rank,
                                     int root, bool in_place)
{
    struct hc_staged_args args = {
        .call = call,
        .rank = rank,
        .nranks = 5,
        .root = root,
        .in_place = in_place,
        .send_count = 14,
        .recv_count = 7,
    };

    return hc_staged_plan(&args);
}

static void allreduce_reads_send_and_writes_recv(void **state)
{
    struct hc_staged_plan plan = plan_of(HC_STAGED_ALLREDUCE, 3, 0, false);

    (void)state;
    assert_elements(&plan, 7, 7);
    assert_range(&plan.input, HC_STAGED_SEND, 0, 7);
    assert_range(&plan.output, HC_STAGED_RECV, 0, 7);
}

static void allreduce_in_place_never_looks_at_send(void **state)
{
    struct hc_staged_plan plan = plan_of(HC_STAGED_ALLREDUCE, 3, 0, true);

    (void)state;
    assert_elements(&plan, 0, 7);
    assert_range(&plan.input, HC_STAGED_RECV, 0, 7);
    assert_range(&plan.output, HC_STAGED_RECV, 0, 7);
}

static void reduce_never_looks_at_recv_where_not_root(void **state)
{
    (void)state;
    for (int rank = 0; rank < 5; rank++) {
        struct hc_staged_plan plan = plan_of(HC_STAGED_REDUCE, rank, 2, false);
        size_t                out = rank == 2 ? 7 : 0;

        assert_elements(&plan, 7, out);
        assert_range(&plan.input, HC_STAGED_SEND, 0, 7);
        assert_range(&plan.output, HC_STAGED_RECV, 0, out);
    }
}

static void reduce_in_place_at_root_reads_recv(void **state)
{
    struct hc_staged_plan plan = plan_of(HC_STAGED_REDUCE, 2, 2, true);

    (void)state;
    assert_elements(&plan, 0, 7);
    assert_range(&plan.input, HC_STAGED_RECV, 0, 7);
    assert_range(&plan.output, HC_STAGED_RECV, 0, 7);
}

static void bcast_reads_at_root_and_writes_elsewhere(void **state)
{
    (void)state;
    for (int rank = 0; rank < 5; rank++) {
        struct hc_staged_plan plan = plan_of(HC_STAGED_BCAST, rank, 4, false);

        assert_elements(&plan, 0, 7);
        assert_range(&plan.input, HC_STAGED_RECV, 0, rank == 4 ? 7 : 0);
        assert_range(&plan.output, HC_STAGED_RECV, 0, rank == 4 ? 0 : 7);
    }
}

/* The two sides may have different types: 14 of one against 7 of another. */
static void allgather_writes_a_block_per_rank(void **state)
{
    struct hc_staged_plan plan = plan_of(HC_STAGED_ALLGATHER, 3, 0, false);

    (void)state;
    assert_elements(&plan, 14, 35);
    assert_range(&plan.input, HC_STAGED_SEND, 0, 14);
    assert_range(&plan.output, HC_STAGED_RECV, 0, 35);
}

static void allgather_in_place_reads_its_own_block(void **state)
{
    struct hc_staged_plan plan = plan_of(HC_STAGED_ALLGATHER, 3, 0, true);

    (void)state;
    assert_elements(&plan, 0, 35);
    assert_range(&plan.input, HC_STAGED_RECV, 21, 7);
    assert_range(&plan.output, HC_STAGED_RECV, 0, 35);
}

static void allgather_does_not_overflow_an_int(void **state)
{
    struct hc_staged_args args = {
        .call = HC_STAGED_ALLGATHER,
        .rank = 3,
        .nranks = 4,
        .in_place = true,
        .recv_count = INT32_MAX,
    };
    struct hc_staged_plan plan = hc_staged_plan(&args);

    (void)state;
    assert_range(&plan.input, HC_STAGED_RECV, (size_t)3 * INT32_MAX, INT32_MAX);
    assert_range(&plan.output, HC_STAGED_RECV, 0, (size_t)4 * INT32_MAX);
}

static void barrier_moves_nothing(void **state)
{
    struct hc_staged_plan plan = plan_of(HC_STAGED_BARRIER, 0, 0, false);

    (void)state;
    assert_elements(&plan, 0, 0);
    assert_range(&plan.input, HC_STAGED_SEND, 0, 0);
    assert_range(&plan.output, HC_STAGED_SEND, 0, 0);
}

static void no_elements_means_no_look_at_any_buffer(void **state)
{
    (void)state;
    for (int call = HC_STAGED_ALLREDUCE; call <= HC_STAGED_BARRIER; call++) {
        struct hc_staged_args args = {.call = (enum hc_staged_call)call,
                                      .nranks = 3};
        struct hc_staged_plan plan = hc_staged_plan(&args);

        assert_elements(&plan, 0, 0);
        assert_range(&plan.input, HC_STAGED_SEND, 0, 0);
        assert_range(&plan.output, HC_STAGED_SEND, 0, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allreduce_reads_send_and_writes_recv),
        cmocka_unit_test(allreduce_in_place_never_looks_at_send),
        cmocka_unit_test(reduce_never_looks_at_recv_where_not_root),
        cmocka_unit_test(reduce_in_place_at_root_reads_recv),
        cmocka_unit_test(bcast_reads_at_root_and_writes_elsewhere),
        cmocka_unit_test(allgather_writes_a_block_per_rank),
        cmocka_unit_test(allgather_in_place_reads_its_own_block),
        cmocka_unit_test(allgather_does_not_overflow_an_int),
        cmocka_unit_test(barrier_moves_nothing),
        cmocka_unit_test(no_elements_means_no_look_at_any_buffer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
