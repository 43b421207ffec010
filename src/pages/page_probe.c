#include "pages/page_probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "probe/judge/probe_truth.h"

enum {
    LINES = 9, /* of a figure, with what is published */
    WORD = 24, /* longer ones stand below the table */
};

/* ---- Numbers ---- */

static const char *text_of_number(double v, char text[32])
{
    if (isnan(v))
        return "-";
    snprintf(text, 32, fabs(v - round(v)) < 0.005 ? "%.0f" : "%.2f", v);
    return text;
}

static void put_number_cell(page *p, double v)
{
    char text[32];

    page_number(p, v, "%s", text_of_number(v, text));
}

static void put_off(page *p, double found, double from)
{
    if (isnan(from) || from == 0)
        page_number(p, NAN, "-");
    else
        page_number(p, found / from - 1, "%+.1f %%", 100 * (found / from - 1));
}

static void put_probe_row(page *p, const probe_sheet *s, const probe_value *v)
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

        put_number_cell(p, v->number);
        put_number_cell(p, is);
        put_off(p, v->number, is);
    }
    page_cell(p, "%s", v->unit);
    if (v->word && known && known->word) {
        page_cell(p, "%s", known->word);
        page_cell(p, "%s", strcmp(known->word, v->word) ? "differs" : "same");
    } else {
        put_number_cell(p, published);
        put_off(p, v->word ? NAN : v->number, published);
    }
    page_cell(p, "%s", known ? known->source : "");
}

static void put_probe_table(page *p, const probe_sheet *s)
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
        put_probe_row(p, s, &s->found->values[i]);
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

typedef struct lines {
    const char *names[LINES];
    double *y[LINES];
    bool points_only[LINES];
    double *x;
    size_t points, count;
} lines;

static double *room_for(const lines *l)
{
    double *y = new0(l->points + 1, sizeof *y);

    return y;
}

/* The curves over their common places. */
static lines lines_of(const probe_curve *const *c, size_t n)
{
    lines l = {.count = n};
    size_t room = 0;

    for (size_t i = 0; i < n; i++)
        room += c[i]->count;
    l.x = new0(room + 1, sizeof *l.x);
    l.points = places(c, n, l.x);
    for (size_t i = 0; i < n; i++) {
        l.y[i] = room_for(&l);
        for (size_t k = 0; k < l.points; k++)
            l.y[i][k] = at(c[i], l.x[k]);
        l.names[i] = c[i]->line ? c[i]->line : "found";
    }
    return l;
}

static bool is_of_codes(const probe_curve *c)
{
    return !strcmp(c->x_is, "control code");
}

/* Of control codes: what is published of each, as points. */
static void add_published(const probe_sheet *s, const probe_curve *c, lines *l)
{
    bool any = false;
    const char *what = strchr(c->id, '.');

    if (!is_of_codes(c) || l->count == LINES)
        return;
    double *y = room_for(l);
    for (size_t k = 0; k < l->points; k++) {
        char id[32];

        snprintf(id, sizeof id, "code.%02x%s", (unsigned)l->x[k], what);
        const probe_published *known = probe_published_find(s->cfg, id);
        y[k] = known ? known->value : NAN;
        any = any || known;
    }
    if (!any) {
        free(y);
        return;
    }
    l->y[l->count] = y;
    l->names[l->count] = "published [PPOPP:control-codes]";
    l->points_only[l->count++] = true;
}

/* Curves of one figure. */
static void put_lines(page *p, const probe_sheet *s,
                      const probe_curve *const *c, size_t n)
{
    lines l = lines_of(c, n);

    add_published(s, c[0], &l);
    chart_series(p, &(plot){.is = {.title = c[0]->what,
                                   .about = c[0]->y_is,
                                   .file = c[0]->id,
                                   .rows = c[0]->x_is},
                            .x_unit = c[0]->x_is,
                            .scale = is_of_codes(c[0]) ? PLOT_CODES
                                     : c[0]->log_x     ? PLOT_SIZES
                                                       : PLOT_EVEN,
                            .unit = c[0]->y_is,
                            .x = l.x,
                            .points = l.points,
                            .names = l.names,
                            .y = (const double *const *)l.y,
                            .points_only = l.points_only,
                            .count = l.count});
    for (size_t i = 0; i < l.count; i++)
        free(l.y[i]);
    free(l.x);
}

static void put_curves(page *p, const probe_sheet *s)
{
    const probe_found *f = s->found;
    bool any = false;

    for (size_t i = 0; i < f->curve_count; i++) {
        const probe_curve *c[LINES];
        size_t n = 0;
        bool before = false;

        for (size_t k = 0; k < i; k++)
            before |= same_figure(&f->curves[k], &f->curves[i]);
        for (size_t k = i; k < f->curve_count && n < LINES - 1; k++)
            if (f->curves[k].count > 1 &&
                same_figure(&f->curves[k], &f->curves[i]))
                c[n++] = &f->curves[k];
        if (before || !n)
            continue;
        if (!any)
            page_section(p, "Curves");
        any = true;
        put_lines(p, s, c, n);
    }
}

static word rate_word(double v) { return word_real(v, 1); }

/* Values of one kind as bars: those whose names begin so, and the published
 * beside them. */
static void put_probe_bars(page *p, const probe_sheet *s, const char *prefix,
                           const char *title, const char *about)
{
    static const char *const series[] = {"found", "published"};
    const probe_found *f = s->found;
    bars_row *row = new0(f->value_count + 1, sizeof *row);
    double(*v)[2] = new0(f->value_count + 1, sizeof *v);
    size_t n = 0;

    MUST(v);
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

static double found_of(const probe_sheet *s, const char *prefix,
                       const char *name, const char *behind)
{
    char id[64];

    snprintf(id, sizeof id, "%s%s%s", prefix, name, behind);
    const probe_value *v = probe_found_get(s->found, id);
    return v ? v->number : NAN;
}

static double published_of(const probe_sheet *s, const char *prefix,
                           const char *name)
{
    char id[64];

    snprintf(id, sizeof id, "%s%s", prefix, name);
    const probe_published *known = probe_published_find(s->cfg, id);
    return known ? known->value : NAN;
}

/* The orders of a group, as the published generator codes them and with the
 * filler alone. */
static void put_orders(page *p, const probe_sheet *s)
{
    enum { ORDERS = 8, SERIES = 3 };
    static const char *const names[ORDERS] = {"1122",  "1212",        "1221",
                                              "2112",  "2121",        "2211",
                                              "naive", "product.ffma"};
    static const char *const titles[ORDERS] = {"1-1-2-2",
                                               "1-2-1-2",
                                               "1-2-2-1",
                                               "2-1-1-2",
                                               "2-1-2-1",
                                               "2-2-1-1",
                                               "1-2-2-2, all that pair",
                                               "product of 12 x 12"};
    static const char *const series[SERIES] = {"found", "published",
                                               "found, the filler alone"};
    bars_row row[ORDERS];
    double v[ORDERS][SERIES];

    if (!probe_found_get(s->found, "pattern.1221"))
        return;
    for (size_t i = 0; i < ORDERS; i++) {
        const char *prefix = strchr(names[i], '.') ? "" : "pattern.";

        v[i][0] = found_of(s, prefix, names[i], "");
        v[i][1] = published_of(s, prefix, names[i]);
        v[i][2] = found_of(s, prefix, names[i], "_alone");
        row[i] = (bars_row){.name = titles[i], .values = v[i]};
    }
    chart_bars(p,
               &(bars){.is = {.title = "Orders of single and dual issue",
                              .about = "percent of all lanes; published: "
                                       "[PPOPP:figure-2], [PPOPP:SGEMM], all "
                                       "that pair of a GK104 [LAI13:GK104]",
                              .file = "orders",
                              .rows = "order"},
                       .series = series,
                       .series_count = SERIES,
                       .rows = row,
                       .count = ORDERS,
                       .show = rate_word});
}

/* What the best order needs: its place, its filler, its operands. */
static void put_needs(page *p, const probe_sheet *s)
{
    static const struct {
        const char *id, *name;
    } needs[] = {
        {"shift.0", "1-2-2-1 as the groups lie"},
        {"shift.1", "moved by 1"},
        {"shift.2", "by 2"},
        {"shift.3", "by 3"},
        {"shift.4", "by 4"},
        {"shift.5", "by 5"},
        {"shift.6", "by 6"},
        {"filler.alone_rate", "the filler alone"},
        {"filler.absent_rate", "a seventh FFMA"},
        {"operands.distinct", "18 registers read"},
    };
    enum { NEEDS = sizeof needs / sizeof *needs };
    static const char *const series[] = {"found"};
    bars_row row[NEEDS];
    double v[NEEDS];

    if (!probe_found_get(s->found, "shift.0"))
        return;
    for (size_t i = 0; i < NEEDS; i++) {
        v[i] = found_of(s, needs[i].id, "", "");
        row[i] = (bars_row){.name = needs[i].name, .values = &v[i]};
    }
    chart_bars(p, &(bars){.is = {.title = "What the best order needs",
                                 .about = "percent of all lanes",
                                 .file = "needs",
                                 .rows = "what"},
                          .series = series,
                          .series_count = 1,
                          .rows = row,
                          .count = NEEDS,
                          .show = rate_word});
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
    if (probe_found_get(s->found, "issue.warp"))
        page_section(p, "Instructions");
    put_probe_bars(
        p, s, "throughput.", "Throughput",
        "lanes of a multiprocessor in a cycle, by instruction class");
    put_probe_bars(p, s, "latency.", "Latency",
                   "cycles from an instruction to its dependent, by class");
    if (probe_found_get(s->found, "pattern.1221"))
        page_section(p, "Dual issue");
    put_orders(p, s);
    put_needs(p, s);
    if (s->found->conflicts)
        page_section(p, "Registers");
    put_banks(p, s->found);
    put_curves(p, s);
    put_probe_table(p, s);
    page_section(p, "About");
    words_origin(p, from);
    return p;
}
