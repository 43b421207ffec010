/* workloads/sgemm/main.c - a matrix product by tiles. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("sgemm/kernel.cl");

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel sgemm = rig_kernel(o, "sgemm");
    dev_memory a = rig_buffer(o, "a"), b = rig_buffer(o, "b");
    dev_memory c = rig_buffer(o, "c");

    rig_args(o, sgemm, "mmmu", a, b, c, n);
    rig_run2(o, sgemm, RIG_2D(n, n), RIG_2D(16, 16));
    rig_check(o, "c", c);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_sgemm,
        .sizes = {96, 256, 1024},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
