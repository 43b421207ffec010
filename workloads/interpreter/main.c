/* workloads/interpreter/main.c - byte code interpreted, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("interpreter/kernel.cl");

static void run(ocl *o)
{
    unsigned n = o->size;
    cl_kernel interpret = ocl_kernel(o, "interpret");
    cl_mem code = ocl_buffer(o, "code"), input = ocl_buffer(o, "input");
    cl_mem output = ocl_buffer(o, "output");

    ocl_args(o, interpret, "mmmuu", code, input, output, n, 400u);
    ocl_run(o, interpret, n, 128);
    ocl_check(o, "output", output);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_interpreter,
        .source = ocl_source,
        .sizes = {512, 4096, 65536},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
