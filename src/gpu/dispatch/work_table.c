#include "gpu/dispatch/work_table.h"

#include <stdlib.h>

#include "base/alloc.h"

void work_table_init(work_table *t, const config *cfg)
{
    t->count = cfg->gpu.load_weight.kernels;
    t->entry = new0(t->count, sizeof *t->entry);
}

void work_table_fini(work_table *t) { free(t->entry); }

static struct work_entry *find(const work_table *t, uint64_t code)
{
    for (unsigned i = 0; i < t->count; i++)
        if (t->entry[i].weight && t->entry[i].code == code)
            return &t->entry[i];
    return NULL;
}

uint32_t work_table_weight(const work_table *t, uint64_t code)
{
    const struct work_entry *e = find(t, code);

    return e ? e->weight : t->mean ? t->mean : 1;
}

static uint32_t weight_of_cycles(uint64_t cycles)
{
    uint64_t w = cycles / WORK_UNIT;

    return w < 1 ? 1 : w < WORK_MOST ? (uint32_t)w : WORK_MOST;
}

void work_table_learn(work_table *t, uint64_t code, uint64_t cycles,
                      uint64_t ctas)
{
    struct work_entry *e = find(t, code);
    uint32_t w = weight_of_cycles(cycles / ctas);

    if (!e) {
        e = &t->entry[t->oldest];
        t->oldest = t->oldest + 1 < t->count ? t->oldest + 1 : 0;
    }
    *e = (struct work_entry){code, w};
    /* A quarter of the way: a shift and an adder. */
    t->mean = !t->mean      ? w
              : w > t->mean ? t->mean + (w - t->mean) / 4
                            : t->mean - (t->mean - w) / 4;
}
