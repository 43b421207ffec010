/* The report for programs: JSON and CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "config/print.h"
#include "report/figure.h"
#include "report/json.h"
#include "report/profile.h"

static void write_triple(json *j, const char *key, const uint32_t v[3])
{
    json_open(j, key, '[');
    for (unsigned i = 0; i < 3; i++)
        json_u64(j, NULL, v[i]);
    json_close(j, '[');
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
    json_real(j, "transactions_per_access", f->tx_per_inst);
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

/* "sm[3].l1" as "sm[*].l1". */
static void pattern_of(const char *path, char *out, size_t room)
{
    size_t n = 0;

    for (; *path && n + 2 < room; path++) {
        out[n++] = *path;
        if (*path == '[') {
            out[n++] = '*';
            while (path[1] && path[1] != ']')
                path++;
        }
    }
    out[n] = 0;
}

/* Sums over all instances of a block, under the path with '*'. */
static void write_sums(json *j, const report_run *r, const uint64_t *values)
{
    size_t blocks = stats_block_count(r->stats);
    char(*seen)[64] = calloc(blocks + 1, sizeof *seen);
    size_t count = 0;

    MUST(seen != NULL);
    for (size_t i = 0; i < blocks; i++) {
        stats_block_item b = stats_block_get(r->stats, i);
        char path[64];
        size_t k = 0;

        pattern_of(b.path, path, sizeof path);
        while (k < count && strcmp(seen[k], path) != 0)
            k++;
        if (k < count)
            continue;
        memcpy(seen[count++], path, sizeof path);
        for (size_t c = 0; c < b.count; c++) {
            char name[128];

            snprintf(name, sizeof name, "%s.%s", path, b.desc[c].id);
            json_u64(j, name, stats_sum(r->stats, values, name, NULL));
        }
    }
    free(seen);
}

static void write_all(json *j, const report_run *r, const uint64_t *values)
{
    for (size_t i = 0; i < stats_count(r->stats); i++) {
        stats_item item = stats_get(r->stats, i);
        char name[160];

        snprintf(name, sizeof name, "%s.%s", item.path, item.desc->id);
        json_u64(j, name, values[i]);
    }
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

static void write_launch(json *j, const report_run *r, const report_launch *l)
{
    figures f;

    figures_compute(r, l, &f);
    json_open(j, NULL, '{');
    json_text(j, "kernel", l->kernel->name);
    json_text(j, "status", report_status(l->status));
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
    if (l->counters) {
        json_u64(j, "start_cycle", l->start);
        json_u64(j, "cycles", l->cycles);
        write_figures(j, &f);
        json_open(j, "counters", '{');
        if (r->per_block)
            write_all(j, r, l->counters);
        else
            write_sums(j, r, l->counters);
        json_close(j, '{');
    }
    if (r->by_line)
        profile_json(j, r, l, PROFILE_LINES);
    if (r->by_instruction)
        profile_json(j, r, l, PROFILE_INSTS);
    json_close(j, '{');
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
    json j = json_start(to);
    char text[32];
    uint64_t insts = 0;
    double spent = 0;

    json_open(&j, NULL, '{');
    json_text(&j, "heddle", HEDDLE_VERSION);
    json_text(&j, "status", report_status(r->status));
    json_text(&j, "program", r->program);
    json_text(&j, "gpu", r->cfg->gpu.name);
    snprintf(text, sizeof text, "%016" PRIx64, config_hash(r->cfg));
    json_text(&j, "config_hash", text);
    json_bool(&j, "functional", r->functional);
    json_open(&j, "launches", '[');
    for (size_t i = 0; i < r->launch_count; i++) {
        write_launch(&j, r, &r->launches[i]);
        insts += r->launches[i].warp_insts;
        spent += r->launches[i].host_seconds;
    }
    json_close(&j, '[');
    write_checks(&j, r);
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
    json_close(&j, '{');
    json_end(&j);
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

static void csv_header(const figures *f, FILE *to)
{
    fputs("launch,kernel,status,gpu,grid_x,grid_y,grid_z,block_x,block_y,"
          "block_z,registers,shared_bytes,spill_bytes,ctas,cycles,warp_insts,"
          "thread_insts,time_s,ipc,occupancy,slots,issued",
          to);
    for (unsigned i = 0; i < f->stall_count; i++)
        fprintf(to, ",stall_%s", f->stalls[i].name);
    for (unsigned i = 0; i < LEVELS; i++)
        if (f->level[i].id)
            fprintf(to, ",%s_accesses,%s_hit_rate,%s_bytes", f->level[i].id,
                    f->level[i].id, f->level[i].id);
    fputs(",host_s\n", to);
}

static void csv_launch(const report_run *r, size_t i, const figures *f,
                       FILE *to)
{
    const report_launch *l = &r->launches[i];

    fprintf(to, "%zu,", i);
    report_csv_text(to, l->kernel->name);
    fprintf(to, ",%s,", report_status(l->status));
    report_csv_text(to, r->cfg->gpu.name);
    fprintf(to, ",%u,%u,%u,%u,%u,%u,%u,%u,%u", l->grid[0], l->grid[1],
            l->grid[2], l->block[0], l->block[1], l->block[2],
            l->kernel->registers, l->kernel->shared_bytes + l->shared_bytes,
            l->kernel->spill_bytes);
    fprintf(to, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, l->ctas,
            l->cycles, l->warp_insts, l->thread_insts);
    csv_real(to, f->time_s);
    csv_real(to, f->ipc);
    csv_real(to, f->occupancy);
    fprintf(to, ",%" PRIu64 ",%" PRIu64, f->slots, f->issued);
    for (unsigned k = 0; k < f->stall_count; k++)
        fprintf(to, ",%" PRIu64, f->stalls[k].slots);
    for (unsigned k = 0; k < LEVELS; k++) {
        if (!f->level[k].id)
            continue;
        fprintf(to, ",%" PRIu64, f->level[k].accesses);
        csv_real(to, f->level[k].hit_rate);
        fprintf(to, ",%" PRIu64, f->level[k].bytes);
    }
    csv_real(to, l->host_seconds);
    fputc('\n', to);
}

void report_csv(const report_run *r, FILE *to)
{
    figures f;

    for (size_t i = 0; i < r->launch_count; i++) {
        if (r->by_line || r->by_instruction) {
            profile_csv(r, i, r->by_line ? PROFILE_LINES : PROFILE_INSTS, to);
            continue;
        }
        figures_compute(r, &r->launches[i], &f);
        if (!i)
            csv_header(&f, to);
        csv_launch(r, i, &f, to);
    }
}
