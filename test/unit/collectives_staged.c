#include "collectives/staged.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { RANK = 3, PEERS = 5, SENT = 14, RECEIVED = 7 };

/* What a plan says, in a row: {first, nblocks, count}, nblocks 0 for nothing.
 */
struct expected {
    struct hc_staged_range send, recv, written;
};

static const struct hc_staged_range own = {RANK, 1, RECEIVED};
static const struct hc_staged_range sent_one = {0, 1, SENT};
static const struct hc_staged_range received_one = {0, 1, RECEIVED};
static const struct hc_staged_range sent_all = {0, PEERS, SENT};
static const struct hc_staged_range received_all = {0, PEERS, RECEIVED};
static const struct hc_staged_range nothing;

static struct hc_staged_args args_of(enum hc_staged_call call,
                                     enum hc_staged_role role, bool in_place)
{
    return (struct hc_staged_args){
        .call = call,
        .role = role,
        .in_place = in_place,
        .rank = RANK,
        .npeers = PEERS,
        .nsources = 2,
        .ndestinations = 4,
        .send_count = SENT,
        .recv_count = RECEIVED,
    };
}

static void assert_range(struct hc_staged_range is,
                         struct hc_staged_range should)
{
    assert_int_equal(is.nblocks, should.nblocks);
    if (should.nblocks > 0) {
        assert_int_equal(is.first, should.first);
        assert_int_equal(is.count, should.count);
    }
}

static void assert_plan(const struct hc_staged_args *args,
                        struct hc_staged_range       send,
                        struct hc_staged_range       recv,
                        struct hc_staged_range       written)
{
    struct hc_staged_plan plan = hc_staged_plan(args);

    assert_range(plan.reads[HC_STAGED_SEND], send);
    assert_range(plan.reads[HC_STAGED_RECV], recv);
    assert_range(plan.writes, written);
}

static void assert_call(enum hc_staged_call call, enum hc_staged_role role,
                        bool in_place, struct expected should)
{
    struct hc_staged_args args = args_of(call, role, in_place);

    assert_plan(&args, should.send, should.recv, should.written);
}

static void vectors_come_from_send_or_in_place_from_recv(void **state)
{
    static const enum hc_staged_call calls[] = {
        HC_STAGED_ALLREDUCE, HC_STAGED_SCAN, HC_STAGED_EXSCAN};

    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        assert_call(calls[i], HC_STAGED_LEAF, false,
                    (struct expected){received_one, nothing, received_one});
        assert_call(calls[i], HC_STAGED_LEAF, true,
                    (struct expected){nothing, received_one, received_one});
    }
}

static void exscan_leaves_rank_0_alone(void **state)
{
    struct hc_staged_args args =
        args_of(HC_STAGED_EXSCAN, HC_STAGED_LEAF, false);

    (void)state;
    args.rank = 0;
    assert_plan(&args, received_one, nothing, nothing);
}

static void reduce_never_looks_at_recv_where_not_root(void **state)
{
    (void)state;
    assert_call(HC_STAGED_REDUCE, HC_STAGED_LEAF, false,
                (struct expected){received_one, nothing, nothing});
    assert_call(HC_STAGED_REDUCE, HC_STAGED_ROOT, false,
                (struct expected){received_one, nothing, received_one});
    assert_call(HC_STAGED_REDUCE, HC_STAGED_ROOT, true,
                (struct expected){nothing, received_one, received_one});
}

static void bcast_reads_at_root_and_writes_elsewhere(void **state)
{
    (void)state;
    assert_call(HC_STAGED_BCAST, HC_STAGED_ROOT, false,
                (struct expected){nothing, received_one, nothing});
    assert_call(HC_STAGED_BCAST, HC_STAGED_LEAF, false,
                (struct expected){nothing, nothing, received_one});
}

static void gather_in_place_reads_the_roots_own_block(void **state)
{
    (void)state;
    assert_call(HC_STAGED_GATHER, HC_STAGED_LEAF, false,
                (struct expected){sent_one, nothing, nothing});
    assert_call(HC_STAGED_GATHER, HC_STAGED_ROOT, false,
                (struct expected){sent_one, nothing, received_all});
    assert_call(HC_STAGED_GATHER, HC_STAGED_ROOT, true,
                (struct expected){nothing, own, received_all});
}

static void scatter_in_place_writes_nothing_at_root(void **state)
{
    (void)state;
    assert_call(HC_STAGED_SCATTER, HC_STAGED_LEAF, false,
                (struct expected){nothing, nothing, received_one});
    assert_call(HC_STAGED_SCATTER, HC_STAGED_ROOT, false,
                (struct expected){sent_all, nothing, received_one});
    assert_call(HC_STAGED_SCATTER, HC_STAGED_ROOT, true,
                (struct expected){sent_all, nothing, nothing});
}

static void allgather_in_place_reads_its_own_block_only(void **state)
{
    (void)state;
    assert_call(HC_STAGED_ALLGATHER, HC_STAGED_LEAF, false,
                (struct expected){sent_one, nothing, received_all});
    assert_call(HC_STAGED_ALLGATHER, HC_STAGED_LEAF, true,
                (struct expected){nothing, own, received_all});
}

static void alltoall_in_place_reads_every_block(void **state)
{
    (void)state;
    assert_call(HC_STAGED_ALLTOALL, HC_STAGED_LEAF, false,
                (struct expected){sent_all, nothing, received_all});
    assert_call(HC_STAGED_ALLTOALL, HC_STAGED_LEAF, true,
                (struct expected){nothing, received_all, received_all});
}

static void reduce_scatter_reads_the_vector_and_writes_its_share(void **state)
{
    (void)state;
    assert_call(HC_STAGED_REDUCE_SCATTER, HC_STAGED_LEAF, false,
                (struct expected){sent_one, nothing, received_one});
    assert_call(HC_STAGED_REDUCE_SCATTER, HC_STAGED_LEAF, true,
                (struct expected){nothing, sent_one, received_one});
}

static void reduce_local_reads_both(void **state)
{
    (void)state;
    assert_call(HC_STAGED_REDUCE_LOCAL, HC_STAGED_LEAF, false,
                (struct expected){received_one, received_one, received_one});
}

static void neighbors_count_for_themselves(void **state)
{
    (void)state;
    assert_call(HC_STAGED_NEIGHBOR_ALLGATHER, HC_STAGED_LEAF, false,
                (struct expected){sent_one, nothing, {0, 2, RECEIVED}});
    assert_call(HC_STAGED_NEIGHBOR_ALLTOALL, HC_STAGED_LEAF, false,
                (struct expected){{0, 4, SENT}, nothing, {0, 2, RECEIVED}});
}

static void blocks_of_absent_neighbors_are_known_before(void **state)
{
    struct hc_staged_args args =
        args_of(HC_STAGED_NEIGHBOR_ALLGATHER, HC_STAGED_LEAF, false);
    const struct hc_staged_range received = {0, 2, RECEIVED};

    (void)state;
    args.has_holes = true;
    assert_plan(&args, sent_one, received, received);
}

static void send_is_not_read_without_destinations(void **state)
{
    struct hc_staged_args args =
        args_of(HC_STAGED_NEIGHBOR_ALLGATHER, HC_STAGED_LEAF, false);

    (void)state;
    args.ndestinations = 0;
    assert_plan(&args, nothing, nothing,
                (struct hc_staged_range){0, 2, RECEIVED});
}

/* Between groups a root only gives or only takes, and its fellows stand by. */
static void between_groups_a_root_moves_nothing_of_its_own(void **state)
{
    static const struct {
        enum hc_staged_call call;
        enum hc_staged_role role;
        struct expected     should;
    } rows[] = {
        {HC_STAGED_REDUCE, HC_STAGED_ROOT, {{0}, {0}, {0, 1, RECEIVED}}},
        {HC_STAGED_REDUCE, HC_STAGED_LEAF, {{0, 1, RECEIVED}, {0}, {0}}},
        {HC_STAGED_GATHER, HC_STAGED_ROOT, {{0}, {0}, {0, PEERS, RECEIVED}}},
        {HC_STAGED_SCATTER, HC_STAGED_ROOT, {{0, PEERS, SENT}, {0}, {0}}},
        {HC_STAGED_SCATTER, HC_STAGED_LEAF, {{0}, {0}, {0, 1, RECEIVED}}},
        {HC_STAGED_BCAST, HC_STAGED_BYSTANDER, {{0}, {0}, {0}}},
        {HC_STAGED_REDUCE, HC_STAGED_BYSTANDER, {{0}, {0}, {0}}},
        {HC_STAGED_GATHER, HC_STAGED_BYSTANDER, {{0}, {0}, {0}}},
        {HC_STAGED_SCATTER, HC_STAGED_BYSTANDER, {{0}, {0}, {0}}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hc_staged_args args = args_of(rows[i].call, rows[i].role, false);

        args.inter = true;
        assert_plan(&args, rows[i].should.send, rows[i].should.recv,
                    rows[i].should.written);
    }
}

static void one_message_has_one_side(void **state)
{
    (void)state;
    assert_call(HC_STAGED_SEND_ONE, HC_STAGED_LEAF, false,
                (struct expected){sent_one, nothing, nothing});
    assert_call(HC_STAGED_RECV_ONE, HC_STAGED_LEAF, false,
                (struct expected){nothing, nothing, received_one});
    assert_call(HC_STAGED_BARRIER, HC_STAGED_LEAF, false,
                (struct expected){nothing, nothing, nothing});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_come_from_send_or_in_place_from_recv),
        cmocka_unit_test(exscan_leaves_rank_0_alone),
        cmocka_unit_test(reduce_never_looks_at_recv_where_not_root),
        cmocka_unit_test(bcast_reads_at_root_and_writes_elsewhere),
        cmocka_unit_test(gather_in_place_reads_the_roots_own_block),
        cmocka_unit_test(scatter_in_place_writes_nothing_at_root),
        cmocka_unit_test(allgather_in_place_reads_its_own_block_only),
        cmocka_unit_test(alltoall_in_place_reads_every_block),
        cmocka_unit_test(reduce_scatter_reads_the_vector_and_writes_its_share),
        cmocka_unit_test(reduce_local_reads_both),
        cmocka_unit_test(neighbors_count_for_themselves),
        cmocka_unit_test(blocks_of_absent_neighbors_are_known_before),
        cmocka_unit_test(send_is_not_read_without_destinations),
        cmocka_unit_test(between_groups_a_root_moves_nothing_of_its_own),
        cmocka_unit_test(one_message_has_one_side),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
