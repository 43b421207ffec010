#include "report/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem/image.h" /* MEM_SECTOR */

static uint64_t sum_counters(const report_launch *l, const char *pattern)
{
    return stats_total_sum(l->stats, l->totals, pattern, NULL);
}

static double ratio_or_nan(double a, double b) { return b != 0 ? a / b : NAN; }

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

static void cold(const report_launch *l, figures *f)
{
    uint64_t with_warps = f->slots - sum_counters(l, "sm[*].stall_no_warp");

    f->cold =
        (figure_cold){.code = sum_counters(l, "sm[*].cold_icache"),
                      .constants = sum_counters(l, "sm[*].cold_constant")};
    f->cold.share = ratio_or_nan((double)(f->cold.code + f->cold.constants),
                                 (double)with_warps);
}

static void issue_figures(const report_launch *l, figures *f)
{
    const config *c = l->cfg;
    double cycles = (double)l->cycles;

    f->slots = sum_counters(l, "sm[*].slots");
    f->issued =
        sum_counters(l, "sm[*].issued") + sum_counters(l, "sm[*].followed");
    stalls(l, f);
    cold(l, f);
    f->launching = sum_counters(l, "dispatch.wait_launch");
    /* Instructions are those of all, also where parts are timed only. */
    f->ipc = ratio_or_nan((double)l->warp_insts,
                          l->cycles ? cycles + (double)l->estimated : 0);
    f->ipc_sm = f->ipc / c->gpu.sms;
    f->ipc_peak =
        (double)c->gpu.sms * c->sm.issue.schedulers * c->sm.issue.width;
    f->warps = ratio_or_nan((double)sum_counters(l, "sm[*].warp_cycles"),
                            (double)sum_counters(l, "sm[*].active_cycles"));
    f->occupancy = f->warps / c->sm.warps;
    f->tx = sum_counters(l, "sm[*].tx_loads") +
            sum_counters(l, "sm[*].tx_stores") +
            sum_counters(l, "sm[*].tx_atomics");
    f->tx_insts = sum_counters(l, "sm[*].tx_insts");
    f->tx_per_inst = ratio_or_nan((double)f->tx, (double)f->tx_insts);
}

static void banks(const report_launch *l, figures *f)
{
    uint64_t n = sum_counters(l, "sm[*].mem_shared");
    uint64_t passes = sum_counters(l, "sm[*].shared_passes");
    uint64_t lost = sum_counters(l, "sm[*].shared_conflicts");

    f->banks = (figure_banks){
        .accesses = n,
        .passes = passes,
        .conflicts = lost,
        .passes_each = ratio_or_nan((double)passes, (double)n),
        .conflicts_each = ratio_or_nan((double)lost, (double)n),
        .lost = ratio_or_nan((double)lost, (double)passes),
        .cycles = ratio_or_nan(
            (double)lost,
            n ? (double)sum_counters(l, "sm[*].active_cycles") : 0)};
}

/* ---- Control codes ---- */

static void shares_of(const report_launch *l, const char *hist, double out[4])
{
    uint64_t count[4], all = 0;
    char name[64];

    for (unsigned i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "sm[*].%s_%u", hist, i);
        count[i] = sum_counters(l, name);
        all += count[i];
    }
    for (unsigned i = 0; i < 4; i++)
        out[i] = ratio_or_nan((double)count[i], (double)all);
}

static void dual_figures(const report_launch *l, figures *f)
{
    const config *c = l->cfg;
    double cycles = (double)sum_counters(l, "sm[*].cycles");
    double ports = cycles * c->sm.fetch.ports;
    double banks = cycles * c->sm.issue.schedulers * c->sm.rf.banks;
    uint64_t reads = sum_counters(l, "sm[*].operand_reads");
    uint64_t hits = sum_counters(l, "sm[*].operand_hits");
    figure_dual *d = &f->dual;

    if (!(d->on = c->sm.dual.codes))
        return;
    d->alike = sum_counters(l, "sm[*].pairs_alike");
    d->mixed = sum_counters(l, "sm[*].pairs_mixed");
    d->single = f->issued - d->alike - d->mixed;
    d->decode = ratio_or_nan((double)sum_counters(l, "sm[*].fetches"), ports);
    d->wrong_path =
        ratio_or_nan((double)sum_counters(l, "sm[*].wrong_path"), ports);
    d->shared = ratio_or_nan((double)d->alike, cycles * c->sm.unit.fma.shared);
    d->turns = sum_counters(l, "sm[*].shared_turns");
    d->banks = ratio_or_nan((double)reads, banks);
    d->cached = ratio_or_nan((double)hits, (double)(reads + hits));
    d->bubbles = sum_counters(l, "sm[*].bank_waits");
    shares_of(l, "scheduler", d->scheduler);
    shares_of(l, "phase", d->phase);
}

/* ---- Memory ---- */

static double hertz(const config *c, unsigned khz)
{
    return 1e3 * (khz ? khz : c->gpu.clock_khz);
}

static const struct {
    const char *id, *name, *what;
} levels[LEVELS] = {
    [LEVEL_SHARED] = {"shared", "shared memory", "warp accesses"},
    [LEVEL_L1] = {"l1", "L1", "requests"},
    [LEVEL_RO] = {"ro", "texture cache", "requests"},
    [LEVEL_NOC_UP] = {"noc_up", "crossbar, up", "messages"},
    [LEVEL_NOC_DOWN] = {"noc_down", "crossbar, down", "messages"},
    [LEVEL_L2] = {"l2", "L2", "requests"},
    [LEVEL_DRAM] = {"dram", "DRAM", "accesses"},
};

const char *figure_level_name(unsigned i) { return levels[i].name; }
const char *figure_level_id(unsigned i) { return levels[i].id; }

bool figure_has_level(unsigned i, const config *c)
{
    return i != LEVEL_RO || c->rocache.sets;
}

uint64_t figure_bytes(unsigned i, const config *c,
                      uint64_t (*sum_of)(const void *of, const char *counter),
                      const void *of)
{
    uint64_t ro = sum_of(of, "sm[*].tx_ro_sectors");

    switch (i) {
    case LEVEL_SHARED:
        return sum_of(of, "sm[*].shared_passes") * c->sm.shared.banks *
               c->sm.shared.bank_bytes;
    case LEVEL_L1:
        return MEM_SECTOR * (sum_of(of, "sm[*].tx_sectors") - ro);
    case LEVEL_RO:
        return MEM_SECTOR * ro;
    case LEVEL_NOC_UP:
        return sum_of(of, "noc.sm[*].out_bytes");
    case LEVEL_NOC_DOWN:
        return sum_of(of, "noc.sm[*].in_bytes");
    case LEVEL_L2:
        return sum_of(of, "l2[*].received_bytes") +
               sum_of(of, "l2[*].sent_bytes");
    default:
        return sum_of(of, "dram[*].read_bytes") +
               sum_of(of, "dram[*].write_bytes");
    }
}

static uint64_t sum_of_launch(const void *of, const char *counter)
{
    return sum_counters(of, counter);
}

static figure_level *level_figures(const report_launch *l, figures *f,
                                   unsigned i, double peak)
{
    f->level[i] =
        (figure_level){.id = levels[i].id,
                       .name = levels[i].name,
                       .what = levels[i].what,
                       .hit_rate = NAN,
                       .bytes = figure_bytes(i, l->cfg, sum_of_launch, l),
                       .peak = peak};
    return &f->level[i];
}

static void near_levels(const report_launch *l, figures *f)
{
    const config *c = l->cfg;
    double hz = hertz(c, 0);
    figure_level *v;

    v = level_figures(l, f, LEVEL_SHARED,
                      hz * c->gpu.sms * c->sm.shared.banks *
                          c->sm.shared.bank_bytes);
    v->accesses = f->banks.accesses;
    v = level_figures(l, f, LEVEL_L1, hz * c->gpu.sms * c->l1.data_bytes);
    uint64_t other = sum_counters(l, "sm[*].ro.*_reads");
    v->accesses = f->tx - other;
    uint64_t loads = sum_counters(l, "sm[*].l1.*_reads");
    uint64_t bypass = sum_counters(l, "sm[*].l1.*_read_bypasses");
    v->hit_rate = ratio_or_nan((double)sum_counters(l, "sm[*].l1.*_read_hits"),
                               (double)(loads - bypass));
    if (!figure_has_level(LEVEL_RO, c))
        return;
    v = level_figures(l, f, LEVEL_RO, hz * c->gpu.sms * c->rocache.data_bytes);
    v->accesses = other;
    v->hit_rate = ratio_or_nan((double)sum_counters(l, "sm[*].ro.*_read_hits"),
                               (double)other);
}

static void far_levels(const report_launch *l, figures *f)
{
    const config *c = l->cfg;
    double noc = hertz(c, c->noc.clock_khz) * c->gpu.sms;
    figure_level *v;

    v = level_figures(l, f, LEVEL_NOC_UP, noc * c->noc.request_bytes);
    v->accesses = sum_counters(l, "noc.sm[*].out_messages");
    v = level_figures(l, f, LEVEL_NOC_DOWN, noc * c->noc.reply_bytes);
    v->accesses = sum_counters(l, "noc.sm[*].in_messages");
    v = level_figures(l, f, LEVEL_L2,
                      hertz(c, c->l2.clock_khz) * c->l2.slices *
                          c->l2.data_bytes);
    v->accesses = sum_counters(l, "l2[*].reads") +
                  sum_counters(l, "l2[*].writes") +
                  sum_counters(l, "l2[*].atomics");
    v->hit_rate = ratio_or_nan((double)sum_counters(l, "l2[*].read_hits"),
                               (double)sum_counters(l, "l2[*].reads"));
    v = level_figures(l, f, LEVEL_DRAM,
                      hertz(c, c->dram.clock_khz) * c->dram.channels *
                          c->dram.bus_bytes * c->dram.data_rate);
    v->accesses =
        sum_counters(l, "dram[*].reads") + sum_counters(l, "dram[*].writes");
    f->row_hit_rate = ratio_or_nan((double)sum_counters(l, "dram[*].row_hits"),
                                   (double)v->accesses);
}

void figures_compute(const report_launch *l, figures *out)
{
    memset(out, 0, sizeof *out);
    out->lanes =
        ratio_or_nan((double)l->thread_insts, 32.0 * (double)l->warp_insts);
    if (!l->totals)
        return;
    out->time_s = (double)l->cycles / hertz(l->cfg, 0);
    issue_figures(l, out);
    dual_figures(l, out);
    banks(l, out);
    near_levels(l, out);
    far_levels(l, out);
    energy_compute(l->cfg, l->stats, l->totals, l->cycles, &out->energy);
    for (unsigned i = 0; i < LEVELS; i++)
        out->level[i].bandwidth =
            ratio_or_nan((double)out->level[i].bytes, out->time_s);
}
