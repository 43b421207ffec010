#include "page/chart/axes.h"

#include <stdio.h>

#include "page/impl.h"

double axes_x(const axes *a, double x) { return scale_at(&a->x, x); }

double axes_y(const axes *a, double y) { return 100 - scale_at(&a->y, y); }

void axes_line(page *p, const axes *a, const char *class_name, double x,
               double y, double to_x, double to_y)
{
    page_raw(p,
             "<line class=\"%s\" x1=\"%.2f%%\" y1=\"%.2f%%\" x2=\"%.2f%%\" "
             "y2=\"%.2f%%\"/>",
             class_name, axes_x(a, x), axes_y(a, y), axes_x(a, to_x),
             axes_y(a, to_y));
}

/* "500", "10 k", "2 T": powers of ten look alike on both axes. */
static word axes_tick(const scale *s, size_t i)
{
    static const char units[] = " kMGTP";
    double v = s->ticks[i];
    size_t k = 0;
    word w;

    for (; v >= 999.5 && k + 2 < sizeof units; k++)
        v /= 1000;
    if (k)
        snprintf(w.s, sizeof w.s, "%g %c", v, units[k]);
    else
        snprintf(w.s, sizeof w.s, "%g", v);
    return w;
}

static void put_grid(page *p, const axes *a)
{
    for (size_t i = 0; i < a->x.count; i++)
        axes_line(p, a, "grid", a->x.ticks[i], a->y.low, a->x.ticks[i],
                  a->y.high);
    for (size_t i = 0; i < a->y.count; i++)
        axes_line(p, a, "grid", a->x.low, a->y.ticks[i], a->x.high,
                  a->y.ticks[i]);
}

static void put_y_ticks(page *p, const axes *a)
{
    page_raw(p,
             "<svg class=\"axis\" width=\"48\" height=\"%u\" "
             "aria-hidden=\"true\">",
             a->height);
    for (size_t i = 0; i < a->y.count; i++) {
        double at = axes_y(a, a->y.ticks[i]);

        page_raw(p,
                 "<text x=\"46\" y=\"%.2f%%\" dy=\"%s\" "
                 "text-anchor=\"end\">%s</text>",
                 at,
                 at < 2    ? "10"
                 : at > 98 ? "0"
                           : "4",
                 axes_tick(&a->y, i).s);
    }
    page_raw(p, "</svg>\n");
}

void axes_open(page *p, const axes *a)
{
    page_raw(p, "<div class=\"scatter %s\" role=\"group\" aria-label=\"",
             a->class_name);
    page_text(p, a->about);
    page_raw(p, "\">\n<p class=\"up\">");
    page_text(p, a->y_name);
    page_raw(p, "</p>\n");
    put_y_ticks(p, a);
    page_raw(p, "<svg class=\"plot\" width=\"100%%\" height=\"%u\">",
             a->height);
    put_grid(p, a);
}

void axes_close(page *p, const axes *a)
{
    page_raw(p, "</svg>\n<span></span><svg class=\"axis\" width=\"100%%\" "
                "height=\"18\" aria-hidden=\"true\">");
    for (size_t i = 0; i < a->x.count; i++) {
        double at = axes_x(a, a->x.ticks[i]);

        page_raw(p, "<text x=\"%.2f%%\" y=\"14\" text-anchor=\"%s\">%s</text>",
                 at,
                 at < 3    ? "start"
                 : at > 97 ? "end"
                           : "middle",
                 axes_tick(&a->x, i).s);
    }
    page_raw(p, "</svg>\n<p>");
    page_text(p, a->x_name);
    page_raw(p, "</p>\n</div>\n");
}
