/* workloads/scan/main.c - an exclusive prefix sum. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("scan/kernel.cl");

static void run(rig *o)
{
    unsigned n = o->size, groups = (n + 255) / 256;
    dev_kernel scan = rig_kernel(o, "scan_blocks");
    dev_kernel add = rig_kernel(o, "add_sums");
    dev_memory in = rig_buffer(o, "in"), out = rig_buffer(o, "out");
    dev_memory sums = rig_buffer(o, "sums"), offsets = rig_buffer(o, "offsets");
    dev_memory total = rig_buffer(o, "total");

    rig_args(o, scan, "mmmu", in, out, sums, n);
    rig_run(o, scan, n, 256);
    rig_args(o, scan, "mmmu", sums, offsets, total, groups);
    rig_run(o, scan, 256, 256);
    rig_args(o, add, "mmu", out, offsets, n);
    rig_run(o, add, n, 256);
    rig_check(o, "out", out);
    rig_check(o, "total", total);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_scan,
        .sizes = {8192, 32768, 65536},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
