/* workloads/columns/main.c - sums of the first 64 values of each row of a
 * matrix; an item goes along a row, so a warp goes down a column, at the
 * power-of-two pitch of the rows. */
#include "opencl.h"

OCL_SOURCE("columns/kernel.cl");

enum { PITCH = 1024, WIDTH = 64 };

static void gen(wl *w, unsigned rows)
{
    float *in = wl_input_f32(w, "in", (size_t)rows * PITCH);
    float *out = wl_expect_f32(w, "out", rows, 1e-5);

    for (unsigned r = 0; r < rows; r++) {
        double sum = 0;

        for (unsigned c = 0; c < WIDTH; c++)
            sum += in[(size_t)r * PITCH + c] = wl_uniform(w, 0, 1);
        out[r] = (float)sum;
    }
}

static void run(ocl *o)
{
    cl_kernel sum = ocl_kernel(o, "sum_rows");
    cl_mem in = ocl_buffer(o, "in"), out = ocl_buffer(o, "out");

    ocl_args(o, sum, "mmuuu", in, out, o->size, (cl_uint)PITCH, (cl_uint)WIDTH);
    ocl_run(o, sum, o->size, 64);
    ocl_check(o, "out", out);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "columns", "sums of rows whose pitch is 4096 bytes", 0, "rows", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {512, 2048, 32768},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
