/* workloads/reduction/main.c - a sum in two launches. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("reduction/kernel.cl");

static void run(rig *o)
{
    unsigned groups = (o->size + 1023) / 1024;
    dev_kernel sum = rig_kernel(o, "reduce_sum");
    dev_memory in = rig_buffer(o, "in"), partial = rig_buffer(o, "partial");
    dev_memory out = rig_buffer(o, "out");

    rig_args(o, sum, "mmu", in, partial, o->size);
    rig_run(o, sum, (size_t)groups * 256, 256);
    rig_args(o, sum, "mmu", partial, out, groups);
    rig_run(o, sum, 256, 256);
    rig_check(o, "out", out);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_reduction,
        .sizes = {65536, 1048576, 8388608},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
