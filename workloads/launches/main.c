/* workloads/launches/main.c - a kernel of one small group, launched again and
 * again: what a launch costs. */
#include "rig.h"

RIG_SOURCE("launches/kernel.cl");

enum { ITEMS = 64 };

static void gen(wl *w, unsigned n)
{
    uint32_t *x = wl_input_u32(w, "x", ITEMS);
    uint32_t *last = wl_expect_u32(w, "x", ITEMS);

    for (unsigned i = 0; i < ITEMS; i++) {
        last[i] = x[i] = wl_random(w);
        for (unsigned k = 0; k < n; k++)
            last[i] = last[i] * 1664525u + k;
    }
}

static void run(rig *o)
{
    dev_kernel step = rig_kernel(o, "step_once");
    dev_memory x = rig_buffer(o, "x");

    for (unsigned k = 0; k < o->size; k++) {
        rig_args(o, step, "mu", x, k);
        rig_run(o, step, ITEMS, ITEMS);
    }
    rig_check(o, "x", x);
}

int main(int argc, char **argv)
{
    static const workload problem = {"launches", "many tiny launches", 0,
                                     "launches", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {200, 1000, 10000},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
