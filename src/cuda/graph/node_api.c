/* Adding nodes of each kind to graphs, and their parameters. */
#include <string.h>

#include "cuda/generation.h"
#include "cuda/graph/graph_exec.h"
#include "cuda/graph/node_params.h"
#include "cuda/module/cluster_launch.h"
#include "cuda/stream/window.h"

/* ---- Adding ---- */

/* A node for the operation that `made` says could be made, or why not. */
static cudaError_t add_node(cudaGraphNode_t *out, cudaGraph_t graph,
                            const cudaGraphNode_t *after, size_t count,
                            cu_op *op, cudaError_t made)
{
    cudaError_t code = made;
    cu_graph *g = made == cudaSuccess ? cu_graph_get(graph, &code) : NULL;
    cu_nodes before = {0};

    if (made != cudaSuccess)
        return made;
    if (g && !out)
        code = cu_fail(cudaErrorInvalidValue, "no place for the node");
    if (code == cudaSuccess)
        code = nodes_get(g, after, count, &before);
    if (code == cudaSuccess)
        *out = (cudaGraphNode_t)node_new(g, *op, &before, cu_current());
    else
        op_fini(op);
    nodes_fini(&before);
    return code;
}

/* A function with what all that add nodes have, and more. */
#define ADD_NODE(name, make, ...)                                              \
    EXPORT cudaError_t name(cudaGraphNode_t *out, cudaGraph_t graph,           \
                            const cudaGraphNode_t *after, size_t count,        \
                            __VA_ARGS__)                                       \
    {                                                                          \
        CUDA_CALL();                                                           \
        cu_op op;                                                              \
        cudaError_t made = make;                                               \
                                                                               \
        return add_node(out, graph, after, count, &op, made);                  \
    }

ADD_NODE(cudaGraphAddKernelNode, kernel_op(p, &op),
         const cudaKernelNodeParams *p)
ADD_NODE(cudaGraphAddMemcpyNode, box_op(p, &op), const cudaMemcpy3DParms *p)
ADD_NODE(cudaGraphAddMemcpyNode1D, bytes_op(to, from, size, kind, &op),
         void *to, const void *from, size_t size, cudaMemcpyKind kind)
ADD_NODE(cudaGraphAddMemcpyNodeToSymbol,
         symbol_op(symbol, offset, from, size, true, kind, &op),
         const void *symbol, const void *from, size_t size, size_t offset,
         cudaMemcpyKind kind)
ADD_NODE(cudaGraphAddMemcpyNodeFromSymbol,
         symbol_op(symbol, offset, to, size, false, kind, &op), void *to,
         const void *symbol, size_t size, size_t offset, cudaMemcpyKind kind)
ADD_NODE(cudaGraphAddMemsetNode, fill_op(p, &op), const cudaMemsetParams *p)
ADD_NODE(cudaGraphAddHostNode, host_op(p, &op), const cudaHostNodeParams *p)
ADD_NODE(cudaGraphAddChildGraphNode, child_op(child, &op), cudaGraph_t child)
ADD_NODE(cudaGraphAddEventRecordNode, event_op(CU_OP_RECORD, event, &op),
         cudaEvent_t event)
ADD_NODE(cudaGraphAddEventWaitNode, event_op(CU_OP_WAIT, event, &op),
         cudaEvent_t event)
ADD_NODE(cudaGraphAddMemAllocNode, alloc_op(p, &op), cudaMemAllocNodeParams *p)
ADD_NODE(cudaGraphAddMemFreeNode, free_op(at, &op), void *at)

EXPORT cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out,
                                         cudaGraph_t graph,
                                         const cudaGraphNode_t *after,
                                         size_t count)
{
    CUDA_CALL();
    return add_node(out, graph, after, count, &(cu_op){.kind = CU_OP_EMPTY},
                    cudaSuccess);
}

EXPORT cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *out, cudaGraph_t graph,
                                       const cudaGraphNode_t *after,
                                       const cudaGraphEdgeData *edges,
                                       size_t count, cudaGraphNodeParams *p)
{
    CUDA_CALL();
    cu_op op;
    cudaError_t made = params_op(p, &op);

    (void)edges; /* all dependencies are whole */
    return add_node(out, graph, after, count, &op, made);
}

/* Before 13 without data of edges: then the fourth is the count. */
EXPORT cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                    const cudaGraphNode_t *after,
                                    uintptr_t fourth, uintptr_t fifth,
                                    cudaGraphNodeParams *sixth)
{
    if (cu_program_generation() < CUDA_13)
        return cudaGraphAddNode_v2(out, graph, after, NULL, fourth,
                                   (cudaGraphNodeParams *)fifth);
    return cudaGraphAddNode_v2(out, graph, after, NULL, fifth, sixth);
}

/* ---- Asking ---- */

/* The node, which has to be of this kind; NULL: *code says why not. */
static cu_node *node_of(cudaGraphNode_t node, cu_op_kind kind, const void *out,
                        cudaError_t *code)
{
    cu_node *n = node_get(node, code);

    if (!n)
        return NULL;
    if (n->op.kind == kind && out)
        return n;
    *code = cu_fail(cudaErrorInvalidValue, "the node is of another kind, or "
                                           "there is no place for the answer");
    return NULL;
}

#define GET_NODE(name, kind, type, set)                                        \
    EXPORT cudaError_t name(cudaGraphNode_t node, type *out)                   \
    {                                                                          \
        CUDA_CALL();                                                           \
        cudaError_t code;                                                      \
        cu_node *n = node_of(node, kind, out, &code);                          \
                                                                               \
        if (n)                                                                 \
            set;                                                               \
        return code;                                                           \
    }

GET_NODE(cudaGraphKernelNodeGetParams, CU_OP_LAUNCH, cudaKernelNodeParams,
         code = kernel_params(n, out))
GET_NODE(cudaGraphMemcpyNodeGetParams, CU_OP_COPY, cudaMemcpy3DParms,
         box_params(&n->op.copy, out))
GET_NODE(cudaGraphMemsetNodeGetParams, CU_OP_FILL, cudaMemsetParams,
         fill_params(&n->op.fill, out))
GET_NODE(cudaGraphHostNodeGetParams, CU_OP_HOST, cudaHostNodeParams,
         *out = ((cudaHostNodeParams){n->op.host.call, n->op.host.data}))
GET_NODE(cudaGraphChildGraphNodeGetGraph, CU_OP_GRAPH, cudaGraph_t,
         *out = (cudaGraph_t)n->op.graph)
GET_NODE(cudaGraphEventRecordNodeGetEvent, CU_OP_RECORD, cudaEvent_t,
         *out = (cudaEvent_t)n->op.event)
GET_NODE(cudaGraphEventWaitNodeGetEvent, CU_OP_WAIT, cudaEvent_t,
         *out = (cudaEvent_t)n->op.event)
GET_NODE(cudaGraphMemAllocNodeGetParams, CU_OP_ALLOC, cudaMemAllocNodeParams,
         alloc_params(n, out))
GET_NODE(cudaGraphMemFreeNodeGetParams, CU_OP_FREE, void *, *out = n->op.freed)

/* ---- Changing, in a graph and in one to launch ---- */

/* The node gets the operation that `made` says could be made, or why not; NULL:
 * `code` says why there is no node. */
static cudaError_t change_node(cu_node *n, cu_op *op, cudaError_t made,
                               cudaError_t code)
{
    if (n)
        return node_replace(n, op);
    if (made == cudaSuccess)
        op_fini(op);
    return code;
}

static cudaError_t set_node(cudaGraphNode_t node, cu_op *op, cudaError_t made)
{
    cudaError_t code = made;
    cu_node *n = made == cudaSuccess ? node_get(node, &code) : NULL;

    return change_node(n, op, made, code);
}

static cudaError_t set_launched(cudaGraphExec_t exec, cudaGraphNode_t node,
                                cu_op *op, cudaError_t made)
{
    cudaError_t code = made;
    cu_node *n =
        made == cudaSuccess ? graph_exec_node(exec, node, &code) : NULL;

    return change_node(n, op, made, code);
}

#define SET_NODE(name, exec_name, make, ...)                                   \
    EXPORT cudaError_t name(cudaGraphNode_t node, __VA_ARGS__)                 \
    {                                                                          \
        CUDA_CALL();                                                           \
        cu_op op;                                                              \
        cudaError_t made = make;                                               \
                                                                               \
        return set_node(node, &op, made);                                      \
    }                                                                          \
    SET_LAUNCHED(exec_name, make, __VA_ARGS__)
#define SET_LAUNCHED(name, make, ...)                                          \
    EXPORT cudaError_t name(cudaGraphExec_t exec, cudaGraphNode_t node,        \
                            __VA_ARGS__)                                       \
    {                                                                          \
        CUDA_CALL();                                                           \
        cu_op op;                                                              \
        cudaError_t made = make;                                               \
                                                                               \
        return set_launched(exec, node, &op, made);                            \
    }

SET_NODE(cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams,
         kernel_op(p, &op), const cudaKernelNodeParams *p)
SET_NODE(cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams,
         box_op(p, &op), const cudaMemcpy3DParms *p)
SET_NODE(cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D,
         bytes_op(to, from, size, kind, &op), void *to, const void *from,
         size_t size, cudaMemcpyKind kind)
SET_NODE(cudaGraphMemcpyNodeSetParamsToSymbol,
         cudaGraphExecMemcpyNodeSetParamsToSymbol,
         symbol_op(symbol, offset, from, size, true, kind, &op),
         const void *symbol, const void *from, size_t size, size_t offset,
         cudaMemcpyKind kind)
SET_NODE(cudaGraphMemcpyNodeSetParamsFromSymbol,
         cudaGraphExecMemcpyNodeSetParamsFromSymbol,
         symbol_op(symbol, offset, to, size, false, kind, &op), void *to,
         const void *symbol, size_t size, size_t offset, cudaMemcpyKind kind)
SET_NODE(cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams,
         fill_op(p, &op), const cudaMemsetParams *p)
SET_NODE(cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams,
         host_op(p, &op), const cudaHostNodeParams *p)
SET_NODE(cudaGraphEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
         event_op(CU_OP_RECORD, event, &op), cudaEvent_t event)
SET_NODE(cudaGraphEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
         event_op(CU_OP_WAIT, event, &op), cudaEvent_t event)
SET_NODE(cudaGraphNodeSetParams, cudaGraphExecNodeSetParams, params_op(p, &op),
         cudaGraphNodeParams *p)
SET_LAUNCHED(cudaGraphExecChildGraphNodeSetParams, child_op(child, &op),
             cudaGraph_t child)

/* ---- Attributes of kernels' nodes ---- */

EXPORT cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node,
                                                   int what, const void *value)
{
    CUDA_CALL();
    cudaError_t code;
    cu_node *n = node_of(node, CU_OP_LAUNCH, value, &code);

    /* Others are hints. */
    if (n && what == cudaLaunchAttributeClusterDimension)
        return cga_set(&n->op.launch, *(const dim3 *)value);
    if (n && what == cudaLaunchAttributeCooperative)
        n->op.launch.cooperative = *(const int *)value != 0;
    if (n && what == cudaLaunchAttributeAccessPolicyWindow)
        return cu_window_read(value, &n->op.launch.hints);
    return code;
}

EXPORT cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node,
                                                   int what, void *out)
{
    CUDA_CALL();
    cudaError_t code;
    const cu_node *n = node_of(node, CU_OP_LAUNCH, out, &code);

    if (!n)
        return code;
    memset(out, 0, sizeof(((cudaLaunchAttribute *)0)->val));
    if (what == cudaLaunchAttributeCooperative)
        *(int *)out = n->op.launch.cooperative;
    if (what == cudaLaunchAttributeAccessPolicyWindow)
        *(cudaAccessPolicyWindow *)out = cu_window_of(&n->op.launch.hints);
    if (what == cudaLaunchAttributeClusterDimension)
        memcpy(out, n->op.launch.cga, sizeof n->op.launch.cga);
    return cudaSuccess;
}

/* Before 13 the first is the source. */
EXPORT cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t first,
                                                     cudaGraphNode_t second)
{
    CUDA_CALL();
    bool old = cu_program_generation() < CUDA_13;
    cudaGraphNode_t from = old ? first : second, to = old ? second : first;
    cudaError_t code;
    const cu_node *a = node_of(from, CU_OP_LAUNCH, &code, &code);
    cu_node *b = a ? node_of(to, CU_OP_LAUNCH, &code, &code) : NULL;

    if (b)
        b->op.launch.cooperative = a->op.launch.cooperative;
    if (b)
        b->op.launch.hints = a->op.launch.hints;
    if (b)
        memcpy(b->op.launch.cga, a->op.launch.cga, sizeof a->op.launch.cga);
    return code;
}
