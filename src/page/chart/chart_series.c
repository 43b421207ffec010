/* src/page/chart/chart_series.c - values over time: as lines that uPlot draws
 * from data in the page, and small ones for a cell. */
#include <math.h>
#include <stdio.h>

#include "page/chart/chart.h"
#include "page/impl.h"

static void put_array(page *p, const double *values, size_t count)
{
    page_raw(p, "[");
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]) || isinf(values[i]))
            page_raw(p, "%snull", i ? "," : "");
        else
            page_raw(p, "%s%.6g", i ? "," : "", values[i]);
    }
    page_raw(p, "]");
}

static void put_series_data(page *p, const plot *s)
{
    page_raw(p, "<script type=\"application/json\">{\"at\":");
    html_json(&p->body, s->x_unit ? s->x_unit : "cycles");
    page_raw(p, ",\"unit\":");
    html_json(&p->body, s->unit);
    page_raw(p, ",\"names\":[");
    for (size_t i = 0; i < s->count; i++) {
        page_raw(p, i ? "," : "");
        html_json(&p->body, s->names[i]);
    }
    page_raw(p, "],\n\"colours\":[");
    for (size_t i = 0; i < s->count; i++)
        page_raw(p, "%s%u", i ? "," : "",
                 s->colours ? s->colours[i] : (unsigned)i);
    page_raw(p, "],\n\"marks\":[");
    for (size_t i = 0; i < s->count; i++)
        page_raw(p, "%s%d", i ? "," : "",
                 s->points_only ? s->points_only[i] : 0);
    page_raw(p, "],\"scale\":%d,\n\"x\":[", (int)s->scale);
    for (size_t i = 0; i < s->points; i++)
        page_raw(p, s->x_unit ? "%s%.6g" : "%s%.0f", i ? "," : "", s->x[i]);
    page_raw(p, "],\n\"y\":[");
    for (size_t i = 0; i < s->count; i++) {
        page_raw(p, i ? ",\n" : "");
        put_array(p, s->y[i], s->points);
    }
    page_raw(p, "]}</script>\n");
}

void chart_series(page *p, const plot *s)
{
    p->has_series = true;
    p->ids++;
    page_raw(p,
             "<figure class=\"series\" aria-labelledby=\"t%u\">\n"
             "<figcaption id=\"t%u\"><b>",
             p->ids, p->ids);
    page_text(p, s->is.title);
    page_raw(p, "</b> <span>");
    page_text(p, s->is.about);
    page_raw(p, "</span></figcaption>\n");
    put_series_data(p, s);
    page_raw(p,
             "<div class=\"at\" role=\"img\" aria-labelledby=\"t%u\">"
             "</div>\n<button type=\"button\" class=\"csv\" data-file=\"",
             p->ids);
    page_text(p, s->is.file);
    page_raw(p, ".csv\" aria-describedby=\"t%u\">CSV</button>\n</figure>\n",
             p->ids);
}

void chart_spark(page *p, const double *values, size_t count, const char *about)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) {
            low = fmin(low, values[i]);
            high = fmax(high, values[i]);
        }
    low = fmin(low, 0);
    page_markup_cell(p);
    page_raw(p, "<svg class=\"spark\" width=\"64\" height=\"20\" "
                "viewBox=\"0 0 100 20\" preserveAspectRatio=\"none\" "
                "role=\"img\"><title>");
    page_text(p, about);
    page_raw(p, "</title><polyline points=\"");
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            page_raw(p, "%s%.1f,%.1f", i ? " " : "",
                     count > 1 ? 100. * (double)i / (double)(count - 1) : 50,
                     high > low ? 19 - 18 * (values[i] - low) / (high - low)
                                : 19);
    page_raw(p, "\"/></svg>");
    page_markup_cell_end(p);
}
