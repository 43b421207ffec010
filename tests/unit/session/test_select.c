/* src/session/launch_filter.h: which launches are timed. */
#include "session/launch_filter.h"

#include "test.h"

/* The choices for launches of a, b, a, b, ...: 't' timed, 'f' functional. */
static const char *choices(const launch_filter *r)
{
    static char out[9];
    launch_filter_state *s = launch_filter_new(r);

    for (unsigned i = 0; i < 8; i++)
        out[i] =
            launch_filter_is_timed(s, i % 2 ? "beta" : "alpha") ? 't' : 'f';
    launch_filter_free(s);
    return out;
}

static launch_filter_rule rule(const char *text)
{
    launch_filter_rule r = {.kernel = text};
    size_t n;

    CHECK(launch_filter_parse(text, &n, &r));
    return r;
}

TEST(without_rules_all_are_timed)
{
    CHECK_STR(choices(&(launch_filter){0}), "tttttttt");
    CHECK_STR(choices(&(launch_filter){.functional = true}), "ffffffff");
}

TEST(first_launches_can_be_skipped_and_timed_ones_limited)
{
    CHECK_STR(choices(&(launch_filter){.skip = 3}), "fffttttt");
    CHECK_STR(choices(&(launch_filter){.max_timed = 2}), "ttffffff");
    CHECK_STR(choices(&(launch_filter){.skip = 1, .max_timed = 2}), "fttfffff");
}

TEST(kernels_are_chosen_by_name_and_number)
{
    launch_filter_rule r[2] = {rule("alpha:2"), rule("beta:3-")};

    r[0].kernel = "alpha";
    r[1].kernel = "b*";
    CHECK_STR(choices(&(launch_filter){.rule = r, .count = 1}), "fftfffff");
    CHECK_STR(choices(&(launch_filter){.rule = r, .count = 2}), "fftfftft");
    /* numbers count each kernel for itself */
    r[0].kernel = "*";
    CHECK_STR(choices(&(launch_filter){.rule = r, .count = 1}), "ffttffff");
    CHECK_STR(choices(&(launch_filter){.rule = r, .count = 1, .max_timed = 1}),
              "fftfffff");
    CHECK_STR(choices(&(launch_filter){.rule = r, .count = 1, .skip = 3}),
              "ffftffff");
}

TEST(numbers_are_read)
{
    launch_filter_rule r;
    size_t n;

    CHECK(launch_filter_parse("gemm", &n, &r));
    CHECK_EQ(n, 4);
    CHECK_EQ(r.first, 1);
    CHECK(r.last == UINT64_MAX);
    CHECK(launch_filter_parse("gemm:3", &n, &r));
    CHECK_EQ(n, 4);
    CHECK_EQ(r.first, 3);
    CHECK_EQ(r.last, 3);
    CHECK(launch_filter_parse("gemm:3-7", &n, &r));
    CHECK_EQ(r.last, 7);
    CHECK(launch_filter_parse("gemm:3-", &n, &r));
    CHECK(r.last == UINT64_MAX);
    CHECK(!launch_filter_parse("gemm:", &n, &r));
    CHECK(!launch_filter_parse("gemm:0", &n, &r));
    CHECK(!launch_filter_parse("gemm:7-3", &n, &r));
    CHECK(!launch_filter_parse("gemm:3x", &n, &r));
    CHECK(!launch_filter_parse("gemm:-3", &n, &r));
    CHECK(!launch_filter_parse(":3", &n, &r));
    CHECK(!launch_filter_parse("", &n, &r));
}
