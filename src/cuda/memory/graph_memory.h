/* src/cuda/memory/graph_memory.h - memory that a node of a graph allocates.
 *
 * Its address is known when the node is made, and the same in all launches: the
 * room is taken then, and given back when no graph has it and it is not
 * `taken`. It is taken from the launch of its node to that of one that frees
 * it, or to cudaFree. With the lock. */
#ifndef CUDA_MEMORY_GRAPH_MEMORY_H
#define CUDA_MEMORY_GRAPH_MEMORY_H

#include "cuda/memory/range.h"

typedef struct cu_graph_memory {
    drv_object o;
    cu_device *device;
    uint64_t addr, size;
    bool taken;
} cu_graph_memory;

/* NULL: too little is left, reported in *code. Used once, by the caller. */
cu_graph_memory *graph_memory_new(cu_device *d, uint64_t size,
                                  cudaError_t *code);
void graph_memory_take(cu_graph_memory *m);
void graph_memory_give(cu_graph_memory *m);

#endif
