/* Dominators, post-dominators and loops of small graphs, by hand and against
 * the definitions. */
#include "test.h"

#include "base/must.h"
#include "base/rng.h"
#include "ptx/cfg.h"
#include "text.h"

#define NONE GRAPH_NONE

TEST(diamond_with_tail)
{
    static const graph_edge e[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}};
    arena *a = arena_new();
    graph *g = graph_new(a, 6, e, COUNTOF(e)); /* 5 is unreachable */
    uint32_t n, *rpo = graph_rpo(a, g, 0, &n);
    uint32_t *d = graph_dominators(a, g, 0);
    uint32_t *p = graph_postdominators(a, g, 0);

    CHECK_EQ(n, 5);
    CHECK_EQ(rpo[0], 0);
    CHECK_EQ(rpo[3], 3);
    CHECK_EQ(rpo[4], 4);
    CHECK_EQ(d[0], NONE);
    CHECK_EQ(d[1], 0);
    CHECK_EQ(d[3], 0);
    CHECK_EQ(d[4], 3);
    CHECK_EQ(d[5], NONE);
    CHECK_EQ(p[0], 3);
    CHECK_EQ(p[1], 3);
    CHECK_EQ(p[4], 6);
    CHECK_EQ(p[5], NONE);
    CHECK_EQ(p[6], NONE);
    CHECK(graph_dominates(d, 0, 4) && !graph_dominates(d, 1, 3));
    CHECK(graph_dominates(d, 4, 4));
    CHECK_EQ(graph_npred(g, 3), 2);
    CHECK_EQ(g->pred[g->pred_at[3] + 1], 2);
    arena_free(a);
}

TEST(two_exits_meet_in_the_virtual_one)
{
    static const graph_edge e[] = {{0, 1}, {0, 2}};
    arena *a = arena_new();
    uint32_t *p = graph_postdominators(a, graph_new(a, 3, e, 2), 0);

    CHECK_EQ(p[0], 3);
    CHECK_EQ(p[1], 3);
    arena_free(a);
}

TEST(endless_loop_has_postdominators)
{
    /* 0 -> 1 <-> 2, and 0 -> 3 which returns */
    static const graph_edge e[] = {{0, 1}, {1, 2}, {2, 1}, {0, 3}};
    arena *a = arena_new();
    uint32_t *p = graph_postdominators(a, graph_new(a, 4, e, 4), 0);

    CHECK_EQ(p[1], 2);
    CHECK_EQ(p[2], 4);
    CHECK_EQ(p[0], 4);
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

/* By definition: x dominates y if y is not reached without x; and likewise
 * from the other end. */
TEST(random_graphs_agree_with_the_definitions)
{
    rng r;

    rng_init(&r, 1, "graph");
    for (int round = 0; round < 300; round++) {
        uint32_t n = 2 + rng_below(&r, 12), count = 0;
        graph_edge e[40], back[80];
        arena *a = arena_new();
        for (; count < rng_below(&r, 2 * n) + 1; count++)
            e[count] = (graph_edge){rng_below(&r, n), rng_below(&r, n)};
        graph *g = graph_new(a, n, e, count);
        uint32_t *d = graph_dominators(a, g, 0);
        uint32_t *p = graph_postdominators(a, g, 0), nback = 0;
        for (uint32_t i = 0; i < count; i++)
            if (reaches(g, 0, e[i].from, n))
                back[nback++] = (graph_edge){e[i].to, e[i].from};
        for (uint32_t i = 0; i < n; i++)
            if (reaches(g, 0, i, n) && !graph_nsucc(g, i))
                back[nback++] = (graph_edge){n, i};
        graph *b = graph_new(a, n + 1, back, nback);
        for (uint32_t y = 0; y < n; y++) {
            for (uint32_t x = 0; x < n; x++) {
                if (!reaches(g, 0, y, n) || !reaches(g, 0, x, n))
                    continue;
                CHECK_EQ(graph_dominates(d, x, y),
                         x == y || !reaches(g, 0, y, x));
                /* Endless loops have a rule of their own. */
                bool ends = true;
                for (uint32_t z = 0; z < n; z++)
                    ends &= !reaches(g, 0, z, n) || reaches(b, n, z, n + 1);
                if (ends)
                    CHECK_EQ(graph_dominates(p, x, y),
                             x == y || !reaches(b, n, y, x));
            }
        }
        arena_free(a);
    }
}

/* ---- PTX ---------------------------------------------------------------- */

TEST(blocks_of_a_loop)
{
    text t = text_body("mov.u32 %r1, 0;\n"
                       "L: add.u32 %r1, %r1, 1;\n"
                       "setp.lt.u32 %p1, %r1, 10;\n"
                       "@%p1 bra L;\n"
                       "@%p2 exit;\n"
                       "ret;\n");
    ptx_cfg *c = ptx_cfg_new(t.a, text_kernel(&t));

    CHECK_EQ(c->nblocks, 4);
    CHECK_EQ(c->blocks[1].first, 1);
    CHECK_EQ(c->blocks[1].end, 4);
    CHECK_EQ(graph_nsucc(c->g, 1), 2);
    CHECK_EQ(c->g->succ[c->g->succ_at[1]], 1);     /* taken first */
    CHECK_EQ(c->g->succ[c->g->succ_at[1] + 1], 2); /* then fall-through */
    CHECK_EQ(graph_nsucc(c->g, 2), 1);             /* @p exit goes on */
    CHECK_EQ(graph_nsucc(c->g, 3), 0);
    CHECK_EQ(c->block_of[3], 1);
    text_free(&t);
}

TEST(open_end_has_an_empty_block)
{
    text t = text_body("@%p1 bra E;\nadd.u32 %r1, %r1, 1;\nE:\n");
    ptx_cfg *c = ptx_cfg_new(t.a, text_kernel(&t));

    CHECK_EQ(c->nblocks, 3);
    CHECK_EQ(c->blocks[2].first, 2);
    CHECK_EQ(c->blocks[2].end, 2);
    CHECK_EQ(graph_npred(c->g, 2), 2);
    text_free(&t);
}

TEST(branch_tables_have_all_their_edges)
{
    text t = text_body("T: .branchtargets A, B;\nbrx.idx %r1, T;\n"
                       "A: ret;\nB: ret;\n");
    ptx_cfg *c = ptx_cfg_new(t.a, text_kernel(&t));

    CHECK_EQ(c->nblocks, 3);
    CHECK_EQ(graph_nsucc(c->g, 0), 2);
    CHECK_EQ(c->g->succ[0], 1);
    CHECK_EQ(c->g->succ[1], 2);
    text_free(&t);
}
