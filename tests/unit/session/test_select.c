/* src/session/launch_filter.h: which launches are timed. */
#include "session/launch_filter.h"

#include "test.h"

/* The choices for launches of a, b, a, b, ...: 't' timed, 'f' functional. */
static const char *choices(const select_rules *r)
{
    static char out[9];
    select_state *s = select_new(r);

    for (unsigned i = 0; i < 8; i++)
        out[i] = select_is_timed(s, i % 2 ? "beta" : "alpha") ? 't' : 'f';
    select_free(s);
    return out;
}

static select_rule rule(const char *text)
{
    select_rule r = {.kernel = text};
    size_t n;

    CHECK(select_parse(text, &n, &r));
    return r;
}

TEST(without_rules_all_are_timed)
{
    CHECK_STR(choices(&(select_rules){0}), "tttttttt");
    CHECK_STR(choices(&(select_rules){.functional = true}), "ffffffff");
}

TEST(first_launches_can_be_skipped_and_timed_ones_limited)
{
    CHECK_STR(choices(&(select_rules){.skip = 3}), "fffttttt");
    CHECK_STR(choices(&(select_rules){.max_timed = 2}), "ttffffff");
    CHECK_STR(choices(&(select_rules){.skip = 1, .max_timed = 2}), "fttfffff");
}

TEST(kernels_are_chosen_by_name_and_number)
{
    select_rule r[2] = {rule("alpha:2"), rule("beta:3-")};

    r[0].kernel = "alpha";
    r[1].kernel = "b*";
    CHECK_STR(choices(&(select_rules){.rule = r, .count = 1}), "fftfffff");
    CHECK_STR(choices(&(select_rules){.rule = r, .count = 2}), "fftfftft");
    /* numbers count each kernel for itself */
    r[0].kernel = "*";
    CHECK_STR(choices(&(select_rules){.rule = r, .count = 1}), "ffttffff");
    CHECK_STR(choices(&(select_rules){.rule = r, .count = 1, .max_timed = 1}),
              "fftfffff");
    CHECK_STR(choices(&(select_rules){.rule = r, .count = 1, .skip = 3}),
              "ffftffff");
}

TEST(numbers_are_read)
{
    select_rule r;
    size_t n;

    CHECK(select_parse("gemm", &n, &r));
    CHECK_EQ(n, 4);
    CHECK_EQ(r.first, 1);
    CHECK(r.last == UINT64_MAX);
    CHECK(select_parse("gemm:3", &n, &r));
    CHECK_EQ(n, 4);
    CHECK_EQ(r.first, 3);
    CHECK_EQ(r.last, 3);
    CHECK(select_parse("gemm:3-7", &n, &r));
    CHECK_EQ(r.last, 7);
    CHECK(select_parse("gemm:3-", &n, &r));
    CHECK(r.last == UINT64_MAX);
    CHECK(!select_parse("gemm:", &n, &r));
    CHECK(!select_parse("gemm:0", &n, &r));
    CHECK(!select_parse("gemm:7-3", &n, &r));
    CHECK(!select_parse("gemm:3x", &n, &r));
    CHECK(!select_parse("gemm:-3", &n, &r));
    CHECK(!select_parse(":3", &n, &r));
    CHECK(!select_parse("", &n, &r));
}
