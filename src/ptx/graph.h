/* src/ptx/graph.h - directed graphs of numbered nodes: order, dominators,
 * natural loops. Independent of PTX, because the compiler uses
 * it on machine code, too. Results live in the arena given. */
#ifndef PTX_GRAPH_H
#define PTX_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#define GRAPH_NONE UINT32_MAX

typedef struct graph_edge {
    uint32_t from;
    uint32_t to;
} graph_edge;

/* Successors of node i: succ[succ_at[i]] .. succ[succ_at[i + 1] - 1], in the
 * order in which their edges were given; predecessors alike. */
typedef struct graph {
    uint32_t n;
    uint32_t *succ_at;
    uint32_t *succ;
    uint32_t *pred_at;
    uint32_t *pred;
} graph;

graph *graph_new(arena *a, uint32_t n, const graph_edge *edges, uint32_t count);

static inline uint32_t graph_nsucc(const graph *g, uint32_t i)
{
    return g->succ_at[i + 1] - g->succ_at[i];
}

static inline uint32_t graph_npred(const graph *g, uint32_t i)
{
    return g->pred_at[i + 1] - g->pred_at[i];
}

/* Reverse post-order of what `entry` reaches; *count of them. */
uint32_t *graph_rpo(arena *a, const graph *g, uint32_t entry, uint32_t *count);

/* idom[n]: GRAPH_NONE for the entry and for unreachable nodes. */
uint32_t *graph_dominators(arena *a, const graph *g, uint32_t entry);

typedef struct graph_loop {
    uint32_t header;
    uint32_t parent; /* index of the loop around it, GRAPH_NONE */
    uint32_t depth;  /* 1: outermost */
    uint32_t count;
    uint32_t *nodes; /* ascending, the header among them */
} graph_loop;

typedef struct graph_loops {
    uint32_t count;
    graph_loop *loops; /* outer before inner */
    uint32_t *of_node; /* innermost loop of each node, GRAPH_NONE */
    bool irreducible;  /* some cycle has two entries and is not listed */
} graph_loops;

graph_loops *graph_find_loops(arena *a, const graph *g, uint32_t entry);

#endif
