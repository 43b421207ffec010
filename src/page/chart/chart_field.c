/* src/page/chart/chart_field.c - many rows over time as a field of colours: as
 * few shapes as there are shades, so that thousands of values stay small. */
#include <math.h>
#include <stdio.h>

#include "page/chart/chart.h"

#include "page/impl.h"

enum {
    SHADES = 16,
    TICKS = 4,
    TALL = 12, /* pixels of a row where there are few */
    HEIGHT = 240,
};

static unsigned row_height(const field *f)
{
    size_t h = f->rows ? HEIGHT / f->rows : TALL;

    return h > TALL ? TALL : h < 2 ? 2 : (unsigned)h;
}

/* 0: nothing; any little more is 1, but sums that are rounded are not the next
 * shade. */
static unsigned shade(const field *f, double v)
{
    double of = f->most > 0 ? ceil(SHADES * v / f->most - 1e-6) : 0;

    return isnan(v) || of <= 0 ? 0 : of > SHADES ? SHADES : (unsigned)of;
}

static unsigned shade_at(const field *f, const field_panel *l, size_t row,
                         size_t column)
{
    return shade(f, l->values[row * f->columns + column]);
}

static double opacity(unsigned of) { return 0.06 + 0.94 * of / SHADES; }

/* Everything of one shade, as strips along the rows. */
static void put_shade(page *p, const field *f, const field_panel *l,
                      unsigned of)
{
    bool begun = false;

    for (size_t r = 0; r < f->rows; r++)
        for (size_t c = 0, n; c < f->columns; c += n) {
            n = 1;
            if (shade_at(f, l, r, c) != of)
                continue;
            while (c + n < f->columns && shade_at(f, l, r, c + n) == of)
                n++;
            if (!begun)
                page_raw(p, "<path fill-opacity=\"%.2f\" d=\"", opacity(of));
            begun = true;
            page_raw(p, "M%zu %zuh%zuv1h-%zuz", c, r, n, n);
        }
    if (begun)
        page_raw(p, "\"/>\n");
}

typedef struct row_sum {
    double mean, most, last; /* last: when it became nothing for good */
} row_sum;

static row_sum sum_row(const field *f, const field_panel *l, size_t row)
{
    double each = f->end / (double)f->columns;
    row_sum s = {0};

    for (size_t c = 0; c < f->columns; c++) {
        double v = l->values[row * f->columns + c];

        if (isnan(v) || v <= 0)
            continue;
        s.mean += v * each;
        s.most = fmax(s.most, v);
        s.last = fmin(each * (double)(c + 1), l->end);
    }
    s.mean = l->end > 0 ? s.mean / l->end : 0;
    return s;
}

/* The tooltip of a row. */
static void put_field_row(page *p, const field *f, const field_panel *l,
                          size_t row)
{
    row_sum s = sum_row(f, l, row);

    page_raw(p,
             "<rect class=\"row\" x=\"0\" y=\"%zu\" width=\"%zu\" "
             "height=\"1\"><title>",
             row, f->columns);
    page_text(p, f->rows_are);
    page_raw(p, " %zu: mean %.1f, at most %.1f ", row, s.mean, s.most);
    page_text(p, f->unit);
    page_raw(p, "; until %.6g ", s.last);
    page_text(p, f->x_unit);
    page_raw(p, "</title></rect>\n");
}

static void put_panel(page *p, const field *f, const field_panel *l)
{
    double columns = f->end > 0 ? (double)f->columns * l->end / f->end : 0;

    page_raw(p, "<span class=\"name\">");
    page_text(p, l->name[0] ? l->name : f->rows_are);
    if (f->rows > 1 && !l->name[0])
        page_raw(p, " 0 to %zu", f->rows - 1);
    page_raw(p,
             "</span><svg class=\"map\" width=\"100%%\" height=\"%zu\" "
             "viewBox=\"0 0 %zu %zu\" preserveAspectRatio=\"none\" "
             "shape-rendering=\"crispEdges\">\n<rect class=\"none\" x=\"0\" "
             "y=\"0\" width=\"%.2f\" height=\"%zu\"/>\n",
             f->rows * row_height(f), f->columns, f->rows, columns, f->rows);
    for (unsigned of = 1; of <= SHADES; of++)
        put_shade(p, f, l, of);
    for (size_t r = 0; r < f->rows; r++)
        put_field_row(p, f, l, r);
    page_raw(p, "</svg>\n");
}

static void put_times(page *p, const field *f)
{
    page_raw(p, "<span class=\"name\">");
    page_text(p, f->x_unit);
    page_raw(p, "</span><svg width=\"100%%\" height=\"20\">");
    for (unsigned i = 0; i <= TICKS; i++)
        page_raw(p, "<text x=\"%u%%\" y=\"14\" text-anchor=\"%s\">%.4g</text>",
                 100 * i / TICKS,
                 !i          ? "start"
                 : i < TICKS ? "middle"
                             : "end",
                 f->end * i / TICKS);
    page_raw(p, "</svg>\n");
}

/* What the shades mean. */
static void put_key(page *p, const field *f)
{
    page_raw(p, "<ul class=\"legend field\">\n");
    for (unsigned i = 0; i <= TICKS; i++) {
        unsigned of = SHADES * i / TICKS;

        page_raw(p, "<li><svg class=\"key\" width=\"14\" height=\"14\" "
                    "aria-hidden=\"true\">");
        if (of)
            page_raw(p, "<path d=\"M0 1h14v12h-14z\" fill-opacity=\"%.2f\"/>",
                     opacity(of));
        else
            page_raw(p, "<rect class=\"none\" y=\"1\" width=\"14\" "
                        "height=\"12\"/>");
        page_raw(p, "</svg>%.4g ", f->most * i / TICKS);
        page_text(p, i < TICKS ? "" : f->unit);
        page_raw(p, "</li>\n");
    }
    page_raw(p, "</ul>\n");
}

static void put_field_table(page *p, const field *f)
{
    const page_column columns[] = {
        {.name = "panel"},
        {.name = f->rows_are, .number = true},
        {.name = "mean", .unit = f->unit, .number = true},
        {.name = "most", .unit = f->unit, .number = true},
        {.name = "until", .unit = f->x_unit, .number = true}};

    chart_behind(p);
    page_table(p, f->is.title, f->is.file, columns, 5);
    for (size_t i = 0; i < f->count; i++)
        for (size_t r = 0; r < f->rows; r++) {
            row_sum s = sum_row(f, &f->panels[i], r);

            page_cell(p, "%s", f->panels[i].name);
            page_number(p, (double)r, "%zu", r);
            page_number(p, s.mean, "%.2f", s.mean);
            page_number(p, s.most, "%.2f", s.most);
            page_number(p, s.last, "%.6g", s.last);
        }
    page_table_end(p);
}

void chart_field(page *p, const field *f)
{
    chart_begin(p, &f->is, NULL, 0, 0);
    put_key(p, f);
    page_raw(p, "<div class=\"heat field\" role=\"img\" aria-label=\"");
    page_text(p, f->is.about);
    page_raw(p, "\">\n");
    for (size_t i = 0; i < f->count; i++)
        put_panel(p, f, &f->panels[i]);
    put_times(p, f);
    page_raw(p, "</div>\n");
    put_field_table(p, f);
    chart_end(p);
}
