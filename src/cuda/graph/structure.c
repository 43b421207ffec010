/* Graphs and their nodes: making, asking, what comes after what. Since 12.3
 * some functions take data of edges, which are always 0 here; since 13 they
 * have the names of those that did not (`third`: the first argument that
 * differs). */
#include <string.h>

#include "cuda/generation.h"
#include "cuda/stream/capture.h"
#include "cuda/stream/node.h"

/* ---- Graphs ---- */

EXPORT cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags)
{
    CUDA_CALL();

    if (!out || flags)
        return cu_fail(cudaErrorInvalidValue,
                       "flags 0x%x must be 0, and there must be a place for "
                       "the graph",
                       flags);
    cu_graph *g = cu_graph_new();
    if (!g)
        return cu_fail(cudaErrorMemoryAllocation, "no memory for a graph");
    *out = (cudaGraph_t)g;
    return cudaSuccess;
}

EXPORT cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    CUDA_CALL();
    cudaError_t code;
    cu_graph *g = cu_graph_get(graph, &code);

    if (g && g->parent)
        return cu_fail(cudaErrorInvalidValue,
                       "the graph of a node is destroyed with it");
    if (g && (code = capture_check_graph(g)) == cudaSuccess)
        drv_release(&g->o);
    return code;
}

static bool has_memory(const cu_graph *g)
{
    for (unsigned i = 0; i < g->nodes.count; i++)
        if (g->nodes.at[i]->op.kind == CU_OP_ALLOC ||
            g->nodes.at[i]->op.kind == CU_OP_FREE)
            return true;
    return false;
}

EXPORT cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t graph)
{
    CUDA_CALL();
    cudaError_t code;
    const cu_graph *g = cu_graph_get(graph, &code);

    if (!g)
        return code;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the graph");
    if (has_memory(g))
        return cu_fail(cudaErrorNotSupported,
                       "graphs whose nodes allocate or free memory have no "
                       "clones");
    *out = (cudaGraph_t)cu_graph_clone(g);
    return cudaSuccess;
}

EXPORT cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out,
                                            cudaGraphNode_t node,
                                            cudaGraph_t clone)
{
    CUDA_CALL();
    cudaError_t code;
    const cu_node *n = node_get(node, &code);
    const cu_graph *g = n ? cu_graph_get(clone, &code) : NULL;

    if (!g)
        return code;
    cu_node *found = cu_graph_copied(g, n);
    if (!found || !out)
        return cu_fail(cudaErrorInvalidValue,
                       "the graph has no copy of this node");
    *out = (cudaGraphNode_t)found;
    return cudaSuccess;
}

/* ---- Lists ---- */

/* Without `out` *count becomes how many there are; else it is how many fit, and
 * becomes how many there were; the rest is set to NULL. */
static cudaError_t answer_nodes(const cu_nodes *l, cudaGraphNode_t *out,
                                size_t *count)
{
    if (!count)
        return cu_fail(cudaErrorInvalidValue, "no place for the count");
    size_t n = !out || *count > l->count ? l->count : *count;
    if (out && n)
        memcpy(out, l->at, n * sizeof *out);
    for (size_t i = n; out && i < *count; i++)
        out[i] = NULL;
    *count = n;
    return cudaSuccess;
}

static void clear_edges(cudaGraphEdgeData *edges, const size_t *count)
{
    if (edges && count)
        memset(edges, 0, *count * sizeof *edges);
}

EXPORT cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *out,
                                     size_t *count)
{
    CUDA_CALL();
    cudaError_t code;
    const cu_graph *g = cu_graph_get(graph, &code);

    return g ? answer_nodes(&g->nodes, out, count) : code;
}

EXPORT cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph,
                                         cudaGraphNode_t *out, size_t *count)
{
    CUDA_CALL();
    cudaError_t code;
    const cu_graph *g = cu_graph_get(graph, &code);
    cu_nodes roots = {0};

    if (!g)
        return code;
    for (unsigned i = 0; i < g->nodes.count; i++)
        if (!g->nodes.at[i]->after.count)
            nodes_add(&roots, g->nodes.at[i]);
    code = answer_nodes(&roots, out, count);
    nodes_fini(&roots);
    return code;
}

EXPORT cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node,
                                                   cudaGraphNode_t *out,
                                                   cudaGraphEdgeData *edges,
                                                   size_t *count)
{
    CUDA_CALL();
    cudaError_t code;
    const cu_node *n = node_get(node, &code);

    if (!n)
        return code;
    clear_edges(edges, count);
    return answer_nodes(&n->after, out, count);
}

EXPORT cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                                cudaGraphNode_t *out,
                                                void *third, size_t *fourth)
{
    if (cu_program_generation() < CUDA_13)
        return cudaGraphNodeGetDependencies_v2(node, out, NULL, third);
    return cudaGraphNodeGetDependencies_v2(node, out, third, fourth);
}

EXPORT cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node,
                                                     cudaGraphNode_t *out,
                                                     cudaGraphEdgeData *edges,
                                                     size_t *count)
{
    CUDA_CALL();
    cudaError_t code;
    cu_node *n = node_get(node, &code);
    cu_nodes followers = {0};

    if (!n)
        return code;
    clear_edges(edges, count);
    for (unsigned i = 0; i < n->graph->nodes.count; i++) {
        cu_node *m = n->graph->nodes.at[i];

        if (nodes_find(&m->after, n) < m->after.count)
            nodes_add(&followers, m);
    }
    code = answer_nodes(&followers, out, count);
    nodes_fini(&followers);
    return code;
}

EXPORT cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                  cudaGraphNode_t *out,
                                                  void *third, size_t *fourth)
{
    if (cu_program_generation() < CUDA_13)
        return cudaGraphNodeGetDependentNodes_v2(node, out, NULL, third);
    return cudaGraphNodeGetDependentNodes_v2(node, out, third, fourth);
}

EXPORT cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph,
                                        cudaGraphNode_t *from,
                                        cudaGraphNode_t *to,
                                        cudaGraphEdgeData *edges, size_t *count)
{
    CUDA_CALL();
    cudaError_t code;
    const cu_graph *g = cu_graph_get(graph, &code);
    size_t all = 0;

    if (!g)
        return code;
    if (!count || !from != !to)
        return cu_fail(cudaErrorInvalidValue,
                       "there must be a count, and both lists or none");
    clear_edges(edges, count);
    for (unsigned i = 0; i < g->nodes.count; i++) {
        cu_node *n = g->nodes.at[i];

        for (unsigned j = 0; j < n->after.count; j++, all++)
            if (from && all < *count) {
                from[all] = (cudaGraphNode_t)n->after.at[j];
                to[all] = (cudaGraphNode_t)n;
            }
    }
    for (size_t i = all; from && i < *count; i++)
        from[i] = to[i] = NULL;
    *count = from && all > *count ? *count : all;
    return cudaSuccess;
}

EXPORT cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                                     cudaGraphNode_t *to, void *third,
                                     size_t *fourth)
{
    if (cu_program_generation() < CUDA_13)
        return cudaGraphGetEdges_v2(graph, from, to, NULL, third);
    return cudaGraphGetEdges_v2(graph, from, to, third, fourth);
}

/* ---- Edges ---- */

/* One edge more or less, of nodes that have to be of the graph. */
static cudaError_t change_edge(const cu_graph *g, cudaGraphNode_t from,
                               cudaGraphNode_t to, bool add)
{
    cudaError_t code;
    cu_node *a = node_get(from, &code), *b = a ? node_get(to, &code) : NULL;

    if (!b)
        return code;
    if (a->graph != g || b->graph != g || a == b)
        return cu_fail(cudaErrorInvalidValue,
                       "an edge leads from one node of the graph to another");
    if (add ? !node_add_edge(a, b) : !node_remove_edge(a, b))
        return cu_fail(cudaErrorInvalidValue, "the edge is %s there",
                       add ? "already" : "not");
    return cudaSuccess;
}

static cudaError_t change_edges(cudaGraph_t graph, const cudaGraphNode_t *from,
                                const cudaGraphNode_t *to, size_t count,
                                bool add)
{
    cudaError_t code;
    const cu_graph *g = cu_graph_get(graph, &code);

    if (!g)
        return code;
    if (count && (!from || !to))
        return cu_fail(cudaErrorInvalidValue, "there are no lists of nodes");
    for (size_t i = 0; i < count && code == cudaSuccess; i++)
        code = change_edge(g, from[i], to[i], add);
    return code;
}

#define CHANGE_EDGES(name, add)                                                \
    EXPORT cudaError_t name##_v2(cudaGraph_t graph,                            \
                                 const cudaGraphNode_t *from,                  \
                                 const cudaGraphNode_t *to,                    \
                                 const cudaGraphEdgeData *edges, size_t count) \
    {                                                                          \
        CUDA_CALL();                                                           \
        (void)edges;                                                           \
        return change_edges(graph, from, to, count, add);                      \
    }                                                                          \
    EXPORT cudaError_t name(cudaGraph_t graph, const cudaGraphNode_t *from,    \
                            const cudaGraphNode_t *to, uintptr_t third,        \
                            size_t fourth)                                     \
    {                                                                          \
        return name##_v2(graph, from, to, NULL,                                \
                         cu_program_generation() < CUDA_13 ? third : fourth);  \
    }

CHANGE_EDGES(cudaGraphAddDependencies, true)
CHANGE_EDGES(cudaGraphRemoveDependencies, false)

/* ---- Nodes ---- */

EXPORT cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node,
                                        cudaGraphNodeType *out)
{
    static const cudaGraphNodeType types[] = {
        [CU_OP_EMPTY] = cudaGraphNodeTypeEmpty,
        [CU_OP_COPY] = cudaGraphNodeTypeMemcpy,
        [CU_OP_FILL] = cudaGraphNodeTypeMemset,
        [CU_OP_LAUNCH] = cudaGraphNodeTypeKernel,
        [CU_OP_HOST] = cudaGraphNodeTypeHost,
        [CU_OP_RECORD] = cudaGraphNodeTypeEventRecord,
        [CU_OP_WAIT] = cudaGraphNodeTypeWaitEvent,
        [CU_OP_FREE] = cudaGraphNodeTypeMemFree,
        [CU_OP_ALLOC] = cudaGraphNodeTypeMemAlloc,
        [CU_OP_GRAPH] = cudaGraphNodeTypeGraph,
    };
    CUDA_CALL();
    cudaError_t code;
    const cu_node *n = node_get(node, &code);

    if (!n)
        return code;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the type");
    *out = types[n->op.kind];
    return cudaSuccess;
}

EXPORT cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    CUDA_CALL();
    cudaError_t code;
    cu_node *n = node_get(node, &code);

    if (!n)
        return code;
    if (n->op.kind == CU_OP_ALLOC || n->op.kind == CU_OP_FREE)
        return cu_fail(cudaErrorNotSupported,
                       "nodes that allocate or free memory stay");
    code = capture_check_graph(n->graph);
    if (code == cudaSuccess)
        node_remove(n);
    return code;
}
