/* workloads/mandelbrot/main.c - escape times. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("mandelbrot/kernel.cl");

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel mandelbrot = rig_kernel(o, "mandelbrot");
    dev_memory steps = rig_buffer(o, "steps");

    rig_args(o, mandelbrot, "muu", steps, n, 256u);
    rig_run2(o, mandelbrot, RIG_2D(n, n), RIG_2D(16, 8));
    rig_check(o, "steps", steps);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_mandelbrot,
        .sizes = {64, 256, 1024},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
