/* src/page/page_table.c - tables that can be sorted and saved; the script of
 * the page does both from what stands here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "page/impl.h"

static void put_column(page *p, const page_column *c)
{
    page_raw(p, "<th scope=\"col\"%s aria-sort=\"none\"",
             c->number ? " class=\"r\"" : "");
    if (c->exact)
        page_raw(p, " data-unit=\"%s\"", c->exact);
    page_raw(p, "><button type=\"button\"");
    if (c->help) {
        page_raw(p, " title=\"");
        page_text(p, c->help);
        page_raw(p, "\"");
    }
    page_raw(p, "><span>");
    page_text(p, c->name);
    page_raw(p, "</span>");
    if (c->unit) {
        page_raw(p, " <small>");
        page_text(p, c->unit);
        page_raw(p, "</small>");
    }
    page_raw(p, "</button></th>");
}

void page_table(page *p, const char *caption, const char *file,
                const page_column *columns, size_t count)
{
    MUST(!p->columns && count);
    p->columns = count;
    p->column = 0;
    p->row_class = NULL;
    *p->row_place = 0;
    free(p->numbers);
    p->numbers = new0(count, sizeof *p->numbers);
    p->ids++;
    page_raw(p, "<div class=\"table\"><div class=\"bar\"><span id=\"t%u\">",
             p->ids);
    page_text(p, caption);
    page_raw(p, "</span><button type=\"button\" class=\"csv\" data-file=\"");
    page_text(p, file);
    page_raw(p,
             ".csv\" aria-describedby=\"t%u\">CSV</button></div>\n"
             "<div class=\"wide\" role=\"region\" tabindex=\"0\" "
             "aria-labelledby=\"t%u\"><table aria-labelledby=\"t%u\">\n"
             "<thead><tr>",
             p->ids, p->ids, p->ids);
    for (size_t i = 0; i < count; i++) {
        p->numbers[i] = columns[i].number;
        put_column(p, &columns[i]);
    }
    page_raw(p, "</tr></thead>\n<tbody>\n");
}

static void begin_cell(page *p)
{
    MUST(p->columns);
    if (!p->column) {
        page_raw(p, "<tr");
        if (*p->row_place) {
            page_raw(p, " id=\"");
            page_text(p, p->row_place);
            page_raw(p, "\"");
        }
        if (p->row_class)
            page_raw(p, " class=\"%s\"", p->row_class);
        page_raw(p, ">");
    }
}

static void end_cell(page *p, const char *element)
{
    page_raw(p, "</%s>", element);
    if (++p->column == p->columns) {
        page_raw(p, "</tr>\n");
        p->column = 0;
        p->row_class = NULL;
        *p->row_place = 0;
    }
}

void page_cell(page *p, const char *fmt, ...)
{
    const char *element = p->column ? "td" : "th";
    va_list ap;

    begin_cell(p);
    page_raw(p, "<%s%s%s>", element, p->column ? "" : " scope=\"row\"",
             p->numbers[p->column] ? " class=\"r\"" : "");
    va_start(ap, fmt);
    page_textv(p, fmt, ap);
    va_end(ap);
    end_cell(p, element);
}

void page_number(page *p, double value, const char *fmt, ...)
{
    va_list ap;

    begin_cell(p);
    page_raw(p, "<td%s", p->numbers[p->column] ? " class=\"r\"" : "");
    if (!isnan(value) && !isinf(value))
        page_raw(p,
                 value == floor(value) && fabs(value) < 1e15
                     ? " data-v=\"%.0f\""
                     : " data-v=\"%.7g\"",
                 value);
    page_raw(p, ">");
    va_start(ap, fmt);
    page_textv(p, fmt, ap);
    va_end(ap);
    end_cell(p, "td");
}

void page_markup_cell(page *p)
{
    begin_cell(p);
    page_raw(p, "<td>");
}

void page_markup_cell_end(page *p) { end_cell(p, "td"); }

void page_row_place(page *p, const char *place)
{
    snprintf(p->row_place, sizeof p->row_place, "%s", place);
}

void page_row_bad(page *p) { p->row_class = "bad"; }
void page_row_sum(page *p) { p->row_class = "sum"; }

void page_table_end(page *p)
{
    MUST(p->columns && !p->column);
    page_raw(p, "</tbody></table></div></div>\n");
    p->columns = 0;
}
