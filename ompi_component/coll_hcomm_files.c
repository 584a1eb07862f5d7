#include "ompi_component/coll_hcomm_files.h"

#include "config/cfg_log.h"
#include "ompi_component/coll_hcomm_io.h"

#include <pthread.h>

/*
 * A component is asked, file by file, whether it serves it, and answers with
 * its table of functions.  In the place of each component's own answer stands
 * one of ours, which has it and hands out a table with our functions.
 */

enum { COMPONENTS = 8 }; /* Open MPI has two */

typedef const mca_io_base_module_2_0_0_t *query_fn(struct ompi_file_t         *file,
                                                   struct mca_io_base_file_t **data, int *priority);

struct wrapped {
    mca_io_base_component_2_0_0_t    *component;
    query_fn                         *query; /* its own */
    const mca_io_base_module_2_0_0_t *stock; /* its table; the same for every file */
    mca_io_base_module_2_0_0_t        ours;
};

/* The components are the process's. */
static struct wrapped  wrapped[COMPONENTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const mca_io_base_module_2_0_0_t *query(struct wrapped *entry, struct ompi_file_t *file,
                                               struct mca_io_base_file_t **data, int *priority)
{
    const mca_io_base_module_2_0_0_t *stock = entry->query(file, data, priority);

    if (stock == NULL)
        return NULL;
    pthread_mutex_lock(&lock);
    if (entry->stock != stock) {
        entry->stock = stock;
        entry->ours = hc_ompi_io_module(stock);
    }
    pthread_mutex_unlock(&lock);
    return &entry->ours;
}

/* Open MPI doesn't tell a component's function whose it is. */
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

#define X(i)                                                                       \
    static const mca_io_base_module_2_0_0_t *query_##i(                            \
        struct ompi_file_t *file, struct mca_io_base_file_t **data, int *priority) \
    {                                                                              \
        return query(&wrapped[i], file, data, priority);                           \
    }
EACH(X)
#undef X

#define X(i) query_##i,
static query_fn *const queries[COMPONENTS] = {EACH(X)};
#undef X

static int index_of(query_fn *function)
{
    int i = 0;

    while (i < COMPONENTS && queries[i] != function)
        i++;
    return i;
}

const mca_io_base_module_2_0_0_t *hc_ompi_io_stock(const struct ompi_file_t *file)
{
    return wrapped[index_of(file->f_io_selected_component.v2_0_0.io_file_query)].stock;
}

static int free_index(void)
{
    int i = 0;

    while (i < COMPONENTS && wrapped[i].component != NULL)
        i++;
    return i;
}

static void wrap(mca_io_base_component_2_0_0_t *component)
{
    int i = free_index();

    if (index_of(component->io_file_query) < COMPONENTS)
        return;
    if (i == COMPONENTS) {
        hc_log(HC_LOG_WARN, "MPI-IO component %s is not served: its files take host memory only",
               component->io_version.mca_component_name);
        return;
    }
    wrapped[i] = (struct wrapped){.component = component, .query = component->io_file_query};
    component->io_file_query = queries[i];
}

static void unwrap(mca_io_base_component_2_0_0_t *component)
{
    int i = index_of(component->io_file_query);

    if (i < COMPONENTS)
        component->io_file_query = wrapped[i].query;
}

static void for_each(void (*act)(mca_io_base_component_2_0_0_t *))
{
    mca_base_component_list_item_t *item;

    if (!mca_base_framework_is_open(&ompi_io_base_framework))
        return;
    OPAL_LIST_FOREACH(item, &ompi_io_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        act((mca_io_base_component_2_0_0_t *)item->cli_component);
    }
}

void hc_ompi_files_wrap(void)
{
    pthread_mutex_lock(&lock);
    for_each(wrap);
    pthread_mutex_unlock(&lock);
}

/* Where Open MPI has closed them before us, the list is gone with them. */
void hc_ompi_files_unwrap(void)
{
    pthread_mutex_lock(&lock);
    for_each(unwrap);
    for (int i = 0; i < COMPONENTS; i++)
        wrapped[i] = (struct wrapped){0};
    pthread_mutex_unlock(&lock);
}
