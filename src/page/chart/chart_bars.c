/* src/page/chart/chart_bars.c - horizontal bars from 1 or 0, a row of the page
 * for each group; too many of them become marks, see chart_strip.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "page/chart/bars.h"
#include "page/impl.h"

enum {
    BAR = 14, /* pixels */
    GAP = 2,
    BARS_MOST = 60 /* more are no longer seen together */
};

/* Above and below the bars of a row. */
static unsigned around(const bars *b) { return b->series_count > 1 ? 7 : 4; }

static scale find_scale(const bars *b)
{
    size_t n = b->count * b->series_count, k = 0;
    double *values = new0(n + 2, sizeof *values);
    scale s;

    for (size_t i = 0; i < b->count; i++)
        for (size_t j = 0; j < b->series_count; j++)
            values[k++] = b->rows[i].why ? NAN : b->rows[i].values[j];
    if (b->full > 0)
        values[n++] = b->full;
    s = b->ratio ? scale_ratio(values, n) : scale_linear(values, n);
    free(values);
    return s;
}

void bars_grid(page *p, const scale *s)
{
    for (size_t i = 0; i < s->count; i++) {
        double x = scale_at(s, s->ticks[i]);
        bool zero = s->ticks[i] == (s->log ? 1 : 0);

        page_raw(p,
                 "<line class=\"%s\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" "
                 "y2=\"100%%\"/>",
                 zero ? "zero" : "grid", x, x);
    }
}

static void put_series_bar(page *p, const bars *b, const scale *s, size_t row,
                           size_t series)
{
    double v = b->rows[row].values[series];
    double from = scale_at(s, b->ratio ? 1 : 0), to;
    char title[256];

    if (isnan(v) || isinf(v))
        return;
    to = scale_at(s, v);
    snprintf(title, sizeof title, "%.80s, %.80s: %s", b->rows[row].name,
             b->series[series], b->show(v).s);
    chart_box(p, from < to ? from : to, fabs(to - from),
              around(b) + (unsigned)series * (BAR + GAP), BAR,
              b->colour + (unsigned)series, title);
}

static void put_row_bars(page *p, const bars *b, const scale *s, size_t i)
{
    const bars_row *r = &b->rows[i];

    page_raw(p, "<svg width=\"100%%\" height=\"%u\">",
             2 * around(b) + (unsigned)b->series_count * (BAR + GAP) - GAP);
    bars_grid(p, s);
    for (size_t k = 0; k < b->series_count; k++)
        put_series_bar(p, b, s, i, k);
    page_raw(p, "</svg><span class=\"value%s\">", r->sum ? " sum" : "");
    for (size_t k = 0; k < b->series_count; k++) {
        page_raw(p, "<span>");
        page_text(p, isnan(r->values[k]) ? "-" : b->show(r->values[k]).s);
        page_raw(p, "</span>");
    }
    page_raw(p, "</span>\n");
}

static bool too_many(const bars *b)
{
    return b->series_count > 1 && b->count * b->series_count > BARS_MOST;
}

static void put_bars_row(page *p, const bars *b, const scale *s, size_t i)
{
    const bars_row *r = &b->rows[i];
    const char *sum = r->sum ? " sum" : "";

    page_raw(p, "<span class=\"name%s\">", sum);
    page_text(p, r->name);
    if (r->why) {
        page_raw(p, "</span><span class=\"why\">");
        page_text(p, r->why);
        page_raw(p, "</span><span class=\"value\">-</span>\n");
        return;
    }
    page_raw(p, "</span>");
    if (too_many(b) && !r->sum)
        bars_strip(p, b, s, i);
    else
        put_row_bars(p, b, s, i);
}

static const char *anchor(double x)
{
    return x < 4 ? "start" : x > 96 ? "end" : "middle";
}

static void put_bars_axis(page *p, const bars *b, const scale *s)
{
    bool sides = b->left || b->right;

    page_raw(p,
             "<span></span><svg class=\"axis\" width=\"100%%\" "
             "height=\"%u\">",
             sides ? 34 : 18);
    for (size_t i = 0; i < s->count; i++) {
        double x = scale_at(s, s->ticks[i]);

        page_raw(p, "<text x=\"%.2f%%\" y=\"13\" text-anchor=\"%s\">%s</text>",
                 x, anchor(x), scale_tick(s, i).s);
    }
    if (b->left) {
        page_raw(p, "<text x=\"0%%\" y=\"29\">\u2190 ");
        page_text(p, b->left);
        page_raw(p, "</text>");
    }
    if (b->right) {
        page_raw(p, "<text x=\"100%%\" y=\"29\" text-anchor=\"end\">");
        page_text(p, b->right);
        page_raw(p, " \u2192</text>");
    }
    page_raw(p, "</svg><span></span>\n");
}

static void put_bars_table(page *p, const bars *b)
{
    page_column *columns = new0(b->series_count + 1, sizeof *columns);

    columns[0] = (page_column){.name = chart_rows(&b->is)};
    for (size_t k = 0; k < b->series_count; k++)
        columns[k + 1] = (page_column){.name = b->series[k], .number = true};
    chart_behind(p);
    page_table(p, b->is.title, b->is.file, columns, b->series_count + 1);
    for (size_t i = 0; i < b->count; i++) {
        const bars_row *r = &b->rows[i];

        if (r->why)
            page_row_bad(p);
        else if (r->sum)
            page_row_sum(p);
        page_cell(p, "%s", r->name);
        for (size_t k = 0; k < b->series_count; k++) {
            double v = r->why ? NAN : r->values[k];

            page_number(p, v, "%s", isnan(v) ? "-" : b->show(v).s);
        }
    }
    page_table_end(p);
    free(columns);
}

/* What sums up many rows stands above them, where it is found. */
static void put_rows(page *p, const bars *b, const scale *s)
{
    bool above = too_many(b);

    for (size_t i = 0; i < b->count && above; i++)
        if (b->rows[i].sum)
            put_bars_row(p, b, s, i);
    if (above)
        put_bars_axis(p, b, s);
    for (size_t i = 0; i < b->count; i++)
        if (!above || !b->rows[i].sum)
            put_bars_row(p, b, s, i);
}

void chart_bars(page *p, const bars *b)
{
    scale s = find_scale(b);

    chart_begin(p, &b->is, b->series, b->series_count, b->colour);
    page_raw(p, "<div class=\"rows\" role=\"img\" aria-label=\"");
    page_text(p, b->is.about);
    page_raw(p, "\">\n");
    put_rows(p, b, &s);
    put_bars_axis(p, b, &s);
    page_raw(p, "</div>\n");
    put_bars_table(p, b);
    chart_end(p);
}
