#include <math.h>

#include "energy/sharing.h"
#include "report/energy.h"

static uint64_t dynamic_fj(const energy *e)
{
    return energy_kind_fj(e, ENERGY_FRONT) + energy_kind_fj(e, ENERGY_BACK);
}

/* ---- JSON ---- */

void energy_json_sum(json *j, const energy *e)
{
    bool good = !e->overflow;

    if (good)
        json_u64(j, "energy_fj", e->total_fj);
    else
        json_text(j, "energy_fj", NULL);
    json_real(j, "energy_j", good ? energy_joules(e->total_fj) : NAN);
    json_real(j, "power_w", good ? energy_watts(e, e->total_fj) : NAN);
    json_real(j, "edp_js", good ? energy_edp(e) : NAN);
}

static void write_parts(json *j, const energy *e)
{
    json_open(j, "parts_fj", '{');
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        json_u64(j, energy_part_table[i].name, e->part_fj[i]);
    json_close(j, '{');
}

/* What an event without a parameter is; of an access also the bits that it
 * reads, writes, compares. */
static void write_formula(json *j, const energy_row *r)
{
    json_text(j, "help", r->help);
    json_text(j, "formula", r->formula);
    if (!r->by_bits)
        return;
    json_open(j, "bits", '{');
    for (unsigned k = 0; k < ENERGY_BITS; k++)
        if (r->bits[k])
            json_u64(j, energy_bit_name(k), r->bits[k]);
    json_close(j, '{');
}

/* Events, or states. */
static void write_rows(json *j, const energy_row *rows, bool states)
{
    json_open(j, states ? "states" : "events", '{');
    for (size_t i = 0; i < ENERGY_ROWS; i++) {
        const energy_row *r = &rows[i];

        if (states != !r->counter)
            continue;
        json_open(j, r->id, '{');
        json_text(j, "part", energy_part_table[r->part].name);
        if (r->counter)
            json_text(j, "counter", r->counter);
        if (r->formula)
            write_formula(j, r);
        json_u64(j, r->counter ? "count" : "cycles", r->count);
        json_u64(j, "each_fj", r->each_fj);
        json_u64(j, "fj", r->fj);
        json_close(j, '{');
    }
    json_close(j, '{');
}

static void write_samples(json *j, const report_launch *l)
{
    json_open(j, "series", '[');
    for (size_t i = 0; i < l->series.count; i++) {
        const energy *e = &l->series.row[i].energy;

        json_open(j, NULL, '{');
        json_u64(j, "start_cycle", l->series.row[i].start);
        json_u64(j, "cycles", e->cycles);
        json_real(j, "power_w", energy_watts(e, e->total_fj));
        json_u64(j, "total_fj", e->total_fj);
        write_parts(j, e);
        json_close(j, '{');
    }
    json_close(j, '[');
}

static void write_sharing(json *j, const report_launch *l, const energy *e)
{
    energy_sharing is;

    if (!energy_sharing_of(l->cfg, l->stats, l->totals, e, &is))
        return;
    json_open(j, "sharing", '{');
    json_text(j, "formula", "shared * gated * (size - 1) / size - overhead");
    json_u64(j, "size", is.size);
    json_real(j, "shared", is.shared);
    json_real(j, "gated", is.gated);
    json_real(j, "without_overhead", is.formula);
    json_real(j, "overhead", is.overhead);
    json_real(j, "saved", is.saved);
    json_real(j, "saved_of_all", is.of_all);
    json_close(j, '{');
}

void energy_json(json *j, const report_launch *l, const figures *f)
{
    const energy *e = &f->energy;
    energy_row rows[ENERGY_ROWS];

    energy_rows(l->cfg, l->stats, l->totals, l->cycles, rows);
    json_open(j, "energy", '{');
    json_text(j, "model", l->cfg->energy.status);
    json_bool(j, "overflow", e->overflow);
    energy_json_sum(j, e);
    json_u64(j, "dynamic_fj", dynamic_fj(e));
    json_u64(j, "static_fj", e->total_fj - dynamic_fj(e));
    json_u64(j, "front_end_dynamic_fj", energy_kind_fj(e, ENERGY_FRONT));
    json_u64(j, "front_end_static_fj", energy_kind_fj(e, ENERGY_STATIC_FRONT));
    json_real(j, "front_end_of_dynamic", energy_front_of_dynamic(e));
    json_real(j, "front_end_of_total", energy_front_of_total(e));
    write_sharing(j, l, e);
    write_parts(j, e);
    write_rows(j, rows, false);
    write_rows(j, rows, true);
    if (l->series.count)
        write_samples(j, l);
    json_close(j, '{');
}

/* ---- CSV ---- */

static void csv_parts_head(csv *c)
{
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        csv_name(c, energy_part_table[i].name, "_fj");
}

static void csv_parts(const energy *e, csv *c)
{
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        csv_u64(c, e->part_fj[i]);
}

void energy_csv_head(csv *c)
{
    csv_names(c, "energy_j,power_w,edp_js,energy_fj");
    csv_parts_head(c);
}

/* Empty where nothing was timed. */
void energy_csv(const report_launch *l, const figures *f, csv *c)
{
    const energy *e = &f->energy;

    if (!l->totals) {
        csv_empty(c, 4 + ENERGY_PARTS);
        return;
    }
    csv_real(c, energy_joules(e->total_fj));
    csv_real(c, energy_watts(e, e->total_fj));
    csv_real(c, energy_edp(e));
    csv_u64(c, e->total_fj);
    csv_parts(e, c);
}

void energy_series_csv_head(csv *c)
{
    csv_names(c, "launch,kernel,start_cycle,cycles,start_s,power_w,energy_fj");
    csv_parts_head(c);
    csv_line(c);
}

void energy_series_csv(const report_launch *l, const uint32_t *pid,
                       size_t launch, csv *c)
{
    for (size_t i = 0; i < l->series.count; i++) {
        const energy_sample *s = &l->series.row[i];

        if (pid)
            csv_u64(c, *pid);
        csv_u64(c, launch);
        csv_text(c, l->kernel->name);
        csv_u64(c, s->start);
        csv_u64(c, s->energy.cycles);
        csv_real(c, (double)s->start / (1e3 * l->cfg->gpu.clock_khz));
        csv_real(c, energy_watts(&s->energy, s->energy.total_fj));
        csv_u64(c, s->energy.total_fj);
        csv_parts(&s->energy, c);
        csv_line(c);
    }
}
