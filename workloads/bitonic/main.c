/* workloads/bitonic/main.c - a bitonic sort, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("bitonic/kernel.cl");

static void run(ocl *o)
{
    unsigned n = o->size;
    cl_kernel local = ocl_kernel(o, "bitonic_local");
    cl_kernel global = ocl_kernel(o, "bitonic_global");
    cl_kernel merge = ocl_kernel(o, "bitonic_merge");
    cl_mem data = ocl_buffer(o, "data");

    ocl_args(o, local, "m", data);
    ocl_run(o, local, n / 2, 256);
    for (unsigned k = 1024; k <= n; k *= 2) {
        for (unsigned j = k / 2; j >= 512; j /= 2) {
            ocl_args(o, global, "muu", data, k, j);
            ocl_run(o, global, n / 2, 256);
        }
        ocl_args(o, merge, "mu", data, k);
        ocl_run(o, merge, n / 2, 256);
    }
    ocl_check(o, "data", data);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_bitonic,
        .source = ocl_source,
        .sizes = {2048, 65536, 524288},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
