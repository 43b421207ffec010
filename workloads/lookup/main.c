/* workloads/lookup/main.c - each item walks through a random table that every
 * group copies into its local memory: room for few groups, and addresses that
 * meet in banks by chance. */
#include "opencl.h"

OCL_SOURCE("lookup/kernel.cl");

enum { TABLE = 8192, STEPS = 64, GROUP = 128 };

static void gen(wl *w, unsigned n)
{
    uint32_t *table = wl_input_u32(w, "table", TABLE);
    uint32_t *x = wl_input_u32(w, "x", n), *last = wl_expect_u32(w, "x", n);

    for (unsigned i = 0; i < TABLE; i++)
        table[i] = wl_random(w);
    for (unsigned i = 0; i < n; i++) {
        uint32_t v = x[i] = wl_random(w);

        for (unsigned s = 0; s < STEPS; s++)
            v = v >> 8 ^ table[v % TABLE];
        last[i] = v;
    }
}

static void run(ocl *o)
{
    ocl_need_local(o, TABLE * sizeof(cl_uint));
    cl_kernel lookup = ocl_kernel(o, "lookup");
    cl_mem table = ocl_buffer(o, "table"), x = ocl_buffer(o, "x");

    ocl_args(o, lookup, "mmluu", table, x, TABLE * sizeof(cl_uint),
             (cl_uint)TABLE, o->size);
    ocl_run(o, lookup, o->size, GROUP);
    ocl_check(o, "x", x);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "lookup", "a table of 32 KB in local memory", 0, "items", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {2048, 16384, 262144},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
