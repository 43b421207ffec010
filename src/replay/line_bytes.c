/* src/replay/line_bytes.c
 *
 * A line is a head, which says how far the instruction is from the one behind
 * that of the line before, whether there are other lanes than there, and what
 * is known of addresses; then the lanes, if others; then the first address,
 * from that of the last line that had any, and the stride, or what each is from
 * the one before. All numbers have as many bytes as they need. */
#include "replay/line_bytes.h"

#include <string.h>

#include "base/bits.h"

enum { HOW_NONE, HOW_STRIDE, HOW_DELTAS };
enum { HEAD_HOW = 3, HEAD_LANES = 4, HEAD_SHIFT = 3 };

static void put_number(strbuf *to, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        strbuf_putc(to, (char)(v | 0x80));
    strbuf_putc(to, (char)v);
}

static uint64_t take_number(replay_cursor *c)
{
    uint64_t v = 0;

    for (unsigned shift = 0;; shift += 7) {
        uint8_t b = *c->at++;

        v |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80))
            return v;
    }
}

/* Small numbers of either sign as small numbers. */
static uint64_t folded(uint64_t v)
{
    return v << 1 ^ (uint64_t)((int64_t)v >> 63);
}

static uint64_t unfolded(uint64_t v) { return v >> 1 ^ -(v & 1); }

/* Do all lanes have the same distance from the one before? */
static bool has_stride(const replay_record *r, uint64_t *stride)
{
    unsigned last = bits_ctz32(r->mask);
    uint32_t rest = r->mask & (r->mask - 1);

    *stride = rest ? r->addr[bits_ctz32(rest)] - r->addr[last] : 0;
    for (; rest; rest &= rest - 1) {
        unsigned l = bits_ctz32(rest);

        if (r->addr[l] - r->addr[last] != *stride)
            return false;
        last = l;
    }
    return true;
}

static void put_addresses(replay_cursor *c, const replay_record *r,
                          unsigned how, uint64_t stride, strbuf *to)
{
    unsigned last = bits_ctz32(r->mask);
    uint32_t rest = r->mask & (r->mask - 1);

    put_number(to, folded(r->addr[last] - c->addr));
    c->addr = r->addr[last];
    if (how == HOW_STRIDE) {
        put_number(to, folded(stride));
        return;
    }
    for (; rest; rest &= rest - 1) {
        unsigned l = bits_ctz32(rest);

        put_number(to, folded(r->addr[l] - r->addr[last]));
        last = l;
    }
}

void replay_record_put(replay_cursor *c, const replay_record *r, strbuf *to)
{
    uint64_t stride = 0;
    unsigned how = HOW_NONE;
    bool lanes = r->mask != c->mask;

    if (r->has_addresses && r->mask)
        how = has_stride(r, &stride) ? HOW_STRIDE : HOW_DELTAS;
    put_number(to, folded((uint64_t)r->inst - c->inst - 1) << HEAD_SHIFT |
                       (lanes ? HEAD_LANES : 0) | how);
    if (lanes)
        for (unsigned i = 0; i < 32; i += 8)
            strbuf_putc(to, (char)(r->mask >> i));
    c->inst = r->inst;
    c->mask = r->mask;
    if (how != HOW_NONE)
        put_addresses(c, r, how, stride, to);
}

void replay_record_head(replay_cursor *c)
{
    uint64_t head = take_number(c);

    c->left--;
    c->how = head & HEAD_HOW;
    c->inst = (uint32_t)(c->inst + 1 + unfolded(head >> HEAD_SHIFT));
    if (head & HEAD_LANES) {
        c->mask = c->at[0] | (uint32_t)c->at[1] << 8 |
                  (uint32_t)c->at[2] << 16 | (uint32_t)c->at[3] << 24;
        c->at += 4;
    }
}

bool replay_record_addresses(replay_cursor *c, uint64_t addr[ISA_WARP])
{
    uint64_t now, stride = 0;

    if (c->how == HOW_NONE)
        return false;
    now = c->addr += unfolded(take_number(c));
    if (c->how == HOW_STRIDE)
        stride = unfolded(take_number(c));
    for (uint32_t rest = c->mask; rest; rest &= rest - 1) {
        if (addr)
            addr[bits_ctz32(rest)] = now;
        if (c->how == HOW_STRIDE)
            now += stride;
        else if (rest & (rest - 1))
            now += unfolded(take_number(c));
    }
    return true;
}
