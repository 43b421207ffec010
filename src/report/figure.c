#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mem/image.h" /* MEM_SECTOR */

static uint64_t sum(const report_launch *l, const char *pattern)
{
    return stats_total_sum(l->stats, l->totals, pattern, NULL);
}

static double ratio(double a, double b) { return b != 0 ? a / b : NAN; }

/* ---- Issue slots ---- */

/* Counters sm[*].stall_NAME name the reasons. */
static void stalls(const report_launch *l, figures *f)
{
    size_t n = stats_total_count(l->stats);

    for (size_t i = 0; i < n && f->stall_count < FIGURE_STALLS_MAX; i++) {
        stats_total_item t = stats_total_get(l->stats, i);

        if (strcmp(t.path, "sm[*]") != 0 || strncmp(t.desc->id, "stall_", 6))
            continue;
        f->stalls[f->stall_count++] =
            (figure_stall){.name = t.desc->id + strlen("stall_"),
                           .help = t.desc->help,
                           .slots = l->totals[i]};
    }
}

static void issue(const report_launch *l, figures *f)
{
    const config *c = l->cfg;
    double cycles = (double)l->cycles;

    f->slots = sum(l, "sm[*].slots");
    f->issued = sum(l, "sm[*].issued");
    stalls(l, f);
    f->ipc = ratio((double)l->warp_insts, cycles);
    f->ipc_sm = f->ipc / c->gpu.sms;
    f->ipc_peak =
        (double)c->gpu.sms * c->sm.issue.schedulers * c->sm.issue.width;
    f->warps = ratio((double)sum(l, "sm[*].warp_cycles"),
                     (double)sum(l, "sm[*].active_cycles"));
    f->occupancy = f->warps / c->sm.warps;
    f->tx = sum(l, "sm[*].tx_loads") + sum(l, "sm[*].tx_stores") +
            sum(l, "sm[*].tx_atomics");
    f->tx_per_inst = ratio((double)f->tx, (double)sum(l, "sm[*].tx_insts"));
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

static void near_levels(const report_launch *l, figures *f)
{
    const config *c = l->cfg;
    double hz = hertz(c, 0);
    figure_level *v;

    level(f, LEVEL_SHARED, "shared", "shared memory", "warp accesses",
          hz * c->gpu.sms * c->sm.shared.banks * c->sm.shared.bank_bytes);
    v = &f->level[LEVEL_SHARED];
    v->accesses = sum(l, "sm[*].mem_shared");
    v->bytes = sum(l, "sm[*].shared_passes") * c->sm.shared.banks *
               c->sm.shared.bank_bytes;
    level(f, LEVEL_L1, "l1", "L1", "requests",
          hz * c->gpu.sms * c->l1.data_bytes);
    v = &f->level[LEVEL_L1];
    uint64_t other = sum(l, "sm[*].ro.*_reads");
    uint64_t sectors = sum(l, "sm[*].tx_ro_sectors");
    v->accesses = f->tx - other;
    v->bytes = MEM_SECTOR * (sum(l, "sm[*].tx_sectors") - sectors);
    uint64_t loads = sum(l, "sm[*].l1.*_reads");
    uint64_t bypass = sum(l, "sm[*].l1.*_read_bypasses");
    v->hit_rate =
        ratio((double)sum(l, "sm[*].l1.*_read_hits"), (double)(loads - bypass));
    if (!c->rocache.sets)
        return;
    level(f, LEVEL_RO, "ro", "texture cache", "requests",
          hz * c->gpu.sms * c->rocache.data_bytes);
    v = &f->level[LEVEL_RO];
    v->accesses = other;
    v->bytes = MEM_SECTOR * sectors;
    v->hit_rate = ratio((double)sum(l, "sm[*].ro.*_read_hits"), (double)other);
}

static void far_levels(const report_launch *l, figures *f)
{
    const config *c = l->cfg;
    double noc = hertz(c, c->noc.clock_khz) * c->gpu.sms;
    figure_level *v;

    level(f, LEVEL_NOC_UP, "noc_up", "crossbar, up", "messages",
          noc * c->noc.request_bytes);
    v = &f->level[LEVEL_NOC_UP];
    v->accesses = sum(l, "noc.sm[*].out_messages");
    v->bytes = sum(l, "noc.sm[*].out_bytes");
    level(f, LEVEL_NOC_DOWN, "noc_down", "crossbar, down", "messages",
          noc * c->noc.reply_bytes);
    v = &f->level[LEVEL_NOC_DOWN];
    v->accesses = sum(l, "noc.sm[*].in_messages");
    v->bytes = sum(l, "noc.sm[*].in_bytes");
    level(f, LEVEL_L2, "l2", "L2", "requests",
          hertz(c, c->l2.clock_khz) * c->l2.slices * c->l2.data_bytes);
    v = &f->level[LEVEL_L2];
    v->accesses = sum(l, "l2[*].reads") + sum(l, "l2[*].writes") +
                  sum(l, "l2[*].atomics");
    v->hit_rate =
        ratio((double)sum(l, "l2[*].read_hits"), (double)sum(l, "l2[*].reads"));
    v->bytes = sum(l, "l2[*].received_bytes") + sum(l, "l2[*].sent_bytes");
    level(f, LEVEL_DRAM, "dram", "DRAM", "accesses",
          hertz(c, c->dram.clock_khz) * c->dram.channels * c->dram.bus_bytes *
              c->dram.data_rate);
    v = &f->level[LEVEL_DRAM];
    v->accesses = sum(l, "dram[*].reads") + sum(l, "dram[*].writes");
    v->bytes = sum(l, "dram[*].read_bytes") + sum(l, "dram[*].write_bytes");
    f->row_hit_rate =
        ratio((double)sum(l, "dram[*].row_hits"), (double)v->accesses);
}

void figures_compute(const report_launch *l, figures *out)
{
    memset(out, 0, sizeof *out);
    out->lanes = ratio((double)l->thread_insts, 32.0 * (double)l->warp_insts);
    if (!l->totals)
        return;
    out->time_s = (double)l->cycles / hertz(l->cfg, 0);
    issue(l, out);
    near_levels(l, out);
    far_levels(l, out);
    energy_compute(l->cfg, l->stats, l->totals, l->cycles, &out->energy);
    for (unsigned i = 0; i < LEVELS; i++)
        out->level[i].bandwidth =
            ratio((double)out->level[i].bytes, out->time_s);
}
