/* src/compare/compare_data.c - a comparison as JSON and CSV: all of it. */
#include <inttypes.h>
#include <math.h>

#include "compare/compare.h"
#include "compare/compare_cost.h"
#include "compare/compare_part.h"
#include "compare/compare_view.h"
#include "text/csv.h"
#include "text/json.h"

/* ---- JSON ---- */

/* Of what the comparison is about. */
static void write_part(json *j, const char *part, const compare_part_side *y)
{
    bool known = y->energy.count > 0;

    json_open(j, "part", '{');
    json_text(j, "name", part);
    json_real(j, "energy_ratio", known ? y->energy.geometric : NAN);
    json_real(j, "least", known ? y->energy.least : NAN);
    json_real(j, "most", known ? y->energy.most : NAN);
    json_real(j, "energy_joules", energy_joules(y->fj));
    json_real(j, "share", y->share);
    json_bool(j, "exists", y->exists);
    json_u64(j, "bits", y->bits);
    json_u64(j, "compared", y->compared);
    json_bool(j, "front", y->front);
    json_close(j, '{');
}

static void write_storage(json *j, const config *cfg)
{
    cost_sum sum = cost_total(cfg);
    cost_item all[COST_STRUCTURES];

    cost_of(cfg, all);
    json_open(j, "storage", '{');
    json_u64(j, "bits", sum.bits);
    json_u64(j, "data_bits", sum.bulk_bits);
    json_u64(j, "control_bits", sum.bits - sum.bulk_bits);
    json_u64(j, "compared", sum.comparator_bits);
    json_open(j, "structures", '{');
    for (size_t i = 0; i < COST_STRUCTURES; i++)
        if (all[i].instances)
            json_u64(j, cost_table[i].id, all[i].instances * all[i].bits);
    json_close(j, '{');
    json_close(j, '{');
}

static void write_sides(json *j, const compare *c)
{
    const compare_part_side *parts = compare_part_sides(c);

    json_open(j, "sides", '[');
    for (size_t s = 0; s < c->side_count; s++) {
        json_open(j, NULL, '{');
        json_text(j, "label", c->sides[s].label);
        json_text(j, "parameters", c->sides[s].assignments);
        json_text(j, "gpu", c->sides[s].gpus[0].name);
        if (c->diff)
            json_text(j, "from", c->sides[s].from);
        write_storage(j, c->sides[s].gpus[0].cfg);
        if (parts)
            write_part(j, c->part, &parts[s]);
        json_close(j, '{');
    }
    json_close(j, '[');
}

static void write_hash(json *j, const measure_sum *s)
{
    char text[20];

    snprintf(text, sizeof text, "%016" PRIx64, s->memory_hash);
    json_text(j, "memory_hash", s->has_hash ? text : NULL);
}

/* Values, not shares: those are of the base's sum. */
static void write_view(json *j, const compare *c, const double *values)
{
    if (!values)
        return;
    json_open(j, "view", '{');
    for (size_t i = 0; i < view_count(c->view); i++)
        json_real(j, c->view->items[i].name, values[i]);
    json_close(j, '{');
}

static void write_run_json(json *j, const compare *c, const compare_workload *w,
                           size_t side)
{
    const measure_run *r = &w->runs[side];
    const measure_sum *s = w->sums[side];

    json_open(j, NULL, '{');
    json_text(j, "side", c->sides[side].label);
    json_text(j, "verdict",
              r->done ? suite_verdict_text(r->result.verdict) : "stopped");
    json_text(j, "why", r->result.why);
    json_text(j, "output", r->result.tail);
    json_text(j, "outside", r->result.outside);
    json_u64(j, "launches", s->launches);
    json_u64(j, "failed_launches", s->failed);
    json_u64(j, "timed_launches", s->timed);
    json_u64(j, "cycles", s->cycles);
    json_real(j, "simulated_seconds", s->time_s);
    json_u64(j, "warp_instructions", s->warp_insts);
    json_u64(j, "thread_instructions", s->thread_insts);
    json_real(j, "host_seconds", r->result.host_s);
    write_hash(j, s);
    json_open(j, "kernels", '[');
    for (size_t i = 0; i < s->kernel_count; i++) {
        json_open(j, NULL, '{');
        json_text(j, "name", s->kernels[i].name);
        json_u64(j, "timed_launches", s->kernels[i].timed);
        json_u64(j, "cycles", s->kernels[i].cycles);
        json_u64(j, "warp_instructions", s->kernels[i].warp_insts);
        json_real(j, "simulated_seconds", s->kernels[i].time_s);
        json_close(j, '{');
    }
    json_close(j, '[');
    json_open(j, "energy_joules", '{');
    for (unsigned i = 0; i < ENERGY_PARTS && s->energy_fj && !s->too_much; i++)
        json_real(j, energy_part_table[i].name, energy_joules(s->part_fj[i]));
    json_close(j, '{');
    json_open(j, "bytes", '{');
    for (unsigned i = 0; i < LEVELS; i++)
        if (s->level[i])
            json_u64(j, s->level[i], s->bytes[i]);
    json_close(j, '{');
    json_open(j, "counters", '{');
    for (size_t i = 0; i < c->counter_count; i++)
        if (w->values[side][i] && /* a results file has no others */
            !c->counters[i].hist)
            json_u64(j, c->counters[i].name, w->values[side][i]);
    json_close(j, '{');
    write_view(j, c, w->view ? w->view[side] : NULL);
    json_close(j, '{');
}

static void write_reasons(json *j, const compare *c, const compare_reason *r)
{
    json_open(j, "slots", '{');
    for (size_t i = 0; r && i < c->reason_count; i++) {
        json_open(j, c->reasons[i], '{');
        json_real(j, "base", r[i].base);
        json_real(j, "variant", r[i].variant);
        json_close(j, '{');
    }
    json_close(j, '{');
}

/* Nothing without nulls; null without a band. */
static void write_band(json *j, const compare *c, const band *b)
{
    if (!c->nulls)
        return;
    if (b->draws < 2) {
        json_text(j, "band", NULL);
        return;
    }
    json_open(j, "band", '{');
    json_u64(j, "draws", b->draws);
    json_real(j, "mean", b->mean);
    json_real(j, "low", b->low);
    json_real(j, "high", b->high);
    json_bool(j, "beyond", band_is_beyond(b));
    json_close(j, '{');
}

static void write_workload(json *j, const compare *c, const compare_workload *w)
{
    size_t draws = w->drawn ? c->nulls + 1 : 1;

    json_open(j, NULL, '{');
    json_text(j, "name", w->is.name);
    json_text(j, "size", w->is.size);
    json_u64(j, "draws", draws);
    json_open(j, "runs", '[');
    for (size_t s = 0; s < c->side_count; s++)
        write_run_json(j, c, w, s);
    json_close(j, '[');
    json_open(j, "variants", '[');
    for (size_t s = 1; s < c->side_count; s++) {
        json_open(j, NULL, '{');
        json_text(j, "side", c->sides[s].label);
        json_text(j, "left_out", w->pairs[s].why);
        json_text(j, "difference", w->pairs[s].note);
        if (c->diff)
            json_bool(j, "memory_unknown", w->pairs[s].unknown);
        json_real(j, "speedup", w->pairs[s].speedup);
        write_band(j, c, &w->pairs[s].band);
        json_real(j, "energy_ratio", w->pairs[s].energy);
        json_real(j, "edp_ratio", w->pairs[s].edp);
        if (c->part)
            json_real(j, "part_ratio", compare_part_ratio(c, w, s));
        write_reasons(j, c, w->pairs[s].reasons);
        json_close(j, '{');
    }
    json_close(j, '[');
    json_close(j, '{');
}

static void write_movers(json *j, const compare_summary *y)
{
    json_open(j, "counters", '[');
    for (size_t i = 0; i < y->mover_count && y->movers[i].weight > 0; i++) {
        json_open(j, NULL, '{');
        json_text(j, "name", y->movers[i].name);
        json_text(j, "unit", y->movers[i].unit);
        json_u64(j, "base", y->movers[i].base);
        json_u64(j, "variant", y->movers[i].variant);
        json_real(j, "weight", y->movers[i].weight);
        json_close(j, '{');
    }
    json_close(j, '[');
}

/* The structures that differ. */
static void write_structures(json *j, const compare *c, size_t s)
{
    compare_cost all;

    compare_cost_of(&c->sides[0], &c->sides[s], &all);
    json_open(j, "structures", '[');
    for (size_t i = 0; i < all.count; i++) {
        const compare_structure *x = &all.changed[i];

        json_open(j, NULL, '{');
        json_text(j, "id", x->is->id);
        json_text(j, "name", x->is->name);
        json_bool(j, "data", x->is->bulk);
        json_u64(j, "base_bits", x->bits[0]);
        json_u64(j, "variant_bits", x->bits[1]);
        json_u64(j, "base_compared", x->compared[0]);
        json_u64(j, "variant_compared", x->compared[1]);
        json_close(j, '{');
    }
    json_close(j, '[');
}

static void write_texts(json *j, const char *key, const char *const *text,
                        size_t count)
{
    json_open(j, key, '[');
    for (size_t i = 0; i < count; i++)
        json_text(j, NULL, text[i]);
    json_close(j, '[');
}

/* What must not be averaged is null. */
static void write_summary(json *j, const compare *c, size_t s)
{
    const compare_summary *y = &c->summaries[s];
    bool good = compare_complete(c, s);

    json_open(j, NULL, '{');
    json_text(j, "side", c->sides[s].label);
    json_bool(j, "complete", good);
    json_u64(j, "workloads", y->speedup.count);
    json_u64(j, "faster", y->faster);
    json_u64(j, "slower", y->slower);
    json_u64(j, "same", y->same);
    json_u64(j, "left_out", y->missing);
    json_u64(j, "differing", y->differing);
    if (c->diff)
        write_texts(j, "not_comparable", c->diff->apart[s].text,
                    c->diff->apart[s].count);
    json_real(j, "geometric_mean", good ? y->speedup.geometric : NAN);
    write_band(j, c, good ? &y->band : &(band){0});
    json_real(j, "geometric_deviation", good ? y->speedup.spread : NAN);
    json_real(j, "least", good ? y->speedup.least : NAN);
    json_real(j, "most", good ? y->speedup.most : NAN);
    json_real(j, "energy_ratio", good ? y->energy.geometric : NAN);
    json_real(j, "edp_ratio", good ? y->edp.geometric : NAN);
    write_reasons(j, c, good ? y->reasons : NULL);
    if (good)
        write_movers(j, y);
    write_structures(j, c, s);
    json_close(j, '{');
}

static void write_comparison(json *j, const compare *c)
{
    json_open(j, NULL, '{');
    json_text(j, "gpu", c->sides[0].gpus[0].name);
    json_text(j, "set", compare_set(c));
    write_sides(j, c);
    if (c->diff)
        write_texts(j, "only_on_one_side", c->diff->only, c->diff->only_count);
    json_open(j, "workloads", '[');
    for (size_t i = 0; i < c->count; i++)
        write_workload(j, c, &c->workloads[i]);
    json_close(j, '[');
    json_open(j, "summaries", '[');
    for (size_t s = 1; s < c->side_count; s++)
        write_summary(j, c, s);
    json_close(j, '[');
    json_close(j, '{');
}

void compare_json(const compare *list, size_t count, FILE *to)
{
    json j = json_document(to);

    json_text(&j, "mechanism", list->mechanism ? list->mechanism->name : NULL);
    json_bool(&j, "interrupted", list->interrupted);
    json_real(&j, "seconds", list->seconds);
    json_u64(&j, "runs_from_cache", list->cached);
    json_u64(&j, "nulls", list->nulls);
    json_open(&j, "comparisons", '[');
    for (size_t i = 0; i < count; i++)
        write_comparison(&j, &list[i]);
    json_close(&j, '[');
    json_document_end(&j);
}

/* ---- CSV ---- */

/* A name for the base, and one for the variant. */
static void csv_pair(csv *to, const compare *c, const char *head,
                     const char *rest)
{
    static const char *const sides[] = {"base", "variant"};

    for (unsigned k = 0; k < 2; k++)
        csv_text(to, arena_printf(c->mem, "%s%s_%s", head, rest, sides[k]));
}

static void csv_head(const compare *c, csv *to)
{
    csv_names(to, "gpu,workload,size,variant,base_cycles,variant_cycles,"
                  "base_seconds,variant_seconds,speedup,base_joules,"
                  "variant_joules,left_out,difference");
    for (size_t i = 0; i < c->reason_count; i++)
        csv_pair(to, c, "slots_", c->reasons[i]);
    for (unsigned i = 0; i < LEVELS; i++)
        csv_pair(to, c, "bytes_", figure_level_id(i));
    csv_names(to, "control_bits_base,control_bits_variant,data_bits_base,"
                  "data_bits_variant,compared_base,compared_variant");
    for (size_t i = 0; c->view_all && i < view_count(c->view); i++)
        csv_pair(to, c, "", c->view->items[i].name);
    if (c->part) {
        csv_pair(to, c, c->part, "_joules");
        csv_pair(to, c, c->part, "_bits");
        csv_pair(to, c, c->part, "_compared");
    }
    if (c->nulls)
        csv_names(to, "band_draws,band_mean,band_low,band_high");
    csv_line(to);
}

/* Empty where there is no value. */
static void csv_view(const compare *c, const compare_workload *w, size_t s,
                     csv *to)
{
    for (size_t i = 0; c->view_all && i < view_count(c->view); i++) {
        csv_real(to, w->view[0][i]);
        csv_real(to, w->view[s][i]);
    }
}

static void csv_part(const compare *c, const compare_workload *w, size_t s,
                     csv *to)
{
    cost_sum b, v;
    energy_part part;

    if (!c->part)
        return;
    part = energy_part_find(c->part);
    cost_of_part(c->sides[0].gpus[0].cfg, c->part, &b);
    cost_of_part(c->sides[s].gpus[0].cfg, c->part, &v);
    csv_real(to, energy_joules(w->sums[0]->part_fj[part]));
    csv_real(to, energy_joules(w->sums[s]->part_fj[part]));
    csv_u64(to, b.bits);
    csv_u64(to, v.bits);
    csv_u64(to, b.comparator_bits);
    csv_u64(to, v.comparator_bits);
}

static void csv_storage(const compare *c, size_t s, csv *to)
{
    cost_sum b = cost_total(c->sides[0].gpus[0].cfg);
    cost_sum v = cost_total(c->sides[s].gpus[0].cfg);

    csv_u64(to, b.bits - b.bulk_bits);
    csv_u64(to, v.bits - v.bulk_bits);
    csv_u64(to, b.bulk_bits);
    csv_u64(to, v.bulk_bits);
    csv_u64(to, b.comparator_bits);
    csv_u64(to, v.comparator_bits);
}

static void csv_speed(const compare_pair *p, const measure_sum *b,
                      const measure_sum *v, csv *to)
{
    csv_u64(to, b->cycles);
    csv_u64(to, v->cycles);
    csv_real(to, b->time_s);
    csv_real(to, v->time_s);
    csv_real(to, p->why ? NAN : p->speedup);
    csv_real(to, energy_joules(b->energy_fj));
    csv_real(to, energy_joules(v->energy_fj));
    csv_text(to, p->why);
    csv_text(to, p->note);
}

static void csv_band(const compare *c, const compare_pair *p, csv *to)
{
    bool is = p->band.draws > 1;

    if (!c->nulls)
        return;
    csv_u64(to, p->band.draws);
    csv_real(to, is ? p->band.mean : NAN);
    csv_real(to, is ? p->band.low : NAN);
    csv_real(to, is ? p->band.high : NAN);
}

static void put_csv_row(const compare *c, const compare_workload *w, size_t s,
                        csv *to)
{
    const compare_pair *p = &w->pairs[s];
    const measure_sum *b = w->sums[0], *v = w->sums[s];

    csv_text(to, c->sides[s].gpus[0].name);
    csv_text(to, w->is.name);
    csv_text(to, w->is.size);
    csv_text(to, c->sides[s].label);
    csv_speed(p, b, v, to);
    for (size_t i = 0; i < c->reason_count; i++) {
        csv_real(to, p->reasons ? p->reasons[i].base : NAN);
        csv_real(to, p->reasons ? p->reasons[i].variant : NAN);
    }
    for (unsigned i = 0; i < LEVELS; i++) {
        csv_u64(to, b->bytes[i]);
        csv_u64(to, v->bytes[i]);
    }
    csv_storage(c, s, to);
    csv_view(c, w, s, to);
    csv_part(c, w, s, to);
    csv_band(c, p, to);
    csv_line(to);
}

void compare_csv(const compare *list, size_t count, FILE *to)
{
    csv c = csv_start(to);

    csv_head(list, &c);
    for (size_t g = 0; g < count; g++)
        for (size_t i = 0; i < list[g].count; i++)
            for (size_t s = 1; s < list[g].side_count; s++)
                put_csv_row(&list[g], &list[g].workloads[i], s, &c);
}
