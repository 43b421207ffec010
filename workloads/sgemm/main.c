/* workloads/sgemm/main.c - a matrix product by tiles, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("sgemm/kernel.cl");

static void run(ocl *o)
{
    unsigned n = o->size;
    cl_kernel sgemm = ocl_kernel(o, "sgemm");
    cl_mem a = ocl_buffer(o, "a"), b = ocl_buffer(o, "b");
    cl_mem c = ocl_buffer(o, "c");

    ocl_args(o, sgemm, "mmmu", a, b, c, n);
    ocl_run2(o, sgemm, OCL_2D(n, n), OCL_2D(16, 16));
    ocl_check(o, "c", c);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_sgemm,
        .source = ocl_source,
        .sizes = {96, 256, 1024},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
