/* workloads/sgemm_naive/main.c - the product of sgemm, straight from global
 * memory. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("sgemm_naive/kernel.cl");

static void gen(wl *w, unsigned n) { wl_sgemm.gen(w, n); }

static void run(ocl *o)
{
    unsigned n = o->size;
    cl_kernel sgemm = ocl_kernel(o, "sgemm");
    cl_mem a = ocl_buffer(o, "a"), b = ocl_buffer(o, "b");
    cl_mem c = ocl_buffer(o, "c");

    ocl_args(o, sgemm, "mmmu", a, b, c, n);
    ocl_run2(o, sgemm, OCL_2D(n, n), OCL_2D(32, 4));
    ocl_check(o, "c", c);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "sgemm_naive", "matrix product without tiles", 0, "rows", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {96, 256, 768},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
