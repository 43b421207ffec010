/* workloads/triangle/main.c - y = L x with a lower triangular matrix, stored by
 * columns: groups have the same size, but later ones have longer rows. */
#include "opencl.h"

OCL_SOURCE("triangle/kernel.cl");

static void gen(wl *w, unsigned n)
{
    float *l = wl_input_f32(w, "l", (size_t)n * n);
    float *x = wl_input_f32(w, "x", n), *y = wl_expect_f32(w, "y", n, 1e-4);
    double *sum = wl_scratch(w, n * sizeof *sum);

    for (unsigned c = 0; c < n; c++) {
        x[c] = wl_uniform(w, -1, 1);
        for (unsigned r = c; r < n; r++) {
            float v = l[(size_t)c * n + r] = wl_uniform(w, -1, 1);

            sum[r] += (double)v * x[c];
        }
    }
    for (unsigned r = 0; r < n; r++)
        y[r] = (float)sum[r];
}

static void run(ocl *o)
{
    cl_kernel multiply = ocl_kernel(o, "multiply");
    cl_mem l = ocl_buffer(o, "l"), x = ocl_buffer(o, "x");
    cl_mem y = ocl_buffer(o, "y");

    ocl_args(o, multiply, "mmmu", l, x, y, o->size);
    ocl_run(o, multiply, o->size, 64);
    ocl_check(o, "y", y);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "triangle", "triangular matrix times vector", 0, "rows", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {256, 1024, 8192},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
