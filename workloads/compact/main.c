/* workloads/compact/main.c - values below a bound are appended to a list whose
 * length is one counter for all: their order is chance, so both lists are
 * sorted before they are compared. */
#include "opencl.h"

#include <stdlib.h>

OCL_SOURCE("compact/kernel.cl");

enum { BOUND = 1 << 30 }; /* a quarter passes */

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void gen(wl *w, unsigned n)
{
    uint32_t *in = wl_input_u32(w, "in", n), *out = wl_expect_u32(w, "out", n);
    unsigned kept = 0;

    for (unsigned i = 0; i < n; i++)
        if ((in[i] = wl_random(w)) < BOUND)
            out[kept++] = in[i];
    qsort(out, kept, sizeof *out, compare);
    wl_expect_u32(w, "length", 1)[0] = kept;
}

static void run(ocl *o)
{
    unsigned n = o->size;
    cl_uint length = 0;
    cl_kernel compact = ocl_kernel(o, "compact");
    cl_mem in = ocl_buffer(o, "in"), out = ocl_buffer(o, "out");
    cl_mem counter = ocl_buffer(o, "length");
    uint32_t *got = calloc(n, sizeof *got);

    ocl_ok(o, got ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "calloc");
    ocl_args(o, compact, "mmmuu", in, out, counter, (cl_uint)BOUND, n);
    ocl_run(o, compact, n, 256);
    ocl_read(o, counter, &length, sizeof length);
    ocl_read(o, out, got, n * sizeof *got);
    qsort(got, length < n ? length : n, sizeof *got, compare);
    ocl_compare(o, "length", &length);
    ocl_compare(o, "out", got);
    free(got);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "compact", "values that pass a test, appended by atomics", 0, "values",
        gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {16384, 262144, 4194304},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
