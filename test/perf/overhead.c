/*
 * What MPI_Init and small collectives on host memory cost in this job.  Two
 * ranks; rank 0 prints one "name value" a line.  check_overhead runs it many
 * times, with and without the plugin, and judges.
 *
 *   --driver     initialise libcuda as a program that uses the GPU would,
 *                after MPI_Init and before the collectives are timed
 *   --batches N  batches of each collective on each communicator
 */
#include "test/perf/served_by.h"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Some 50 us: long against the clock, short against the scheduler's slice, so
 * that on a busy machine most batches still run undisturbed. */
enum { CALLS_PER_BATCH = 64, BATCHES = 1000, WARM_UP_BATCHES = 50 };

#define PLUGIN "mca_coll_hcomm.so"

struct options {
    bool driver;
    int  batches;
};

struct driver {
    int      version; /* 13000: CUDA 13.0; 0: not initialised */
    char     device[128];
    uint64_t memory; /* on the device; two doubles of it are used */
    int (*copy_in)(uint64_t device, const void *host, size_t bytes);
    int (*copy_out)(void *host, uint64_t device, size_t bytes);
};

/* Where they lie decides what the plugin must find out: a stack is known for
 * what it is by its address, statics only by asking the driver. */
struct buffers {
    double  mine, sum;
    int64_t value;
};

static struct buffers statics;

typedef void batch_function(MPI_Comm comm, struct buffers *buffers);

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "overhead: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

static void allreduce_batch(MPI_Comm comm, struct buffers *buffers)
{
    int nranks;

    MPI_Comm_size(comm, &nranks);
    buffers->mine = 1.0;
    for (int i = 0; i < CALLS_PER_BATCH; i++)
        MPI_Allreduce(&buffers->mine, &buffers->sum, 1, MPI_DOUBLE, MPI_SUM,
                      comm);
    if (buffers->sum != (double)nranks)
        fail("MPI_Allreduce gave a wrong sum");
}

/* The root changes, so that each call waits for the one before and no rank
 * runs ahead into the transport's queues. */
static void bcast_batch(MPI_Comm comm, struct buffers *buffers)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < CALLS_PER_BATCH; i++) {
        buffers->value = rank == i % 2 ? i : -1;
        MPI_Bcast(&buffers->value, 1, MPI_INT64_T, i % 2, comm);
    }
    if (buffers->value != CALLS_PER_BATCH - 1)
        fail("MPI_Bcast gave a wrong value");
}

static double call_us(batch_function *batch, MPI_Comm comm,
                      struct buffers *buffers)
{
    double start = now_us();

    batch(comm, buffers);
    return (now_us() - start) / CALLS_PER_BATCH;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts. */
static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

/*
 * Time a collective on both communicators, batches in turn (A B B A), and
 * print the medians; "added" is the median of the differences of neighbouring
 * batches, which a drift of the machine's speed does not touch.
 */
static void measure(const char *name, batch_function *batch,
                    struct buffers *buffers, MPI_Comm ours, MPI_Comm plain,
                    int batches, bool print)
{
    double *us = calloc(3 * (size_t)batches, sizeof *us);
    double *ours_us = us, *plain_us = us + batches,
           *added_us = plain_us + batches;

    if (us == NULL)
        fail("out of memory");
    for (int i = -WARM_UP_BATCHES; i < batches; i++) {
        bool   ours_first = i % 2 == 0;
        double first = call_us(batch, ours_first ? ours : plain, buffers);
        double second = call_us(batch, ours_first ? plain : ours, buffers);

        if (i < 0)
            continue;
        ours_us[i] = ours_first ? first : second;
        plain_us[i] = ours_first ? second : first;
        added_us[i] = ours_us[i] - plain_us[i];
    }
    if (print) {
        printf("%s_us %.5f\n", name, median(ours_us, batches));
        printf("%s_added_us %.5f\n", name, median(added_us, batches));
    }
    free(us);
}

/* From when the last rank came to when the last one left: how far apart the
 * launcher started them is not MPI_Init's. */
static double init_ms(double entered_us, double left_us)
{
    double mine[2] = {entered_us, left_us}, last[2];

    MPI_Allreduce(mine, last, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return 1e-3 * (last[1] - last[0]);
}

static void check_driver(int code, const char *what)
{
    char text[128];

    if (code == 0)
        return;
    snprintf(text, sizeof text, "%s: error %d", what, code);
    fail(text);
}

/* ISO C has no cast from void * to a function pointer; the slot is one. */
static void find(void *lib, const char *name, void *slot)
{
    void *symbol = dlsym(lib, name);

    if (symbol == NULL)
        fail(name);
    memcpy(slot, &symbol, sizeof symbol);
}

/* What any program on one GPU does; all of it stays until exit. */
static struct driver initialise_driver(void)
{
    struct driver driver = {0};
    void         *lib = dlopen("libcuda.so.1", RTLD_NOW), *context;
    int           device;
    int (*cuInit)(unsigned flags);
    int (*cuDriverGetVersion)(int *version);
    int (*cuDeviceGet)(int *device, int ordinal);
    int (*cuDeviceGetName)(char *name, int room, int device);
    int (*cuDevicePrimaryCtxRetain)(void **context, int device);
    int (*cuCtxSetCurrent)(void *context);
    int (*cuMemAlloc)(uint64_t * ptr, size_t bytes);

    if (lib == NULL)
        fail(dlerror());
    find(lib, "cuInit", &cuInit);
    find(lib, "cuDriverGetVersion", &cuDriverGetVersion);
    find(lib, "cuDeviceGet", &cuDeviceGet);
    find(lib, "cuDeviceGetName", &cuDeviceGetName);
    find(lib, "cuDevicePrimaryCtxRetain", &cuDevicePrimaryCtxRetain);
    find(lib, "cuCtxSetCurrent", &cuCtxSetCurrent);
    find(lib, "cuMemAlloc_v2", &cuMemAlloc);
    find(lib, "cuMemcpyHtoD_v2", &driver.copy_in);
    find(lib, "cuMemcpyDtoH_v2", &driver.copy_out);

    check_driver(cuInit(0), "cuInit");
    check_driver(cuDriverGetVersion(&driver.version), "cuDriverGetVersion");
    check_driver(cuDeviceGet(&device, 0), "cuDeviceGet of device 0");
    check_driver(cuDeviceGetName(driver.device, sizeof driver.device, device),
                 "cuDeviceGetName");
    check_driver(cuDevicePrimaryCtxRetain(&context, device),
                 "cuDevicePrimaryCtxRetain");
    check_driver(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check_driver(cuMemAlloc(&driver.memory, 1 << 20), "cuMemAlloc of 1 MiB");
    return driver;
}

/* That the plugin takes an interest in this process's buffers: otherwise what
 * was measured is a plugin that looks the other way. */
static void check_device_sum(const struct driver *driver, MPI_Comm comm)
{
    double   one = 1.0, sum = 0.0;
    uint64_t send = driver->memory, recv = send + sizeof one;

    check_driver(driver->copy_in(send, &one, sizeof one), "cuMemcpyHtoD");
    MPI_Allreduce((void *)send, (void *)recv, 1, MPI_DOUBLE, MPI_SUM, comm);
    check_driver(driver->copy_out(&sum, recv, sizeof sum), "cuMemcpyDtoH");
    if (sum != 2.0)
        fail("MPI_Allreduce of device memory gave a wrong sum");
}

/* How many cores this process may run on: 1 when it is bound. */
static int cores_allowed(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

static int has_name(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    (void)bytes;
    return strstr(info->dlpi_name, arg) != NULL;
}

/* Whether this process has loaded a library; name begins with '/'. */
static int loaded(char *name)
{
    return dl_iterate_phdr(has_name, name) != 0;
}

/* A communicator that Open MPI gives to its other components: the key is its
 * own, read when it selects them. */
static MPI_Comm without_plugin(void)
{
    MPI_Info info;
    MPI_Comm comm;

    MPI_Info_create(&info);
    MPI_Info_set(info, "ompi_comm_coll_preference", "^hcomm");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    return comm;
}

static void describe(MPI_Comm ours, MPI_Comm plain, const struct driver *driver)
{
    printf("plugin_loaded %d\n", loaded("/" PLUGIN));
    printf("driver_loaded %d\n", loaded("/libcuda.so"));
    printf("served_by %s\n", served_by(ours));
    printf("plain_served_by %s\n", served_by(plain));
    printf("cores_allowed %d\n", cores_allowed());
    if (driver->version != 0)
        printf("driver CUDA %d.%d on %s\n", driver->version / 1000,
               driver->version % 1000 / 10, driver->device);
}

static struct options parse(int argc, char **argv)
{
    struct options options = {.batches = BATCHES};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--driver") == 0) {
            options.driver = true;
        } else if (strcmp(argv[i], "--batches") == 0 && i + 1 < argc &&
                   atoi(argv[i + 1]) > 0) {
            options.batches = atoi(argv[++i]);
        } else {
            fprintf(stderr, "usage: overhead [--driver] [--batches N]\n");
            exit(2);
        }
    }
    return options;
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    struct driver  driver = {0};
    struct buffers on_stack;
    double         entered_us, left_us, ms;
    MPI_Comm       ours, plain;
    int            rank, nranks;

    entered_us = now_us();
    MPI_Init(&argc, &argv);
    left_us = now_us();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    if (nranks != 2)
        fail("runs on 2 ranks");

    ms = init_ms(entered_us, left_us);
    MPI_Comm_dup(MPI_COMM_WORLD, &ours);
    plain = without_plugin();
    if (options.driver)
        driver = initialise_driver();
    if (rank == 0) {
        printf("init_ms %.4f\n", ms);
        describe(ours, plain, &driver);
    }
    measure("allreduce", allreduce_batch, &on_stack, ours, plain,
            options.batches, rank == 0);
    measure("bcast", bcast_batch, &on_stack, ours, plain, options.batches,
            rank == 0);
    measure("allreduce_static", allreduce_batch, &statics, ours, plain,
            options.batches, rank == 0);
    measure("bcast_static", bcast_batch, &statics, ours, plain, options.batches,
            rank == 0);
    if (options.driver && strcmp(served_by(ours), PLUGIN) == 0)
        check_device_sum(&driver, ours);

    MPI_Comm_free(&plain);
    MPI_Comm_free(&ours);
    MPI_Finalize();
    return 0;
}
