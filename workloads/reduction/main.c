/* workloads/reduction/main.c - a sum in two launches, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("reduction/kernel.cl");

static void run(ocl *o)
{
    unsigned groups = (o->size + 1023) / 1024;
    cl_kernel sum = ocl_kernel(o, "reduce_sum");
    cl_mem in = ocl_buffer(o, "in"), partial = ocl_buffer(o, "partial");
    cl_mem out = ocl_buffer(o, "out");

    ocl_args(o, sum, "mmu", in, partial, o->size);
    ocl_run(o, sum, (size_t)groups * 256, 256);
    ocl_args(o, sum, "mmu", partial, out, groups);
    ocl_run(o, sum, 256, 256);
    ocl_check(o, "out", out);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_reduction,
        .source = ocl_source,
        .sizes = {65536, 1048576, 8388608},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
