/* workloads/transpose_naive/main.c - the transpose of transpose, with no tiles,
 * so the stores of a warp go to 32 rows. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("transpose_naive/kernel.cl");

static void gen(wl *w, unsigned n) { wl_transpose.gen(w, n); }

static void run(ocl *o)
{
    cl_kernel transpose = ocl_kernel(o, "transpose");
    cl_mem in = ocl_buffer(o, "in"), out = ocl_buffer(o, "out");

    ocl_args(o, transpose, "mmu", in, out, o->size);
    ocl_run2(o, transpose, OCL_2D(o->size, o->size), OCL_2D(32, 8));
    ocl_check(o, "out", out);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "transpose_naive", "matrix transpose without tiles", 0, "rows", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {128, 1024, 4096},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
