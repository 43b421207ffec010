/* workloads/radixsort/main.c - keys of 32 bits sorted by their 8 digits of 4
 * bits, the least first: each pass counts digits in each group, turns the
 * counts into places, and moves the keys there. */
#include "rig.h"

#include <stdlib.h>

RIG_SOURCE("radixsort/kernel.cl");

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

static void run(rig *o)
{
    unsigned n = o->size, groups = n / GROUP;
    dev_kernel count = rig_kernel(o, "count");
    dev_kernel place = rig_kernel(o, "place");
    dev_kernel move = rig_kernel(o, "move");
    dev_memory key = rig_buffer(o, "key");
    dev_memory other = rig_scratch(o, n * sizeof(uint32_t));
    dev_memory counts = rig_scratch(o, groups * DIGITS * sizeof(uint32_t));

    for (unsigned pass = 0; pass < PASSES; pass++) {
        dev_memory in = pass % 2 ? other : key, out = pass % 2 ? key : other;

        rig_args(o, count, "mmu", in, counts, 4 * pass);
        rig_run(o, count, n, GROUP);
        rig_args(o, place, "mu", counts, groups * DIGITS);
        rig_run(o, place, GROUP, GROUP);
        rig_args(o, move, "mmmu", in, out, counts, 4 * pass);
        rig_run(o, move, n, GROUP);
    }
    rig_check(o, "key", key);
}

int main(int argc, char **argv)
{
    static const workload problem = {"radixsort", "integers sorted by digits",
                                     0, "keys", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {4096, 32768, 524288},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
