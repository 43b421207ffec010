/* src/lab/compare.c - speed-ups, where issue slots went, which counters moved;
 * see compare.h. */
#include "lab/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

/* ---- Counters ---- */

/* NULL: there is none of that name. */
static const measure_counter *find(const measure_sum *s, size_t hint,
                                   const char *name)
{
    if (hint < s->counter_count && !strcmp(s->counters[hint].name, name))
        return &s->counters[hint];
    for (size_t i = 0; i < s->counter_count; i++)
        if (!strcmp(s->counters[i].name, name))
            return &s->counters[i];
    return NULL;
}

static uint64_t value(const measure_sum *s, const char *name)
{
    const measure_counter *c = find(s, SIZE_MAX, name);

    return c ? c->value : 0;
}

/* ---- Does a workload count? ---- */

static const char *run_failed(const compare *c, const measure_side *side,
                              const measure_run *r)
{
    const suite_result *x = &r->result;

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
        return arena_printf(c->mem,
                            "it launched %" PRIu64 " kernels, not %" PRIu64,
                            v->sum.launches, b->sum.launches);
    if (b->result.exit_code != v->result.exit_code)
        return arena_printf(c->mem, "its exit status is %d, not %d",
                            v->result.exit_code, b->result.exit_code);
    why = compare_output(b->result.out, v->result.out, x ? x->ignore : NULL,
                         c->mem);
    if (why)
        return why;
    if (x && x->any_memory)
        return NULL;
    if (b->sum.has_hash != v->sum.has_hash)
        return "only one side ended in good order: memory is not compared";
    if (b->sum.memory_hash != v->sum.memory_hash)
        return "memory has other contents at its end";
    return NULL;
}

static void judge_pair(const compare *c, compare_workload *w, size_t s)
{
    const measure_run *b = &w->runs[0], *v = &w->runs[s];
    compare_pair *p = &w->pairs[s];

    p->speedup = p->energy = p->edp = NAN;
    p->why = run_failed(c, &c->sides[0], b);
    if (!p->why)
        p->why = run_failed(c, &c->sides[s], v);
    if (p->why)
        return;
    p->note =
        difference(c, w->is.program ? &w->is.program->expect : NULL, b, v);
    if (p->note && !c->allow_different) {
        p->why = arena_printf(c->mem, "RESULTS DIFFER: %s: %s",
                              c->sides[s].label, p->note);
        return;
    }
    p->speedup = b->sum.time_s / v->sum.time_s;
    if (!b->sum.energy_fj || !v->sum.energy_fj || b->sum.too_much ||
        v->sum.too_much)
        return;
    p->energy = (double)v->sum.energy_fj / (double)b->sum.energy_fj;
    p->edp = p->energy * (v->sum.time_s / b->sum.time_s);
}

/* ---- Issue slots ---- */

#define STALL "sm[*].stall_"

/* "issued" and every reason for which a run lost slots. */
static void collect_reasons(compare *c)
{
    const char **names =
        ARENA_ARRAY(c->mem, const char *, FIGURE_STALLS_MAX + 1);

    names[c->reason_count++] = "issued";
    for (size_t w = 0; w < c->count && c->reason_count == 1; w++) {
        const measure_sum *s = &c->workloads[w].runs[0].sum;

        for (size_t i = 0;
             i < s->counter_count && c->reason_count <= FIGURE_STALLS_MAX; i++)
            if (!strncmp(s->counters[i].name, STALL, strlen(STALL)))
                names[c->reason_count++] =
                    arena_strdup(c->mem, s->counters[i].name + strlen(STALL));
    }
    c->reasons = names;
}

static uint64_t slots(const compare *c, const measure_sum *s, size_t reason)
{
    char name[128];

    if (!reason)
        return value(s, "sm[*].issued");
    snprintf(name, sizeof name, STALL "%s", c->reasons[reason]);
    return value(s, name);
}

static void share_slots(const compare *c, compare_workload *w, size_t s)
{
    const measure_sum *b = &w->runs[0].sum, *v = &w->runs[s].sum;
    double all = (double)value(b, "sm[*].slots");
    compare_reason *r = ARENA_ARRAY(c->mem, compare_reason, c->reason_count);

    for (size_t i = 0; i < c->reason_count; i++) {
        r[i].name = c->reasons[i];
        r[i].base = all > 0 ? (double)slots(c, b, i) / all : 0;
        r[i].variant = all > 0 ? (double)slots(c, v, i) / all : 0;
    }
    w->pairs[s].reasons = r;
}

/* ---- Movers ---- */

double compare_weight(uint64_t base, uint64_t variant, uint64_t largest)
{
    uint64_t moved = base > variant ? base - variant : variant - base;

    return largest ? (double)moved / (double)largest : 0;
}

/* Slots, cycles and what was there in each of them: those grow with the time
 * that is told already. */
static bool is_time(const measure_counter *c)
{
    return strstr(c->unit, "slot") || strstr(c->unit, "cycle") ||
           strstr(c->unit, "clock") || strstr(c->name, "_cycles");
}

/* The length of the block's name. */
static size_t block_length(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot ? (size_t)(dot - name) : 0;
}

static bool same_traffic(const measure_counter *a, const measure_counter *b)
{
    size_t n = block_length(a->name);

    return block_length(b->name) == n && !memcmp(a->name, b->name, n) &&
           !strcmp(a->unit, b->unit);
}

/* Counters of a block stand beside each other, so only they are looked at. */
static uint64_t largest_beside(const measure_sum *s, size_t at)
{
    uint64_t most = s->counters[at].value;
    size_t n = block_length(s->counters[at].name), first = at;

    while (first && block_length(s->counters[first - 1].name) == n &&
           !memcmp(s->counters[first - 1].name, s->counters[at].name, n))
        first--;
    for (size_t i = first;
         i < s->counter_count && block_length(s->counters[i].name) == n &&
         !memcmp(s->counters[i].name, s->counters[at].name, n);
         i++)
        if (same_traffic(&s->counters[i], &s->counters[at]) &&
            s->counters[i].value > most)
            most = s->counters[i].value;
    return most;
}

/* Adds what workload `w` says to the movers, of which *count are there. */
static void add_movers(const compare_workload *w, size_t s, compare_summary *to)
{
    const measure_sum *b = &w->runs[0].sum, *v = &w->runs[s].sum;

    for (size_t i = 0; i < b->counter_count; i++) {
        const measure_counter *x = &b->counters[i], *y = find(v, i, x->name);
        compare_mover *m = &to->movers[i];
        uint64_t most, other;

        if (!y || is_time(x) || (m->name && strcmp(m->name, x->name) != 0))
            continue;
        most = largest_beside(b, i);
        other = largest_beside(v, (size_t)(y - v->counters));
        m->name = x->name;
        m->unit = x->unit;
        m->base += x->value;
        m->variant += y->value;
        m->weight +=
            compare_weight(x->value, y->value, most > other ? most : other);
    }
}

static int by_weight(const void *a, const void *b)
{
    const compare_mover *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return !x->name || !y->name ? !x->name - !y->name
                                : strcmp(x->name, y->name);
}

static void sort_movers(compare_summary *to, size_t room, size_t workloads)
{
    for (size_t i = 0; i < room; i++)
        to->movers[i].weight /= workloads ? (double)workloads : 1;
    if (room)
        qsort(to->movers, room, sizeof *to->movers, by_weight);
    while (to->mover_count < room && to->movers[to->mover_count].name)
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
        to->bytes[i][0] += w->runs[0].sum.bytes[i];
        to->bytes[i][1] += w->runs[s].sum.bytes[i];
    }
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        to->part_fj[i][0] += w->runs[0].sum.part_fj[i];
        to->part_fj[i][1] += w->runs[s].sum.part_fj[i];
    }
    add_movers(w, s, to);
}

/* Energy, only where it is known of all workloads that count. */
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

static void summarize(compare *c, size_t s)
{
    compare_summary *to = &c->summaries[s];
    double *ratios = ARENA_ARRAY(c->mem, double, c->count + 1);
    size_t n = 0, room = 0;

    for (size_t i = 0; i < c->count; i++)
        if (c->workloads[i].runs[0].sum.counter_count > room)
            room = c->workloads[i].runs[0].sum.counter_count;
    to->reasons = ARENA_ARRAY(c->mem, compare_reason, c->reason_count);
    to->movers = ARENA_ARRAY(c->mem, compare_mover, room + 1);
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
    sort_movers(to, room, n);
}

void compare_finish(compare *c)
{
    collect_reasons(c);
    c->summaries = ARENA_ARRAY(c->mem, compare_summary, c->side_count);
    for (size_t i = 0; i < c->count; i++)
        c->workloads[i].pairs =
            ARENA_ARRAY(c->mem, compare_pair, c->side_count);
    for (size_t s = 1; s < c->side_count; s++)
        summarize(c, s);
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

void compare_fini(compare *c)
{
    for (size_t i = 0; i < c->count; i++)
        for (size_t s = 0; s < c->side_count; s++)
            measure_fini(&c->workloads[i].runs[s]);
}
