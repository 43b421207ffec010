/* workloads/floyd/main.c - all shortest paths by Floyd and Warshall. */
#include "opencl.h"

OCL_SOURCE("floyd/kernel.cl");

static void gen(wl *w, unsigned n)
{
    uint32_t *d = wl_input_u32(w, "d", (size_t)n * n);
    uint32_t *best = wl_expect_u32(w, "d", (size_t)n * n);

    for (unsigned y = 0; y < n; y++)
        for (unsigned x = 0; x < n; x++)
            best[(size_t)y * n + x] = d[(size_t)y * n + x] =
                x == y ? 0 : 1 + wl_below(w, 1000);
    for (unsigned k = 0; k < n; k++)
        for (unsigned y = 0; y < n; y++)
            for (unsigned x = 0; x < n; x++) {
                uint32_t way =
                    best[(size_t)y * n + k] + best[(size_t)k * n + x];

                if (way < best[(size_t)y * n + x])
                    best[(size_t)y * n + x] = way;
            }
}

static void run(ocl *o)
{
    unsigned n = o->size;
    cl_kernel pass = ocl_kernel(o, "pass");
    cl_mem d = ocl_buffer(o, "d");

    for (unsigned k = 0; k < n; k++) {
        ocl_args(o, pass, "muu", d, n, k);
        ocl_run2(o, pass, OCL_2D(n, n), OCL_2D(32, 8));
    }
    ocl_check(o, "d", d);
}

int main(int argc, char **argv)
{
    static const workload problem = {"floyd",
                                     "shortest paths, a launch for each vertex",
                                     0, "vertices", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {64, 128, 512},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
