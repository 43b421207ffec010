/* workloads/resize/main.c - an image magnified and sharpened. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("resize/kernel.cl");

static void run(rig *o)
{
    unsigned m = o->size * 2 + 3;
    dev_kernel resize = rig_kernel(o, "resize");
    dev_memory in = rig_image(o, "in"), out = rig_image(o, "out");

    rig_args(o, resize, "iouf", in, out, m, 0.40625);
    rig_run2(o, resize, RIG_2D(m, m), RIG_2D(16, 8));
    rig_check_image(o, "out", out);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_resize,
        .sizes = {64, 256, 1024},
        .run = run,
        .images = true,
    };

    return rig_main(&program, argc, argv);
}
