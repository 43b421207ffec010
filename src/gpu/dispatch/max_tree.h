/* src/gpu/dispatch/max_tree.h - the largest of many keys, kept up to date: a
 * tree of comparators, of which a change of a key passes those on its way to
 * the root only while they change. Owns its nodes. */
#ifndef GPU_DISPATCH_MAX_TREE_H
#define GPU_DISPATCH_MAX_TREE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct max_node {
    uint32_t key;   /* largest below here */
    uint32_t count; /* of leaves that have it */
} max_node;

typedef struct max_tree {
    unsigned leaves; /* a power of two */
    max_node *node;  /* [1] the root, those of node n are 2n and 2n + 1 */
} max_tree;

/* `n` keys, all 0. */
void max_tree_init(max_tree *t, unsigned n);
void max_tree_fini(max_tree *t);

void max_tree_set(max_tree *t, unsigned i, uint32_t key);

static inline max_node max_tree_max(const max_tree *t) { return t->node[1]; }

/* The first i from `from` on, and from 0 on behind the last, that has the
 * largest key. */
unsigned max_tree_first(const max_tree *t, unsigned from);

#endif
