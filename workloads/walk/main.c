/* workloads/walk/main.c - random walks over a graph, as embeddings of graphs
 * are learnt from: every step needs the one before, and lanes stop one by one.
 */
#include "opencl.h"

OCL_SOURCE("walk/kernel.cl");

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

static void run(ocl *o)
{
    cl_kernel walk = ocl_kernel(o, "walk");
    cl_mem start = ocl_buffer(o, "start"), edge = ocl_buffer(o, "edge");
    cl_mem end = ocl_buffer(o, "end"), length = ocl_buffer(o, "length");

    ocl_args(o, walk, "mmmmuuu", start, edge, end, length, o->size,
             (cl_uint)STEPS, (cl_uint)VERTICES);
    ocl_run(o, walk, o->size, 256);
    ocl_check(o, "end", end);
    ocl_check(o, "length", length);
}

int main(int argc, char **argv)
{
    static const workload problem = {"walk", "random walks over a graph", 0,
                                     "walks", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {11520, 23040, 368640},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
