/* Dominators and loops of small graphs, by hand and against
 * the definitions. */
#include "test.h"

#include "base/must.h"
#include "base/rng.h"
#include "ptx/graph.h"

#define NONE GRAPH_NONE

/* `by` is on the chain from `node` upwards; a node dominates itself. */
static bool dominates(const uint32_t *idom, uint32_t by, uint32_t node)
{
    while (node != by && node != GRAPH_NONE)
        node = idom[node];
    return node == by;
}

TEST(diamond_with_tail)
{
    static const graph_edge e[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}};
    arena *a = arena_new();
    graph *g = graph_new(a, 6, e, COUNTOF(e)); /* 5 is unreachable */
    uint32_t n, *rpo = graph_rpo(a, g, 0, &n);
    uint32_t *d = graph_dominators(a, g, 0);

    CHECK_EQ(n, 5);
    CHECK_EQ(rpo[0], 0);
    CHECK_EQ(rpo[3], 3);
    CHECK_EQ(rpo[4], 4);
    CHECK_EQ(d[0], NONE);
    CHECK_EQ(d[1], 0);
    CHECK_EQ(d[3], 0);
    CHECK_EQ(d[4], 3);
    CHECK_EQ(d[5], NONE);
    CHECK(dominates(d, 0, 4) && !dominates(d, 1, 3));
    CHECK(dominates(d, 4, 4));
    CHECK_EQ(graph_npred(g, 3), 2);
    CHECK_EQ(g->pred[g->pred_at[3] + 1], 2);
    arena_free(a);
}

TEST(nested_loops_share_nothing_but_the_nest)
{
    /* 0 -> 1 -> 2 -> 3 -> 2, 3 -> 4 -> 1, 4 -> 5; 5 -> 5 */
    static const graph_edge e[] = {{0, 1}, {1, 2}, {2, 3}, {3, 2},
                                   {3, 4}, {4, 1}, {4, 5}, {5, 5}};
    arena *a = arena_new();
    graph_loops *l = graph_find_loops(a, graph_new(a, 6, e, 8), 0);

    CHECK_EQ(l->count, 3);
    CHECK_EQ(l->loops[0].header, 1);
    CHECK_EQ(l->loops[0].count, 4);
    CHECK_EQ(l->loops[0].depth, 1);
    CHECK_EQ(l->loops[1].header, 2);
    CHECK_EQ(l->loops[1].parent, 0);
    CHECK_EQ(l->loops[1].depth, 2);
    CHECK_EQ(l->loops[1].nodes[0], 2);
    CHECK_EQ(l->loops[1].nodes[1], 3);
    CHECK_EQ(l->loops[2].header, 5);
    CHECK_EQ(l->loops[2].parent, NONE);
    CHECK_EQ(l->of_node[3], 1);
    CHECK_EQ(l->of_node[4], 0);
    CHECK_EQ(l->of_node[0], NONE);
    CHECK(!l->irreducible);
    arena_free(a);
}

TEST(cycle_with_two_entries_is_irreducible)
{
    static const graph_edge e[] = {{0, 1}, {0, 2}, {1, 2}, {2, 1}};
    arena *a = arena_new();
    graph_loops *l = graph_find_loops(a, graph_new(a, 3, e, 4), 0);

    CHECK_EQ(l->count, 0);
    CHECK(l->irreducible);
    arena_free(a);
}

/* Can `to` be reached from `from` without passing `without`? */
static bool reaches(const graph *g, uint32_t from, uint32_t to,
                    uint32_t without)
{
    bool seen[16] = {false};
    uint32_t stack[16], n = 0;

    if (from == without || to == without)
        return false;
    stack[n++] = from;
    seen[from] = true;
    while (n) {
        uint32_t i = stack[--n];
        for (uint32_t j = g->succ_at[i]; j < g->succ_at[i + 1]; j++) {
            uint32_t s = g->succ[j];
            if (s != without && !seen[s]) {
                seen[s] = true;
                stack[n++] = s;
            }
        }
    }
    return seen[to];
}

/* By definition: x dominates y if y is not reached without x. */
TEST(random_graphs_agree_with_the_definitions)
{
    rng r;

    rng_init(&r, 1, "graph");
    for (int round = 0; round < 300; round++) {
        uint32_t n = 2 + rng_below(&r, 12), count = 0;
        graph_edge e[40];
        arena *a = arena_new();
        for (; count < rng_below(&r, 2 * n) + 1; count++)
            e[count] = (graph_edge){rng_below(&r, n), rng_below(&r, n)};
        graph *g = graph_new(a, n, e, count);
        uint32_t *d = graph_dominators(a, g, 0);
        for (uint32_t y = 0; y < n; y++)
            for (uint32_t x = 0; x < n; x++)
                if (reaches(g, 0, y, n) && reaches(g, 0, x, n))
                    CHECK_EQ(dominates(d, x, y),
                             x == y || !reaches(g, 0, y, x));
        arena_free(a);
    }
}
