/* src/page/chart/chart_waterfall.c - what each warp does in each cycle: the
 * data, and the elements that the script of waterfall.js fills. */
#include "page/chart/chart.h"
#include "page/impl.h"

/* JSON as it is, escaped so that nothing in it ends the element. */
static void put_embedded_json(page *p, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            page_raw(p, "\\u003c");
        else
            strbuf_putc(&p->body, *text);
}

static void put_reason_words(page *p, const waterfall *w)
{
    page_raw(p, "{");
    for (size_t i = 0; i < w->count; i++) {
        page_raw(p, i ? "," : "");
        html_json(&p->body, w->names[i]);
        page_raw(p, ":[");
        html_json(&p->body, w->meanings[i]);
        page_raw(p, ",%u]", w->colours[i]);
    }
    page_raw(p, "}");
}

void chart_waterfall(page *p, const waterfall *w)
{
    p->has_waterfall = true;
    p->ids++;
    page_raw(p,
             "<figure class=\"falls\" aria-labelledby=\"t%u\">\n"
             "<figcaption id=\"t%u\"><b>",
             p->ids, p->ids);
    page_text(p, w->is.title);
    page_raw(p, "</b> <span>");
    page_text(p, w->is.about);
    page_raw(p, "</span></figcaption>\n<ul class=\"legend\"></ul>\n"
                "<script type=\"application/json\" class=\"data\">");
    put_embedded_json(p, w->data);
    page_raw(p, "</script>\n<script type=\"application/json\" "
                "class=\"words\">");
    put_reason_words(p, w);
    page_raw(p,
             "</script>\n<div class=\"waterfall\" role=\"application\" "
             "tabindex=\"0\" aria-labelledby=\"t%u\"><canvas></canvas><div>"
             "</div></div>\n<p class=\"told\" role=\"status\">Point at a "
             "warp, or use the arrow keys, + and \u2212.</p>\n<button "
             "type=\"button\" class=\"out\" aria-label=\"zoom out\">\u2212"
             "</button> <button type=\"button\" class=\"in\" "
             "aria-label=\"zoom in\">+</button> <button type=\"button\" "
             "class=\"save\">CSV</button>\n</figure>\n",
             p->ids);
}
