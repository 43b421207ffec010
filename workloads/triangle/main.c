/* workloads/triangle/main.c - y = L x with a lower triangular matrix, stored by
 * columns: groups have the same size, but later ones have longer rows. */
#include "rig.h"

RIG_SOURCE("triangle/kernel.cl");

static void gen(wl *w, unsigned n)
{
    float *l = wl_input_f32(w, "l", (size_t)n * n);
    float *x = wl_input_f32(w, "x", n), *y = wl_expect_f32(w, "y", n, 1e-4);
    double *sum = wl_scratch(w, n * sizeof *sum);

    for (unsigned c = 0; c < n; c++) {
        x[c] = wl_uniform(w, -1, 1);
        for (unsigned r = c; r < n; r++) {
            float v = l[(size_t)c * n + r] = wl_uniform(w, -1, 1);

            sum[r] += (double)v * x[c];
        }
    }
    for (unsigned r = 0; r < n; r++)
        y[r] = (float)sum[r];
}

static void run(rig *o)
{
    dev_kernel multiply = rig_kernel(o, "multiply");
    dev_memory l = rig_buffer(o, "l"), x = rig_buffer(o, "x");
    dev_memory y = rig_buffer(o, "y");

    rig_args(o, multiply, "mmmu", l, x, y, o->size);
    rig_run(o, multiply, o->size, 64);
    rig_check(o, "y", y);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "triangle", "triangular matrix times vector", 0, "rows", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {256, 1024, 8192},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
