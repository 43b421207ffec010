/* workloads/chain/main.c - x = a x + b, 256 times, each from the last. */
#include "rig.h"

RIG_SOURCE("chain/kernel.cl");

enum { STEPS = 256 };

static void gen(wl *w, unsigned n)
{
    float *x = wl_input_f32(w, "x", n), *last = wl_expect_f32(w, "x", n, 1e-4);

    for (unsigned i = 0; i < n; i++) {
        double v = x[i] = wl_uniform(w, -1, 1);

        for (unsigned s = 0; s < STEPS; s++)
            v = 0.9375 * v + 0.0625;
        last[i] = (float)v;
    }
}

static void run(rig *o)
{
    dev_kernel chain = rig_kernel(o, "chain");
    dev_memory x = rig_buffer(o, "x");

    rig_args(o, chain, "mffu", x, 0.9375, 0.0625, o->size);
    rig_run(o, chain, o->size, 256);
    rig_check(o, "x", x);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "chain", "a chain of dependent multiplications", 0, "items", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {4096, 65536, 524288},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
