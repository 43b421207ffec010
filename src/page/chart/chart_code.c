#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "page/chart/chart_code.h"
#include "page/impl.h"

enum { TEXT = 240, HEATS = 9 };

/* ---- Cells ---- */

/* The place to cut a line: not within a character of UTF-8. */
static size_t text_end(const char *s)
{
    size_t n = 0;

    while (s[n] && n < TEXT)
        n++;
    while (s[n] && n && ((unsigned char)s[n] & 0xc0) == 0x80)
        n--;
    return n;
}

static void put_text(page *p, const char *text)
{
    size_t n = text_end(text);
    strbuf cut = {0};

    strbuf_write(&cut, text, n);
    page_raw(p, "<td class=\"src\"><code>");
    page_text(p, cut.text ? cut.text : "");
    page_raw(p, "%s</code></td>", text[n] ? "\u2026" : "");
    strbuf_fini(&cut);
}

/* A share of the pane's largest one, of which the colour is the root. */
static void put_heat(page *p, double share, double most)
{
    if (isnan(share)) {
        page_raw(p, "<td class=\"r\">-</td>");
        return;
    }
    page_raw(p, "<td class=\"r h%.0f\" data-v=\"%.5g\">%.1f</td>",
             most > 0 ? ceil(HEATS * sqrt(share / most) - 1e-9) : 0,
             100 * share, 100 * share);
}

static void put_value(page *p, double v, unsigned digits)
{
    if (isnan(v))
        page_raw(p, "<td class=\"r\">-</td>");
    else
        page_raw(p, "<td class=\"r\" data-v=\"%.5g\">%.*f</td>", v, (int)digits,
                 v);
}

static void put_stall(page *p, const code_row *r)
{
    page_raw(p, "<td>");
    if (r->stall) {
        page_text(p, r->stall);
        page_raw(p, " %.0f %%", 100 * r->stalled);
    }
    page_raw(p, "</td>");
}

/* ---- Rows ---- */

static void put_row_start(page *p, const code_view *v, const code_row *r,
                          bool has_id)
{
    bool cold = !r->key || !(r->slots >= CODE_COLD);

    page_raw(p, "<tr");
    if (has_id)
        page_raw(p, " id=\"c%u-%u\"", v->id, r->key);
    if (r->key)
        page_raw(p, " data-k=\"%u\"", r->key);
    if (r->begins) {
        page_raw(p, " data-f=\"");
        page_text(p, r->begins);
        page_raw(p, "\"");
    }
    if (cold || r->gap)
        page_raw(p, " class=\"%s\"",
                 !r->gap ? "cold"
                 : cold  ? "cold gap"
                         : "gap");
    page_raw(p, "><th scope=\"row\" class=\"r\"");
    if (!r->nowhere)
        page_raw(p, " data-v=\"%u\">%u</th>", r->number, r->number);
    else
        page_raw(p, "></th>");
}

typedef struct code_most {
    double slots, warps;
} code_most;

static code_most find_most(const code_pane *pane)
{
    code_most most = {0, 0};

    for (size_t i = 0; i < pane->count; i++) {
        most.slots = fmax(most.slots, pane->rows[i].slots);
        most.warps = fmax(most.warps, pane->rows[i].warps);
    }
    return most;
}

static void put_rows(page *p, const code_view *v, const code_pane *pane,
                     bool *linked)
{
    code_most most = find_most(pane);

    for (size_t i = 0; i < pane->count; i++) {
        const code_row *r = &pane->rows[i];

        put_row_start(p, v, r, r->key && !linked[r->key]);
        linked[r->key] = true;
        if (!pane->plain) {
            put_heat(p, r->slots, most.slots);
            put_heat(p, r->warps, most.warps);
        }
        put_text(p, r->text);
        if (!pane->plain) {
            put_stall(p, r);
            for (size_t k = 0; k < v->value_count; k++)
                put_value(p, r->value[k], v->values[k].digits);
        }
        page_raw(p, "</tr>\n");
    }
}

/* ---- Panes ---- */

static void put_pane(page *p, const code_view *v, const code_pane *pane,
                     bool *linked)
{
    page_column columns[5 + CODE_VALUES];
    size_t n = 0;

    columns[n++] = (page_column){.name = pane->number, .number = true};
    if (!pane->plain) {
        columns[n++] = (page_column){
            .name = "slots",
            .unit = "%",
            .number = true,
            .help = "issue slots used there, and lost while it was awaited"};
        columns[n++] = (page_column){.name = "warps",
                                     .unit = "%",
                                     .number = true,
                                     .help = "cycles that warps spent there"};
    }
    columns[n++] = (page_column){.name = "text"};
    if (!pane->plain) {
        columns[n++] = (page_column){.name = "stalled by"};
        for (size_t k = 0; k < v->value_count; k++)
            columns[n++] = (page_column){.name = v->values[k].name,
                                         .help = v->values[k].help,
                                         .number = true};
    }
    page_raw(p, "<div class=\"pane%s\">", pane->plain ? " plain" : "");
    page_table(p, pane->title, pane->file, columns, n);
    put_rows(p, v, pane, linked);
    page_table_end(p);
    page_raw(p, "</div>\n");
}

static unsigned largest_key(const code_view *v)
{
    unsigned most = 0;

    for (size_t i = 0; i < v->count; i++)
        for (size_t k = 0; k < v->panes[i].count; k++)
            if (v->panes[i].rows[k].key > most)
                most = v->panes[i].rows[k].key;
    return most;
}

static unsigned columns_of(const code_view *v)
{
    unsigned n = 0;

    for (size_t i = 0; i < v->count; i++)
        n += !v->panes[i].below;
    return n;
}

void chart_code(page *p, const code_view *v)
{
    bool *linked = new0((size_t)largest_key(v) + 1, sizeof *linked);

    p->has_code = true;
    chart_begin(p, &v->is, NULL, 0, 0);
    page_raw(p,
             "<div class=\"code\" role=\"group\" aria-labelledby=\"t%u\">\n"
             "<div class=\"tools\"><button type=\"button\" class=\"next\">"
             "Next hot line (n)</button> <button type=\"button\" "
             "class=\"prev\">Previous (p)</button> <button type=\"button\" "
             "class=\"hottest\" aria-pressed=\"false\">Hottest first</button> "
             "<button type=\"button\" class=\"folds\" aria-pressed=\"true\">"
             "Fold cold lines</button></div>\n<p class=\"told\" "
             "role=\"status\">Point at a line, or use the arrow keys in a "
             "table.</p>\n<div class=\"panes n%u\">\n",
             p->ids, columns_of(v));
    for (size_t i = 0; i < v->count; i++) {
        if (!v->panes[i].below)
            page_raw(p, "%s<div class=\"column\">\n", i ? "</div>\n" : "");
        put_pane(p, v, &v->panes[i], linked);
    }
    page_raw(p, "%s</div></div>\n</figure>\n", v->count ? "</div>" : "");
    free(linked);
}
