#include "lab/page_probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "lab/probe_truth.h"

enum {
    LINES = 8, /* of a figure */
    WORD = 24, /* longer ones stand below the table */
};

/* ---- Numbers ---- */

static const char *text_of(double v, char text[32])
{
    if (isnan(v))
        return "-";
    snprintf(text, 32, fabs(v - round(v)) < 0.005 ? "%.0f" : "%.2f", v);
    return text;
}

static void put_number(page *p, double v)
{
    char text[32];

    page_number(p, v, "%s", text_of(v, text));
}

static void put_off(page *p, double found, double from)
{
    if (isnan(from) || from == 0)
        page_number(p, NAN, "-");
    else
        page_number(p, found / from - 1, "%+.1f %%", 100 * (found / from - 1));
}

static void put_row(page *p, const probe_sheet *s, const probe_value *v)
{
    const probe_published *known = probe_published_find(s->cfg, v->id);
    double published = known ? known->value : NAN;

    page_cell(p, "%s", v->what);
    page_cell(p, "%s", v->id);
    if (v->word) {
        const char *is = probe_truth_word(s->cfg, v->id);

        page_cell(p, "%s", strlen(v->word) > WORD ? "below" : v->word);
        page_cell(p, "%s", is ? is : "-");
        page_cell(p, "%s",
                  !is                   ? "-"
                  : strcmp(is, v->word) ? "differs"
                                        : "same");
    } else {
        double is = probe_truth(s->cfg, v->id);

        put_number(p, v->number);
        put_number(p, is);
        put_off(p, v->number, is);
    }
    page_cell(p, "%s", v->unit);
    if (v->word && known && known->word) {
        page_cell(p, "%s", known->word);
        page_cell(p, "%s", strcmp(known->word, v->word) ? "differs" : "same");
    } else {
        put_number(p, published);
        put_off(p, v->word ? NAN : v->number, published);
    }
    page_cell(p, "%s", known ? known->source : "");
}

static void put_table(page *p, const probe_sheet *s)
{
    const page_column columns[] = {
        {.name = "what"},
        {.name = "name"},
        {.name = "found", .number = true},
        {.name = "configured", .number = true},
        {.name = "off", .number = true, .help = "found against configured"},
        {.name = "unit"},
        {.name = "published", .number = true, .help = probe_real(s->cfg)},
        {.name = "off", .number = true, .help = "found against published"},
        {.name = "source", .help = "docs/sources.md has the keys"},
    };

    page_section(p, "What was found");
    page_paragraph(p,
                   "By clock values that kernels stored. The configuration is "
                   "known to this page only; published figures are of a %s. "
                   "A dash: no parameter says it alone, or nothing is "
                   "published.",
                   probe_real(s->cfg));
    page_table(p, "found, configured, published", "probes", columns,
               sizeof columns / sizeof *columns);
    for (size_t i = 0; i < s->found->value_count; i++)
        put_row(p, s, &s->found->values[i]);
    page_table_end(p);
    for (size_t i = 0; i < s->found->value_count; i++) {
        const probe_value *v = &s->found->values[i];

        if (v->word && strlen(v->word) > WORD)
            page_note(p, "%s: %s", v->id, v->word);
    }
}

/* ---- Figures ---- */

static bool same_figure(const probe_curve *a, const probe_curve *b)
{
    return a->probe && !strcmp(a->id, b->id);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* All places of the curves of a figure, rising, each once. */
static size_t places(const probe_curve *const *c, size_t n, double *x)
{
    size_t count = 0, kept = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < c[i]->count; k++)
            x[count++] = c[i]->x[k];
    qsort(x, count, sizeof *x, by_value);
    for (size_t i = 0; i < count; i++)
        if (!kept || x[i] > x[kept - 1])
            x[kept++] = x[i];
    return kept;
}

static double at(const probe_curve *c, double x)
{
    for (size_t k = 0; k < c->count; k++)
        if (c->x[k] == x)
            return c->y[k];
    return NAN;
}

/* Curves of one figure over common places. */
static void put_lines(page *p, const probe_curve *const *c, size_t n)
{
    const char *names[LINES];
    const double *values[LINES];
    double *y[LINES], *x;
    char unit[96];
    size_t room = 0;

    for (size_t i = 0; i < n; i++)
        room += c[i]->count;
    x = calloc(room + 1, sizeof *x);
    MUST(x != NULL);
    size_t points = places(c, n, x);
    for (size_t i = 0; i < n; i++) {
        values[i] = y[i] = calloc(points + 1, sizeof **y);
        MUST(y[i] != NULL);
        for (size_t k = 0; k < points; k++)
            y[i][k] = at(c[i], x[k]);
        names[i] = c[i]->line ? c[i]->line : c[i]->y_is;
    }
    for (size_t k = 0; c[0]->log_x && k < points; k++)
        x[k] = log2(x[k]);
    snprintf(unit, sizeof unit, c[0]->log_x ? "%s, as a power of two" : "%s",
             c[0]->x_is);
    chart_series(p, &(plot){.is = {.title = c[0]->what,
                                   .about = c[0]->y_is,
                                   .file = c[0]->id,
                                   .rows = c[0]->x_is},
                            .x_unit = unit,
                            .unit = c[0]->y_is,
                            .x = x,
                            .points = points,
                            .names = names,
                            .y = values,
                            .count = n});
    for (size_t i = 0; i < n; i++)
        free(y[i]);
    free(x);
}

static void put_curves(page *p, const probe_found *f)
{
    bool any = false;

    for (size_t i = 0; i < f->curve_count; i++) {
        const probe_curve *c[LINES];
        size_t n = 0;
        bool before = false;

        for (size_t k = 0; k < i; k++)
            before |= same_figure(&f->curves[k], &f->curves[i]);
        for (size_t k = i; k < f->curve_count && n < LINES; k++)
            if (f->curves[k].count > 1 &&
                same_figure(&f->curves[k], &f->curves[i]))
                c[n++] = &f->curves[k];
        if (before || !n)
            continue;
        if (!any)
            page_section(p, "Curves");
        any = true;
        put_lines(p, c, n);
    }
}

static word rate_word(double v) { return word_real(v, 1); }

/* Values of one kind as bars: those whose names begin so, and the published
 * beside them. */
static void put_bars(page *p, const probe_sheet *s, const char *prefix,
                     const char *title, const char *about)
{
    static const char *const series[] = {"found", "published"};
    const probe_found *f = s->found;
    bars_row *row = calloc(f->value_count + 1, sizeof *row);
    double(*v)[2] = calloc(f->value_count + 1, sizeof *v);
    size_t n = 0;

    MUST(row && v);
    for (size_t i = 0; i < f->value_count; i++) {
        const probe_value *x = &f->values[i];
        const probe_published *known = probe_published_find(s->cfg, x->id);

        if (x->word || strncmp(x->id, prefix, strlen(prefix)))
            continue;
        v[n][0] = x->number;
        v[n][1] = known ? known->value : NAN;
        row[n] = (bars_row){.name = x->id + strlen(prefix), .values = v[n]};
        n++;
    }
    if (n)
        chart_bars(p, &(bars){.is = {.title = title,
                                     .about = about,
                                     .file = prefix,
                                     .rows = "what"},
                              .series = series,
                              .series_count = 2,
                              .rows = row,
                              .count = n,
                              .show = rate_word});
    free(row);
    free(v);
}

static void put_banks(page *p, const probe_found *f)
{
    enum { SHOWN = 32 };
    const char *names[SHOWN];
    char text[SHOWN][8];
    double values[SHOWN * SHOWN];

    if (!f->conflicts)
        return;
    for (unsigned i = 0; i < SHOWN; i++) {
        snprintf(text[i], sizeof text[i], "R%u", i);
        names[i] = text[i];
        for (unsigned k = 0; k < SHOWN; k++) {
            unsigned low = i < k ? i : k, high = i < k ? k : i;

            values[i * SHOWN + k] =
                i == k ? NAN : (double)(*f->conflicts)[low][high];
        }
    }
    chart_heat(p, &(heat){.is = {.title = "Register banks",
                                 .about = "1: the two registers are in one "
                                          "bank; of the first 32 registers",
                                 .file = "banks",
                                 .rows = "register"},
                          .rows_are = "register",
                          .columns_are = "with",
                          .rows = names,
                          .columns = names,
                          .row_count = SHOWN,
                          .column_count = SHOWN,
                          .values = values,
                          .show = rate_word});
}

page *page_probe(const probe_sheet *s, const page_origin *from)
{
    char title[128];
    page *p;

    snprintf(title, sizeof title, "Probes of %s", s->cfg->gpu.name);
    p = page_new(title, "what micro-benchmarks find by the clock");
    MUST(p != NULL);
    if (probe_found_get(s->found, "issue.warp"))
        page_section(p, "Instructions");
    put_bars(p, s, "throughput.", "Throughput",
             "lanes of a multiprocessor in a cycle, by instruction class");
    put_bars(p, s, "latency.", "Latency",
             "cycles from an instruction to its dependent, by class");
    put_bars(p, s, "pattern.", "Orders of single and dual issue",
             "lanes in a cycle of six FFMAs in a group of seven");
    put_banks(p, s->found);
    put_curves(p, s->found);
    put_table(p, s);
    page_section(p, "About");
    words_origin(p, from);
    return p;
}
