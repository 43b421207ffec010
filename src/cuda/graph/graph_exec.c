#include "cuda/graph/graph_exec.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/memory/graph_memory.h"

/* ---- Nodes ---- */

/* In the copy, or the graph of a node of it. */
static cu_node *find_copy(const cu_graph *copy, const cu_node *of)
{
    cu_node *found = cu_graph_copied(copy, of);

    for (unsigned i = 0; i < copy->nodes.count && !found; i++)
        if (copy->nodes.at[i]->op.kind == CU_OP_GRAPH)
            found = find_copy(copy->nodes.at[i]->op.graph, of);
    return found;
}

cu_graph_exec *graph_exec_get(cudaGraphExec_t handle, cudaError_t *code)
{
    *code = cudaSuccess;
    if (drv_find_held(handle, CU_GRAPH_EXEC))
        return (cu_graph_exec *)handle;
    *code = cu_fail(cudaErrorInvalidValue,
                    "%p is no instantiated graph, or one that was destroyed",
                    (void *)handle);
    return NULL;
}

cu_node *graph_exec_node(cudaGraphExec_t handle, cudaGraphNode_t node,
                         cudaError_t *code)
{
    const cu_graph_exec *x = graph_exec_get(handle, code);
    const cu_node *n = x ? node_get(node, code) : NULL;

    if (!n)
        return NULL;
    cu_node *found = find_copy(x->graph, n);
    if (!found)
        *code = cu_fail(cudaErrorInvalidValue,
                        "the node is not of the graph that was instantiated");
    return found;
}

cudaError_t graph_exec_prepare(cu_graph *g, cu_node **bad)
{
    cudaError_t code = cudaSuccess;

    g->order.count = 0;
    if (!cu_graph_order(g, &g->order, bad))
        return cu_fail(cudaErrorInvalidValue,
                       "nodes of the graph come after each other in a circle");
    for (unsigned i = 0; i < g->nodes.count && code == cudaSuccess; i++)
        if (g->nodes.at[i]->op.kind == CU_OP_GRAPH)
            code = graph_exec_prepare(g->nodes.at[i]->op.graph, bad);
    return code;
}

static cudaError_t check_replace(const cu_node *n, const cu_op *op)
{
    if (n->op.kind != op->kind)
        return cu_fail(cudaErrorInvalidValue, "the node is of another kind");
    if (op->kind == CU_OP_ALLOC || op->kind == CU_OP_FREE)
        return cu_fail(cudaErrorNotSupported,
                       "nodes that allocate or free memory stay as they are");
    return cudaSuccess;
}

cudaError_t node_replace(cu_node *n, cu_op *op)
{
    cudaError_t code = check_replace(n, op);
    cu_node *bad;

    if (code == cudaSuccess && op->kind == CU_OP_GRAPH)
        code = graph_exec_prepare(op->graph, &bad);
    if (code != cudaSuccess) {
        op_fini(op);
        return code;
    }
    if (op->kind == CU_OP_LAUNCH) { /* attributes, no parameters */
        op->launch.cooperative = n->op.launch.cooperative;
        op->launch.hints = n->op.launch.hints;
        memcpy(op->launch.cga, n->op.launch.cga, sizeof op->launch.cga);
    }
    node_set(n, *op);
    return cudaSuccess;
}

/* ---- Launching ---- */

/* Where nodes of the device go; NULL: no memory, reported. */
static cu_stream *unordered_stream(cu_device *d)
{
    if (d->unordered)
        return d->unordered;
    cu_stream *s = stream_new(d, cudaStreamNonBlocking, 0);
    if (!s) {
        cu_fail(cudaErrorMemoryAllocation, "no memory for a stream");
        return NULL;
    }
    drv_queue_set_order(&s->q, false);
    d->unordered = s;
    return s;
}

static const cu_op nothing = {.kind = CU_OP_EMPTY};

static const cu_op *op_of(const cu_node *n)
{
    return n->disabled ? &nothing : &n->op;
}

/* Events to wait for. */
typedef struct wait_list {
    drv_event **at;
    unsigned count, room;
} wait_list;

static void add_wait(wait_list *l, drv_event *e)
{
    if (!e)
        return;
    GROW(l->at, l->count + 1, l->room);
    l->at[l->count++] = e;
}

/* What the node waits for: the ends of others, or the graph's beginning. */
static wait_list waits_of(const cu_node *n, drv_event *begin)
{
    wait_list l = {0};

    if (!n->after.count)
        add_wait(&l, begin);
    for (unsigned i = 0; i < n->after.count; i++)
        add_wait(&l, n->after.at[i]->done);
    return l;
}

static cudaError_t enqueue(cu_stream *s, const cu_op *op, wait_list *l,
                           drv_event **done)
{
    cudaError_t code = op_enqueue(s, op, l->at, l->count, done);

    free(l->at);
    return code;
}

static cudaError_t put_graph(cu_graph *g, drv_event *begin, wait_list *ends);

/* A whole graph: its nodes between two events. */
static cudaError_t put_child(cu_node *n, cu_stream *s, drv_event *begin)
{
    wait_list before = waits_of(n, begin), ends = {0};
    drv_event *inner;
    cudaError_t code = enqueue(s, &nothing, &before, &inner);

    if (code != cudaSuccess)
        return code;
    code = put_graph(n->op.graph, inner, &ends);
    if (!ends.count)
        add_wait(&ends, inner);
    if (code == cudaSuccess)
        code = op_enqueue(s, &nothing, ends.at, ends.count, &n->done);
    for (unsigned i = 0; i < ends.count; i++)
        if (ends.at[i] != inner)
            drv_drop(&ends.at[i]->o);
    drv_drop(&inner->o);
    free(ends.at);
    return code;
}

static cudaError_t put_node(cu_node *n, drv_event *begin)
{
    cu_stream *s = unordered_stream(n->device);

    if (!s)
        return cudaErrorMemoryAllocation;
    if (n->op.kind == CU_OP_GRAPH)
        return put_child(n, s, begin);
    wait_list l = waits_of(n, begin);
    return enqueue(s, op_of(n), &l, &n->done);
}

/* All nodes; in `ends` used events of those that none comes after. */
static cudaError_t put_graph(cu_graph *g, drv_event *begin, wait_list *ends)
{
    cudaError_t code = cudaSuccess;

    for (unsigned i = 0; i < g->order.count && code == cudaSuccess; i++)
        code = put_node(g->order.at[i], begin);
    for (unsigned i = 0; i < g->order.count; i++) {
        cu_node *n = g->order.at[i];

        if (n->done && !n->followers)
            add_wait(ends, n->done);
        else if (n->done)
            drv_drop(&n->done->o);
        n->done = NULL;
    }
    return code;
}

/* Between two events in the stream. */
static cudaError_t put_into(cu_graph_exec *x, cu_stream *s)
{
    wait_list ends = {0};
    drv_event *begin;
    cudaError_t code =
        op_enqueue(s, &nothing, &x->last, x->last ? 1 : 0, &begin);

    if (code != cudaSuccess)
        return code;
    code = put_graph(x->graph, begin, &ends);
    drv_drop(&begin->o);
    if (code == cudaSuccess)
        code = op_enqueue(s, &nothing, ends.at, ends.count, NULL);
    for (unsigned i = 0; i < ends.count; i++)
        drv_drop(&ends.at[i]->o);
    free(ends.at);
    return code;
}

/* Does each node come after the one before it, all on the stream's device? */
static bool is_chain(const cu_graph *g, const cu_stream *s)
{
    for (unsigned i = 0; i < g->order.count; i++) {
        const cu_node *n = g->order.at[i];

        if (n->op.kind == CU_OP_GRAPH || n->device != s->device ||
            n->after.count != (i > 0) ||
            (i && n->after.at[0] != g->order.at[i - 1]))
            return false;
    }
    return g->order.count > 0;
}

static cudaError_t put_chain(cu_graph_exec *x, cu_stream *s)
{
    const cu_nodes *all = &x->graph->order;
    cudaError_t code =
        op_enqueue(s, op_of(all->at[0]), &x->last, x->last ? 1 : 0, NULL);

    for (unsigned i = 1; i < all->count && code == cudaSuccess; i++)
        code = op_enqueue(s, op_of(all->at[i]), NULL, 0, NULL);
    return code;
}

/* What the former launch has allocated and not freed is in the way. */
static cudaError_t check_memory(const cu_graph_exec *x)
{
    const cu_nodes *all = &x->graph->nodes;

    for (unsigned i = 0; i < all->count; i++) {
        const cu_op *op = &all->at[i]->op;

        if (op->kind != CU_OP_ALLOC || !op->memory->taken)
            continue;
        if (!(x->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch))
            return cu_fail(cudaErrorInvalidValue,
                           "%p, which an earlier launch has allocated, was "
                           "not freed "
                           "(cudaGraphInstantiateFlagAutoFreeOnLaunch does)",
                           (void *)(uintptr_t)op->memory->addr);
        graph_memory_give(op->memory);
    }
    return cudaSuccess;
}

cudaError_t graph_exec_launch(cu_graph_exec *x, cu_stream *s)
{
    cudaError_t code = check_memory(x);

    if (code == cudaSuccess)
        code = is_chain(x->graph, s) ? put_chain(x, s) : put_into(x, s);
    if (code != cudaSuccess)
        return code;
    drv_use(&s->last->o);
    if (x->last)
        drv_drop(&x->last->o);
    x->last = s->last;
    drv_flush(); /* functions of the program are called even if nobody waits */
    return cudaSuccess;
}
