/* workloads/resize/main.c - an image magnified and sharpened, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("resize/kernel.cl");

static void run(ocl *o)
{
    unsigned m = o->size * 2 + 3;
    cl_int err;
    cl_kernel resize = ocl_kernel(o, "resize");
    cl_mem in = ocl_image(o, "in"), out = ocl_image(o, "out");
    cl_sampler smooth = clCreateSampler(
        o->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, &err);

    ocl_ok(o, err, "clCreateSampler");
    ocl_args(o, resize, "msmuf", in, smooth, out, m, 0.40625);
    ocl_run2(o, resize, OCL_2D(m, m), OCL_2D(16, 8));
    ocl_check_image(o, "out", out);
    ocl_ok(o, clReleaseSampler(smooth), "clReleaseSampler");
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_resize,
        .source = ocl_source,
        .sizes = {64, 256, 1024},
        .run = run,
        .images = true,
    };

    return ocl_main(&program, argc, argv);
}
