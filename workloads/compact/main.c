/* workloads/compact/main.c - values below a bound are appended to a list whose
 * length is one counter for all: their order is chance, so both lists are
 * sorted before they are compared. */
#include "rig.h"

#include <stdlib.h>

RIG_SOURCE("compact/kernel.cl");

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

static void run(rig *o)
{
    unsigned n = o->size;
    uint32_t length = 0;
    dev_kernel compact = rig_kernel(o, "compact");
    dev_memory in = rig_buffer(o, "in"), out = rig_buffer(o, "out");
    dev_memory counter = rig_buffer(o, "length");
    uint32_t *got = rig_alloc(o, n * sizeof *got);

    rig_args(o, compact, "mmmuu", in, out, counter, (unsigned)BOUND, n);
    rig_run(o, compact, n, 256);
    rig_read(o, counter, &length, sizeof length);
    rig_read(o, out, got, n * sizeof *got);
    qsort(got, length < n ? length : n, sizeof *got, compare);
    rig_compare(o, "length", &length);
    rig_compare(o, "out", got);
    free(got);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "compact", "values that pass a test, appended by atomics", 0, "values",
        gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {16384, 262144, 4194304},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
