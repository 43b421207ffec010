/* src/text/html.c - see html.h. */
#include "text/html.h"

#include <stdbool.h>
#include <string.h>

/* The length of the well-formed UTF-8 sequence at `s`, 0 if there is none
 *: no overlong forms, no surrogates, nothing above 10FFFF. */
static size_t sequence(const unsigned char *s)
{
    static const struct {
        unsigned char first, last, low, high; /* of the second byte */
        size_t length;
    } forms[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
        {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
        {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };

    if (*s < 0x80)
        return 1;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (*s < forms[i].first || *s > forms[i].last)
            continue;
        if (s[1] < forms[i].low || s[1] > forms[i].high)
            return 0;
        for (size_t k = 2; k < forms[i].length; k++)
            if (s[k] < 0x80 || s[k] > 0xbf)
                return 0;
        return forms[i].length;
    }
    return 0;
}

static bool control(unsigned char c)
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

static void put(strbuf *out, const char *text, const char *special(char))
{
    while (*text) {
        size_t n = sequence((const unsigned char *)text);
        const char *as = special(*text);

        if (as)
            strbuf_puts(out, as);
        else if (!n || control((unsigned char)*text))
            strbuf_puts(out, "\xef\xbf\xbd");
        else
            strbuf_write(out, text, n);
        text += n ? n : 1;
    }
}

void html_text(strbuf *out, const char *text) { put(out, text, reference); }

void html_json(strbuf *out, const char *text)
{
    strbuf_putc(out, '"');
    put(out, text, escape);
    strbuf_putc(out, '"');
}
