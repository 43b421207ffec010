/* tests/unit/text/test_html.c - no text becomes markup. */
#include "text/html.h"

#include "test.h"

static const char *text(strbuf *b, const char *from)
{
    b->size = 0;
    html_text(b, from);
    return b->size ? b->text : "";
}

TEST(markup_is_escaped)
{
    strbuf b = {0};

    CHECK_STR(text(&b, "<script>alert('x')</script> & \"y\""),
              "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; "
              "&quot;y&quot;");
    CHECK_STR(text(&b, "plain, a=1;\n\ttab"), "plain, a=1;\n\ttab");
    CHECK_STR(text(&b, ""), "");
    strbuf_fini(&b);
}

TEST(utf8_stays_and_other_bytes_do_not)
{
    strbuf b = {0};

    CHECK_STR(text(&b, "\u00b5s \u20ac \U0001f600"),
              "\u00b5s \u20ac \U0001f600");
    CHECK_STR(text(&b, "a\xff"
                       "b"),
              "a\ufffd"
              "b");
    CHECK_STR(text(&b, "\xc0\xaf"), "\ufffd\ufffd");           /* overlong */
    CHECK_STR(text(&b, "\xed\xa0\x80"), "\ufffd\ufffd\ufffd"); /* surrogate */
    CHECK_STR(text(&b, "\xe2\x82"), "\ufffd\ufffd");           /* cut off */
    CHECK_STR(text(&b, "\xf5\x80\x80\x80"), "\ufffd\ufffd\ufffd\ufffd");
    CHECK_STR(text(&b, "\x1b[1m\r"), "\ufffd[1m\ufffd");
    strbuf_fini(&b);
}

TEST(json_cannot_end_a_script)
{
    strbuf b = {0};

    html_json(&b, "</script>\"\\\n\x01");
    CHECK_STR(b.text, "\"\\u003c/script>\\\"\\\\\\n\ufffd\"");
    strbuf_fini(&b);
}
