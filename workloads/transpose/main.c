/* workloads/transpose/main.c - a matrix transposed by tiles, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("transpose/kernel.cl");

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
    static const ocl_program program = {
        .problem = &wl_transpose,
        .source = ocl_source,
        .sizes = {128, 1024, 4096},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
