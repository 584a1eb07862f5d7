#include "device/dev_rows.h"

#include "test/unit/unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16, PIECES = 3000 };

/* How often each byte was added less how often it was taken. */
static int map[ROOM];

static int taken; /* sets */

static hcomm_status take(void *context, const struct hc_rows *sets, int nsets)
{
    struct hc_rows *last = context;

    assert_true(nsets >= 1 && nsets <= HC_ROWS_SETS);
    for (int i = 0; i < nsets; i++) {
        const struct hc_rows *set = &sets[i];

        assert_true(set->bytes > 0 && set->count > 0);
        assert_true(set->pitch >= set->bytes);
        for (size_t row = 0; row < set->count; row++)
            for (size_t at = 0; at < set->bytes; at++)
                map[set->address + row * set->pitch + at]--;
        *last = *set;
    }
    taken += nsets;
    return HCOMM_OK;
}

static struct hc_rows last;

static struct hc_rows_list empty_list(void)
{
    taken = 0;
    return (struct hc_rows_list){.take = take, .context = &last};
}

static void add(struct hc_rows_list *list, size_t address, size_t bytes)
{
    assert_true(address + bytes <= ROOM);
    for (size_t at = 0; at < bytes; at++)
        map[address + at]++;
    assert_int_equal(hc_rows_add(list, address, bytes), HCOMM_OK);
}

static void finish(struct hc_rows_list *list)
{
    assert_int_equal(hc_rows_finish(list), HCOMM_OK);
    for (int i = 0; i < ROOM; i++)
        assert_int_equal(map[i], 0);
}

static void a_vector_is_one_set(void **state)
{
    struct hc_rows_list list = empty_list();

    (void)state;
    for (size_t i = 0; i < 5000; i++)
        add(&list, 100 + 12 * i, 4);
    finish(&list);
    assert_int_equal(taken, 1);
    assert_int_equal(last.address, 100);
    assert_int_equal(last.bytes, 4);
    assert_int_equal(last.pitch, 12);
    assert_int_equal(last.count, 5000);
}

static void pieces_side_by_side_are_one_row(void **state)
{
    struct hc_rows_list list = empty_list();

    (void)state;
    for (size_t i = 0; i < 100; i++) {
        add(&list, 64 * i, 16);
        add(&list, 64 * i + 16, 8);
        add(&list, 64 * i + 24, 0);
    }
    finish(&list);
    assert_int_equal(taken, 1);
    assert_int_equal(last.bytes, 24);
    assert_int_equal(last.count, 100);
}

static void what_has_no_gaps_is_one_row(void **state)
{
    struct hc_rows_list list = empty_list();

    (void)state;
    for (size_t i = 0; i < 1000; i++)
        add(&list, 7 * i, 7);
    finish(&list);
    assert_int_equal(taken, 1);
    assert_int_equal(last.bytes, 7000);
    assert_int_equal(last.count, 1);
}

static void fields_of_unlike_length_are_a_set_each(void **state)
{
    struct hc_rows_list list = empty_list();

    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        add(&list, 48 * i, 4);
        add(&list, 48 * i + 8, 8);
        add(&list, 48 * i + 24, 12);
    }
    finish(&list);
    assert_int_equal(taken, 3);
    assert_int_equal(last.count, 1000);
}

static void rows_backwards_are_rows_alone(void **state)
{
    struct hc_rows_list list = empty_list();

    (void)state;
    for (size_t i = 100; i > 0; i--)
        add(&list, 16 * i, 4);
    finish(&list);
    assert_int_equal(taken, 100);
}

/* Lengths and distances from few values, so that rows occur and end. */
static void random_pieces_lose_no_byte(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 200; round++) {
        struct hc_rows_list list = empty_list();
        size_t              address = 0, kinds = 1 + (size_t)rand() % 4;

        for (int i = 0; i < PIECES; i++) {
            size_t bytes = 4 * ((size_t)rand() % (kinds + 1));
            size_t gap = 8 * ((size_t)rand() % kinds);

            if (rand() % 50 == 0 || address + 100 > ROOM)
                address = (size_t)rand() % (ROOM / 2);
            add(&list, address, bytes);
            address += bytes + gap;
        }
        finish(&list);
        assert_true(taken > 0);
    }
}

static int failures;

static hcomm_status fail_once(void *context, const struct hc_rows *sets,
                              int nsets)
{
    (void)context;
    (void)sets;
    (void)nsets;
    return failures++ == 0 ? HCOMM_ERR_DEVICE : HCOMM_OK;
}

static void a_failure_is_handed_on(void **state)
{
    struct hc_rows_list list = {.take = fail_once};
    hcomm_status        status = HCOMM_OK;
    size_t              added = 0;

    (void)state;
    for (; status == HCOMM_OK && added < 1000; added++)
        status = hc_rows_add(&list, 10 * added * added, 1 + added);
    assert_int_equal(status, HCOMM_ERR_DEVICE);
    assert_int_equal(added, HC_ROWS_SETS + 2); /* one waits to grow */

    failures = 0;
    assert_int_equal(hc_rows_finish(&list), HCOMM_ERR_DEVICE);
    assert_int_equal(hc_rows_finish(&list), HCOMM_OK); /* nothing is left */
    assert_int_equal(failures, 1);
}

static void cuts_are_whole_rows_or_part_of_one(void **state)
{
    (void)state;
    srand(2);
    for (int round = 0; round < 2000; round++) {
        const struct hc_rows all = {
            .address = 5,
            .bytes = 1 + (size_t)rand() % 20,
            .pitch = 20 + (size_t)rand() % 20,
            .count = 1 + (size_t)rand() % 20,
        };
        struct hc_rows rest = all, front = {0};
        size_t         room, moved = 0;

        while (rest.count > 0) {
            bool is_only = rest.count == 1;

            room = (size_t)rand() % 50;
            front = hc_rows_cut(&rest, room);
            assert_true(front.count * front.bytes <= room);
            if (front.count == 0)
                assert_true(rest.bytes > room);
            else if (!is_only)
                assert_int_equal(front.bytes, all.bytes);
            if (front.count > 0)
                (void)take(&last, &front, 1);
            moved += front.count * front.bytes;
        }
        assert_int_equal(moved, all.count * all.bytes);
        for (size_t row = 0; row < all.count; row++)
            for (size_t at = 0; at < all.bytes; at++)
                map[all.address + row * all.pitch + at]++;
        for (int i = 0; i < 1000; i++)
            assert_int_equal(map[i], 0);
    }
}

static void packing_leaves_gaps_alone(void **state)
{
    unsigned char  memory[40], packed[12];
    struct hc_rows rows = {(uintptr_t)memory + 2, 3, 10, 4};

    (void)state;
    for (unsigned i = 0; i < sizeof memory; i++)
        memory[i] = (unsigned char)i;
    hc_rows_pack(&rows, packed);
    for (unsigned i = 0; i < sizeof packed; i++)
        assert_int_equal(packed[i], 2 + i / 3 * 10 + i % 3);
    memset(memory, 0xee, sizeof memory);
    hc_rows_unpack(&rows, packed);
    for (unsigned i = 0; i < sizeof memory; i++)
        assert_int_equal(memory[i], i % 10 >= 2 && i % 10 < 5 ? i : 0xee);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vector_is_one_set),
        cmocka_unit_test(pieces_side_by_side_are_one_row),
        cmocka_unit_test(what_has_no_gaps_is_one_row),
        cmocka_unit_test(fields_of_unlike_length_are_a_set_each),
        cmocka_unit_test(rows_backwards_are_rows_alone),
        cmocka_unit_test(random_pieces_lose_no_byte),
        cmocka_unit_test(a_failure_is_handed_on),
        cmocka_unit_test(cuts_are_whole_rows_or_part_of_one),
        cmocka_unit_test(packing_leaves_gaps_alone),
    };

    return cmocka_run_group_tests_name("device_rows", tests, NULL, NULL);
}
