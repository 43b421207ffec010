/* src/session/wire.h - bytes of the messages between a program under test and
 * the `heddle exec` that started it, over a stream socket. Little-endian.
 *
 * A message is a header of 12 bytes and its payload:
 *   0  "HDL", version   4  kind, 32 bits   8  bytes of the payload, 32 bits
 * Readers trust no length: reading past the end gives zeros and sets `bad`. */
#ifndef SESSION_WIRE_H
#define SESSION_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"

enum {
    WIRE_VERSION = 6,
    WIRE_HEADER = 12,
    WIRE_MOST = 256 << 20, /* payload bytes; more is garbage */
};

/* ---- Writing ---- */

void wire_put_u8(strbuf *b, uint8_t v);
void wire_put_u32(strbuf *b, uint32_t v);
void wire_put_u64(strbuf *b, uint64_t v);
void wire_put_real(strbuf *b, double v);
void wire_put_bytes(strbuf *b, const void *data, size_t size);
void wire_put_text(strbuf *b, const char *s); /* NULL stays NULL */
void wire_put_triple(strbuf *b, const uint32_t v[3]);
/* `count` numbers, few bytes for small ones. */
void wire_put_numbers(strbuf *b, const uint64_t *v, size_t count);

/* A message: wire_begin, its payload, wire_end. */
size_t wire_begin(strbuf *b, uint8_t kind);
void wire_end(strbuf *b, size_t begin);

/* ---- Reading ---- */

typedef struct wire {
    const unsigned char *at;
    size_t left;
    bool bad;
} wire;

uint8_t wire_get_u8(wire *w);
uint32_t wire_get_u32(wire *w);
uint64_t wire_get_u64(wire *w);
double wire_get_real(wire *w);
/* Points into the message. */
const void *wire_get_bytes(wire *w, size_t *size);
/* A copy; NULL as it was written, or if the message is bad. */
char *wire_get_text(wire *w, arena *mem);
void wire_get_triple(wire *w, uint32_t v[3]);
/* The numbers, malloced; NULL if there are none, there are more than `most`
 * or the message is bad. */
uint64_t *wire_get_numbers(wire *w, size_t most, size_t *count);

typedef enum wire_state {
    WIRE_MORE, /* not whole yet */
    WIRE_WHOLE,
    WIRE_BAD, /* no message of ours, or of another version */
} wire_state;

/* Looks at the first message in `data`; if it is whole, *kind and *payload are
 * filled, and it takes *used bytes. */
wire_state wire_next(const void *data, size_t size, uint8_t *kind,
                     wire *payload, size_t *used);

#endif
