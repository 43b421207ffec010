/* workloads/stencil/main.c - heat on a plate. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("stencil/kernel.cl");

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel stencil = rig_kernel(o, "stencil");
    dev_memory a = rig_buffer(o, "a"), b = rig_buffer(o, "b");

    for (unsigned step = 0; step < 4; step++) {
        rig_args(o, stencil, "mmuff", step % 2 ? b : a, step % 2 ? a : b, n,
                 0.5, 0.125);
        rig_run2(o, stencil, RIG_2D(n, n), RIG_2D(32, 8));
    }
    rig_check(o, "a", a);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_stencil,
        .sizes = {128, 512, 2048},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
