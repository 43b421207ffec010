#include "page/chart/chart_timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "page/impl.h"

enum {
    WIDE = 900,    /* pixels that are thought of where there is no script */
    BAR = 18,      /* height in pixels, */
    THIN = 8,      /* of a low one, */
    APART = 3,     /* and between them */
    USE = 44,      /* height of the use of the SMs */
    AXIS = 20,     /* of the axis */
    COLUMNS = 450, /* of the use */
    MOST = 20000,  /* bars, and steps, that the script gets */
    TICKS = 8
};

/* ---- Places ---- */

static double x_of(const timeline_view *v, uint64_t ns)
{
    return v->end ? 100 * (double)ns / (double)v->end : 0;
}

static unsigned bar_height(const timeline_lane *l)
{
    return l->thin ? THIN : BAR;
}

static unsigned lane_height(const timeline_lane *l, unsigned rows)
{
    return l->use ? USE : rows * (bar_height(l) + APART) + APART;
}

/* ---- Times ---- */

static double tick_step(uint64_t end)
{
    double least = (double)end / TICKS, power = pow(10, floor(log10(least)));

    if (power < 1)
        return 1;
    for (unsigned i = 0; i < 3; i++)
        if (power * (double[]){1, 2, 5}[i] >= least)
            return power * (double[]){1, 2, 5}[i];
    return 10 * power;
}

static word time_text(double ns)
{
    static const char *const units[] = {"ns", "\u00b5s", "ms", "s"};
    unsigned unit = 0;
    word w;

    while (unit < 3 && ns >= 1000) {
        ns /= 1000;
        unit++;
    }
    snprintf(w.s, sizeof w.s, "%.4g %s", ns, units[unit]);
    return w;
}

static void put_grid(page *p, const timeline_view *v, unsigned height)
{
    double step = v->end ? tick_step(v->end) : 1;

    for (double t = step; v->end && t < (double)v->end; t += step)
        page_raw(p,
                 "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" "
                 "y2=\"%u\"/>",
                 100 * t / (double)v->end, 100 * t / (double)v->end, height);
}

static void put_axis(page *p, const timeline_view *v)
{
    double step = v->end ? tick_step(v->end) : 1;

    page_raw(p,
             "<span class=\"name soft\">time</span><svg class=\"axis\" "
             "width=\"100%%\" height=\"%d\" aria-hidden=\"true\">",
             AXIS);
    for (double t = 0; t <= (double)v->end * 0.97; t += step)
        page_raw(p, "<text x=\"%.2f%%\" y=\"14\"%s>%s</text>",
                 v->end ? 100 * t / (double)v->end : 0,
                 t > 0 ? " text-anchor=\"middle\"" : "", time_text(t).s);
    page_raw(p, "</svg>\n");
}

/* ---- Bars ---- */

static void put_flags(strbuf *out, const timeline_view *v, unsigned flags)
{
    for (unsigned i = 0; i < TIMELINE_FLAGS; i++)
        if (flags >> i & 1 && v->flags[i])
            strbuf_printf(out, "; %s", v->flags[i]);
}

/* What is told of a bar, as src/page/timeline.js has it, too. */
static void put_about(strbuf *out, const timeline_view *v, const lanes_bar *b)
{
    const timeline_what *w = &v->whats[b->what];

    out->size = 0;
    if (b->count > 1) {
        strbuf_printf(out, "%s %s%s", word_grouped(b->count).s,
                      b->mixed ? "in a row, the longest: " : "\u00d7 ",
                      w->name);
        strbuf_printf(out, ", %s in all", time_text((double)b->busy).s);
    } else {
        strbuf_puts(out, w->name);
        if (b->number)
            strbuf_printf(out, ", launch %" PRIu64, b->number);
        if (b->number && b->part)
            strbuf_printf(out, ", part %u", b->part);
        if (*w->about)
            strbuf_printf(out, ", %s", w->about);
        strbuf_printf(out, ": %s", time_text((double)(b->end - b->begin)).s);
        if (*w->unit)
            strbuf_printf(out, ", %s %s", word_grouped(b->value).s, w->unit);
    }
    strbuf_printf(out, ", from %s", time_text((double)b->begin).s);
    if (v->end && b->busy)
        strbuf_printf(out, ", %s of the time shown",
                      word_percent((double)b->busy / (double)v->end).s);
    put_flags(out, v, b->flags);
}

/* True if a link was opened. */
static bool put_link(page *p, const timeline_view *v, const lanes_bar *b)
{
    const char *place = v->whats[b->what].place;
    bool row = b->number && b->number <= v->placed;

    if (!b->number || (!row && !place))
        return false;
    page_raw(p, "<a tabindex=\"-1\" href=\"#");
    page_text(p, row ? v->place : place);
    if (row)
        page_raw(p, "%" PRIu64, b->number);
    page_raw(p, "\">");
    return true;
}

/* What stands in a bar that has room for it. */
static void put_name(page *p, const timeline_view *v, const lanes_bar *b,
                     double x, double width, unsigned y)
{
    page_raw(p,
             "<svg x=\"%.3f%%\" y=\"%u\" width=\"%.3f%%\" height=\"%d\" "
             "class=\"in\"><text x=\"4\" y=\"13\">",
             x, y, width, BAR);
    if (b->count > 1)
        page_raw(p, "%s %s", word_grouped(b->count).s,
                 b->mixed ? "in a row" : "\u00d7 ");
    if (!b->mixed)
        page_text(p, v->whats[b->what].name);
    page_raw(p, "</text></svg>");
}

static void put_bar(page *p, const timeline_view *v, const lanes_bar *b,
                    strbuf *about)
{
    const timeline_lane *l = &v->lanes[b->lane];
    const timeline_what *w = &v->whats[b->what];
    double x = x_of(v, b->begin), width = x_of(v, b->end - b->begin);
    unsigned height = bar_height(l), y = APART + b->row * (height + APART);
    bool link = put_link(p, v, b);

    width = width > 500.0 / WIDE ? width - 100.0 / WIDE /* the next one's */
                                 : fmax(width, 100.0 / WIDE);
    x = fmin(x, 100 - width);
    put_about(about, v, b);
    chart_box(p, x, width, y, height, w->colour, about->text);
    if (b->flags & 1)
        page_raw(p,
                 "<rect class=\"failed\" x=\"%.3f%%\" y=\"%u\" "
                 "width=\"%.3f%%\" height=\"%u\"/>",
                 x, y, width, height);
    if (!l->thin && width * WIDE / 100 > 40)
        put_name(p, v, b, x, width, y);
    page_raw(p, link ? "</a>\n" : "\n");
}

static void put_bars(page *p, const timeline_view *v, const lanes_bar *bar,
                     size_t n, size_t lane)
{
    strbuf about = {0};

    for (size_t i = 0; i < n; i++)
        if (bar[i].lane == lane)
            put_bar(p, v, &bar[i], &about);
    strbuf_fini(&about);
}

/* ---- The use of the SMs ---- */

/* An area under a curve of columns. */
static void put_area(page *p, const char *class_name, const double *share)
{
    unsigned was = USE + 1;

    page_raw(p, "<path class=\"%s\" d=\"M0 %d", class_name, USE);
    for (unsigned c = 0; c < COLUMNS; c++) {
        unsigned y = (unsigned)((1 - fmin(share[c], 1)) * USE + 0.5);

        if (y != was)
            page_raw(p, "H%uV%u", c, y);
        was = y;
    }
    page_raw(p, "H%dV%dZ\"/>", COLUMNS, USE);
}

static void put_use(page *p, const timeline_view *v, unsigned lane)
{
    double *sms = new0(COLUMNS, sizeof *sms);
    double *warps = new0(COLUMNS, sizeof *warps);

    if (v->end)
        lanes_means(v->steps, v->step_count, lane, v->end, COLUMNS, sms, warps);
    page_raw(p,
             "<svg width=\"100%%\" height=\"%d\" viewBox=\"0 0 %d %d\" "
             "preserveAspectRatio=\"none\">",
             USE, COLUMNS, USE);
    put_area(p, "sms", sms);
    put_area(p, "warps", warps);
    page_raw(p, "</svg>");
    free(sms);
    free(warps);
}

/* ---- Lanes ---- */

static void put_lane(page *p, const timeline_view *v, const lanes_bar *bar,
                     size_t n, size_t lane, unsigned rows)
{
    const timeline_lane *l = &v->lanes[lane];
    unsigned height = lane_height(l, rows);

    page_raw(p, "<span class=\"name\">");
    page_text(p, l->name);
    page_raw(p,
             "</span><svg class=\"lane\" width=\"100%%\" height=\"%u\" "
             "data-lane=\"%zu\">",
             height, lane);
    put_grid(p, v, height);
    if (l->use)
        put_use(p, v, (unsigned)lane);
    else
        put_bars(p, v, bar, n, lane);
    page_raw(p, "</svg>\n");
}

static void put_lanes(page *p, const timeline_view *v, const unsigned *rows)
{
    lanes_bar *seen = new_array(v->bar_count + 1, sizeof *seen);
    size_t n = v->bar_count;

    for (size_t i = 0; i < n; i++)
        seen[i] = v->bars[i];
    n = lanes_merge(seen, n, v->end / WIDE);
    page_raw(p, "<div class=\"lanes\">\n");
    for (size_t i = 0; i < v->lane_count; i++)
        put_lane(p, v, seen, n, i, rows[i]);
    put_axis(p, v);
    page_raw(p, "</div>\n");
    free(seen);
}

/* ---- Data for the script ---- */

static void put_lane_data(page *p, const timeline_view *v, const unsigned *rows)
{
    page_raw(p, "\"lanes\":[");
    for (size_t i = 0; i < v->lane_count; i++) {
        const timeline_lane *l = &v->lanes[i];

        page_raw(p, "%s[", i ? "," : "");
        html_json(&p->body, l->name);
        page_raw(p, ",%u,%u,%u]", rows[i], l->use, l->thin);
    }
    page_raw(p, "],\n\"what\":[");
    for (size_t i = 0; i < v->what_count; i++) {
        const timeline_what *w = &v->whats[i];

        page_raw(p, "%s[", i ? ",\n" : "");
        html_json(&p->body, w->name);
        page_raw(p, ",");
        html_json(&p->body, w->about);
        page_raw(p, ",");
        html_json(&p->body, w->unit);
        page_raw(p, ",%u", w->colour);
        if (w->place) {
            page_raw(p, ",");
            html_json(&p->body, w->place);
        }
        page_raw(p, "]");
    }
    page_raw(p, "],\n");
}

static void put_bar_data(page *p, const timeline_view *v)
{
    page_raw(p, "\"bars\":[");
    for (size_t i = 0; i < v->bar_count; i++) {
        const lanes_bar *b = &v->bars[i];

        page_raw(p, "%s[%u,%u,%" PRIu64 ",%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64,
                 i ? ",\n" : "", b->lane, b->row, b->begin, b->end - b->begin,
                 b->what, b->value, b->number);
        if (b->flags || b->part || b->count > 1)
            page_raw(p, ",%u", b->flags);
        if (b->part || b->count > 1)
            page_raw(p, ",%u", b->part);
        if (b->count > 1)
            page_raw(p, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u", b->count,
                     b->busy, b->longest, b->mixed);
        page_raw(p, "]");
    }
    page_raw(p, "],\n\"use\":[");
    for (size_t i = 0; i < v->step_count; i++) {
        const lanes_step *s = &v->steps[i];

        page_raw(p, "%s[%u,%" PRIu64 ",%" PRIu64 ",%.4g,%.4g]", i ? ",\n" : "",
                 s->lane, s->begin, s->end - s->begin, s->sms, s->warps);
    }
    page_raw(p, "]");
}

static void put_data(page *p, const timeline_view *v, const unsigned *rows)
{
    page_raw(p,
             "<script type=\"application/json\" class=\"data\">{\"end\":"
             "%" PRIu64 ",\"placed\":%" PRIu64 ",\"place\":",
             v->end, v->placed);
    html_json(&p->body, v->place);
    page_raw(p, ",\"flags\":[");
    for (unsigned i = 0; i < TIMELINE_FLAGS; i++) {
        page_raw(p, i ? "," : "");
        html_json(&p->body, v->flags[i] ? v->flags[i] : "");
    }
    page_raw(p, "],");
    put_lane_data(p, v, rows);
    put_bar_data(p, v);
    page_raw(p, "}</script>\n");
}

/* ---- The whole ---- */

static void put_tools(page *p)
{
    page_raw(p, "<div class=\"tools\" hidden>"
                "<button type=\"button\" class=\"in\" aria-label=\"zoom in\">+"
                "</button> <button type=\"button\" class=\"out\" "
                "aria-label=\"zoom out\">\u2212</button> "
                "<button type=\"button\" class=\"left\" "
                "aria-label=\"earlier\">\u2190</button> "
                "<button type=\"button\" class=\"right\" "
                "aria-label=\"later\">\u2192</button> "
                "<button type=\"button\" class=\"all\">All</button> "
                "<span class=\"shown soft\"></span></div>\n");
}

static void put_use_keys(page *p, const timeline_view *v)
{
    static const char *const keys[][2] = {{"sms", "SMs that hold warps"},
                                          {"warps", "resident warps"}};

    for (unsigned i = 0; i < 2 && v->step_count; i++)
        page_raw(p,
                 "<li><svg class=\"key\" width=\"14\" height=\"14\" "
                 "aria-hidden=\"true\"><rect class=\"%s\" width=\"100%%\" "
                 "y=\"1\" height=\"12\"/></svg>%s, of all</li>\n",
                 keys[i][0], keys[i][1]);
}

void chart_timeline(page *p, const timeline_view *v)
{
    unsigned *rows = new0(v->lane_count + 1, sizeof *rows);
    timeline_view t = *v;

    p->has_timeline = true;
    lanes_pack(t.bars, t.bar_count, rows, t.lane_count);
    t.bar_count = lanes_thin(t.bars, t.bar_count, MOST);
    t.step_count = lanes_join(t.steps, t.step_count, MOST);
    p->ids++;
    page_raw(p,
             "<figure class=\"timeline\" aria-labelledby=\"t%u\">\n"
             "<figcaption id=\"t%u\"><b>",
             p->ids, p->ids);
    page_text(p, t.is.title);
    page_raw(p, "</b> <span>");
    page_text(p, t.is.about);
    page_raw(p, "</span></figcaption>\n<ul class=\"legend\">\n");
    for (size_t i = 0; i < t.key_count; i++)
        chart_key(p, t.keys[i], t.key_colours[i]);
    put_use_keys(p, &t);
    page_raw(p, "</ul>\n");
    put_tools(p);
    put_lanes(p, &t, rows);
    page_raw(p, "<p class=\"told\" role=\"status\"></p>\n");
    put_data(p, &t, rows);
    chart_behind(p);
    free(rows);
}
