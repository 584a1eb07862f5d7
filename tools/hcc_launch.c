#include "config.h"
#include "tools/launch_args.h"
#include "tools/launch_command.h"
#include "tools/launch_emulate.h"
#include "tools/launch_plan.h"
#include "tools/launch_program.h"
#include "tools/tool_ompi.h"
#include "tools/tool_place.h"
#include "tools/tool_system.h"

#include "hcomm.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum exit_code {
    EXIT_USAGE = 2,        /* bad options or settings, or can't run emulated */
    EXIT_CANNOT_RUN = 126, /* the program is there but can't be started */
    EXIT_NOT_FOUND = 127,  /* mpirun or the program is not there */
};

static const char help_text[] =
    "Usage: hcc-launch [--dry-run] [--emulate LIST] [mpirun's options] "
    "PROGRAM [ARGUMENT]...\n"
    "Run an MPI program with HCOMM: mpirun with what HCOMM needs added.\n"
    "\n"
    "  --dry-run       print the command that would run, and stop\n"
    "  --emulate LIST  run on emulated devices, for example nvidia:2 or\n"
    "                  nvidia/sm_80:1,amd:2,intel:1 (also cuda, hip, rocm, "
    "ze).\n"
    "                  Data is real, speed is not.  Programs with kernels of "
    "their\n"
    "                  own can't run so and are refused\n"
    "  -h, --help      print this help\n"
    "  -V, --version   print the version\n"
    "\n"
    "Every other option goes to mpirun as it is.  Added, where you didn't "
    "choose:\n"
    "  --mca coll hcomm          unless coll is given, also as OMPI_MCA_coll\n"
    "  mca_base_component_path   where the plugin is beside hcc-launch\n"
    "  OMPI_MCA_coll_hcomm_X     for every HCOMM_X that is set here, so that "
    "all\n"
    "                            hosts get it; -x for what is read earlier\n"
    "  --bind-to none            where this shell is confined to some CPUs "
    "(as\n"
    "                            by taskset), which mpirun would not heed;\n"
    "                            unless a binding or mapping is given\n"
    "  btl_vader_single_copy_mechanism=none\n"
    "                            where processes may not read each other's "
    "memory\n"
    "\n"
    "Exit status: the program's, as mpirun reports it; 2 wrong usage or a "
    "program\n"
    "that can't run emulated; 126 program can't be started; 127 program or "
    "mpirun\n"
    "not found.\n";

/* The directory in which the program of an index starts, or NULL. */
static const char *working_dir(const struct launch_args *a)
{
    const char *dir = launch_args_option(a, "wdir");

    return dir != NULL ? dir : launch_args_option(a, "wd");
}

/* As mpirun looks for it. */
static bool find_program(const struct launch_args *a, const char *name,
                         char *path_out, size_t room)
{
    const char *dir = working_dir(a);
    const char *path = launch_args_option(a, "path");
    struct stat st;

    if (strchr(name, '/') == NULL)
        return (path != NULL && tool_which(name, path, path_out, room)) ||
               tool_which(name, getenv("PATH"), path_out, room);
    if (name[0] != '/' && dir != NULL)
        tool_print(path_out, room, "%s/%s", dir, name);
    else
        tool_print(path_out, room, "%s", name);
    return stat(path_out, &st) == 0;
}

/* On other hosts the program may be where this one has nothing. */
static bool may_run_elsewhere(const struct launch_args *a)
{
    static const char *const options[] = {
        "H",           "host", "hostfile",       "default-hostfile",
        "machinefile", "hnp",  "preload-binary", "s",
    };

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (launch_args_option(a, options[i]) != NULL)
            return true;
    return false;
}

static enum exit_code check_program(const struct launch_args *a,
                                    const char               *name,
                                    const char *const        *emulator_dirs)
{
    char path[TOOL_PATH_ROOM], why[2048] = "";

    if (!find_program(a, name, path, sizeof path)) {
        if (may_run_elsewhere(a))
            return EXIT_SUCCESS;
        fprintf(stderr, "hcc-launch: program %s not found%s\n", name,
                strchr(name, '/') == NULL
                    ? " in PATH (for one in this directory write ./ before it)"
                    : "");
        return EXIT_NOT_FOUND;
    }
    if (!tool_is_program(path)) {
        fprintf(stderr, "hcc-launch: %s is not an executable file\n", path);
        return EXIT_CANNOT_RUN;
    }
    if (emulator_dirs[0] == NULL)
        return EXIT_SUCCESS;
    switch (launch_program_inspect(path, emulator_dirs, why, sizeof why)) {
    case LAUNCH_RUNS:
        return EXIT_SUCCESS;
    case LAUNCH_CANNOT:
        fprintf(stderr, "hcc-launch: %s can't run on emulated devices: %s\n",
                path, why);
        return EXIT_USAGE;
    case LAUNCH_BROKEN:
        fprintf(stderr, "hcc-launch: %s can't be started: %s\n", path, why);
        return EXIT_CANNOT_RUN;
    }
    return EXIT_SUCCESS;
}

static enum exit_code check_programs(const struct launch_args *a,
                                     const char *const        *emulator_dirs)
{
    if (a->unknown != NULL)
        return EXIT_SUCCESS;
    if (a->program_count == 0 && launch_args_option(a, "app") == NULL) {
        fprintf(stderr, "hcc-launch: no program given; try hcc-launch "
                        "--help\n");
        return EXIT_USAGE;
    }
    for (int i = 0; i < a->program_count; i++) {
        enum exit_code code =
            check_program(a, a->args[a->programs[i]], emulator_dirs);

        if (code != EXIT_SUCCESS)
            return code;
    }
    return EXIT_SUCCESS;
}

/* --emulate, or HCOMM_EMULATE in the environment; NULL: neither. */
static const char *emulate_text(const struct launch_args *a)
{
    const char *variable = getenv("HCOMM_EMULATE");

    if (a->emulate != NULL)
        return a->emulate;
    return variable != NULL && *variable != '\0' ? variable : NULL;
}

static bool read_emulation(const struct launch_args *a, const char *text,
                           struct launch_emulate *e)
{
    char why[1024], dir[TOOL_PATH_ROOM];

    if (!launch_emulate_parse(text, e, why, sizeof why)) {
        fprintf(stderr, "hcc-launch: %s %s: %s\n",
                a->emulate != NULL ? "--emulate" : "HCOMM_EMULATE", text, why);
        return false;
    }
    for (int v = 0; v < LAUNCH_VENDORS; v++) {
        const char *name = launch_vendor_name((enum launch_vendor)v);

        if (e->named[v] && !tool_place_emulator(name, dir, sizeof dir)) {
            fprintf(stderr,
                    "hcc-launch: the emulator for %s is not installed (no %s); "
                    "install hcomm-emulator\n",
                    name, dir);
            return false;
        }
    }
    return true;
}

/* Warned of, not refused: the program may bring one, or run elsewhere. */
static void look_for_ze_loader(const struct launch_emulate *e)
{
    static const char loader[] = "libze_loader.so.1";
    void             *library;

    if (!e->named[LAUNCH_INTEL])
        return;
    library = dlopen(loader, RTLD_LAZY | RTLD_LOCAL);
    if (library != NULL)
        (void)dlclose(library);
    else
        fprintf(stderr,
                "hcc-launch: Intel's devices are emulated below Level Zero's "
                "own loader, and there is no %s here: install libze1\n",
                loader);
}

static enum exit_code find_ompi(struct tool_ompi *ompi)
{
    switch (tool_ompi_find(ompi)) {
    case TOOL_OMPI_FOUND:
        break;
    case TOOL_OMPI_NONE:
        fprintf(stderr, "hcc-launch: no mpirun in PATH; install Open MPI 4.1 "
                        "(openmpi-bin) or load its module\n");
        return EXIT_NOT_FOUND;
    case TOOL_OMPI_OTHER:
        fprintf(stderr,
                "hcc-launch: %s is not Open MPI's (it says \"%s\"); put Open "
                "MPI 4.1 first in PATH\n",
                ompi->mpirun, ompi->says);
        return EXIT_USAGE;
    }
    if (tool_ompi_is_served(ompi))
        return EXIT_SUCCESS;
    fprintf(stderr,
            "hcc-launch: %s is Open MPI %s; HCOMM serves 4.1.z: put one first "
            "in PATH\n",
            ompi->mpirun, ompi->version);
    return EXIT_USAGE;
}

/* Returns only when the command was printed or couldn't be run. */
static enum exit_code launch(const struct launch_args    *a,
                             const struct tool_ompi      *ompi,
                             const struct launch_emulate *emulate)
{
    struct launch_command command;
    hcomm_params         *params = NULL;
    char                  warning[2048];
    enum exit_code        code = EXIT_SUCCESS;

    /* What is wrong has been logged. */
    if (hcomm_params_open(&params) != HCOMM_OK)
        return EXIT_USAGE;
    launch_plan(a, ompi, params, emulate, &command, warning, sizeof warning);
    hcomm_params_close(params);
    if (warning[0] != '\0')
        fprintf(stderr, "hcc-launch: %s\n", warning);
    if (emulate != NULL)
        fprintf(stderr,
                "hcc-launch: devices are emulated (%s): results are right, "
                "times mean nothing\n",
                emulate->list);
    if (command.failed) {
        fprintf(stderr, "hcc-launch: out of memory\n");
        code = EXIT_CANNOT_RUN;
    } else if (a->dry_run) {
        launch_command_print(&command, stdout);
    } else {
        launch_command_run(&command, ompi->mpirun);
        fprintf(stderr, "hcc-launch: start of %s: %s\n", ompi->mpirun,
                strerror(errno));
        code = EXIT_CANNOT_RUN;
    }
    launch_command_free(&command);
    return code;
}

static enum exit_code check_and_launch(const struct launch_args *a)
{
    const char           *text = emulate_text(a);
    struct launch_emulate emulate;
    struct tool_ompi      ompi;
    char                  dirs[LAUNCH_VENDORS][TOOL_PATH_ROOM];
    const char           *used_dirs[LAUNCH_VENDORS + 1] = {NULL};
    enum exit_code        code;

    if (text != NULL) {
        int used = 0;

        if (!read_emulation(a, text, &emulate))
            return EXIT_USAGE;
        look_for_ze_loader(&emulate);
        for (int v = 0; v < LAUNCH_VENDORS; v++)
            if (emulate.named[v] &&
                tool_place_emulator(launch_vendor_name((enum launch_vendor)v),
                                    dirs[v], sizeof dirs[v]))
                used_dirs[used++] = dirs[v];
    }
    code = find_ompi(&ompi);
    if (code == EXIT_SUCCESS)
        code = check_programs(a, used_dirs);
    if (code != EXIT_SUCCESS)
        return code;
    return launch(a, &ompi, text != NULL ? &emulate : NULL);
}

int main(int argc, char **argv)
{
    struct launch_args args;
    enum exit_code     code = EXIT_SUCCESS;

    if (!launch_args_parse(&args, argc, argv))
        code = EXIT_USAGE;
    else if (args.help)
        fputs(help_text, stdout);
    else if (args.version)
        printf("hcc-launch %s\n", hcomm_version());
    else
        code = check_and_launch(&args);
    launch_args_free(&args);
    return code;
}
