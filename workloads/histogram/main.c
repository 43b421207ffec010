/* workloads/histogram/main.c - bytes counted with atomics. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("histogram/kernel.cl");

static void run(rig *o)
{
    unsigned words = (o->size + 3) / 4, groups = (words + 1023) / 1024;
    dev_kernel count = rig_kernel(o, "histogram");
    dev_memory in = rig_buffer(o, "in"), bins = rig_buffer(o, "bins");

    rig_args(o, count, "mmu", in, bins, words);
    rig_run(o, count, (size_t)groups * 256, 256);
    rig_check(o, "bins", bins);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_histogram,
        .sizes = {1 << 18, 1 << 22, 1 << 25},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
