/* workloads/mixed/main.c - groups of 512 items, of which every sixteenth works
 * with all its warps and for long; in the others only the first warp works, and
 * the rest leave at once. */
#include "rig.h"

RIG_SOURCE("mixed/kernel.cl");

enum { GROUP = 512, SMALL = 32, EVERY = 16, LONG = 256, SHORT = 16 };

static void gen(wl *w, unsigned groups)
{
    size_t n = (size_t)groups * GROUP;
    uint32_t *x = wl_input_u32(w, "x", n), *last = wl_expect_u32(w, "x", n);

    for (size_t i = 0; i < n; i++) {
        int large = i / GROUP % EVERY == 0;
        unsigned steps = large ? LONG : i % GROUP < SMALL ? SHORT : 0;
        uint32_t v = x[i] = wl_random(w);

        while (steps--)
            v = v * 1664525u + 1013904223u;
        last[i] = v;
    }
}

static void run(rig *o)
{
    dev_kernel mixed = rig_kernel(o, "mixed");
    dev_memory x = rig_buffer(o, "x");

    rig_args(o, mixed, "m", x);
    rig_run(o, mixed, (size_t)o->size * GROUP, GROUP);
    rig_check(o, "x", x);
}

int main(int argc, char **argv)
{
    static const workload problem = {"mixed", "groups of very different weight",
                                     0, "groups", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {320, 2560, 20480},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
