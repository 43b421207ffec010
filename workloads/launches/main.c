/* workloads/launches/main.c - a kernel of one small group, launched again and
 * again: what a launch costs. */
#include "opencl.h"

OCL_SOURCE("launches/kernel.cl");

enum { ITEMS = 64 };

static void gen(wl *w, unsigned n)
{
    uint32_t *x = wl_input_u32(w, "x", ITEMS);
    uint32_t *last = wl_expect_u32(w, "x", ITEMS);

    for (unsigned i = 0; i < ITEMS; i++) {
        last[i] = x[i] = wl_random(w);
        for (unsigned k = 0; k < n; k++)
            last[i] = last[i] * 1664525u + k;
    }
}

static void run(ocl *o)
{
    cl_kernel step = ocl_kernel(o, "step_once");
    cl_mem x = ocl_buffer(o, "x");

    for (unsigned k = 0; k < o->size; k++) {
        ocl_args(o, step, "mu", x, k);
        ocl_run(o, step, ITEMS, ITEMS);
    }
    ocl_check(o, "x", x);
}

int main(int argc, char **argv)
{
    static const workload problem = {"launches", "many tiny launches", 0,
                                     "launches", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {200, 1000, 10000},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
