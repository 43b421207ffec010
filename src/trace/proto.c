#include "trace/proto.h"

#include <string.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };

static void varint(strbuf *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        strbuf_putc(b, (char)(v | 0x80));
    strbuf_putc(b, (char)v);
}

static void tag(strbuf *b, unsigned field, unsigned type)
{
    varint(b, (uint64_t)field << 3 | type);
}

void proto_uint(strbuf *b, unsigned field, uint64_t v)
{
    tag(b, field, VARINT);
    varint(b, v);
}

void proto_fixed64(strbuf *b, unsigned field, uint64_t v)
{
    tag(b, field, FIXED64);
    for (unsigned i = 0; i < 8; i++)
        strbuf_putc(b, (char)(v >> 8 * i));
}

void proto_double(strbuf *b, unsigned field, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    proto_fixed64(b, field, bits);
}

void proto_text(strbuf *b, unsigned field, const char *s)
{
    size_t n = strlen(s);

    tag(b, field, BYTES);
    varint(b, n);
    strbuf_write(b, s, n);
}

void proto_message(strbuf *b, unsigned field, strbuf *from)
{
    tag(b, field, BYTES);
    varint(b, from->size);
    strbuf_write(b, from->text ? from->text : "", from->size);
    from->size = 0;
}
