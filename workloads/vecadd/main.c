/* workloads/vecadd/main.c - the sum of two vectors. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("vecadd/kernel.cl");

static void run(rig *o)
{
    dev_kernel add = rig_kernel(o, "vecadd");
    dev_memory a = rig_buffer(o, "a"), b = rig_buffer(o, "b");
    dev_memory c = rig_buffer(o, "c");

    rig_args(o, add, "mmmu", a, b, c, o->size);
    rig_run(o, add, o->size, 256);
    rig_check(o, "c", c);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_vecadd,
        .sizes = {65536, 1048576, 8388608},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
