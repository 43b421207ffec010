/* src/text/html.c - see html.h. */
#include "text/html.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

static bool is_control(unsigned char c)
{
    return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f;
}

static const char *reference(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static const char *escape(char c)
{
    switch (c) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\n':
        return "\\n";
    case '\t':
        return "\\t";
    case '<': /* or "</script" would end the element */
        return "\\u003c";
    default:
        return NULL;
    }
}

static void put_escaped(strbuf *out, const char *text,
                        const char *special(char))
{
    while (*text) {
        unsigned n = utf8_length(text);
        const char *as = special(*text);

        if (as)
            strbuf_puts(out, as);
        else if (!n || is_control((unsigned char)*text))
            strbuf_puts(out, "\xef\xbf\xbd");
        else
            strbuf_write(out, text, n);
        text += n ? n : 1;
    }
}

void html_text(strbuf *out, const char *text)
{
    put_escaped(out, text, reference);
}

void html_json(strbuf *out, const char *text)
{
    strbuf_putc(out, '"');
    put_escaped(out, text, escape);
    strbuf_putc(out, '"');
}
