/* src/base/strbuf.c - doubling buffer, always NUL-terminated once used. */
#include "base/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"

/* Room for `n` more characters and the NUL. */
static void reserve_bytes(strbuf *b, size_t n)
{
    size_t want, room = b->room ? b->room : 64;

    MUST(n < SIZE_MAX / 4 && b->size < SIZE_MAX / 4);
    want = b->size + n + 1;
    if (want <= b->room)
        return;
    while (room < want)
        room *= 2;
    b->text = renew(b->text, room, 1);
    b->room = room;
}

void strbuf_write(strbuf *b, const char *s, size_t n)
{
    reserve_bytes(b, n);
    if (n)
        memcpy(b->text + b->size, s, n);
    b->size += n;
    b->text[b->size] = '\0';
}

void strbuf_putc(strbuf *b, char c) { strbuf_write(b, &c, 1); }

void strbuf_puts(strbuf *b, const char *s) { strbuf_write(b, s, strlen(s)); }

void strbuf_vprintf(strbuf *b, const char *fmt, va_list ap)
{
    va_list again;
    int n;

    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    MUST(n >= 0);
    reserve_bytes(b, (size_t)n);
    vsnprintf(b->text + b->size, (size_t)n + 1, fmt, ap);
    b->size += (size_t)n;
}

void strbuf_printf(strbuf *b, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    strbuf_vprintf(b, fmt, ap);
    va_end(ap);
}

void strbuf_fini(strbuf *b)
{
    free(b->text);
    *b = (strbuf){0};
}
