#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mem/image.h" /* MEM_SECTOR */

typedef struct source {
    const stats *stats;
    const uint64_t *values;
} source;

static uint64_t sum(const source *s, const char *pattern)
{
    return stats_sum(s->stats, s->values, pattern, NULL);
}

static double ratio(double a, double b) { return b != 0 ? a / b : NAN; }

/* ---- Issue slots ---- */

typedef struct stall_visit {
    const source *s;
    figures *f;
} stall_visit;

/* Counters sm[0].stall_NAME name the reasons; the sum is over all SMs. */
static void add_stall(void *arg, size_t i)
{
    stall_visit *v = arg;
    stats_item item = stats_get(v->s->stats, i);
    char pattern[96];

    if (v->f->stall_count == FIGURE_STALLS_MAX)
        return;
    snprintf(pattern, sizeof pattern, "sm[*].%s", item.desc->id);
    v->f->stalls[v->f->stall_count++] = (figure_stall){
        .name = item.desc->id + strlen("stall_"),
        .help = item.desc->help,
        .slots = sum(v->s, pattern),
    };
}

static void issue(const report_run *r, const report_launch *l, const source *s,
                  figures *f)
{
    const config *c = r->cfg;
    stall_visit v = {s, f};
    double cycles = (double)l->cycles;

    f->slots = sum(s, "sm[*].slots");
    f->issued = sum(s, "sm[*].issued");
    stats_each(s->stats, "sm[0].stall_*", add_stall, &v);
    f->ipc = ratio((double)l->warp_insts, cycles);
    f->ipc_sm = f->ipc / c->gpu.sms;
    f->ipc_peak =
        (double)c->gpu.sms * c->sm.issue.schedulers * c->sm.issue.width;
    f->warps = ratio((double)sum(s, "sm[*].warp_cycles"),
                     (double)sum(s, "sm[*].active_cycles"));
    f->occupancy = f->warps / c->sm.warps;
    f->tx = sum(s, "sm[*].tx_loads") + sum(s, "sm[*].tx_stores") +
            sum(s, "sm[*].tx_atomics");
    f->tx_per_inst = ratio((double)f->tx, (double)sum(s, "sm[*].tx_insts"));
}

/* ---- Memory ---- */

static double hertz(const config *c, unsigned khz)
{
    return 1e3 * (khz ? khz : c->gpu.clock_khz);
}

static void level(figures *f, unsigned i, const char *id, const char *name,
                  const char *what, double peak)
{
    f->level[i] = (figure_level){
        .id = id, .name = name, .what = what, .hit_rate = NAN, .peak = peak};
}

static void near_levels(const config *c, const source *s, figures *f)
{
    double hz = hertz(c, 0);
    figure_level *v;

    level(f, LEVEL_SHARED, "shared", "shared memory", "warp accesses",
          hz * c->gpu.sms * c->sm.shared.banks * c->sm.shared.bank_bytes);
    v = &f->level[LEVEL_SHARED];
    v->accesses = sum(s, "sm[*].mem_shared");
    v->bytes = sum(s, "sm[*].shared_passes") * c->sm.shared.banks *
               c->sm.shared.bank_bytes;
    level(f, LEVEL_L1, "l1", "L1", "requests",
          hz * c->gpu.sms * c->l1.data_bytes);
    v = &f->level[LEVEL_L1];
    uint64_t other = sum(s, "sm[*].ro.*_reads");
    uint64_t sectors = sum(s, "sm[*].tx_ro_sectors");
    v->accesses = f->tx - other;
    v->bytes = MEM_SECTOR * (sum(s, "sm[*].tx_sectors") - sectors);
    uint64_t loads = sum(s, "sm[*].l1.*_reads");
    uint64_t bypass = sum(s, "sm[*].l1.*_read_bypasses");
    v->hit_rate =
        ratio((double)sum(s, "sm[*].l1.*_read_hits"), (double)(loads - bypass));
    if (!c->rocache.sets)
        return;
    level(f, LEVEL_RO, "ro", "texture cache", "requests",
          hz * c->gpu.sms * c->rocache.data_bytes);
    v = &f->level[LEVEL_RO];
    v->accesses = other;
    v->bytes = MEM_SECTOR * sectors;
    v->hit_rate = ratio((double)sum(s, "sm[*].ro.*_read_hits"), (double)other);
}

static void far_levels(const config *c, const source *s, figures *f)
{
    double noc = hertz(c, c->noc.clock_khz) * c->gpu.sms;
    figure_level *v;

    level(f, LEVEL_NOC_UP, "noc_up", "crossbar, up", "messages",
          noc * c->noc.request_bytes);
    v = &f->level[LEVEL_NOC_UP];
    v->accesses = sum(s, "noc.sm[*].out_messages");
    v->bytes = sum(s, "noc.sm[*].out_bytes");
    level(f, LEVEL_NOC_DOWN, "noc_down", "crossbar, down", "messages",
          noc * c->noc.reply_bytes);
    v = &f->level[LEVEL_NOC_DOWN];
    v->accesses = sum(s, "noc.sm[*].in_messages");
    v->bytes = sum(s, "noc.sm[*].in_bytes");
    level(f, LEVEL_L2, "l2", "L2", "requests",
          hertz(c, c->l2.clock_khz) * c->l2.slices * c->l2.data_bytes);
    v = &f->level[LEVEL_L2];
    v->accesses = sum(s, "l2[*].reads") + sum(s, "l2[*].writes") +
                  sum(s, "l2[*].atomics");
    v->hit_rate =
        ratio((double)sum(s, "l2[*].read_hits"), (double)sum(s, "l2[*].reads"));
    v->bytes = sum(s, "l2[*].received_bytes") + sum(s, "l2[*].sent_bytes");
    level(f, LEVEL_DRAM, "dram", "DRAM", "accesses",
          hertz(c, c->dram.clock_khz) * c->dram.channels * c->dram.bus_bytes *
              c->dram.data_rate);
    v = &f->level[LEVEL_DRAM];
    v->accesses = sum(s, "dram[*].reads") + sum(s, "dram[*].writes");
    v->bytes = sum(s, "dram[*].read_bytes") + sum(s, "dram[*].write_bytes");
    f->row_hit_rate =
        ratio((double)sum(s, "dram[*].row_hits"), (double)v->accesses);
}

void figures_compute(const report_run *r, const report_launch *l, figures *out)
{
    source s = {r->stats, l->counters};

    memset(out, 0, sizeof *out);
    out->lanes = ratio((double)l->thread_insts, 32.0 * (double)l->warp_insts);
    if (!l->counters)
        return;
    out->time_s = (double)l->cycles / hertz(r->cfg, 0);
    issue(r, l, &s, out);
    near_levels(r->cfg, &s, out);
    far_levels(r->cfg, &s, out);
    for (unsigned i = 0; i < LEVELS; i++)
        out->level[i].bandwidth =
            ratio((double)out->level[i].bytes, out->time_s);
}
