#include "replay/cta_lines.h"

#include <string.h>

#include "base/bits.h"
#include "base/must.h"

void cta_lines_clear(cta_lines *c)
{
    c->bytes.size = 0;
    c->warps = c->seen = 0;
}

void cta_lines_fini(cta_lines *c) { strbuf_fini(&c->bytes); }

bool cta_lines_begin_warp(cta_lines *c, unsigned warp)
{
    uint64_t bit = (uint64_t)1 << warp;

    if (c->seen & bit)
        return false;
    c->seen |= bit;
    c->warp = warp;
    c->at[warp] = c->bytes.size;
    c->count[warp] = 0;
    c->cursor = (replay_cursor){0};
    c->exits = false;
    return true;
}

void cta_lines_put(cta_lines *c, const replay_record *r, bool exits)
{
    replay_record_put(&c->cursor, r, &c->bytes);
    c->warps |= (uint64_t)1 << c->warp;
    c->count[c->warp]++;
    c->exits = exits && r->mask;
}

static void put_exit(cta_lines *c, const uint32_t block[3])
{
    uint64_t lanes =
        (uint64_t)block[0] * block[1] * block[2] - (uint64_t)c->warp * ISA_WARP;

    cta_lines_put(c,
                  &(replay_record){.inst = REPLAY_END,
                                   .mask = lanes >= ISA_WARP
                                               ? UINT32_MAX
                                               : bits_mask32((unsigned)lanes)},
                  true);
}

bool cta_lines_end_warp(cta_lines *c, const uint32_t block[3])
{
    if (!c->count[c->warp] || c->exits)
        return false;
    put_exit(c, block);
    return true;
}

bool cta_lines_end(cta_lines *c, const uint32_t block[3])
{
    if (c->warps)
        return false;
    c->seen = 0;
    cta_lines_begin_warp(c, 0);
    put_exit(c, block);
    return true;
}

typedef struct packed_warp {
    uint64_t at;
    uint32_t count;
    uint32_t unused;
} packed_warp;

void cta_lines_pack(const cta_lines *c, strbuf *to)
{
    strbuf_write(to, (const char *)&c->warps, sizeof c->warps);
    for (uint64_t left = c->warps; left; left &= left - 1) {
        unsigned w = bits_ctz64(left);
        packed_warp p = {.at = c->at[w], .count = c->count[w]};

        strbuf_write(to, (const char *)&p, sizeof p);
    }
    strbuf_write(to, c->bytes.text, c->bytes.size);
}

uint64_t cta_lines_unpack(const uint8_t *data, size_t size,
                          replay_cursor cursor[REPLAY_WARPS])
{
    const uint8_t *lines;
    uint64_t warps;

    memcpy(&warps, data, sizeof warps);
    data += sizeof warps;
    lines = data + bits_popcount64(warps) * sizeof(packed_warp);
    MUST((size_t)(lines - data) + sizeof warps <= size);
    for (uint64_t left = warps; left; left &= left - 1) {
        packed_warp p;

        memcpy(&p, data, sizeof p);
        data += sizeof p;
        cursor[bits_ctz64(left)] =
            (replay_cursor){.at = lines + p.at, .left = p.count};
    }
    return warps;
}
