/* workloads/montecarlo/main.c - pi by chance, in doubles, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("montecarlo/kernel.cl");

static void run(ocl *o)
{
    unsigned n = o->size;
    cl_kernel montecarlo = ocl_kernel(o, "montecarlo");
    cl_mem total = ocl_buffer(o, "total"), hits = ocl_buffer(o, "hits");

    ocl_args(o, montecarlo, "mmuu", total, hits, n, 32u);
    ocl_run(o, montecarlo, n, 128);
    ocl_check(o, "total", total);
    ocl_check(o, "hits", hits);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_montecarlo,
        .source = ocl_source,
        .sizes = {2048, 65536, 524288},
        .run = run,
        .extensions = {"cl_khr_fp64", "cl_khr_int64_base_atomics"},
    };

    return ocl_main(&program, argc, argv);
}
