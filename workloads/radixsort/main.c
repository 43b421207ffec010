/* workloads/radixsort/main.c - keys of 32 bits sorted by their 8 digits of 4
 * bits, the least first: each pass counts digits in each group, turns the
 * counts into places, and moves the keys there. */
#include "opencl.h"

#include <stdlib.h>

OCL_SOURCE("radixsort/kernel.cl");

enum { GROUP = 256, DIGITS = 16, PASSES = 8 };

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void gen(wl *w, unsigned n)
{
    wl_require(w, n % GROUP == 0, "must be a multiple of 256");
    uint32_t *key = wl_input_u32(w, "key", n);
    uint32_t *sorted = wl_expect_u32(w, "key", n);

    for (unsigned i = 0; i < n; i++)
        sorted[i] = key[i] = wl_random(w);
    qsort(sorted, n, sizeof *sorted, compare);
}

static void run(ocl *o)
{
    unsigned n = o->size, groups = n / GROUP;
    cl_kernel count = ocl_kernel(o, "count");
    cl_kernel place = ocl_kernel(o, "place");
    cl_kernel move = ocl_kernel(o, "move");
    cl_mem key = ocl_buffer(o, "key");
    cl_mem other = ocl_scratch(o, n * sizeof(cl_uint));
    cl_mem counts = ocl_scratch(o, groups * DIGITS * sizeof(cl_uint));

    for (unsigned pass = 0; pass < PASSES; pass++) {
        cl_mem in = pass % 2 ? other : key, out = pass % 2 ? key : other;

        ocl_args(o, count, "mmu", in, counts, 4 * pass);
        ocl_run(o, count, n, GROUP);
        ocl_args(o, place, "mu", counts, groups * DIGITS);
        ocl_run(o, place, GROUP, GROUP);
        ocl_args(o, move, "mmmu", in, out, counts, 4 * pass);
        ocl_run(o, move, n, GROUP);
    }
    ocl_check(o, "key", key);
}

int main(int argc, char **argv)
{
    static const workload problem = {"radixsort", "integers sorted by digits",
                                     0, "keys", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {4096, 32768, 524288},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
