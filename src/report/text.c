/* The report for people. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "report/bound.h"
#include "report/endless.h"
#include "report/energy.h"
#include "report/hist.h"
#include "report/launch.h"
#include "report/profile.h"
#include "report/record.h"
#include "report/sampled.h"
#include "report/stray.h"
#include "report/windows.h"
#include "text/word.h"

enum {
    SHARE_ROW = 3, /* stalls printed side by side */
    WIDE = 100,    /* columns of a report that is not narrow */
};

static bool is_narrow(const report_options *o)
{
    return o->width && o->width < WIDE;
}

const char *report_status(status st)
{
    static const char *const names[] = {
        [ST_OK] = "ok",
        [ST_MISMATCH] = "mismatch",
        [ST_USAGE] = "usage",
        [ST_CONFIG] = "config",
        [ST_PROGRAM] = "program",
        [ST_FAULT] = "fault",
        [ST_HANG] = "hang",
        [ST_LIMIT] = "limit",
        [ST_NOMEM] = "memory",
        [ST_IO] = "io",
        [ST_INPUT] = "input",
        [ST_INTERNAL] = "internal",
        [ST_INTERRUPTED] = "interrupted",
    };

    return names[st];
}

const char *report_launch_status(const report_launch *l)
{
    return l->unfinished ? "unfinished" : report_status(l->status);
}

static void print_size(const char *what, const uint32_t v[3], FILE *to)
{
    if (v[0])
        fprintf(to, "%s %ux%ux%u", what, v[0], v[1], v[2]);
    else
        fprintf(to, "%ss of several sizes", what);
}

/* Of a group what all its launches have in common. */
static void print_sizes(const report_launch *l, FILE *to)
{
    const report_group *g = l->group;
    uint32_t grid[3], block[3];

    memcpy(grid, g ? g->part[0].grid : l->grid, sizeof grid);
    memcpy(block, g ? g->part[0].block : l->block, sizeof block);
    for (size_t i = 1; g && i < g->count; i++) {
        if (memcmp(grid, g->part[i].grid, sizeof grid) != 0)
            grid[0] = 0;
        if (memcmp(block, g->part[i].block, sizeof block) != 0)
            block[0] = 0;
    }
    print_size("grid", grid, to);
    fputs(", ", to);
    print_size("block", block, to);
}

static void print_title(const report_launch *l, const char *note, unsigned warm,
                        FILE *to)
{
    const config *c = l->cfg;

    fprintf(to, "%s on %s, %u SM%s at %.0f MHz", l->kernel->name, c->gpu.name,
            c->gpu.sms, word_plural(c->gpu.sms), c->gpu.clock_khz / 1e3);
    if (note)
        fprintf(to, "  (%s)", note);
    fputs("\n  ", to);
    print_sizes(l, to);
    fprintf(to, "; %s%u register%s",
            isa_kernel_is_sass(l->kernel) ? "machine code, " : "",
            isa_kernel_begins_with(l->kernel),
            word_plural(isa_kernel_begins_with(l->kernel)));
    fprintf(to, ", %u B shared", l->kernel->shared_bytes + l->shared_bytes);
    if (l->kernel->local_bytes)
        fprintf(to, ", %u B local (%u B spilled)", l->kernel->local_bytes,
                l->kernel->spill_bytes);
    if (warm && l->totals)
        fprintf(to, "\n  timed warm, after %u run%s that %s not count", warm,
                word_plural(warm), warm == 1 ? "does" : "do");
    fputs("\n\n", to);
}

/* What is above is of the parts of it that were timed. */
static void print_estimate(const report_launch *l, const figures *f, FILE *to)
{
    kernel_guess g = {.launches = 0};

    kernel_guess_add(&g, l);
    fprintf(to, "  sampled: %s; all of it: ",
            l->totals ? "timed in parts" : "not timed");
    sampled_text(l->cycles, l->totals ? f->time_s : 0, &g, to);
    fputc('\n', to);
}

static void print_head(const report_launch *l, const figures *f, bool narrow,
                       FILE *to)
{
    uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    record_values v;

    v = record_of(l, f);
    if (!l->functional)
        record_text(&v, RECORD_GROUPS(RECORD_CYCLES, RECORD_TIME), to);
    if (l->estimated)
        print_estimate(l, f, to);
    record_text(&v, RECORD_GROUPS(RECORD_WORK, RECORD_CTAS), to);
    if (l->ctas < ctas)
        fprintf(to, "  (%s of %s CTAs: the launch did not end)\n",
                word_grouped(l->ctas).s, word_grouped(ctas).s);
    spin_text(&l->spins, "  ", to);
    if (l->functional)
        return;
    record_text(&v, RECORD_GROUPS(RECORD_RATE), to);
    fprintf(to, "  %-22s %15s    %s of %u warps", "occupancy",
            word_percent(f->occupancy).s, word_real(f->warps, 1).s,
            l->cfg->sm.warps);
    if (l->ctas_per_sm)
        fprintf(to, ";%s%*slimit: %u CTA%s by %s", narrow ? "\n" : "",
                narrow ? 44 : 1, "", l->ctas_per_sm,
                word_plural(l->ctas_per_sm), l->limiter);
    fputc('\n', to);
}

report_launch launch_part(const report_launch *l, size_t i)
{
    const report_part *p = &l->group->part[i];
    report_launch one = *l;

    one.group = NULL;
    one.outcome = p->outcome;
    one.start += l->start;
    one.unfinished = false;
    one.kernel = p->kernel;
    one.shared_bytes = p->shared_bytes;
    one.profile = p->profile;
    if (p->source) {
        one.source = p->source;
        one.sources = p->texts;
    }
    memcpy(one.grid, p->grid, sizeof one.grid);
    memcpy(one.block, p->block, sizeof one.block);
    return one;
}

/* Launches of a group, in the order in which they ended. */
static void print_parts(const report_launch *l, bool narrow, FILE *to)
{
    enum { SHOWN = 40 };
    size_t n = l->group->count, shown = n > SHOWN ? SHOWN : n;
    int name = narrow ? 16 : 20, at = narrow ? 13 : 16;

    fprintf(to, "  %-*s %-*s %*s %*s %*s %*s\n", name + 2, "in flight together",
            narrow ? 6 : 10, "stream", at, "from cycle", at, "to cycle",
            narrow ? 9 : 12, "CTAs", at, "warp insts");
    for (size_t i = 0; i < shown; i++) {
        const report_part *p = &l->group->part[i];

        fprintf(to, "    %-*.*s %-*.*s %*s %*s %*s %*s\n", name, name,
                p->kernel->name, narrow ? 6 : 10, narrow ? 6 : 10, p->stream,
                at, l->functional ? "-" : word_grouped(p->start).s, at,
                l->functional ? "-" : word_grouped(p->start + p->cycles).s,
                narrow ? 9 : 12, word_grouped(p->ctas).s, at,
                word_grouped(p->warp_insts).s);
        if (p->status != ST_OK)
            fprintf(to, "      (did not end: %s)\n", report_status(p->status));
    }
    if (shown < n)
        fprintf(to, "    (%s more, which --format json tells)\n",
                word_grouped(n - shown).s);
    fputc('\n', to);
}

static void print_profiles(const report_options *o, const report_launch *l,
                           FILE *to)
{
    if (o->by_line && l->profile)
        profile_text(o, l, PROFILE_LINES, to);
    if (o->by_instruction && l->profile)
        profile_text(o, l, PROFILE_INSTS, to);
}

static void print_part_profiles(const report_options *o, const report_launch *l,
                                FILE *to)
{
    for (size_t i = 0; i < l->group->count; i++) {
        report_launch one = launch_part(l, i);

        if (one.profile)
            fprintf(to, "\n  %s, stream %s\n", one.kernel->name,
                    l->group->part[i].stream);
        print_profiles(o, &one, to);
    }
}

static int by_slots(const void *a, const void *b)
{
    uint64_t x = ((const figure_stall *)a)->slots,
             y = ((const figure_stall *)b)->slots;

    return x < y ? 1 : x > y ? -1 : 0;
}

/* Largest first; stalls that did not happen are left out. */
static void print_slots(figures *f, FILE *to)
{
    uint64_t shown = f->issued;
    unsigned n = 0;

    qsort(f->stalls, f->stall_count, sizeof *f->stalls, by_slots);

    fprintf(to, "\n  issue slots   %18s = 100 %%\n", word_grouped(f->slots).s);
    fprintf(to, "    %-13s %8s", "issued",
            word_percent(word_share(f->issued, f->slots)).s);
    for (unsigned i = 0; i < f->stall_count; i++) {
        if (!f->stalls[i].slots)
            continue;
        if (++n % SHARE_ROW == 0)
            fputc('\n', to);
        fprintf(to, "    %-13s %8s", f->stalls[i].name,
                word_percent(word_share(f->stalls[i].slots, f->slots)).s);
        shown += f->stalls[i].slots;
    }
    fputc('\n', to);
    if (shown != f->slots)
        fprintf(to, "    (these do not add up to %s: a bug)\n",
                word_grouped(f->slots).s);
}

/* Where it is much of the cycles. */
static void print_launching(const report_launch *l, const figures *f, FILE *to)
{
    double share = word_share(f->launching, l->cycles);

    if (share >= FIGURE_LAUNCH_SHOWN)
        fprintf(to,
                "    launch: %s of the cycles, without a warp on any SM, pass "
                "before the\n      first CTA (gpu.launch_latency)\n",
                word_percent(share).s);
}

/* Where it is much of what SMs with warps did. */
static void print_cold(const report_options *o, const figure_cold *c, FILE *to)
{
    if (!(c->share >= FIGURE_COLD_SHOWN))
        return;
    fprintf(to,
            "    cold start: %s of the slots, but for no_warp, wait for code "
            "or constants\n      that an SM needs for the first time%s\n",
            word_percent(c->share).s,
            o->warm ? "" : "; --warm 1 times the launch without");
}

static void print_four(const char *name, const double share[4], FILE *to)
{
    fprintf(to, "    %-22s", name);
    for (unsigned i = 0; i < 4; i++)
        fprintf(to, " %8s", word_percent(share[i]).s);
    fputc('\n', to);
}

/* Issue by control codes: of slots, ports, banks. */
static void print_dual(const figures *f, FILE *to)
{
    const figure_dual *d = &f->dual;

    fprintf(to, "\n  control codes\n    %-13s %8s    %-13s %8s    %-13s %8s\n",
            "single", word_percent(word_share(d->single, f->slots)).s,
            "pairs, cores", word_percent(word_share(d->alike, f->slots)).s,
            "pairs, others", word_percent(word_share(d->mixed, f->slots)).s);
    fprintf(to, "    %-13s %8s    %-13s %8s    %-13s %8s\n", "decoding",
            word_percent(d->decode).s, "wrong path",
            word_percent(d->wrong_path).s, "shared cores",
            word_percent(d->shared).s);
    fprintf(to, "    %-13s %8s    %-13s %8s\n", "bank reads",
            word_percent(d->banks).s, "cached", word_percent(d->cached).s);
    fprintf(to,
            "    operands late by %s cycles; shared cores changed hands %s "
            "times\n",
            word_grouped(d->bubbles).s, word_grouped(d->turns).s);
    print_four("by scheduler", d->scheduler, to);
    if (!isnan(d->phase[0]))
        print_four("groups apart by 0 to 3", d->phase, to);
}

/* "3.88 passes per shared access; bank conflicts: 2.88 of them, 74.2 % of the
 * passes, 23.1 % of the cycles of SMs with warps" */
static void print_banks(const figure_banks *b, FILE *to)
{
    fprintf(to, "    %.2f pass%s per shared access; ", b->passes_each,
            b->passes_each == 1 ? "" : "es");
    if (!b->conflicts) {
        fputs("no bank conflicts\n", to);
        return;
    }
    fprintf(to, "bank conflicts: %.2f of them,\n      %s of the passes,",
            b->conflicts_each, word_percent(b->lost).s);
    fprintf(to, " %s of the cycles of SMs that had warps\n",
            word_percent(b->cycles).s);
}

static void print_memory(const figures *f, bool narrow, FILE *to)
{
    int what = narrow ? 0 : 16; /* columns of it, and two blanks before */

    fprintf(to, "\n  %-16s %15s%*s %8s %11s %13s %8s\n", "memory",
            narrow ? "accesses" : "", what, "", "hit rate", "moved",
            "bandwidth", "of peak");
    for (unsigned i = 0; i < LEVELS; i++) {
        const figure_level *v = &f->level[i];

        if (!v->id)
            continue;
        fprintf(to, "    %-14s %15s", v->name, word_grouped(v->accesses).s);
        if (!narrow)
            fprintf(to, "  %-*s", what - 2, v->what);
        fprintf(to, " %8s %11s %13s %8s\n", word_percent(v->hit_rate).s,
                word_bytes((double)v->bytes).s, word_per_second(v->bandwidth).s,
                word_percent(v->bandwidth / v->peak).s);
    }
    fprintf(to,
            "    %.2f transactions per global or local access; "
            "DRAM row hits %s\n",
            isnan(f->tx_per_inst) ? 0 : f->tx_per_inst,
            word_percent(f->row_hit_rate).s);
    if (f->banks.accesses)
        print_banks(&f->banks, to);
}

static void print_checks(const report_run *r, FILE *to)
{
    for (size_t i = 0; i < r->check_count; i++) {
        const report_check *c = &r->checks[i];

        fprintf(to, "check: %s %s in %s elements", c->buffer,
                c->differ ? "DIFFERS" : "as expected",
                word_grouped(c->count).s);
        if (c->differ)
            fprintf(to, ", %s of them wrong", word_grouped(c->differ).s);
        if (c->worst > 0)
            fprintf(to, " (largest difference %.3g)", c->worst);
        fputc('\n', to);
    }
}

static void print_total(const report_run *r, uint64_t cycles, uint64_t insts,
                        FILE *to)
{
    kernel_guess g = {.launches = 0};
    double time_s = 0;
    size_t launches = 0;

    for (size_t i = 0; i < r->launch_count; i++)
        launches += r->launches[i].group ? r->launches[i].group->count : 1;
    fprintf(to, "total: %s launches", word_grouped(launches).s);
    if (launches > r->launch_count)
        fprintf(to, " in %s group%s", word_grouped(r->launch_count).s,
                word_plural(r->launch_count));
    fprintf(to, ", %s cycles, %s warp instructions\n", word_grouped(cycles).s,
            word_grouped(insts).s);
    for (size_t i = 0; i < r->launch_count; i++) {
        kernel_guess_add(&g, &r->launches[i]);
        time_s += (double)r->launches[i].cycles;
    }
    if (!g.in_parts)
        return;
    fprintf(to, "sampled: %s launch%s timed in parts; all: ",
            word_grouped(g.in_parts).s, g.in_parts == 1 ? "" : "es");
    sampled_text(cycles, time_s / (1e3 * (double)r->cfg->gpu.clock_khz), &g,
                 to);
    fputc('\n', to);
}

/* The rate by the clock and, which other programs hardly change, by CPU. */
static void print_host(const report_run *r, double spent, double insts,
                       FILE *to)
{
    double cpu = r->cpu_seconds;

    fprintf(to,
            "host: %.3g s, %swarp instructions/s, %u thread%s, %s peak "
            "memory\n",
            spent, word_count(spent > 0 ? insts / spent : 0).s, r->threads,
            word_plural(r->threads), word_bytes((double)r->max_rss_bytes).s);
    fprintf(to, "CPU:  %.3g s, %swarp instructions/s\n", cpu,
            word_count(cpu > 0 ? insts / cpu : 0).s);
    windows_text(r->windows, to);
}

static void print_end(const report_run *r, FILE *to)
{
    exec_strays strays = stray_sum(r->launches, r->launch_count);
    double spent = 0;
    uint64_t insts = 0, cycles = 0;

    for (size_t i = 0; i < r->launch_count; i++) {
        spent += r->launches[i].host_seconds;
        insts += r->launches[i].warp_insts;
        cycles += r->launches[i].cycles;
    }
    if (r->launch_count > 1)
        print_total(r, cycles, insts, to);
    print_checks(r, to);
    stray_text(&strays, to);
    exec_strays_fini(&strays);
    print_host(r, spent, (double)insts, to);
    if (r->has_hash)
        fprintf(to, "hash: %016" PRIx64 "\n", r->hash);
    if (r->status != ST_OK)
        fprintf(to, "status: %s%s\n", report_status(r->status),
                r->status == ST_INTERRUPTED ? "; the figures are partial" : "");
}

void launch_text(const report_options *o, const report_launch *l,
                 const char *note, FILE *to)
{
    bool narrow = is_narrow(o);
    figures f;
    bounds b;

    figures_compute(l, &f);
    print_title(l, note, o->warm, to);
    if (l->group)
        print_parts(l, narrow, to);
    print_head(l, &f, narrow, to);
    if (l->totals) {
        print_slots(&f, to);
        print_launching(l, &f, to);
        print_cold(o, &f.cold, to);
        bounds_compute(l, &f, &b);
        bounds_text(&b, to);
        if (f.dual.on)
            print_dual(&f, to);
        print_memory(&f, narrow, to);
        hist_text(l, narrow, to);
        energy_text(l, &f, narrow, to);
    }
    if (l->group)
        print_part_profiles(o, l, to);
    else
        print_profiles(o, l, to);
    fputc('\n', to);
}

void report_text(const report_run *r, FILE *to)
{
    for (size_t i = 0; i < r->launch_count; i++) {
        char note[64];

        snprintf(note, sizeof note, "%s %zu of %zu",
                 r->launches[i].group ? "group" : "launch", i + 1,
                 r->launch_count);
        launch_text(&r->options, &r->launches[i],
                    r->launch_count > 1 ? note : NULL, to);
    }
    print_end(r, to);
}
