/* src/page/chart/chart_agree.c - ours over theirs: both axes the same and
 * logarithmic, the diagonal where both agree, and bands around it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "page/chart/chart.h"
#include "page/chart/scale.h"
#include "page/impl.h"

enum {
    HEIGHT = 440, /* pixels */
    SHAPES = 8,
    RIGHT = 55 /* percent: names stand to the left from here on */
};

/* Around the middle, of about the same size. */
static const char *const shapes[SHAPES] = {
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
    "M-4.5 -4.5h9v9h-9z",
    "M0 -6.2l6.2 6.2l-6.2 6.2l-6.2 -6.2z",
    "M0 -5.8l6 10.4h-12z",
    "M0 5.8l6 -10.4h-12z",
    "M-2 -6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
    "M-6 -4l2 -2l4 4l4 -4l2 2l-4 4l4 4l-2 2l-4 -4l-4 4l-2 -2l4 -4z",
    "M-5 -2.9l5 -2.9l5 2.9v5.8l-5 2.9l-5 -2.9z",
};

static void put_shapes(page *p, unsigned id)
{
    page_raw(p, "<svg class=\"defs\" width=\"0\" height=\"0\" "
                "aria-hidden=\"true\"><defs>");
    for (unsigned i = 0; i < SHAPES; i++)
        page_raw(p, "<path id=\"shape%u-%u\" d=\"%s\"/>", id, i, shapes[i]);
    page_raw(p, "</defs></svg>\n");
}

static void put_legend(page *p, const agree *a, unsigned id)
{
    page_raw(p, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < a->kind_count; i++) {
        page_raw(p,
                 "<li><svg class=\"key\" width=\"14\" height=\"14\" "
                 "aria-hidden=\"true\"><use href=\"#shape%u-%zu\" x=\"7\" "
                 "y=\"7\" class=\"c%zu\"/></svg>",
                 id, i % SHAPES, i % CHART_COLOURS);
        page_text(p, a->kinds[i]);
        page_raw(p, "</li>\n");
    }
    page_raw(p, "</ul>\n");
}

/* One for both axes. */
static scale find_scale(const agree *a)
{
    double *v = new_array(2 * a->count + 1, sizeof *v);
    scale s;

    for (size_t i = 0; i < a->count; i++) {
        v[2 * i] = a->points[i].x;
        v[2 * i + 1] = a->points[i].y;
    }
    s = scale_log(v, 2 * a->count);
    free(v);
    return s;
}

/* From 1 / by to by times the other, in percent of the plot. */
static void put_band(page *p, const scale *s, double less, double more,
                     const char *class_name)
{
    double up = 100 * log(more) / log(s->high / s->low);
    double down = 100 * log(less) / log(s->high / s->low);

    page_raw(p,
             "<polygon class=\"%s\" points=\"0,%.2f 100,%.2f 100,%.2f "
             "0,%.2f\"/>",
             class_name, 100 - up, -up, -down, 100 - down);
}

/* Behind the plot, since only these stretch with it. */
static void put_bands(page *p, const scale *s)
{
    page_raw(p,
             "<svg class=\"bands\" width=\"100%%\" height=\"%d\" "
             "viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\" "
             "aria-hidden=\"true\">",
             HEIGHT);
    put_band(p, s, 0.75, 1.25, "wide-band");
    put_band(p, s, 0.9, 1.1, "band");
    page_raw(p, "</svg>\n");
}

static void put_lines(page *p, const scale *s)
{
    for (size_t i = 0; i < s->count; i++) {
        double at = scale_at(s, s->ticks[i]);

        page_raw(p,
                 "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" "
                 "y2=\"100%%\"/><line class=\"grid\" x1=\"0\" x2=\"100%%\" "
                 "y1=\"%.2f%%\" y2=\"%.2f%%\"/>",
                 at, at, 100 - at, 100 - at);
    }
    page_raw(p, "<line class=\"zero\" x1=\"0\" x2=\"100%%\" y1=\"100%%\" "
                "y2=\"0\"/>\n");
}

/* ---- Points ---- */

static int by_x(const void *a, const void *b)
{
    const agree_point *const *p = a, *const *q = b;

    return ((*p)->x > (*q)->x) - ((*p)->x < (*q)->x);
}

static void put_about(page *p, const agree *a, const agree_point *at)
{
    page_text(p, at->name);
    page_raw(p, ", ");
    page_text(p, a->kinds[at->kind]);
    page_raw(p, ": ");
    page_text(p, a->x);
    page_raw(p, " %s, ", a->show(at->x).s);
    page_text(p, a->y);
    page_raw(p, " %s, error %+.1f %%", a->show(at->y).s,
             100 * (at->y / at->x - 1));
}

static void put_point(page *p, const agree *a, const agree_point *at,
                      const scale *s, unsigned id)
{
    double x = scale_at(s, at->x), y = 100 - scale_at(s, at->y);

    page_raw(p,
             "<use href=\"#shape%u-%zu\" x=\"%.2f%%\" y=\"%.2f%%\" "
             "class=\"mark c%zu\" tabindex=\"0\" role=\"img\" aria-label=\"",
             id, at->kind % SHAPES, x, y, at->kind % CHART_COLOURS);
    put_about(p, a, at);
    page_raw(p, "\"><title>");
    put_about(p, a, at);
    page_raw(p,
             "</title></use><text class=\"name\" x=\"%.2f%%\" y=\"%.2f%%\" "
             "dx=\"%d\" dy=\"%d\" text-anchor=\"%s\" aria-hidden=\"true\">",
             x, y, x > RIGHT ? -9 : 9, y < 5 ? 14 : -7,
             x > RIGHT ? "end" : "start");
    page_text(p, at->name);
    page_raw(p, "</text>\n");
}

/* From left to right, which is the order of the Tab key. */
static void put_points(page *p, const agree *a, const scale *s, unsigned id)
{
    const agree_point **order = new0(a->count + 1, sizeof *order);

    for (size_t i = 0; i < a->count; i++)
        order[i] = &a->points[i];
    qsort(order, a->count, sizeof *order, by_x);
    for (size_t i = 0; i < a->count; i++)
        put_point(p, a, order[i], s, id);
    free(order);
}

/* ---- Axes ---- */

/* "500", "10 k", "2 M" */
static word tick_text(double v)
{
    static const char units[] = " kMGTP";
    size_t i = 0;
    word w;

    for (; v >= 999.5 && i + 2 < sizeof units; i++)
        v /= 1000;
    if (i)
        snprintf(w.s, sizeof w.s, "%g %c", v, units[i]);
    else
        snprintf(w.s, sizeof w.s, "%g", v);
    return w;
}

static void put_y_ticks(page *p, const scale *s)
{
    page_raw(p,
             "<svg class=\"axis\" width=\"48\" height=\"%d\" "
             "aria-hidden=\"true\">",
             HEIGHT);
    for (size_t i = 0; i < s->count; i++) {
        double at = 100 - scale_at(s, s->ticks[i]);

        page_raw(p,
                 "<text x=\"46\" y=\"%.2f%%\" dy=\"%s\" "
                 "text-anchor=\"end\">%s</text>",
                 at,
                 at < 2    ? "10"
                 : at > 98 ? "0"
                           : "4",
                 tick_text(s->ticks[i]).s);
    }
    page_raw(p, "</svg>\n");
}

static void put_x_ticks(page *p, const scale *s)
{
    page_raw(p, "<span></span><svg class=\"axis\" width=\"100%%\" "
                "height=\"18\" aria-hidden=\"true\">");
    for (size_t i = 0; i < s->count; i++) {
        double at = scale_at(s, s->ticks[i]);

        page_raw(p, "<text x=\"%.2f%%\" y=\"14\" text-anchor=\"%s\">%s</text>",
                 at,
                 at < 3    ? "start"
                 : at > 97 ? "end"
                           : "middle",
                 tick_text(s->ticks[i]).s);
    }
    page_raw(p, "</svg>\n");
}

static void put_agree_table(page *p, const agree *a)
{
    const page_column columns[] = {{.name = chart_rows(&a->is)},
                                   {.name = a->kinds_are},
                                   {.name = a->x, .number = true},
                                   {.name = a->y, .number = true},
                                   {.name = "error", .number = true}};

    chart_behind(p);
    page_table(p, a->is.title, a->is.file, columns, COUNTOF(columns));
    for (size_t i = 0; i < a->count; i++) {
        const agree_point *at = &a->points[i];
        double error = at->y / at->x - 1;

        page_cell(p, "%s", at->name);
        page_cell(p, "%s", a->kinds[at->kind]);
        page_number(p, at->x, "%s", a->show(at->x).s);
        page_number(p, at->y, "%s", a->show(at->y).s);
        page_number(p, error, "%+.1f %%", 100 * error);
    }
    page_table_end(p);
}

void chart_agree(page *p, const agree *a)
{
    scale s = find_scale(a);
    unsigned id;

    chart_begin(p, &a->is, NULL, 0, 0);
    id = p->ids;
    put_shapes(p, id);
    put_legend(p, a, id);
    page_raw(p, "<div class=\"scatter agree\" role=\"group\" aria-label=\"");
    page_text(p, a->is.about);
    page_raw(p, "\">\n<p class=\"up\">");
    page_text(p, a->y);
    page_raw(p, "</p>\n");
    put_y_ticks(p, &s);
    put_bands(p, &s);
    page_raw(p, "<svg class=\"plot\" width=\"100%%\" height=\"%d\">", HEIGHT);
    put_lines(p, &s);
    put_points(p, a, &s, id);
    page_raw(p, "</svg>\n");
    put_x_ticks(p, &s);
    page_raw(p, "<p>");
    page_text(p, a->x);
    page_raw(p, "</p>\n</div>\n<p class=\"told\" aria-live=\"polite\"></p>\n");
    put_agree_table(p, a);
    chart_end(p);
}
