/* workloads/pagerank/main.c - two steps of page rank on a graph in which few
 * vertices are linked to by most: each vertex gathers from 1 to 15 others, of
 * which half are among the n / 8 most popular. */
#include "rig.h"

RIG_SOURCE("pagerank/kernel.cl");

enum { STEPS = 2 };

/* Popularity falls with the cube; the popular ones are not neighbours. */
static unsigned popular(wl *w, unsigned n)
{
    double u = (double)wl_uniform(w, 0, 1);

    return (unsigned)(u * u * u * n) * 0x9e3779b1u & (n - 1);
}

/* One step in double precision. */
static void step(unsigned n, const uint32_t *start, const uint32_t *from,
                 const float *share, const double *rank, double *next)
{
    for (unsigned v = 0; v < n; v++) {
        double sum = 0;

        for (unsigned i = start[v]; i < start[v + 1]; i++)
            sum += rank[from[i]] * (double)share[from[i]];
        next[v] = 0.125 + 0.875 * sum;
    }
}

static void gen(wl *w, unsigned n)
{
    wl_require(w, (n & (n - 1)) == 0, "must be a power of two");
    uint32_t *start = wl_input_u32(w, "start", (size_t)n + 1);

    for (unsigned v = 0; v < n; v++)
        start[v + 1] = start[v] + 1 + wl_below(w, 15);
    uint32_t *from = wl_input_u32(w, "from", start[n]);
    uint32_t *links = wl_scratch(w, n * sizeof *links);
    float *share = wl_input_f32(w, "share", n);
    float *first = wl_input_f32(w, "rank", n);
    float *last = wl_expect_f32(w, "rank", n, 1e-4);
    double *rank[2] = {wl_scratch(w, n * sizeof(double)),
                       wl_scratch(w, n * sizeof(double))};

    for (unsigned i = 0; i < start[n]; i++)
        links[from[i] = popular(w, n)]++;
    for (unsigned v = 0; v < n; v++) {
        share[v] = links[v] ? 1.0f / (float)links[v] : 0;
        rank[0][v] = first[v] = 1;
    }
    for (unsigned s = 0; s < STEPS; s++)
        step(n, start, from, share, rank[s % 2], rank[(s + 1) % 2]);
    for (unsigned v = 0; v < n; v++)
        last[v] = (float)rank[STEPS % 2][v];
}

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel gather = rig_kernel(o, "gather");
    dev_memory start = rig_buffer(o, "start"), from = rig_buffer(o, "from");
    dev_memory share = rig_buffer(o, "share"), rank = rig_buffer(o, "rank");
    dev_memory next = rig_scratch(o, n * sizeof(float));

    for (unsigned s = 0; s < STEPS; s++) {
        rig_args(o, gather, "mmmmmu", start, from, share, s % 2 ? next : rank,
                 s % 2 ? rank : next, n);
        rig_run(o, gather, n, 128);
    }
    rig_check(o, "rank", rank);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "pagerank", "ranks gathered over a skewed graph", 0, "vertices", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {1 << 11, 1 << 14, 1 << 18},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
