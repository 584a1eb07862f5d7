#include "device/dev_pool.h"

#include "config/cfg_log.h"
#include "config/cfg_param.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { BLOCK_MIN = 64 * 1024 }; /* bytes; a driver call pins no faster less */

/* The cap is the process's, hence one pool. */
static pthread_mutex_t       lock = PTHREAD_MUTEX_INITIALIZER;
static struct hc_pool_block *idle;
static size_t                pinned_bytes;
static bool                  refusal_said;

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
    if (block != NULL)
        *link = block->next;
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

static hcomm_status create(const struct hc_dev_mem *mem, size_t bytes,
                           struct hc_pool_block **block_out)
{
    struct hc_pool_block *block = calloc(1, sizeof *block);
    void                 *ptr = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (block == NULL || ptr == MAP_FAILED)
        goto fail;
    if (mem->ops->pin(mem, ptr, bytes) != HCOMM_OK) {
        if (!refusal_said)
            hc_log(HC_LOG_WARN,
                   "staging goes on through ordinary memory, slower; check "
                   "ulimit -l, or lower pinned_max (%s)",
                   hc_param_text(HC_PARAM_PINNED_MAX));
        refusal_said = true;
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
    while (block == NULL && pinned_bytes + want > most) {
        struct hc_pool_block *other = unlink_idle(NULL, 0, true);

        if (other == NULL)
            break;
        destroy(other);
    }
    if (block != NULL)
        status = HCOMM_OK;
    else if (pinned_bytes + want <= most)
        status = create(mem, want, &block);
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
    pthread_mutex_unlock(&lock);
}
