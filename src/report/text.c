/* The report for people: at most 100 columns. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "report/figure.h"

enum { SHARE_ROW = 3 }; /* stalls printed side by side */

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
        [ST_INTERNAL] = "internal",
        [ST_INTERRUPTED] = "interrupted",
    };

    return names[st];
}

/* A short text, returned by value: it lives until the end of the statement. */
typedef struct word {
    char s[32];
} word;

/* 1234567 as 1,234,567. */
static word grouped(uint64_t v)
{
    char digits[24];
    word w;
    int n = snprintf(digits, sizeof digits, "%" PRIu64, v), k = 0;

    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            w.s[k++] = ',';
        w.s[k++] = digits[i];
    }
    w.s[k] = 0;
    return w;
}

/* A number of bytes, seconds, ... with a prefix: "12.3 G". */
static word scaled(double v, const char *const *units, unsigned count)
{
    word w = {"-"};
    unsigned u = 0;

    if (isnan(v))
        return w;
    while (u + 1 < count && v >= 999.5) {
        v /= 1000;
        u++;
    }
    snprintf(w.s, sizeof w.s, v >= 99.95 || u + v == 0 ? "%.0f %s" : "%.3g %s",
             v, units[u]);
    return w;
}

static word bytes(double v)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};

    return scaled(v, units, COUNTOF(units));
}

static word per_second(double v)
{
    static const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};

    return scaled(v, units, COUNTOF(units));
}

/* With a blank behind it, or behind the prefix: "12 ", "1.2 M ". */
static word count(double v)
{
    static const char *const units[] = {"", "k ", "M ", "G "};

    return scaled(v, units, COUNTOF(units));
}

static word duration(double s)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};

    return scaled(s * 1e9, units, COUNTOF(units));
}

static word percent(double share)
{
    word w = {"-"};

    if (share > 0 && share < 0.0005)
        snprintf(w.s, sizeof w.s, "< 0.1 %%");
    else if (!isnan(share))
        snprintf(w.s, sizeof w.s, "%.1f %%", 100 * share);
    return w;
}

static word real(double v, int digits)
{
    word w = {"-"};

    if (!isnan(v))
        snprintf(w.s, sizeof w.s, "%.*f", digits, v);
    return w;
}

/* "1 SM", "80 SMs" */
static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

static double share(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : NAN;
}

static void print_title(const report_run *r, size_t i, FILE *to)
{
    const report_launch *l = &r->launches[i];

    fprintf(to, "%s on %s, %u SM%s at %.0f MHz", l->kernel->name,
            r->cfg->gpu.name, r->cfg->gpu.sms, plural(r->cfg->gpu.sms),
            r->cfg->gpu.clock_khz / 1e3);
    if (r->launch_count > 1)
        fprintf(to, "  (launch %zu of %zu)", i + 1, r->launch_count);
    fprintf(to, "\n  grid %ux%ux%u, block %ux%ux%u; %u register%s", l->grid[0],
            l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
            l->kernel->registers, plural(l->kernel->registers));
    fprintf(to, ", %u B shared", l->kernel->shared_bytes + l->shared_bytes);
    if (l->kernel->local_bytes)
        fprintf(to, ", %u B local (%u B spilled)", l->kernel->local_bytes,
                l->kernel->spill_bytes);
    fputs("\n\n", to);
}

static void print_head(const report_run *r, const report_launch *l,
                       const figures *f, FILE *to)
{
    uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];

    if (!r->functional)
        fprintf(to, "  %-22s %15s    %-20s %15s\n", "cycles",
                grouped(l->cycles).s, "simulated time", duration(f->time_s).s);
    fprintf(to, "  %-22s %15s    %-20s %15s\n", "warp instructions",
            grouped(l->warp_insts).s, "thread instructions",
            grouped(l->thread_insts).s);
    fprintf(to, "  %-22s %15s    %-20s %15s\n", "lanes used",
            percent(f->lanes).s, "CTAs", grouped(l->ctas).s);
    if (l->ctas < ctas)
        fprintf(to, "  (%s of %s CTAs: the launch did not end)\n",
                grouped(l->ctas).s, grouped(ctas).s);
    if (r->functional)
        return;
    fprintf(to, "  %-22s %15s    %-20s %15s\n", "IPC (chip)", real(f->ipc, 2).s,
            "IPC of each SM", real(f->ipc_sm, 3).s);
    fprintf(to, "  %-22s %15s    %s of %u warps; limit: %u CTA%s by %s\n",
            "occupancy", percent(f->occupancy).s, real(f->warps, 1).s,
            r->cfg->sm.warps, l->ctas_per_sm, plural(l->ctas_per_sm),
            l->limiter);
}

static int larger(const void *a, const void *b)
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

    qsort(f->stalls, f->stall_count, sizeof *f->stalls, larger);

    fprintf(to, "\n  issue slots   %18s = 100 %%\n", grouped(f->slots).s);
    fprintf(to, "    %-14s %8s", "issued",
            percent(share(f->issued, f->slots)).s);
    for (unsigned i = 0; i < f->stall_count; i++) {
        if (!f->stalls[i].slots)
            continue;
        if (++n % SHARE_ROW == 0)
            fputc('\n', to);
        fprintf(to, "    %-14s %8s", f->stalls[i].name,
                percent(share(f->stalls[i].slots, f->slots)).s);
        shown += f->stalls[i].slots;
    }
    fputc('\n', to);
    if (shown != f->slots)
        fprintf(to, "    (these do not add up to %s: a bug)\n",
                grouped(f->slots).s);
}

static void print_memory(const figures *f, FILE *to)
{
    fprintf(to, "\n  %-16s %15s  %-14s %8s %11s %13s %8s\n", "memory", "", "",
            "hit rate", "moved", "bandwidth", "of peak");
    for (unsigned i = 0; i < LEVELS; i++) {
        const figure_level *v = &f->level[i];
        fprintf(to, "    %-14s %15s  %-14s %8s %11s %13s %8s\n", v->name,
                grouped(v->accesses).s, v->what, percent(v->hit_rate).s,
                bytes((double)v->bytes).s, per_second(v->bandwidth).s,
                percent(v->bandwidth / v->peak).s);
    }
    fprintf(to,
            "    %.2f transactions per global or local access; "
            "DRAM row hits %s\n",
            isnan(f->tx_per_inst) ? 0 : f->tx_per_inst,
            percent(f->row_hit_rate).s);
}

static void print_checks(const report_run *r, FILE *to)
{
    for (size_t i = 0; i < r->check_count; i++) {
        const report_check *c = &r->checks[i];

        fprintf(to, "check: %s %s in %s elements", c->buffer,
                c->differ ? "DIFFERS" : "as expected", grouped(c->count).s);
        if (c->differ)
            fprintf(to, ", %s of them wrong", grouped(c->differ).s);
        if (c->worst > 0)
            fprintf(to, " (largest difference %.3g)", c->worst);
        fputc('\n', to);
    }
}

static void print_end(const report_run *r, FILE *to)
{
    double spent = 0;
    uint64_t insts = 0, cycles = 0;

    for (size_t i = 0; i < r->launch_count; i++) {
        spent += r->launches[i].host_seconds;
        insts += r->launches[i].warp_insts;
        cycles += r->launches[i].cycles;
    }
    if (r->launch_count > 1)
        fprintf(to, "total: %s launches, %s cycles, %s warp instructions\n",
                grouped(r->launch_count).s, grouped(cycles).s,
                grouped(insts).s);
    print_checks(r, to);
    fprintf(to,
            "host: %.3g s, %swarp instructions/s, %u thread%s, %s peak "
            "memory\n",
            spent, count(spent > 0 ? (double)insts / spent : 0).s, r->threads,
            plural(r->threads), bytes((double)r->max_rss_bytes).s);
    if (r->has_hash)
        fprintf(to, "hash: %016" PRIx64 "\n", r->hash);
    if (r->status != ST_OK)
        fprintf(to, "status: %s%s\n", report_status(r->status),
                r->status == ST_INTERRUPTED ? "; the figures are partial" : "");
}

void report_text(const report_run *r, FILE *to)
{
    for (size_t i = 0; i < r->launch_count; i++) {
        const report_launch *l = &r->launches[i];
        figures f;

        figures_compute(r, l, &f);
        print_title(r, i, to);
        print_head(r, l, &f, to);
        if (!r->functional) {
            print_slots(&f, to);
            print_memory(&f, to);
        }
        fputc('\n', to);
    }
    print_end(r, to);
}
