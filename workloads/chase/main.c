/* workloads/chase/main.c - 128 items each follow 64 links of one big random
 * cycle: the latency of memory and nothing else. */
#include "rig.h"

RIG_SOURCE("chase/kernel.cl");

enum { ITEMS = 128, STEPS = 64 };

static void gen(wl *w, unsigned n)
{
    uint32_t *next = wl_input_u32(w, "next", n);
    uint32_t *end = wl_expect_u32(w, "end", ITEMS);

    wl_require(w, n >= ITEMS, "at least 128");
    for (unsigned i = 0; i < n; i++)
        next[i] = i;
    for (unsigned i = n - 1; i > 0; i--) { /* Sattolo: one cycle */
        unsigned j = wl_below(w, i), other = next[i];

        next[i] = next[j];
        next[j] = other;
    }
    for (unsigned i = 0; i < ITEMS; i++) {
        uint32_t at = i * (n / ITEMS);

        for (unsigned s = 0; s < STEPS; s++)
            at = next[at];
        end[i] = at;
    }
}

static void run(rig *o)
{
    dev_kernel chase = rig_kernel(o, "chase");
    dev_memory next = rig_buffer(o, "next"), end = rig_buffer(o, "end");

    rig_args(o, chase, "mmuu", next, end, o->size / ITEMS, (unsigned)STEPS);
    rig_run(o, chase, ITEMS, 32);
    rig_check(o, "end", end);
}

int main(int argc, char **argv)
{
    static const workload problem = {"chase", "pointers followed at random", 0,
                                     "links", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {1 << 14, 1 << 18, 1 << 22},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
