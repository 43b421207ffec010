#include "cuda/stream/node.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"

/* Of nodes and graphs made so far. Part of the process's state. */
static uint64_t numbers;

/* ---- Handles ---- */

static bool is_hidden(const cu_graph *g)
{
    while (g->parent)
        g = g->parent->graph;
    return g->hidden;
}

cu_graph *cu_graph_get(cudaGraph_t handle, cudaError_t *code)
{
    *code = cudaSuccess;
    if (drv_find_held(handle, CU_GRAPH) && !is_hidden((cu_graph *)handle))
        return (cu_graph *)handle;
    *code =
        cu_fail(cudaErrorInvalidValue,
                "%p is no graph, or one that was destroyed", (void *)handle);
    return NULL;
}

cu_node *node_get(cudaGraphNode_t handle, cudaError_t *code)
{
    *code = cudaSuccess;
    if (drv_find_held(handle, CU_NODE) &&
        !is_hidden(((cu_node *)handle)->graph))
        return (cu_node *)handle;
    *code = cu_fail(cudaErrorInvalidValue,
                    "%p is no node of a graph, or one that was destroyed",
                    (void *)handle);
    return NULL;
}

cudaError_t nodes_get(const cu_graph *g, const cudaGraphNode_t *handles,
                      size_t count, cu_nodes *out)
{
    if (count && !handles)
        return cu_fail(cudaErrorInvalidValue, "there are no nodes");
    for (size_t i = 0; i < count; i++) {
        cudaError_t code;
        cu_node *n = node_get(handles[i], &code);

        if (!n)
            return code;
        if (n->graph != g)
            return cu_fail(cudaErrorInvalidValue,
                           "node %zu of the list is of another graph", i);
        if (!nodes_add(out, n))
            return cu_fail(cudaErrorInvalidValue,
                           "node %zu is twice in the list", i);
    }
    return cudaSuccess;
}

/* ---- Nodes ---- */

static void node_destroy(void *handle)
{
    cu_node *n = handle;

    op_fini(&n->op);
    nodes_fini(&n->after);
    free(n->args);
    free(n);
}

/* A graph that is a node's operation is seen where the node is. */
static void adopt(cu_node *n)
{
    if (n->op.kind != CU_OP_GRAPH)
        return;
    n->op.graph->parent = n;
    n->op.graph->hidden = false;
}

static cu_node *append_node(cu_graph *g, cu_op op, cu_device *d)
{
    cu_node *n =
        drv_object_new(CU_NODE, sizeof *n, offsetof(cu_node, o), node_destroy);

    ALLOC_MUST(n);
    n->graph = g;
    n->device = d;
    n->op = op;
    n->number = ++numbers;
    adopt(n);
    n->index = g->nodes.count;
    GROW(g->nodes.at, g->nodes.count + 1, g->nodes.room);
    g->nodes.at[g->nodes.count++] = n;
    return n;
}

cu_node *node_new(cu_graph *g, cu_op op, const cu_nodes *after, cu_device *d)
{
    cu_node *n = append_node(g, op, d);

    for (unsigned i = 0; i < after->count; i++)
        node_add_edge(after->at[i], n);
    return n;
}

void node_set(cu_node *n, cu_op op)
{
    op_fini(&n->op);
    n->op = op;
    adopt(n);
    free(n->args);
    n->args = NULL;
}

bool node_add_edge(cu_node *from, cu_node *to)
{
    if (!nodes_add(&to->after, from))
        return false;
    from->followers++;
    return true;
}

bool node_remove_edge(cu_node *from, cu_node *to)
{
    if (nodes_find(&to->after, from) == to->after.count)
        return false;
    nodes_remove(&to->after, from);
    from->followers--;
    return true;
}

void node_remove(cu_node *n)
{
    cu_nodes *all = &n->graph->nodes;

    while (n->after.count)
        node_remove_edge(n->after.at[0], n);
    for (unsigned i = 0; i < all->count && n->followers; i++)
        node_remove_edge(n, all->at[i]);
    nodes_remove(all, n);
    for (unsigned i = n->index; i < all->count; i++)
        all->at[i]->index = i;
    drv_release(&n->o);
}

/* ---- Graphs ---- */

static void graph_destroy(void *handle)
{
    cu_graph *g = handle;

    for (unsigned i = 0; i < g->nodes.count; i++)
        drv_release(&g->nodes.at[i]->o);
    held_drop(g);
    nodes_fini(&g->nodes);
    nodes_fini(&g->order);
    free(g);
}

cu_graph *cu_graph_new(void)
{
    cu_graph *g = drv_object_new(CU_GRAPH, sizeof *g, offsetof(cu_graph, o),
                                 graph_destroy);

    if (g)
        g->number = ++numbers;
    return g;
}

cu_graph *cu_graph_clone(const cu_graph *g)
{
    cu_graph *copy = cu_graph_new();

    ALLOC_MUST(copy);
    copy->model = g->number;
    for (unsigned i = 0; i < g->nodes.count; i++) {
        const cu_node *n = g->nodes.at[i];
        cu_node *m = append_node(copy, op_copy(&n->op), n->device);

        m->model = n->number;
        m->disabled = n->disabled;
    }
    for (unsigned i = 0; i < g->nodes.count; i++) {
        const cu_nodes *after = &g->nodes.at[i]->after;

        for (unsigned j = 0; j < after->count; j++)
            node_add_edge(copy->nodes.at[after->at[j]->index],
                          copy->nodes.at[i]);
    }
    held_use(g, copy);
    return copy;
}

cu_node *cu_graph_copied(const cu_graph *copy, const cu_node *of)
{
    const cu_nodes *all = &copy->nodes;

    /* If the first graph was not changed meanwhile it is at the same place. */
    if (of->index < all->count && all->at[of->index]->model == of->number)
        return all->at[of->index];
    for (unsigned i = 0; i < all->count; i++)
        if (all->at[i]->model == of->number)
            return all->at[i];
    return NULL;
}

/* ---- Order ---- */

enum { VISIT_NEW, VISIT_OPEN, VISIT_DONE };

typedef struct visit {
    cu_node *node;
    unsigned next; /* of what it comes after */
} visit;

/* What `first` comes after, then itself. False: *in is in a circle. */
static bool visit_from(cu_node *first, visit *stack, cu_nodes *out,
                       cu_node **in)
{
    unsigned depth = 1;

    stack[0] = (visit){first, 0};
    first->visit = VISIT_OPEN;
    while (depth) {
        visit *top = &stack[depth - 1];

        if (top->next == top->node->after.count) {
            top->node->visit = VISIT_DONE;
            GROW(out->at, out->count + 1, out->room);
            out->at[out->count++] = top->node;
            depth--;
            continue;
        }
        cu_node *n = top->node->after.at[top->next++];
        if (n->visit == VISIT_OPEN) {
            *in = n;
            return false;
        }
        if (n->visit == VISIT_NEW) {
            n->visit = VISIT_OPEN;
            stack[depth++] = (visit){n, 0};
        }
    }
    return true;
}

static void visit_none(const cu_graph *g)
{
    for (unsigned i = 0; i < g->nodes.count; i++)
        g->nodes.at[i]->visit = VISIT_NEW;
}

bool cu_graph_order(const cu_graph *g, cu_nodes *out, cu_node **in)
{
    visit *stack = new_array(g->nodes.count, sizeof *stack);
    bool ok = true;

    visit_none(g);
    for (unsigned i = 0; i < g->nodes.count && ok; i++)
        if (g->nodes.at[i]->visit == VISIT_NEW)
            ok = visit_from(g->nodes.at[i], stack, out, in);
    free(stack);
    return ok;
}

bool nodes_reach(const cu_graph *g, const cu_nodes *from, const cu_nodes *these)
{
    visit *stack = new_array(g->nodes.count, sizeof *stack);
    cu_nodes reached = {0};
    cu_node *in;
    bool all = true;

    visit_none(g);
    for (unsigned i = 0; i < from->count; i++)
        if (from->at[i]->visit == VISIT_NEW)
            visit_from(from->at[i], stack, &reached, &in);
    for (unsigned i = 0; i < these->count && all; i++)
        all = these->at[i]->visit != VISIT_NEW;
    nodes_fini(&reached);
    free(stack);
    return all;
}
