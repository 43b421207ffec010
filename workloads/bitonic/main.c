/* workloads/bitonic/main.c - a bitonic sort. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("bitonic/kernel.cl");

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel local = rig_kernel(o, "bitonic_local");
    dev_kernel global = rig_kernel(o, "bitonic_global");
    dev_kernel merge = rig_kernel(o, "bitonic_merge");
    dev_memory data = rig_buffer(o, "data");

    rig_args(o, local, "m", data);
    rig_run(o, local, n / 2, 256);
    for (unsigned k = 1024; k <= n; k *= 2) {
        for (unsigned j = k / 2; j >= 512; j /= 2) {
            rig_args(o, global, "muu", data, k, j);
            rig_run(o, global, n / 2, 256);
        }
        rig_args(o, merge, "mu", data, k);
        rig_run(o, merge, n / 2, 256);
    }
    rig_check(o, "data", data);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_bitonic,
        .sizes = {2048, 65536, 524288},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
