/* workloads/peak/main.c - as chain, but eight chains side by side. */
#include "opencl.h"

OCL_SOURCE("peak/kernel.cl");

enum { STEPS = 32, CHAINS = 8 };

static void gen(wl *w, unsigned n)
{
    float *x = wl_input_f32(w, "x", n), *last = wl_expect_f32(w, "x", n, 1e-4);

    for (unsigned i = 0; i < n; i++) {
        double sum = 0;

        x[i] = wl_uniform(w, -1, 1);
        for (unsigned c = 0; c < CHAINS; c++) {
            double v = (double)x[i] + c;

            for (unsigned s = 0; s < STEPS; s++)
                v = 0.9375 * v + 0.0625;
            sum += v;
        }
        last[i] = (float)sum;
    }
}

static void run(ocl *o)
{
    cl_kernel peak = ocl_kernel(o, "peak");
    cl_mem x = ocl_buffer(o, "x");

    ocl_args(o, peak, "mffu", x, 0.9375, 0.0625, o->size);
    ocl_run(o, peak, o->size, 256);
    ocl_check(o, "x", x);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "peak", "eight independent chains in each item", 0, "items", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {4096, 65536, 524288},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
