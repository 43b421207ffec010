/* workloads/transpose_banks/main.c - the transpose of transpose, with tiles
 * whose columns all lie in one bank of local memory. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("transpose_banks/kernel.cl");

static void gen(wl *w, unsigned n) { wl_transpose.gen(w, n); }

static void run(rig *o)
{
    unsigned tiles = (o->size + 31) / 32;
    dev_kernel transpose = rig_kernel(o, "transpose");
    dev_memory in = rig_buffer(o, "in"), out = rig_buffer(o, "out");

    rig_args(o, transpose, "mmu", in, out, o->size);
    rig_run2(o, transpose, RIG_2D(tiles * 32, tiles * 8), RIG_2D(32, 8));
    rig_check(o, "out", out);
}

int main(int argc, char **argv)
{
    static const workload problem = {"transpose_banks",
                                     "matrix transpose with conflicts of banks",
                                     0, "rows", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {128, 1024, 4096},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
