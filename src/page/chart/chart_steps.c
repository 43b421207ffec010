/* src/page/chart/chart_steps.c - a value that changes in steps, and where one
 * stands. */
#include <math.h>

#include "page/chart/axes.h"
#include "page/impl.h"

enum { HEIGHT = 150 }; /* pixels */

/* The value at a place. */
static double value_at(const stairs *s, double x)
{
    double v = s->count ? s->values[0] : 0;

    for (size_t i = 0; i < s->count && s->at[i] <= x; i++)
        v = s->values[i];
    return v;
}

static void put_line(page *p, const axes *a, const stairs *s)
{
    size_t from = 0;

    for (size_t i = 1; i < s->count; i++) {
        if (s->values[i] == s->values[from] && i + 1 < s->count)
            continue;
        axes_line(p, a, "step", s->at[from], s->values[from], s->at[i],
                  s->values[from]);
        if (s->values[i] != s->values[from])
            axes_line(p, a, "step", s->at[i], s->values[from], s->at[i],
                      s->values[i]);
        from = i;
    }
}

static void put_now(page *p, const axes *a, const stairs *s)
{
    double v = value_at(s, s->now);

    page_raw(p, "<circle class=\"c4\" cx=\"%.2f%%\" cy=\"%.2f%%\" r=\"6\">",
             axes_x(a, s->now), axes_y(a, v));
    page_raw(p, "<title>now: ");
    page_text(p, s->x_show(s->now).s);
    page_raw(p, ", %.0f ", v);
    page_text(p, s->y);
    page_raw(p, "</title></circle>");
}

/* A row for each step: up to where it holds. */
static void put_table(page *p, const stairs *s)
{
    const page_column columns[] = {{.name = s->x, .number = true},
                                   {.name = s->y, .number = true}};

    chart_behind(p);
    page_table(p, s->is.title, s->is.file, columns, 2);
    for (size_t i = 0; i < s->count; i++)
        if (i + 1 == s->count || s->values[i + 1] != s->values[i]) {
            page_number(p, s->at[i], "up to %s", s->x_show(s->at[i]).s);
            page_number(p, s->values[i], "%.0f", s->values[i]);
        }
    page_table_end(p);
}

void chart_steps(page *p, const stairs *s)
{
    axes a = {scale_linear(s->at, s->count),
              scale_linear(s->values, s->count),
              s->x,
              s->y,
              s->is.about,
              "steps",
              HEIGHT};

    chart_begin(p, &s->is, NULL, 0, 0);
    axes_open(p, &a);
    put_line(p, &a, s);
    put_now(p, &a, s);
    axes_close(p, &a);
    put_table(p, s);
    chart_end(p);
}
