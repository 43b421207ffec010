/* src/page/page.c - see page.h. */
#include "page/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "base/version.h"
#include "page/asset.h"
#include "page/impl.h"

/* ---- Writing ---- */

void page_raw(page *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    strbuf_vprintf(&p->body, fmt, ap);
    va_end(ap);
}

void page_text(page *p, const char *text) { html_text(&p->body, text); }

void page_textv(page *p, const char *fmt, va_list ap)
{
    strbuf plain = {0};

    strbuf_vprintf(&plain, fmt, ap);
    page_text(p, plain.text ? plain.text : "");
    strbuf_fini(&plain);
}

/* ---- Beginning and end ---- */

page *page_new(const char *title, const char *about)
{
    page *p = new0(1, sizeof *p);

    p->title = new_text(title);
    page_raw(p, "<header>\n<h1>");
    page_text(p, title);
    page_raw(p, "</h1>\n");
    if (about) {
        page_raw(p, "<p class=\"about\">");
        page_text(p, about);
        page_raw(p, "</p>\n");
    }
    page_raw(p, "</header>\n");
    p->head_size = p->body.size;
    return p;
}

void page_free(page *p)
{
    if (!p)
        return;
    free(p->title);
    free(p->numbers);
    strbuf_fini(&p->body);
    strbuf_fini(&p->contents);
    free(p);
}

/* A source for Content-Security-Policy: only this very text may run. */
static void put_hash(strbuf *out, unsigned asset)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = page_assets[asset].sha256;

    strbuf_puts(out, " 'sha256-");
    for (size_t i = 0; i < 32; i += 3) {
        unsigned v = (unsigned)b[i] << 16 | (i + 1 < 32 ? b[i + 1] << 8 : 0) |
                     (i + 2 < 32 ? b[i + 2] : 0);

        strbuf_putc(out, digits[v >> 18]);
        strbuf_putc(out, digits[v >> 12 & 63]);
        strbuf_putc(out, i + 1 < 32 ? digits[v >> 6 & 63] : '=');
        strbuf_putc(out, i + 2 < 32 ? digits[v & 63] : '=');
    }
    strbuf_puts(out, "'");
}

static void put_asset(strbuf *out, const char *element, unsigned asset)
{
    strbuf_printf(out, "<%s>", element);
    strbuf_write(out, page_assets[asset].text, page_assets[asset].size);
    strbuf_printf(out, "</%s>\n", element);
}

static void put_page_head(const page *p, strbuf *out)
{
    strbuf_puts(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n"
                     "<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\""
                     "default-src 'none'; base-uri 'none'; form-action 'none';"
                     " script-src");
    put_hash(out, PAGE_JS);
    if (p->has_series)
        put_hash(out, PAGE_PLOT_JS);
    if (p->has_waterfall)
        put_hash(out, PAGE_FALLS_JS);
    if (p->has_code)
        put_hash(out, PAGE_CODE_JS);
    if (p->is_live)
        put_hash(out, PAGE_LIVE_JS);
    strbuf_puts(out, p->is_live ? "; connect-src 'self'" : "");
    if (p->has_timeline)
        put_hash(out, PAGE_TIMELINE_JS);
    strbuf_puts(out, "; style-src");
    put_hash(out, PAGE_CSS);
    if (p->has_series)
        put_hash(out, PAGE_PLOT_CSS);
    if (p->is_live)
        put_hash(out, PAGE_LIVE_CSS);
    strbuf_puts(out, "\">\n<meta name=\"viewport\" "
                     "content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n"
                     "<meta name=\"generator\" content=\"heddle ");
    strbuf_puts(out, version_text);
    strbuf_puts(out, "\">\n<title>");
    html_text(out, p->title);
    strbuf_puts(out, "</title>\n");
    if (p->has_series)
        put_asset(out, "style", PAGE_PLOT_CSS);
    put_asset(out, "style", PAGE_CSS);
    if (p->is_live)
        put_asset(out, "style", PAGE_LIVE_CSS);
    strbuf_puts(out, "</head>\n");
}

/* Lines over colours that come a second and third time, so that all can be told
 * apart; used by name. */
#define HATCH(id, angle)                                                       \
    "<pattern id=\"" id "\" width=\"6\" height=\"6\" "                         \
    "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(" angle ")\">"  \
    "<line class=\"hatch\" x1=\"1\" x2=\"1\" y1=\"0\" y2=\"6\"/></pattern>"

static const char hatches[] = "<svg class=\"defs\" width=\"0\" height=\"0\" "
                              "aria-hidden=\"true\"><defs>" HATCH("hatch", "45")
                                  HATCH("hatch-back", "-45") "</defs></svg>\n";

static void end_section(page *p)
{
    if (p->in_section)
        page_raw(p, "</section>\n");
    p->in_section = false;
}

static void put_contents(const page *p, strbuf *out)
{
    if (p->sections < 2)
        return;
    strbuf_puts(out, "<nav aria-label=\"Contents\">\n<ol>\n");
    strbuf_write(out, p->contents.text, p->contents.size);
    strbuf_puts(out, p->contents_nested ? "</ol></li>\n" : "");
    strbuf_puts(out, "</ol>\n</nav>\n");
}

void page_finish(page *p, strbuf *out)
{
    MUST(!p->columns);
    end_section(p);
    if (p->in_part)
        page_raw(p, "</section>\n");
    put_page_head(p, out);
    strbuf_puts(out, "<body>\n");
    strbuf_puts(out, hatches);
    strbuf_puts(out, "<a class=\"skip\" href=\"#main\">Skip to the report</a>\n"
                     "<button type=\"button\" id=\"theme\" "
                     "title=\"light, dark or as the system has it\">"
                     "Theme</button>\n");
    strbuf_puts(out, "<main id=\"main\">\n");
    strbuf_write(out, p->body.text, p->head_size);
    put_contents(p, out);
    strbuf_write(out, p->body.text + p->head_size, p->body.size - p->head_size);
    strbuf_puts(out, "</main>\n");
    if (p->has_series)
        put_asset(out, "script", PAGE_PLOT_JS);
    put_asset(out, "script", PAGE_JS);
    if (p->has_waterfall)
        put_asset(out, "script", PAGE_FALLS_JS);
    if (p->has_code)
        put_asset(out, "script", PAGE_CODE_JS);
    if (p->is_live)
        put_asset(out, "script", PAGE_LIVE_JS);
    if (p->has_timeline)
        put_asset(out, "script", PAGE_TIMELINE_JS);
    strbuf_puts(out, "</body>\n</html>\n");
}

/* ---- Structure ---- */

static void add_to_contents(page *p, const char *title, const char *end)
{
    p->sections++;
    strbuf_printf(&p->contents, "<li><a href=\"#s%u\">", p->sections);
    html_text(&p->contents, title);
    strbuf_printf(&p->contents, "</a>%s\n", end);
}

static void put_heading(page *p, unsigned level, const char *title)
{
    page_raw(p, "<h%u>", level);
    page_text(p, title);
    page_raw(p, "</h%u>\n", level);
}

void page_part(page *p, const char *title)
{
    end_section(p);
    if (p->in_part)
        page_raw(p, "</section>\n");
    if (p->contents_nested)
        strbuf_puts(&p->contents, "</ol></li>\n");
    add_to_contents(p, title, "<ol>");
    p->in_part = p->contents_nested = true;
    page_raw(p, "<section class=\"part\" id=\"s%u\">\n", p->sections);
    put_heading(p, 2, title);
}

void page_section(page *p, const char *title)
{
    end_section(p);
    add_to_contents(p, title, "</li>");
    p->in_section = true;
    page_raw(p, "<section id=\"s%u\">\n", p->sections);
    put_heading(p, 2 + p->in_part, title);
}

void page_heading(page *p, const char *title)
{
    put_heading(p, 3 + p->in_part, title);
}

void page_fold(page *p, const char *title)
{
    page_raw(p, "<details>\n<summary>");
    page_text(p, title);
    page_raw(p, "</summary>\n");
}

void page_fold_end(page *p) { page_raw(p, "</details>\n"); }

/* ---- Words ---- */

void page_open(page *p, const char *element, const char *class_name)
{
    if (class_name)
        page_raw(p, "<%s class=\"%s\">", element, class_name);
    else
        page_raw(p, "<%s>", element);
}

void page_close(page *p, const char *element)
{
    page_raw(p, "</%s>\n", element);
}

/* `open` and `close` around the text of the arguments after `last`. */
#define PUT_BETWEEN(p, open, close, last)                                      \
    do {                                                                       \
        va_list ap;                                                            \
        va_start(ap, last);                                                    \
        page_raw(p, "%s", open);                                               \
        page_textv(p, last, ap);                                               \
        page_raw(p, "%s", close);                                              \
        va_end(ap);                                                            \
    } while (0)

void page_printf(page *p, const char *fmt, ...) { PUT_BETWEEN(p, "", "", fmt); }

void page_strong(page *p, const char *fmt, ...)
{
    PUT_BETWEEN(p, "<strong>", "</strong>", fmt);
}

void page_code(page *p, const char *fmt, ...)
{
    PUT_BETWEEN(p, "<code>", "</code>", fmt);
}

void page_link(page *p, const char *place, const char *fmt, ...)
{
    page_raw(p, "<a href=\"#");
    page_text(p, place);
    PUT_BETWEEN(p, "\">", "</a>", fmt);
}

unsigned page_unique(page *p) { return ++p->ids; }

void page_anchor(page *p, const char *place)
{
    page_raw(p, "<a id=\"");
    page_text(p, place);
    page_raw(p, "\"></a>");
}

void page_paragraph(page *p, const char *fmt, ...)
{
    PUT_BETWEEN(p, "<p>", "</p>\n", fmt);
}

void page_note(page *p, const char *fmt, ...)
{
    PUT_BETWEEN(p, "<p class=\"note\">", "</p>\n", fmt);
}

void page_alarm(page *p, const char *title, const char *fmt, ...)
{
    page_raw(p, "<div class=\"alarm\" role=\"note\"><strong>");
    page_text(p, title);
    PUT_BETWEEN(p, "</strong> ", "</div>\n", fmt);
}

void page_lines(page *p, const char *text)
{
    page_raw(p, "<div class=\"lines\"><pre tabindex=\"0\"><code>");
    page_text(p, text);
    page_raw(p, "</code></pre><button type=\"button\" class=\"copy\">Copy"
                "</button></div>\n");
}

void page_facts(page *p, const page_fact *facts, size_t count)
{
    page_raw(p, "<dl class=\"facts\">\n");
    for (size_t i = 0; i < count; i++) {
        page_raw(p, "<div><dt>");
        page_text(p, facts[i].name);
        page_raw(p, "</dt><dd>");
        page_text(p, facts[i].value);
        page_raw(p, "</dd></div>\n");
    }
    page_raw(p, "</dl>\n");
}

void page_figures(page *p, const page_figure *figures, size_t count)
{
    page_raw(p, "<dl class=\"figures\">\n");
    for (size_t i = 0; i < count; i++) {
        page_raw(p, "<div><dt>");
        page_text(p, figures[i].name);
        page_raw(p, "</dt><dd>");
        page_text(p, figures[i].value);
        page_raw(p, "</dd>");
        if (figures[i].note) {
            page_raw(p, "<dd class=\"note\">");
            page_text(p, figures[i].note);
            page_raw(p, "</dd>");
        }
        page_raw(p, "</div>\n");
    }
    page_raw(p, "</dl>\n");
}
