/* tests/unit/page/chart/test_explain.c - charts of what bounds a kernel: roofs,
 * steps, flows and code, looked at by what must be true of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/chart/chart_code.h"
#include "test.h"

static size_t count_of(const char *s, const char *part)
{
    size_t n = 0;

    for (; (s = strstr(s, part)); s += strlen(part))
        n++;
    return n;
}

static char *finish(page *p)
{
    strbuf out = {0};

    page_finish(p, &out);
    page_free(p);
    return out.text;
}

/* The number of an attribute of the first element that has `mark`. */
static double number_of(const char *s, const char *mark, const char *name)
{
    char key[32];
    const char *at = strstr(s, mark);

    CHECK(at);
    snprintf(key, sizeof key, " %s=\"", name);
    at = strstr(at, key);
    CHECK(at);
    return atof(at + strlen(key));
}

static word as_it_is(double v)
{
    word w;

    snprintf(w.s, sizeof w.s, "%g", v);
    return w;
}

static char *roofline_of(double x, double y)
{
    static const roof slope = {"<DRAM>", 1e12, 2}, flat = {"FP32", 1e13, 0};
    roofline_point at = {"<k>", "DRAM", x, y, fmin(1e13, x * 1e12), 2};
    page *p = page_new("t", NULL);

    chart_roofline(p, &(roofline){.is = {"t", "a", "f", NULL},
                                  .x = "x",
                                  .y = "y",
                                  .slopes = &slope,
                                  .slope_count = 1,
                                  .flats = &flat,
                                  .flat_count = 1,
                                  .points = &at,
                                  .count = 1,
                                  .x_show = as_it_is,
                                  .y_show = as_it_is});
    return finish(p);
}

/* How far below the slope the dot is, in percent of the height. */
static double below_slope(const char *s)
{
    double x1 = number_of(s, "class=\"roof s2\"", "x1"),
           x2 = number_of(s, "class=\"roof s2\"", "x2"),
           y1 = number_of(s, "class=\"roof s2\"", "y1"),
           y2 = number_of(s, "class=\"roof s2\"", "y2"),
           x = number_of(s, "class=\"mark", "cx");

    return number_of(s, "class=\"mark", "cy") -
           (y1 + (y2 - y1) * (x - x1) / (x2 - x1));
}

TEST(a_dot_that_moves_all_it_can_is_on_the_slope)
{
    char *on = roofline_of(2, 2e12), *below = roofline_of(2, 5e11);

    CHECK(fabs(below_slope(on)) < 0.1);
    CHECK(below_slope(below) > 5);
    CHECK(strstr(on, "100.0 % of its roof"));
    CHECK(strstr(below, "25.0 % of its roof"));
    CHECK(!strstr(on, "<k>") && !strstr(on, "<DRAM>"));
    free(on);
    free(below);
}

TEST(a_slope_ends_at_the_level_roof)
{
    char *s = roofline_of(2, 1e12);

    CHECK(fabs(number_of(s, "class=\"roof s2\"", "y2") -
               number_of(s, "class=\"roof\"", "y1")) < 0.1);
    CHECK(fabs(number_of(s, "class=\"roof s2\"", "x2") -
               number_of(s, "class=\"roof\"", "x1")) < 0.1);
    free(s);
}

TEST(steps_mark_where_one_stands)
{
    static const double at[] = {0, 1, 2, 3, 4}, values[] = {8, 8, 4, 4, 2};
    page *p = page_new("t", NULL);
    char *s;

    chart_steps(p, &(stairs){.is = {"t", "a", "f", NULL},
                             .x = "x",
                             .y = "CTAs",
                             .at = at,
                             .values = values,
                             .count = 5,
                             .now = 2.5,
                             .x_show = as_it_is});
    s = finish(p);
    CHECK(strstr(s, "now: 2.5, 4 CTAs"));
    /* Three levels, two drops. */
    CHECK_EQ(count_of(s, "class=\"step\""), 4 + 0);
    CHECK(strstr(s, "up to 1<") && strstr(s, "up to 3<") &&
          strstr(s, "up to 4<"));
    free(s);
}

TEST(arrows_are_wider_the_busier_they_are)
{
    static const flow_box boxes[] = {{"A", "x", 0, 100, 0, 0.9},
                                     {"B", "y", 0, 100, 1, NAN}};
    static const flow_arrow arrows[] = {
        {"1 B", "idle", 10, 0, true, false, 0.0},
        {"2 B", "busy", 60, 0, false, true, 0.8}};
    page *p = page_new("t", NULL);
    char *s;

    chart_flow(p, &(flow){{"t", "a", "f", NULL}, boxes, arrows, 2, 2});
    chart_end(p);
    s = finish(p);
    CHECK(number_of(s, "2 B, busy", "stroke-width") >
          3 * number_of(s, "1 B, idle", "stroke-width"));
    CHECK_EQ(count_of(s, "class=\"box b2\""), 1);
    CHECK_EQ(count_of(s, "<path d="), 2);
    free(s);
}

static char *code_of(const code_row *left, const code_row *right, size_t count)
{
    code_pane panes[] = {{"a.cu", "a", "line", false, false, left, count},
                         {"PTX", "b", "line", true, false, right, count}};
    page *p = page_new("t", NULL);

    chart_code(p, &(code_view){.is = {"t", "a", "f", NULL},
                               .id = 3,
                               .panes = panes,
                               .count = 2,
                               .values = {{"insts", "", 0}},
                               .value_count = 1});
    return finish(p);
}

TEST(lines_with_a_key_have_one_place_for_links)
{
    const code_row left[] = {{.key = 2, .text = "a", .slots = 0.1},
                             {.key = 1, .text = "b", .slots = 0.9}};
    const code_row right[] = {{.key = 1, .text = "c"}, {.key = 1, .text = "d"}};
    char *s = code_of(left, right, 2);

    CHECK_EQ(count_of(s, "id=\"c3-1\""), 1);
    CHECK_EQ(count_of(s, "id=\"c3-2\""), 1);
    CHECK_EQ(count_of(s, "data-k=\"1\""), 3);
    CHECK_EQ(count_of(s, "<script>"), 2); /* the page's and that of code */
    free(s);
}

TEST(the_hottest_line_has_the_full_colour_and_others_less)
{
    const code_row left[] = {{.key = 1, .text = "a", .slots = 0.36, .warps = 0},
                             {.key = 2, .text = "b", .slots = 0.04, .warps = 0},
                             {.text = "c", .slots = NAN, .warps = NAN}};
    const code_row right[] = {{.text = ""}, {.text = ""}, {.text = ""}};
    char *s = code_of(left, right, 3);

    /* A ninth of the largest has a third of nine depths. */
    CHECK(strstr(s, "class=\"r h9\" data-v=\"36\""));
    CHECK(strstr(s, "class=\"r h3\" data-v=\"4\""));
    CHECK_EQ(count_of(s, "<tr class=\"cold\">"), 4);
    free(s);
}

TEST(long_lines_are_cut_between_characters)
{
    char text[600] = "x";
    const code_row left[] = {{.key = 1, .text = text, .slots = 1}};
    const code_row right[] = {{.text = ""}};
    char *s;

    for (size_t i = 1; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\u00e4", 2);
    s = code_of(left, right, 1);
    CHECK(strstr(s, "\u00e4\u2026</code>"));
    CHECK(!strstr(s, "\ufffd"));
    CHECK(count_of(s, "\u00e4") < 150);
    free(s);
}
