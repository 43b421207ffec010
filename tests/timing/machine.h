/* tests/timing/machine.h - machines made at random, one setting after the
 * other, and what has to be equal of two runs. Included by a test program of
 * random programs, behind unit/sm/random.h. */
#ifndef TIMING_MACHINE_H
#define TIMING_MACHINE_H

#include <stdarg.h>

#include "cluster.h"
#include "unit/sm/random.h"

enum { MACHINE_SETS = 32, MACHINE_TEXT = 80 };

typedef struct machine {
    char text[MACHINE_SETS][MACHINE_TEXT];
    const char *sets[MACHINE_SETS + 1];
    unsigned count;
} machine;

static inline __attribute__((format(printf, 2, 3))) void
machine_set(machine *m, const char *fmt, ...)
{
    va_list ap;

    CHECK(m->count < MACHINE_SETS);
    va_start(ap, fmt);
    vsnprintf(m->text[m->count], MACHINE_TEXT, fmt, ap);
    va_end(ap);
    m->sets[m->count] = m->text[m->count];
    m->sets[++m->count] = NULL;
}

#define PICK(r, list) (list)[rng_below(r, COUNTOF(list))]

static inline void machine_dispatch(machine *m, rng *r)
{
    static const char *const dispatch[] = {"round_robin", "first_fit", "random",
                                           "least_ctas", "load_weight"};
    static const char *const weight[] = {"slots", "linear"};
    const char *d = PICK(r, dispatch);

    machine_set(m, "gpu.dispatch=%s", d);
    if (strcmp(d, "load_weight"))
        return;
    machine_set(m, "gpu.load_weight.weight=%s", PICK(r, weight));
    if (rng_below(r, 2))
        machine_set(m, "gpu.load_weight.ties=rotating");
    if (rng_below(r, 2))
        machine_set(m, "gpu.load_weight.update=warp");
}

/* Two ways to simulate the same. */
static inline void machine_same(const cluster_run *a, const cluster_run *b)
{
    const stats *s = rt_stats(a->r->d);

    for (size_t i = 0; i < stats_count(s); i++)
        if (a->r->last.counters[i] != b->r->last.counters[i])
            fprintf(stderr, "%s.%s: %llu, %llu\n", stats_get(s, i).path,
                    stats_get(s, i).desc->id,
                    (unsigned long long)a->r->last.counters[i],
                    (unsigned long long)b->r->last.counters[i]);
    CHECK_EQ(a->cycles, b->cycles);
    CHECK_EQ(a->memory, b->memory);
    CHECK_EQ(a->hash, b->hash);
}

static inline void machine_same_data(const cluster_run *a, const cluster_run *b)
{
    for (unsigned i = 0; i < COUNTOF(a->data); i++)
        if (a->data[i] != b->data[i])
            TEST_FAIL("word %u of CTA %u thread %u: 0x%x, not 0x%x", i % 64,
                      i / 64 / THREADS, i / 64 % THREADS, b->data[i],
                      a->data[i]);
    CHECK_EQ(a->memory, b->memory);
}

#endif
