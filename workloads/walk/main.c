/* workloads/walk/main.c - random walks over a graph, as embeddings of graphs
 * are learnt from: every step needs the one before, and lanes stop one by one.
 */
#include "rig.h"

RIG_SOURCE("walk/kernel.cl");

enum { VERTICES = 1 << 14, STEPS = 12 };

static void gen(wl *w, unsigned n)
{
    uint32_t *start = wl_input_u32(w, "start", VERTICES + 1);

    for (unsigned v = 0; v < VERTICES; v++)
        start[v + 1] = start[v] + (wl_below(w, 64) ? 1 + wl_below(w, 7) : 0);
    uint32_t *edge = wl_input_u32(w, "edge", start[VERTICES]);
    uint32_t *end = wl_expect_u32(w, "end", n);
    uint32_t *length = wl_expect_u32(w, "length", n);

    for (unsigned i = 0; i < start[VERTICES]; i++)
        edge[i] = wl_below(w, VERTICES);
    for (unsigned i = 0; i < n; i++) {
        uint32_t at = i % VERTICES, draw = i, s = 0;

        while (s < STEPS && start[at + 1] > start[at]) {
            uint64_t degree = start[at + 1] - start[at];

            draw = draw * 1664525u + 1013904223u;
            at = edge[start[at] + (draw * degree >> 32)];
            s++;
        }
        end[i] = at;
        length[i] = s;
    }
}

static void run(rig *o)
{
    dev_kernel walk = rig_kernel(o, "walk");
    dev_memory start = rig_buffer(o, "start"), edge = rig_buffer(o, "edge");
    dev_memory end = rig_buffer(o, "end"), length = rig_buffer(o, "length");

    rig_args(o, walk, "mmmmuuu", start, edge, end, length, o->size,
             (unsigned)STEPS, (unsigned)VERTICES);
    rig_run(o, walk, o->size, 256);
    rig_check(o, "end", end);
    rig_check(o, "length", length);
}

int main(int argc, char **argv)
{
    static const workload problem = {"walk", "random walks over a graph", 0,
                                     "walks", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {11520, 23040, 368640},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
