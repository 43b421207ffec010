/* The report for programs: JSON and CSV. */
#include "report/launch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "config/print.h"
#include "report/endless.h"
#include "report/energy.h"
#include "report/hist.h"
#include "report/profile.h"
#include "report/stray.h"

static void write_triple(json *j, const char *key, const uint32_t v[3])
{
    json_open(j, key, '[');
    for (unsigned i = 0; i < 3; i++)
        json_u64(j, NULL, v[i]);
    json_close(j, '[');
}

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

static void write_figures(json *j, const figures *f)
{
    json_real(j, "time_s", f->time_s);
    json_real(j, "ipc", f->ipc);
    json_real(j, "ipc_per_sm", f->ipc_sm);
    json_real(j, "ipc_peak", f->ipc_peak);
    json_real(j, "occupancy", f->occupancy);
    json_real(j, "resident_warps", f->warps);
    json_open(j, "issue_slots", '{');
    json_u64(j, "total", f->slots);
    json_u64(j, "issued", f->issued);
    for (unsigned i = 0; i < f->stall_count; i++)
        json_u64(j, f->stalls[i].name, f->stalls[i].slots);
    json_close(j, '{');
    json_open(j, "cold_start", '{');
    json_u64(j, "icache", f->cold.code);
    json_u64(j, "constant", f->cold.constants);
    json_real(j, "share", f->cold.share);
    json_close(j, '{');
    if (f->dual.on)
        write_dual(j, &f->dual);
    json_real(j, "transactions_per_access", f->tx_per_inst);
    json_real(j, "shared_passes_per_access", f->banks.passes_each);
    json_real(j, "bank_conflicts_per_access", f->banks.conflicts_each);
    json_real(j, "bank_conflict_share", f->banks.lost);
    json_real(j, "bank_conflict_cycles", f->banks.cycles);
    json_real(j, "dram_row_hit_rate", f->row_hit_rate);
    json_open(j, "memory", '{');
    for (unsigned i = 0; i < LEVELS; i++) {
        const figure_level *v = &f->level[i];

        if (!v->id)
            continue;
        json_open(j, v->id, '{');
        json_u64(j, "accesses", v->accesses);
        json_real(j, "hit_rate", v->hit_rate);
        json_u64(j, "bytes", v->bytes);
        json_real(j, "bytes_per_s", v->bandwidth);
        json_real(j, "peak_bytes_per_s", v->peak);
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
        write_triple(j, "cta", x->cta);
        write_triple(j, "thread", x->thread);
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
        const report_part *p = &l->group->part[i];
        report_launch one = launch_part(l, i);

        json_open(j, NULL, '{');
        json_text(j, "kernel", p->kernel->name);
        json_text(j, "stream", p->stream);
        json_text(j, "status", report_status(p->status));
        write_triple(j, "grid", p->grid);
        write_triple(j, "block", p->block);
        json_u64(j, "registers", p->kernel->registers);
        json_u64(j, "shared_bytes", p->kernel->shared_bytes + p->shared_bytes);
        json_u64(j, "ctas", p->ctas);
        json_u64(j, "ctas_per_sm", p->ctas_per_sm);
        json_text(j, "limiter", p->limiter);
        json_u64(j, "warp_insts", p->warp_insts);
        json_u64(j, "start_cycle", l->start + p->start);
        json_u64(j, "cycles", p->cycles);
        write_profiles(j, o, &one);
        json_close(j, '{');
    }
    json_close(j, '[');
}

void launch_json(json *j, const report_options *o, const report_launch *l)
{
    figures f;

    figures_compute(l, &f);
    json_text(j, "kernel", l->kernel->name);
    json_text(j, "status", report_launch_status(l));
    write_triple(j, "grid", l->grid);
    write_triple(j, "block", l->block);
    json_u64(j, "registers", l->kernel->registers);
    json_u64(j, "shared_bytes", l->kernel->shared_bytes + l->shared_bytes);
    json_u64(j, "local_bytes", l->kernel->local_bytes);
    json_u64(j, "spill_bytes", l->kernel->spill_bytes);
    json_u64(j, "ctas", l->ctas);
    json_u64(j, "ctas_per_sm", l->ctas_per_sm);
    json_text(j, "limiter", l->limiter);
    json_u64(j, "warp_insts", l->warp_insts);
    json_u64(j, "thread_insts", l->thread_insts);
    json_real(j, "lanes_used", f.lanes);
    json_real(j, "host_s", l->host_seconds);
    if (l->line_count || l->lines_lost)
        write_lines(j, l);
    stray_json(j, &l->strays);
    spin_json(j, &l->spins);
    if (l->totals) {
        json_u64(j, "start_cycle", l->start);
        json_u64(j, "cycles", l->cycles);
        json_u64(j, "warm", o->warm);
        write_figures(j, &f);
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
    json_real(&j, "start_s", r->start_seconds);
    json_u64(&j, "max_rss_bytes", r->max_rss_bytes);
    json_close(&j, '{');
    json_document_end(&j);
}

/* ---- CSV ---- */

/* Quoted where it must be [RFC4180:format]. */
void report_csv_text(FILE *to, const char *s)
{
    if (!s[strcspn(s, "\",\r\n")]) {
        fputs(s, to);
        return;
    }
    fputc('"', to);
    for (; *s; s++) {
        if (*s == '"')
            fputc('"', to);
        fputc(*s, to);
    }
    fputc('"', to);
}

static void csv_real(FILE *to, double v)
{
    if (isfinite(v))
        fprintf(to, ",%.9g", v);
    else
        fputc(',', to);
}

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

void launch_csv_head(const launch_shape *s, FILE *to)
{
    const figures *f = &s->with;

    fputs("kernel,status,gpu,grid_x,grid_y,grid_z,block_x,block_y,block_z,"
          "registers,shared_bytes,spill_bytes,ctas,cycles,warp_insts,"
          "thread_insts,time_s,ipc,occupancy,slots,issued",
          to);
    for (unsigned i = 0; i < f->stall_count; i++)
        fprintf(to, ",stall_%s", f->stalls[i].name);
    for (unsigned i = 0; i < LEVELS; i++)
        if (f->level[i].id)
            fprintf(to, ",%s_accesses,%s_hit_rate,%s_bytes", f->level[i].id,
                    f->level[i].id, f->level[i].id);
    fputs(",cold_icache,cold_constant,transactions_per_access,shared_passes_"
          "per_access,"
          "bank_conflicts_per_access,bank_conflict_share,bank_conflict_cycles",
          to);
    energy_csv_head(to);
    fputs(",host_s", to);
}

/* Empty where the launch has no such figures: nothing was timed, or its GPU
 * has no such cache. */
static void csv_figures(const launch_shape *s, const report_launch *l,
                        const figures *f, FILE *to)
{
    csv_real(to, l->totals ? f->time_s : NAN);
    csv_real(to, l->totals ? f->ipc : NAN);
    csv_real(to, l->totals ? f->occupancy : NAN);
    fprintf(to, ",%" PRIu64 ",%" PRIu64, f->slots, f->issued);
    for (unsigned k = 0; k < s->with.stall_count; k++)
        if (k < f->stall_count)
            fprintf(to, ",%" PRIu64, f->stalls[k].slots);
        else
            fputc(',', to);
    for (unsigned k = 0; k < LEVELS; k++) {
        if (!s->with.level[k].id)
            continue;
        if (!f->level[k].id) {
            fputs(",,,", to);
            continue;
        }
        fprintf(to, ",%" PRIu64, f->level[k].accesses);
        csv_real(to, f->level[k].hit_rate);
        fprintf(to, ",%" PRIu64, f->level[k].bytes);
    }
    fprintf(to, ",%" PRIu64 ",%" PRIu64, f->cold.code, f->cold.constants);
    csv_real(to, l->totals ? f->tx_per_inst : NAN);
    csv_real(to, l->totals ? f->banks.passes_each : NAN);
    csv_real(to, l->totals ? f->banks.conflicts_each : NAN);
    csv_real(to, l->totals ? f->banks.lost : NAN);
    csv_real(to, l->totals ? f->banks.cycles : NAN);
}

void launch_csv(const launch_shape *s, const report_launch *l, FILE *to)
{
    figures f;

    figures_compute(l, &f);
    report_csv_text(to, l->kernel->name);
    fprintf(to, ",%s,", report_launch_status(l));
    report_csv_text(to, l->cfg->gpu.name);
    fprintf(to, ",%u,%u,%u,%u,%u,%u,%u,%u,%u", l->grid[0], l->grid[1],
            l->grid[2], l->block[0], l->block[1], l->block[2],
            l->kernel->registers, l->kernel->shared_bytes + l->shared_bytes,
            l->kernel->spill_bytes);
    fprintf(to, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, l->ctas,
            l->cycles, l->warp_insts, l->thread_insts);
    csv_figures(s, l, &f, to);
    energy_csv(l, &f, to);
    csv_real(to, l->host_seconds);
}

static void csv_profiles(const report_launch *l, size_t number,
                         profile_kind kind, FILE *to)
{
    if (!l->group)
        profile_csv(l, NULL, number, kind, to);
    for (size_t i = 0; l->group && i < l->group->count; i++) {
        report_launch one = launch_part(l, i);

        profile_csv(&one, NULL, number, kind, to);
    }
}

void report_csv(const report_run *r, FILE *to)
{
    bool rows = r->options.by_line || r->options.by_instruction;
    bool series = r->options.energy_series;
    profile_kind kind = r->options.by_line ? PROFILE_LINES : PROFILE_INSTS;
    launch_shape shape = {.with = {.stall_count = 0}};

    if (!r->launch_count)
        return;
    for (size_t i = 0; i < r->launch_count && !rows; i++)
        launch_shape_add(&shape, &r->launches[i]);
    if (series) {
        energy_series_csv_head(to);
    } else if (rows) {
        profile_csv_head(kind, to);
    } else {
        fputs("launch,", to);
        launch_csv_head(&shape, to);
        fputc('\n', to);
    }
    for (size_t i = 0; i < r->launch_count; i++) {
        if (series) {
            energy_series_csv(&r->launches[i], NULL, i, to);
            continue;
        }
        if (rows) {
            csv_profiles(&r->launches[i], i, kind, to);
            continue;
        }
        fprintf(to, "%zu,", i);
        launch_csv(&shape, &r->launches[i], to);
        fputc('\n', to);
    }
}
