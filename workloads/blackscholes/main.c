/* workloads/blackscholes/main.c - option prices, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("blackscholes/kernel.cl");

static void run(ocl *o)
{
    unsigned n = o->size;
    cl_kernel kernel = ocl_kernel(o, "black_scholes");
    cl_mem price = ocl_buffer(o, "price"), strike = ocl_buffer(o, "strike");
    cl_mem years = ocl_buffer(o, "years");
    cl_mem call = ocl_buffer(o, "call"), put = ocl_buffer(o, "put");

    ocl_args(o, kernel, "mmmmmffu", price, strike, years, call, put, 0.03125,
             0.25, n);
    ocl_run(o, kernel, n, 128);
    ocl_check(o, "call", call);
    ocl_check(o, "put", put);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_blackscholes,
        .source = ocl_source,
        .sizes = {16384, 262144, 2097152},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
