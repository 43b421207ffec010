/* workloads/scan/main.c - an exclusive prefix sum, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("scan/kernel.cl");

static void run(ocl *o)
{
    unsigned n = o->size, groups = (n + 255) / 256;
    cl_kernel scan = ocl_kernel(o, "scan_blocks");
    cl_kernel add = ocl_kernel(o, "add_sums");
    cl_mem in = ocl_buffer(o, "in"), out = ocl_buffer(o, "out");
    cl_mem sums = ocl_buffer(o, "sums"), offsets = ocl_buffer(o, "offsets");
    cl_mem total = ocl_buffer(o, "total");

    ocl_args(o, scan, "mmmu", in, out, sums, n);
    ocl_run(o, scan, n, 256);
    ocl_args(o, scan, "mmmu", sums, offsets, total, groups);
    ocl_run(o, scan, 256, 256);
    ocl_args(o, add, "mmu", out, offsets, n);
    ocl_run(o, add, n, 256);
    ocl_check(o, "out", out);
    ocl_check(o, "total", total);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_scan,
        .source = ocl_source,
        .sizes = {8192, 32768, 65536},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
