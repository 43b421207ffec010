/* workloads/hashbuild/main.c - keys counted in a hash table with a lock for
 * each bucket, by fewer buckets than a warp has lanes or by many. The chains
 * stand in the order of chance, so what they hold is sorted before it is
 * compared. */
#include "rig.h"

#include <stdlib.h>

RIG_SOURCE("hashbuild/kernel.cl");

enum {
    SAME = 4, /* items with the same key, on average */
    NODE = 3, /* words of a node */
};

typedef struct node {
    uint32_t key, count, next;
} node;

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void gen(wl *w, unsigned n)
{
    uint32_t *key = wl_input_u32(w, "key", n);
    uint32_t *sorted = wl_expect_u32(w, "sorted", n);
    uint32_t *used = wl_expect_u32(w, "used", 1);
    unsigned buckets = wl_get(w, "buckets");

    wl_zero(w, "lock", WL_U32, buckets);
    wl_zero(w, "head", WL_U32, buckets);
    wl_zero(w, "nodes", WL_U32, ((size_t)n + 1) * NODE);
    wl_require(w, !(buckets & (buckets - 1)), "--buckets is a power of two");
    for (unsigned i = 0; i < n; i++)
        sorted[i] = key[i] = wl_below(w, n / SAME + 1) * 2654435761u;
    qsort(sorted, n, sizeof *sorted, compare);
    for (unsigned i = 0; i < n; i++)
        used[0] += !i || sorted[i] != sorted[i - 1];
}

/* All keys of a chain, each as often as it was counted; not more than are left
 * in `out`, which a chain that comes back to itself would need. */
static unsigned walk(const node *nodes, uint32_t at, uint32_t *out,
                     unsigned left)
{
    unsigned got = 0;

    for (; at && got < left; at = nodes[at].next)
        for (uint32_t c = 0; c < nodes[at].count && got < left; c++)
            out[got++] = nodes[at].key;
    return got;
}

static void check(rig *o, dev_memory head, dev_memory nodes, unsigned buckets)
{
    unsigned n = o->size, got = 0;
    uint32_t *first = rig_alloc(o, buckets * sizeof *first);
    uint32_t *sorted = rig_alloc(o, n * sizeof *sorted);
    node *all = rig_alloc(o, ((size_t)n + 1) * sizeof *all);

    rig_read(o, head, first, buckets * sizeof *first);
    rig_read(o, nodes, all, ((size_t)n + 1) * sizeof *all);
    for (unsigned b = 0; b < buckets; b++)
        got += walk(all, first[b] <= n ? first[b] : 0, sorted + got, n - got);
    qsort(sorted, n, sizeof *sorted, compare);
    rig_compare(o, "sorted", sorted);
    free(first);
    free(sorted);
    free(all);
}

static void run(rig *o)
{
    unsigned n = o->size, buckets = wl_get(o->data, "buckets");
    dev_kernel insert = rig_kernel(o, "insert");
    dev_memory key = rig_buffer(o, "key"), used = rig_buffer(o, "used");
    dev_memory lock = rig_buffer(o, "lock"), head = rig_buffer(o, "head");
    dev_memory nodes = rig_buffer(o, "nodes");

    rig_args(o, insert, "mmmmmuu", key, lock, head, nodes, used, n,
             buckets - 1);
    rig_run(o, insert, n, 128);
    rig_check(o, "used", used);
    check(o, head, nodes, buckets);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "hashbuild", "keys counted in a hash table, a lock for each bucket", 0,
        "items", gen};
    static const wl_knob knobs[WL_KNOBS] = {
        {"buckets", "of the table, a power of two", 64, 1, 1 << 20, NULL}};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {2048, 8192, 32768},
        .run = run,
        .knobs = knobs,
    };

    return rig_main(&program, argc, argv);
}
