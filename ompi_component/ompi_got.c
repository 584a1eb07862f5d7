#include "ompi_component/ompi_got.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The relocations that make a word the address of a function: where it is
 * called; where it is called through a table filled at load time (BIND_NOW with
 * -fno-plt); where a variable points to it. */
#if defined(__x86_64__)
#define SUPPORTED  true
#define CALLED     R_X86_64_JUMP_SLOT
#define LOADED     R_X86_64_GLOB_DAT
#define POINTED_TO R_X86_64_64
#elif defined(__aarch64__)
#define SUPPORTED  true
#define CALLED     R_AARCH64_JUMP_SLOT
#define LOADED     R_AARCH64_GLOB_DAT
#define POINTED_TO R_AARCH64_ABS64
#elif defined(__powerpc64__) && defined(_CALL_ELF) && _CALL_ELF == 2
#define SUPPORTED  true
#define CALLED     R_PPC64_JMP_SLOT
#define LOADED     R_PPC64_GLOB_DAT
#define POINTED_TO R_PPC64_ADDR64
#elif defined(__riscv) && __riscv_xlen == 64
#define SUPPORTED  true
#define CALLED     R_RISCV_JUMP_SLOT
#define LOADED     R_RISCV_64
#define POINTED_TO R_RISCV_64
#else
#define SUPPORTED  false
#define CALLED     1
#define LOADED     1
#define POINTED_TO 1
#endif

/* One pass over the loaded libraries. */
struct pass {
    const struct hc_got_hook *hooks;
    size_t                    nhooks;
    hc_got_wanted_fn         *wanted; /* NULL: all */
    bool                      remove;
    size_t                    changed;
};

/* What a loaded library's dynamic section says. */
struct object {
    uintptr_t base;
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * tables[2]; /* of calls, and of the rest */
    size_t    bytes[2];
    uintptr_t sealed_begin, sealed_end; /* read-only since it was loaded */
};

/* Two passes at once would take each other's write access away. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool hc_got_is_supported(void)
{
    return SUPPORTED;
}

/* The linker has made addresses of the section's offsets, but not on every
 * machine. */
static const void *address_in(const struct object *object, uintptr_t value)
{
    return (const void *)(value < object->base ? object->base + value : value);
}

static void read_dynamic(struct object *object, const ElfW(Dyn) * entry)
{
    for (; entry->d_tag != DT_NULL; entry++) {
        const void *address = address_in(object, entry->d_un.d_ptr);

        if (entry->d_tag == DT_SYMTAB)
            object->symbols = address;
        else if (entry->d_tag == DT_STRTAB)
            object->names = address;
        else if (entry->d_tag == DT_JMPREL)
            object->tables[0] = address;
        else if (entry->d_tag == DT_PLTRELSZ)
            object->bytes[0] = entry->d_un.d_val;
        else if (entry->d_tag == DT_RELA)
            object->tables[1] = address;
        else if (entry->d_tag == DT_RELASZ)
            object->bytes[1] = entry->d_un.d_val;
    }
}

static uintptr_t page_of(uintptr_t address)
{
    return address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
}

static void read_headers(struct object *object, const struct dl_phdr_info *info)
{
    *object = (struct object){.base = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_DYNAMIC)
            read_dynamic(object, (const void *)begin);
        if (header->p_type == PT_GNU_RELRO) {
            /* As the linker rounds it. */
            object->sealed_begin = page_of(begin);
            object->sealed_end = page_of(begin + header->p_memsz);
        }
    }
}

static bool holds(const struct dl_phdr_info *info, hc_got_function *function)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_LOAD && (uintptr_t)function >= begin &&
            (uintptr_t)function - begin < header->p_memsz)
            return true;
    }
    return false;
}

/* Other threads may be calling through it meanwhile: one store. */
static void store(hc_got_function **entry, hc_got_function *function)
{
    __atomic_store_n(entry, function, __ATOMIC_RELEASE);
}

static bool point(const struct object *object, hc_got_function **entry, hc_got_function *function)
{
    uintptr_t page = page_of((uintptr_t)entry);
    size_t    bytes = (size_t)sysconf(_SC_PAGESIZE);
    bool      sealed = page >= object->sealed_begin && page < object->sealed_end;

    if (sealed && mprotect((void *)page, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    store(entry, function);
    if (sealed)
        (void)mprotect((void *)page, bytes, PROT_READ);
    return true;
}

static const struct hc_got_hook *find(const struct pass *pass, const char *symbol)
{
    for (size_t i = 0; i < pass->nhooks; i++)
        if (strcmp(pass->hooks[i].symbol, symbol) == 0)
            return &pass->hooks[i];
    return NULL;
}

static bool is_function_address(const ElfW(Rela) * relocation)
{
    unsigned long type = ELF64_R_TYPE((uint64_t)relocation->r_info);

    return relocation->r_addend == 0 && (type == CALLED || type == LOADED || type == POINTED_TO);
}

static void visit_relocation(struct pass *pass, const struct object *object,
                             const ElfW(Rela) * relocation)
{
    const struct hc_got_hook *hook;
    hc_got_function         **entry;
    bool                      replaced;
    size_t                    index = ELF64_R_SYM((uint64_t)relocation->r_info);

    if (!is_function_address(relocation))
        return;
    hook = find(pass, object->names + object->symbols[index].st_name);
    if (hook == NULL)
        return;
    entry = (hc_got_function **)(object->base + relocation->r_offset);
    replaced = *entry == hook->replacement;
    if (replaced == pass->remove &&
        point(object, entry, pass->remove ? hook->real : hook->replacement))
        pass->changed++;
}

static int visit_library(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    struct pass  *pass = arg;
    struct object object;

    (void)bytes;
    if (!pass->remove &&
        (!pass->wanted(info->dlpi_name) || holds(info, pass->hooks[0].replacement)))
        return 0;
    read_headers(&object, info);
    if (object.symbols == NULL || object.names == NULL)
        return 0;
    for (int table = 0; table < 2; table++) {
        size_t count = object.bytes[table] / sizeof *object.tables[table];

        for (size_t i = 0; object.tables[table] != NULL && i < count; i++)
            visit_relocation(pass, &object, &object.tables[table][i]);
    }
    return 0;
}

static size_t run(struct pass pass)
{
    if (!SUPPORTED || pass.nhooks == 0)
        return 0;
    pthread_mutex_lock(&lock);
    (void)dl_iterate_phdr(visit_library, &pass);
    pthread_mutex_unlock(&lock);
    return pass.changed;
}

size_t hc_got_install(const struct hc_got_hook *hooks, size_t nhooks, hc_got_wanted_fn *wanted)
{
    return run((struct pass){.hooks = hooks, .nhooks = nhooks, .wanted = wanted});
}

size_t hc_got_remove(const struct hc_got_hook *hooks, size_t nhooks)
{
    return run((struct pass){.hooks = hooks, .nhooks = nhooks, .remove = true});
}
