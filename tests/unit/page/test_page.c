/* tests/unit/page/test_page.c - pages: structure, tables, charts; looked at by
 * what must be true of them, not by their bytes. */
#include "page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/chart/chart.h"
#include "test.h"

static size_t count_of(const char *text, const char *part)
{
    size_t n = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

/* Finishes and frees the page. The caller frees the text. */
static char *finish(page *p)
{
    strbuf out = {0};

    page_finish(p, &out);
    page_free(p);
    return out.text;
}

/* The k-th rectangle of a text. */
static void rectangle(const char *text, size_t k, double *x, double *width)
{
    *x = *width = NAN;
    for (; (text = strstr(text, "<rect x=\"")); text++)
        if (!k--) {
            *x = atof(text + strlen("<rect x=\""));
            *width = atof(strstr(text, "width=\"") + strlen("width=\""));
            return;
        }
}

TEST(a_page_says_what_may_run)
{
    char *s = finish(page_new("<b>", NULL));

    CHECK(strstr(s, "default-src 'none'"));
    CHECK(strstr(s, "<title>&lt;b&gt;</title>"));
    /* style and script, by hashes of 44 characters */
    CHECK_EQ(count_of(s, "'sha256-"), 2);
    CHECK_EQ(strcspn(strstr(s, "'sha256-") + 8, "'"), 44);
    CHECK_EQ(count_of(s, "<script"), 1);
    CHECK_EQ(count_of(s, "<style"), 1);
    CHECK(!strstr(s, " style=") && !strstr(s, " onclick="));
    free(s);
}

TEST(contents_link_sections)
{
    page *p = page_new("t", "about");
    char *s;

    page_part(p, "one");
    page_section(p, "a");
    page_section(p, "b");
    page_part(p, "two");
    page_section(p, "c");
    s = finish(p);
    for (int i = 1; i <= 5; i++) {
        char id[16], link[16];

        snprintf(id, sizeof id, "id=\"s%d\"", i);
        snprintf(link, sizeof link, "#s%d\"", i);
        CHECK_EQ(count_of(s, id), 1);
        CHECK_EQ(count_of(s, link), 1);
    }
    CHECK_EQ(count_of(s, "<section"), count_of(s, "</section>"));
    CHECK_EQ(count_of(s, "<ol>"), count_of(s, "</ol>"));
    free(s);
}

TEST(tables_keep_values_for_sorting)
{
    const page_column columns[] = {{.name = "a"},
                                   {.name = "b", .unit = "J", .number = true}};
    page *p = page_new("t", NULL);
    char *s;

    page_table(p, "cap", "file", columns, 2);
    page_cell(p, "x<y");
    page_number(p, 1.5e-3, "1.5 m");
    page_row_sum(p);
    page_row_place(p, "k1-2");
    page_cell(p, "z");
    page_number(p, NAN, "-");
    page_table_end(p);
    s = finish(p);
    CHECK(strstr(s, "<td class=\"r\" data-v=\"0.0015\">1.5 m</td>"));
    CHECK(strstr(s, "x&lt;y"));
    CHECK(strstr(s, "<td class=\"r\">-</td>"));
    CHECK_EQ(count_of(s, "<tr"), 3);
    CHECK_EQ(count_of(s, "</tr>"), 3);
    CHECK_EQ(count_of(s, "<tr id=\"k1-2\" class=\"sum\">"), 1);
    CHECK_EQ(count_of(s, " id=\"k"), 1);
    CHECK(strstr(s, "data-file=\"file.csv\""));
    free(s);
}

static word show(double v) { return word_real(v, 2); }

/* 4 and 1/4 are as long, to both sides of where 1 is. */
TEST(bars_of_ratios_begin_at_one)
{
    double fast[] = {4}, slow[] = {0.25};
    const bars_row rows[] = {{.name = "f", .values = fast},
                             {.name = "s", .values = slow},
                             {.name = "x", .values = fast, .why = "crashed"}};
    const char *const names[] = {"v"};
    double x, width, other, back;
    page *p = page_new("t", NULL);
    char *s;

    chart_bars(p, &(bars){.is = {"title", "about", "file", NULL},
                          .series = names,
                          .series_count = 1,
                          .rows = rows,
                          .count = 3,
                          .ratio = true,
                          .show = show});
    s = finish(p);
    CHECK_EQ(count_of(s, "<rect x="), 2);
    rectangle(s, 0, &x, &width);
    CHECK(fabs(x - 50) < 0.01 && width > 30);
    rectangle(s, 1, &other, &back);
    CHECK(fabs(other + back - 50) < 0.02 && fabs(back - width) < 0.02);
    CHECK(strstr(s, "<title>f, v: 4.00</title>"));
    CHECK(strstr(s, "crashed"));
    CHECK_EQ(count_of(s, "<svg"), count_of(s, "</svg>"));
    CHECK_EQ(count_of(s, "<figure"), count_of(s, "</figure>"));
    free(s);
}

/* The figure alone. The caller frees the text. */
static char *bars_of(const bars_row *rows, size_t count)
{
    static const char *const names[] = {"a", "b"};
    page *p = page_new("t", NULL);

    chart_bars(p, &(bars){.is = {"title", "about", "file", NULL},
                          .series = names,
                          .series_count = 2,
                          .rows = rows,
                          .count = count,
                          .ratio = true,
                          .show = show});
    return finish(p);
}

/* The mean stays bars and comes first; where there is no value, there is no
 * mark. */
TEST(too_many_bars_become_marks)
{
    const double both[] = {2, .5}, one[] = {NAN, 2}, means[] = {1.5, 1};
    bars_row rows[31];
    char *s;

    for (unsigned i = 0; i < 31; i++)
        rows[i] = (bars_row){.name = "row", .values = i ? both : one};
    rows[30] = (bars_row){.name = "mean", .values = means, .sum = true};
    s = bars_of(rows, 30);
    CHECK_EQ(count_of(s, "<circle"), 0);
    free(s);
    s = bars_of(rows, 31);
    CHECK_EQ(count_of(s, "<circle"), 59);
    CHECK(strstr(s, ">mean</span>") < strstr(s, ">row</span>"));
    CHECK_EQ(count_of(s, "<svg"), count_of(s, "</svg>"));
    free(s);
}

/* Pieces lie side by side and are as long as their shares; what is below 1 %
 * of all is one grey piece. */
TEST(stacked_bars_are_whole)
{
    double parts[] = {0.3, 0.5, 0.195, 0.005};
    const char *const names[] = {"issued", "big", "middle", "tiny"};
    const stack_bar bar = {"base", parts};
    const stack_group group = {"w", &bar, 1};
    page *p = page_new("t", NULL);
    double x, width, end = 0;
    const char *at;
    char *s;

    chart_stack(p, &(stack){.is = {"title", "about", "file", NULL},
                            .parts = names,
                            .part_count = 4,
                            .first = true,
                            .groups = &group,
                            .count = 1});
    s = finish(p);
    at = strstr(s, "<div class=\"rows stacked\"");
    CHECK(at != NULL);
    for (size_t i = 0; i < 4; i++) {
        rectangle(at, i, &x, &width);
        CHECK(fabs(x - end) < 0.02);
        end = x + width;
    }
    CHECK(fabs(end - 100) < 0.05);
    CHECK(strstr(s, "base, others: 0.5 %"));
    CHECK(strstr(s, "base, issued: 30.0 %"));
    free(s);
}

TEST(heat_maps_say_what_is_missing)
{
    const double values[] = {1, 2, NAN, 4};
    const char *const rows[] = {"r0", "r1"}, *const columns[] = {"c0", "c1"};
    page *p = page_new("t", NULL);
    char *s;

    chart_heat(p, &(heat){.is = {"title", "about", "file", NULL},
                          .rows_are = "a",
                          .columns_are = "b",
                          .rows = rows,
                          .columns = columns,
                          .row_count = 2,
                          .column_count = 2,
                          .values = values,
                          .show = show});
    s = finish(p);
    CHECK(strstr(s, "r1, c0: missing") && strstr(s, "r1, c1: 4.00"));
    CHECK_EQ(count_of(s, "class=\"none\""), 1);
    free(s);
}

/* Two rows of four columns; the second side ends half way. */
TEST(fields_draw_strips_of_one_shade)
{
    const double one[] = {8, 8, 4, 0, 0, 0, 0, 8},
                 two[] = {8, 8, 0, 0, 0, 0, 0, 0};
    const field_panel panels[] = {{"base", one, 100}, {"half", two, 50}};
    page *p = page_new("t", NULL);
    char *s;

    chart_field(p, &(field){.is = {"title", "about", "file", NULL},
                            .rows_are = "SM",
                            .rows = 2,
                            .columns = 4,
                            .panels = panels,
                            .count = 2,
                            .most = 8,
                            .unit = "warps",
                            .end = 100,
                            .x_unit = "cycles"});
    s = finish(p);
    CHECK(strstr(s, "fill-opacity=\"1.00\" d=\"M0 0h2v1h-2zM3 1h1v1h-1z\""));
    CHECK(strstr(s, "fill-opacity=\"0.53\" d=\"M2 0h1v1h-1z\""));
    CHECK(strstr(s, "SM 0: mean 5.0, at most 8.0 warps; until 75 cycles"));
    CHECK(strstr(s, "SM 1: mean 2.0, at most 8.0 warps; until 100 cycles"));
    CHECK(strstr(s, "SM 0: mean 8.0, at most 8.0 warps; until 50 cycles"));
    CHECK(strstr(s, "class=\"none\" x=\"0\" y=\"0\" width=\"2.00\""));
    free(s);
}

TEST(series_bring_their_library_and_nothing_else_does)
{
    const double x[] = {100, 200}, y[] = {1.5, NAN};
    const double *const ys[] = {y};
    const char *const names[] = {"</script>"};
    page *p = page_new("t", NULL);
    char *s;

    chart_series(p, &(plot){.is = {"title", "about", "file", NULL},
                            .unit = "W",
                            .x = x,
                            .points = 2,
                            .names = names,
                            .y = ys,
                            .count = 1});
    s = finish(p);
    CHECK_EQ(count_of(s, "'sha256-"), 4);
    CHECK(strstr(s, "\"x\":[100,200]") && strstr(s, "[1.5,null]"));
    CHECK(strstr(s, "\\u003c/script>"));
    CHECK_EQ(count_of(s, "<script"), count_of(s, "</script>"));
    free(s);
}

TEST(waterfalls_bring_their_script)
{
    const char *const names[] = {"raw_mem"}, *const meanings[] = {"<waits>"};
    const unsigned colours[] = {3};
    page *p = page_new("t", NULL);
    char *s;

    chart_waterfall(p, &(waterfall){.is = {"title", "about", "file", NULL},
                                    .data = "{\"kernel\":\"</script>\"}",
                                    .names = names,
                                    .meanings = meanings,
                                    .colours = colours,
                                    .count = 1});
    s = finish(p);
    CHECK_EQ(count_of(s, "'sha256-"), 3);
    CHECK(strstr(s, "{\"kernel\":\"\\u003c/script>\"}"));
    CHECK(strstr(s, "{\"raw_mem\":[\"\\u003cwaits>\",3]}"));
    CHECK_EQ(count_of(s, "<script"), count_of(s, "</script>"));
    free(s);
}

/* A median of 2: one of 1, two of 2, one of 8 and more. */
TEST(distributions_tell_their_median)
{
    const hist_bin bins[] = {{1, 2, 1}, {2, 3, 2}, {8, INFINITY, 1}};
    const hist_bin late[] = {{8, INFINITY, 3}};
    const hist_row rows[] = {{"a", bins, 3}, {"b", late, 1}};
    page *p = page_new("t", NULL);
    double x, width, next, other;
    char *s;

    chart_hists(p, &(hists){.is = {"title", "about", "file", NULL},
                            .unit = "cycle",
                            .rows = rows,
                            .count = 2});
    s = finish(p);
    CHECK_EQ(count_of(s, "<rect"), 4);
    CHECK(strstr(s, "median 2<") && strstr(s, "median \u2265 8<"));
    CHECK(strstr(s, "<title>8 and more: 1, 25.0 %</title>"));
    rectangle(s, 0, &x, &width);
    rectangle(s, 1, &next, &other);
    CHECK(fabs(x + width - next) < 0.02 && fabs(width - other) < 0.02);
    free(s);
}
