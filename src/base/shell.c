/* src/base/shell.c - see shell.h. */
#include "base/shell.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_plain(const char *word)
{
    if (!*word)
        return false;
    for (; *word; word++)
        if (!isalnum((unsigned char)*word) && !strchr("_-+=:,./@%^", *word))
            return false;
    return true;
}

void shell_quote(const char *word, strbuf *out)
{
    if (is_plain(word)) {
        strbuf_puts(out, word);
        return;
    }
    strbuf_putc(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            strbuf_puts(out, "'\\''");
        else
            strbuf_putc(out, *word);
    strbuf_putc(out, '\'');
}

void shell_quote_all(const char *const *words, strbuf *out)
{
    for (; *words; words++) {
        if (out->size)
            strbuf_putc(out, ' ');
        shell_quote(*words, out);
    }
}
