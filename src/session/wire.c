#include "session/wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"

static const char magic[3] = {'H', 'D', 'L'};

/* ---- Writing ---- */

static void put_little_endian(strbuf *b, uint64_t v, unsigned bytes)
{
    char raw[8];

    for (unsigned i = 0; i < bytes; i++)
        raw[i] = (char)(v >> 8 * i);
    strbuf_write(b, raw, bytes);
}

void wire_put_u8(strbuf *b, uint8_t v) { put_little_endian(b, v, 1); }
void wire_put_u32(strbuf *b, uint32_t v) { put_little_endian(b, v, 4); }
void wire_put_u64(strbuf *b, uint64_t v) { put_little_endian(b, v, 8); }

void wire_put_real(strbuf *b, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    put_little_endian(b, bits, 8);
}

void wire_put_bytes(strbuf *b, const void *data, size_t size)
{
    MUST(size < UINT32_MAX);
    put_little_endian(b, size, 4);
    strbuf_write(b, data, size);
}

void wire_put_text(strbuf *b, const char *s)
{
    if (s)
        wire_put_bytes(b, s, strlen(s));
    else
        put_little_endian(b, UINT32_MAX, 4);
}

void wire_put_triple(strbuf *b, const uint32_t v[3])
{
    for (unsigned i = 0; i < 3; i++)
        put_little_endian(b, v[i], 4);
}

/* Seven bits a byte, the lowest first; the last byte has no high bit. */
void wire_put_numbers(strbuf *b, const uint64_t *v, size_t count)
{
    char raw[256];
    size_t n = 0;

    put_little_endian(b, count, 4);
    for (size_t i = 0; i < count; i++) {
        uint64_t x = v[i];

        if (n + 10 > sizeof raw) {
            strbuf_write(b, raw, n);
            n = 0;
        }
        for (; x >= 0x80; x >>= 7)
            raw[n++] = (char)(x | 0x80);
        raw[n++] = (char)x;
    }
    strbuf_write(b, raw, n);
}

size_t wire_begin(strbuf *b, uint8_t kind)
{
    size_t begin = b->size;

    strbuf_write(b, magic, sizeof magic);
    put_little_endian(b, WIRE_VERSION, 1);
    put_little_endian(b, kind, 4);
    put_little_endian(b, 0, 4);
    return begin;
}

void wire_end(strbuf *b, size_t begin)
{
    size_t size = b->size - begin - WIRE_HEADER;

    for (unsigned i = 0; i < 4; i++)
        b->text[begin + 8 + i] = (char)(size >> 8 * i);
}

/* ---- Reading ---- */

static uint64_t get_little_endian(wire *w, unsigned bytes)
{
    uint64_t v = 0;

    if (w->left < bytes) {
        w->bad = true;
        w->left = 0;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)w->at[i] << 8 * i;
    w->at += bytes;
    w->left -= bytes;
    return v;
}

uint8_t wire_get_u8(wire *w) { return (uint8_t)get_little_endian(w, 1); }
uint32_t wire_get_u32(wire *w) { return (uint32_t)get_little_endian(w, 4); }
uint64_t wire_get_u64(wire *w) { return get_little_endian(w, 8); }

double wire_get_real(wire *w)
{
    uint64_t bits = get_little_endian(w, 8);
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

static const void *take_bytes(wire *w, size_t size)
{
    const void *at = w->at;

    if (size > w->left) {
        w->bad = true;
        w->left = 0;
        return NULL;
    }
    w->at += size;
    w->left -= size;
    return at;
}

const void *wire_get_bytes(wire *w, size_t *size)
{
    size_t n = wire_get_u32(w);
    const void *at = take_bytes(w, n);

    *size = at ? n : 0;
    return at;
}

char *wire_get_text(wire *w, arena *mem)
{
    size_t n = wire_get_u32(w);
    const char *at;

    if (n == UINT32_MAX || !(at = take_bytes(w, n)) || w->bad)
        return NULL;
    return arena_strndup(mem, at, n);
}

void wire_get_triple(wire *w, uint32_t v[3])
{
    for (unsigned i = 0; i < 3; i++)
        v[i] = wire_get_u32(w);
}

static uint64_t get_number(wire *w)
{
    uint64_t v = 0;

    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint64_t byte = get_little_endian(w, 1);

        v |= shift < 64 ? (byte & 0x7f) << shift : 0;
        if (!(byte & 0x80))
            return v;
    }
    w->bad = true; /* longer than any number */
    return 0;
}

uint64_t *wire_get_numbers(wire *w, size_t most, size_t *count)
{
    size_t n = wire_get_u32(w);
    uint64_t *v;

    *count = 0;
    if (n > most || n > w->left) { /* each takes a byte at least */
        w->bad = true;
        return NULL;
    }
    if (!n)
        return NULL;
    v = new_array(n, sizeof *v);
    for (size_t i = 0; i < n; i++)
        v[i] = get_number(w);
    if (w->bad) {
        free(v);
        return NULL;
    }
    *count = n;
    return v;
}

wire_state wire_next(const void *data, size_t size, uint8_t *kind,
                     wire *payload, size_t *used)
{
    wire w = {.at = data, .left = size};
    size_t known = size < sizeof magic ? size : sizeof magic;

    if (known && memcmp(data, magic, known) != 0)
        return WIRE_BAD;
    if (size < WIRE_HEADER)
        return WIRE_MORE;
    w.at += sizeof magic;
    w.left -= sizeof magic;
    uint8_t version = wire_get_u8(&w);
    uint32_t what = wire_get_u32(&w), length = wire_get_u32(&w);
    if (version != WIRE_VERSION || what > UINT8_MAX || length > WIRE_MOST)
        return WIRE_BAD;
    if (w.left < length)
        return WIRE_MORE;
    *kind = (uint8_t)what;
    *payload = (wire){.at = w.at, .left = length};
    *used = WIRE_HEADER + length;
    return WIRE_WHOLE;
}
