#include "ptx/graph.h"

#include <string.h>

/* ---- adjacency ---------------------------------------------------------- */

/* Compressed rows: a counting sort of the edges by one end. */
static void build_rows(uint32_t n, const graph_edge *edges, uint32_t count,
                       bool by_from, uint32_t *at, uint32_t *to)
{
    for (uint32_t i = 0; i < count; i++)
        at[(by_from ? edges[i].from : edges[i].to) + 1]++;
    for (uint32_t i = 0; i < n; i++)
        at[i + 1] += at[i];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t key = by_from ? edges[i].from : edges[i].to;
        to[at[key]++] = by_from ? edges[i].to : edges[i].from;
    }
    for (uint32_t i = n; i > 0; i--) /* each start was moved to its end */
        at[i] = at[i - 1];
    at[0] = 0;
}

graph *graph_new(arena *a, uint32_t n, const graph_edge *edges, uint32_t count)
{
    graph *g = ARENA_NEW(a, graph);

    g->n = n;
    g->succ_at = ARENA_ARRAY(a, uint32_t, (size_t)n + 2);
    g->pred_at = ARENA_ARRAY(a, uint32_t, (size_t)n + 2);
    g->succ = ARENA_ARRAY(a, uint32_t, (size_t)count + 1);
    g->pred = ARENA_ARRAY(a, uint32_t, (size_t)count + 1);
    build_rows(n, edges, count, true, g->succ_at, g->succ);
    build_rows(n, edges, count, false, g->pred_at, g->pred);
    return g;
}

static uint32_t *filled(arena *a, size_t n, uint32_t value)
{
    uint32_t *v = ARENA_ARRAY(a, uint32_t, n + 1);

    for (size_t i = 0; i < n; i++)
        v[i] = value;
    return v;
}

/* ---- order -------------------------------------------------------------- */

/* Depth first from `from` without recursion; appends to `post`. */
static void visit_from(const graph *g, uint32_t from, bool *seen,
                       uint32_t *stack, uint32_t *next, uint32_t *post,
                       uint32_t *count)
{
    uint32_t depth = 0;

    seen[from] = true;
    stack[0] = from;
    next[from] = g->succ_at[from];
    for (;;) {
        uint32_t i = stack[depth];
        if (next[i] < g->succ_at[i + 1]) {
            uint32_t s = g->succ[next[i]++];
            if (seen[s])
                continue;
            seen[s] = true;
            next[s] = g->succ_at[s];
            stack[++depth] = s;
        } else {
            post[(*count)++] = i;
            if (!depth--)
                return;
        }
    }
}

uint32_t *graph_rpo(arena *a, const graph *g, uint32_t entry, uint32_t *count)
{
    uint32_t *order = filled(a, g->n, 0);
    uint32_t *stack = filled(a, g->n, 0), *next = filled(a, g->n, 0);
    bool *seen = ARENA_ARRAY(a, bool, (size_t)g->n + 1);

    *count = 0;
    visit_from(g, entry, seen, stack, next, order, count);
    for (uint32_t i = 0; i < *count / 2; i++) {
        uint32_t t = order[i];
        order[i] = order[*count - 1 - i];
        order[*count - 1 - i] = t;
    }
    return order;
}

/* ---- dominators --------------------------------------------------------- */

/* The depth-first tree by preorder number; of each node `semi`, its
 * semidominator, and `label`, the number of least semi on the path to `up`,
 * which compression shortens. */
typedef struct dom_tree {
    uint32_t count;
    uint32_t *node, *number; /* of each other; GRAPH_NONE: not reached */
    uint32_t *up, *semi, *label, *idom, *stack;
} dom_tree;

static void number_nodes(dom_tree *t, const graph *g, uint32_t entry)
{
    uint32_t depth = 0, *next = t->semi; /* not in use yet */

    t->node[t->count] = entry;
    t->number[entry] = t->count++;
    t->stack[0] = entry;
    next[entry] = g->succ_at[entry];
    for (;;) {
        uint32_t i = t->stack[depth];

        if (next[i] == g->succ_at[i + 1]) {
            if (!depth--)
                return;
            continue;
        }
        uint32_t s = g->succ[next[i]++];
        if (t->number[s] != GRAPH_NONE)
            continue;
        t->up[t->count] = t->number[i];
        t->node[t->count] = s;
        t->number[s] = t->count++;
        next[s] = g->succ_at[s];
        t->stack[++depth] = s;
    }
}

/* Of the nodes from `v` up to, but without, the first before `linked` the one
 * of least semi. */
static uint32_t least(dom_tree *t, uint32_t v, uint32_t linked)
{
    uint32_t depth = 0, above;

    if (t->up[v] < linked)
        return t->label[v];
    while (t->up[v] >= linked) {
        t->stack[depth++] = v;
        v = t->up[v];
    }
    for (above = v; depth; above = v) {
        v = t->stack[--depth];
        t->up[v] = t->up[above];
        if (t->semi[t->label[above]] < t->semi[t->label[v]])
            t->label[v] = t->label[above];
    }
    return t->label[v];
}

/* Semidominators, then nearest common ancestors (Georgiadis's SNCA): linear in
 * practice, also where loops are nested by the thousand. */
static void find_idoms(dom_tree *t, const graph *g)
{
    for (uint32_t i = 0; i < t->count; i++) {
        t->semi[i] = t->label[i] = i;
        t->idom[i] = t->up[i];
    }
    for (uint32_t i = t->count; i-- > 1;) {
        uint32_t b = t->node[i];

        t->semi[i] = t->up[i];
        for (uint32_t j = g->pred_at[b]; j < g->pred_at[b + 1]; j++) {
            uint32_t p = t->number[g->pred[j]];
            uint32_t semi = p == GRAPH_NONE ? p : t->semi[least(t, p, i + 1)];

            t->semi[i] = semi < t->semi[i] ? semi : t->semi[i];
        }
    }
    for (uint32_t i = 1; i < t->count; i++)
        while (t->idom[i] > t->semi[i])
            t->idom[i] = t->idom[t->idom[i]];
}

uint32_t *graph_dominators(arena *a, const graph *g, uint32_t entry)
{
    uint32_t *idom = filled(a, g->n, GRAPH_NONE);
    dom_tree t = {.node = filled(a, g->n, 0),
                  .number = filled(a, g->n, GRAPH_NONE),
                  .up = filled(a, g->n, 0),
                  .semi = filled(a, g->n, 0),
                  .label = filled(a, g->n, 0),
                  .idom = filled(a, g->n, 0),
                  .stack = filled(a, g->n, 0)};

    number_nodes(&t, g, entry);
    find_idoms(&t, g);
    for (uint32_t i = 1; i < t.count; i++)
        idom[t.node[i]] = t.node[t.idom[i]];
    return idom;
}

/* ---- loops -------------------------------------------------------------- */

/* Numbers that make "dominates" one comparison: a walk over the tree of
 * dominators enters `by` before and leaves it after all that it dominates. */
typedef struct spans {
    uint32_t *in;
    uint32_t *out;
} spans;

static spans number_tree(arena *a, uint32_t n, const uint32_t *idom,
                         const uint32_t *order, uint32_t count)
{
    spans s = {filled(a, n, 0), filled(a, n, 0)};
    uint32_t *size = filled(a, n, 1), *used = filled(a, n, 0);

    /* Parents come before children in reverse post-order. */
    for (uint32_t i = count; i-- > 1;)
        size[idom[order[i]]] += size[order[i]];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t b = order[i];
        if (i) {
            uint32_t up = idom[b];
            s.in[b] = s.in[up] + 1 + used[up];
            used[up] += size[b];
        }
        s.out[b] = s.in[b] + size[b];
    }
    return s;
}

static bool spans_dominate(const spans *s, uint32_t by, uint32_t node)
{
    return s->in[by] <= s->in[node] && s->in[node] < s->out[by];
}

typedef struct finder {
    const graph *g;
    const spans *tree;
    const bool *reached;
    uint32_t *mark; /* stamp of the loop that has the node, from 1 */
    uint32_t *stack;
    uint32_t stamp;
} finder;

/* All that reaches a back edge to `header` without passing it, the header
 * last: their number, on the stack. 0: there is no back edge. */
static uint32_t collect_loop(finder *f, uint32_t header)
{
    const graph *g = f->g;
    uint32_t n = 0;
    bool found = false;

    f->stamp++;
    for (uint32_t j = g->pred_at[header]; j < g->pred_at[header + 1]; j++) {
        uint32_t p = g->pred[j];
        if (!f->reached[p] || !spans_dominate(f->tree, header, p))
            continue;
        found = true;
        if (p != header && f->mark[p] != f->stamp) {
            f->mark[p] = f->stamp;
            f->stack[n++] = p;
        }
    }
    if (!found)
        return 0;
    f->mark[header] = f->stamp;
    /* The stack is never popped: it becomes the list of nodes. */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = f->stack[i];
        for (uint32_t j = g->pred_at[b]; j < g->pred_at[b + 1]; j++) {
            uint32_t p = g->pred[j];
            if (f->reached[p] && f->mark[p] != f->stamp) {
                f->mark[p] = f->stamp;
                f->stack[n++] = p;
            }
        }
    }
    f->stack[n++] = header;
    return n;
}

/* Lists the nodes of all loops: each in the loops around it. */
static void list_nodes(arena *a, uint32_t n, graph_loops *l)
{
    uint32_t *used = filled(a, l->count, 0);

    for (uint32_t i = 0; i < l->count; i++)
        l->loops[i].nodes = ARENA_ARRAY(a, uint32_t, l->loops[i].count);
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t i = l->of_node[b]; i != GRAPH_NONE;
             i = l->loops[i].parent)
            l->loops[i].nodes[used[i]++] = b;
}

/* An edge back in reverse post-order whose target does not dominate. */
static bool has_other_cycle(const graph *g, const spans *tree,
                            const uint32_t *order, uint32_t count,
                            const uint32_t *rank)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t b = order[i];
        for (uint32_t j = g->succ_at[b]; j < g->succ_at[b + 1]; j++)
            if (rank[g->succ[j]] <= i && !spans_dominate(tree, g->succ[j], b))
                return true;
    }
    return false;
}

graph_loops *graph_find_loops(arena *a, const graph *g, uint32_t entry)
{
    graph_loops *l = ARENA_NEW(a, graph_loops);
    uint32_t count, *order = graph_rpo(a, g, entry, &count);
    uint32_t *idom = graph_dominators(a, g, entry);
    uint32_t *rank = filled(a, g->n, GRAPH_NONE);
    spans tree = number_tree(a, g->n, idom, order, count);
    bool *reached = ARENA_ARRAY(a, bool, (size_t)g->n + 1);
    finder f = {.g = g,
                .tree = &tree,
                .reached = reached,
                .mark = filled(a, g->n, 0),
                .stack = filled(a, g->n, 0)};

    for (uint32_t i = 0; i < count; i++) {
        rank[order[i]] = i;
        reached[order[i]] = true;
    }
    l->of_node = filled(a, g->n, GRAPH_NONE);
    l->loops = ARENA_ARRAY(a, graph_loop, (size_t)count + 1);
    /* Outer headers come first, so an inner loop overwrites of_node. */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = collect_loop(&f, order[i]), up = l->of_node[order[i]];

        if (!size)
            continue;
        l->loops[l->count] = (graph_loop){
            .header = order[i],
            .parent = up,
            .depth = up == GRAPH_NONE ? 1 : l->loops[up].depth + 1,
            .count = size,
        };
        for (uint32_t j = 0; j < size; j++)
            l->of_node[f.stack[j]] = l->count;
        l->count++;
    }
    list_nodes(a, g->n, l);
    l->irreducible = has_other_cycle(g, &tree, order, count, rank);
    return l;
}
