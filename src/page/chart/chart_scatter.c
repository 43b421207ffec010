/* src/page/chart/chart_scatter.c - points, and which of them none beats. */
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
    HEIGHT = 340, /* pixels */
    WIDE = 530,   /* likewise, on the smallest page that is no phone's */
    PHONE = 270,  /* likewise, on the smallest one */
    MARGIN = 12,  /* likewise: what a label may reach beyond the plot */
    RIGHT = 55,   /* percent: labels stand to the left from here on */
    POINT = 7,    /* pixels: radii with their edges */
    RING = 10,
    FEW = 12 /* points that all have labels */
};

static scale find_scale(const scatter *s, bool y)
{
    double *values = new0(s->count + 1, sizeof *values);
    scale found;

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
static void put_front_line(page *p, const scatter *s, const scale *x,
                           const scale *y)
{
    const scatter_point **front = new0(s->count + 1, sizeof(void *));
    size_t n = 0;

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

/* ---- Labels: none on a point or on another one ---- */

/* Pixels from the point to the text: it ends there if it stands to the left. */
typedef struct place {
    double dx, dy;
    bool left;
} place;

static const place places[] = {{4, -8, false}, {-4, -8, true}, {12, 4, false},
                               {-12, 4, true}, {4, 18, false}, {-4, 18, true}};

typedef struct box {
    double left, right, top, bottom;
} box;

/* What stands on a plot of a width, which is the least one of its kind: on a
 * wider one everything is further apart. Points first, then labels. */
typedef struct layout {
    double width;
    box *boxes;
    size_t count;
} layout;

typedef struct label {
    const char *text; /* NULL: there is no room */
    const place *at;
} label;

static bool boxes_overlap(const box *a, const box *b)
{
    return a->left < b->right && a->right > b->left && a->top < b->bottom &&
           a->bottom > b->top;
}

static bool box_fits(const layout *l, const box *b)
{
    if (b->left < 0 || b->right > l->width + MARGIN || b->top < 0 ||
        b->bottom > HEIGHT)
        return false;
    for (size_t i = 0; i < l->count; i++)
        if (boxes_overlap(&l->boxes[i], b))
            return false;
    return true;
}

static box text_box(const layout *l, double x, double y, const char *text,
                    const place *at)
{
    double from = x / 100 * l->width + at->dx, base = y / 100 * HEIGHT + at->dy;
    double width = 6.6 * (double)strlen(text);

    return (box){at->left ? from - width : from, at->left ? from : from + width,
                 base - 11, base + 3};
}

/* Wherever around the point it has room; x and y in percent. */
static label find_label(layout *l, const char *text, double x, double y)
{
    for (size_t i = 0; i < COUNTOF(places); i++) {
        const place *at = &places[x > RIGHT ? i ^ 1 : i];
        box b = text_box(l, x, y, text, at);

        if (box_fits(l, &b)) {
            l->boxes[l->count++] = b;
            return (label){text, at};
        }
    }
    return (label){NULL, NULL};
}

/* The label of the base comes first, then those of the front, then others. */
static int rank_of(const scatter *s, const scatter_point *at)
{
    return at->base ? 0 : at->front ? 1 : s->count <= FEW ? 2 : 3;
}

static void add_points(const scatter *s, const scale *xs, const scale *ys,
                       layout *l)
{
    l->count = 0;
    for (size_t i = 0; i < s->count; i++) {
        double x = scale_at(xs, s->points[i].x) / 100 * l->width;
        double y = (100 - scale_at(ys, s->points[i].y)) / 100 * HEIGHT;

        double r = s->points[i].base ? RING : POINT;

        l->boxes[l->count++] = (box){x - r, x + r, y - r, y + r};
    }
}

/* False if one has no room. */
static bool add_labels(const scatter *s, const scale *xs, const scale *ys,
                       bool marks, layout *l, label *out)
{
    bool all = true;

    for (int rank = 0; rank < 3; rank++)
        for (size_t i = 0; i < s->count; i++) {
            const scatter_point *at = &s->points[i];
            const char *text = marks && at->mark ? at->mark : at->name;

            if (rank_of(s, at) != rank)
                continue;
            out[i] = find_label(l, at->base && at->mark ? "base" : text,
                                scale_at(xs, at->x), 100 - scale_at(ys, at->y));
            all &= out[i].text != NULL;
        }
    return all;
}

/* Names if all have room, else marks. Of each point, for the caller to free. */
static label *find_labels(const scatter *s, double width, const scale *xs,
                          const scale *ys)
{
    layout l = {width, new0(2 * s->count + 1, sizeof *l.boxes), 0};
    label *found = new0(s->count + 1, sizeof *found);

    MUST(l.boxes);
    add_points(s, xs, ys, &l);
    if (!add_labels(s, xs, ys, false, &l, found)) {
        add_points(s, xs, ys, &l);
        add_labels(s, xs, ys, true, &l, found);
    }
    free(l.boxes);
    return found;
}

static void put_label(page *p, const label *l, const char *where, double x,
                      double y)
{
    if (!l->text)
        return;
    page_raw(p,
             "<text class=\"label%s\" x=\"%.2f%%\" y=\"%.2f%%\" dx=\"%g\" "
             "dy=\"%g\" text-anchor=\"%s\">",
             where, x, y, l->at->dx, l->at->dy, l->at->left ? "end" : "start");
    page_text(p, l->text);
    page_raw(p, "</text>\n");
}

static void put_labels(page *p, const scatter *s, const scale *xs,
                       const scale *ys)
{
    label *wide = find_labels(s, WIDE, xs, ys);
    label *phone = find_labels(s, PHONE, xs, ys);

    for (size_t i = 0; i < s->count; i++) {
        double x = scale_at(xs, s->points[i].x);
        double y = 100 - scale_at(ys, s->points[i].y);
        const label *a = &wide[i], *b = &phone[i];

        if (a->text == b->text && a->at == b->at) {
            put_label(p, a, "", x, y);
            continue;
        }
        put_label(p, a, " long", x, y);
        put_label(p, b, " phone", x, y);
    }
    free(wide);
    free(phone);
}

/* ---- Points ---- */

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

/* Those of the front stand above the others, the ring of the base above all. */
static void put_points(page *p, const scatter *s, const scale *xs,
                       const scale *ys)
{
    for (int layer = 0; layer < 3; layer++)
        for (size_t i = 0; i < s->count; i++)
            if (layer_of(&s->points[i]) == layer)
                put_point(p, s, &s->points[i], xs, ys);
    for (size_t i = 0; i < s->count; i++)
        if (s->points[i].base)
            page_raw(p,
                     "<circle class=\"base\" cx=\"%.2f%%\" cy=\"%.2f%%\" "
                     "r=\"9\"/>\n",
                     scale_at(xs, s->points[i].x),
                     100 - scale_at(ys, s->points[i].y));
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

static void put_scatter_table(page *p, const scatter *s)
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
    if (!s->apart)
        put_front_line(p, s, &x, &y);
    put_points(p, s, &x, &y);
    put_labels(p, s, &x, &y);
    page_raw(p, "</svg>\n");
    put_x_ticks(p, &x);
    page_raw(p, "<p>");
    page_text(p, s->x);
    page_raw(p, " (%s is better)</p>\n</div>\n", s->x_less ? "less" : "more");
    put_scatter_table(p, s);
    chart_end(p);
}
