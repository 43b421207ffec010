/* src/page/chart_scatter.c - points, and which of them none beats. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "page/chart.h"
#include "page/impl.h"
#include "page/scale.h"

enum {
    HEIGHT = 340, /* pixels */
    WIDTH = 900,  /* likewise, on a large screen */
    RIGHT = 55,   /* percent: labels stand to the left from here on */
    SHORT = 14,   /* characters of labels that have room on phones */
    FEW = 12      /* points that all have labels */
};

static scale find_scale(const scatter *s, bool y)
{
    double *values = calloc(s->count + 1, sizeof *values);
    scale found;

    MUST(values != NULL);
    for (size_t i = 0; i < s->count; i++)
        values[i] = y ? s->points[i].y : s->points[i].x;
    found = scale_tight(values, s->count);
    free(values);
    return found;
}

static void put_grid(page *p, const scale *x, const scale *y)
{
    for (size_t i = 0; i < x->count; i++)
        page_raw(p,
                 "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" "
                 "y2=\"100%%\"/>",
                 scale_at(x, x->ticks[i]), scale_at(x, x->ticks[i]));
    for (size_t i = 0; i < y->count; i++)
        page_raw(p,
                 "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.2f%%\" "
                 "y2=\"%.2f%%\"/>",
                 100 - scale_at(y, y->ticks[i]),
                 100 - scale_at(y, y->ticks[i]));
}

static int by_x(const void *a, const void *b)
{
    const scatter_point *const *p = a, *const *q = b;

    if ((*p)->x != (*q)->x)
        return (*p)->x < (*q)->x ? -1 : 1;
    return (*p)->y < (*q)->y ? -1 : (*p)->y > (*q)->y;
}

/* Lines from one point of the front to the next. */
static void put_front(page *p, const scatter *s, const scale *x, const scale *y)
{
    const scatter_point **front = calloc(s->count + 1, sizeof(void *));
    size_t n = 0;

    MUST(front != NULL);
    for (size_t i = 0; i < s->count; i++)
        if (s->points[i].front)
            front[n++] = &s->points[i];
    if (n)
        qsort(front, n, sizeof *front, by_x);
    for (size_t i = 0; i + 1 < n; i++)
        page_raw(p,
                 "<line class=\"front\" x1=\"%.2f%%\" y1=\"%.2f%%\" "
                 "x2=\"%.2f%%\" y2=\"%.2f%%\"/>",
                 scale_at(x, front[i]->x), 100 - scale_at(y, front[i]->y),
                 scale_at(x, front[i + 1]->x),
                 100 - scale_at(y, front[i + 1]->y));
    free(front);
}

/* Labels so far, where none may stand on another; in percent of a plot of
 * WIDTH by HEIGHT pixels. */
typedef struct scatter_labels {
    struct {
        double left, right, y;
    } * box;
    size_t count;
} scatter_labels;

static bool fits(scatter_labels *l, double x, double y, size_t length)
{
    double width = 100. * 6.6 * (double)length / WIDTH;
    double left = x > RIGHT ? x - width : x;
    double right = left + width;

    if (left < 0 || right > 102)
        return false;
    for (size_t i = 0; i < l->count; i++)
        if (fabs(l->box[i].y - y) < 100. * 14 / HEIGHT &&
            left < l->box[i].right && right > l->box[i].left)
            return false;
    l->box[l->count].left = left;
    l->box[l->count].right = right;
    l->box[l->count++].y = y;
    return true;
}

static void put_label(page *p, const scatter_point *at, double x, double y)
{
    page_raw(p,
             "<text class=\"label%s\" x=\"%.2f%%\" y=\"%.2f%%\" dx=\"%s\" "
             "dy=\"-8\" text-anchor=\"%s\">",
             strlen(at->name) > SHORT ? " long" : "", x, y,
             x > RIGHT ? "-4" : "4", x > RIGHT ? "end" : "start");
    page_text(p, at->name);
    page_raw(p, "</text>\n");
}

static void put_point(page *p, const scatter *s, const scatter_point *at,
                      const scale *xs, const scale *ys)
{
    double x = scale_at(xs, at->x), y = 100 - scale_at(ys, at->y);
    char colour[16] = "x";

    if (at->colour != CHART_REST)
        snprintf(colour, sizeof colour, "%u", at->colour % CHART_COLOURS);
    page_raw(p,
             "<circle class=\"c%s\" cx=\"%.2f%%\" cy=\"%.2f%%\" "
             "r=\"%s\"><title>",
             colour, x, y, at->front ? "6" : "4.5");
    page_text(p, at->name);
    page_raw(p, ": ");
    page_text(p, s->x);
    page_raw(p, " ");
    page_text(p, s->x_show(at->x).s);
    page_raw(p, ", ");
    page_text(p, s->y);
    page_raw(p, " ");
    page_text(p, s->y_show(at->y).s);
    page_raw(p, "</title></circle>\n");
}

static int layer_of(const scatter_point *at)
{
    return at->front ? 2 : at->colour != CHART_REST;
}

/* Those of the front stand above the others, and have their labels first. */
static void put_points(page *p, const scatter *s, const scale *xs,
                       const scale *ys)
{
    scatter_labels labels = {calloc(s->count + 1, sizeof *labels.box), 0};

    MUST(labels.box != NULL);
    for (int layer = 0; layer < 3; layer++)
        for (size_t i = 0; i < s->count; i++)
            if (layer_of(&s->points[i]) == layer)
                put_point(p, s, &s->points[i], xs, ys);
    for (int front = 1; front >= 0; front--)
        for (size_t i = 0; i < s->count; i++) {
            const scatter_point *at = &s->points[i];
            double x = scale_at(xs, at->x), y = 100 - scale_at(ys, at->y);

            if (at->front == front && (front || s->count <= FEW) &&
                fits(&labels, x, y, strlen(at->name)))
                put_label(p, at, x, y);
        }
    free(labels.box);
}

static void put_y_ticks(page *p, const scale *y)
{
    page_raw(p,
             "<svg class=\"axis\" width=\"48\" height=\"%d\" "
             "aria-hidden=\"true\">",
             HEIGHT);
    for (size_t i = 0; i < y->count; i++) {
        double at = 100 - scale_at(y, y->ticks[i]);

        page_raw(p,
                 "<text x=\"46\" y=\"%.2f%%\" dy=\"%s\" "
                 "text-anchor=\"end\">%s</text>",
                 at,
                 at < 2    ? "10"
                 : at > 98 ? "0"
                           : "4",
                 scale_tick(y, i).s);
    }
    page_raw(p, "</svg>\n");
}

static void put_x_ticks(page *p, const scale *x)
{
    page_raw(p, "<span></span><svg class=\"axis\" width=\"100%%\" "
                "height=\"18\" aria-hidden=\"true\">");
    for (size_t i = 0; i < x->count; i++) {
        double at = scale_at(x, x->ticks[i]);

        page_raw(p, "<text x=\"%.2f%%\" y=\"14\" text-anchor=\"%s\">%s</text>",
                 at,
                 at < 3    ? "start"
                 : at > 97 ? "end"
                           : "middle",
                 scale_tick(x, i).s);
    }
    page_raw(p, "</svg>\n");
}

static void put_behind(page *p, const scatter *s)
{
    const page_column columns[] = {{.name = chart_rows(&s->is)},
                                   {.name = s->x, .number = true},
                                   {.name = s->y, .number = true},
                                   {.name = "on the front"}};

    chart_behind(p);
    page_table(p, s->is.title, s->is.file, columns, 4);
    for (size_t i = 0; i < s->count; i++) {
        const scatter_point *at = &s->points[i];

        page_cell(p, "%s", at->name);
        page_number(p, at->x, "%s", s->x_show(at->x).s);
        page_number(p, at->y, "%s", s->y_show(at->y).s);
        page_cell(p, "%s", at->front ? "yes" : "no");
    }
    page_table_end(p);
}

void chart_scatter(page *p, const scatter *s)
{
    scale x = find_scale(s, false), y = find_scale(s, true);

    chart_begin(p, &s->is, NULL, 0, 0);
    page_raw(p, "<div class=\"scatter\" role=\"img\" aria-label=\"");
    page_text(p, s->is.about);
    page_raw(p, "\">\n<p class=\"up\">");
    page_text(p, s->y);
    page_raw(p, " (%s is better)</p>\n", s->y_less ? "less" : "more");
    put_y_ticks(p, &y);
    page_raw(p, "<svg class=\"plot\" width=\"100%%\" height=\"%d\">", HEIGHT);
    put_grid(p, &x, &y);
    put_front(p, s, &x, &y);
    put_points(p, s, &x, &y);
    page_raw(p, "</svg>\n");
    put_x_ticks(p, &x);
    page_raw(p, "<p>");
    page_text(p, s->x);
    page_raw(p, " (%s is better)</p>\n</div>\n", s->x_less ? "less" : "more");
    put_behind(p, s);
    chart_end(p);
}
