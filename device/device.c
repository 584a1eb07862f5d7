#include "device/device.h"

#include "config/cfg_log.h"
#include "config/cfg_param.h"
#include "device/dev_address.h"
#include "device/dev_load.h"
#include "device/dev_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* Asked in this order.  A new vendor is one line here. */
static const struct hc_dev_ops *const vendors[] = {
    &hc_dev_cuda,
    &hc_dev_hip,
    &hc_dev_ze,
};

enum { VENDORS = sizeof vendors / sizeof vendors[0] };

/* Drivers are the process's, hence globals.  The lock is for deciding and
 * opening; readers see the outcome through the atomics alone. */
enum decision {
    UNDECIDED,
    NOTHING_WANTED, /* no vendor is here that the user wants */
    WANTED,
    UNMET, /* parameter devices asks for what is not here */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int      decision;        /* enum decision */
static bool            wanted[VENDORS]; /* present, and the user wants it */
static atomic_int      nwanted;
static atomic_bool     opened[VENDORS];
static atomic_int      nopened;
static atomic_bool     in_child; /* forked: the drivers don't work here */
static atomic_ulong    libraries_seen;

const struct hc_dev_ops *hc_dev_vendor(int index)
{
    return index >= 0 && index < VENDORS ? vendors[index] : NULL;
}

static void after_fork(void)
{
    atomic_store(&in_child, true);
}

static bool names_vendor(const char *word, size_t length,
                         const struct hc_dev_ops *ops)
{
    const char *const words[] = {ops->name, ops->vendor,
                                 ops->kind == HC_DEV_HIP ? "rocm" : ops->name};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == length && strncmp(word, words[i], length) == 0)
            return true;
    }
    return false;
}

/* Whether parameter devices lets this vendor in; *named_out: by its name. */
static bool user_wants(const struct hc_dev_ops *ops, bool *named_out)
{
    const char *list = hc_param_text(HC_PARAM_DEVICES);

    *named_out = false;
    if (strcmp(list, "auto") == 0)
        return true;
    while (*list != '\0') {
        size_t length = strcspn(list, ",");

        if (names_vendor(list, length, ops))
            return *named_out = true;
        list += length + (list[length] == ',');
    }
    return false;
}

static hcomm_status check_device_words(void)
{
    const char *list = hc_param_text(HC_PARAM_DEVICES);

    if (strcmp(list, "auto") == 0 || strcmp(list, "none") == 0)
        return HCOMM_OK;
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        int    i = 0;

        while (i < VENDORS && !names_vendor(list, length, vendors[i]))
            i++;
        if (i == VENDORS) {
            hc_log(HC_LOG_ERROR,
                   "devices=%s: '%.*s' is no vendor; auto, none, cuda, hip "
                   "and ze are known",
                   hc_param_text(HC_PARAM_DEVICES), (int)length, list);
            return HCOMM_ERR_INVALID;
        }
        list += length + (list[length] == ',');
    }
    return HCOMM_OK;
}

hcomm_status hc_dev_check_wanted(void)
{
    hcomm_status status = check_device_words();

    for (int i = 0; i < VENDORS && status == HCOMM_OK; i++) {
        char why[256] = "this machine has none of its device nodes";
        bool named;

        (void)user_wants(vendors[i], &named);
        if (!named ||
            (vendors[i]->present() && vendors[i]->findable(why, sizeof why)))
            continue;
        hc_log(HC_LOG_ERROR,
               "devices=%s asks for %s, but %s; install the %s driver, or "
               "leave %s out",
               hc_param_text(HC_PARAM_DEVICES), vendors[i]->name, why,
               vendors[i]->vendor, vendors[i]->name);
        status = HCOMM_ERR_UNSUPPORTED;
    }
    return status;
}

/* Called with the lock held. */
static void decide(void)
{
    static bool minding_forks;
    int         count = 0;

    if (!minding_forks)
        (void)pthread_atfork(NULL, NULL, after_fork);
    minding_forks = true;
    for (int i = 0; i < VENDORS; i++) {
        bool named;

        wanted[i] = user_wants(vendors[i], &named) && vendors[i]->present();
        count += wanted[i];
    }
    hc_address_prepare();
    atomic_store(&nwanted, count);
    atomic_store(&libraries_seen, 0UL);
    if (hc_dev_check_wanted() != HCOMM_OK)
        atomic_store(&decision, UNMET);
    else
        atomic_store(&decision, count > 0 ? WANTED : NOTHING_WANTED);
}

static enum decision decided(void)
{
    int now = atomic_load_explicit(&decision, memory_order_acquire);

    if (now != UNDECIDED)
        return (enum decision)now;
    pthread_mutex_lock(&lock);
    if (atomic_load(&decision) == UNDECIDED)
        decide();
    pthread_mutex_unlock(&lock);
    return (enum decision)atomic_load(&decision);
}

void hc_dev_reconsider(void)
{
    pthread_mutex_lock(&lock);
    decide();
    pthread_mutex_unlock(&lock);
}

bool hc_dev_any_present(void)
{
    return decided() != NOTHING_WANTED;
}

/* Called with the lock held. */
static void open_vendor(int i)
{
    char         why[256];
    hcomm_status status = vendors[i]->open(HC_DEV_IF_LOADED, why, sizeof why);

    if (status == HCOMM_OK) {
        atomic_store(&opened[i], true);
        atomic_fetch_add(&nopened, 1);
        return;
    }
    hc_log(status == HCOMM_ERR_NOT_FOUND ? HC_LOG_DEBUG : HC_LOG_WARN,
           "%s not used: %s", vendors[i]->name, why);
    if (status != HCOMM_ERR_NOT_FOUND) {
        wanted[i] = false; /* it will not get better: said once */
        atomic_fetch_sub(&nwanted, 1);
    }
}

static void open_loaded(unsigned long seen)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < VENDORS; i++) {
        if (wanted[i] && !atomic_load(&opened[i]))
            open_vendor(i);
    }
    atomic_store(&libraries_seen, seen);
    pthread_mutex_unlock(&lock);
}

bool hc_dev_active(void)
{
    enum decision what = decided();
    unsigned long now;

    if (what == NOTHING_WANTED ||
        atomic_load_explicit(&in_child, memory_order_relaxed))
        return false;
    if (what == UNMET)
        return true; /* so that calls are asked, and refused */
    if (atomic_load_explicit(&nopened, memory_order_relaxed) <
        atomic_load_explicit(&nwanted, memory_order_relaxed)) {
        now = hc_dev_libraries_loaded();
        if (now != atomic_load_explicit(&libraries_seen, memory_order_relaxed))
            open_loaded(now);
    }
    return atomic_load_explicit(&nopened, memory_order_acquire) > 0;
}

bool hc_dev_surely_host(const void *a, const void *b)
{
    return decided() != UNMET && hc_address_is_plain_host(a) &&
           (b == a || hc_address_is_plain_host(b));
}

bool hc_dev_is_host(const void *ptr)
{
    struct hc_dev_mem mem;

    return hc_dev_query(ptr, &mem) == HCOMM_OK && !hc_dev_must_stage(&mem);
}

hcomm_status hc_dev_query(const void *ptr, struct hc_dev_mem *mem_out)
{
    if (decided() == UNMET)
        return HCOMM_ERR_UNSUPPORTED; /* said when it was found out */
    if (hc_address_is_plain_host(ptr))
        return hc_dev_host.query(ptr, mem_out);
    for (int i = 0; i < VENDORS && !atomic_load(&in_child); i++) {
        hcomm_status status = HCOMM_ERR_NOT_FOUND;

        if (atomic_load_explicit(&opened[i], memory_order_acquire))
            status = vendors[i]->query(ptr, mem_out);
        if (status != HCOMM_ERR_NOT_FOUND)
            return status;
    }
    return hc_address_is_readable(ptr) ? hc_dev_host.query(ptr, mem_out)
                                       : HCOMM_ERR_INVALID;
}

bool hc_dev_must_stage(const struct hc_dev_mem *mem)
{
    return mem->type != HC_MEM_PAGEABLE && mem->type != HC_MEM_PINNED;
}

hcomm_status hc_dev_copy(const struct hc_dev_ops *ops,
                         struct hc_dev_queue *queue, void *dst, const void *src,
                         size_t bytes)
{
    const struct hc_dev_rows one = {
        .dst = dst,
        .src = src,
        .bytes = bytes,
        .dst_pitch = bytes,
        .src_pitch = bytes,
        .count = 1,
    };

    return bytes > 0 ? ops->copy_rows(queue, &one, 1) : HCOMM_OK;
}

hcomm_status hc_dev_wait(const struct hc_dev_mem *mem,
                         struct hc_dev_event     *event, void (*progress)(void))
{
    /* Looks before the core is lent out: on an idle machine a copy of a few
     * KiB is done by then. */
    enum { LOOKS = 1000 };
    hcomm_status status;

    for (int looks = 0; (status = mem->ops->test(event)) == HCOMM_IN_PROGRESS;
         looks++) {
        if (progress != NULL)
            progress();
        if (looks >= LOOKS)
            sched_yield();
    }
    return status;
}

void hc_dev_close_all(void)
{
    if (atomic_load(&in_child))
        return;
    hc_pool_trim(); /* while those who pinned it can unpin it */
    pthread_mutex_lock(&lock);
    for (int i = 0; i < VENDORS; i++) {
        if (!atomic_load(&opened[i]))
            continue;
        vendors[i]->close();
        atomic_store(&opened[i], false);
        atomic_fetch_sub(&nopened, 1);
    }
    atomic_store(&libraries_seen, 0UL);
    pthread_mutex_unlock(&lock);
}
