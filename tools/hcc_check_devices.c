#include "tools/hcc_check.h"

#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char calls_name[] = "calls";

/* What the system shows of a vendor, driver or not. */
struct vendor_facts {
    const char *vendor;    /* as hcomm_vendor_info has it */
    const char *pci_id;    /* as in /sys/bus/pci/devices/X/vendor */
    const char *node;      /* the device node without which nothing goes;
                              may be a pattern */
    const char *module;    /* shows that the kernel module is loaded, or NULL */
    const char *library;   /* what to install when the driver library lacks */
    const char *container; /* what to give a container */
    const char *groups;    /* who may open the node */
    const char *hiders[3]; /* variables that hide devices */
    const char *emulation; /* what its emulation needs besides, or "" */
    bool        is_common; /* in many machines, for their screen only */
};

static const struct vendor_facts vendors[] = {
    {.vendor = "nvidia",
     .pci_id = "0x10de",
     .node = "/dev/nvidiactl",
     .module = "/proc/driver/nvidia/version",
     .library = "libcuda.so.1: package libcuda1 or libnvidia-compute-VERSION",
     .container = "docker run --gpus all, or apptainer exec --nv",
     .groups = "video",
     .hiders = {"CUDA_VISIBLE_DEVICES"},
     .emulation = ""},
    {.vendor = "amd",
     .pci_id = "0x1002",
     .node = "/dev/kfd",
     .module = "/sys/class/kfd/kfd/topology",
     .library = "libamdhip64.so: package libamdhip64-5 or hip-runtime-amd",
     .container = "docker run --device=/dev/kfd --device=/dev/dri, or "
                  "apptainer exec --rocm",
     .groups = "render",
     .hiders = {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                "CUDA_VISIBLE_DEVICES"},
     .emulation = ""},
    {.vendor = "intel",
     .pci_id = "0x8086",
     .node = "/dev/dri/renderD*",
     .library =
         "libze_loader.so.1: package libze1, and Intel's driver: package "
         "libze-intel-gpu1 or intel-level-zero-gpu",
     .container = "docker run --device=/dev/dri",
     .groups = "render",
     .hiders = {"ZE_AFFINITY_MASK"},
     .emulation = ", and package libze1 must be installed",
     .is_common = true},
};

static const struct vendor_facts *facts_of(const char *vendor)
{
    for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++)
        if (strcmp(vendors[i].vendor, vendor) == 0)
            return &vendors[i];
    return NULL;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static bool in_container(void)
{
    return exists("/.dockerenv") || exists("/run/.containerenv") ||
           getenv("APPTAINER_CONTAINER") != NULL ||
           getenv("SINGULARITY_CONTAINER") != NULL ||
           getenv("container") != NULL;
}

static bool read_word(const char *path, char *word, size_t room)
{
    FILE *file = fopen(path, "re");
    bool  ok = file != NULL && fgets(word, (int)room, file) != NULL;

    if (file != NULL)
        fclose(file);
    if (ok)
        word[strcspn(word, "\n")] = '\0';
    return ok;
}

/* Display controllers and accelerators of a vendor on the PCI bus. */
static int count_on_bus(const char *pci_id)
{
    static const char bus[] = "/sys/bus/pci/devices";
    DIR              *dir = opendir(bus);
    struct dirent    *entry;
    int               count = 0;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char path[512], vendor[16], class[16];

        TOOL_PRINT(path, "%s/%s/vendor", bus, entry->d_name);
        if (entry->d_name[0] == '.' || !read_word(path, vendor, sizeof vendor))
            continue;
        TOOL_PRINT(path, "%s/%s/class", bus, entry->d_name);
        /* 03: display, 12: processing accelerator */
        if (strcmp(vendor, pci_id) == 0 &&
            read_word(path, class, sizeof class) &&
            (strncmp(class, "0x03", 4) == 0 || strncmp(class, "0x12", 4) == 0))
            count++;
    }
    if (dir != NULL)
        closedir(dir);
    return count;
}

/* "cuda:0 NVIDIA H200 (sm_90); ..." of one vendor's devices. */
static void list_models(const struct hcc_facts *f, const hcomm_vendor_info *v,
                        char *text, size_t room)
{
    text[0] = '\0';
    for (int i = 0; i < hcomm_device_count(f->devices); i++) {
        const hcomm_device_info *d = hcomm_device_at(f->devices, i);
        size_t                   used = strlen(text);

        if (d->vendor != v)
            continue;
        tool_print(text + used, room - used, "%s%s:%d %s", used > 0 ? "; " : "",
                   v->name, d->ordinal, d->name);
        used = strlen(text);
        if (d->arch[0] != '\0' && strstr(d->name, d->arch) == NULL)
            tool_print(text + used, room - used, " (%s)", d->arch);
    }
}

static bool is_emulated(const struct hcc_facts *f, const hcomm_vendor_info *v)
{
    for (int i = 0; i < hcomm_device_count(f->devices); i++) {
        const hcomm_device_info *d = hcomm_device_at(f->devices, i);

        if (d->vendor == v && d->emulated)
            return true;
    }
    return false;
}

/* No device node: is there nothing, or is something in the way? */
static void judge_absent(struct hcc_report *r, const hcomm_vendor_info *v,
                         const struct vendor_facts *s)
{
    int on_bus = count_on_bus(s->pci_id);

    if (s->module != NULL && exists(s->module)) {
        hcc_say(r, HCC_WARN, v->vendor,
                "the machine has its driver, but there is no %s%s", s->node,
                in_container() ? " in this container" : "");
        hcc_fix(r, "start the container with the devices: %s", s->container);
    } else if (on_bus > 0) {
        hcc_say(r, s->is_common ? HCC_NONE : HCC_WARN, v->vendor,
                "%d on the PCI bus, but no %s: its kernel driver is not "
                "loaded%s",
                on_bus, s->node,
                in_container() ? " or not given to this "
                                 "container"
                               : "");
        hcc_fix(r, "install the driver on the machine%s%s",
                in_container() ? "; for a container: " : "",
                in_container() ? s->container : "");
    } else {
        hcc_say(r, HCC_NONE, v->vendor, "no device here (no %s)%s", s->node,
                in_container() ? ", as seen from this container" : "");
        hcc_fix(r, "%s%s", "none needed without such a GPU",
                in_container() ? "; if the host has one, give it to the "
                                 "container"
                               : "; to try HCOMM: hcc-launch --emulate");
    }
}

/* Whether a node is here that this user may not open. */
static bool is_forbidden(const char *node)
{
    glob_t found = {0};
    bool   forbidden = false;

    if (glob(node, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            forbidden |= access(found.gl_pathv[i], R_OK | W_OK) != 0;
    }
    globfree(&found);
    return forbidden;
}

/* The variable that may be why no device shows, or NULL. */
static const char *hider(const struct vendor_facts *s)
{
    for (size_t i = 0; i < sizeof s->hiders / sizeof s->hiders[0]; i++)
        if (s->hiders[i] != NULL && getenv(s->hiders[i]) != NULL)
            return s->hiders[i];
    return NULL;
}

/* Nodes are here, or the job emulates some, and yet no device came of it. */
static void judge_unusable(struct hcc_report *r, const hcomm_vendor_info *v,
                           const struct vendor_facts *s,
                           enum hcc_verdict           verdict)
{
    const char *why = v->why[0] != '\0' ? v->why : "the driver shows no device";

    hcc_say(r, verdict, v->vendor, "%s", why);
    if (getenv("HCOMM_EMULATE") != NULL)
        hcc_fix(r,
                "HCOMM_EMULATE is set: the emulated driver must be on "
                "LD_LIBRARY_PATH, as hcc-launch --emulate puts it%s",
                s->emulation);
    else if (is_forbidden(s->node))
        hcc_fix(r, "you may not open %s: become a member of group %s", s->node,
                s->groups);
    else if (hider(s) != NULL)
        hcc_fix(r, "%s is \"%s\", which may hide all devices: unset it to see",
                hider(s), getenv(hider(s)));
    else
        hcc_fix(r, "if the driver library is missing, install %s%s%s",
                s->library, in_container() ? "; in a container: " : "",
                in_container() ? s->container : "");
}

/* A user who hides the devices doesn't want them to be a failure, nor one who
 * has them for the screen. */
static enum hcc_verdict unusable_verdict(const struct hcc_facts    *f,
                                         const hcomm_vendor_info   *v,
                                         const struct vendor_facts *s)
{
    bool is_wanted = !s->is_common || getenv("HCOMM_EMULATE") != NULL;

    if (!is_wanted && v->status == HCOMM_ERR_NOT_FOUND)
        return HCC_NONE;
    if (!is_wanted || hcomm_device_count(f->devices) > 0 || hider(s) != NULL)
        return HCC_WARN;
    return HCC_FAIL;
}

static void judge_vendor(struct hcc_report *r, const struct hcc_facts *f,
                         const hcomm_vendor_info *v)
{
    const struct vendor_facts *s = facts_of(v->vendor);
    char                       models[1024];

    if (v->device_count > 0) {
        list_models(f, v, models, sizeof models);
        hcc_say(r, HCC_OK, v->vendor, "%d device%s, %s%s: %s", v->device_count,
                v->device_count > 1 ? "s" : "", v->driver,
                is_emulated(f, v) ? ", emulated" : "", models);
    } else if (s == NULL) {
        hcc_say(r, HCC_NONE, v->vendor, "%s", v->why);
        hcc_fix(r, "none needed without such a GPU");
    } else if (!v->present) {
        judge_absent(r, v, s);
    } else {
        judge_unusable(r, v, s, unusable_verdict(f, v, s));
    }
}

/* Render nodes that none of the vendors' drivers goes with. */
static void judge_display_only(struct hcc_report *r, const struct hcc_facts *f)
{
    DIR           *dir = opendir("/dev/dri");
    struct dirent *entry;
    bool           render = false;

    while (dir != NULL && (entry = readdir(dir)) != NULL)
        render |= strncmp(entry->d_name, "renderD", 7) == 0;
    if (dir != NULL)
        closedir(dir);
    for (int i = 0; i < hcomm_vendor_count(f->devices); i++)
        render &= !hcomm_vendor_at(f->devices, i)->present;
    if (!render)
        return;
    hcc_say(r, HCC_NONE, "other GPUs",
            "/dev/dri has a render node, but no compute driver goes with it");
    hcc_fix(r, "HCOMM serves GPUs of NVIDIA, AMD and Intel through CUDA, HIP "
               "and Level Zero; install the vendor's compute driver if this "
               "is one");
}

void hcc_check_devices(struct hcc_report *r, const struct hcc_facts *f)
{
    if (f->devices == NULL) {
        hcc_say(r, HCC_FAIL, "devices", "could not be listed: out of memory");
        hcc_fix(r, "free some memory");
        return;
    }
    for (int i = 0; i < hcomm_vendor_count(f->devices); i++)
        judge_vendor(r, f, hcomm_vendor_at(f->devices, i));
    judge_display_only(r, f);
}

/* What the plugin serves now; it changes with collectives/. */
void hcc_check_calls(struct hcc_report *r, const struct hcc_facts *f)
{
    (void)f;
    hcc_say(r, HCC_OK, calls_name,
            "on GPU memory: every collective (MPI_Allreduce), point to point "
            "(MPI_Send), packing (MPI_Pack), MPI-IO");
    hcc_say(r, HCC_NONE, calls_name,
            "an MPI error on GPU memory: one-sided (MPI_Put, windows)");
    hcc_fix(r, "give those calls host memory");
}
