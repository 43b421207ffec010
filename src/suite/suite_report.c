/* src/suite/suite_report.c - see suite_report.h. */
#include "suite/suite_report.h"

#include <string.h>

#include "text/csv.h"
#include "text/json.h"
#include "text/word.h"

static int name_width(const suite *s)
{
    size_t most = strlen("program");

    for (size_t i = 0; i < s->count; i++)
        if (strlen(s->programs[i].name) > most)
            most = strlen(s->programs[i].name);
    return most < 40 ? (int)most : 40;
}

/* The sums of all results, and how many there are of each verdict. */
static suite_result add_up(const suite_report *r, size_t counts[SUITE_VERDICTS])
{
    suite_result sum = {0};

    memset(counts, 0, SUITE_VERDICTS * sizeof *counts);
    for (size_t i = 0; i < r->count; i++) {
        const suite_result *x = &r->results[i];

        counts[x->verdict]++;
        sum.launches += x->launches;
        sum.failed_launches += x->failed_launches;
        sum.timed_launches += x->timed_launches;
        sum.warp_insts += x->warp_insts;
        sum.thread_insts += x->thread_insts;
        sum.cycles += x->cycles;
        sum.simulated_s += x->simulated_s;
        sum.host_s += x->host_s;
    }
    return sum;
}

/* ---- The table ---- */

static void print_figures(const suite_result *x, FILE *to)
{
    fprintf(to, " %9s %18s", word_grouped(x->launches).s,
            x->launches ? word_grouped(x->warp_insts).s : "-");
    if (x->timed_launches)
        fprintf(to, " %15s %10s", word_grouped(x->cycles).s,
                word_duration(x->simulated_s).s);
    else
        fprintf(to, " %15s %10s", "-", "-");
    fprintf(to, " %9.2f\n", x->host_s);
}

void suite_report_head(const suite_report *r, FILE *to)
{
    fprintf(to, "%s, size %s, on ", r->suite->name, r->size);
    for (size_t i = 0; i < r->gpu_count; i++)
        fprintf(to, "%s%s", i ? ", " : "", r->gpus[i]);
    fprintf(to, "\n\n%-*s  %-12s %9s %18s %15s %10s %9s\n",
            name_width(r->suite), "program", "verdict", "launches",
            "warp instructions", "cycles", "simulated", "host s");
}

void suite_report_tail(const char *tail, const char *indent, FILE *to)
{
    while (*tail) {
        size_t n = strcspn(tail, "\n");

        fprintf(to, "%s| %.*s\n", indent, (int)n, tail);
        tail += n + (tail[n] == '\n');
    }
}

void suite_report_outside(const char *lines, FILE *to)
{
    if (!lines)
        return;
    fputs("  outside of what was allocated, which no device notices:\n", to);
    for (size_t n; *lines; lines += n + (lines[n] == '\n')) {
        n = strcspn(lines, "\n");
        fprintf(to, "    %.*s\n", (int)n, lines);
    }
}

void suite_report_row(const suite_report *r, const suite_result *x, FILE *to)
{
    fprintf(to, "%-*s  %-12s", name_width(r->suite), x->program->name,
            suite_verdict_text(x->verdict));
    print_figures(x, to);
    if (x->why)
        fprintf(to, "  %s\n", x->why);
    if (x->failed_launches)
        fprintf(to, "  %s of its launches did not end well\n",
                word_grouped(x->failed_launches).s);
    suite_report_outside(x->outside, to);
    suite_report_tail(x->tail, "  ", to);
}

void suite_report_sum(const suite_report *r, FILE *to)
{
    size_t counts[SUITE_VERDICTS];
    suite_result sum = add_up(r, counts);
    const char *comma = ": ";

    fprintf(to, "%-*s  %-12s", name_width(r->suite), "all", "");
    print_figures(&sum, to);
    fprintf(to, "\n%zu program%s", r->count, word_plural(r->count));
    for (unsigned v = 0; v < SUITE_VERDICTS; v++)
        if (counts[v]) {
            fprintf(to, "%s%zu %s", comma, counts[v],
                    suite_verdict_text((suite_verdict)v));
            comma = ", ";
        }
    fprintf(to, " (%.1f s)\n", r->seconds);
}

/* ---- JSON and CSV ---- */

static void json_figures(json *j, const suite_result *x)
{
    json_u64(j, "launches", x->launches);
    json_u64(j, "failed_launches", x->failed_launches);
    json_u64(j, "timed_launches", x->timed_launches);
    json_u64(j, "warp_instructions", x->warp_insts);
    json_u64(j, "thread_instructions", x->thread_insts);
    json_u64(j, "cycles", x->cycles);
    json_real(j, "simulated_seconds", x->simulated_s);
    json_real(j, "host_seconds", x->host_s);
}

void suite_report_json(const suite_report *r, FILE *to)
{
    size_t counts[SUITE_VERDICTS];
    suite_result sum = add_up(r, counts);
    json j = json_document(to);

    json_text(&j, "suite", r->suite->name);
    json_text(&j, "size", r->size);
    json_open(&j, "gpus", '[');
    for (size_t i = 0; i < r->gpu_count; i++)
        json_text(&j, NULL, r->gpus[i]);
    json_close(&j, '[');
    json_open(&j, "programs", '[');
    for (size_t i = 0; i < r->count; i++) {
        const suite_result *x = &r->results[i];

        json_open(&j, NULL, '{');
        json_text(&j, "name", x->program->name);
        json_text(&j, "verdict", suite_verdict_text(x->verdict));
        json_text(&j, "why", x->why);
        json_u64(&j, "exit_status", (uint64_t)x->exit_code);
        json_u64(&j, "signal", (uint64_t)x->signal);
        json_figures(&j, x);
        json_text(&j, "output", x->tail);
        json_text(&j, "outside", x->outside);
        json_close(&j, '{');
    }
    json_close(&j, '[');
    json_open(&j, "all", '{');
    json_figures(&j, &sum);
    json_close(&j, '{');
    json_real(&j, "seconds", r->seconds);
    json_document_end(&j);
}

void suite_report_csv(const suite_report *r, FILE *to)
{
    csv c = csv_start(to);

    csv_names(&c, "program,verdict,exit_status,signal,launches,failed_launches,"
                  "timed_launches,warp_instructions,thread_instructions,cycles,"
                  "simulated_seconds,host_seconds,why");
    csv_line(&c);
    for (size_t i = 0; i < r->count; i++) {
        const suite_result *x = &r->results[i];

        csv_text(&c, x->program->name);
        csv_text(&c, suite_verdict_text(x->verdict));
        csv_format(&c, "%d,%d", x->exit_code, x->signal);
        csv_u64(&c, x->launches);
        csv_u64(&c, x->failed_launches);
        csv_u64(&c, x->timed_launches);
        csv_u64(&c, x->warp_insts);
        csv_u64(&c, x->thread_insts);
        csv_u64(&c, x->cycles);
        csv_real(&c, x->simulated_s);
        csv_format(&c, "%.3f", x->host_s);
        csv_text(&c, x->why);
        csv_line(&c);
    }
}

/* ---- The list ---- */

static void print_list(const suite_program *p, FILE *to)
{
    const char *comma = "";

    for (size_t i = 0; i < p->size_count; i++, comma = ", ")
        fprintf(to, "%s%s", comma, p->sizes[i].name);
    for (size_t i = 0; i < p->tags.count; i++)
        fprintf(to, " #%s", p->tags.text[i]);
}

void suite_report_list(const suite *s, const suite_program *const *chosen,
                       size_t count, FILE *to)
{
    fprintf(to, "%s%s%s\n", s->name, *s->about ? ": " : "", s->about);
    for (size_t i = 0; i < count; i++) {
        fprintf(to, "%-*s  %s%s", name_width(s), chosen[i]->name,
                chosen[i]->about, *chosen[i]->about ? "; " : "");
        print_list(chosen[i], to);
        fputc('\n', to);
    }
}
