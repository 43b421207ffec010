/* src/cuda/stream/nodes.h - lists of nodes of graphs, each at most once. Own
 * their memory, not the nodes. With the lock. */
#ifndef CUDA_STREAM_NODES_H
#define CUDA_STREAM_NODES_H

#include <stdbool.h>

struct cu_node;

typedef struct cu_nodes {
    struct cu_node **at;
    unsigned count, room;
} cu_nodes;

void nodes_fini(cu_nodes *l); /* it is then empty */
/* False: it was there already. */
bool nodes_add(cu_nodes *l, struct cu_node *n);
void nodes_add_all(cu_nodes *l, const cu_nodes *more);
/* Where it is; l->count: nowhere. */
unsigned nodes_find(const cu_nodes *l, const struct cu_node *n);
void nodes_remove(cu_nodes *l, const struct cu_node *n);

#endif
