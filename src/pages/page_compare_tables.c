/* src/pages/page_compare_tables.c - the tables of a comparison: runs, kernels,
 * traffic, energy, counters. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "pages/page_compare.h"

enum { MOVERS = 20, KERNELS = 400 };

static double change_of(double base, double variant)
{
    return base > 0 ? variant / base - 1 : variant > 0 ? INFINITY : 0;
}

static void put_change(page *p, double base, double variant)
{
    double d = change_of(base, variant);

    page_number(p, 100 * d, "%s", isinf(d) ? "from 0" : words_change(d).s);
}

static const char *titled(const compare *c, const char *what, size_t s)
{
    return c->side_count == 2
               ? what
               : arena_printf(c->mem, "%s: %s", what, c->sides[s].label);
}

/* ---- Variants ---- */

static void put_mean_cell(page *p, const compare *c, size_t s, const mean *m)
{
    bool good = compare_complete(c, s) && m->count;

    page_number(p, good ? m->geometric : NAN, "%s",
                good ? words_times(m->geometric).s : "-");
}

static void put_variants(page *p, const compare *c)
{
    const page_column columns[] = {
        {.name = "variant"},
        {.name = "speed-up", .unit = "geo. mean", .number = true},
        {.name = "spread", .number = true},
        {.name = "least", .number = true},
        {.name = "most", .number = true},
        {.name = "energy", .number = true},
        {.name = "EDP", .number = true},
        {.name = "workloads", .number = true}};

    page_table(p, "Variants over the base", "variants", columns, 8);
    for (size_t s = 1; s < c->side_count; s++) {
        const compare_summary *y = &c->summaries[s];
        const mean *m = &y->speedup;

        if (!compare_complete(c, s))
            page_row_bad(p);
        page_cell(p, "%s", c->sides[s].label);
        put_mean_cell(p, c, s, m);
        page_number(p, m->spread, "%s", word_real(m->spread, 3).s);
        page_number(p, m->least, "%s", words_times(m->least).s);
        page_number(p, m->most, "%s", words_times(m->most).s);
        put_mean_cell(p, c, s, &y->energy);
        put_mean_cell(p, c, s, &y->edp);
        page_number(p, (double)m->count, "%zu", m->count);
    }
    page_table_end(p);
}

/* ---- Runs ---- */

static void put_run(page *p, const compare *c, size_t w, size_t s)
{
    const measure_run *r = &c->workloads[w].runs[s];
    const measure_sum *y = c->workloads[w].sums[s];
    bool good = r->done && r->result.verdict == SUITE_PASS && !y->failed;
    bool known = y->energy_fj && !y->too_much;
    double ipc = y->cycles ? (double)y->warp_insts / (double)y->cycles : NAN;

    if (!good)
        page_row_bad(p);
    page_cell(p, "%s", c->workloads[w].is.label);
    page_cell(p, "%s", c->sides[s].label);
    page_cell(p, "%s%s%s",
              r->done ? suite_verdict_text(r->result.verdict) : "not run",
              r->done && r->result.why ? ": " : "",
              r->done && r->result.why ? r->result.why : "");
    page_number(p, (double)y->launches, "%s", word_grouped(y->launches).s);
    page_number(p, (double)y->cycles, "%s", word_grouped(y->cycles).s);
    page_number(p, y->time_s * 1e6, "%.1f", y->time_s * 1e6);
    page_number(p, (double)y->warp_insts, "%s", word_grouped(y->warp_insts).s);
    page_number(p, ipc, "%s", word_real(ipc, 3).s);
    page_number(p, known ? energy_joules(y->energy_fj) * 1e3 : NAN, "%s",
                known ? word_real(energy_joules(y->energy_fj) * 1e3, 3).s
                      : "-");
    page_number(p, r->result.host_s, "%.2f", r->result.host_s);
}

static void put_runs(page *p, const compare *c)
{
    const page_column columns[] = {
        {.name = "workload"},
        {.name = "side"},
        {.name = "verdict"},
        {.name = "launches", .number = true},
        {.name = "cycles", .number = true},
        {.name = "time",
         .unit = "\u00b5s",
         .number = true,
         .help = "simulated, by the clocks of the GPUs"},
        {.name = "warp inst.", .number = true},
        {.name = "IPC",
         .number = true,
         .help = "warp instructions per cycle of the chip"},
        {.name = "energy", .unit = "mJ", .number = true},
        {.name = "host", .unit = "s", .number = true}};

    page_section(p, "Runs");
    page_table(p, "Every workload on every side", "runs", columns, 10);
    for (size_t w = 0; w < c->count; w++)
        for (size_t s = 0; s < c->side_count; s++)
            put_run(p, c, w, s);
    page_table_end(p);
}

/* ---- Kernels ---- */

static const measure_kernel *same_kernel(const measure_sum *s, const char *name)
{
    for (size_t i = 0; i < s->kernel_count; i++)
        if (!strcmp(s->kernels[i].name, name))
            return &s->kernels[i];
    return NULL;
}

static void put_compared_kernel(page *p, const compare *c, size_t w, size_t s,
                                const measure_kernel *b)
{
    const measure_kernel *v = same_kernel(c->workloads[w].sums[s], b->name);
    double x = v && v->time_s > 0 ? b->time_s / v->time_s : NAN;

    page_cell(p, "%s", b->name);
    page_cell(p, "%s", c->workloads[w].is.label);
    page_cell(p, "%s", c->sides[s].label);
    page_number(p, (double)b->timed, "%s", word_grouped(b->timed).s);
    page_number(p, (double)b->cycles, "%s", word_grouped(b->cycles).s);
    page_number(p, v ? (double)v->cycles : NAN, "%s",
                v ? word_grouped(v->cycles).s : "-");
    page_number(p, x, "%s", words_times(x).s);
    page_number(p, (double)b->warp_insts, "%s", word_grouped(b->warp_insts).s);
    page_number(p, v ? (double)v->warp_insts : NAN, "%s",
                v ? word_grouped(v->warp_insts).s : "-");
}

static void put_compared_kernels(page *p, const compare *c)
{
    const page_column columns[] = {
        {.name = "kernel"},
        {.name = "workload"},
        {.name = "variant"},
        {.name = "launches", .unit = "timed", .number = true},
        {.name = "base", .unit = "cycles", .number = true},
        {.name = "variant", .unit = "cycles", .number = true},
        {.name = "speed-up", .number = true},
        {.name = "base", .unit = "warp instructions", .number = true},
        {.name = "variant", .unit = "warp instructions", .number = true}};
    size_t rows = 0;

    page_section(p, "Kernels");
    page_table(p, "Every kernel on every side", "kernels", columns, 9);
    for (size_t w = 0; w < c->count; w++)
        for (size_t s = 1; s < c->side_count; s++)
            for (size_t k = 0; k < c->workloads[w].sums[0]->kernel_count; k++)
                if (!c->workloads[w].pairs[s].why && rows++ < KERNELS)
                    put_compared_kernel(p, c, w, s,
                                        &c->workloads[w].sums[0]->kernels[k]);
    page_table_end(p);
    if (rows > KERNELS)
        page_note(p, "The first %d of %zu kernels.", KERNELS, rows);
}

/* ---- Traffic, energy ---- */

static const char *level_name(const compare *c, unsigned level)
{
    for (size_t w = 0; w < c->count; w++)
        if (c->workloads[w].sums[0]->level[level])
            return c->workloads[w].sums[0]->level[level];
    return NULL;
}

/* Bytes of each level over the base's. */
static void put_traffic_chart(page *p, const compare *c)
{
    size_t n = c->side_count - 1, count = 0;
    const char **names = ARENA_ARRAY(c->mem, const char *, n);
    bars_row rows[LEVELS];

    for (unsigned i = 0; i < LEVELS; i++) {
        double *values = ARENA_ARRAY(c->mem, double, n);
        bool any = false;

        for (size_t s = 0; s < n; s++) {
            const uint64_t *bytes = c->summaries[s + 1].bytes[i];

            values[s] = bytes[0] && bytes[1]
                            ? (double)bytes[1] / (double)bytes[0]
                            : NAN;
            any |= !isnan(values[s]);
        }
        if (any)
            rows[count++] =
                (bars_row){.name = level_name(c, i), .values = values};
    }
    for (size_t s = 0; s < n; s++)
        names[s] = c->sides[s + 1].label;
    if (count)
        chart_bars(p, &(bars){.is = {"Bytes moved, over the base's",
                                     "all workloads together, logarithmic axis",
                                     "traffic-ratio", "level"},
                              .series = names,
                              .series_count = n,
                              .rows = rows,
                              .count = count,
                              .ratio = true,
                              .left = "less",
                              .right = "more",
                              .show = words_times});
}

static void put_traffic(page *p, const compare *c, size_t s)
{
    const page_column columns[] = {
        {.name = "level"},
        {.name = c->sides[0].label, .exact = "B", .number = true},
        {.name = c->sides[s].label, .exact = "B", .number = true},
        {.name = "change", .exact = "%", .number = true}};
    const compare_summary *y = &c->summaries[s];

    page_table(p, titled(c, "Bytes moved, all workloads together", s),
               "traffic", columns, 4);
    for (unsigned i = 0; i < LEVELS; i++) {
        const char *name = level_name(c, i);

        if (!name || (!y->bytes[i][0] && !y->bytes[i][1]))
            continue;
        page_cell(p, "%s", name);
        for (unsigned k = 0; k < 2; k++)
            page_number(p, (double)y->bytes[i][k], "%s",
                        word_bytes((double)y->bytes[i][k]).s);
        put_change(p, (double)y->bytes[i][0], (double)y->bytes[i][1]);
    }
    page_table_end(p);
}

static void put_joules_cell(page *p, uint64_t fj)
{
    page_number(p, energy_joules(fj), "%s", word_joules(energy_joules(fj)).s);
}

static void put_energy_table(page *p, const compare *c, size_t s)
{
    const page_column columns[] = {
        {.name = "part"},
        {.name = "of"},
        {.name = c->sides[0].label, .exact = "J", .number = true},
        {.name = c->sides[s].label, .exact = "J", .number = true},
        {.name = "change", .exact = "%", .number = true}};
    const compare_summary *y = &c->summaries[s];
    uint64_t all[2] = {0, 0};

    if (!y->energy.count)
        return;
    page_table(p, titled(c, "Energy, all workloads together", s), "energy",
               columns, 5);
    for (unsigned i = 0; i < ENERGY_PARTS; i++) {
        const uint64_t *fj = y->part_fj[i];

        all[0] += fj[0];
        all[1] += fj[1];
        if (!fj[0] && !fj[1])
            continue;
        page_cell(p, "%s", energy_part_table[i].name);
        page_cell(p, "%s", energy_part_table[i].help);
        put_joules_cell(p, fj[0]);
        put_joules_cell(p, fj[1]);
        put_change(p, (double)fj[0], (double)fj[1]);
    }
    page_row_sum(p);
    page_cell(p, "all");
    page_cell(p, "%s", "");
    put_joules_cell(p, all[0]);
    put_joules_cell(p, all[1]);
    put_change(p, (double)all[0], (double)all[1]);
    page_table_end(p);
}

/* ---- Counters ---- */

static void put_movers(page *p, const compare *c, size_t s)
{
    const page_column columns[] = {
        {.name = "counter"},
        {.name = c->sides[0].label, .number = true},
        {.name = c->sides[s].label, .number = true},
        {.name = "change", .exact = "%", .number = true},
        {.name = "weight",
         .number = true,
         .help = "share of the largest counter beside it, mean of the "
                 "workloads"},
        {.name = "unit"}};
    const compare_summary *y = &c->summaries[s];

    page_table(p, titled(c, "Counters that moved most", s), "counters", columns,
               6);
    for (size_t i = 0; i < y->mover_count && i < MOVERS; i++) {
        const compare_mover *m = &y->movers[i];

        if (m->weight <= 0)
            continue;
        page_cell(p, "%s", m->name);
        page_number(p, (double)m->base, "%s", word_grouped(m->base).s);
        page_number(p, (double)m->variant, "%s", word_grouped(m->variant).s);
        put_change(p, (double)m->base, (double)m->variant);
        page_number(p, 100 * m->weight, "%s", word_percent(m->weight).s);
        page_cell(p, "%s", m->unit);
    }
    page_table_end(p);
}

/* ---- Bands ---- */

static void put_band_row(page *p, const compare *c, const char *name, size_t s,
                         double speedup, const band *b)
{
    bool is = b->draws > 1;

    page_cell(p, "%s", name);
    page_cell(p, "%s", c->sides[s].label);
    page_number(p, speedup, "%s", words_times(speedup).s);
    page_number(p, b->mean, "%s", words_times(b->mean).s);
    page_number(p, b->low, "%s", words_times(b->low).s);
    page_number(p, b->high, "%s", words_times(b->high).s);
    page_cell(p, "%s",
              !is                  ? "unknown"
              : !band_is_beyond(b) ? "no difference"
              : b->mean > 1        ? "faster"
                                   : "slower");
}

/* What figures of workloads whose inputs are drawn are. */
static void put_drawn(page *p, const compare *c)
{
    size_t n = compare_drawn(c);

    if (n)
        page_note(p,
                  "%zu of %zu workload%s drawn: of these each run has other "
                  "random inputs, speed-ups are means of %zu draws, and "
                  "launches, cycles, counters, bytes and energy are sums of "
                  "them.",
                  n, c->count, c->count == 1 ? " is" : "s are", c->nulls + 1);
}

static void put_bands(page *p, const compare *c)
{
    const page_column columns[] = {
        {.name = "workload"},
        {.name = "variant"},
        {.name = "speed-up", .number = true},
        {.name = "mean", .number = true, .help = "geometric, of all draws"},
        {.name = "from",
         .number = true,
         .help = "95 % confidence, Student's t of the logarithms"},
        {.name = "to", .number = true},
        {.name = "verdict"}};

    page_section(p, "Noise");
    page_note(p,
              "All sides were run %zu time%s more with latencies of a cycle "
              "more or less, SMs that start a few cycles late and another "
              "seed. A gain whose band holds 1 is no difference.",
              c->nulls, word_plural(c->nulls));
    put_drawn(p, c);
    page_table(p, "Speed-ups and their bands", "bands", columns, 7);
    for (size_t s = 1; s < c->side_count; s++) {
        const compare_summary *y = &c->summaries[s];

        for (size_t w = 0; w < c->count; w++) {
            const compare_pair *of = &c->workloads[w].pairs[s];

            if (!of->why)
                put_band_row(p, c, c->workloads[w].is.label, s, of->speedup,
                             &of->band);
        }
        if (compare_complete(c, s))
            put_band_row(p, c, "geometric mean", s, y->speedup.geometric,
                         &y->band);
    }
    page_table_end(p);
}

void page_compare_variants(page *p, const compare *c)
{
    if (c->nulls)
        put_bands(p, c);
    if (c->side_count < 3)
        return;
    page_section(p, "Variants");
    put_variants(p, c);
}

void page_compare_traffic(page *p, const compare *c)
{
    page_section(p, "Memory traffic");
    put_traffic_chart(p, c);
    for (size_t s = 1; s < c->side_count; s++)
        put_traffic(p, c, s);
}

void page_compare_energy(page *p, const compare *c)
{
    for (size_t s = 1; s < c->side_count; s++)
        put_energy_table(p, c, s);
}

void page_compare_tables(page *p, const compare *c)
{
    page_section(p, "Counters that moved");
    page_note(p, "The weight is the share of the largest counter of that unit "
                 "in that kind of block, mean of the workloads. Slots and "
                 "cycles, which follow the time, are left out.");
    for (size_t s = 1; s < c->side_count; s++)
        put_movers(p, c, s);
    put_compared_kernels(p, c);
    put_runs(p, c);
}
