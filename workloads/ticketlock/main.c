/* workloads/ticketlock/main.c - sums under ticket locks, that lanes of a warp
 * take, too. Who gets which ticket is chance: from the list of who came when
 * follows what each must have found. */
#include "rig.h"

#include <stdlib.h>

RIG_SOURCE("ticketlock/kernel.cl");

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void gen(wl *w, unsigned n)
{
    unsigned locks = wl_get(w, "locks");
    uint32_t *weight = wl_input_u32(w, "weight", n);
    uint32_t *total = wl_expect_u32(w, "total", locks);
    uint32_t *items = wl_expect_u32(w, "items", n);

    wl_require(w, n % locks == 0, "the size is a multiple of --locks");
    wl_zero(w, "next", WL_U32, locks);
    wl_zero(w, "serving", WL_U32, locks);
    wl_zero(w, "order", WL_U32, n);
    wl_zero(w, "before", WL_U32, n);
    wl_expect_u32(w, "wrong", 1);
    for (unsigned i = 0; i < n; i++) {
        weight[i] = wl_below(w, 1000);
        total[i % locks] += weight[i];
        items[i] = i;
    }
}

/* Turns at which the sum so far was not that of those before. */
static uint32_t wrong_turns(const rig *o, const uint32_t *order,
                            const uint32_t *before, unsigned locks)
{
    const uint32_t *weight = wl_find(o->data, "weight")->input;
    unsigned n = o->size;
    uint32_t wrong = 0;

    for (unsigned l = 0; l < locks; l++) {
        uint32_t sum = 0;

        for (unsigned at = l; at < n; at += locks) {
            if (order[at] >= n || order[at] % locks != l || before[at] != sum)
                wrong++;
            else
                sum += weight[order[at]];
        }
    }
    return wrong;
}

static void run(rig *o)
{
    unsigned n = o->size, locks = wl_get(o->data, "locks");
    size_t bytes = n * sizeof(uint32_t);
    dev_kernel enter = rig_kernel(o, "enter");
    dev_memory weight = rig_buffer(o, "weight"), total = rig_buffer(o, "total");
    dev_memory next = rig_buffer(o, "next"), serving = rig_buffer(o, "serving");
    dev_memory order = rig_buffer(o, "order"), before = rig_buffer(o, "before");
    uint32_t *came = rig_alloc(o, bytes), *found = rig_alloc(o, bytes);

    rig_args(o, enter, "mmmmmmuu", weight, next, serving, total, order, before,
             n, locks);
    rig_run(o, enter, n, 128);
    rig_check(o, "total", total);
    rig_read(o, order, came, bytes);
    rig_read(o, before, found, bytes);
    uint32_t wrong = wrong_turns(o, came, found, locks);
    rig_compare(o, "wrong", &wrong);
    qsort(came, n, sizeof *came, compare);
    rig_compare(o, "items", came);
    free(came);
    free(found);
}

int main(int argc, char **argv)
{
    static const workload problem = {"ticketlock", "sums under ticket locks", 0,
                                     "items", gen};
    static const wl_knob knobs[WL_KNOBS] = {
        {"locks", "that the items share", 16, 1, 1 << 16, NULL}};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {1024, 4096, 32768},
        .run = run,
        .knobs = knobs,
    };

    return rig_main(&program, argc, argv);
}
