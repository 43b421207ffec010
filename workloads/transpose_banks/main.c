/* workloads/transpose_banks/main.c - the transpose of transpose, with tiles
 * whose columns all lie in one bank of local memory. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("transpose_banks/kernel.cl");

static void gen(wl *w, unsigned n) { wl_transpose.gen(w, n); }

static void run(ocl *o)
{
    unsigned tiles = (o->size + 31) / 32;
    cl_kernel transpose = ocl_kernel(o, "transpose");
    cl_mem in = ocl_buffer(o, "in"), out = ocl_buffer(o, "out");

    ocl_args(o, transpose, "mmu", in, out, o->size);
    ocl_run2(o, transpose, OCL_2D(tiles * 32, tiles * 8), OCL_2D(32, 8));
    ocl_check(o, "out", out);
}

int main(int argc, char **argv)
{
    static const workload problem = {"transpose_banks",
                                     "matrix transpose with conflicts of banks",
                                     0, "rows", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {128, 1024, 4096},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
