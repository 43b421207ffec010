/* tests/unit/page/chart/test_timeline.c - timelines as they stand in a page. */
#include "page/chart/chart_timeline.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static const timeline_lane lanes[] = {
    {"host", false, true}, {"SMs", true, false}, {"stream <1>", false, false}};
static const timeline_what whats[] = {
    {"saxpy<float>", "grid 8x1x1", "cycles", "k1-0", 0},
    {"copy", "", "bytes", NULL, 2},
    {"the host waits", "", "", NULL, CHART_REST}};

/* The caller frees it. */
static char *page_of(lanes_bar *bar, size_t n, lanes_step *step, size_t steps,
                     uint64_t end)
{
    static const char *const keys[] = {"saxpy"};
    static const unsigned colours[] = {0};
    page *p = page_new("t", NULL);
    strbuf out = {0};

    chart_timeline(p, &(timeline_view){.is = {"title", "about", "file", NULL},
                                       .end = end,
                                       .lanes = lanes,
                                       .lane_count = 3,
                                       .whats = whats,
                                       .what_count = 3,
                                       .bars = bar,
                                       .bar_count = n,
                                       .steps = step,
                                       .step_count = steps,
                                       .flags = {"failed", "only computed"},
                                       .place = "l1-2-7-",
                                       .placed = 2,
                                       .keys = keys,
                                       .key_colours = colours,
                                       .key_count = 1});
    chart_end(p);
    page_finish(p, &out);
    page_free(p);
    return out.text;
}

static size_t count_of(const char *text, const char *part)
{
    size_t n = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

static lanes_bar launch(uint64_t begin, uint64_t end, uint64_t number)
{
    lanes_bar b = lanes_one(begin, end, 2, 0);

    b.number = number;
    b.value = 1234;
    return b;
}

TEST(launches_link_to_their_rows_or_to_their_kernels)
{
    lanes_bar b[] = {launch(0, 100, 1), launch(200, 300, 2),
                     launch(300, 1000, 3), lanes_one(100, 200, 2, 1),
                     lanes_one(0, 1000, 0, 2)};

    b[1].flags = 1;
    char *text = page_of(b, 5, NULL, 0, 1000);
    CHECK_EQ(count_of(text, "href=\"#l1-2-7-1\""), 1);
    CHECK_EQ(count_of(text, "href=\"#l1-2-7-2\""), 1);
    CHECK_EQ(count_of(text, "href=\"#l1-2-7-3\""), 0); /* it has no row */
    CHECK_EQ(count_of(text, "href=\"#k1-0\""), 1);
    CHECK_EQ(count_of(text, "<a tabindex"), 3); /* copies lead nowhere */
    CHECK(strstr(text, "saxpy&lt;float&gt;, launch 1, grid 8x1x1: 100 ns, "
                       "1,234 cycles, from 0 ns, 10.0 % of the time shown"));
    CHECK(strstr(text, "copy: 100 ns, 0 bytes, from 100 ns"));
    CHECK_EQ(count_of(text, "; failed</title>"), 1);
    CHECK_EQ(count_of(text, "<rect class=\"failed\""), 1);
    CHECK(strstr(text, "stream &lt;1&gt;</span>"));
    CHECK(!strstr(text, "saxpy<float>"));
    CHECK(strstr(text, "\"saxpy\\u003cfloat"));
    free(text);
}

TEST(many_launches_are_few_marks)
{
    enum { N = 10000 };
    static lanes_bar b[N];

    for (unsigned i = 0; i < N; i++)
        b[i] = launch(100 * i, 100 * i + 50, i + 1);
    char *text = page_of(b, N, NULL, 0, 100 * N);
    CHECK(count_of(text, "<title>") < 1000);
    CHECK(strstr(text, "<title>10,000 \u00d7 saxpy"));
    CHECK(strlen(text) < 1000000);
    free(text);
}

/* No place is the result of a division by 0. */
static bool is_sound(char *text)
{
    char *from = strstr(text, "<div class=\"lanes\">");

    *strstr(from, "</div>") = 0;
    return !strstr(from, "nan") && !strstr(from, "inf");
}

TEST(nothing_and_no_time_can_be_drawn)
{
    lanes_bar b[] = {launch(0, 0, 1)};
    char *text = page_of(NULL, 0, NULL, 0, 0);

    CHECK_EQ(count_of(text, "<title>"), 1); /* the page's own */
    CHECK(is_sound(text));
    free(text);
    text = page_of(b, 1, NULL, 0, 0);
    CHECK_EQ(count_of(text, "<title>saxpy"), 1);
    CHECK(is_sound(text));
    free(text);
}

TEST(the_use_of_the_sms_is_two_areas)
{
    lanes_step s[] = {{0, 500, 1, 1, 0.5}, {500, 1000, 1, 0.5, 0.25}};
    char *text = page_of(NULL, 0, s, 2, 1000);

    CHECK_EQ(count_of(text, "<path class=\"sms\""), 1);
    CHECK_EQ(count_of(text, "<path class=\"warps\""), 1);
    CHECK(strstr(text, "<path class=\"sms\" d=\"M0 44H0V0H225V22H450V44Z\""));
    CHECK(strstr(text, "[1,500,500,0.5,0.25]"));
    free(text);
}

TEST(huge_times_have_an_axis)
{
    lanes_bar b[] = {launch(UINT64_MAX - 1, UINT64_MAX, 1)};
    char *text = page_of(b, 1, NULL, 0, UINT64_MAX);

    CHECK(count_of(text, "text-anchor=\"middle\"") >= 2);
    CHECK(count_of(text, "text-anchor=\"middle\"") <= 7);
    CHECK(strstr(text, " s</text>"));
    free(text);
}
