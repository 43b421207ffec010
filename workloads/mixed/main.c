/* workloads/mixed/main.c - groups of 512 items, of which every sixteenth works
 * with all its warps and for long; in the others only the first warp works, and
 * the rest leave at once. */
#include "opencl.h"

OCL_SOURCE("mixed/kernel.cl");

enum { GROUP = 512, SMALL = 32, EVERY = 16, LONG = 256, SHORT = 16 };

static void gen(wl *w, unsigned groups)
{
    size_t n = (size_t)groups * GROUP;
    uint32_t *x = wl_input_u32(w, "x", n), *last = wl_expect_u32(w, "x", n);

    for (size_t i = 0; i < n; i++) {
        int large = i / GROUP % EVERY == 0;
        unsigned steps = large ? LONG : i % GROUP < SMALL ? SHORT : 0;
        uint32_t v = x[i] = wl_random(w);

        while (steps--)
            v = v * 1664525u + 1013904223u;
        last[i] = v;
    }
}

static void run(ocl *o)
{
    cl_kernel mixed = ocl_kernel(o, "mixed");
    cl_mem x = ocl_buffer(o, "x");

    ocl_args(o, mixed, "m", x);
    ocl_run(o, mixed, (size_t)o->size * GROUP, GROUP);
    ocl_check(o, "x", x);
}

int main(int argc, char **argv)
{
    static const workload problem = {"mixed", "groups of very different weight",
                                     0, "groups", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {320, 2560, 20480},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
