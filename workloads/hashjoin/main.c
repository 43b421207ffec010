/* workloads/hashjoin/main.c - keys looked up in a hash table that is half full,
 * with open addressing; half of the keys are in it. */
#include "rig.h"

RIG_SOURCE("hashjoin/kernel.cl");

enum { EACH = 8, ROWS = 1 << 13, SLOTS = 2 * ROWS };

/* Odd keys are in the table; what belongs to one is made from it. */
static uint32_t a_key(wl *w)
{
    return (wl_below(w, ROWS) * 2654435761u & 0x3fffffff) << 1;
}

static uint32_t value_of(uint32_t key) { return (key ^ key >> 9) & 0xffff; }

static void insert(uint32_t *slot, uint32_t key)
{
    uint32_t at = key * 0x9e3779b1u >> 7 & (SLOTS - 1);

    while (slot[2 * at] && slot[2 * at] != key)
        at = (at + 1) & (SLOTS - 1);
    slot[2 * at] = key;
    slot[2 * at + 1] = value_of(key);
}

static void gen(wl *w, unsigned n)
{
    uint32_t *slot = wl_input_u32(w, "slot", (size_t)2 * SLOTS);
    uint32_t *key = wl_input_u32(w, "key", (size_t)n * EACH);
    uint32_t *sum = wl_expect_u32(w, "sum", n);

    for (uint32_t r = 0; r < ROWS; r++)
        insert(slot, (r * 2654435761u & 0x3fffffff) << 1 | 1);
    for (size_t k = 0; k < EACH; k++)
        for (unsigned i = 0; i < n; i++) {
            uint32_t wanted = a_key(w) + wl_below(w, 2);

            /* An even key is in no slot, and 0 would be none. */
            key[k * n + i] = wanted ? wanted : 2;
            sum[i] += wanted & 1 ? value_of(wanted) : 0;
        }
}

static void run(rig *o)
{
    dev_kernel probe = rig_kernel(o, "probe");
    dev_memory slot = rig_buffer(o, "slot"), key = rig_buffer(o, "key");
    dev_memory sum = rig_buffer(o, "sum");

    rig_args(o, probe, "mmmuuu", slot, key, sum, o->size, (unsigned)(SLOTS - 1),
             (unsigned)EACH);
    rig_run(o, probe, o->size, 256);
    rig_check(o, "sum", sum);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "hashjoin", "keys looked up in a hash table", 0, "items", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {11520, 23040, 368640},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
