/* src/exec/format.c - one conversion after the other; numbers are written by
 * the host's printf, whose results the C standard fixes. */
#include "exec/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    TEXT_MAX = 1 << 16, /* characters of a format or string */
    WIDTH_MAX = 4096,
};

/* %-+8.3v4hlf */
typedef struct spec {
    char flags[8];
    int width, precision; /* -1: none */
    unsigned vector;      /* 0: none */
    char length;          /* h, H (hh), m (hl), l, L (ll, j, z, t); 0 */
    char conversion;
} spec;

typedef struct cursor {
    format_memory *m;
    uint64_t at;
    char c; /* the character at `at` */
} cursor;

static bool read_bytes(format_memory *m, uint64_t at, void *to, unsigned n)
{
    if (m->read(m->arg, at, to, n))
        return true;
    m->bad = at;
    return false;
}

static bool next_char(cursor *c) { return read_bytes(c->m, ++c->at, &c->c, 1); }

bool format_string(format_memory *m, uint64_t addr, strbuf *out)
{
    for (unsigned i = 0; i < TEXT_MAX; i++) {
        char c;

        if (!read_bytes(m, addr + i, &c, 1))
            return false;
        if (!c)
            break;
        strbuf_putc(out, c);
    }
    return true;
}

/* ---- arguments --------------------------------------------------------- */

/* The bytes of the next argument; *size: wanted, then what it has. */
static bool next_arg(format_memory *m, format_args *a, uint8_t to[64],
                     unsigned *size)
{
    uint64_t tag;

    memset(to, 0, 64);
    a->count++;
    if (!a->tagged) {
        a->at = (a->at + *size - 1) & ~(uint64_t)(*size - 1);
        if (!read_bytes(m, a->at, to, *size))
            return false;
        a->at += *size;
        return true;
    }
    *size = 0;
    if (a->at >= a->last)
        return true; /* too few: zero */
    if (!read_bytes(m, a->at, &tag, 8))
        return false;
    *size = tag > 64 ? 64 : (unsigned)tag;
    if (!read_bytes(m, a->at + 8, to, *size))
        return false;
    a->at += 8 + ((tag + 7) & ~(uint64_t)7);
    return true;
}

/* ---- parsing ----------------------------------------------------------- */

static bool read_field_number(cursor *c, format_args *a, int *n)
{
    uint8_t raw[64];
    unsigned size = 4;
    int32_t v;

    *n = 0;
    if (c->c == '*') {
        if (!next_arg(c->m, a, raw, &size))
            return false;
        memcpy(&v, raw, 4);
        *n = v;
        return next_char(c);
    }
    for (; c->c >= '0' && c->c <= '9'; *n = *n > WIDTH_MAX ? WIDTH_MAX : *n) {
        *n = *n * 10 + c->c - '0';
        if (!next_char(c))
            return false;
    }
    return true;
}

static bool parse_length(cursor *c, spec *s)
{
    static const char letters[] = "hlLjztq";

    while (c->c && strchr(letters, c->c)) {
        if (c->c == 'h')
            s->length = s->length == 'h' ? 'H' : 'h';
        else if (c->c == 'l' && s->length == 'h')
            s->length = 'm';
        else if (c->c == 'l')
            s->length = s->length == 'l' ? 'L' : 'l';
        else
            s->length = 'L';
        if (!next_char(c))
            return false;
    }
    return true;
}

/* Behind the %. */
static bool parse_spec(cursor *c, format_args *a, spec *s)
{
    unsigned n = 0;
    int v;

    *s = (spec){.width = -1, .precision = -1};
    for (; c->c && strchr("-+ #0", c->c);) {
        if (n + 1 < sizeof s->flags && !strchr(s->flags, c->c))
            s->flags[n++] = c->c;
        if (!next_char(c))
            return false;
    }
    if (c->c == '*' || (c->c >= '1' && c->c <= '9')) {
        if (!read_field_number(c, a, &s->width))
            return false;
        if (s->width < 0) {
            s->width = -s->width;
            if (!strchr(s->flags, '-'))
                s->flags[n] = '-';
        }
    }
    if (c->c == '.' &&
        (!next_char(c) || !read_field_number(c, a, &s->precision)))
        return false;
    if (c->c == 'v') {
        if (!next_char(c) || !read_field_number(c, a, &v))
            return false;
        s->vector = v > 0 && v <= 16 ? (unsigned)v : 1;
    }
    if (!parse_length(c, s))
        return false;
    s->width = s->width > WIDTH_MAX ? WIDTH_MAX : s->width;
    s->precision = s->precision > WIDTH_MAX ? WIDTH_MAX : s->precision;
    s->conversion = c->c;
    return true;
}

/* ---- writing ----------------------------------------------------------- */

static bool is_real(char c) { return c && strchr("fFeEgGaA", c) != NULL; }

/* The conversion for the host, with its own length. */
static void host_spec(const spec *s, const char *length, char to[64])
{
    int n = snprintf(to, 64, "%%%s", s->flags);

    if (s->width >= 0)
        n += snprintf(to + n, 64 - (size_t)n, "%d", s->width);
    if (s->precision >= 0)
        n += snprintf(to + n, 64 - (size_t)n, ".%d", s->precision);
    snprintf(to + n, 64 - (size_t)n, "%s%c", length, s->conversion);
}

static int64_t extend_bytes(int64_t v, unsigned bytes, bool sign)
{
    unsigned drop = 64 - 8 * bytes;

    return sign ? (int64_t)((uint64_t)v << drop) >> drop
                : (int64_t)((uint64_t)v << drop >> drop);
}

static float half_value(uint16_t h)
{
    uint32_t e = h >> 10 & 31, m = h & 1023, w;
    float f;

    if (e == 0) {
        f = (float)m / (1 << 24);
        return h & 0x8000 ? -f : f;
    }
    w = (uint32_t)(h & 0x8000) << 16 | (e == 31 ? 255u : e + 112) << 23 |
        m << 13;
    memcpy(&f, &w, 4);
    return f;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void write_number(const spec *s, const uint8_t *raw, unsigned bytes,
                         strbuf *out)
{
    char host[64];
    int64_t v = 0;
    double d = 0;
    float f;
    uint16_t h;

    if (is_real(s->conversion)) {
        host_spec(s, "", host);
        if (bytes == 8) {
            memcpy(&d, raw, 8);
        } else if (bytes == 4) {
            memcpy(&f, raw, 4);
            d = (double)f;
        } else {
            memcpy(&h, raw, 2);
            d = (double)half_value(h);
        }
        strbuf_printf(out, host, d);
        return;
    }
    memcpy(&v, raw, bytes < 8 ? bytes : 8);
    if (s->conversion == 'c') {
        host_spec(s, "", host);
        strbuf_printf(out, host, (int)(unsigned char)v);
        return;
    }
    host_spec(s, "ll", host);
    strbuf_printf(out, host,
                  (long long)extend_bytes(v, bytes ? bytes : 4,
                                          strchr("di", s->conversion) != NULL));
}

static bool write_string(format_memory *m, const spec *s, uint64_t addr,
                         strbuf *out)
{
    strbuf text = {0};
    char host[64];
    bool ok = !addr || format_string(m, addr, &text);

    host_spec(s, "", host);
    if (ok)
        strbuf_printf(out, host,
                      addr ? (text.text ? text.text : "") : "(null)");
    strbuf_fini(&text);
    return ok;
}
#pragma GCC diagnostic pop

/* Bytes of a value without a vector, as vprintf passes it. */
static unsigned passed_bytes(const spec *s)
{
    if (is_real(s->conversion) || s->conversion == 's' || s->conversion == 'p')
        return 8;
    return s->length == 'l' || s->length == 'L' ? 8 : 4;
}

/* Bytes of the value itself: %hd prints the lower half of an int. */
static unsigned value_bytes(const spec *s, unsigned passed)
{
    if (is_real(s->conversion))
        return passed;
    if (s->length == 'H')
        return 1;
    if (s->length == 'h')
        return 2;
    return passed;
}

/* `raw` holds the whole vector if it is tagged, else its first element: the
 * others follow as arguments of their own. */
static bool write_vector(format_memory *m, format_args *a, const spec *s,
                         uint8_t raw[64], unsigned size, strbuf *out)
{
    unsigned each = size / (s->vector == 3 ? 4 : s->vector);

    for (unsigned i = 0; i < s->vector; i++) {
        if (i)
            strbuf_putc(out, ',');
        if (a->tagged) {
            write_number(s, raw + i * each, each, out);
            continue;
        }
        if (i && !next_arg(m, a, raw, &size))
            return false;
        write_number(s, raw, value_bytes(s, size), out);
    }
    return true;
}

static bool put_conversion(format_memory *m, format_args *a, const spec *s,
                           strbuf *out)
{
    uint8_t raw[64];
    uint64_t addr;
    unsigned size = passed_bytes(s);

    if (!next_arg(m, a, raw, &size))
        return false;
    memcpy(&addr, raw, 8);
    switch (s->conversion) {
    case 's':
        return write_string(m, s, addr, out);
    case 'p':
        strbuf_printf(out, "0x%" PRIx64, addr);
        return true;
    default:
        break;
    }
    if (s->vector)
        return write_vector(m, a, s, raw, size, out);
    write_number(s, raw, value_bytes(s, size), out);
    return true;
}

bool format_text(format_memory *m, uint64_t format, format_args *args,
                 strbuf *out)
{
    cursor c = {.m = m, .at = format};

    if (!read_bytes(m, format, &c.c, 1))
        return false;
    while (c.c && c.at - format < TEXT_MAX) {
        spec s;

        if (c.c != '%') {
            strbuf_putc(out, c.c);
        } else {
            if (!next_char(&c) || !parse_spec(&c, args, &s))
                return false;
            if (!s.conversion)
                return true;
            if (s.conversion == '%')
                strbuf_putc(out, '%');
            else if (!strchr("diouxXcspfFeEgGaA", s.conversion))
                strbuf_putc(out, '?'); /* no such conversion */
            else if (!put_conversion(m, args, &s, out))
                return false;
        }
        if (!next_char(&c))
            return false;
    }
    return true;
}
