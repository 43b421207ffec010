/* workloads/histogram/main.c - bytes counted with atomics, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("histogram/kernel.cl");

static void run(ocl *o)
{
    unsigned words = (o->size + 3) / 4, groups = (words + 1023) / 1024;
    cl_kernel count = ocl_kernel(o, "histogram");
    cl_mem in = ocl_buffer(o, "in"), bins = ocl_buffer(o, "bins");

    ocl_args(o, count, "mmu", in, bins, words);
    ocl_run(o, count, (size_t)groups * 256, 256);
    ocl_check(o, "bins", bins);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_histogram,
        .source = ocl_source,
        .sizes = {1 << 18, 1 << 22, 1 << 25},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
