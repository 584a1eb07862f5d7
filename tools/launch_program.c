#include "tools/launch_program.h"

#include "config.h"
#include "tools/tool_system.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_LIBELF

#include <gelf.h>
#include <libelf.h>

enum { NEEDED_MAX = 64 }; /* libraries looked at */

/* What a program file says about itself.  Strings belong to the Elf. */
struct facts {
    bool        has_interpreter; /* else it is linked statically */
    bool        has_hip_kernels;
    bool        registers_cuda_kernels;
    bool        defines_cudart;    /* the runtime's functions are inside */
    bool        names_cuda_errors; /* its table of messages is inside */
    bool        names_driver;      /* "libcuda.so.1" is inside */
    const char *rpath; /* the old kind, which beats LD_LIBRARY_PATH */
    const char *needed[NEEDED_MAX];
    int         needed_count;
};

/* Libraries that carry kernels of their own, by the start of their name. */
static const char *const kernel_libraries[] = {
    "libcublas",  "libcufft",  "libcusparse", "libcusolver",  "libcurand",
    "libcudnn",   "libnccl",   "libnvshmem",  "libnpp",       "librocblas",
    "libhipblas", "libhipfft", "librocfft",   "librocsparse", "librocrand",
    "libMIOpen",  "librccl",   "libsycl",     "libmkl_sycl",  "libccl",
};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool contains(const Elf_Data *data, const char *text)
{
    return data != NULL && data->d_buf != NULL &&
           memmem(data->d_buf, data->d_size, text, strlen(text) + 1) != NULL;
}

static void read_dynamic(struct facts *f, Elf *elf, Elf_Scn *section,
                         const GElf_Shdr *header)
{
    Elf_Data   *data = elf_getdata(section, NULL);
    GElf_Dyn    entry;
    const char *runpath = NULL;

    for (int i = 0; data != NULL && gelf_getdyn(data, i, &entry) != NULL; i++) {
        const char *text = NULL;

        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_NEEDED || entry.d_tag == DT_RPATH ||
            entry.d_tag == DT_RUNPATH)
            text = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
        if (text == NULL)
            continue;
        if (entry.d_tag == DT_RPATH)
            f->rpath = text;
        else if (entry.d_tag == DT_RUNPATH)
            runpath = text;
        else if (f->needed_count < NEEDED_MAX)
            f->needed[f->needed_count++] = text;
    }
    /* The loader ignores RPATH where RUNPATH is present. */
    if (runpath != NULL)
        f->rpath = NULL;
}

static void read_symbols(struct facts *f, Elf *elf, Elf_Scn *section,
                         const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym  symbol;

    for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL;
         i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

        if (name == NULL)
            continue;
        if (symbol.st_shndx != SHN_UNDEF) {
            if (strcmp(name, "cudaMalloc") == 0)
                f->defines_cudart = true;
        } else if (starts_with(name, "__cudaRegisterFunction")) {
            f->registers_cuda_kernels = true;
        } else if (starts_with(name, "__hipRegisterFunction")) {
            f->has_hip_kernels = true;
        }
    }
}

static void read_section(struct facts *f, Elf *elf, Elf_Scn *section,
                         size_t names)
{
    GElf_Shdr   header;
    const char *name;

    if (gelf_getshdr(section, &header) == NULL)
        return;
    name = elf_strptr(elf, names, header.sh_name);
    if (header.sh_type == SHT_DYNAMIC)
        read_dynamic(f, elf, section, &header);
    else if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB)
        read_symbols(f, elf, section, &header);
    if (name == NULL)
        return;
    if (strcmp(name, ".hip_fatbin") == 0 && header.sh_size > 0)
        f->has_hip_kernels = true;
    /* A stripped program keeps the runtime's texts. */
    if (strcmp(name, ".rodata") == 0) {
        Elf_Data *data = elf_rawdata(section, NULL);

        f->names_cuda_errors = contains(data, "cudaErrorMissingConfiguration");
        f->names_driver = contains(data, "libcuda.so.1");
    }
}

/* False: the file ends before what its header promises. */
static bool read_facts(struct facts *f, Elf *elf, const GElf_Ehdr *header,
                       size_t file_bytes)
{
    size_t   segments, sections, names;
    Elf_Scn *section = NULL;

    if (header->e_phoff > file_bytes || header->e_shoff > file_bytes ||
        elf_getphdrnum(elf, &segments) != 0 ||
        elf_getshdrnum(elf, &sections) != 0)
        return false;
    for (size_t i = 0; i < segments; i++) {
        GElf_Phdr segment;

        if (gelf_getphdr(elf, (int)i, &segment) == NULL ||
            (segment.p_type == PT_LOAD &&
             (segment.p_offset > file_bytes ||
              segment.p_filesz > file_bytes - segment.p_offset)))
            return false;
        f->has_interpreter |= segment.p_type == PT_INTERP;
    }
    if (sections == 0 || elf_getshdrstrndx(elf, &names) != 0)
        return true;
    while ((section = elf_nextscn(elf, section)) != NULL)
        read_section(f, elf, section, names);
    return true;
}

static bool is_runtime(const char *library)
{
    return starts_with(library, "libcudart.so") ||
           starts_with(library, "libcuda.so") ||
           starts_with(library, "libamdhip64.so");
}

/* Level Zero's loader is the machine's own; the driver below it is emulated. */
static bool is_ze_loader(const char *library)
{
    return starts_with(library, "libze_loader.so");
}

#define ZE_DRIVER "libze_intel_gpu.so.1"

static bool file_in(const char *dir, const char *name)
{
    char path[TOOL_PATH_ROOM];

    TOOL_PRINT(path, "%s/%s", dir, name);
    return access(path, F_OK) == 0;
}

/* An RPATH entry with $ORIGIN replaced by the program's own directory. */
static void expand_origin(const char *entry, int length, const char *program,
                          char *dir, size_t room)
{
    static const char *const spellings[] = {"$ORIGIN", "${ORIGIN}"};
    const char              *slash = strrchr(program, '/');
    int                      own = slash != NULL ? (int)(slash - program) : 1;

    for (size_t i = 0; i < 2; i++) {
        int skip = (int)strlen(spellings[i]);

        if (length >= skip && starts_with(entry, spellings[i])) {
            tool_print(dir, room, "%.*s%.*s", own,
                       slash != NULL ? program : ".", length - skip,
                       entry + skip);
            return;
        }
    }
    tool_print(dir, room, "%.*s", length, entry);
}

static bool rpath_beats(const struct facts *f, const char *program,
                        const char *library)
{
    const char *entry = f->rpath;

    while (entry != NULL) {
        const char *end = strchrnul(entry, ':');
        char        dir[TOOL_PATH_ROOM];

        expand_origin(entry, (int)(end - entry), program, dir, sizeof dir);
        if (file_in(dir, library))
            return true;
        entry = *end == ':' ? end + 1 : NULL;
    }
    return false;
}

static bool is_emulated(const char *library, const char *const *dirs)
{
    for (; *dirs != NULL; dirs++)
        if (file_in(*dirs, library))
            return true;
    return false;
}

/* "A", "A and B", "A, B and C" */
static void list_dirs(const char *const *dirs, char *text, size_t room)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; dirs[i] != NULL; i++, used = strlen(text)) {
        const char *before = dirs[i + 1] != NULL ? ", " : " and ";

        tool_print(text + used, room - used, "%s%s", i > 0 ? before : "",
                   dirs[i]);
    }
}

/* One library that the program names; true: it stands in the way. */
static bool judge_library(const struct facts *f, const char *program,
                          const char *library, const char *const *dirs,
                          char *why, size_t room)
{
    char list[1024];

    for (size_t i = 0; i < sizeof kernel_libraries / sizeof kernel_libraries[0];
         i++) {
        if (!starts_with(library, kernel_libraries[i]))
            continue;
        tool_print(why, room,
                   "it uses %s, whose kernels an emulated device can't run",
                   library);
        return true;
    }
    if (is_ze_loader(library) && is_emulated(ZE_DRIVER, dirs))
        library = ZE_DRIVER;
    else if (!is_runtime(library))
        return false;
    if (!is_emulated(library, dirs)) {
        list_dirs(dirs, list, sizeof list);
        tool_print(why, room,
                   "it needs %s, which is not among the emulated libraries in "
                   "%s",
                   library, list);
        return true;
    }
    if (rpath_beats(f, program, library)) {
        tool_print(why, room,
                   "its RPATH (%s) finds the vendor's %s before ours; link it "
                   "with -Wl,--enable-new-dtags",
                   f->rpath, library);
        return true;
    }
    return false;
}

static bool has_cudart_needed(const struct facts *f)
{
    for (int i = 0; i < f->needed_count; i++)
        if (starts_with(f->needed[i], "libcudart.so"))
            return true;
    return false;
}

static enum launch_program judge(const struct facts *f, const char *program,
                                 const char *const *dirs, char *why,
                                 size_t room)
{
    if (!f->has_interpreter) {
        tool_print(why, room, "%s",
                   "it is linked statically, so no other driver can take the "
                   "place of the vendor's; link it dynamically");
        return LAUNCH_CANNOT;
    }
    if (!has_cudart_needed(f) &&
        (f->defines_cudart || (f->names_cuda_errors && f->names_driver))) {
        tool_print(why, room, "%s",
                   "the CUDA runtime is linked into it, which works with "
                   "NVIDIA's driver only; build it with nvcc -cudart shared");
        return LAUNCH_CANNOT;
    }
    if (f->registers_cuda_kernels || f->has_hip_kernels) {
        tool_print(why, room,
                   "it has %s kernels of its own, which an emulated device "
                   "can't run: only memory, copies, streams and MPI calls are "
                   "emulated",
                   f->has_hip_kernels ? "HIP" : "CUDA");
        return LAUNCH_CANNOT;
    }
    for (int i = 0; i < f->needed_count; i++)
        if (judge_library(f, program, f->needed[i], dirs, why, room))
            return LAUNCH_CANNOT;
    return LAUNCH_RUNS;
}

/* The machine that this tool itself was built for. */
static GElf_Half own_machine(void)
{
    int       fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    Elf      *elf = elf_begin(fd, ELF_C_READ, NULL);
    GElf_Ehdr header = {.e_machine = EM_NONE};
    GElf_Half machine = EM_NONE;

    if (gelf_getehdr(elf, &header) != NULL)
        machine = header.e_machine;
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return machine;
}

static enum launch_program inspect_elf(const char *path, Elf *elf,
                                       size_t             file_bytes,
                                       const char *const *dirs, char *why,
                                       size_t room)
{
    struct facts f = {0};
    GElf_Ehdr    header;
    GElf_Half    machine = own_machine();

    if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == NULL) {
        tool_print(why, room, "it is neither a script nor a complete program");
        return LAUNCH_BROKEN;
    }
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
        tool_print(why, room, "it is an object file, not a linked program");
        return LAUNCH_BROKEN;
    }
    if (machine != EM_NONE && header.e_machine != machine) {
        tool_print(why, room,
                   "it is a program for another kind of machine (ELF machine "
                   "%u, here %u)",
                   header.e_machine, machine);
        return LAUNCH_BROKEN;
    }
    if (!read_facts(&f, elf, &header, file_bytes)) {
        tool_print(why, room, "the file is damaged or cut short");
        return LAUNCH_BROKEN;
    }
    return judge(&f, path, dirs, why, room);
}

enum launch_program launch_program_inspect(const char        *path,
                                           const char *const *emulator_dirs,
                                           char *why, size_t room)
{
    enum launch_program verdict = LAUNCH_RUNS;
    int                 fd = open(path, O_RDONLY | O_CLOEXEC);
    char                start[2];
    off_t               bytes;
    Elf                *elf;

    /* Executable but not readable is allowed; then nothing is known. */
    if (fd < 0)
        return LAUNCH_RUNS;
    if (pread(fd, start, 2, 0) == 2 && memcmp(start, "#!", 2) == 0) {
        close(fd);
        return LAUNCH_RUNS;
    }
    bytes = lseek(fd, 0, SEEK_END);
    if (elf_version(EV_CURRENT) != EV_NONE && bytes >= 0) {
        elf = elf_begin(fd, ELF_C_READ, NULL);
        verdict =
            inspect_elf(path, elf, (size_t)bytes, emulator_dirs, why, room);
        elf_end(elf);
    }
    close(fd);
    return verdict;
}

#else /* without libelf nothing can be said, and the program is started */

enum launch_program launch_program_inspect(const char        *path,
                                           const char *const *emulator_dirs,
                                           char *why, size_t room)
{
    (void)path;
    (void)emulator_dirs;
    (void)why;
    (void)room;
    return LAUNCH_RUNS;
}

#endif
