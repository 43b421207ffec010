/* tests/unit/base/test_suggest.c - what people mistype. */
#include "base/suggest.h"

#include "test.h"

static const char *const names[] = {"warps",  "ways", "size_kb", "scheduler",
                                    "gtx480", "k20",  "v100"};

static const char *near(const char *word)
{
    return suggest_nearest(word, names, sizeof names / sizeof *names);
}

TEST(one_letter_missing_extra_wrong_or_swapped)
{
    CHECK_STR(near("warp"), "warps");
    CHECK_STR(near("warpss"), "warps");
    CHECK_STR(near("wasps"), "warps");
    CHECK_STR(near("wrap"), "warps");
    CHECK_STR(near("sizekb"), "size_kb");
    CHECK_STR(near("shceduler"), "scheduler");
}

TEST(case_does_not_matter)
{
    CHECK_STR(near("Warps"), "warps");
    CHECK_STR(near("GTX480"), "gtx480");
}

TEST(nothing_is_better_than_nonsense)
{
    CHECK(near("") == NULL);
    CHECK(near("frequency") == NULL);
    CHECK(near("zz") == NULL);
    CHECK(suggest_nearest("warps", NULL, 0) == NULL);
}

TEST(very_long_words_are_refused)
{
    char word[5000];

    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    CHECK(near(word) == NULL);
}

TEST(the_first_of_equals_wins)
{
    static const char *const two[] = {"ab1", "ab2"};

    CHECK_STR(suggest_nearest("ab3", two, 2), "ab1");
}
