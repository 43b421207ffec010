/* workloads/stencil3d/main.c - heat in a block, two steps; an item goes along a
 * column and keeps what it has read of it in registers. */
#include "rig.h"

RIG_SOURCE("stencil3d/kernel.cl");

enum { STEPS = 2 };

static void step(const double *in, double *out, size_t n)
{
    for (size_t i = 0; i < n * n * n; i++) {
        size_t x = i % n, y = i / n % n, z = i / n / n;
        int edge = !x || !y || !z || x == n - 1 || y == n - 1 || z == n - 1;

        out[i] = edge ? in[i]
                      : 0.25 * in[i] +
                            0.125 * (in[i - 1] + in[i + 1] + in[i - n] +
                                     in[i + n] + in[i - n * n] + in[i + n * n]);
    }
}

static void gen(wl *w, unsigned n)
{
    size_t items = (size_t)n * n * n;
    float *a = wl_input_f32(w, "a", items);
    float *last = wl_expect_f32(w, "a", items, 1e-5);
    double *v[2] = {wl_scratch(w, items * sizeof(double)),
                    wl_scratch(w, items * sizeof(double))};

    for (size_t i = 0; i < items; i++)
        v[0][i] = a[i] = wl_uniform(w, 0, 100);
    for (unsigned s = 0; s < STEPS; s++)
        step(v[s % 2], v[(s + 1) % 2], n);
    for (size_t i = 0; i < items; i++)
        last[i] = (float)v[STEPS % 2][i];
}

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel stencil = rig_kernel(o, "stencil");
    dev_memory a = rig_buffer(o, "a");
    dev_memory b = rig_scratch(o, (size_t)n * n * n * sizeof(float));

    for (unsigned s = 0; s < STEPS; s++) {
        rig_args(o, stencil, "mmuff", s % 2 ? b : a, s % 2 ? a : b, n, 0.25,
                 0.125);
        rig_run2(o, stencil, RIG_2D(n, n), RIG_2D(32, 4));
    }
    rig_check(o, "a", a);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "stencil3d", "seven-point stencil in space, 2 steps", 0, "rows", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {32, 64, 192},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
