/* Words and numbers of lines. */
#include "test.h"

#include "replay/words.h"

static word whole(const char *text) { return (word){text, strlen(text)}; }

TEST(words_stand_between_blanks)
{
    const char *at = "  a bc\td ";
    word w;

    CHECK(word_next(&at, &w) && w.size == 1 && *w.at == 'a');
    CHECK(word_next(&at, &w) && w.size == 2 && !memcmp(w.at, "bc", 2));
    CHECK(word_next(&at, &w) && w.size == 1 && *w.at == 'd');
    CHECK(!word_next(&at, &w));
    CHECK_EQ(w.size, 0);
}

TEST(decimal_numbers)
{
    uint64_t v = 1;

    CHECK(word_decimal(whole("0"), 0, &v));
    CHECK_EQ(v, 0);
    CHECK(word_decimal(whole("18446744073709551615"), UINT64_MAX, &v));
    CHECK_EQ(v, UINT64_MAX);
    CHECK(!word_decimal(whole("18446744073709551616"), UINT64_MAX, &v));
    CHECK(word_decimal(whole("255"), 255, &v));
    CHECK(!word_decimal(whole("256"), 255, &v));
    CHECK(!word_decimal(whole("5"), 3, &v));
    CHECK(!word_decimal(whole("1a"), 100, &v));
    CHECK(!word_decimal(whole(""), 100, &v));
    CHECK(!word_decimal(whole("-1"), 100, &v));
}

TEST(hexadecimal_numbers)
{
    uint64_t v;

    CHECK(word_hex(whole("ffffffff"), UINT32_MAX, &v));
    CHECK_EQ(v, UINT32_MAX);
    CHECK(!word_hex(whole("1ffffffff"), UINT32_MAX, &v));
    CHECK(!word_hex(whole("100000000"), UINT32_MAX, &v));
    CHECK(word_hex(whole("0x7F0e5f718000"), UINT64_MAX, &v));
    CHECK_EQ(v, 0x7f0e5f718000);
    CHECK(!word_hex(whole("0x"), UINT64_MAX, &v));
    CHECK(!word_hex(whole("0xg"), UINT64_MAX, &v));
    CHECK(!word_hex(whole("10000000000000000"), UINT64_MAX, &v));
}

TEST(numbers_with_a_sign)
{
    int64_t v;

    CHECK(word_signed(whole("-4"), &v));
    CHECK(v == -4);
    CHECK(word_signed(whole("-9223372036854775808"), &v));
    CHECK(v == INT64_MIN);
    CHECK(!word_signed(whole("9223372036854775808"), &v));
    CHECK(!word_signed(whole("-"), &v));
    CHECK(!word_signed(whole("--4"), &v));
}
