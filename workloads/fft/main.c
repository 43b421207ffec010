/* workloads/fft/main.c - a Fourier transform, pass by pass, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("fft/kernel.cl");

static void run(ocl *o)
{
    unsigned n = o->size, passes = 0;
    cl_kernel pass = ocl_kernel(o, "fft_pass");
    cl_mem a = ocl_buffer(o, "a"), b = ocl_buffer(o, "b");

    for (unsigned run = 1; run < n; run *= 2, passes++) {
        ocl_args(o, pass, "mmuu", passes % 2 ? b : a, passes % 2 ? a : b, n,
                 run);
        ocl_run(o, pass, n / 2, 128);
    }
    if (passes % 2)
        ocl_check(o, "b", b);
    else
        ocl_check(o, "a", a);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_fft,
        .source = ocl_source,
        .sizes = {512, 4096, 16384},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
