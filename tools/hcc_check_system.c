#include "tools/hcc_check.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    /* MiB; a container's /dev/shm has 64 unless told otherwise, and each rank
     * takes 4 for messages before any of our own. */
    SHM_SMALL_MIB = 128,
    SRUN_TIMEOUT_MS = 1000,
};

static void check_shm(struct hcc_report *r)
{
    static const char name[] = "/dev/shm";
    struct statvfs    fs;
    unsigned long     total, available;

    if (statvfs(name, &fs) != 0) {
        hcc_say(r, HCC_FAIL, name,
                "missing; ranks of one machine use it to reach each other");
        hcc_fix(r, "mount a tmpfs there: mount -t tmpfs tmpfs /dev/shm");
        return;
    }
    total = (unsigned long)(fs.f_blocks * fs.f_frsize >> 20);
    available = (unsigned long)(fs.f_bavail * fs.f_frsize >> 20);
    if (available >= SHM_SMALL_MIB) {
        hcc_say(r, HCC_OK, name, "%lu MiB, %lu MiB of it free", total,
                available);
        return;
    }
    hcc_say(r, HCC_WARN, name,
            "%lu MiB, %lu MiB of it free: little for several ranks", total,
            available);
    if (total < SHM_SMALL_MIB)
        hcc_fix(r, "docker run --shm-size=1g (or --ipc=host); on a machine: "
                   "mount -o remount,size=1g /dev/shm");
    else
        hcc_fix(r, "remove what ended programs left in it: ls -l /dev/shm");
}

static void check_single_copy(struct hcc_report *r, const struct hcc_facts *f)
{
    static const char            name[] = "memory copy";
    const struct tool_mca_entry *e =
        tool_mca_find(&f->settings, "btl_vader_single_copy_mechanism");

    if (tool_can_read_child()) {
        hcc_say(r, HCC_OK, name, "processes may read each other's memory");
    } else if (e != NULL && strcmp(e->value, "none") == 0) {
        hcc_say(r, HCC_OK, name,
                "processes may not read each other's memory, and Open MPI was "
                "told so (%s)",
                e->where);
    } else {
        hcc_say(r, HCC_WARN, name,
                "processes may not read each other's memory, which Open MPI "
                "tries (\"Read -1, expected ..., errno = 1\")");
        hcc_fix(r, "export OMPI_MCA_btl_vader_single_copy_mechanism=none "
                   "(hcc-launch does), or docker run --cap-add=SYS_PTRACE");
    }
}

static bool is_set_to_one(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && strcmp(value, "1") == 0;
}

static void check_root(struct hcc_report *r)
{
    if (geteuid() != 0 || (is_set_to_one("OMPI_ALLOW_RUN_AS_ROOT") &&
                           is_set_to_one("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")))
        return;
    hcc_say(r, HCC_WARN, "user",
            "you are root, for whom mpirun refuses to run");
    hcc_fix(r, "work as another user; in a container: export "
               "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
}

/* Whether srun can start ranks through PMIx: by its own list. */
static bool srun_has_pmix(void)
{
    struct tool_output output;
    char               path[TOOL_PATH_ROOM];
    const char        *argv[] = {path, "--mpi=list", NULL};

    return tool_which("srun", getenv("PATH"), path, sizeof path) &&
           tool_run(argv, SRUN_TIMEOUT_MS, &output) >= 0 &&
           (strstr(output.out, "pmix") != NULL ||
            strstr(output.err, "pmix") != NULL);
}

static int number_of(const char *variable)
{
    const char *text = getenv(variable);

    return text != NULL ? atoi(text) : 0;
}

static void check_slurm(struct hcc_report *r)
{
    static const char name[] = "Slurm";
    const char       *type = getenv("SLURM_MPI_TYPE");

    if (getenv("SLURM_JOB_ID") == NULL)
        return;
    if (getenv("SLURM_STEP_ID") != NULL && number_of("SLURM_NTASKS") > 1 &&
        getenv("PMIX_RANK") == NULL) {
        hcc_say(r, HCC_FAIL, name,
                "srun started this without PMIx: each rank would be a job of "
                "its own");
        hcc_fix(r, "srun --mpi=pmix, or mpirun in the allocation");
    } else if (type != NULL && strncasecmp(type, "pmix", 4) == 0) {
        hcc_say(r, HCC_OK, name, "srun uses %s", type);
    } else if (getenv("PMIX_RANK") != NULL) {
        hcc_say(r, HCC_OK, name, "started through PMIx");
    } else if (srun_has_pmix()) {
        hcc_say(r, HCC_WARN, name,
                "srun without --mpi=pmix starts each rank as a job of its own");
        hcc_fix(r, "srun --mpi=pmix, or export SLURM_MPI_TYPE=pmix; mpirun and "
                   "hcc-launch need neither");
    } else {
        hcc_say(r, HCC_WARN, name, "srun has no PMIx here");
        hcc_fix(r, "use mpirun or hcc-launch in the allocation");
    }
}

void hcc_check_system(struct hcc_report *r, const struct hcc_facts *f)
{
    check_shm(r);
    check_single_copy(r, f);
    check_root(r);
    check_slurm(r);
}
