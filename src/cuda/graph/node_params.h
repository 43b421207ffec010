/* src/cuda/graph/node_params.h - parameters of nodes, as the API has them, and
 * the operations that they stand for. Each function checks what it is given,
 * and reports; the caller owns the operation. With the lock. */
#ifndef CUDA_GRAPH_NODE_PARAMS_H
#define CUDA_GRAPH_NODE_PARAMS_H

#include "cuda/stream/node.h"

cudaError_t kernel_op(const cudaKernelNodeParams *p, cu_op *op);
cudaError_t box_op(const cudaMemcpy3DParms *p, cu_op *op);
cudaError_t bytes_op(void *to, const void *from, size_t count,
                     cudaMemcpyKind kind, cu_op *op);
cudaError_t symbol_op(const void *symbol, size_t offset, const void *other,
                      size_t count, bool to_symbol, cudaMemcpyKind kind,
                      cu_op *op);
cudaError_t fill_op(const cudaMemsetParams *p, cu_op *op);
cudaError_t host_op(const cudaHostNodeParams *p, cu_op *op);
cudaError_t child_op(cudaGraph_t graph, cu_op *op);
cudaError_t event_op(cu_op_kind kind, cudaEvent_t event, cu_op *op);
cudaError_t alloc_op(cudaMemAllocNodeParams *p, cu_op *op); /* sets p->dptr */
cudaError_t free_op(void *at, cu_op *op);
/* That of all kinds. */
cudaError_t params_op(cudaGraphNodeParams *p, cu_op *op);

/* The node has to be of that kind, and *out is where they go. */
cudaError_t kernel_params(cu_node *n, cudaKernelNodeParams *out);
void box_params(const cu_copy *c, cudaMemcpy3DParms *out);
void fill_params(const cu_fill *f, cudaMemsetParams *out);
void alloc_params(const cu_node *n, cudaMemAllocNodeParams *out);

#endif
