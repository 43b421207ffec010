/* workloads/spmv_vector/main.c - a warp for each row, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("spmv_vector/kernel.cl");

static void run(ocl *o)
{
    unsigned rows = o->size;
    cl_kernel spmv = ocl_kernel(o, "spmv_vector");
    cl_mem start = ocl_buffer(o, "start"), column = ocl_buffer(o, "column");
    cl_mem value = ocl_buffer(o, "value"), x = ocl_buffer(o, "x");
    cl_mem y = ocl_buffer(o, "y");

    ocl_args(o, spmv, "mmmmmu", start, column, value, x, y, rows);
    ocl_run(o, spmv, (size_t)rows * 32, 128);
    ocl_check(o, "y", y);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_spmv_vector,
        .source = ocl_source,
        .sizes = {2048, 32768, 262144},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
