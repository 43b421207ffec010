/* workloads/stencil/main.c - heat on a plate, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("stencil/kernel.cl");

static void run(ocl *o)
{
    unsigned n = o->size;
    cl_kernel stencil = ocl_kernel(o, "stencil");
    cl_mem a = ocl_buffer(o, "a"), b = ocl_buffer(o, "b");

    for (unsigned step = 0; step < 4; step++) {
        ocl_args(o, stencil, "mmuff", step % 2 ? b : a, step % 2 ? a : b, n,
                 0.5, 0.125);
        ocl_run2(o, stencil, OCL_2D(n, n), OCL_2D(32, 8));
    }
    ocl_check(o, "a", a);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_stencil,
        .source = ocl_source,
        .sizes = {128, 512, 2048},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
