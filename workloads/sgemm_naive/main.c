/* workloads/sgemm_naive/main.c - the product of sgemm, straight from global
 * memory. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("sgemm_naive/kernel.cl");

static void gen(wl *w, unsigned n) { wl_sgemm.gen(w, n); }

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel sgemm = rig_kernel(o, "sgemm");
    dev_memory a = rig_buffer(o, "a"), b = rig_buffer(o, "b");
    dev_memory c = rig_buffer(o, "c");

    rig_args(o, sgemm, "mmmu", a, b, c, n);
    rig_run2(o, sgemm, RIG_2D(n, n), RIG_2D(32, 4));
    rig_check(o, "c", c);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "sgemm_naive", "matrix product without tiles", 0, "rows", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {96, 256, 768},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
