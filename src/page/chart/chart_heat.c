/* src/page/chart/chart_heat.c - a table of colours: two axes and a value. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "page/chart/chart.h"
#include "page/impl.h"

enum {
    FEW = 14,  /* columns whose values can be written */
    MANY = 24, /* rows that are low, and without values */
};

static unsigned row_height(const heat *h)
{
    return h->row_count > MANY ? 14 : 26;
}

static double heat_value(const heat *h, size_t r, size_t c)
{
    return h->values[r * h->column_count + c];
}

typedef struct heat_range {
    double low, high, most; /* most: the largest |ln|, of ratios */
} heat_range;

static heat_range find_heat_range(const heat *h)
{
    /* A ratio of 10 % is the least that has the full colour. */
    heat_range r = {INFINITY, -INFINITY, log(1.1)};

    for (size_t i = 0; i < h->row_count * h->column_count; i++) {
        double v = h->values[i];

        if (isnan(v))
            continue;
        r.low = fmin(r.low, v);
        r.high = fmax(r.high, v);
        if (h->ratio && v > 0)
            r.most = fmax(r.most, fabs(log(v)));
    }
    return r;
}

/* From 0, nothing, to 1. */
static double colour_strength(const heat *h, const heat_range *r, double v)
{
    if (h->ratio)
        return v > 0 && r->most > 0 ? fabs(log(v)) / r->most : 0;
    return r->high > r->low ? (v - r->low) / (r->high - r->low) : 0;
}

static void put_heat_cell(page *p, const heat *h, const heat_range *r,
                          size_t row, size_t column)
{
    double v = heat_value(h, row, column),
           width = 100. / (double)h->column_count;
    double x = width * (double)column;
    double deep = isnan(v) ? 0 : colour_strength(h, r, v);

    page_raw(p,
             "<g><rect x=\"%.2f%%\" y=\"0\" width=\"%.2f%%\" height=\"%u\" "
             "class=\"%s\" fill-opacity=\"%.2f\"><title>",
             x, width, row_height(h),
             isnan(v)            ? "none"
             : h->ratio && v < 1 ? "q1"
                                 : "q0",
             isnan(v) ? 1 : 0.06 + 0.94 * deep);
    page_text(p, h->rows[row]);
    page_raw(p, ", ");
    page_text(p, h->columns[column]);
    page_raw(p, ": ");
    page_text(p, isnan(v) ? "missing" : h->show(v).s);
    page_raw(p, "</title></rect>");
    if (h->column_count <= FEW && h->row_count <= MANY) {
        page_raw(p, "<text x=\"%.2f%%\" y=\"17\" text-anchor=\"middle\"%s>",
                 x + width / 2, deep > 0.55 ? " class=\"strong\"" : "");
        page_text(p, isnan(v) ? "-" : h->show(v).s);
        page_raw(p, "</text>");
    }
    page_raw(p, "</g>");
}

/* As many names as there is room for. */
static void put_columns(page *p, const heat *h)
{
    size_t step = (h->column_count + FEW - 1) / FEW;

    page_raw(p, "<span class=\"name\">");
    page_text(p, h->rows_are);
    page_raw(p, " \u2193 &nbsp; ");
    page_text(p, h->columns_are);
    page_raw(p, " \u2192</span><svg width=\"100%%\" height=\"20\">");
    for (size_t c = 0; c < h->column_count; c += step ? step : 1) {
        page_raw(p, "<text x=\"%.2f%%\" y=\"14\" text-anchor=\"middle\">",
                 100. * ((double)c + 0.5) / (double)h->column_count);
        page_text(p, h->columns[c]);
        page_raw(p, "</text>");
    }
    page_raw(p, "</svg>\n");
}

static void put_heat_table(page *p, const heat *h)
{
    page_column *columns = new0(h->column_count + 1, sizeof *columns);

    columns[0] = (page_column){.name = h->rows_are};
    for (size_t c = 0; c < h->column_count; c++)
        columns[c + 1] = (page_column){.name = h->columns[c], .number = true};
    chart_behind(p);
    page_table(p, h->is.title, h->is.file, columns, h->column_count + 1);
    for (size_t r = 0; r < h->row_count; r++) {
        page_cell(p, "%s", h->rows[r]);
        for (size_t c = 0; c < h->column_count; c++) {
            double v = heat_value(h, r, c);

            page_number(p, v, "%s", isnan(v) ? "-" : h->show(v).s);
        }
    }
    page_table_end(p);
    free(columns);
}

void chart_heat(page *p, const heat *h)
{
    heat_range r = find_heat_range(h);

    chart_begin(p, &h->is, NULL, 0, 0);
    page_raw(p, "<div class=\"heat\" role=\"img\" aria-label=\"");
    page_text(p, h->is.about);
    page_raw(p, "\">\n");
    put_columns(p, h);
    for (size_t i = 0; i < h->row_count; i++) {
        page_raw(p, "<span class=\"name\">");
        page_text(p, h->rows[i]);
        page_raw(p, "</span><svg width=\"100%%\" height=\"%u\">",
                 row_height(h));
        for (size_t c = 0; c < h->column_count; c++)
            put_heat_cell(p, h, &r, i, c);
        page_raw(p, "</svg>\n");
    }
    page_raw(p, "</div>\n");
    put_heat_table(p, h);
    chart_end(p);
}
