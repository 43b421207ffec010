/* src/lab/compare_text.c - a comparison for people, at most 100 columns. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/compare.h"
#include "lab/compare_cost.h"
#include "report/word.h"

enum {
    BAR = 7,
    MOVERS = 10,
    NAME = 22,
    STRUCTURES = 10
}; /* BAR: characters at each side */

/* ---- Small things ---- */

static word times(double ratio)
{
    word w = {"-"};

    if (!isnan(ratio))
        snprintf(w.s, sizeof w.s, "%.3f x", ratio);
    return w;
}

/* "+12.3 %" */
static word change(double share)
{
    word w = {"-"};

    if (!isnan(share) && !isinf(share))
        snprintf(w.s, sizeof w.s, "%+.1f %%",
                 fabs(share) < 0.0005 ? 0. : 100 * share);
    return w;
}

static double relative(double base, double variant)
{
    return base > 0 ? variant / base - 1 : variant > 0 ? INFINITY : 0;
}

/* Both sides' sum of any two numbers. */
static word relative_text(uint64_t base, uint64_t variant)
{
    return !base && variant ? (word){"from 0"}
                            : change(relative((double)base, (double)variant));
}

static bool only_cycles(uint64_t v) { return v < UINT64_C(1000000000000); }

static word cycles_text(const measure_run *r)
{
    if (!r->sum.timed)
        return (word){"-"};
    return only_cycles(r->sum.cycles) ? word_grouped(r->sum.cycles)
                                      : word_count((double)r->sum.cycles);
}

/* ---- Workloads ---- */

/* Half of a bar: to the left slower, to the right faster; `most` is the
 * logarithm that fills it. */
static void put_bar(double speedup, double most, FILE *to)
{
    double share = most > 0 ? log(speedup) / most : 0;
    int n = (int)lround(fabs(share) * BAR);

    for (int i = BAR; i > 0; i--)
        fputc(share < 0 && i <= n ? '-' : ' ', to);
    fputc('|', to);
    for (int i = 1; i <= BAR; i++)
        fputc(share > 0 && i <= n ? '+' : ' ', to);
}

static const compare_reason *largest(const compare *c, const compare_reason *r)
{
    const compare_reason *most = NULL;

    for (size_t i = 0; i < c->reason_count; i++)
        if (!most ||
            fabs(r[i].variant - r[i].base) > fabs(most->variant - most->base))
            most = &r[i];
    return most;
}

static double fill(const compare *c, size_t s)
{
    const mean *m = &c->summaries[s].speedup;
    double low = fabs(log(m->least)), high = fabs(log(m->most));

    return m->count ? fmax(fmax(low, high), log(1.01)) : 0;
}

static void put_reason(const compare *c, const compare_reason *r, FILE *to)
{
    const compare_reason *most = r ? largest(c, r) : NULL;

    if (most && fabs(most->variant - most->base) >= 0.0005)
        fprintf(to, " %s %.*s", change(most->variant - most->base).s, 18,
                most->name);
}

static void put_kernels(const compare_workload *w, size_t s, FILE *to)
{
    const measure_sum *b = &w->runs[0].sum, *v = &w->runs[s].sum;

    for (size_t i = 0; i < b->kernel_count; i++)
        for (size_t k = 0; k < v->kernel_count; k++)
            if (!strcmp(b->kernels[i].name, v->kernels[k].name))
                fprintf(to, "  %-*.*s %15s %15s %9s\n", NAME - 2, NAME - 2,
                        b->kernels[i].name,
                        word_grouped(b->kernels[i].cycles).s,
                        word_grouped(v->kernels[k].cycles).s,
                        times(b->kernels[i].time_s / v->kernels[k].time_s).s);
}

static void put_workload(const compare *c, const compare_workload *w, size_t s,
                         FILE *to)
{
    const compare_pair *p = &w->pairs[s];

    fprintf(to, "%-*.*s %15s %15s %9s  ", NAME, NAME, w->is.label,
            cycles_text(&w->runs[0]).s, cycles_text(&w->runs[s]).s,
            p->why ? "LEFT OUT" : times(p->speedup).s);
    if (!p->why) {
        put_bar(p->speedup, fill(c, s), to);
        put_reason(c, p->reasons, to);
    }
    fputc('\n', to);
    if (p->why)
        fprintf(to, "  LEFT OUT: %.86s\n", p->why);
    else if (p->note)
        fprintf(to, "  RESULTS DIFFER: %.80s\n", p->note);
    else if (!w->runs[0].sum.has_hash)
        fputs("  memory is not compared: it did not end in good order\n", to);
    if (c->by_kernel && !p->why)
        put_kernels(w, s, to);
}

static void put_mean(const compare *c, size_t s, FILE *to)
{
    const compare_summary *y = &c->summaries[s];
    const mean *m = &y->speedup;
    size_t n = 0, slow = 0, fast = 0;

    if (!compare_complete(c, s)) {
        fprintf(to, "%-*s %s: %zu of %zu workloads are missing%s\n", NAME,
                "geometric mean", "REFUSED", y->missing, c->count,
                m->count ? " (--allow-missing)" : "");
        return;
    }
    for (size_t i = 0; i < c->count; i++) {
        if (c->workloads[i].pairs[s].why)
            continue;
        slow = n == m->at_least ? i : slow;
        fast = n == m->at_most ? i : fast;
        n++;
    }
    fprintf(to, "%-*s %41s  ", NAME, "geometric mean", times(m->geometric).s);
    put_bar(m->geometric, fill(c, s), to);
    if (m->count > 1)
        fprintf(to, " spread %s", times(m->spread).s);
    fprintf(to, "\n  least %s (%.28s), most %s (%.28s), %zu workload%s",
            times(m->least).s, c->workloads[slow].is.label, times(m->most).s,
            c->workloads[fast].is.label, m->count, word_plural(m->count));
    if (y->missing)
        fprintf(to, ", %zu LEFT OUT", y->missing);
    fputc('\n', to);
}

/* ---- Where it went ---- */

static int by_change(const void *a, const void *b)
{
    const compare_reason *x = a, *y = b;
    double p = fabs(x->variant - x->base), q = fabs(y->variant - y->base);

    return p != q ? (p < q ? 1 : -1) : strcmp(x->name, y->name);
}

static void put_slots(const compare *c, size_t s, FILE *to)
{
    compare_reason sorted[FIGURE_STALLS_MAX + 1];
    compare_reason all = {.name = "all"};

    for (size_t i = 0; i < c->reason_count; i++) {
        sorted[i] = c->summaries[s].reasons[i];
        all.base += sorted[i].base;
        all.variant += sorted[i].variant;
    }
    qsort(sorted, c->reason_count, sizeof *sorted, by_change);
    fprintf(to, "\nissue slots, shares of the base's, mean of the workloads\n");
    fprintf(to, "%-*s %15.15s %15.15s %9s\n", NAME, "", c->sides[0].label,
            c->sides[s].label, "change");
    for (size_t i = 0; i <= c->reason_count; i++) {
        const compare_reason *r = i < c->reason_count ? &sorted[i] : &all;

        if (r->base > 0 || r->variant > 0)
            fprintf(to, "  %-*s %15s %15s %9s\n", NAME - 2, r->name,
                    word_percent(r->base).s, word_percent(r->variant).s,
                    change(r->variant - r->base).s);
    }
}

static void put_traffic(const compare *c, size_t s, FILE *to)
{
    const compare_summary *y = &c->summaries[s];
    const char *names[LEVELS] = {NULL};

    for (size_t w = 0; w < c->count; w++)
        for (unsigned i = 0; i < LEVELS; i++)
            if (c->workloads[w].runs[0].sum.level[i])
                names[i] = c->workloads[w].runs[0].sum.level[i];
    fprintf(to, "\nmemory traffic\n");
    for (unsigned i = 0; i < LEVELS; i++)
        if (names[i] && (y->bytes[i][0] || y->bytes[i][1]))
            fprintf(to, "  %-*s %15s %15s %9s\n", NAME - 2, names[i],
                    word_bytes((double)y->bytes[i][0]).s,
                    word_bytes((double)y->bytes[i][1]).s,
                    relative_text(y->bytes[i][0], y->bytes[i][1]).s);
}

/* Energy of both sides, by parts above 1 % of either. */
static void put_energy(const compare *c, size_t s, FILE *to)
{
    const compare_summary *y = &c->summaries[s];
    uint64_t all[2] = {0, 0};

    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        for (unsigned k = 0; k < 2; k++)
            all[k] += y->part_fj[i][k];
    if (!y->energy.count)
        return;
    fprintf(to, "\nenergy\n");
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        const uint64_t *fj = y->part_fj[i];

        if (fj[0] >= all[0] / 100 || fj[1] >= all[1] / 100)
            fprintf(to, "  %-*s %15s %15s %9s\n", NAME - 2,
                    energy_part_table[i].name,
                    word_joules(energy_joules(fj[0])).s,
                    word_joules(energy_joules(fj[1])).s,
                    relative_text(fj[0], fj[1]).s);
    }
    fprintf(to, "  %-*s %15s %15s %9s\n", NAME - 2, "all",
            word_joules(energy_joules(all[0])).s,
            word_joules(energy_joules(all[1])).s,
            relative_text(all[0], all[1]).s);
    fprintf(to,
            "  geometric mean: %s of the base's energy, %s of its EDP; "
            "model: %.26s\n",
            times(y->energy.geometric).s, times(y->edp.geometric).s,
            c->sides[0].gpus[0].cfg->energy.status);
}

static void put_bits(const char *name, uint64_t base, uint64_t variant,
                     FILE *to)
{
    char difference[40];

    snprintf(difference, sizeof difference, "%s%s", variant < base ? "-" : "+",
             word_grouped(variant < base ? base - variant : variant - base).s);
    fprintf(to, "  %-*s %15s %15s %9s %15s\n", NAME - 2, name,
            word_grouped(base).s, word_grouped(variant).s,
            relative_text(base, variant).s, difference);
}

/* Bits that both sides store, by the structures that differ. */
static void put_storage(const compare *c, size_t s, FILE *to)
{
    compare_cost all;

    compare_cost_of(&c->sides[0], &c->sides[s], &all);
    const cost_sum *b = &all.sum[0], *v = &all.sum[1];
    if (!all.count) {
        fprintf(to,
                "\nstorage is the same: %s bits, %s of them in data arrays\n",
                word_grouped(b->bits).s, word_grouped(b->bulk_bits).s);
        return;
    }
    fputs("\nbits stored, of the whole chip\n", to);
    for (size_t i = 0; i < all.count && i < STRUCTURES; i++) {
        const compare_structure *x = &all.changed[i];

        put_bits(x->is->name, x->bits[0], x->bits[1], to);
    }
    if (all.count > STRUCTURES)
        fprintf(to, "  and %zu structures more\n", all.count - STRUCTURES);
    put_bits("all control", b->bits - b->bulk_bits, v->bits - v->bulk_bits, to);
    put_bits("all data arrays", b->bulk_bits, v->bulk_bits, to);
    put_bits("compared in a cycle", b->comparator_bits, v->comparator_bits, to);
}

static void put_movers(const compare *c, size_t s, FILE *to)
{
    const compare_summary *y = &c->summaries[s];

    if (!y->mover_count || y->movers[0].weight <= 0)
        return;
    fprintf(to, "\ncounters that moved most, by their share of the largest "
                "beside them\n");
    for (size_t i = 0; i < y->mover_count && i < MOVERS; i++) {
        const compare_mover *m = &y->movers[i];

        if (m->weight > 0)
            fprintf(to, "  %-34.34s %15s %15s %9s %8s %.11s\n", m->name,
                    word_grouped(m->base).s, word_grouped(m->variant).s,
                    relative_text(m->base, m->variant).s,
                    word_percent(m->weight).s, m->unit);
    }
}

/* ---- All of it ---- */

static void put_side(const char *what, const measure_side *s, FILE *to)
{
    fprintf(to, "%-8s %.20s%s%.68s\n", what, s->label,
            *s->assignments && strcmp(s->label, s->assignments) ? ": " : "",
            strcmp(s->label, s->assignments) ? s->assignments : "");
}

static void put_variant(const compare *c, size_t s, FILE *to)
{
    fprintf(to, "\n%.40s against %.40s\n\n%-*s %15.15s %15.15s %9s  %-*s %s\n",
            c->sides[s].label, c->sides[0].label, NAME, "workload",
            c->sides[0].label, c->sides[s].label, "speed-up", 2 * BAR + 1,
            "slower | faster", "largest shift");
    for (size_t i = 0; i < c->count; i++)
        put_workload(c, &c->workloads[i], s, to);
    put_mean(c, s, to);
    if (!compare_complete(c, s)) {
        put_storage(c, s, to);
        return;
    }
    put_slots(c, s, to);
    put_traffic(c, s, to);
    put_energy(c, s, to);
    put_storage(c, s, to);
    put_movers(c, s, to);
}

/* All variants beside each other. */
static void put_summary(const compare *c, FILE *to)
{
    fprintf(to, "\n%-*s %15s %9s %9s %9s %9s %9s %9s\n", NAME, "variant",
            "geometric mean", "spread", "least", "most", "workloads", "control",
            "data");
    for (size_t s = 1; s < c->side_count; s++) {
        const mean *m = &c->summaries[s].speedup;
        bool good = compare_complete(c, s);
        cost_sum b = cost_total(c->sides[0].gpus[0].cfg);
        cost_sum v = cost_total(c->sides[s].gpus[0].cfg);

        fprintf(to, "%-*.*s %15s %9s %9s %9s %9zu %9s %9s\n", NAME, NAME,
                c->sides[s].label, good ? times(m->geometric).s : "REFUSED",
                good ? times(m->spread).s : "-", good ? times(m->least).s : "-",
                good ? times(m->most).s : "-", m->count,
                relative_text(b.bits - b.bulk_bits, v.bits - v.bulk_bits).s,
                relative_text(b.bulk_bits, v.bulk_bits).s);
    }
}

static void put_comparison(const compare *c, FILE *to)
{
    fprintf(to, "%-8s %s\n", "on", c->sides[0].gpus[0].name);
    put_side("base", &c->sides[0], to);
    for (size_t s = 1; s < c->side_count; s++)
        put_side("variant", &c->sides[s], to);
    for (size_t s = 1; s < c->side_count; s++)
        put_variant(c, s, to);
    if (c->side_count > 2)
        put_summary(c, to);
}

void compare_text(const compare *list, size_t count, FILE *to)
{
    const mechanism *m = list->mechanism;

    if (m)
        fprintf(to, "%s, see docs/%s\n%s\n\n", m->name, m->page, m->about);
    for (size_t i = 0; i < count; i++) {
        if (i)
            fputs("\n\n", to);
        put_comparison(&list[i], to);
    }
    if (list->interrupted)
        fputs("\nINCOMPLETE: it was interrupted\n", to);
    fprintf(to, "\n%zu workload%s on %zu sides", list->count,
            word_plural(list->count), list->side_count);
    if (count > 1)
        fprintf(to, " of %zu GPUs", count);
    if (!isnan(list->seconds)) /* read from a file it is not known */
        fprintf(to, " (%.1f s)", list->seconds);
    fputc('\n', to);
}
