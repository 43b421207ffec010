/* workloads/nbody/main.c - gravity between all pairs. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("nbody/kernel.cl");

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel nbody = rig_kernel(o, "nbody");
    dev_memory body = rig_buffer(o, "body"), accel = rig_buffer(o, "accel");

    rig_args(o, nbody, "mmuf", body, accel, n, 0.0625);
    rig_run(o, nbody, n, 256);
    rig_check(o, "accel", accel);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_nbody,
        .sizes = {256, 1024, 4096},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
