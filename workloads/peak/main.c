/* workloads/peak/main.c - as chain, but eight chains side by side. */
#include "rig.h"

RIG_SOURCE("peak/kernel.cl");

enum { STEPS = 32, CHAINS = 8 };

static void gen(wl *w, unsigned n)
{
    float *x = wl_input_f32(w, "x", n), *last = wl_expect_f32(w, "x", n, 1e-4);

    for (unsigned i = 0; i < n; i++) {
        double sum = 0;

        x[i] = wl_uniform(w, -1, 1);
        for (unsigned c = 0; c < CHAINS; c++) {
            double v = (double)x[i] + c;

            for (unsigned s = 0; s < STEPS; s++)
                v = 0.9375 * v + 0.0625;
            sum += v;
        }
        last[i] = (float)sum;
    }
}

static void run(rig *o)
{
    dev_kernel peak = rig_kernel(o, "peak");
    dev_memory x = rig_buffer(o, "x");

    rig_args(o, peak, "mffu", x, 0.9375, 0.0625, o->size);
    rig_run(o, peak, o->size, 256);
    rig_check(o, "x", x);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "peak", "eight independent chains in each item", 0, "items", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {4096, 65536, 524288},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
