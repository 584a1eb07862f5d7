/*
 * Data-parallel training on handwritten digits: every rank computes the
 * gradient of its share of a batch, the gradients are summed over the ranks,
 * and every rank makes the same step.
 *
 *     mpirun -n 4 ./train_digits --memory host|device DIGITS.csv
 *     ./train_digits --devices      lists the GPUs it would use
 *
 * With "device" the weights, the gradients and the statistics live in GPU
 * memory, and MPI is given their device addresses.  The result is the same to
 * the last bit for both kinds of memory and any number of ranks (on one kind
 * of machine), because every sum is exact: see network.h.
 *
 * Exits 0; 1 when the network is right on less than 95 % of the digits that it
 * was not trained on; 2 when the arguments, the file or the device are no good.
 */
#include "examples/digits.h"
#include "examples/gpu.h"
#include "examples/network.h"

#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BATCH = 32, /* digits a step, over all ranks */
    EPOCHS = 16,
    HELD_OUT = 5,    /* every fifth digit is for the test: 360 of 1797 */
    SUM_LIMIT = 128, /* below it sums of gradients are exact; network.h */
    GPUS_MAX = 64,
    EXIT_INPUT = 2,
    LINE = 256, /* bytes of a message */
};

static const float rate = 0.1f;
static const float momentum = 0.9f;
static const float enough = 0.95f; /* accuracy */

/* Where the numbers live that MPI is given. */
struct memory {
    void *(*alloc)(size_t bytes);
    void (*free)(void *);
    bool (*put)(void *there, const void *here, size_t bytes);
    bool (*get)(void *here, const void *there, size_t bytes);
};

struct job {
    int                  rank, nranks;
    const char          *path;
    bool                 on_device;
    const struct memory *memory;
    struct digit        *train, *test;
    int                  ntrain, ntest;
};

static bool host_copy(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return true;
}

static const struct memory host_memory = {malloc, free, host_copy, host_copy};
static const struct memory device_memory = {gpu_alloc, gpu_free, gpu_upload,
                                            gpu_download};

/* This rank alone can't go on. */
__attribute__((noreturn, format(printf, 1, 2))) static void
die(const char *format, ...)
{
    char    line[LINE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    /* In one write, since the ranks share the terminal. */
    fprintf(stderr, "train_digits: %s\n", line);
    MPI_Abort(MPI_COMM_WORLD, EXIT_INPUT);
    abort();
}

/* Ends the program on every rank when some rank has something in why; the
 * lowest of them says it, so that a mistake is one line whatever nranks. */
static void agree(const struct job *job, const char *why)
{
    int mine = why[0] != '\0' ? job->rank : job->nranks;
    int lowest;

    MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (lowest == job->nranks)
        return;
    if (lowest == job->rank)
        fprintf(stderr, "train_digits: %s\n", why);
    MPI_Finalize();
    exit(EXIT_INPUT);
}

static void put(const struct job *job, void *there, const void *here,
                size_t bytes)
{
    if (!job->memory->put(there, here, bytes))
        die("rank %d: %s", job->rank, gpu_error());
}

static void get(const struct job *job, void *here, const void *there,
                size_t bytes)
{
    if (!job->memory->get(here, there, bytes))
        die("rank %d: %s", job->rank, gpu_error());
}

static void *room_for(const struct job *job, size_t bytes)
{
    void *there = job->memory->alloc(bytes);

    if (there == NULL)
        die("rank %d: %zu bytes of memory: %s", job->rank, bytes,
            job->on_device ? gpu_error() : "no memory");
    return there;
}

static void read_arguments(int argc, char **argv, struct job *job)
{
    static const char usage[] =
        "usage: train_digits --memory host|device DIGITS.csv";

    if (argc != 4 || strcmp(argv[1], "--memory") != 0) {
        agree(job, usage);
        return;
    }
    job->on_device = strcmp(argv[2], "device") == 0;
    agree(job, job->on_device || strcmp(argv[2], "host") == 0 ? "" : usage);
    job->path = argv[3];
}

/* Rank 0 reads the file, so the others need not see it. */
static void share_digits(struct job *job)
{
    char          why[LINE] = "";
    struct digit *all = NULL;
    int           count = 0;

    if (job->rank == 0)
        digits_read(job->path, &all, &count, why, sizeof why);
    agree(job, why);
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (job->rank != 0)
        all = malloc((size_t)count * sizeof *all);
    job->train = malloc((size_t)count * sizeof *all);
    job->test = malloc((size_t)count * sizeof *all);
    if (all == NULL || job->train == NULL || job->test == NULL)
        die("rank %d: no memory for %d digits", job->rank, count);
    MPI_Bcast(all, count * (int)sizeof *all, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        if (i % HELD_OUT == 0)
            job->test[job->ntest++] = all[i];
        else
            job->train[job->ntrain++] = all[i];
    }
    free(all);
    agree(job, job->ntrain == 0 ? "a file of one digit is not enough" : "");
}

/* The GPUs are dealt out in blocks over the ranks of a node. */
static int device_of(int ngpus, MPI_Comm node)
{
    int rank, nranks;

    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &nranks);
    return nranks >= ngpus ? rank * ngpus / nranks : rank;
}

static void choose_device(const struct job *job, char *name, size_t bytes)
{
    struct gpu gpus[GPUS_MAX];
    char       why[LINE] = "", host[64] = "";
    int        ngpus = gpu_list(gpus, GPUS_MAX);
    MPI_Comm   node;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, job->rank,
                        MPI_INFO_NULL, &node);
    gethostname(host, sizeof host - 1);
    if (ngpus == 0) {
        snprintf(why, sizeof why, "no GPU on %s: %s", host,
                 gpu_error()[0] != '\0'
                     ? gpu_error()
                     : "no NVIDIA, AMD or Intel driver library that knows one");
    } else {
        const struct gpu *gpu = &gpus[device_of(ngpus, node)];

        snprintf(name, bytes, "%s:%d  %s  (%s)", gpu_vendor_name(gpu->vendor),
                 gpu->index, gpu->name,
                 strstr(gpu->name, "emulated") != NULL ? "emulated" : "real");
        if (!gpu_use(gpu))
            snprintf(why, sizeof why, "%s:%d on %s: %s",
                     gpu_vendor_name(gpu->vendor), gpu->index, host,
                     gpu_error());
    }
    MPI_Comm_free(&node);
    agree(job, why);
}

static void choose_memory(struct job *job)
{
    char  name[LINE] = "host memory";
    char *names = NULL;

    if (job->on_device)
        choose_device(job, name, sizeof name);
    job->memory = job->on_device ? &device_memory : &host_memory;
    if (job->rank == 0)
        names = malloc((size_t)job->nranks * sizeof name);
    if (job->rank == 0 && names == NULL)
        die("rank 0: no memory for %d names", job->nranks);
    MPI_Gather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, 0,
               MPI_COMM_WORLD);
    for (int r = 0; job->rank == 0 && r < job->nranks; r++)
        printf("rank %d  %s\n", r, names + (size_t)r * sizeof name);
    free(names);
}

/* The same order on every rank. */
static void shuffle(struct digit *digits, int count, uint64_t *state)
{
    for (int i = count - 1; i > 0; i--) {
        int          j = (int)(network_random(state) % (uint64_t)(i + 1));
        struct digit d = digits[i];

        digits[i] = digits[j];
        digits[j] = d;
    }
}

/* This rank's part of a batch's gradient; its loss is added to loss. */
static void my_gradient(const struct job *job, const float *weights,
                        const struct digit *batch, int count, float *gradient,
                        double *loss)
{
    int mine = 0;

    memset(gradient, 0, NETWORK_WEIGHTS * sizeof *gradient);
    for (int i = job->rank; i < count; i += job->nranks, mine++)
        *loss += (double)network_gradient(weights, &batch[i], gradient);
    /* With each digit below its share of the limit, no partial sum of the
     * ranks' parts can pass it. */
    for (int w = 0; w < NETWORK_WEIGHTS; w++)
        if (!(fabsf(gradient[w]) * BATCH <= (float)(SUM_LIMIT * mine)))
            die("rank %d: a gradient of %g is too large to be summed exactly",
                job->rank, (double)gradient[w]);
}

/* What a rank keeps here and there ("there": the memory that MPI is given). */
struct training {
    float  *weights, *gradient; /* there */
    double *statistics;         /* there: mine, all ranks' */
    float   w[NETWORK_WEIGHTS]; /* here, and so the others */
    float   g[NETWORK_WEIGHTS];
    float   velocity[NETWORK_WEIGHTS];
    double  loss;
};

static void step(const struct job *job, struct training *t,
                 const struct digit *batch, int count)
{
    get(job, t->w, t->weights, sizeof t->w);
    my_gradient(job, t->w, batch, count, t->g, &t->loss);
    put(job, t->gradient, t->g, sizeof t->g);
    MPI_Allreduce(MPI_IN_PLACE, t->gradient, NETWORK_WEIGHTS, MPI_FLOAT,
                  MPI_SUM, MPI_COMM_WORLD);
    get(job, t->g, t->gradient, sizeof t->g);
    for (int i = 0; i < NETWORK_WEIGHTS; i++) {
        t->velocity[i] = momentum * t->velocity[i] + t->g[i] / (float)count;
        t->w[i] -= rate * t->velocity[i];
    }
    put(job, t->weights, t->w, sizeof t->w);
}

static void say_loss(const struct job *job, struct training *t, int epoch)
{
    double sum;

    put(job, t->statistics, &t->loss, sizeof t->loss);
    MPI_Reduce(t->statistics, t->statistics + 1, 1, MPI_DOUBLE, MPI_SUM, 0,
               MPI_COMM_WORLD);
    t->loss = 0;
    if (job->rank != 0)
        return;
    get(job, &sum, t->statistics + 1, sizeof sum);
    printf("epoch %2d  loss %.4f\n", epoch, sum / job->ntrain);
    fflush(stdout);
}

static void train(const struct job *job, struct training *t)
{
    uint64_t order = 2;
    double   start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (job->rank == 0) {
        network_init(t->w, 1);
        put(job, t->weights, t->w, sizeof t->w);
    }
    MPI_Bcast(t->weights, NETWORK_WEIGHTS, MPI_FLOAT, 0, MPI_COMM_WORLD);
    for (int epoch = 1; epoch <= EPOCHS; epoch++) {
        shuffle(job->train, job->ntrain, &order);
        for (int i = 0; i < job->ntrain; i += BATCH)
            step(job, t, job->train + i,
                 job->ntrain - i < BATCH ? job->ntrain - i : BATCH);
        if (epoch == 1 || epoch % 4 == 0)
            say_loss(job, t, epoch);
        else
            t->loss = 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (job->rank == 0)
        printf("trained in %.2f seconds\n", MPI_Wtime() - start);
}

/* The share of the held-out digits that all ranks together get right. */
static float accuracy(const struct job *job, const float *weights)
{
    int *counts = room_for(job, 2 * sizeof *counts);
    int  right = 0;

    for (int i = job->rank; i < job->ntest; i += job->nranks)
        right += network_predict(weights, &job->test[i]) == job->test[i].label;
    put(job, counts, &right, sizeof right);
    MPI_Allreduce(counts, counts + 1, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    get(job, &right, counts + 1, sizeof right);
    job->memory->free(counts);
    return (float)right / (float)job->ntest;
}

/* The fingerprint of the weights, which must be every rank's. */
static uint64_t agreed_hash(const struct job *job, const float *weights)
{
    size_t    bytes = (size_t)job->nranks * sizeof(uint64_t);
    uint64_t  mine = network_hash(weights);
    uint64_t *there = room_for(job, sizeof mine + bytes);
    uint64_t *hashes = malloc(bytes);

    if (hashes == NULL)
        die("rank %d: no memory for %d hashes", job->rank, job->nranks);
    put(job, there, &mine, sizeof mine);
    MPI_Allgather(there, 1, MPI_UINT64_T, there + 1, 1, MPI_UINT64_T,
                  MPI_COMM_WORLD);
    get(job, hashes, there + 1, bytes);
    for (int r = 0; r < job->nranks; r++)
        if (hashes[r] != mine)
            die("rank %d and rank %d ended with different weights", job->rank,
                r);
    free(hashes);
    job->memory->free(there);
    return mine;
}

static float run(const struct job *job)
{
    struct training *t = calloc(1, sizeof *t);
    float            share;
    uint64_t         hash;

    if (t == NULL)
        die("rank %d: no memory", job->rank);
    t->weights = room_for(job, sizeof t->w);
    t->gradient = room_for(job, sizeof t->g);
    t->statistics = room_for(job, 2 * sizeof *t->statistics);
    train(job, t);
    get(job, t->w, t->weights, sizeof t->w);
    share = accuracy(job, t->w);
    hash = agreed_hash(job, t->w);
    if (job->rank == 0)
        printf("accuracy %.4f  weights %016llx\n", (double)share,
               (unsigned long long)hash);
    job->memory->free(t->weights);
    job->memory->free(t->gradient);
    job->memory->free(t->statistics);
    free(t);
    return share;
}

/* The GPUs of this machine; needs no mpirun. */
static int list_devices(void)
{
    struct gpu gpus[GPUS_MAX];
    int        ngpus = gpu_list(gpus, GPUS_MAX);

    for (int i = 0; i < ngpus; i++)
        printf("%s:%d  %s\n", gpu_vendor_name(gpus[i].vendor), gpus[i].index,
               gpus[i].name);
    return 0;
}

int main(int argc, char **argv)
{
    struct job job = {0};
    float      share;

    if (argc == 2 && strcmp(argv[1], "--devices") == 0)
        return list_devices();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.nranks);
    read_arguments(argc, argv, &job);
    share_digits(&job);
    choose_memory(&job);
    share = run(&job);
    free(job.train);
    free(job.test);
    MPI_Finalize();
    return share >= enough ? EXIT_SUCCESS : EXIT_FAILURE;
}
