/*
 * Every call of MPI-IO that moves data, on every kind of memory: what is
 * written is looked at without MPI, and so is written what is read.
 *
 *   io DIRECTORY [romio]    without what Open MPI's ROMIO fails at on host
 *                           memory, too: data before the buffer's address, and
 *                           nonblocking collective calls
 *   io DIRECTORY freed      rank 1's buffer is device memory that it has freed
 */
#include "mem.h"
#include "tap.h"
#include "types.h"

#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int      rank, nranks;
static bool     is_romio;
static bool     all_right; /* of what the next line of output is about */
static char     path[PATH_MAX];
static MPI_File file;

/* The forms of a call.  The last two only differ in how they find the place. */
enum form { BLOCKING, COLLECTIVE, STARTED, STARTED_COLLECTIVE, SPLIT, FORMS };
enum place { AT_OFFSET, AT_POINTER, AT_SHARED_POINTER, PLACES };

static const char *const form_names[FORMS] = {
    "", "collective ", "nonblocking ", "nonblocking collective ", "split "};
static const char *const place_names[PLACES] = {
    "at an offset", "at the pointer", "at the shared pointer"};

struct transfer {
    bool         writes;
    enum form    form;
    enum place   place;
    MPI_Offset   offset;
    void        *buffer;
    int          count;
    MPI_Datatype type;
    MPI_Status   status;
};

/* MPI has no such call at the shared pointer. */
static bool exists(enum form form, enum place place)
{
    return form != STARTED_COLLECTIVE ||
           (place != AT_SHARED_POINTER && !is_romio);
}

#define GIVE  t->buffer, t->count, t->type
#define PLACE file, t->offset, GIVE
#define HERE  file, GIVE

static int blocking(struct transfer *t)
{
    MPI_Status *status = &t->status;

    switch (t->place) {
    case AT_OFFSET:
        return t->writes ? MPI_File_write_at(PLACE, status)
                         : MPI_File_read_at(PLACE, status);
    case AT_POINTER:
        return t->writes ? MPI_File_write(HERE, status)
                         : MPI_File_read(HERE, status);
    default:
        return t->writes ? MPI_File_write_shared(HERE, status)
                         : MPI_File_read_shared(HERE, status);
    }
}

static int collective(struct transfer *t)
{
    MPI_Status *status = &t->status;

    switch (t->place) {
    case AT_OFFSET:
        return t->writes ? MPI_File_write_at_all(PLACE, status)
                         : MPI_File_read_at_all(PLACE, status);
    case AT_POINTER:
        return t->writes ? MPI_File_write_all(HERE, status)
                         : MPI_File_read_all(HERE, status);
    default:
        return t->writes ? MPI_File_write_ordered(HERE, status)
                         : MPI_File_read_ordered(HERE, status);
    }
}

static int start(struct transfer *t, MPI_Request *request)
{
    switch (t->place) {
    case AT_OFFSET:
        return t->writes ? MPI_File_iwrite_at(PLACE, request)
                         : MPI_File_iread_at(PLACE, request);
    case AT_POINTER:
        return t->writes ? MPI_File_iwrite(HERE, request)
                         : MPI_File_iread(HERE, request);
    default:
        return t->writes ? MPI_File_iwrite_shared(HERE, request)
                         : MPI_File_iread_shared(HERE, request);
    }
}

static int start_collective(struct transfer *t, MPI_Request *request)
{
    if (t->place == AT_OFFSET)
        return t->writes ? MPI_File_iwrite_at_all(PLACE, request)
                         : MPI_File_iread_at_all(PLACE, request);
    return t->writes ? MPI_File_iwrite_all(HERE, request)
                     : MPI_File_iread_all(HERE, request);
}

static int begin(struct transfer *t)
{
    switch (t->place) {
    case AT_OFFSET:
        return t->writes ? MPI_File_write_at_all_begin(PLACE)
                         : MPI_File_read_at_all_begin(PLACE);
    case AT_POINTER:
        return t->writes ? MPI_File_write_all_begin(HERE)
                         : MPI_File_read_all_begin(HERE);
    default:
        return t->writes ? MPI_File_write_ordered_begin(HERE)
                         : MPI_File_read_ordered_begin(HERE);
    }
}

static int end(struct transfer *t)
{
    MPI_Status *status = &t->status;

    switch (t->place) {
    case AT_OFFSET:
        return t->writes ? MPI_File_write_at_all_end(file, t->buffer, status)
                         : MPI_File_read_at_all_end(file, t->buffer, status);
    case AT_POINTER:
        return t->writes ? MPI_File_write_all_end(file, t->buffer, status)
                         : MPI_File_read_all_end(file, t->buffer, status);
    default:
        return t->writes ? MPI_File_write_ordered_end(file, t->buffer, status)
                         : MPI_File_read_ordered_end(file, t->buffer, status);
    }
}

static int perform(struct transfer *t)
{
    MPI_Request request;
    int         rc = MPI_SUCCESS;

    switch (t->form) {
    case BLOCKING:
        return blocking(t);
    case COLLECTIVE:
        return collective(t);
    case SPLIT:
        rc = begin(t);
        return rc == MPI_SUCCESS ? end(t) : rc;
    case STARTED:
        rc = start(t, &request);
        break;
    default:
        rc = start_collective(t, &request);
        break;
    }
    return rc == MPI_SUCCESS ? MPI_Wait(&request, &t->status) : rc;
}

/* With the shared pointer, ranks without an order of their own take turns. */
static int perform_in_turn(struct transfer *t)
{
    int rc = MPI_SUCCESS;

    if (t->place == AT_POINTER)
        MPI_File_seek(file, t->offset, MPI_SEEK_SET);
    if (t->place != AT_SHARED_POINTER ||
        (t->form != BLOCKING && t->form != STARTED))
        return perform(t);
    for (int turn = 0; turn < nranks; turn++) {
        if (turn == rank)
            rc = perform(t);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return rc;
}

static void fill(struct mem *mem, const struct test_type *type, size_t count,
                 int from)
{
    for (size_t i = 0; i < count; i++)
        type->value(mem->elements + i * type->extent, from, i);
}

/* What a rank's elements are in a file. */
static unsigned char *packed(const struct test_type *type, size_t count,
                             int from, int *bytes_out)
{
    struct mem     host = mem_new(MEM_HOST, count * type->extent);
    unsigned char *bytes;
    int            position = 0;

    fill(&host, type, count, from);
    mem_upload(&host);
    MPI_Pack_size((int)count, type->type, MPI_COMM_WORLD, bytes_out);
    bytes = malloc((size_t)*bytes_out + 1);
    MPI_Pack(host.buffer, (int)count, type->type, bytes, *bytes_out, &position,
             MPI_COMM_WORLD);
    mem_delete(&host);
    return bytes;
}

static void complain(const struct transfer *t, const struct mem *mem,
                     const struct test_type *type, const char *why)
{
    if (all_right)
        printf("# rank %d: %s%s of %d %s %s, %s: %s\n", rank,
               form_names[t->form], t->writes ? "write" : "read", t->count,
               type->name, place_names[t->place], mem_kind_name(mem->kind),
               why);
    all_right = false;
}

static void check_memory(const struct transfer *t, const struct mem *mem,
                         const struct test_type *type)
{
    int  is = 0, should = 0;
    long at = mem_compare(mem, &is, &should);
    char why[128];

    if (at == LONG_MIN)
        return;
    snprintf(why, sizeof why, "byte %ld is %#x, not %#x", at, (unsigned)is,
             (unsigned)should);
    complain(t, mem, type, why);
}

/* rc is of the call; bytes what it should have moved. */
static void check_result(struct transfer *t, int rc, int bytes,
                         const struct mem *mem, const struct test_type *type)
{
    int got = -1;

    MPI_Get_elements(&t->status, MPI_BYTE, &got);
    if (rc != MPI_SUCCESS)
        complain(t, mem, type, "error");
    else if (got != bytes && t->count > 0)
        complain(t, mem, type, "count of the status");
}

/* All ranks' parts, one after the other: ours, through no MPI. */
static void put_part(const unsigned char *bytes, int count)
{
    int fd = open(path, O_WRONLY);

    if (fd < 0 ||
        pwrite(fd, bytes, (size_t)count, (off_t)rank * count) != count)
        perror(path);
    close(fd);
    MPI_Barrier(MPI_COMM_WORLD);
}

static bool part_is(const unsigned char *bytes, int count)
{
    unsigned char *found = malloc((size_t)count + 1);
    int            fd;
    bool           right;

    MPI_Barrier(MPI_COMM_WORLD);
    fd = open(path, O_RDONLY);
    right = fd >= 0 &&
            pread(fd, found, (size_t)count, (off_t)rank * count) == count &&
            memcmp(found, bytes, (size_t)count) == 0;
    close(fd);
    free(found);
    return right;
}

/* With all its pointers at the start. */
static void empty_file(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && truncate(path, 0) != 0)
        perror(path);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void try(enum form form, enum place place, enum mem_kind kind,
                const struct test_type *type, int count)
{
    int             bytes;
    unsigned char  *content = packed(type, (size_t)count, rank, &bytes);
    struct mem      mem = mem_new(kind, (size_t)count * type->extent);
    struct transfer t = {.form = form,
                         .place = place,
                         .offset = (MPI_Offset)rank * bytes,
                         .buffer = mem.buffer,
                         .count = count,
                         .type = type->type};

    mem_upload(&mem);
    empty_file();
    put_part(content, bytes);
    check_result(&t, perform_in_turn(&t), bytes, &mem, type);
    fill(&mem, type, (size_t)count, rank);
    check_memory(&t, &mem, type);

    empty_file();
    t.writes = true;
    check_result(&t, perform_in_turn(&t), bytes, &mem, type);
    check_memory(&t, &mem, type);
    MPI_File_sync(file);
    if (!part_is(content, bytes))
        complain(&t, &mem, type, "content of the file");
    mem_delete(&mem);
    free(content);
}

/* From a file that ends within an element: only what is there changes. */
static void try_short(enum form form, enum place place, enum mem_kind kind,
                      const struct test_type *type, int count)
{
    int             bytes, there;
    unsigned char  *content = packed(type, (size_t)count, 0, &bytes);
    struct mem      mem = mem_new(kind, (size_t)count * type->extent);
    struct transfer t = {.form = form,
                         .place = place,
                         .buffer = mem.buffer,
                         .count = count,
                         .type = type->type};

    mem_upload(&mem);
    there = bytes / 2 + 2;
    empty_file();
    put_part(content, rank == 0 ? there : 0);
    check_result(&t, perform_in_turn(&t), there, &mem, type);
    memcpy(mem.elements, content, (size_t)there);
    check_memory(&t, &mem, type);
    mem_delete(&mem);
    free(content);
}

static void test_kind(enum form form, enum place place, enum mem_kind kind,
                      const struct test_type types[TEST_TYPES])
{
    /* Plain, with gaps, and with data before the buffer's address. */
    static const int chosen[] = {0, 6, 7};

    try(form, place, kind, &types[0], 0);
    for (int i = 0; i < 3; i++)
        if (!is_romio || !types[chosen[i]].is_shifted)
            try(form, place, kind, &types[chosen[i]], 1000);
    try(form, place, rank % 2 ? MEM_HOST : kind, &types[0], 70000);
    /* Open MPI 4.1.4 waits for ever where a nonblocking read is short, on host
     * memory too, and says of a collective one that all came. */
    if (place != AT_SHARED_POINTER && form == BLOCKING)
        try_short(form, place, kind, &types[0], 1000);
}

static void test(enum form form, enum place place,
                 const struct test_type types[TEST_TYPES])
{
    char line[128];

    all_right = true;
    for (enum mem_kind kind = MEM_HOST; kind < MEM_KINDS; kind++)
        if (mem_available(kind, rank))
            test_kind(form, place, kind, types);
    snprintf(line, sizeof line, "%sread and write %s", form_names[form],
             place_names[place]);
    tap_ok(all_right, line);
}

/* An error on rank 1, and of the kind that says so; nobody waits for it, and
 * nothing is written of what it has not. */
static bool fails(enum form form, bool writes, const struct test_type *type)
{
    enum { COUNT = 1000 };
    int             bytes, class = MPI_SUCCESS, rc;
    int             expected = rank == 1 ? MPI_ERR_BUFFER : MPI_SUCCESS;
    unsigned char  *content = packed(type, COUNT, rank, &bytes);
    unsigned char  *zeros = calloc(1, (size_t)bytes);
    struct mem      mem = mem_new(MEM_CUDA, COUNT * type->extent);
    struct transfer t = {.writes = writes,
                         .form = form,
                         .place = AT_OFFSET,
                         .offset = (MPI_Offset)rank * bytes,
                         .buffer = mem.buffer,
                         .count = COUNT,
                         .type = type->type};
    bool            right;

    if (writes)
        fill(&mem, type, COUNT, rank);
    mem_upload(&mem);
    if (rank == 1)
        mem_delete(&mem);
    empty_file();
    put_part(writes ? zeros : content, bytes);
    rc = perform(&t);
    if (rc != MPI_SUCCESS)
        MPI_Error_class(rc, &class);
    if (class != expected)
        printf("# rank %d: %s%s: class %d, not %d\n", rank, form_names[form],
               writes ? "write" : "read", class, expected);
    MPI_File_sync(file);
    right = class == expected &&
            part_is(writes && rank == 1 ? zeros : content, bytes);
    if (rank != 1) {
        fill(&mem, type, COUNT, rank);
        check_memory(&t, &mem, type);
        mem_delete(&mem);
    }
    free(content);
    free(zeros);
    return right;
}

static void test_freed(const struct test_type types[TEST_TYPES])
{
    char line[128];

    tap_plan(2 * FORMS);
    for (enum form form = BLOCKING; form < FORMS; form++) {
        all_right = true;
        all_right = fails(form, false, &types[0]) && all_right;
        snprintf(line, sizeof line, "%sread to freed memory", form_names[form]);
        tap_ok(all_right, line);
        all_right = true;
        all_right = fails(form, true, &types[0]) && all_right;
        snprintf(line, sizeof line, "%swrite of freed memory",
                 form_names[form]);
        tap_ok(all_right, line);
    }
}

static void test_all(const struct test_type types[TEST_TYPES])
{
    tap_plan(is_romio ? (FORMS - 1) * PLACES : FORMS * PLACES - 1);
    for (enum form form = BLOCKING; form < FORMS; form++)
        for (enum place place = AT_OFFSET; place < PLACES; place++)
            if (exists(form, place))
                test(form, place, types);
}

int main(int argc, char **argv)
{
    struct test_type types[TEST_TYPES];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    types_create(types);
    is_romio = argc > 2 && strcmp(argv[2], "romio") == 0;
    snprintf(path, sizeof path, "%s/hcomm_io", argc > 1 ? argv[1] : ".");
    if (!mem_available(MEM_CUDA, rank)) {
        printf("no devices here\n");
        MPI_Abort(MPI_COMM_WORLD, 77);
    }
    if (rank == 0)
        unlink(path);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &file);
    if (argc > 2 && strcmp(argv[2], "freed") == 0)
        test_freed(types);
    else
        test_all(types);
    MPI_File_close(&file);
    if (rank == 0)
        unlink(path);
    types_free(types);
    MPI_Finalize();
    return 0;
}
