/* src/page/chart_waterfall.c - what each warp does in each cycle: a row for a
 * warp, a column for a cycle. As wide as it has cycles; it scrolls. */
#include <inttypes.h>
#include <stdio.h>

#include "page/chart.h"
#include "page/impl.h"

enum { CYCLE = 8, ROW = 18, LEFT = 76, TOP = 20 }; /* pixels */

static unsigned place(const waterfall *w, uint64_t cycle)
{
    cycle = cycle < w->from ? w->from : cycle > w->to ? w->to : cycle;
    return LEFT + CYCLE * (unsigned)(cycle - w->from);
}

static void put_ticks(page *p, const waterfall *w, unsigned height)
{
    uint64_t step = 10;

    for (uint64_t c = (w->from + step - 1) / step * step; c < w->to; c += step)
        page_raw(p,
                 "<line class=\"grid\" x1=\"%u\" x2=\"%u\" y1=\"%d\" "
                 "y2=\"%u\"/><text x=\"%u\" y=\"14\">%" PRIu64 "</text>",
                 place(w, c), place(w, c), TOP, height, place(w, c), c);
}

static void put_span(page *p, const waterfall *w, const waterfall_row *r,
                     const waterfall_span *s, unsigned y)
{
    unsigned x = place(w, s->from), end = place(w, s->to);
    unsigned colour = s->stage;

    if (end <= x)
        return;
    page_raw(p, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%d\" ", x, y + 2,
             end - x, ROW - 4);
    if (colour == CHART_REST)
        page_raw(p, "class=\"cx\"");
    else
        page_raw(p, "class=\"c%u\"", colour % CHART_COLOURS);
    page_raw(p, " data-say=\"");
    page_text(p, r->name);
    page_raw(p, ", cycle %" PRIu64 " to %" PRIu64 ": ", s->from, s->to - 1);
    page_text(p, s->say);
    page_raw(p, "\"/>");
    if (colour != CHART_REST && colour / CHART_COLOURS % 2)
        page_raw(p,
                 "<rect class=\"hatched\" x=\"%u\" y=\"%u\" width=\"%u\" "
                 "height=\"%d\"/>",
                 x, y + 2, end - x, ROW - 4);
}

static void put_row(page *p, const waterfall *w, size_t i)
{
    const waterfall_row *r = &w->rows[i];
    unsigned y = TOP + (unsigned)i * ROW;

    page_raw(p, "<g><text x=\"4\" y=\"%u\">", y + 13);
    page_text(p, r->name);
    page_raw(p,
             "</text><line class=\"row\" x1=\"0\" x2=\"100%%\" y1=\"%u\" "
             "y2=\"%u\"/>",
             y + ROW, y + ROW);
    for (size_t k = 0; k < r->count; k++)
        put_span(p, w, r, &r->spans[k], y);
    page_raw(p, "</g>\n");
}

static void put_behind(page *p, const waterfall *w)
{
    static const page_column columns[] = {{.name = "warp"},
                                          {.name = "from", .number = true},
                                          {.name = "cycles", .number = true},
                                          {.name = "stage"},
                                          {.name = "what"}};

    chart_behind(p);
    page_table(p, w->is.title, w->is.file, columns, 5);
    for (size_t i = 0; i < w->count; i++)
        for (size_t k = 0; k < w->rows[i].count; k++) {
            const waterfall_span *s = &w->rows[i].spans[k];
            uint64_t cycles = s->to - s->from;

            page_cell(p, "%s", w->rows[i].name);
            page_number(p, (double)s->from, "%" PRIu64, s->from);
            page_number(p, (double)cycles, "%" PRIu64, cycles);
            page_cell(p, "%s",
                      s->stage < w->stage_count ? w->stages[s->stage] : "");
            page_cell(p, "%s", s->say);
        }
    page_table_end(p);
}

void chart_waterfall(page *p, const waterfall *w)
{
    unsigned height = TOP + (unsigned)w->count * ROW + 2;

    chart_begin(p, &w->is, w->stages, w->stage_count, 0);
    page_raw(p, "<div class=\"falls\"><div class=\"waterfall\" role=\"group\" "
                "tabindex=\"0\" aria-label=\"");
    page_text(p, w->is.about);
    page_raw(p,
             " Arrow keys go from span to span.\"><svg width=\"%u\" "
             "height=\"%u\">",
             place(w, w->to) + 8, height);
    put_ticks(p, w, height);
    for (size_t i = 0; i < w->count; i++)
        put_row(p, w, i);
    page_raw(p, "</svg></div><p class=\"told\" role=\"status\"></p></div>\n");
    put_behind(p, w);
    chart_end(p);
}
