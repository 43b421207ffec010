/* src/page/chart/chart_hist.c - distributions: how often a value came, a row
 * for each kernel. Widths are ranges of values, areas are shares. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "page/chart/chart.h"
#include "page/chart/scale.h"
#include "page/impl.h"

enum { HEIGHT = 40, LINEAR = 64 /* up to here the axis is linear */ };

/* Where a bin ends that has no end: as far as it can be seen. */
static double end_of_bin(const hist_bin *b)
{
    return isinf(b->hi) ? 1.25 * b->lo + 1 : b->hi;
}

static double find_most(const hists *h)
{
    double most = 1;

    for (size_t i = 0; i < h->count; i++)
        for (size_t k = 0; k < h->rows[i].count; k++)
            most = fmax(most, end_of_bin(&h->rows[i].bins[k]));
    return most;
}

/* In percent: linear, or by the logarithm of one more than the value. */
static double percent_of_width(double v, double most)
{
    return 100 * (most <= LINEAR ? v / most : log1p(v) / log1p(most));
}

static double total(const hist_row *r)
{
    double sum = 0;

    for (size_t i = 0; i < r->count; i++)
        sum += (double)r->bins[i].n;
    return sum;
}

/* The bin of the median. */
static const hist_bin *middle(const hist_row *r, double *before)
{
    double half = total(r) / 2, sum = 0;

    for (size_t i = 0; i < r->count; i++) {
        *before = half - sum;
        sum += (double)r->bins[i].n;
        if (sum >= half)
            return &r->bins[i];
    }
    return NULL;
}

/* As if the values of a bin, whole numbers, were spread evenly. */
static void put_median(page *p, const hist_row *r)
{
    double before;
    const hist_bin *b = middle(r, &before);

    if (!b)
        page_text(p, "-");
    else if (isinf(b->hi))
        page_raw(p, "median \u2265 %.0f", b->lo);
    else
        page_raw(p, "median %.0f",
                 b->lo + (b->hi - 1 - b->lo) * before / (double)b->n);
}

static double density(const hist_bin *b, double most)
{
    double width =
        percent_of_width(end_of_bin(b), most) - percent_of_width(b->lo, most);

    return width > 0 ? (double)b->n / width : 0;
}

static void put_bin(page *p, const hist_bin *b, double most, double highest,
                    double all)
{
    double x = percent_of_width(b->lo, most),
           width = percent_of_width(end_of_bin(b), most) - x;
    double height = HEIGHT * density(b, most) / highest;

    page_raw(p,
             "<rect x=\"%.2f%%\" width=\"%.2f%%\" y=\"%.1f\" "
             "height=\"%.1f\" class=\"c0\"><title>%.0f",
             x, width, HEIGHT - height, height, b->lo);
    if (isinf(b->hi))
        page_raw(p, " and more");
    else if (b->hi > b->lo + 1)
        page_raw(p, " to %.0f", b->hi - 1);
    page_raw(p, ": %s, ", word_grouped(b->n).s);
    page_text(p, word_percent((double)b->n / all).s);
    page_raw(p, "</title></rect>");
}

static void put_hist_row(page *p, const hist_row *r, double most)
{
    double highest = 0, all = total(r);

    for (size_t i = 0; i < r->count; i++)
        highest = fmax(highest, density(&r->bins[i], most));
    page_raw(p, "<span class=\"name\">");
    page_text(p, r->name);
    page_raw(p, "</span><svg class=\"hist\" width=\"100%%\" height=\"%d\">",
             HEIGHT + 8);
    for (size_t i = 0; i < r->count && highest > 0; i++)
        put_bin(p, &r->bins[i], most, highest, all);
    page_raw(p,
             "<line class=\"zero\" x1=\"0\" x2=\"100%%\" y1=\"%d\" "
             "y2=\"%d\"/></svg><span class=\"value\">",
             HEIGHT, HEIGHT);
    put_median(p, r);
    page_raw(p, "</span>\n");
}

static void put_hist_axis(page *p, double most, const char *unit)
{
    static const double decades[] = {0,   1,   3,   10,  30,  100, 300,
                                     1e3, 3e3, 1e4, 3e4, 1e5, 1e6, 1e7};
    static const double even[] = {0, 8, 16, 24, 32, 48, 64};
    const double *ticks = most <= LINEAR ? even : decades;
    size_t n = most <= LINEAR ? sizeof even / sizeof *even
                              : sizeof decades / sizeof *decades;
    double last = -100;

    page_raw(p, "<span></span><svg class=\"axis\" width=\"100%%\" "
                "height=\"18\">");
    for (size_t i = 0; i < n && ticks[i] <= most; i++) {
        double x = percent_of_width(ticks[i], most);

        if (x - last < 7)
            continue;
        last = x;
        page_raw(p,
                 "<text x=\"%.2f%%\" y=\"13\" text-anchor=\"%s\">%.0f"
                 "</text>",
                 x,
                 x < 3    ? "start"
                 : x > 97 ? "end"
                          : "middle",
                 ticks[i]);
    }
    page_raw(p, "</svg><span class=\"unit\">");
    page_text(p, unit);
    page_raw(p, "</span>\n");
}

static void put_hist_table(page *p, const hists *h)
{
    const page_column columns[] = {{.name = chart_rows(&h->is)},
                                   {.name = "from", .number = true},
                                   {.name = "to", .number = true},
                                   {.name = "count", .number = true}};

    chart_behind(p);
    page_table(p, h->is.title, h->is.file, columns, 4);
    for (size_t i = 0; i < h->count; i++)
        for (size_t k = 0; k < h->rows[i].count; k++) {
            const hist_bin *b = &h->rows[i].bins[k];

            page_cell(p, "%s", h->rows[i].name);
            page_number(p, b->lo, "%.0f", b->lo);
            page_number(p, isinf(b->hi) ? NAN : b->hi - 1,
                        isinf(b->hi) ? "-" : "%.0f", b->hi - 1);
            page_number(p, (double)b->n, "%s", word_grouped(b->n).s);
        }
    page_table_end(p);
}

void chart_hists(page *p, const hists *h)
{
    double most = find_most(h);

    chart_begin(p, &h->is, NULL, 0, 0);
    page_raw(p, "<div class=\"rows\" role=\"img\" aria-label=\"");
    page_text(p, h->is.about);
    page_raw(p, "\">\n");
    for (size_t i = 0; i < h->count; i++)
        put_hist_row(p, &h->rows[i], most);
    put_hist_axis(p, most, h->unit);
    page_raw(p, "</div>\n");
    put_hist_table(p, h);
    chart_end(p);
}
