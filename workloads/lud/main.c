/* workloads/lud/main.c - a = L U in place, by blocks of 16 x 16: for each block
 * of the diagonal first itself, then those beside and below it, then the rest
 * of the matrix, which shrinks from launch to launch. */
#include "opencl.h"

OCL_SOURCE("lud/kernel.cl");

enum { B = 16 };

static void gen(wl *w, unsigned n)
{
    size_t items = (size_t)n * n;

    wl_require(w, n % B == 0 && n >= 2 * B,
               "must be a multiple of 16, from 32");
    float *a = wl_input_f32(w, "a", items);
    float *lu = wl_expect_f32(w, "a", items, 1e-3);
    double *m = wl_scratch(w, items * sizeof *m);

    for (size_t i = 0; i < items; i++) /* the diagonal dominates */
        m[i] = a[i] = wl_uniform(w, -1, 1) + (i / n == i % n ? (float)n : 0);
    for (unsigned k = 0; k < n; k++)
        for (unsigned r = k + 1; r < n; r++) {
            double f = m[(size_t)r * n + k] /= m[(size_t)k * n + k];

            for (unsigned c = k + 1; c < n; c++)
                m[(size_t)r * n + c] -= f * m[(size_t)k * n + c];
        }
    for (size_t i = 0; i < items; i++)
        lu[i] = (float)m[i];
}

static void run(ocl *o)
{
    unsigned n = o->size;
    cl_kernel diagonal = ocl_kernel(o, "lud_diagonal");
    cl_kernel border = ocl_kernel(o, "lud_border");
    cl_kernel inside = ocl_kernel(o, "lud_inside");
    cl_mem a = ocl_buffer(o, "a");

    for (unsigned k = 0; k < n; k += B) {
        unsigned left = (n - k) / B - 1; /* blocks behind this one */

        ocl_args(o, diagonal, "muu", a, n, k);
        ocl_run(o, diagonal, B, B);
        if (!left)
            break;
        ocl_args(o, border, "muu", a, n, k);
        ocl_run(o, border, left * 2 * B, 2 * B);
        ocl_args(o, inside, "muu", a, n, k);
        ocl_run2(o, inside, OCL_2D(left * B, left * B), OCL_2D(B, B));
    }
    ocl_check(o, "a", a);
}

int main(int argc, char **argv)
{
    static const workload problem = {"lud", "LU decomposition by blocks", 0,
                                     "rows", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {96, 256, 1024},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
