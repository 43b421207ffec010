/* src/cuda/graph/graph_exec.h - graphs to launch: a copy of a graph, in order.
 *
 * A launch puts the nodes into a queue without order, each to begin after the
 * ends of those that it comes after; so those that do not wait for each other
 * are in flight together. The stream waits for the last of them. A graph that
 * is one chain goes into the stream itself. With the lock. */
#ifndef CUDA_GRAPH_GRAPH_EXEC_H
#define CUDA_GRAPH_GRAPH_EXEC_H

#include "cuda/stream/node.h"

typedef struct cu_graph_exec {
    drv_object o;
    cu_graph *graph; /* owned */
    unsigned long long flags;
    drv_event *last; /* of its last launch, NULL: there was none */
} cu_graph_exec;

/* NULL: it is none, reported. */
cu_graph_exec *graph_exec_get(cudaGraphExec_t handle, cudaError_t *code);
/* The copy of the node of the graph that it was made from. */
cu_node *graph_exec_node(cudaGraphExec_t handle, cudaGraphNode_t node,
                         cudaError_t *code);
/* Makes the graph ready to be launched; cudaErrorInvalidValue: nodes come after
 * each other in a circle, of which *bad is one. */
cudaError_t graph_exec_prepare(cu_graph *g, cu_node **bad);
/* The node does this from now on, which has to be of the same kind. Takes over
 * what the operation owns. */
cudaError_t node_replace(cu_node *n, cu_op *op);
/* Puts it all into the stream. */
cudaError_t graph_exec_launch(cu_graph_exec *x, cu_stream *s);

#endif
