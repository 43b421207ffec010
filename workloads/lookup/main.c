/* workloads/lookup/main.c - each item walks through a random table that every
 * group copies into its local memory: room for few groups, and addresses that
 * meet in banks by chance. */
#include "rig.h"

RIG_SOURCE("lookup/kernel.cl");

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

static void run(rig *o)
{
    rig_need_local(o, TABLE * sizeof(uint32_t));
    dev_kernel lookup = rig_kernel(o, "lookup");
    dev_memory table = rig_buffer(o, "table"), x = rig_buffer(o, "x");

    rig_args(o, lookup, "mmluu", table, x, TABLE * sizeof(uint32_t),
             (unsigned)TABLE, o->size);
    rig_run(o, lookup, o->size, GROUP);
    rig_check(o, "x", x);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "lookup", "a table of 32 KB in local memory", 0, "items", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {2048, 16384, 262144},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
