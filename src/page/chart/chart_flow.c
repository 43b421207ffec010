/* src/page/chart/chart_flow.c - boxes in rows, and what flows between them. */
#include <math.h>

#include "page/chart/chart.h"
#include "page/impl.h"

enum {
    BOX = 46,   /* pixels: height of a box */
    PITCH = 108 /* from one row to the next */
};

/* Three depths of colour, of a share. */
static unsigned depth_of(double share)
{
    return share >= 0.6 ? 2 : share >= 0.25 ? 1 : 0;
}

static unsigned rows_of(const flow *f)
{
    unsigned most = 0;

    for (size_t i = 0; i < f->box_count; i++)
        most = f->boxes[i].row > most ? f->boxes[i].row : most;
    return most + 1;
}

static void put_box(page *p, const flow_box *b)
{
    unsigned y = b->row * PITCH + 1;

    page_raw(p,
             "<svg x=\"%.2f%%\" y=\"%u\" width=\"%.2f%%\" height=\"%u\">"
             "<rect class=\"box b%u\" x=\"1\" y=\"1\" width=\"99%%\" "
             "height=\"%u\" rx=\"4\"/>"
             "<text class=\"strong\" x=\"8\" y=\"19\">",
             b->x, y, b->width, BOX, depth_of(b->busy), BOX - 2);
    page_text(p, b->name);
    page_raw(p, "</text><text x=\"8\" y=\"36\">");
    page_text(p, b->about);
    page_raw(p, "</text></svg>\n");
}

static void put_arrow(page *p, const flow_arrow *a)
{
    unsigned from = a->row * PITCH + BOX + 2, to = (a->row + 1) * PITCH;
    double width = isnan(a->share) ? 2 : 2 + 14 * fmin(a->share, 1);
    unsigned head = (unsigned)width / 2 + 5, depth = depth_of(a->share);

    page_raw(p,
             "<svg class=\"arrow\" x=\"%.2f%%\" y=\"%u\" width=\"34\" "
             "height=\"%u\"><g class=\"d%u\"><title>",
             a->x, from, to - from, depth);
    page_text(p, a->name);
    page_raw(p, ", ");
    page_text(p, a->about);
    page_raw(p,
             "</title><line x1=\"14\" x2=\"14\" y1=\"%u\" y2=\"%u\" "
             "stroke-width=\"%.1f\"/>",
             a->up ? head : 0, to - from - (a->down ? head : 0), width);
    if (a->up)
        page_raw(p, "<path d=\"M14 0L%u %uL%u %uZ\"/>", 14 + head, head + 2,
                 14 - (head < 14 ? head : 14), head + 2);
    if (a->down)
        page_raw(p, "<path d=\"M14 %uL%u %uL%u %uZ\"/>", to - from, 14 + head,
                 to - from - head - 2, 14 - (head < 14 ? head : 14),
                 to - from - head - 2);
    page_raw(p, "</g></svg><text x=\"%.2f%%\" dx=\"31\" y=\"%u\">", a->x,
             from + 25);
    page_text(p, a->name);
    page_raw(p, "</text><text class=\"soft\" x=\"%.2f%%\" dx=\"31\" y=\"%u\">",
             a->x, from + 41);
    page_text(p, a->about);
    page_raw(p, "</text>\n");
}

void chart_flow(page *p, const flow *f)
{
    chart_begin(p, &f->is, NULL, 0, 0);
    page_raw(p,
             "<svg class=\"flow\" width=\"100%%\" height=\"%u\" role=\"img\" "
             "aria-label=\"",
             (rows_of(f) - 1) * PITCH + BOX + 2);
    page_text(p, f->is.about);
    page_raw(p, "\">\n");
    for (size_t i = 0; i < f->arrow_count; i++)
        put_arrow(p, &f->arrows[i]);
    for (size_t i = 0; i < f->box_count; i++)
        put_box(p, &f->boxes[i]);
    page_raw(p, "</svg>\n");
    chart_behind(p);
}
