/* workloads/sgemm_registers/main.c - the product of sgemm with 64 results in
 * the registers of each item. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("sgemm_registers/kernel.cl");

static void gen(wl *w, unsigned n)
{
    wl_require(w, n % 64 == 0, "must be a multiple of 64");
    wl_sgemm.gen(w, n);
}

static void run(ocl *o)
{
    unsigned n = o->size;
    cl_kernel sgemm = ocl_kernel(o, "sgemm");
    cl_mem a = ocl_buffer(o, "a"), b = ocl_buffer(o, "b");
    cl_mem c = ocl_buffer(o, "c");

    ocl_args(o, sgemm, "mmmu", a, b, c, n);
    ocl_run2(o, sgemm, OCL_2D(n / 8, n / 8), OCL_2D(8, 8));
    ocl_check(o, "c", c);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "sgemm_registers", "matrix product, 8 x 8 results in registers", 0,
        "rows", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {128, 512, 1024},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
