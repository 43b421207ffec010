/* workloads/nbody/main.c - gravity between all pairs, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("nbody/kernel.cl");

static void run(ocl *o)
{
    unsigned n = o->size;
    cl_kernel nbody = ocl_kernel(o, "nbody");
    cl_mem body = ocl_buffer(o, "body"), accel = ocl_buffer(o, "accel");

    ocl_args(o, nbody, "mmuf", body, accel, n, 0.0625);
    ocl_run(o, nbody, n, 256);
    ocl_check(o, "accel", accel);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_nbody,
        .source = ocl_source,
        .sizes = {256, 1024, 4096},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
