/* Instantiating, launching and updating graphs. Generation 11 and 12 differ in
 * the signatures of two functions. */
#include <stddef.h>
#include <stdlib.h>

#include "cuda/generation.h"
#include "cuda/graph/graph_exec.h"

/* ---- Making and ending ---- */

static void graph_exec_destroy(void *handle)
{
    cu_graph_exec *x = handle;

    drv_release(&x->graph->o);
    if (x->last)
        drv_drop(&x->last->o);
    free(x);
}

/* *bad: a node because of which it cannot be, or NULL. */
static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph,
                               unsigned long long flags, cudaGraphNode_t *bad)
{
    const unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                     cudaGraphInstantiateFlagUpload |
                                     cudaGraphInstantiateFlagUseNodePriority;
    cudaError_t code;
    cu_graph *g = cu_graph_get(graph, &code);
    cu_node *in = NULL;

    *bad = NULL;
    if (!g)
        return code;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the graph");
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return cu_fail(cudaErrorNotSupported,
                       "kernels cannot launch graphs here");
    if (flags & ~known)
        return cu_fail(cudaErrorInvalidValue, "flags 0x%llx: there are 0x%llx",
                       flags, known);
    code = graph_exec_prepare(g, &in);
    *bad = (cudaGraphNode_t)in;
    if (code != cudaSuccess)
        return code;
    cu_graph_exec *x =
        drv_object_new(CU_GRAPH_EXEC, sizeof *x, offsetof(cu_graph_exec, o),
                       graph_exec_destroy);
    if (!x)
        return cu_fail(cudaErrorMemoryAllocation, "no memory for a graph");
    x->graph = cu_graph_clone(g);
    x->graph->hidden = true;
    x->flags = flags;
    *out = (cudaGraphExec_t)x;
    return graph_exec_prepare(x->graph, &in);
}

EXPORT cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out,
                                                 cudaGraph_t graph,
                                                 unsigned long long flags)
{
    CUDA_CALL();
    cudaGraphNode_t bad;
    return instantiate(out, graph, flags, &bad);
}

/* Before 12 the third is where a bad node goes, and a message would go into
 * `log`; later it is flags. */
EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph,
                                        uintptr_t third, char *log, size_t room)
{
    CUDA_CALL();
    bool old = cu_program_generation() < CUDA_12;
    cudaGraphNode_t bad;
    cudaError_t code = instantiate(out, graph, old ? 0 : third, &bad);

    if (old && third)
        *(cudaGraphNode_t *)third = bad;
    if (old && log && room)
        *log = 0;
    return code;
}

EXPORT cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *out,
                                                  cudaGraph_t graph,
                                                  cudaGraphInstantiateParams *p)
{
    CUDA_CALL();

    if (!p)
        return cu_fail(cudaErrorInvalidValue, "there are no parameters");
    cudaError_t code = instantiate(out, graph, p->flags, &p->errNode_out);
    p->result_out = code == cudaSuccess ? cudaGraphInstantiateSuccess
                    : p->errNode_out    ? cudaGraphInstantiateInvalidStructure
                    : code == cudaErrorNotSupported
                        ? cudaGraphInstantiateNodeOperationNotSupported
                        : cudaGraphInstantiateError;
    return code;
}

EXPORT cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    CUDA_CALL();
    cudaError_t code;
    cu_graph_exec *x = graph_exec_get(exec, &code);

    if (x)
        drv_release(&x->o);
    return code;
}

EXPORT cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec,
                                         unsigned long long *out)
{
    CUDA_CALL();
    cudaError_t code;
    const cu_graph_exec *x = graph_exec_get(exec, &code);

    if (x && !out)
        return cu_fail(cudaErrorInvalidValue, "no place for the flags");
    if (x)
        *out = x->flags;
    return code;
}

/* ---- Launching ---- */

EXPORT cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    CUDA_CALL();
    cudaError_t code;
    cu_graph_exec *x = graph_exec_get(exec, &code);
    cu_stream *s = x ? stream_get(stream) : NULL;

    if (!x)
        return code;
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (s->capture)
        return op_submit(s, &(cu_op){.kind = CU_OP_GRAPH,
                                     .graph = cu_graph_clone(x->graph)});
    return graph_exec_launch(x, s);
}

/* There is nothing to move before a launch. */
EXPORT cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    CUDA_CALL();
    cudaError_t code;

    if (!graph_exec_get(exec, &code))
        return code;
    return stream_get(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* ---- Nodes that are left out ---- */

static bool can_be_disabled(const cu_node *n)
{
    return n->op.kind == CU_OP_LAUNCH || n->op.kind == CU_OP_COPY ||
           n->op.kind == CU_OP_FILL;
}

EXPORT cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec,
                                           cudaGraphNode_t node, unsigned is)
{
    CUDA_CALL();
    cudaError_t code;
    cu_node *n = graph_exec_node(exec, node, &code);

    if (!n)
        return code;
    if (!can_be_disabled(n))
        return cu_fail(cudaErrorInvalidValue,
                       "only kernels, copies and fills can be left out");
    n->disabled = !is;
    return cudaSuccess;
}

EXPORT cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec,
                                           cudaGraphNode_t node, unsigned *out)
{
    CUDA_CALL();
    cudaError_t code;
    const cu_node *n = graph_exec_node(exec, node, &code);

    if (!n)
        return code;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    *out = !n->disabled;
    return cudaSuccess;
}

/* ---- Updating ---- */

static bool same_edges(const cu_node *a, const cu_node *b)
{
    if (a->after.count != b->after.count)
        return false;
    for (unsigned i = 0; i < a->after.count; i++)
        if (a->after.at[i]->index != b->after.at[i]->index)
            return false;
    return true;
}

static bool same_memory(const cu_op *a, const cu_op *b)
{
    return (a->kind != CU_OP_ALLOC || a->memory == b->memory) &&
           (a->kind != CU_OP_FREE || a->freed == b->freed);
}

/* What the graph is to be launched as must look like it. */
static cudaGraphExecUpdateResult compare(const cu_graph *is, const cu_graph *to,
                                         cu_node **bad)
{
    *bad = NULL;
    if (is->nodes.count != to->nodes.count)
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (unsigned i = 0; i < is->nodes.count; i++) {
        const cu_node *a = is->nodes.at[i];
        cu_node *b = to->nodes.at[i];
        cudaGraphExecUpdateResult r = cudaGraphExecUpdateSuccess;

        *bad = b;
        if (a->op.kind != b->op.kind)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (!same_edges(a, b))
            return cudaGraphExecUpdateErrorTopologyChanged;
        if (!same_memory(&a->op, &b->op) || a->device != b->device)
            return cudaGraphExecUpdateErrorParametersChanged;
        if (a->op.kind == CU_OP_GRAPH)
            r = compare(a->op.graph, b->op.graph, bad);
        if (r != cudaGraphExecUpdateSuccess)
            return r;
    }
    *bad = NULL;
    return cudaGraphExecUpdateSuccess;
}

static void update(cu_graph *is, const cu_graph *to)
{
    for (unsigned i = 0; i < is->nodes.count; i++) {
        cu_node *n = is->nodes.at[i];

        if (n->op.kind == CU_OP_GRAPH)
            update(n->op.graph, to->nodes.at[i]->op.graph);
        else
            node_set(n, op_copy(&to->nodes.at[i]->op));
    }
}

static cudaError_t update_exec(cudaGraphExec_t exec, cudaGraph_t graph,
                               cudaGraphExecUpdateResultInfo *info)
{
    cudaError_t code;
    const cu_graph_exec *x = graph_exec_get(exec, &code);
    const cu_graph *g = x ? cu_graph_get(graph, &code) : NULL;
    cu_node *bad;

    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateError};
    if (!g)
        return code;
    info->result = compare(x->graph, g, &bad);
    info->errorNode = (cudaGraphNode_t)bad;
    if (info->result != cudaGraphExecUpdateSuccess)
        return cu_fail(cudaErrorGraphExecUpdateFailure,
                       "the graph has other nodes or edges than the one that "
                       "was instantiated");
    update(x->graph, g);
    return cudaSuccess;
}

/* Before 12 the third is where a bad node goes, and the result the fourth. */
EXPORT cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       void *third,
                                       cudaGraphExecUpdateResult *fourth)
{
    CUDA_CALL();
    cudaGraphExecUpdateResultInfo info;
    cudaError_t code = update_exec(exec, graph, &info);

    if (cu_program_generation() >= CUDA_12) {
        if (third)
            *(cudaGraphExecUpdateResultInfo *)third = info;
        return code;
    }
    if (third)
        *(cudaGraphNode_t *)third = info.errorNode;
    if (fourth)
        *fourth = info.result;
    return code;
}
