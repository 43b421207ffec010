/* workloads/sgemm_registers/main.c - the product of sgemm with 64 results in
 * the registers of each item. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("sgemm_registers/kernel.cl");

static void gen(wl *w, unsigned n)
{
    wl_require(w, n % 64 == 0, "must be a multiple of 64");
    wl_sgemm.gen(w, n);
}

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel sgemm = rig_kernel(o, "sgemm");
    dev_memory a = rig_buffer(o, "a"), b = rig_buffer(o, "b");
    dev_memory c = rig_buffer(o, "c");

    rig_args(o, sgemm, "mmmu", a, b, c, n);
    rig_run2(o, sgemm, RIG_2D(n / 8, n / 8), RIG_2D(8, 8));
    rig_check(o, "c", c);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "sgemm_registers", "matrix product, 8 x 8 results in registers", 0,
        "rows", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {128, 512, 1024},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
