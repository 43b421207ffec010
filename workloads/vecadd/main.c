/* workloads/vecadd/main.c - the sum of two vectors, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("vecadd/kernel.cl");

static void run(ocl *o)
{
    cl_kernel add = ocl_kernel(o, "vecadd");
    cl_mem a = ocl_buffer(o, "a"), b = ocl_buffer(o, "b");
    cl_mem c = ocl_buffer(o, "c");

    ocl_args(o, add, "mmmu", a, b, c, o->size);
    ocl_run(o, add, o->size, 256);
    ocl_check(o, "c", c);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_vecadd,
        .source = ocl_source,
        .sizes = {65536, 1048576, 8388608},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
