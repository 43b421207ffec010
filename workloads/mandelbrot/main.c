/* workloads/mandelbrot/main.c - escape times, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("mandelbrot/kernel.cl");

static void run(ocl *o)
{
    unsigned n = o->size;
    cl_kernel mandelbrot = ocl_kernel(o, "mandelbrot");
    cl_mem steps = ocl_buffer(o, "steps");

    ocl_args(o, mandelbrot, "muu", steps, n, 256u);
    ocl_run2(o, mandelbrot, OCL_2D(n, n), OCL_2D(16, 8));
    ocl_check(o, "steps", steps);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_mandelbrot,
        .source = ocl_source,
        .sizes = {64, 256, 1024},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
