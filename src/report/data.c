/* The report for programs: JSON and CSV. */
#include "report/launch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "config/print.h"
#include "report/bound.h"
#include "report/endless.h"
#include "report/energy.h"
#include "report/hist.h"
#include "report/profile.h"
#include "report/record.h"
#include "report/sampled.h"
#include "report/stray.h"
#include "report/windows.h"

#define JSON(j, v, ...)      record_json(j, v, RECORD_GROUPS(__VA_ARGS__), false)
#define JSON_PART(j, v, ...) record_json(j, v, RECORD_GROUPS(__VA_ARGS__), true)

static void write_four(json *j, const char *key, const double share[4])
{
    json_open(j, key, '[');
    for (unsigned i = 0; i < 4; i++)
        json_real(j, NULL, share[i]);
    json_close(j, '[');
}

static void write_dual(json *j, const figure_dual *d)
{
    json_open(j, "control_codes", '{');
    json_u64(j, "single", d->single);
    json_u64(j, "pairs_alike", d->alike);
    json_u64(j, "pairs_mixed", d->mixed);
    json_real(j, "decode", d->decode);
    json_real(j, "wrong_path", d->wrong_path);
    json_real(j, "shared_cores", d->shared);
    json_u64(j, "shared_turns", d->turns);
    json_real(j, "bank_reads", d->banks);
    json_real(j, "cached_operands", d->cached);
    json_u64(j, "late_cycles", d->bubbles);
    write_four(j, "scheduler", d->scheduler);
    write_four(j, "phase", d->phase);
    json_close(j, '{');
}

static void write_figures(json *j, const record_values *v, const figures *f)
{
    JSON(j, v, RECORD_TIME, RECORD_RATE);
    json_open(j, "issue_slots", '{');
    JSON(j, v, RECORD_SLOTS);
    for (unsigned i = 0; i < f->stall_count; i++)
        json_u64(j, f->stalls[i].name, f->stalls[i].slots);
    json_close(j, '{');
    json_open(j, "cold_start", '{');
    JSON(j, v, RECORD_COLD);
    json_close(j, '{');
    if (f->dual.on)
        write_dual(j, &f->dual);
    JSON(j, v, RECORD_MEMORY);
    json_open(j, "memory", '{');
    for (unsigned i = 0; i < LEVELS; i++) {
        const figure_level *level = &f->level[i];

        if (!level->id)
            continue;
        json_open(j, level->id, '{');
        json_u64(j, "accesses", level->accesses);
        json_real(j, "hit_rate", level->hit_rate);
        json_u64(j, "bytes", level->bytes);
        json_real(j, "bytes_per_s", level->bandwidth);
        json_real(j, "peak_bytes_per_s", level->peak);
        json_close(j, '{');
    }
    json_close(j, '{');
}

static void write_counter(json *j, const char *path, const stat_desc *d,
                          uint64_t value)
{
    char name[160];

    snprintf(name, sizeof name, "%s.%s", path, d->id);
    json_u64(j, name, value);
}

/* Of every block, bins of histograms too, or sums over all instances, under
 * the path with '*'. */
static void write_counters(json *j, const report_options *o,
                           const report_launch *l)
{
    json_open(j, "counters", '{');
    if (o->per_block && l->counters) {
        for (size_t i = 0; i < stats_count(l->stats); i++) {
            stats_item item = stats_get(l->stats, i);

            write_counter(j, item.path, item.desc, l->counters[i]);
        }
    } else {
        for (size_t i = 0; i < stats_total_count(l->stats); i++) {
            stats_total_item item = stats_total_get(l->stats, i);

            if (!item.desc->hist)
                write_counter(j, item.path, item.desc, l->totals[i]);
        }
    }
    json_close(j, '{');
}

/* Of each step its end, and what each SM held on average. */
static void write_warps(json *j, const stats_series *s)
{
    uint64_t begin = 0;

    json_open(j, "resident_warps_series", '[');
    for (size_t k = 0; k < s->count; k++) {
        double cycles = (double)(s->end[k] - begin);

        json_open(j, NULL, '{');
        json_u64(j, "start_cycle", begin);
        json_u64(j, "cycles", s->end[k] - begin);
        json_open(j, "sms", '[');
        for (size_t i = 0; i < s->blocks; i++)
            json_real(j, NULL, (double)s->value[k * s->blocks + i] / cycles);
        json_close(j, '[');
        json_close(j, '{');
        begin = s->end[k];
    }
    json_close(j, '[');
}

/* What the kernel printed; `time` is a cycle, or counts warp instructions
 * where there are none. */
static void write_lines(json *j, const report_launch *l)
{
    json_u64(j, "printed_lost", l->lines_lost);
    json_open(j, "printed", '[');
    for (size_t i = 0; i < l->line_count; i++) {
        const exec_line *x = &l->lines[i];

        json_open(j, NULL, '{');
        json_u64(j, "time", x->time);
        record_json_triple(j, "cta", x->cta);
        record_json_triple(j, "thread", x->thread);
        json_bool(j, "assertion", x->assertion);
        json_text(j, "text", x->text);
        json_close(j, '{');
    }
    json_close(j, '[');
}

static void write_profiles(json *j, const report_options *o,
                           const report_launch *l)
{
    if (o->by_line && l->profile)
        profile_json(j, l, PROFILE_LINES);
    if (o->by_instruction && l->profile)
        profile_json(j, l, PROFILE_INSTS);
}

/* Launches of a group, in the order in which they ended. */
static void write_parts(json *j, const report_options *o,
                        const report_launch *l)
{
    json_open(j, "parts", '[');
    for (size_t i = 0; i < l->group->count; i++) {
        report_launch one = launch_part(l, i);
        record_values v;

        v = record_of(&one, &(figures){.slots = 0});
        json_open(j, NULL, '{');
        JSON_PART(j, &v, RECORD_KERNEL);
        json_text(j, "stream", l->group->part[i].stream);
        JSON_PART(j, &v, RECORD_STATE, RECORD_SIZE, RECORD_RESOURCES,
                  RECORD_CTAS, RECORD_WORK, RECORD_CYCLES);
        write_profiles(j, o, &one);
        json_close(j, '{');
    }
    json_close(j, '[');
}

void launch_json(json *j, const report_options *o, const report_launch *l)
{
    record_values v;
    figures f;
    bounds b;

    figures_compute(l, &f);
    v = record_of(l, &f);
    JSON(j, &v, RECORD_KERNEL, RECORD_STATE, RECORD_SIZE, RECORD_RESOURCES,
         RECORD_CTAS, RECORD_WORK, RECORD_HOST);
    if (l->line_count || l->lines_lost)
        write_lines(j, l);
    stray_json(j, &l->strays);
    spin_json(j, &l->spins);
    if (l->estimated) {
        kernel_guess g = {.launches = 0};

        JSON(j, &v, RECORD_ESTIMATE);
        kernel_guess_add(&g, l);
        sampled_json(j, l->cycles, &g);
    }
    if (l->totals) {
        JSON(j, &v, RECORD_CYCLES);
        json_u64(j, "warm", o->warm);
        write_figures(j, &v, &f);
        bounds_compute(l, &f, &b);
        bounds_json(j, &b);
        energy_json(j, l, &f);
        if (l->warps.blocks)
            write_warps(j, &l->warps);
        write_counters(j, o, l);
        hist_json(j, l);
    }
    if (l->group)
        write_parts(j, o, l);
    else
        write_profiles(j, o, l);
}

static void write_checks(json *j, const report_run *r)
{
    json_open(j, "checks", '[');
    for (size_t i = 0; i < r->check_count; i++) {
        const report_check *c = &r->checks[i];

        json_open(j, NULL, '{');
        json_text(j, "buffer", c->buffer);
        json_text(j, "file", c->file);
        json_u64(j, "elements", c->count);
        json_u64(j, "differ", c->differ);
        json_real(j, "worst", c->worst);
        json_real(j, "tolerance", c->tolerance);
        json_close(j, '{');
    }
    json_close(j, '[');
}

/* Of all launches, where parts of one are timed. */
static void write_sampled(json *j, const report_run *r)
{
    kernel_guess g = {.launches = 0};
    uint64_t cycles = 0;

    for (size_t i = 0; i < r->launch_count; i++) {
        kernel_guess_add(&g, &r->launches[i]);
        cycles += r->launches[i].cycles;
    }
    sampled_json(j, cycles, &g);
}

void report_json(const report_run *r, FILE *to)
{
    json j = json_document(to);
    char text[32];
    uint64_t insts = 0;
    double spent = 0;

    json_text(&j, "status", report_status(r->status));
    json_text(&j, "program", r->program);
    json_text(&j, "gpu", r->cfg->gpu.name);
    snprintf(text, sizeof text, "%016" PRIx64, config_hash(r->cfg));
    json_text(&j, "config_hash", text);
    json_bool(&j, "functional", r->functional);
    json_open(&j, "launches", '[');
    for (size_t i = 0; i < r->launch_count; i++) {
        json_open(&j, NULL, '{');
        launch_json(&j, &r->options, &r->launches[i]);
        json_close(&j, '{');
        insts += r->launches[i].warp_insts;
        spent += r->launches[i].host_seconds;
    }
    json_close(&j, '[');
    write_sampled(&j, r);
    write_checks(&j, r);
    exec_strays strays = stray_sum(r->launches, r->launch_count);
    stray_json(&j, &strays);
    exec_strays_fini(&strays);
    if (r->has_hash) {
        snprintf(text, sizeof text, "%016" PRIx64, r->hash);
        json_text(&j, "hash", text);
    }
    json_open(&j, "host", '{');
    json_u64(&j, "threads", r->threads);
    json_real(&j, "seconds", spent);
    json_real(&j, "warp_insts_per_s", spent > 0 ? (double)insts / spent : NAN);
    json_real(&j, "cpu_s", r->cpu_seconds);
    json_real(&j, "warp_insts_per_cpu_s",
              r->cpu_seconds > 0 ? (double)insts / r->cpu_seconds : NAN);
    json_real(&j, "start_s", r->start_seconds);
    json_u64(&j, "max_rss_bytes", r->max_rss_bytes);
    windows_json(&j, r->windows);
    json_close(&j, '{');
    json_document_end(&j);
}

/* ---- CSV ---- */

void launch_shape_add(launch_shape *s, const report_launch *l)
{
    figures f;

    if (!l->totals || l->stats == s->last)
        return;
    s->last = l->stats;
    figures_compute(l, &f);
    if (f.stall_count > s->with.stall_count) {
        memcpy(s->with.stalls, f.stalls, sizeof f.stalls);
        s->with.stall_count = f.stall_count;
    }
    for (unsigned i = 0; i < LEVELS; i++)
        if (f.level[i].id)
            s->with.level[i] = f.level[i];
}

/* In front of the figures of stalls and levels, and behind them. */
static const record_group csv_first[] = {
    RECORD_KERNEL,    RECORD_STATE, RECORD_MACHINE, RECORD_SIZE,
    RECORD_RESOURCES, RECORD_CTAS,  RECORD_CYCLES,  RECORD_ESTIMATE,
    RECORD_WORK,      RECORD_TIME,  RECORD_RATE,    RECORD_SLOTS};
static const record_group csv_then[] = {RECORD_COLD, RECORD_MEMORY};
static const record_group csv_last[] = {RECORD_HOST};

void launch_csv_head(const launch_shape *s, csv *c)
{
    const figures *f = &s->with;

    record_csv_head(c, csv_first, COUNTOF(csv_first));
    for (unsigned i = 0; i < f->stall_count; i++)
        csv_name(c, "stall_", f->stalls[i].name);
    for (unsigned i = 0; i < LEVELS; i++) {
        if (!f->level[i].id)
            continue;
        csv_name(c, f->level[i].id, "_accesses");
        csv_name(c, f->level[i].id, "_hit_rate");
        csv_name(c, f->level[i].id, "_bytes");
    }
    record_csv_head(c, csv_then, COUNTOF(csv_then));
    energy_csv_head(c);
    record_csv_head(c, csv_last, COUNTOF(csv_last));
}

/* Empty where the launch has no such figures: nothing was timed, or its GPU
 * has no such cache. */
static void csv_figures(const launch_shape *s, const figures *f, csv *c)
{
    for (unsigned k = 0; k < s->with.stall_count; k++)
        if (k < f->stall_count)
            csv_u64(c, f->stalls[k].slots);
        else
            csv_empty(c, 1);
    for (unsigned k = 0; k < LEVELS; k++) {
        if (!s->with.level[k].id)
            continue;
        if (!f->level[k].id) {
            csv_empty(c, 3);
            continue;
        }
        csv_u64(c, f->level[k].accesses);
        csv_real(c, f->level[k].hit_rate);
        csv_u64(c, f->level[k].bytes);
    }
}

void launch_csv(const launch_shape *s, const report_launch *l, csv *c)
{
    record_values v;
    figures f;

    figures_compute(l, &f);
    v = record_of(l, &f);
    record_csv(c, &v, csv_first, COUNTOF(csv_first));
    csv_figures(s, &f, c);
    record_csv(c, &v, csv_then, COUNTOF(csv_then));
    energy_csv(l, &f, c);
    record_csv(c, &v, csv_last, COUNTOF(csv_last));
}

static void csv_profiles(const report_launch *l, size_t number,
                         profile_kind kind, csv *c)
{
    if (!l->group)
        profile_csv(l, NULL, number, kind, c);
    for (size_t i = 0; l->group && i < l->group->count; i++) {
        report_launch one = launch_part(l, i);

        profile_csv(&one, NULL, number, kind, c);
    }
}

static void csv_launches(const report_run *r, csv *c)
{
    launch_shape shape = {.with = {.stall_count = 0}};

    for (size_t i = 0; i < r->launch_count; i++)
        launch_shape_add(&shape, &r->launches[i]);
    csv_names(c, "launch");
    launch_csv_head(&shape, c);
    csv_line(c);
    for (size_t i = 0; i < r->launch_count; i++) {
        csv_u64(c, i);
        launch_csv(&shape, &r->launches[i], c);
        csv_line(c);
    }
}

void report_csv(const report_run *r, FILE *to)
{
    bool rows = r->options.by_line || r->options.by_instruction;
    profile_kind kind = r->options.by_line ? PROFILE_LINES : PROFILE_INSTS;
    csv c = csv_start(to);

    if (!r->launch_count)
        return;
    if (r->options.energy_series)
        energy_series_csv_head(&c);
    else if (rows)
        profile_csv_head(kind, &c);
    else
        csv_launches(r, &c);
    for (size_t i = 0; i < r->launch_count; i++)
        if (r->options.energy_series)
            energy_series_csv(&r->launches[i], NULL, i, &c);
        else if (rows)
            csv_profiles(&r->launches[i], i, kind, &c);
}
