/* src/compare/compare.c - speed-ups, where issue slots went, which counters
 * moved; see compare.h. */
#include "compare/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/plural.h"
#include "compare/compare_view.h"

/* ---- Draws ---- */

static void add_draws(const compare *c, compare_workload *w)
{
    w->sums = ARENA_ARRAY(c->mem, const measure_sum *, c->side_count);
    for (size_t s = 0; s < c->side_count; s++) {
        measure_sum *all;

        w->sums[s] = &w->runs[s].sum;
        if (!w->drawn || !c->nulls)
            continue;
        w->sums[s] = all = ARENA_NEW(c->mem, measure_sum);
        for (size_t k = 0; k <= c->nulls; k++)
            measure_merge(all, c->mem, &w->runs[k * c->side_count + s].sum);
    }
}

/* ---- Counters ---- */

/* The length of the block's name. */
static size_t block_length(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot ? (size_t)(dot - name) : 0;
}

/* By block, so that counters of one stand beside each other, and by name. */
static int counter_by_name(const void *a, const void *b)
{
    const char *x = ((const measure_counter *)a)->name;
    const char *y = ((const measure_counter *)b)->name;
    size_t n = block_length(x), m = block_length(y);
    int order = memcmp(x, y, n < m ? n : m);

    return order ? order : n != m ? (n < m ? -1 : 1) : strcmp(x + n, y + m);
}

size_t compare_counter(const compare *c, const char *name)
{
    const measure_counter key = {.name = name}, *at = NULL;

    if (c->counter_count)
        at = bsearch(&key, c->counters, c->counter_count, sizeof key,
                     counter_by_name);
    return at ? (size_t)(at - c->counters) : SIZE_MAX;
}

static uint64_t counter_value(const compare *c, const compare_workload *w,
                              size_t s, const char *name)
{
    size_t i = compare_counter(c, name);

    return i == SIZE_MAX ? 0 : w->values[s][i];
}

static void collect_names(compare *c, size_t room)
{
    c->counters = ARENA_ARRAY(c->mem, measure_counter, room + 1);
    c->counter_count = 0;
    for (size_t w = 0; w < c->count; w++)
        for (size_t s = 0; s < c->side_count; s++) {
            const measure_sum *from = c->workloads[w].sums[s];
            size_t more = c->counter_count;

            for (size_t i = 0; i < from->counter_count; i++)
                if (compare_counter(c, from->counters[i].name) == SIZE_MAX)
                    c->counters[more++] = from->counters[i];
            if (more > c->counter_count)
                qsort(c->counters, more, sizeof *c->counters, counter_by_name);
            c->counter_count = more;
        }
}

static void collect_values(compare *c)
{
    for (size_t w = 0; w < c->count; w++) {
        compare_workload *x = &c->workloads[w];

        x->values = ARENA_ARRAY(c->mem, uint64_t *, c->side_count);
        for (size_t s = 0; s < c->side_count; s++) {
            const measure_sum *from = x->sums[s];

            x->values[s] = ARENA_ARRAY(c->mem, uint64_t, c->counter_count + 1);
            for (size_t i = 0; i < from->counter_count; i++)
                x->values[s][compare_counter(c, from->counters[i].name)] =
                    from->counters[i].value;
        }
    }
}

/* ---- Does a workload count? ---- */

static const char *run_failed(const compare *c, const measure_side *side,
                              const measure_run *r)
{
    const suite_result *x = &r->result;

    if (!r->done && c->diff && x->verdict == SUITE_PASS)
        return arena_printf(c->mem, "%s: it has no such workload", side->label);
    if (!r->done)
        return arena_printf(c->mem, "%s: not run to its end", side->label);
    if (x->verdict != SUITE_PASS)
        return arena_printf(c->mem, "%s: %s%s%s", side->label,
                            suite_verdict_text(x->verdict), x->why ? ": " : "",
                            x->why ? x->why : "");
    if (r->sum.failed)
        return arena_printf(c->mem,
                            "%s: %" PRIu64 " of its launches did not end well",
                            side->label, r->sum.failed);
    if (!(r->sum.time_s > 0))
        return arena_printf(c->mem, "%s: no launch was timed", side->label);
    return NULL;
}

static const char *difference(const compare *c, const suite_expect *x,
                              const measure_run *b, const measure_run *v)
{
    const char *why;

    if (b->sum.launches != v->sum.launches)
        return arena_printf(
            c->mem, "it launched %" PRIu64 " kernel%s, not %" PRIu64,
            v->sum.launches, word_plural(v->sum.launches), b->sum.launches);
    if (b->result.exit_code != v->result.exit_code)
        return arena_printf(c->mem, "its exit status is %d, not %d",
                            v->result.exit_code, b->result.exit_code);
    why = b->output_unknown || v->output_unknown
              ? NULL
              : compare_output(b->result.out, v->result.out,
                               x ? x->ignore : NULL, c->mem);
    if (why)
        return why;
    if (x && x->any_memory)
        return NULL;
    if (c->diff && !(b->sum.has_hash && v->sum.has_hash))
        return NULL;
    if (b->sum.has_hash != v->sum.has_hash)
        return "only one side ended in good order: memory is not compared";
    if (b->sum.memory_hash != v->sum.memory_hash)
        return "memory has other contents at its end";
    return NULL;
}

/* A side of the k-th draw failed, or results differ there. */
static const char *draw_failed(const compare *c, const compare_workload *w,
                               size_t s, size_t k)
{
    const measure_run *b = &w->runs[k * c->side_count], *v = b + s;
    const char *why = run_failed(c, &c->sides[0], b);

    if (!why)
        why = run_failed(c, &c->sides[s], v);
    if (!why && !c->allow_different)
        why =
            difference(c, w->is.program ? &w->is.program->expect : NULL, b, v);
    return why ? arena_printf(c->mem, "draw %zu: %s", k + 1, why) : NULL;
}

/* The geometric mean over all draws. */
static double mean_of_draws(const compare *c, const compare_workload *w,
                            size_t s)
{
    double *ratios = ARENA_ARRAY(c->mem, double, c->nulls + 1);

    for (size_t k = 0; k <= c->nulls; k++)
        ratios[k] = compare_null_speedup(c, w, s, k);
    return mean_of(ratios, c->nulls + 1).geometric;
}

static void judge_pair(const compare *c, compare_workload *w, size_t s)
{
    const measure_run *b = &w->runs[0], *v = &w->runs[s];
    const measure_sum *from = w->sums[0], *to = w->sums[s];
    compare_pair *p = &w->pairs[s];

    p->speedup = p->energy = p->edp = NAN;
    p->why = run_failed(c, &c->sides[0], b);
    p->tail = p->why ? b->result.tail : v->result.tail;
    if (!p->why)
        p->why = run_failed(c, &c->sides[s], v);
    if (!p->tail)
        p->tail = ""; /* it was not run to its end */
    if (p->why)
        return;
    p->note =
        difference(c, w->is.program ? &w->is.program->expect : NULL, b, v);
    p->unknown = !p->note && !(b->sum.has_hash && v->sum.has_hash);
    if (p->note && !c->allow_different) {
        p->why = arena_printf(c->mem, "RESULTS DIFFER: %s: %s",
                              c->sides[s].label, p->note);
        return;
    }
    for (size_t k = 1; w->drawn && k <= c->nulls && !p->why; k++)
        p->why = draw_failed(c, w, s, k);
    if (p->why)
        return;
    p->speedup =
        w->drawn ? mean_of_draws(c, w, s) : b->sum.time_s / v->sum.time_s;
    if (!from->energy_fj || !to->energy_fj || from->too_much || to->too_much)
        return;
    p->energy = (double)to->energy_fj / (double)from->energy_fj;
    p->edp = p->energy * (to->time_s / from->time_s);
}

/* ---- Issue slots ---- */

/* "issued", and the reasons for which slots are lost. */
static const char *const reasons[] = {
    "issued",
#define STALL(id, name, where, help) #name,
#include "sm/stall.def"
};

static uint64_t slots(const compare *c, const compare_workload *w, size_t s,
                      size_t reason)
{
    char name[128];

    if (!reason)
        return counter_value(c, w, s, "sm[*].issued") +
               counter_value(c, w, s, "sm[*].followed");
    snprintf(name, sizeof name, "sm[*].stall_%s", reasons[reason]);
    return counter_value(c, w, s, name);
}

static void share_slots(const compare *c, compare_workload *w, size_t s)
{
    double base = (double)counter_value(c, w, 0, "sm[*].slots");
    double variant = (double)counter_value(c, w, s, "sm[*].slots");
    double time = w->sums[s]->time_s / w->sums[0]->time_s;
    compare_reason *r = ARENA_ARRAY(c->mem, compare_reason, c->reason_count);

    for (size_t i = 0; i < c->reason_count; i++) {
        r[i].name = reasons[i];
        if (base > 0)
            r[i].base = (double)slots(c, w, 0, i) / base;
        if (variant > 0)
            r[i].variant = (double)slots(c, w, s, i) / variant * time;
    }
    w->pairs[s].reasons = r;
}

/* ---- Movers ---- */

double compare_weight(uint64_t base, uint64_t variant, uint64_t largest)
{
    uint64_t moved = base > variant ? base - variant : variant - base;

    return largest ? (double)moved / (double)largest : 0;
}

/* Slots, cycles and what was there in each of them: these grow with the time,
 * which is reported already. Nor do bins of histograms count. */
static bool is_no_mover(const measure_counter *c)
{
    return c->hist || strstr(c->unit, "slot") || strstr(c->unit, "cycle") ||
           strstr(c->unit, "clock") || strstr(c->name, "_cycles");
}

static bool same_block(const measure_counter *a, const measure_counter *b)
{
    size_t n = block_length(a->name);

    return block_length(b->name) == n && !memcmp(a->name, b->name, n);
}

bool compare_uses_block(const compare *c, size_t side, size_t counter)
{
    const measure_counter *x = c->counters;
    size_t i = counter;

    while (i && same_block(&x[i - 1], &x[counter]))
        i--;
    for (; i < c->counter_count && same_block(&x[i], &x[counter]); i++)
        for (size_t w = 0; w < c->count; w++)
            if (c->workloads[w].values[side][i])
                return true;
    return false;
}

bool compare_is_apart(const compare *c, size_t side, size_t counter)
{
    return c->diff && compare_uses_block(c, 0, counter) !=
                          compare_uses_block(c, side, counter);
}

/* The most of any counter of the same block and unit as number `at`. */
static uint64_t largest_beside(const compare *c, const uint64_t *values,
                               size_t at)
{
    const measure_counter *x = c->counters;
    uint64_t most = 0;
    size_t i = at;

    while (i && same_block(&x[i - 1], &x[at]))
        i--;
    for (; i < c->counter_count && same_block(&x[i], &x[at]); i++)
        if (values[i] > most && !x[i].hist && !strcmp(x[i].unit, x[at].unit))
            most = values[i];
    return most;
}

/* Adds what workload `w` says to the movers, one for each counter. */
static void add_movers(const compare *c, const compare_workload *w, size_t s,
                       compare_mover *to)
{
    for (size_t i = 0; i < c->counter_count; i++) {
        uint64_t base = w->values[0][i], variant = w->values[s][i];
        uint64_t most, other;

        to[i].base += base;
        to[i].variant += variant;
        if (base == variant || is_no_mover(&c->counters[i]) ||
            compare_is_apart(c, s, i))
            continue;
        most = largest_beside(c, w->values[0], i);
        other = largest_beside(c, w->values[s], i);
        to[i].weight +=
            compare_weight(base, variant, most > other ? most : other);
    }
}

static int mover_by_weight(const void *a, const void *b)
{
    const compare_mover *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void sort_movers(const compare *c, compare_summary *to, size_t n)
{
    for (size_t i = 0; i < c->counter_count; i++) {
        compare_mover *m = &to->movers[i];

        m->name = c->counters[i].name;
        m->unit = c->counters[i].unit;
        m->weight /= n ? (double)n : 1;
    }
    if (c->counter_count)
        qsort(to->movers, c->counter_count, sizeof *to->movers,
              mover_by_weight);
    while (to->mover_count < c->counter_count &&
           to->movers[to->mover_count].weight > 0)
        to->mover_count++;
}

/* ---- Summaries ---- */

static void add_workload(const compare *c, const compare_workload *w, size_t s,
                         compare_summary *to)
{
    for (size_t i = 0; i < c->reason_count; i++) {
        to->reasons[i].name = c->reasons[i];
        to->reasons[i].base += w->pairs[s].reasons[i].base;
        to->reasons[i].variant += w->pairs[s].reasons[i].variant;
    }
    for (unsigned i = 0; i < LEVELS; i++) {
        to->bytes[i][0] += w->sums[0]->bytes[i];
        to->bytes[i][1] += w->sums[s]->bytes[i];
    }
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        to->part_fj[i][0] += w->sums[0]->part_fj[i];
        to->part_fj[i][1] += w->sums[s]->part_fj[i];
    }
    add_movers(c, w, s, to->movers);
}

/* Energy, only if all workloads that count have it. */
static void average_energy(const compare *c, size_t s)
{
    double *spent = ARENA_ARRAY(c->mem, double, c->count + 1);
    double *edp = ARENA_ARRAY(c->mem, double, c->count + 1);
    size_t n = 0, known = 0;

    for (size_t i = 0; i < c->count; i++) {
        const compare_pair *p = &c->workloads[i].pairs[s];

        if (p->why)
            continue;
        spent[n] = p->energy;
        edp[n++] = p->edp;
        known += !isnan(p->energy);
    }
    c->summaries[s].energy = mean_of(spent, known == n ? n : 0);
    c->summaries[s].edp = mean_of(edp, known == n ? n : 0);
}

int compare_verdict(const compare *c, const compare_pair *p)
{
    if (c->nulls && !band_is_beyond(&p->band))
        return 0;
    if (c->nulls)
        return p->band.mean > 1 ? 1 : -1;
    return p->speedup > 1 + COMPARE_SAME   ? 1
           : p->speedup < 1 - COMPARE_SAME ? -1
                                           : 0;
}

static void count_verdicts(const compare *c, size_t s)
{
    compare_summary *to = &c->summaries[s];

    for (size_t i = 0; i < c->count; i++) {
        const compare_pair *p = &c->workloads[i].pairs[s];
        int verdict = p->why ? 0 : compare_verdict(c, p);

        to->faster += verdict > 0;
        to->slower += verdict < 0;
        to->same += !p->why && !verdict;
    }
}

static void summarize(compare *c, size_t s)
{
    compare_summary *to = &c->summaries[s];
    double *ratios = ARENA_ARRAY(c->mem, double, c->count + 1);
    size_t n = 0;

    to->reasons = ARENA_ARRAY(c->mem, compare_reason, c->reason_count);
    to->movers = ARENA_ARRAY(c->mem, compare_mover, c->counter_count + 1);
    for (size_t i = 0; i < c->count; i++) {
        compare_workload *w = &c->workloads[i];

        judge_pair(c, w, s);
        to->differing += w->pairs[s].note != NULL;
        if (w->pairs[s].why) {
            to->missing++;
            continue;
        }
        share_slots(c, w, s);
        add_workload(c, w, s, to);
        ratios[n++] = w->pairs[s].speedup;
    }
    for (size_t i = 0; i < c->reason_count && n; i++) {
        to->reasons[i].base /= (double)n;
        to->reasons[i].variant /= (double)n;
    }
    to->speedup = mean_of(ratios, n);
    average_energy(c, s);
    sort_movers(c, to, n);
}

void compare_finish(compare *c)
{
    size_t room = 0;

    for (size_t i = 0; i < c->count; i++)
        add_draws(c, &c->workloads[i]);
    for (size_t i = 0; i < c->count; i++)
        for (size_t s = 0; s < c->side_count; s++)
            room += c->workloads[i].sums[s]->counter_count;
    collect_names(c, room);
    collect_values(c);
    c->reasons = reasons;
    c->reason_count = COUNTOF(reasons);
    c->summaries = ARENA_ARRAY(c->mem, compare_summary, c->side_count);
    for (size_t i = 0; i < c->count; i++)
        c->workloads[i].pairs =
            ARENA_ARRAY(c->mem, compare_pair, c->side_count);
    for (size_t s = 1; s < c->side_count; s++)
        summarize(c, s);
    compare_null_finish(c);
    for (size_t s = 1; s < c->side_count; s++)
        count_verdicts(c, s);
    compare_view_finish(c);
}

bool compare_complete(const compare *c, size_t side)
{
    const compare_summary *s = &c->summaries[side];

    return s->speedup.count && (!s->missing || c->allow_missing);
}

bool compare_good(const compare *c)
{
    for (size_t s = 1; s < c->side_count; s++)
        if (!compare_complete(c, s) ||
            (c->summaries[s].differing && !c->allow_different))
            return false;
    return !c->interrupted;
}

const char *compare_set(const compare *c)
{
    return c->mechanism ? mechanism_set(c->mechanism, c->sides[0].gpus[0].name)
                        : NULL;
}

void compare_fini(compare *c)
{
    for (size_t i = 0; i < c->count; i++)
        for (size_t s = 0; s < compare_runs_each(c); s++)
            measure_fini(&c->workloads[i].runs[s]);
}
