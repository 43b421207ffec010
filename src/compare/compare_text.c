/* src/compare/compare_text.c - a comparison for people, at most 100 columns, or
 * 80 if the terminal has fewer than 100. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compare/compare.h"
#include "compare/compare_cost.h"
#include "compare/compare_part.h"
#include "compare/compare_view.h"
#include "suite/suite_report.h"
#include "text/word.h"

enum { MOVERS = 10, NAME = 22, STRUCTURES = 10, ONLY = 20 };
enum { MATRIX_COLUMNS = 7, VARIANT = 13, BAND = 13 };

/* Where to, of which variant, and how wide columns are. */
typedef struct text {
    const compare *c;
    size_t s;
    FILE *to;
    int width;  /* of all */
    int name;   /* of workloads */
    int figure; /* of each side */
    int bar;    /* characters at each side */
    int ratio;  /* of speed-ups beside each other */
} text;

static text start_text(const compare *c, unsigned columns, FILE *to)
{
    if (columns && columns < 100)
        return (text){.c = c,
                      .to = to,
                      .width = 80,
                      .name = 16,
                      .figure = c->nulls ? 10 : 11,
                      .bar = 3,
                      .ratio = 8};
    return (text){.c = c,
                  .to = to,
                  .width = 100,
                  .name = NAME,
                  .figure = 15,
                  .bar = 7,
                  .ratio = 9};
}

/* ---- Small things ---- */

static word times(double ratio)
{
    word w = {"-"};

    if (!isnan(ratio))
        snprintf(w.s, sizeof w.s, "%.3f x", ratio);
    return w;
}

/* "+12.3 %" */
static word change_text(double share)
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
    return !base && variant
               ? (word){"from 0"}
               : change_text(relative((double)base, (double)variant));
}

/* Of a workload that is drawn, the mean of its draws. */
static word cycles_text(const text *t, const compare_workload *w, size_t s)
{
    const measure_sum *sum = w->sums[s];
    uint64_t cycles = sum->cycles / (w->drawn ? t->c->nulls + 1 : 1);
    word all = word_grouped(cycles);

    if (!sum->timed)
        return (word){"-"};
    return (int)strlen(all.s) <= t->figure ? all : word_count((double)cycles);
}

/* Words of `is`, also behind commas, from column `at` on; lines after the first
 * begin there. */
static void put_folded(const text *t, const char *is, int at)
{
    int column = at;

    while (*is) {
        int n = (int)strcspn(is + 1, " ,") + 1;

        n += is[n] == ',';
        if (column > at && column + n > t->width) {
            fprintf(t->to, "\n%*s", at, "");
            column = at;
            n -= *is == ' ';
            is += *is == ' ';
        }
        fprintf(t->to, "%.*s", n, is);
        column += n;
        is += n;
    }
    fputc('\n', t->to);
}

/* A line of a table below the workloads: both sides and the change. */
static void put_change_row(const text *t, const char *name, word base,
                           word variant, word moved)
{
    fprintf(t->to, "  %-*s %*s %*s %9s\n", NAME - 2, name, t->figure, base.s,
            t->figure, variant.s, moved.s);
}

/* ---- Workloads ---- */

/* Half of a bar: to the left slower, to the right faster; `most` is the
 * logarithm that fills it. Returns the blanks that are left of its room. */
static int put_speedup_bar(const text *t, double speedup, double most)
{
    double share = most > 0 ? log(speedup) / most : 0;
    int n = (int)lround(fabs(share) * t->bar);

    for (int i = t->bar; i > 0; i--)
        fputc(share < 0 && i <= n ? '-' : ' ', t->to);
    fputc('|', t->to);
    for (int i = 1; i <= n && share > 0; i++)
        fputc('+', t->to);
    return t->bar - (share > 0 ? n : 0);
}

/* How much a reason says of the change. SMs that have nothing to do have it for
 * as long as the others work: only what is more than that, or less, says
 * something. */
static double weight(const compare_reason *r, double time)
{
    bool idle = !strcmp(r->name, "no_warp");

    return fabs(r->variant - r->base * (idle ? time : 1));
}

static const compare_reason *largest(const compare *c, const compare_reason *r)
{
    const compare_reason *most = NULL;
    double time = 0;

    for (size_t i = 0; i < c->reason_count; i++)
        time += r[i].variant;
    for (size_t i = 0; i < c->reason_count; i++)
        if (!most || weight(&r[i], time) > weight(most, time))
            most = &r[i];
    return most;
}

static double bar_logarithm(const text *t)
{
    const mean *m = &t->c->summaries[t->s].speedup;
    double low = fabs(log(m->least)), high = fabs(log(m->most));

    return m->count ? fmax(fmax(low, high), log(1.01)) : 0;
}

static void put_reason(const text *t, const compare_reason *r, int blanks)
{
    const compare_reason *most = r ? largest(t->c, r) : NULL;

    if (most && fabs(most->variant - most->base) >= 0.0005)
        fprintf(t->to, "%*s %8s %s", blanks, "",
                change_text(most->variant - most->base).s, most->name);
}

/* "0.985..1.012", and what that says of the gain: in place of bars. */
static word band_text(const band *b)
{
    word w = {"-"};

    if (b->draws > 1)
        snprintf(w.s, sizeof w.s, "%.3f..%.3f", b->low, b->high);
    return w;
}

static void put_band(const text *t, const compare_pair *p)
{
    const compare_reason *most = largest(t->c, p->reasons);
    int used = t->name + 2 * t->figure + 14 + BAND + 9;

    fprintf(t->to, "%-*s", BAND, band_text(&p->band).s);
    if (band_is_beyond(&p->band))
        fprintf(t->to, " %7s %.*s", change_text(most->variant - most->base).s,
                t->width - used, most->name);
    else
        fputs(p->band.draws > 1 ? "  no difference" : "  unknown", t->to);
}

static void put_kernel_rows(const text *t, const compare_workload *w)
{
    const measure_sum *b = w->sums[0], *v = w->sums[t->s];

    for (size_t i = 0; i < b->kernel_count * v->kernel_count; i++) {
        const measure_kernel *x = &b->kernels[i / v->kernel_count];
        const measure_kernel *y = &v->kernels[i % v->kernel_count];

        if (!strcmp(x->name, y->name))
            fprintf(t->to, "  %-*.*s %*s %*s %9s  %s instructions\n",
                    t->name - 2, t->name - 2, x->name, t->figure,
                    word_grouped(x->cycles).s, t->figure,
                    word_grouped(y->cycles).s, times(x->time_s / y->time_s).s,
                    relative_text(x->warp_insts, y->warp_insts).s);
    }
}

/* Cycles of two lengths: also the times. */
static void put_times(const text *t, const compare_workload *w)
{
    const measure_sum *b = w->sums[0], *v = w->sums[t->s];
    double cycles = (double)v->cycles / (double)b->cycles;

    if (b->cycles && v->cycles &&
        fabs(v->time_s / b->time_s / cycles - 1) > 0.001)
        fprintf(t->to, "  %-*s %*s %*s\n", t->name - 2, "simulated time",
                t->figure, word_duration(b->time_s).s, t->figure,
                word_duration(v->time_s).s);
}

/* Nothing of what was the same. */
static void put_results(const text *t, const compare_workload *w)
{
    const compare_pair *p = &w->pairs[t->s];

    if (p->note) {
        fputs(t->c->diff ? "  other results: " : "  RESULTS DIFFER: ", t->to);
        put_folded(t, p->note, 4);
    } else if (!t->c->diff && !w->runs[0].sum.has_hash) {
        fputs("  memory is not compared: it did not end in good order\n",
              t->to);
    }
}

/* Of both sides; one line if they are equal, as they mostly are. */
static void put_outside(const compare_workload *w, size_t side, FILE *to)
{
    const char *a = w->runs[0].result.outside;
    const char *b = w->runs[side].result.outside;

    suite_report_outside(a, to);
    if (b && (!a || strcmp(a, b) != 0))
        suite_report_outside(b, to);
}

static void put_workload(const text *t, const compare_workload *w)
{
    const compare_pair *p = &w->pairs[t->s];

    fprintf(t->to, "%-*.*s %*s %*s %9s", t->name, t->name, w->is.label,
            t->figure, cycles_text(t, w, 0).s, t->figure,
            cycles_text(t, w, t->s).s,
            p->why ? "LEFT OUT" : times(p->speedup).s);
    if (!p->why) {
        fputs("  ", t->to);
        if (t->c->nulls)
            put_band(t, p);
        else
            put_reason(t, p->reasons,
                       put_speedup_bar(t, p->speedup, bar_logarithm(t)));
    }
    fputc('\n', t->to);
    if (p->why) {
        fputs("  LEFT OUT: ", t->to);
        put_folded(t, p->why, 4);
        suite_report_tail(p->tail, "    ", t->to);
    } else {
        put_times(t, w);
        put_results(t, w);
    }
    put_outside(w, t->s, t->to);
    if (t->c->by_kernel && !p->why)
        put_kernel_rows(t, w);
}

/* ---- What they are together ---- */

typedef struct ranked {
    const char *name;
    double speedup;
} ranked;

static int by_speedup(const void *a, const void *b)
{
    const ranked *x = a, *y = b;

    return x->speedup != y->speedup ? (x->speedup < y->speedup ? -1 : 1)
                                    : strcmp(x->name, y->name);
}

/* Workloads that lose, the worst first, on two lines at most. */
static void put_slower(const text *t)
{
    const compare_summary *y = &t->c->summaries[t->s];
    ranked *list = new0(y->slower + 1, sizeof *list);
    size_t n = 0, told = 0;
    int column = 10;

    for (size_t i = 0; i < t->c->count; i++) {
        const compare_pair *p = &t->c->workloads[i].pairs[t->s];

        if (!p->why && compare_verdict(t->c, p) < 0)
            list[n++] = (ranked){t->c->workloads[i].is.label, p->speedup};
    }
    qsort(list, n, sizeof *list, by_speedup);
    for (; told < n; told++) {
        char one[64];
        int length = snprintf(one, sizeof one, "%s%.40s %s", told ? ", " : "",
                              list[told].name, times(list[told].speedup).s);

        if (told && column + length > t->width - 14)
            break;
        fprintf(t->to, "%s%s", told ? "" : "  slower: ", one);
        column += length;
    }
    if (told < n)
        fprintf(t->to, " and %zu more", n - told);
    if (n)
        fputc('\n', t->to);
    free(list);
}

/* How many of them are means of draws. */
static void put_drawn(const text *t)
{
    size_t n = compare_drawn(t->c);

    if (n)
        fprintf(t->to, "  means of %zu draws: %zu of %zu\n", t->c->nulls + 1, n,
                t->c->count);
}

/* Of a diff: how many results are the same. */
static void put_sameness(const text *t)
{
    size_t all = t->c->summaries[t->s].speedup.count, other = 0, unknown = 0;

    for (size_t w = 0; w < t->c->count; w++) {
        const compare_pair *p = &t->c->workloads[w].pairs[t->s];

        other += !p->why && p->note;
        unknown += !p->why && p->unknown;
    }
    fprintf(t->to, "  results: equal in %zu", all - other - unknown);
    if (other)
        fprintf(t->to, ", other in %zu", other);
    if (unknown)
        fprintf(t->to, ", memory not known of both in %zu", unknown);
    fputc('\n', t->to);
}

static void put_mean_band(const text *t)
{
    const band *b = &t->c->summaries[t->s].band;

    fprintf(t->to, "%-*s", BAND, band_text(b).s);
    if (b->draws > 1 && !band_is_beyond(b))
        fputs("  no difference", t->to);
    else if (b->draws > 1)
        fprintf(t->to, "  mean %s", times(b->mean).s);
    else
        fputs("  unknown: runs failed", t->to);
}

static void put_mean_row(const text *t)
{
    const compare *c = t->c;
    const compare_summary *y = &c->summaries[t->s];
    const mean *m = &y->speedup;
    int blanks = 0;

    if (!compare_complete(c, t->s)) {
        fprintf(t->to, "%-*s REFUSED: %zu of %zu workload%s missing%s\n",
                t->name, "geometric mean", y->missing, c->count,
                c->count == 1 ? " is" : "s are",
                m->count ? " (--allow-missing)" : "");
        return;
    }
    fprintf(t->to, "%-*s %*s  ", t->name, "geometric mean", 2 * t->figure + 11,
            times(m->geometric).s);
    if (c->nulls)
        put_mean_band(t);
    else
        blanks = put_speedup_bar(t, m->geometric, bar_logarithm(t));
    if (!c->nulls && m->count > 1)
        fprintf(t->to, "%*s spread %s", blanks, "", times(m->spread).s);
    fprintf(t->to,
            "\n  of %zu workload%s: %zu faster, %zu slower, %zu the same "
            "within %s",
            m->count, word_plural(m->count), y->faster, y->slower, y->same,
            c->nulls ? "their bands" : "1 %");
    if (y->missing)
        fprintf(t->to, "; %zu LEFT OUT", y->missing);
    fputc('\n', t->to);
    put_slower(t);
    put_drawn(t);
    if (c->diff)
        put_sameness(t);
}

/* ---- Where it went ---- */

static int by_change(const void *a, const void *b)
{
    const compare_reason *x = a, *y = b;
    double p = fabs(x->variant - x->base), q = fabs(y->variant - y->base);

    return p != q ? (p < q ? 1 : -1) : strcmp(x->name, y->name);
}

static void put_slot_row(const text *t, const compare_reason *r)
{
    if (r->base > 0 || r->variant > 0)
        put_change_row(t, r->name, word_percent(r->base),
                       word_percent(r->variant),
                       change_text(r->variant - r->base));
}

/* Reasons of less than 1 % on both sides that hardly change are one line. */
static void put_slot_rows(const text *t)
{
    const compare *c = t->c;
    compare_reason all = {.name = "all"}, others = {.name = "others"};
    compare_reason *sorted = new0(c->reason_count + 1, sizeof *sorted);

    memcpy(sorted, c->summaries[t->s].reasons,
           c->reason_count * sizeof *sorted);
    qsort(sorted, c->reason_count, sizeof *sorted, by_change);
    fprintf(t->to,
            "\nissue slots, shares of the base's time, mean of the workloads\n"
            "%-*s %*.*s %*.*s %9s\n",
            NAME, "", t->figure, t->figure, c->sides[0].label, t->figure,
            t->figure, c->sides[t->s].label, "change");
    for (size_t i = 0; i < c->reason_count; i++) {
        const compare_reason *r = &sorted[i];
        bool alone = r->base >= 0.01 || r->variant >= 0.01 ||
                     fabs(r->variant - r->base) >= 0.0005;

        if (alone)
            put_slot_row(t, r);
        others.base += alone ? 0 : r->base;
        others.variant += alone ? 0 : r->variant;
        all.base += r->base;
        all.variant += r->variant;
    }
    put_slot_row(t, &others);
    put_slot_row(t, &all);
    free(sorted);
}

static void put_traffic(const text *t)
{
    const compare_summary *y = &t->c->summaries[t->s];

    fprintf(t->to, "\nmemory traffic\n");
    for (unsigned i = 0; i < LEVELS; i++)
        if (y->bytes[i][0] || y->bytes[i][1])
            put_change_row(t, figure_level_name(i),
                           word_bytes((double)y->bytes[i][0]),
                           word_bytes((double)y->bytes[i][1]),
                           relative_text(y->bytes[i][0], y->bytes[i][1]));
}

static void put_joule_row(const text *t, const char *name, const uint64_t fj[2])
{
    put_change_row(t, name, word_joules(energy_joules(fj[0])),
                   word_joules(energy_joules(fj[1])),
                   relative_text(fj[0], fj[1]));
}

/* Energy of both sides, by parts above 1 % of either. */
static void put_energy_rows(const text *t)
{
    const compare_summary *y = &t->c->summaries[t->s];
    uint64_t all[2] = {0, 0};

    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        for (unsigned k = 0; k < 2; k++)
            all[k] += y->part_fj[i][k];
    if (!y->energy.count)
        return;
    fprintf(t->to, "\nenergy\n");
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        if (y->part_fj[i][0] > all[0] / 100 ||
            y->part_fj[i][1] > all[1] / 100 ||
            (t->c->part && !strcmp(t->c->part, energy_part_table[i].name)))
            put_joule_row(t, energy_part_table[i].name, y->part_fj[i]);
    put_joule_row(t, "all", all);
    fprintf(t->to, "  geometric mean %s, of EDP %s; model: %.30s\n",
            times(y->energy.geometric).s, times(y->edp.geometric).s,
            t->c->sides[0].gpus[0].cfg->energy.status);
}

static void put_bits_row(const text *t, const char *name, uint64_t base,
                         uint64_t variant)
{
    char difference[40];

    snprintf(difference, sizeof difference, "%s%s", variant < base ? "-" : "+",
             word_grouped(variant < base ? base - variant : variant - base).s);
    fprintf(t->to, "  %-*s %*s %*s %9s %*s\n", NAME - 2, name, t->figure,
            word_grouped(base).s, t->figure, word_grouped(variant).s,
            relative_text(base, variant).s, t->figure, difference);
}

/* Bits that both sides store, by the structures that differ. */
static void put_storage(const text *t)
{
    compare_cost all;

    compare_cost_of(&t->c->sides[0], &t->c->sides[t->s], &all);
    const cost_sum *b = &all.sum[0], *v = &all.sum[1];
    if (!all.count) {
        fprintf(t->to,
                "\nstorage is the same: %s bits, %s of them in data arrays\n",
                word_grouped(b->bits).s, word_grouped(b->bulk_bits).s);
        return;
    }
    fputs("\nbits stored, of the whole chip\n", t->to);
    for (size_t i = 0; i < all.count && i < STRUCTURES; i++) {
        const compare_structure *x = &all.changed[i];

        put_bits_row(t, x->is->name, x->bits[0], x->bits[1]);
    }
    if (all.count > STRUCTURES)
        fprintf(t->to, "  and %zu structures more\n", all.count - STRUCTURES);
    put_bits_row(t, "all control", b->bits - b->bulk_bits,
                 v->bits - v->bulk_bits);
    put_bits_row(t, "all data arrays", b->bulk_bits, v->bulk_bits);
    put_bits_row(t, "compared in a cycle", b->comparator_bits,
                 v->comparator_bits);
}

static void put_movers(const text *t)
{
    const compare_summary *y = &t->c->summaries[t->s];
    int name = t->width < 100 ? 30 : 34;

    if (!y->mover_count)
        return;
    fprintf(t->to, "\ncounters that moved most, by their share of the largest "
                   "beside them\n");
    for (size_t i = 0; i < y->mover_count && i < MOVERS; i++) {
        const compare_mover *m = &y->movers[i];

        fprintf(
            t->to, "  %-*.*s %*s %*s %9s %8s", name, name, m->name, t->figure,
            word_grouped(m->base).s, t->figure, word_grouped(m->variant).s,
            relative_text(m->base, m->variant).s, word_percent(m->weight).s);
        fprintf(t->to, t->width < 100 ? "\n" : " %.11s\n", m->unit);
    }
}

/* ---- All variants beside each other ---- */

/* As wide as the longest label, if there is room for it. */
static int ratio_width(const text *t, size_t first, size_t count)
{
    int room = (t->width - t->name) / (int)count - 1, width = t->ratio;

    for (size_t s = first; s < first + count && width < room; s++) {
        int length = (int)strlen(t->c->sides[s].label);

        if (length > width)
            width = length < room ? length : room;
    }
    return width;
}

/* Speed-ups of all workloads, `count` variants from `first` on. */
static void put_matrix(const text *t, size_t first, size_t count)
{
    const compare *c = t->c;
    int ratio = ratio_width(t, first, count);

    fprintf(t->to, "\n%-*s", t->name, "speed-up");
    for (size_t s = first; s < first + count; s++)
        fprintf(t->to, " %*.*s", ratio, ratio, c->sides[s].label);
    fputc('\n', t->to);
    for (size_t i = 0; i < c->count; i++) {
        fprintf(t->to, "%-*.*s", t->name, t->name, c->workloads[i].is.label);
        for (size_t s = first; s < first + count; s++)
            if (c->workloads[i].pairs[s].why)
                fprintf(t->to, " %*s", ratio, "OUT");
            else
                fprintf(t->to, " %*.3f", ratio,
                        c->workloads[i].pairs[s].speedup);
        fputc('\n', t->to);
    }
}

static void put_text_ratio(const text *t, bool good, double ratio)
{
    if (good && !isnan(ratio))
        fprintf(t->to, " %7.3f", ratio);
    else
        fprintf(t->to, " %7s", "-");
}

static void put_summary_row(const text *t)
{
    const compare *c = t->c;
    const compare_summary *y = &c->summaries[t->s];
    bool good = compare_complete(c, t->s);
    cost_sum b = cost_total(c->sides[0].gpus[0].cfg);
    cost_sum v = cost_total(c->sides[t->s].gpus[0].cfg);

    fprintf(t->to, "%-*.*s", VARIANT, VARIANT, c->sides[t->s].label);
    if (good)
        fprintf(t->to, " %7.3f", y->speedup.geometric);
    else
        fprintf(t->to, " REFUSED");
    if (!c->nulls) {
        put_text_ratio(t, good, y->speedup.spread);
        put_text_ratio(t, good, y->speedup.least);
        put_text_ratio(t, good, y->speedup.most);
    } else {
        put_text_ratio(t, good, y->band.mean);
        put_text_ratio(t, good, y->band.low);
        put_text_ratio(t, good, y->band.high);
    }
    fprintf(t->to, " %6zu %6zu %4zu", y->faster, y->slower, y->same);
    put_text_ratio(t, good, y->energy.geometric);
    put_text_ratio(t, good, y->edp.geometric);
    if (t->width >= 100)
        fprintf(t->to, " %9s %8s",
                relative_text(b.bits - b.bulk_bits, v.bits - v.bulk_bits).s,
                relative_text(b.bulk_bits, v.bulk_bits).s);
    fputc('\n', t->to);
}

static void put_summary(text *t)
{
    const compare *c = t->c;

    for (size_t s = 1; c->side_count > 2 && s < c->side_count;
         s += MATRIX_COLUMNS) {
        size_t left = c->side_count - s;

        put_matrix(t, s, left < MATRIX_COLUMNS ? left : MATRIX_COLUMNS);
    }
    fprintf(t->to, "\n%-*s %7s %7s %7s %7s %6s %6s %4s %7s %7s", VARIANT,
            "all workloads", "mean", c->nulls ? "of all" : "spread",
            c->nulls ? "from" : "least", c->nulls ? "to" : "most", "faster",
            "slower", "same", "energy", "EDP");
    fputs(t->width < 100 ? "\n" : "   control     data\n", t->to);
    for (t->s = 1; t->s < c->side_count; t->s++)
        put_summary_row(t);
}

/* ---- All of it ---- */

static void put_text_side(const text *t, const char *what,
                          const measure_side *s)
{
    bool named = *s->assignments && strcmp(s->label, s->assignments) != 0;

    fprintf(t->to, "%-8s ", what);
    if (s->from) {
        fprintf(t->to, "%.30s: ", s->label);
        put_folded(t, s->from, 11 + (int)strnlen(s->label, 30));
        return;
    }
    if (named)
        fprintf(t->to, "%.30s: ", s->label);
    put_folded(t, named ? s->assignments : s->label,
               named ? 11 + (int)strnlen(s->label, 30) : 9);
}

/* Of a diff: what only one side has, and what is not the same on both. */
static void put_apart(const text *t)
{
    const compare_apart *a = &t->c->diff->apart[t->s];

    fputs(a->count ? "\nnot comparable\n" : "", t->to);
    for (size_t i = 0; i < a->count; i++) {
        fputs("  ", t->to);
        put_folded(t, a->text[i], 2);
    }
}

static void put_only(const text *t)
{
    const compare_diff *d = t->c->diff;

    fputs(d->only_count ? "\nworkloads that are not compared\n" : "", t->to);
    for (size_t i = 0; i < d->only_count && i < ONLY; i++) {
        fputs("  ", t->to);
        put_folded(t, d->only[i], 2);
    }
    if (d->only_count > ONLY)
        fprintf(t->to, "  and %zu more, --format json has them all\n",
                d->only_count - ONLY);
}

static void put_variant(const text *t)
{
    const compare *c = t->c;

    fprintf(t->to, "\n%.38s against %.38s\n\n%-*s %*.*s %*.*s %9s  %-*s %s\n",
            c->sides[t->s].label, c->sides[0].label, t->name, "workload",
            t->figure, t->figure, c->sides[0].label, t->figure, t->figure,
            c->sides[t->s].label, "speed-up", c->nulls ? BAND : 2 * t->bar + 1,
            c->nulls     ? "95 % band"
            : t->bar < 7 ? "- | +"
                         : "slower | faster",
            "largest shift");
    for (size_t i = 0; i < c->count; i++)
        put_workload(t, &c->workloads[i]);
    put_mean_row(t);
    if (c->diff)
        put_apart(t);
    if (!compare_complete(c, t->s)) {
        put_storage(t);
        return;
    }
    put_slot_rows(t);
    put_traffic(t);
    put_energy_rows(t);
    put_storage(t);
    put_movers(t);
}

static void put_comparison(text *t)
{
    const compare *c = t->c;

    if (!c->diff)
        fprintf(t->to, "%-8s %s\n", "on", c->sides[0].gpus[0].name);
    if (compare_set(c)) {
        fprintf(t->to, "%-8s ", "with");
        put_folded(t, compare_set(c), 9);
    }
    put_text_side(t, "base", &c->sides[0]);
    for (size_t s = 1; s < c->side_count; s++)
        put_text_side(t, c->diff ? "other" : "variant", &c->sides[s]);
    if (c->diff)
        put_only(t);
    for (t->s = 1; t->s < c->side_count; t->s++)
        put_variant(t);
    compare_view_text(c, t->width, t->name, t->to);
    put_summary(t);
    compare_part_text(c, t->to);
}

void compare_text(const compare *list, size_t count, unsigned columns, FILE *to)
{
    text t = start_text(list, columns, to);
    const mechanism *m = list->mechanism;

    if (m) {
        fprintf(to, "%s, see docs/%s\n", m->name, m->page);
        put_folded(&t, m->about, 0);
        fputc('\n', to);
    }
    for (size_t i = 0; i < count; i++) {
        t.c = &list[i];
        if (i)
            fputs("\n\n", to);
        put_comparison(&t);
    }
    if (list->interrupted)
        fputs("\nINCOMPLETE: it was interrupted\n", to);
    fprintf(to, "\n%zu workload%s on %zu sides", list->count,
            word_plural(list->count), list->side_count);
    if (list->nulls)
        fprintf(to, ", %zu null%s", list->nulls, word_plural(list->nulls));
    if (count > 1)
        fprintf(to, " of %zu GPUs", count);
    if (list->cached)
        fprintf(to, " (%.1f s, %zu of %zu runs from the cache)", list->seconds,
                list->cached, list->count * compare_runs_each(list) * count);
    else if (!isnan(list->seconds)) /* read from a file it is unknown */
        fprintf(to, " (%.1f s)", list->seconds);
    fputc('\n', to);
}
