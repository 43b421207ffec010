/* src/page/chart/chart_strip.c - many series of many rows: a mark for each
 * series on one thin line a row, where bars would take pages. */
#include <math.h>
#include <stdio.h>

#include "page/chart/bars.h"
#include "page/impl.h"

enum {
    RADIUS = 4,  /* pixels */
    APART = 3,   /* lines of marks that follow, if they are few */
    SPREAD = 21, /* of all of them at most */
    MARGIN = 6   /* above the first and below the last */
};

/* Marks of a row do not hide each other where values are equal. */
static double height_between(const bars *b)
{
    double all = APART * ((double)b->series_count - 1);

    return all < SPREAD ? all : SPREAD;
}

static void put_mark(page *p, const bars *b, double x, size_t row,
                     size_t series)
{
    double y = MARGIN + height_between(b) * (double)series /
                            ((double)b->series_count - 1);
    unsigned colour = b->colour + (unsigned)series;

    page_raw(p,
             "<circle cx=\"%.2f%%\" cy=\"%.1f\" r=\"%d\" class=\"c%u\">"
             "<title>",
             x, y, RADIUS, colour % CHART_COLOURS);
    page_text(p, b->rows[row].name);
    page_text(p, ", ");
    page_text(p, b->series[series]);
    page_text(p, ": ");
    page_text(p, b->show(b->rows[row].values[series]).s);
    page_raw(p, "</title></circle>");
    if (colour >= CHART_COLOURS)
        page_raw(p,
                 "<circle cx=\"%.2f%%\" cy=\"%.1f\" r=\"%d\" "
                 "class=\"hatched%s\"/>",
                 x, y, RADIUS, colour < 2 * CHART_COLOURS ? "" : " back");
}

void bars_strip(page *p, const bars *b, const scale *s, size_t row)
{
    page_raw(p, "<svg class=\"strip\" width=\"100%%\" height=\"%.0f\">",
             height_between(b) + 2 * MARGIN);
    bars_grid(p, s);
    for (size_t k = 0; k < b->series_count; k++) {
        double v = b->rows[row].values[k];

        if (!isnan(v) && !isinf(v))
            put_mark(p, b, scale_at(s, v), row, k);
    }
    page_raw(p, "</svg><span></span>\n");
}
