/* tests/unit/base/test_strbuf.c - growth and termination. */
#include "base/strbuf.h"

#include "test.h"

TEST(grows_piece_by_piece)
{
    strbuf b = {0};
    size_t n = 0;

    for (int i = 0; i < 1000; i++) {
        strbuf_printf(&b, "%d,", i);
        n += i < 10 ? 2 : i < 100 ? 3 : 4;
        CHECK_EQ(b.size, n);
        CHECK_EQ(b.text[b.size], 0);
    }
    CHECK(!strncmp(b.text, "0,1,2,", 6));
    CHECK_STR(b.text + b.size - 8, "998,999,");
    strbuf_fini(&b);
    CHECK(b.text == NULL);
}

TEST(holds_any_bytes)
{
    strbuf b = {0};

    strbuf_write(&b, "a\0b", 3);
    strbuf_putc(&b, 'c');
    strbuf_puts(&b, "");
    CHECK_EQ(b.size, 4);
    CHECK(!memcmp(b.text, "a\0bc", 5));
    strbuf_fini(&b);
}

TEST(an_empty_write_makes_an_empty_text)
{
    strbuf b = {0};

    strbuf_write(&b, NULL, 0);
    CHECK_STR(b.text, "");
    strbuf_fini(&b);
    strbuf_fini(&b);
}
