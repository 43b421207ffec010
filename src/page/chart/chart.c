/* src/page/chart/chart.c - see chart.h. */
#include "page/chart/chart.h"

#include <stdio.h>

#include "page/impl.h"

void chart_key(page *p, const char *name, unsigned colour)
{
    page_raw(p, "<li><svg class=\"key\" width=\"14\" height=\"14\" "
                "aria-hidden=\"true\">");
    chart_box(p, 0, 100, 1, 12, colour, NULL);
    page_raw(p, "</svg>");
    page_text(p, name);
    page_raw(p, "</li>\n");
}

void chart_begin(page *p, const chart_title *t, const char *const *names,
                 size_t count, unsigned first)
{
    p->ids++;
    page_raw(p, "<figure aria-labelledby=\"t%u\">\n<figcaption id=\"t%u\"><b>",
             p->ids, p->ids);
    page_text(p, t->title);
    page_raw(p, "</b> <span>");
    page_text(p, t->about);
    page_raw(p, "</span></figcaption>\n");
    if (count > 1) {
        page_raw(p, "<ul class=\"legend\">\n");
        for (size_t i = 0; i < count; i++)
            chart_key(p, names[i], first + (unsigned)i);
        page_raw(p, "</ul>\n");
    }
}

const char *chart_rows(const chart_title *t)
{
    return t->rows ? t->rows : "name";
}

void chart_behind(page *p)
{
    page_raw(p, "<details class=\"behind\">\n<summary>Numbers</summary>\n");
}

void chart_end(page *p) { page_raw(p, "</details>\n</figure>\n"); }

static void put_rect(page *p, double x, double width, unsigned y,
                     unsigned height, const char *class_name)
{
    page_raw(p,
             "<rect x=\"%.2f%%\" y=\"%u\" width=\"%.2f%%\" height=\"%u\" "
             "class=\"%s\"",
             x, y, width, height, class_name);
}

void chart_box(page *p, double x, double width, unsigned y, unsigned height,
               unsigned colour, const char *title)
{
    char name[16];

    if (colour == CHART_REST)
        snprintf(name, sizeof name, "cx");
    else
        snprintf(name, sizeof name, "c%u", colour % CHART_COLOURS);
    put_rect(p, x, width, y, height, name);
    if (title) {
        page_raw(p, "><title>");
        page_text(p, title);
        page_raw(p, "</title></rect>");
    } else {
        page_raw(p, "/>");
    }
    if (colour != CHART_REST && colour >= CHART_COLOURS) {
        put_rect(p, x, width, y, height,
                 colour < 2 * CHART_COLOURS ? "hatched" : "hatched back");
        page_raw(p, "/>");
    }
}
