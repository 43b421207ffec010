#include "gpu/dispatch/max_tree.h"

#include <stdlib.h>

#include "base/alloc.h"

void max_tree_init(max_tree *t, unsigned n)
{
    t->leaves = 1;
    while (t->leaves < n)
        t->leaves *= 2;
    t->node = new0((size_t)2 * t->leaves, sizeof *t->node);
    for (unsigned i = t->leaves; i < 2 * t->leaves; i++)
        t->node[i].count = 1;
    for (unsigned i = t->leaves; i-- > 1;)
        t->node[i].count = t->node[2 * i].count * 2;
}

void max_tree_fini(max_tree *t) { free(t->node); }

void max_tree_set(max_tree *t, unsigned i, uint32_t key)
{
    max_node *node = t->node;
    unsigned n = t->leaves + i;

    if (node[n].key == key)
        return;
    node[n].key = key;
    while (n /= 2) {
        const max_node *a = &node[2 * n], *b = a + 1;
        max_node best = a->key >= b->key ? *a : *b;

        if (a->key == b->key)
            best.count += a->count;
        if (best.key == node[n].key && best.count == node[n].count)
            return;
        node[n] = best;
    }
}

/* The first leaf below node `n` with the key that is its largest. */
static unsigned first_below(const max_tree *t, unsigned n)
{
    while (n < t->leaves) {
        n *= 2;
        n += t->node[n].key < t->node[n + 1].key;
    }
    return n - t->leaves;
}

unsigned max_tree_first(const max_tree *t, unsigned from)
{
    uint32_t best = t->node[1].key;
    unsigned n = t->leaves + from;

    if (from >= t->leaves)
        return first_below(t, 1);
    if (t->node[n].key == best)
        return from;
    for (; n > 1; n /= 2) /* right of the way up from there */
        if (n % 2 == 0 && t->node[n + 1].key == best)
            return first_below(t, n + 1);
    return first_below(t, 1);
}
