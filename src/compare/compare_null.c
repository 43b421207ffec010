/* src/compare/compare_null.c - how far a speed-up moves when nothing changes
 * that is an idea: all sides are run again with latencies that differ by a
 * cycle, SMs that start not quite together and other random choices; a gain
 * counts only beyond the band that this leaves. See compare.h. */
#include <math.h>

#include "base/strbuf.h"
#include "compare/compare.h"
#include "config/param.h"

/* ---- What is perturbed ---- */

/* All programs meet them, and a cycle of them is no idea. */
static const char *const knobs[] = {"noc.latency", "l2.latency", "dram.t_rcd",
                                    "gpu.cta.latency"};

enum { KNOBS = COUNTOF(knobs) };

/* Each knob goes down, stays or goes up: 3^4 ways, of which one changes
 * nothing. A stride without a common divisor visits all, and near ones differ
 * in most knobs. */
enum { WAYS = 81, UNCHANGED = WAYS / 2, STRIDE = 37 };

_Static_assert(KNOBS == 4 && COMPARE_NULLS_MOST == WAYS - 1,
               "each null is another way");

static unsigned way_of(size_t k)
{
    unsigned way = UNCHANGED;

    for (size_t i = 0; i < k; i++)
        way = (way + STRIDE) % WAYS;
    return way;
}

/* A cycle more or less; two to the other side at an end of the range, so that
 * up and down are two values. */
static uint64_t other_value(const config_param *p, uint64_t v, bool up)
{
    if (up)
        return v < p->max ? v + 1 : v - 2;
    return v > p->min ? v - 1 : v + 2;
}

static void assign(strbuf *to, const config_param *p, uint64_t value)
{
    strbuf_printf(to, "%s%s=%llu", to->size ? "," : "", p->path,
                  (unsigned long long)value);
}

/* Cycles by at most which SMs start late. The dispatcher serves one in a cycle,
 * so they are apart by more than this already. */
enum { SKEW = 4 };

/* SKEW more than before, and another seed. */
static void assign_start(strbuf *to, const config *cfg, size_t k)
{
    const config_param *skew = config_param_find("gpu.cta.skew");
    const config_param *seed = config_param_find("gpu.seed");
    uint64_t late = config_number(cfg, skew) + SKEW;
    uint64_t s = config_number(cfg, seed);

    assign(to, skew, late <= skew->max ? late : skew->max);
    assign(to, seed, seed->max - s >= k ? s + k : s - k);
}

const char *compare_null_assignments(const config *cfg, size_t k, arena *mem)
{
    unsigned way = way_of(k);
    strbuf b = {0};
    const char *copy;

    for (unsigned i = 0; i < KNOBS; i++, way /= 3) {
        const config_param *p = config_param_find(knobs[i]);

        if (way % 3 != 1)
            assign(&b, p, other_value(p, config_number(cfg, p), way % 3 != 0));
    }
    assign_start(&b, cfg, k);
    copy = arena_strdup(mem, b.text ? b.text : "");
    strbuf_fini(&b);
    return copy;
}

size_t compare_runs_each(const compare *c)
{
    return c->side_count * (1 + c->nulls);
}

/* ---- Of a comparison ---- */

size_t compare_drawn(const compare *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->count; i++)
        n += c->workloads[i].drawn;
    return n;
}

double compare_null_speedup(const compare *c, const compare_workload *w,
                            size_t s, size_t k)
{
    const measure_run *base = &w->runs[k * c->side_count];
    const measure_run *variant = base + s;

    return base->done && base->result.verdict == SUITE_PASS && variant->done &&
                   variant->result.verdict == SUITE_PASS
               ? base->sum.time_s / variant->sum.time_s
               : NAN;
}

static void find_bands(const compare *c, size_t s, double *ratios)
{
    for (size_t i = 0; i < c->count; i++) {
        compare_pair *p = &c->workloads[i].pairs[s];
        size_t n = 0;

        for (size_t k = 0; k <= c->nulls && !p->why; k++) {
            ratios[n] = compare_null_speedup(c, &c->workloads[i], s, k);
            n += ratios[n] > 0;
        }
        p->band = band_of(ratios, n);
    }
}

/* The mean of the k-th null over the workloads that count; NAN: one of them
 * failed there. */
static double mean_in(const compare *c, size_t s, size_t k, double *ratios)
{
    size_t n = 0;

    for (size_t i = 0; i < c->count; i++) {
        const compare_workload *w = &c->workloads[i];

        if (w->pairs[s].why)
            continue;
        ratios[n] = compare_null_speedup(c, w, s, k);
        if (isnan(ratios[n++]))
            return NAN;
    }
    return mean_of(ratios, n).geometric;
}

void compare_null_finish(compare *c)
{
    size_t room = c->count > c->nulls ? c->count : c->nulls;
    double *ratios = ARENA_ARRAY(c->mem, double, room + 1);
    double *means = ARENA_ARRAY(c->mem, double, c->nulls + 1);

    for (size_t s = 1; s < c->side_count && c->nulls; s++) {
        size_t n = 0;

        find_bands(c, s, ratios);
        for (size_t k = 0; k <= c->nulls; k++) {
            means[n] = mean_in(c, s, k, ratios);
            n += means[n] > 0;
        }
        c->summaries[s].band = band_of(means, n);
    }
}
