#include "ompi_component/ompi_got.h"

#include "device/dev_load.h"

#include "test/unit/unit.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REPLACED = -4711, LIBRARIES = 3 };

/* How each was linked decides by what table, and how writable, it calls. */
static const char *const names[LIBRARIES] = {"got_lazy", "got_now",
                                             "got_noplt"};

struct library {
    void *handle;
    int (*calls)(void);
    int (*calls_through_pointer)(void);
};

static pid_t replacement(void)
{
    return REPLACED;
}

static const struct hc_got_hook hooks[] = {
    {"getppid", (hc_got_function *)getppid, (hc_got_function *)replacement},
};

static bool is_ours(const char *name)
{
    return strstr(name, "/got_") != NULL;
}

static bool is_any(const char *name)
{
    (void)name;
    return true;
}

static struct library load(const char *name)
{
    struct library library;
    char           path[256];

    snprintf(path, sizeof path, "test/unit/.libs/%s.so", name);
    library.handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (library.handle == NULL)
        fail_msg("%s", dlerror());
    *(void **)&library.calls = dlsym(library.handle, "got_library_calls");
    *(void **)&library.calls_through_pointer =
        dlsym(library.handle, "got_library_calls_through_pointer");
    assert_non_null(library.calls);
    assert_non_null(library.calls_through_pointer);
    return library;
}

static void unload(struct library *library)
{
    assert_int_equal(dlclose(library->handle), 0);
}

static void expect(const struct library *library, int answer)
{
    assert_int_equal(library->calls(), answer);
    assert_int_equal(library->calls_through_pointer(), answer);
}

/* Before the first call (not yet bound), and after it. */
static void calls_go_elsewhere_and_back(void **state)
{
    (void)state;
    for (int i = 0; i < LIBRARIES; i++) {
        struct library library = load(names[i]);

        for (int round = 0; round < 2; round++) {
            assert_true(hc_got_install(hooks, 1, is_ours) >= 2);
            expect(&library, REPLACED);
            assert_int_equal(hc_got_install(hooks, 1, is_ours), 0);
            assert_true(hc_got_remove(hooks, 1) >= 2);
            expect(&library, (int)getppid());
            assert_int_equal(hc_got_remove(hooks, 1), 0);
        }
        unload(&library);
    }
}

static void what_is_loaded_later_takes_another_call(void **state)
{
    struct library first = load(names[0]), second;
    unsigned long  before;

    (void)state;
    assert_true(hc_got_install(hooks, 1, is_ours) > 0);
    before = hc_dev_libraries_loaded();
    second = load(names[1]);
    assert_true(hc_dev_libraries_loaded() > before);
    expect(&second, (int)getppid());
    assert_true(hc_got_install(hooks, 1, is_ours) > 0);
    expect(&first, REPLACED);
    expect(&second, REPLACED);
    unload(&first); /* nothing remembers it */
    assert_true(hc_got_remove(hooks, 1) > 0);
    expect(&second, (int)getppid());
    unload(&second);
}

static void other_libraries_and_our_own_calls_are_let_alone(void **state)
{
    struct library library = load(names[0]);

    (void)state;
    (void)hc_got_install(hooks, 1, is_any);
    assert_int_not_equal(getppid(),
                         REPLACED); /* this program holds replacement */
    assert_int_equal(library.calls(), REPLACED);
    (void)hc_got_remove(hooks, 1);
    assert_int_equal(library.calls(), (int)getppid());
    unload(&library);
}

struct page_search {
    uintptr_t begin, end; /* of what is read-only once loaded */
    bool      found;
};

static int find_sealed(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    struct page_search *search = arg;
    uintptr_t           page = (uintptr_t)sysconf(_SC_PAGESIZE);

    (void)bytes;
    if (strstr(info->dlpi_name, "/got_now") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;

        if (header->p_type != PT_GNU_RELRO)
            continue;
        search->begin = begin & ~(page - 1);
        search->end = (begin + header->p_memsz) & ~(page - 1);
        search->found = search->end > search->begin;
    }
    return 1;
}

static bool is_writable(uintptr_t address)
{
    FILE         *maps = fopen("/proc/self/maps", "re");
    char          line[512], access[8];
    unsigned long begin, end;
    bool          writable = false;

    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL)
        if (sscanf(line, "%lx-%lx %7s", &begin, &end, access) == 3 &&
            address >= begin && address < end)
            writable = access[1] == 'w';
    fclose(maps);
    return writable;
}

static void a_sealed_table_is_sealed_again(void **state)
{
    struct library     library = load("got_now");
    struct page_search search = {0};

    (void)state;
    (void)dl_iterate_phdr(find_sealed, &search);
    assert_true(search.found);
    assert_false(is_writable(search.begin));
    assert_true(hc_got_install(hooks, 1, is_ours) > 0);
    assert_int_equal(library.calls(), REPLACED);
    for (uintptr_t page = search.begin; page < search.end;
         page += (uintptr_t)sysconf(_SC_PAGESIZE))
        assert_false(is_writable(page));
    assert_true(hc_got_remove(hooks, 1) > 0);
    unload(&library);
}

static atomic_bool stop;

static void *call_without_end(void *arg)
{
    const struct library *library = arg;
    int                   parent = (int)getppid();

    while (!atomic_load(&stop)) {
        int answer = library->calls();

        if (answer != REPLACED && answer != parent)
            return arg;
    }
    return NULL;
}

static void *install_and_remove(void *arg)
{
    (void)arg;
    for (int i = 0; i < 300; i++) {
        (void)hc_got_install(hooks, 1, is_ours);
        (void)hc_got_remove(hooks, 1);
    }
    return NULL;
}

static void threads_may_call_and_change_at_once(void **state)
{
    struct library library = load("got_now");
    pthread_t      caller, changer;
    void          *wrong;

    (void)state;
    assert_int_equal(pthread_create(&caller, NULL, call_without_end, &library),
                     0);
    assert_int_equal(pthread_create(&changer, NULL, install_and_remove, NULL),
                     0);
    (void)install_and_remove(NULL);
    pthread_join(changer, NULL);
    atomic_store(&stop, true);
    pthread_join(caller, &wrong);
    assert_null(wrong);
    unload(&library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_go_elsewhere_and_back),
        cmocka_unit_test(what_is_loaded_later_takes_another_call),
        cmocka_unit_test(other_libraries_and_our_own_calls_are_let_alone),
        cmocka_unit_test(a_sealed_table_is_sealed_again),
        cmocka_unit_test(threads_may_call_and_change_at_once),
    };

    if (!hc_got_is_supported())
        return 77;
    return cmocka_run_group_tests_name("ompi_got", tests, NULL, NULL);
}
