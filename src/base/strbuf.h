/* src/base/strbuf.h - a growing text. Owns its bytes; ends the process when
 * memory runs out. A zeroed struct is an empty buffer. */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

typedef struct strbuf {
    char *text; /* NUL-terminated, NULL while empty */
    size_t size;
    size_t room;
} strbuf;

void strbuf_putc(strbuf *b, char c);
void strbuf_puts(strbuf *b, const char *s);
void strbuf_write(strbuf *b, const char *s, size_t n);
void strbuf_printf(strbuf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(strbuf *b, const char *fmt, va_list ap);
void strbuf_fini(strbuf *b);

#endif
