/* src/mem/spread.c - polynomials over GF(2) and their remainders. */
#include "mem/spread.h"

#include <string.h>

#include "base/bits.h"
#include "base/must.h"

/* An irreducible polynomial of each degree, bit i for x^i; the test divides
 * each by all smaller ones. */
static const uint32_t poly[MEM_SPREAD_BITS + 1] = {
    0,     0x3,   0x7,   0xb,    0x13,   0x25,   0x43,   0x89,   0x11b,
    0x211, 0x409, 0x805, 0x1053, 0x201b, 0x4443, 0x8003, 0x1100b};

void mem_spread_init(mem_spread *s, uint32_t n, cfg_index kind)
{
    MUST(n > 0);
    memset(s, 0, sizeof *s);
    s->n = n;
    s->kind = kind;
    s->pow2 = bits_is_pow2(n);
    s->bits = bits_log2_up(n);
    MUST(s->bits <= MEM_SPREAD_BITS);
    if (!s->pow2)
        s->per_block = UINT64_MAX / n; /* no such n divides 2^64 */
    if (!s->bits || kind != CFG_INDEX_IPOLY)
        return;
    s->hash_bits = s->pow2 ? s->bits : MEM_SPREAD_BITS;
    /* x^bits, x^(bits+1), ... modulo the polynomial: what each bit of upper
     * adds to the remainder of the whole block number. */
    uint32_t p = poly[s->hash_bits], rest = p ^ (uint32_t)1 << s->hash_bits;
    for (unsigned j = 0; j < 64; j++) {
        uint16_t *sum = s->fold[j / 4];
        unsigned bit = 1u << j % 4;

        for (unsigned v = 0; v < bit; v++)
            sum[bit + v] = sum[v] ^ (uint16_t)rest;
        rest <<= 1;
        if (rest >> s->hash_bits & 1)
            rest ^= p;
    }
}

void mem_route_init(mem_route *r, const config *cfg)
{
    mem_spread_init(&r->spread, cfg->l2.slices, cfg->l2.slice_hash);
    MUST(cfg->l2.slices % cfg->dram.channels == 0);
    r->per_channel = cfg->l2.slices / cfg->dram.channels;
    r->shift = bits_log2(cfg->l2.interleave);
}
