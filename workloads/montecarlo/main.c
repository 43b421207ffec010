/* workloads/montecarlo/main.c - pi by chance, in doubles. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("montecarlo/kernel.cl");

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel montecarlo = rig_kernel(o, "montecarlo");
    dev_memory total = rig_buffer(o, "total"), hits = rig_buffer(o, "hits");

    rig_args(o, montecarlo, "mmuu", total, hits, n, 32u);
    rig_run(o, montecarlo, n, 128);
    rig_check(o, "total", total);
    rig_check(o, "hits", hits);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_montecarlo,
        .sizes = {2048, 65536, 524288},
        .run = run,
        .doubles = true,
        .atomics64 = true,
    };

    return rig_main(&program, argc, argv);
}
