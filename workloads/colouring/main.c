/* workloads/colouring/main.c - a graph coloured in rounds. What comes out is
 * what one gets who colours the vertices one by one in the order of their
 * ranks: that is the reference. */
#include "rig.h"

RIG_SOURCE("colouring/kernel.cl");

enum { EACH = 4, COLOURS = 32 };

typedef struct graph {
    unsigned n;
    uint32_t *start, *edge;
} graph;

/* EACH edges from every vertex, both ways, but none to itself, nor where one of
 * the two would have more than there are colours. */
static void connect(wl *w, graph *g)
{
    size_t edges = (size_t)g->n * EACH;
    uint32_t *to = wl_scratch(w, edges * sizeof *to);
    uint32_t *degree = wl_scratch(w, (size_t)g->n * sizeof *degree);

    for (size_t i = 0; i < edges; i++) {
        unsigned from = (unsigned)(i / EACH);

        to[i] = wl_below(w, g->n);
        if (to[i] == from || degree[to[i]] == COLOURS - 1 ||
            degree[from] == COLOURS - 1) {
            to[i] = from;
            continue;
        }
        degree[from]++;
        degree[to[i]]++;
    }
    g->start = wl_input_u32(w, "start", (size_t)g->n + 1);
    for (unsigned v = 0; v < g->n; v++) {
        g->start[v + 1] = g->start[v] + degree[v];
        degree[v] = g->start[v];
    }
    g->edge = wl_input_u32(w, "edge", g->start[g->n]);
    for (size_t i = 0; i < edges; i++) {
        unsigned from = (unsigned)(i / EACH);

        if (to[i] == from)
            continue;
        g->edge[degree[from]++] = to[i];
        g->edge[degree[to[i]]++] = from;
    }
}

static bool has_neighbour(const graph *g, unsigned v, const uint32_t *colour,
                          unsigned c)
{
    for (unsigned i = g->start[v]; i < g->start[v + 1]; i++)
        if (colour[g->edge[i]] == c)
            return true;
    return false;
}

static void gen(wl *w, unsigned n)
{
    graph g = {.n = n};

    connect(w, &g);
    uint32_t *rank = wl_input_u32(w, "rank", n);
    uint32_t *order = wl_scratch(w, n * sizeof *order);
    uint32_t *colour = wl_expect_u32(w, "colour", n);

    for (unsigned i = 0; i < n; i++) {
        unsigned j = wl_below(w, i + 1);

        order[i] = order[j];
        order[j] = i;
    }
    for (unsigned i = 0; i < n; i++) {
        rank[order[i]] = i;
        unsigned c = 1;

        while (has_neighbour(&g, order[i], colour, c))
            c++;
        colour[order[i]] = c;
    }
}

/* The host looks after each round whether somebody is left. */
static void run(rig *o)
{
    dev_kernel next = rig_kernel(o, "colour");
    dev_memory start = rig_buffer(o, "start"), edge = rig_buffer(o, "edge");
    dev_memory rank = rig_buffer(o, "rank"),
               left = rig_scratch(o, sizeof(uint32_t));
    dev_memory colour[2] = {rig_scratch(o, o->size * sizeof(uint32_t)),
                            rig_scratch(o, o->size * sizeof(uint32_t))};
    uint32_t last = 0;
    unsigned r = 0;

    do {
        rig_args(o, next, "mmmmmmuu", start, edge, rank, colour[r % 2],
                 colour[(r + 1) % 2], left, r + 1, o->size);
        rig_run(o, next, o->size, 128);
        rig_read(o, left, &last, sizeof last);
    } while (last == ++r);
    rig_check(o, "colour", colour[r % 2]);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "colouring", "colours of a graph, round by round", 0, "vertices", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {3072, 8192, 524288},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
