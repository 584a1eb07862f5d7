#ifndef HC_TEST_STAGE_ROWS_H
#define HC_TEST_STAGE_ROWS_H

/* Rows to and from memory of any vendor, and the gaps between them. */

#include "config/cfg_param.h"
#include "device/dev_pool.h"
#include "device/dev_stage.h"

#include "test/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ROWS_BYTES = 300000 }; /* of device memory that the checks need */

/* A single row, between device and the stand-in's bytes from offset. */
static inline struct hc_rows one_row(const void *device, size_t bytes)
{
    return (struct hc_rows){.address = (uintptr_t)device,
                            .bytes = bytes,
                            .pitch = bytes,
                            .count = 1};
}

static inline hcomm_status stage_in(struct hc_stage *stage, size_t offset,
                                    const void *device, size_t bytes)
{
    const struct hc_rows one = one_row(device, bytes);

    return bytes > 0 ? hc_stage_in_rows(stage, one.address - offset, &one, 1)
                     : HCOMM_OK;
}

static inline hcomm_status stage_out(struct hc_stage *stage, size_t offset,
                                     void *device, size_t bytes)
{
    const struct hc_rows one = one_row(device, bytes);

    return bytes > 0 ? hc_stage_out_rows(stage, one.address - offset, &one, 1)
                     : HCOMM_OK;
}

static inline void finish_copies(const struct hc_dev_mem *mem,
                                 struct hc_dev_queue     *queue)
{
    struct hc_dev_event *event;

    assert_int_equal(mem->ops->record(queue, &event), HCOMM_OK);
    assert_int_equal(hc_dev_wait(mem, event, NULL), HCOMM_OK);
}

static inline void copy_now(const struct hc_dev_mem *mem, void *dst,
                            const void *src, size_t bytes)
{
    struct hc_dev_queue *queue;

    assert_int_equal(mem->ops->queue(mem, &queue), HCOMM_OK);
    assert_int_equal(hc_dev_copy(mem->ops, queue, dst, src, bytes), HCOMM_OK);
    finish_copies(mem, queue);
}

static inline unsigned char byte_of(size_t i, unsigned seed)
{
    return (unsigned char)(i * 31 + i / 251 + seed);
}

/* Short rows, long ones, such as no chunk of 64 KiB holds, and rows alone. */
static const struct hc_rows some_rows[] = {
    {.address = 1, .bytes = 4, .pitch = 12, .count = 3000},
    {.address = 40000, .bytes = 100, .pitch = 1001, .count = 50},
    {.address = 100000, .bytes = 66000, .pitch = 70000, .count = 2},
    {.address = 270003, .bytes = 5000, .pitch = 5000, .count = 1},
    {.address = 280001, .bytes = 9, .pitch = 10, .count = 1999},
};
enum { SOME_ROWS = sizeof some_rows / sizeof some_rows[0] };

static inline void mark_rows(bool *is_data)
{
    memset(is_data, 0, ROWS_BYTES);
    for (int i = 0; i < SOME_ROWS; i++)
        for (size_t row = 0; row < some_rows[i].count; row++)
            memset(is_data + some_rows[i].address + row * some_rows[i].pitch, 1,
                   some_rows[i].bytes);
}

static inline void check_rows(const unsigned char *found, unsigned data,
                              unsigned gaps)
{
    static bool is_data[ROWS_BYTES];

    mark_rows(is_data);
    for (size_t i = 0; i < ROWS_BYTES; i++) {
        if (found[i] != byte_of(i, is_data[i] ? data : gaps))
            fail_msg("byte %zu is %d, a byte of %s", i, found[i],
                     is_data[i] ? "the data" : "a gap");
    }
}

static inline void fill_bytes(unsigned char *bytes, unsigned seed)
{
    for (size_t i = 0; i < ROWS_BYTES; i++)
        bytes[i] = byte_of(i, seed);
}

/* device is ROWS_BYTES of mem. */
static inline void check_stage_rows(const struct hc_dev_mem *mem, char *device)
{
    static unsigned char bytes[ROWS_BYTES];
    struct hc_rows       sets[SOME_ROWS];
    struct hc_stage      stage;
    uintptr_t            low = (uintptr_t)device;

    memcpy(sets, some_rows, sizeof sets);
    for (int i = 0; i < SOME_ROWS; i++)
        sets[i].address += low;
    fill_bytes(bytes, 1);
    copy_now(mem, device, bytes, ROWS_BYTES);

    assert_int_equal(hc_stage_open(&stage, mem, ROWS_BYTES), HCOMM_OK);
    fill_bytes(stage.host, 2);
    assert_int_equal(hc_stage_in_rows(&stage, low, sets, SOME_ROWS), HCOMM_OK);
    assert_int_equal(hc_stage_wait(&stage, NULL), HCOMM_OK);
    check_rows(stage.host, 1, 2);

    fill_bytes(stage.host, 3);
    assert_int_equal(hc_stage_out_rows(&stage, low, sets, SOME_ROWS), HCOMM_OK);
    assert_int_equal(hc_stage_wait(&stage, NULL), HCOMM_OK);
    hc_stage_close(&stage);
    copy_now(mem, bytes, device, ROWS_BYTES);
    check_rows(bytes, 3, 1);
}

/* The whole in pinned memory, through two chunks, and with none pinned. */
static inline void check_stage_rows_in_every_mode(const struct hc_dev_mem *mem,
                                                  char *device)
{
    static const char *const caps[] = {"8MiB", "150KiB", "0"};

    for (unsigned c = 0; c < sizeof caps / sizeof caps[0]; c++) {
        hc_pool_trim();
        assert_int_equal(
            hc_param_set(HC_PARAM_PINNED_MAX, caps[c], HC_PARAM_MCA), HCOMM_OK);
        check_stage_rows(mem, device);
    }
    assert_int_equal(hc_param_set(HC_PARAM_PINNED_MAX, "8MiB", HC_PARAM_MCA),
                     HCOMM_OK);
}

/* Pitches differ from side to side, and may be more than a driver takes. */
static inline void check_far_rows(const struct hc_dev_mem *mem, char *device)
{
    const size_t         far = (size_t)INT32_MAX + 1, row = 100, near = 256;
    unsigned char        back[600], *host;
    struct hc_dev_queue *queue;

    host = mmap(NULL, far + row, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(host != MAP_FAILED);
    memset(back, 0xee, sizeof back);
    copy_now(mem, device, back, sizeof back);
    memset(host, 1, row);
    memset(host + far, 2, row);
    {
        const struct hc_dev_rows out = {device, host, row, near, far, 2};

        assert_int_equal(mem->ops->queue(mem, &queue), HCOMM_OK);
        assert_int_equal(mem->ops->copy_rows(queue, &out, 1), HCOMM_OK);
        finish_copies(mem, queue);
    }
    copy_now(mem, back, device, sizeof back);
    for (size_t i = 0; i < sizeof back; i++)
        assert_int_equal(
            back[i], i % near >= row || i >= 2 * near ? 0xee : 1 + i / near);
    munmap(host, far + row);
}

#endif
