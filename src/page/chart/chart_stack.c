/* src/page/chart/chart_stack.c - bars made of parts, those that are compared
 * below each other. Parts come by size; small ones are drawn as one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "page/chart/chart.h"
#include "page/chart/scale.h"
#include "page/impl.h"

enum {
    BAR = 18,
    GAP = 2,
    AROUND = 6,
    SHOWN = 10,
    BARS_MOST = 60 /* drawn */
};

typedef struct stacking {
    const stack *is;
    size_t order[SHOWN]; /* parts that are drawn, the first one leftmost */
    size_t shown;
    double *weight; /* of each part: its sum over all bars */
    bool *drawn;    /* of each group */
    size_t left_out;
    scale scale;
} stacking;

static double sum_of_parts(const stack *s, const stack_bar *b)
{
    double sum = 0;

    for (size_t i = 0; i < s->part_count; i++)
        sum += b->parts[i];
    return sum;
}

static void weigh(stacking *x)
{
    const stack *s = x->is;
    double most = 1;

    for (size_t g = 0; g < s->count; g++)
        for (size_t k = 0; k < s->groups[g].count; k++) {
            const stack_bar *b = &s->groups[g].bars[k];

            most = fmax(most, sum_of_parts(s, b));
            for (size_t i = 0; i < s->part_count; i++)
                x->weight[i] += b->parts[i];
        }
    x->scale = scale_linear(&most, 1);
    x->scale.high = most; /* the longest bar is as wide as the page */
    while (x->scale.count && x->scale.ticks[x->scale.count - 1] > most)
        x->scale.count--;
}

/* At least 1 % of all: smaller ones could not be seen. */
static void choose_parts(stacking *x)
{
    const stack *s = x->is;
    double all = 0;

    for (size_t i = 0; i < s->part_count; i++)
        all += x->weight[i];
    if (s->first && s->part_count)
        x->order[x->shown++] = 0;
    while (x->shown < SHOWN) {
        size_t best = s->part_count;

        for (size_t i = s->first; i < s->part_count; i++) {
            bool taken = false;

            for (size_t k = 0; k < x->shown; k++)
                taken |= x->order[k] == i;
            if (!taken && x->weight[i] >= all / 100 && x->weight[i] > 0 &&
                (best == s->part_count || x->weight[i] > x->weight[best]))
                best = i;
        }
        if (best == s->part_count)
            return;
        x->order[x->shown++] = best;
    }
}

/* Of the i-th part that is drawn. */
static unsigned colour_of(const stacking *x, size_t i)
{
    return x->is->colour ? x->is->colour(x->is->parts[x->order[i]])
                         : (unsigned)i;
}

/* By how much the bars of a group differ in length, at most. */
static double spread_of_group(const stack *s, const stack_group *g)
{
    double most = 0;

    for (size_t k = 1; k < g->count; k++)
        most = fmax(most, fabs(sum_of_parts(s, &g->bars[k]) -
                               sum_of_parts(s, g->bars)));
    return most;
}

/* If there are too many groups: those that differ most. */
static void choose_groups(stacking *x)
{
    const stack *s = x->is;
    size_t left = 0;

    for (size_t g = 0; g < s->count; g++) {
        x->drawn[g] = true;
        left += s->groups[g].count;
    }
    while (left > BARS_MOST && x->left_out + 1 < s->count) {
        size_t least = s->count;

        for (size_t g = 0; g < s->count; g++)
            if (x->drawn[g] && (least == s->count ||
                                spread_of_group(s, &s->groups[g]) <
                                    spread_of_group(s, &s->groups[least])))
                least = g;
        x->drawn[least] = false;
        x->left_out++;
        left -= s->groups[least].count;
    }
}

static double rest_of(const stacking *x, const stack_bar *b)
{
    double rest = sum_of_parts(x->is, b);

    for (size_t i = 0; i < x->shown; i++)
        rest -= b->parts[x->order[i]];
    return rest > 1e-9 ? rest : 0;
}

static void put_piece(page *p, const stacking *x, double from, double share,
                      unsigned y, unsigned colour, const char *title)
{
    double left = scale_at(&x->scale, from);
    double width = scale_at(&x->scale, from + share) - left;
    char what[256];

    if (share <= 0)
        return;
    snprintf(what, sizeof what, "%s: %s", title, word_percent(share).s);
    chart_box(p, left, width, y, BAR, colour, what);
    if (width >= 4)
        page_raw(p,
                 "<text class=\"on%s\" x=\"%.2f%%\" y=\"%u\" "
                 "text-anchor=\"middle\">%.0f</text>",
                 width < 9 ? " small" : "", left + width / 2, y + 13,
                 100 * share);
}

static void put_stack_bar(page *p, const stacking *x, const stack_bar *b,
                          unsigned y)
{
    double at = 0;
    char title[200];

    for (size_t i = 0; i < x->shown; i++) {
        double share = b->parts[x->order[i]];

        snprintf(title, sizeof title, "%.90s, %.90s", b->name,
                 x->is->parts[x->order[i]]);
        put_piece(p, x, at, share, y, colour_of(x, i), title);
        at += share;
    }
    snprintf(title, sizeof title, "%.90s, others", b->name);
    put_piece(p, x, at, rest_of(x, b), y, CHART_REST, title);
}

static void put_stack_group(page *p, const stacking *x, const stack_group *g)
{
    page_raw(p, "<span class=\"name group\">");
    page_text(p, g->name);
    page_raw(p, "</span><span class=\"name bars\">");
    for (size_t k = 0; k < g->count; k++) {
        page_raw(p, "<span>");
        page_text(p, g->bars[k].name);
        page_raw(p, "</span>");
    }
    page_raw(p, "</span><svg width=\"100%%\" height=\"%u\">",
             2 * AROUND + (unsigned)g->count * (BAR + GAP) - GAP);
    for (size_t i = 0; i < x->scale.count; i++) {
        double at = scale_at(&x->scale, x->scale.ticks[i]);

        page_raw(p,
                 "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" "
                 "y2=\"100%%\"/>",
                 at, at);
    }
    for (size_t k = 0; k < g->count; k++)
        put_stack_bar(p, x, &g->bars[k], AROUND + (unsigned)k * (BAR + GAP));
    page_raw(p, "</svg><span class=\"value bars\">");
    for (size_t k = 0; k < g->count; k++) {
        page_raw(p, "<span>");
        page_text(p, word_percent(sum_of_parts(x->is, &g->bars[k])).s);
        page_raw(p, "</span>");
    }
    page_raw(p, "</span>\n");
}

static void put_stack_axis(page *p, const scale *s)
{
    page_raw(p, "<span></span><span></span><svg class=\"axis\" "
                "width=\"100%%\" height=\"18\">");
    for (size_t i = 0; i < s->count; i++) {
        double at = scale_at(s, s->ticks[i]);

        page_raw(p,
                 "<text x=\"%.2f%%\" y=\"13\" text-anchor=\"%s\">%.0f"
                 "</text>",
                 at,
                 at < 4    ? "start"
                 : at > 96 ? "end"
                           : "middle",
                 100 * s->ticks[i]);
    }
    page_raw(p, "</svg><span class=\"unit\">%%</span>\n");
}

static void put_stack_table(page *p, const stacking *x)
{
    const stack *s = x->is;
    page_column *columns = new0(s->part_count + 2, sizeof *columns);
    size_t n = 0;

    columns[n++] = (page_column){.name = chart_rows(&s->is)};
    columns[n++] = (page_column){.name = "side"};
    for (size_t i = 0; i < s->part_count; i++)
        if (x->weight[i] > 0)
            columns[n++] =
                (page_column){.name = s->parts[i], .unit = "%", .number = true};
    chart_behind(p);
    page_table(p, s->is.title, s->is.file, columns, n);
    for (size_t g = 0; g < s->count; g++)
        for (size_t k = 0; k < s->groups[g].count; k++) {
            const stack_bar *b = &s->groups[g].bars[k];

            page_cell(p, "%s", s->groups[g].name);
            page_cell(p, "%s", b->name);
            for (size_t i = 0; i < s->part_count; i++)
                if (x->weight[i] > 0)
                    page_number(p, 100 * b->parts[i], "%.1f",
                                100 * b->parts[i]);
        }
    page_table_end(p);
    free(columns);
}

/* The legend is in the order of the pieces. */
static void begin_stack(page *p, const stacking *x)
{
    const char *names[SHOWN + 1];
    bool rest = false;

    for (size_t i = 0; i < x->shown; i++)
        names[i] = x->is->parts[x->order[i]];
    for (size_t g = 0; g < x->is->count; g++)
        for (size_t k = 0; k < x->is->groups[g].count; k++)
            rest |= rest_of(x, &x->is->groups[g].bars[k]) > 0;
    chart_begin(p, &x->is->is, NULL, 0, 0);
    page_raw(p, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < x->shown; i++)
        chart_key(p, names[i], colour_of(x, i));
    if (rest)
        chart_key(p, "others", CHART_REST);
    page_raw(p, "</ul>\n");
}

void chart_stack(page *p, const stack *s)
{
    stacking x = {.is = s};

    x.weight = new0(s->part_count + 1, sizeof *x.weight);
    x.drawn = new0(s->count + 1, sizeof *x.drawn);
    weigh(&x);
    choose_parts(&x);
    choose_groups(&x);
    begin_stack(p, &x);
    page_raw(p, "<div class=\"rows stacked\" role=\"img\" aria-label=\"");
    page_text(p, s->is.about);
    page_raw(p, "\">\n");
    for (size_t g = 0; g < s->count; g++)
        if (x.drawn[g])
            put_stack_group(p, &x, &s->groups[g]);
    put_stack_axis(p, &x.scale);
    page_raw(p, "</div>\n");
    if (x.left_out)
        page_note(p,
                  "Drawn are the %zu of %zu whose bars differ most; all are "
                  "in the table.",
                  s->count - x.left_out, s->count);
    put_stack_table(p, &x);
    chart_end(p);
    free(x.drawn);
    free(x.weight);
}
