/* workloads/convolve/main.c - an image filtered with 5 x 5 weights, the image
 * going on beyond its edges with the values there. Groups at the edge take
 * another way than those inside. */
#include "rig.h"

RIG_SOURCE("convolve/kernel.cl");

enum { SIDE = 5 };

static double texel(const float *in, long x, long y, long n)
{
    x = x < 0 ? 0 : x >= n ? n - 1 : x;
    y = y < 0 ? 0 : y >= n ? n - 1 : y;
    return (double)in[y * n + x];
}

static void gen(wl *w, unsigned n)
{
    float *in = wl_input_f32(w, "in", (size_t)n * n);
    float *weight = wl_input_f32(w, "weight", SIDE * SIDE);
    float *out = wl_expect_f32(w, "out", (size_t)n * n, 1e-5);

    for (size_t i = 0; i < (size_t)n * n; i++)
        in[i] = wl_uniform(w, 0, 1);
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        weight[i] = wl_uniform(w, -1, 1);
    for (unsigned y = 0; y < n; y++)
        for (unsigned x = 0; x < n; x++) {
            double sum = 0;

            for (unsigned i = 0; i < SIDE * SIDE; i++)
                sum += (double)weight[i] * texel(in, (long)x + i % SIDE - 2,
                                                 (long)y + i / SIDE - 2, n);
            out[(size_t)y * n + x] = (float)sum;
        }
}

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel convolve = rig_kernel(o, "convolve");
    dev_memory in = rig_buffer(o, "in"), weight = rig_buffer(o, "weight");
    dev_memory out = rig_buffer(o, "out");

    rig_args(o, convolve, "mmmu", in, weight, out, n);
    rig_run2(o, convolve, RIG_2D(n, n), RIG_2D(16, 16));
    rig_check(o, "out", out);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "convolve", "a 5 x 5 filter with boundary tiles", 0, "rows", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {100, 400, 2000},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
