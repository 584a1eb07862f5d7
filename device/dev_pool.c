#include "device/dev_pool.h"

#include "config/cfg_log.h"
#include "config/cfg_param.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCK_MIN = 64 * 1024 }; /* bytes; a driver call pins no faster less */

/* The cap is the process's, hence one pool. */
static pthread_mutex_t       lock = PTHREAD_MUTEX_INITIALIZER;
static struct hc_pool_block *idle;
static size_t                pinned_bytes; /* in use and idle */
static size_t                idle_bytes;
static size_t                refused_bytes[HC_DEV_KINDS]; /* 0: never */

static size_t block_bytes(size_t bytes)
{
    size_t block = BLOCK_MIN;

    while (block < bytes && block <= SIZE_MAX / 2)
        block *= 2;
    return block;
}

/* Take the first idle block that fits from the list; any = of any size. */
static struct hc_pool_block *unlink_idle(const struct hc_dev_ops *ops,
                                         size_t bytes, bool any)
{
    struct hc_pool_block **link = &idle, *block;

    while ((block = *link) != NULL &&
           !(any || (block->mem.ops == ops && block->bytes == bytes)))
        link = &block->next;
    if (block != NULL) {
        *link = block->next;
        idle_bytes -= block->bytes;
    }
    return block;
}

/* Called with the lock held. */
static void destroy(struct hc_pool_block *block)
{
    block->mem.ops->unpin(&block->mem, block->ptr);
    munmap(block->ptr, block->bytes);
    pinned_bytes -= block->bytes;
    free(block);
}

/* Drivers have limits (ulimit -l, the IOMMU) that don't go away. */
static void note_refusal(const struct hc_dev_mem *mem, size_t bytes,
                         const char *why)
{
    size_t *refused = &refused_bytes[mem->ops->kind];

    if (*refused == 0)
        hc_log(HC_LOG_WARN,
               "%s would not pin %zu bytes of host memory (%s): staging goes "
               "on through ordinary memory, slower; check ulimit -l, or lower "
               "pinned_max (%s)",
               mem->ops->name, bytes, why, hc_param_text(HC_PARAM_PINNED_MAX));
    if (*refused == 0 || bytes < *refused)
        *refused = bytes;
}

static hcomm_status create(const struct hc_dev_mem *mem, size_t bytes,
                           struct hc_pool_block **block_out)
{
    char                  why[256] = "";
    struct hc_pool_block *block = calloc(1, sizeof *block);
    void                 *ptr = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (block == NULL || ptr == MAP_FAILED)
        goto fail;
    /* After a fork the parent's pages must stay those that the device knows,
     * and not become copies. */
    (void)madvise(ptr, bytes, MADV_DONTFORK);
    if (mem->ops->pin(mem, ptr, bytes, why, sizeof why) != HCOMM_OK) {
        note_refusal(mem, bytes, why);
        goto fail;
    }
    *block = (struct hc_pool_block){.ptr = ptr, .bytes = bytes, .mem = *mem};
    pinned_bytes += bytes;
    *block_out = block;
    return HCOMM_OK;

fail:
    if (ptr != MAP_FAILED)
        munmap(ptr, bytes);
    free(block);
    return HCOMM_ERR_NO_MEMORY;
}

static bool is_refused(const struct hc_dev_mem *mem, size_t bytes)
{
    size_t refused = refused_bytes[mem->ops->kind];

    return refused != 0 && bytes >= refused;
}

hcomm_status hc_pool_take(const struct hc_dev_mem *mem, size_t bytes,
                          struct hc_pool_block **block_out)
{
    size_t                most = hc_param_bytes(HC_PARAM_PINNED_MAX);
    size_t                want = block_bytes(bytes);
    struct hc_pool_block *block;
    hcomm_status          status = HCOMM_ERR_NO_MEMORY;

    if (want < bytes || want > most)
        return HCOMM_ERR_NO_MEMORY;

    pthread_mutex_lock(&lock);
    block = unlink_idle(mem->ops, want, false);
    if (block != NULL) {
        status = HCOMM_OK;
    } else if (!is_refused(mem, want) &&
               pinned_bytes - idle_bytes + want <= most) {
        while (pinned_bytes + want > most)
            destroy(unlink_idle(NULL, 0, true));
        status = create(mem, want, &block);
    }
    pthread_mutex_unlock(&lock);

    if (status == HCOMM_OK)
        *block_out = block;
    return status;
}

void hc_pool_give(struct hc_pool_block *block)
{
    if (block == NULL)
        return;
    pthread_mutex_lock(&lock);
    block->next = idle;
    idle = block;
    idle_bytes += block->bytes;
    pthread_mutex_unlock(&lock);
}

size_t hc_pool_bytes(void)
{
    size_t bytes;

    pthread_mutex_lock(&lock);
    bytes = pinned_bytes;
    pthread_mutex_unlock(&lock);
    return bytes;
}

void hc_pool_trim(void)
{
    struct hc_pool_block *block;

    pthread_mutex_lock(&lock);
    while ((block = unlink_idle(NULL, 0, true)) != NULL)
        destroy(block);
    memset(refused_bytes, 0, sizeof refused_bytes);
    pthread_mutex_unlock(&lock);
}
