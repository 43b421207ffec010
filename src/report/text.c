/* The report for people: at most 100 columns. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/must.h"
#include "report/figure.h"

enum { SHARE_ROW = 3 }; /* stalls printed side by side */

const char *report_status(status st)
{
    static const char *const names[] = {
        [ST_OK] = "ok",           [ST_MISMATCH] = "mismatch",
        [ST_USAGE] = "usage",     [ST_CONFIG] = "config",
        [ST_PROGRAM] = "program", [ST_FAULT] = "fault",
        [ST_HANG] = "hang",       [ST_LIMIT] = "limit",
        [ST_NOMEM] = "memory",    [ST_IO] = "io",
        [ST_INTERNAL] = "internal", [ST_INTERRUPTED] = "interrupted",
    };

    return names[st];
}

/* 1234567 as 1,234,567 in one of a few rotating buffers. */
static const char *grouped(uint64_t v)
{
    static _Thread_local char buffers[8][32];
    static _Thread_local unsigned turn;
    char *text = buffers[turn++ % 8], digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, v), k = 0;

    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            text[k++] = ',';
        text[k++] = digits[i];
    }
    text[k] = 0;
    return text;
}

/* A number of bytes, seconds, ... with a prefix: "12.3 G". */
static const char *scaled(double v, double step, const char *const *units,
                          unsigned count)
{
    static _Thread_local char buffers[8][32];
    static _Thread_local unsigned turn;
    char *text = buffers[turn++ % 8];
    unsigned u = 0;

    if (isnan(v))
        return "-";
    while (u + 1 < count && v >= 999.5) {
        v /= step;
        u++;
    }
    snprintf(text, 32, v >= 99.95 || u + v == 0 ? "%.0f %s" : "%.3g %s", v,
             units[u]);
    return text;
}

static const char *bytes(double v)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};

    return scaled(v, 1000, units, COUNTOF(units));
}

static const char *duration(double s)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};

    return scaled(s * 1e9, 1000, units, COUNTOF(units));
}

static const char *percent(double share)
{
    static _Thread_local char buffers[8][16];
    static _Thread_local unsigned turn;
    char *text = buffers[turn++ % 8];

    if (isnan(share))
        return "-";
    snprintf(text, 16, "%.1f %%", 100 * share);
    return text;
}

static double share(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : NAN;
}

static void print_title(const report_run *r, size_t i, FILE *to)
{
    const report_launch *l = &r->launches[i];

    fprintf(to, "%s", l->kernel->name);
    if (r->launch_count > 1)
        fprintf(to, "  (launch %zu of %zu)", i + 1, r->launch_count);
    fprintf(to, "\n  grid %ux%ux%u, block %ux%ux%u; %u registers",
            l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
            l->block[2], l->kernel->registers);
    fprintf(to, ", %u B shared",
            l->kernel->shared_bytes + l->shared_bytes);
    if (l->kernel->local_bytes)
        fprintf(to, ", %u B local (%u B spilled)", l->kernel->local_bytes,
                l->kernel->spill_bytes);
    fprintf(to, "; %s, %u SMs, %.0f MHz\n\n", r->cfg->gpu.name,
            r->cfg->gpu.sms, r->cfg->gpu.clock_khz / 1e3);
}

static void print_head(const report_run *r, const report_launch *l,
                       const figures *f, FILE *to)
{
    const rt_result *v = &l->result;
    uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];

    if (!r->functional)
        fprintf(to, "  %-22s %15s    %-20s %15s\n", "cycles",
                grouped(v->cycles), "simulated time", duration(f->time_s));
    fprintf(to, "  %-22s %15s    %-20s %15s\n", "warp instructions",
            grouped(v->warp_insts), "thread instructions",
            grouped(v->thread_insts));
    fprintf(to, "  %-22s %15s    %-20s %15s\n", "lanes used",
            percent(f->lanes), "CTAs", grouped(v->ctas));
    if (v->ctas < ctas)
        fprintf(to, "  (%s of %s CTAs: the launch did not end)\n",
                grouped(v->ctas), grouped(ctas));
    if (r->functional)
        return;
    fprintf(to, "  %-22s %15.2f    %-20s %15.3f\n", "IPC (chip)", f->ipc,
            "IPC of each SM", f->ipc_sm);
    fprintf(to, "  %-22s %15s    %.1f of %u warps; at most %u CTAs per SM, "
                "limited by %s\n",
            "occupancy", percent(f->occupancy), f->warps, r->cfg->sm.warps,
            v->ctas_per_sm, v->limiter);
}

static void print_slots(const figures *f, FILE *to)
{
    uint64_t shown = f->issued;
    unsigned n = 0;

    fprintf(to, "\n  issue slots   %18s = 100 %%\n", grouped(f->slots));
    fprintf(to, "    %-14s %8s", "issued", percent(share(f->issued, f->slots)));
    for (unsigned i = 0; i < f->stall_count; i++) {
        if (!f->stalls[i].slots)
            continue;
        if (++n % SHARE_ROW == 0)
            fputc('\n', to);
        fprintf(to, "    %-14s %8s", f->stalls[i].name,
                percent(share(f->stalls[i].slots, f->slots)));
        shown += f->stalls[i].slots;
    }
    fputc('\n', to);
    if (shown != f->slots)
        fprintf(to, "    (these do not add up to %s: a bug)\n",
                grouped(f->slots));
}

static void print_memory(const figures *f, FILE *to)
{
    fprintf(to, "\n  %-16s %15s  %-14s %8s %11s %13s %8s\n", "memory", "", "",
            "hit rate", "moved", "bandwidth", "of peak");
    for (unsigned i = 0; i < LEVELS; i++) {
        const figure_level *v = &f->level[i];
        char rate[40];

        snprintf(rate, sizeof rate, "%s/s", bytes(v->bandwidth));
        fprintf(to, "    %-14s %15s  %-14s %8s %11s %13s %8s\n", v->name,
                grouped(v->accesses), v->what, percent(v->hit_rate),
                bytes((double)v->bytes), rate,
                percent(v->bandwidth / v->peak));
    }
    fprintf(to, "    %.2f transactions per global or local access; "
                "DRAM row hits %s\n",
            isnan(f->tx_per_inst) ? 0 : f->tx_per_inst,
            percent(f->row_hit_rate));
}

static void print_checks(const report_run *r, FILE *to)
{
    for (size_t i = 0; i < r->check_count; i++) {
        const plan_check *c = &r->checks[i];

        fprintf(to, "check: %s %s in %s elements", c->what->buffer->name,
                c->differ ? "DIFFERS" : "as expected", grouped(c->count));
        if (c->differ)
            fprintf(to, ", %s of them wrong", grouped(c->differ));
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
        spent += r->launches[i].result.host_seconds;
        insts += r->launches[i].result.warp_insts;
        cycles += r->launches[i].result.cycles;
    }
    if (r->launch_count > 1)
        fprintf(to, "total: %s launches, %s cycles, %s warp instructions\n",
                grouped(r->launch_count), grouped(cycles), grouped(insts));
    print_checks(r, to);
    fprintf(to,
            "host: %.3g s, %.3g M warp instructions/s, %u thread%s, %s peak "
            "memory\n",
            spent, spent > 0 ? (double)insts / spent * 1e-6 : 0, r->threads,
            r->threads == 1 ? "" : "s", bytes((double)r->max_rss_bytes));
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
