#include "base/utf8.h"

#include "test.h"

/* The first and last characters of each length, and what is just beside them
 * [RFC3629:syntax]. */
TEST(characters_have_their_length_and_others_none)
{
    static const struct {
        const char *text;
        unsigned length;
    } cases[] = {
        {"a", 1},
        {"\x7f", 1},
        {"\x80", 0},
        {"\xc1\xbf", 0}, /* overlong */
        {"\xc2\x80", 2},
        {"\xdf\xbf", 2},
        {"\xc2", 0}, /* cut off */
        {"\xe0\x9f\xbf", 0},
        {"\xe0\xa0\x80", 3},
        {"\xed\x9f\xbf", 3},
        {"\xed\xa0\x80", 0}, /* a surrogate */
        {"\xef\xbf\xbf", 3},
        {"\xe1\x80", 0},
        {"\xf0\x8f\xbf\xbf", 0},
        {"\xf0\x90\x80\x80", 4},
        {"\xf4\x8f\xbf\xbf", 4},
        {"\xf4\x90\x80\x80", 0}, /* above 10FFFF */
        {"\xf5\x80\x80\x80", 0},
        {"\xff", 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (utf8_length(cases[i].text) != cases[i].length)
            TEST_FAIL("case %zu: %u", i, utf8_length(cases[i].text));
}
