#include "report/sampled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/word.h"

void sampled_json(json *j, uint64_t timed, const kernel_guess *g)
{
    if (!g->launches && !g->in_parts)
        return;
    json_open(j, "sampled", '{');
    json_u64(j, "launches", g->launches);
    json_u64(j, "in_parts", g->in_parts);
    json_real(j, "cycles", kernel_cycles(timed, g));
    json_real(j, "half_interval_95", kernel_cycles_error(timed, g));
    json_close(j, '{');
}

void sampled_text(uint64_t timed, double time_s, const kernel_guess *g,
                  FILE *to)
{
    fprintf(to, "~%s cycles, +-%s (95 %%), ~%s",
            word_grouped((uint64_t)kernel_cycles(timed, g)).s,
            word_percent(kernel_cycles_error(timed, g)).s,
            word_duration(time_s + g->time_s).s);
}

/* ---- Beside a run in full ---- */

static const kernel_sum *find_sum(const kernel_sums *in, const kernel_sum *k)
{
    for (size_t i = 0; i < in->count; i++)
        if (in->row[i].sum.device == k->sum.device &&
            !strcmp(in->row[i].name, k->name))
            return &in->row[i];
    return NULL;
}

static sampled_row row_of(const kernel_sum *full, const kernel_sum *part)
{
    sampled_row r = {.kernel = full->name,
                     .device = full->sum.device,
                     .launches = full->count,
                     .missing = true};

    if (!full->timed || !part || !part->timed || full->failed || part->failed ||
        part->count != full->count)
        return r;
    r.missing = false;
    r.cycles = full->sum.cycles;
    r.estimate = kernel_cycles(part->sum.cycles, &part->guess);
    r.half = kernel_cycles_error(part->sum.cycles, &part->guess);
    r.timed = part->sum.cycles;
    r.in_full = part->timed - part->guess.in_parts;
    return r;
}

/* A figure of which nothing is charged has to be the same: caches are not. */
static bool is_within(const sampled_row *r)
{
    return fabs(r->estimate - (double)r->cycles) <= r->half * r->estimate;
}

double sampled_error(const sampled_row *r)
{
    return r->missing || !r->cycles ? NAN : r->estimate / (double)r->cycles - 1;
}

static sampled_row row_of_all(const kernel_sums *a, const kernel_sums *b,
                              bool missing)
{
    return (sampled_row){.launches = a->launches,
                         .cycles = a->cycles,
                         .estimate = kernel_cycles(b->cycles, &b->guess),
                         .half = kernel_cycles_error(b->cycles, &b->guess),
                         .timed = b->cycles,
                         .in_full = b->timed - b->guess.in_parts,
                         .missing = missing || a->launches != b->launches ||
                                    !a->timed};
}

void sampled_check_make(const report_program *full,
                        const report_program *sampled, sampled_check *out)
{
    kernel_sums a, b;
    size_t compared = 0;
    bool missing = false;

    kernel_sums_make(&a, full);
    kernel_sums_make(&b, sampled);
    *out = (sampled_check){.full_cpu_s = full->cpu_seconds,
                           .sampled_cpu_s = sampled->cpu_seconds};
    out->row = new0(a.count + 1, sizeof *out->row);
    for (size_t i = 0; i < a.count; i++) {
        sampled_row *r = &out->row[out->count++];
        double off;

        *r = row_of(&a.row[i], find_sum(&b, &a.row[i]));
        missing |= r->missing;
        off = fabs(sampled_error(r));
        if (isnan(off))
            continue;
        compared++;
        out->mean += off;
        out->most = fmax(out->most, off);
        out->within += is_within(r);
    }
    out->mean = compared ? out->mean / (double)compared : NAN;
    out->row[out->count++] = row_of_all(&a, &b, missing);
    kernel_sums_free(&a);
    kernel_sums_free(&b);
}

void sampled_check_free(sampled_check *c) { free(c->row); }

/* Cycles of a run in full for each that was simulated. */
static double gain(const sampled_row *r)
{
    return r->missing || !r->timed ? NAN : (double)r->cycles / (double)r->timed;
}

/* ---- Formats ---- */

static void put_row(const sampled_row *r, FILE *to)
{
    char name[29], more[32] = "-", off[16] = "-", half[16] = "-";

    snprintf(name, sizeof name, "%s", r->kernel ? r->kernel : "all");
    if (r->missing) {
        fprintf(to, "%-28s %9s   not to be compared\n", name,
                word_grouped(r->launches).s);
        return;
    }
    snprintf(half, sizeof half, "+-%.1f %%", 100 * r->half);
    if (r->cycles)
        snprintf(off, sizeof off, "%+.1f %%", 100 * sampled_error(r));
    if (r->timed)
        snprintf(more, sizeof more, "%.1f", gain(r));
    fprintf(to, "%-28s %9s %9s %15s %15s %9s %8s %6s\n", name,
            word_grouped(r->launches).s, word_grouped(r->in_full).s,
            word_grouped(r->cycles).s,
            word_grouped((uint64_t)(r->estimate + 0.5)).s, half, off, more);
}

void sampled_check_text(const sampled_check *c, const char *command, FILE *to)
{
    fprintf(to, "heddle: %s\n\n%-28s %9s %9s %15s %15s %9s %8s %6s\n", command,
            "kernel", "launches", "timed", "cycles in full", "estimate",
            "interval", "error", "less");
    for (size_t i = 0; i < c->count; i++)
        put_row(&c->row[i], to);
    if (!isnan(c->mean))
        fprintf(to,
                "\nerror of kernels: %s on average, %s at most; %zu of %zu "
                "within their intervals\n",
                word_percent(c->mean).s, word_percent(c->most).s, c->within,
                c->count - 1);
    if (c->full_cpu_s > 0 && c->sampled_cpu_s > 0)
        fprintf(to, "CPU: %.3g s in full, %.3g s sampled\n", c->full_cpu_s,
                c->sampled_cpu_s);
}

static void json_row(json *j, const char *key, const sampled_row *r)
{
    json_open(j, key, '{');
    if (r->kernel) {
        json_text(j, "kernel", r->kernel);
        json_u64(j, "gpu", r->device);
    }
    json_u64(j, "launches", r->launches);
    json_bool(j, "compared", !r->missing);
    if (!r->missing) {
        json_u64(j, "timed_in_full", r->in_full);
        json_u64(j, "cycles", r->cycles);
        json_real(j, "estimated_cycles", r->estimate);
        json_real(j, "half_interval_95", r->half);
        json_bool(j, "within", is_within(r));
        json_real(j, "error", sampled_error(r));
        json_u64(j, "simulated_cycles", r->timed);
        json_real(j, "times_less", gain(r));
    }
    json_close(j, '{');
}

void sampled_check_json(const sampled_check *c, const char *command, FILE *to)
{
    json j = json_document(to);

    json_text(&j, "command", command);
    json_open(&j, "kernels", '[');
    for (size_t i = 0; i + 1 < c->count; i++)
        json_row(&j, NULL, &c->row[i]);
    json_close(&j, '[');
    json_row(&j, "total", &c->row[c->count - 1]);
    json_real(&j, "mean_error", c->mean);
    json_real(&j, "max_error", c->most);
    json_u64(&j, "within", c->within);
    json_real(&j, "full_cpu_s", c->full_cpu_s);
    json_real(&j, "sampled_cpu_s", c->sampled_cpu_s);
    json_document_end(&j);
}
