/* src/page/chart/chart_roofline.c - work over bytes below the roofs of what
 * moves the bytes and of what does the work. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "page/chart/axes.h"
#include "page/impl.h"

enum { HEIGHT = 380 }; /* pixels */

/* From before the first ridge to beyond the last one. */
static scale find_x(const roofline *r)
{
    size_t n = 0;
    double *v =
        new0(r->count + 2 * r->slope_count * r->flat_count + 1, sizeof *v);
    scale s;

    for (size_t i = 0; i < r->count; i++)
        v[n++] = r->points[i].x;
    for (size_t i = 0; i < r->slope_count; i++)
        for (size_t k = 0; k < r->flat_count; k++)
            for (unsigned side = 0; side < 2; side++)
                v[n++] =
                    (side ? 1.5 : 0.4) * r->flats[k].peak / r->slopes[i].peak;
    s = scale_log(v, n);
    free(v);
    return s;
}

static scale find_y(const roofline *r)
{
    size_t n = 0;
    double *v = new0(r->count + r->flat_count + 1, sizeof *v);
    scale s;

    for (size_t i = 0; i < r->count; i++)
        v[n++] = r->points[i].y / 2;
    for (size_t i = 0; i < r->flat_count; i++)
        v[n++] = r->flats[i].peak;
    s = scale_log(v, n);
    free(v);
    return s;
}

static double highest(const roofline *r)
{
    double most = 0;

    for (size_t i = 0; i < r->flat_count; i++)
        most = fmax(most, r->flats[i].peak);
    return most;
}

/* What the roof is called stands on it. */
static void put_roof_name(page *p, const axes *a, const roof *of, double x,
                          double y, bool slope)
{
    page_raw(p,
             "<text class=\"roof-name\" x=\"%.2f%%\" y=\"%.2f%%\" dx=\"%d\" "
             "dy=\"%d\" text-anchor=\"%s\">",
             axes_x(a, x), axes_y(a, y), slope ? 6 : -4, slope ? 12 : -5,
             slope ? "start" : "end");
    page_text(p, of->name);
    page_raw(p, "</text>");
}

static void put_slope(page *p, const axes *a, const roofline *r, size_t i)
{
    const roof *of = &r->slopes[i];
    double from = fmax(a->x.low, a->y.low / of->peak);
    double to = highest(r) / of->peak, at;
    char name[32];

    to = fmin(fmin(to, a->x.high), a->y.high / of->peak);
    if (!(to > from))
        return;
    snprintf(name, sizeof name, "roof s%u", of->colour % CHART_COLOURS);
    axes_line(p, a, name, from, from * of->peak, to, to * of->peak);
    /* Names of neighbours at different heights. */
    at = from * pow(to / from, 0.12 + 0.2 * (double)(i % 4));
    put_roof_name(p, a, of, at, at * of->peak, true);
}

static void put_flat(page *p, const axes *a, const roofline *r, size_t i)
{
    const roof *of = &r->flats[i];
    double from = a->x.high;

    for (size_t k = 0; k < r->slope_count; k++)
        from = fmin(from, of->peak / r->slopes[k].peak);
    axes_line(p, a, "roof", fmax(from, a->x.low), of->peak, a->x.high,
              of->peak);
    put_roof_name(p, a, of, a->x.high, of->peak, false);
}

static void put_about(page *p, const roofline *r, const roofline_point *at)
{
    page_text(p, at->name);
    page_raw(p, ", ");
    page_text(p, at->of);
    page_raw(p, ": ");
    page_text(p, r->x_show(at->x).s);
    page_text(p, r->x);
    page_raw(p, ", ");
    page_text(p, r->y_show(at->y).s);
    page_text(p, r->y);
    page_raw(p, ", ");
    page_text(p, word_percent(at->y / at->roof).s);
    page_raw(p, " of its roof");
}

/* The first kinds are larger: nothing hides those of the same place. */
static void put_mark(page *p, const axes *a, const roofline *r,
                     const roofline_point *at)
{
    if (!(at->x > 0) || !(at->y > 0))
        return;
    page_raw(p,
             "<circle class=\"mark c%u\" cx=\"%.2f%%\" cy=\"%.2f%%\" r=\"%u\" "
             "tabindex=\"0\" role=\"img\" aria-label=\"",
             at->colour % CHART_COLOURS, axes_x(a, at->x), axes_y(a, at->y),
             at->colour < 3 ? 10 - 3 * at->colour : 4);
    put_about(p, r, at);
    page_raw(p, "\"><title>");
    put_about(p, r, at);
    page_raw(p, "</title></circle>\n");
}

static void put_table(page *p, const roofline *r)
{
    const page_column columns[] = {
        {.name = chart_rows(&r->is)},     {.name = "level"},
        {.name = r->x, .number = true},   {.name = r->y, .number = true},
        {.name = "roof", .number = true}, {.name = "reached", .number = true}};

    chart_behind(p);
    page_table(p, r->is.title, r->is.file, columns, 6);
    for (size_t i = 0; i < r->count; i++) {
        const roofline_point *at = &r->points[i];

        page_cell(p, "%s", at->name);
        page_cell(p, "%s", at->of);
        page_number(p, at->x, "%s", r->x_show(at->x).s);
        page_number(p, at->y, "%s", r->y_show(at->y).s);
        page_number(p, at->roof, "%s", r->y_show(at->roof).s);
        page_number(p, at->y / at->roof, "%s",
                    word_percent(at->y / at->roof).s);
    }
    page_table_end(p);
}

void chart_roofline(page *p, const roofline *r)
{
    axes a = {find_x(r),   find_y(r),        r->x,  r->y,
              r->is.about, "agree roofline", HEIGHT};

    chart_begin(p, &r->is, NULL, 0, 0);
    page_raw(p, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < r->slope_count; i++)
        chart_key(p, r->slopes[i].name, r->slopes[i].colour);
    page_raw(p, "</ul>\n");
    axes_open(p, &a);
    for (size_t i = 0; i < r->slope_count; i++)
        put_slope(p, &a, r, i);
    for (size_t i = 0; i < r->flat_count; i++)
        put_flat(p, &a, r, i);
    for (size_t i = 0; i < r->count; i++)
        put_mark(p, &a, r, &r->points[i]);
    axes_close(p, &a);
    page_raw(p, "<p class=\"told\" role=\"status\"></p>\n");
    put_table(p, r);
    chart_end(p);
}
