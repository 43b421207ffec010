/* src/mem/spread.h - how blocks of memory are spread over sets, slices and
 * channels. Plain values, no storage.
 *
 * A block number is split into low = block % n and upper = block / n; the
 * place is low combined with a hash of upper. So (place, upper) names a block
 * uniquely for every n, power of two or not, and n consecutive blocks that
 * start at a multiple of n go to n different places. */
#ifndef MEM_SPREAD_H
#define MEM_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

enum { MEM_SPREAD_BITS = 16 };

#define MEM_BASE_LOW 0x700000000ull
/* AddressSanitizer needs the host's memory there, so with it all simulated
 * addresses have one more bit (mem/image.h), which tells nothing apart. */
#ifdef HEDDLE_HIGH_MEMORY
#define MEM_HIGH 0x200000000000ull
#else
#define MEM_HIGH 0ull
#endif
static inline uint64_t mem_place(uint64_t addr) { return addr & ~MEM_HIGH; }

typedef struct mem_spread {
    uint32_t n;
    uint32_t bits; /* log2 n, rounded up */
    bool pow2;
    cfg_index kind;
    uint64_t per_block; /* floor(2^64 / n), where n is no power of two */
    uint32_t hash_bits; /* IPOLY: degree of the polynomial */
    /* IPOLY: what each value of each four bits of upper adds to the hash. */
    uint16_t fold[16][16];
} mem_spread;

void mem_spread_init(mem_spread *s, uint32_t n, cfg_index kind);

static inline uint32_t mem_spread_hash(const mem_spread *s, uint64_t upper)
{
    uint32_t h = 0;

    if (s->kind == CFG_INDEX_XOR)
        return (uint32_t)upper & (((uint32_t)1 << s->bits) - 1);
    if (s->kind == CFG_INDEX_IPOLY)
        for (unsigned i = 0; upper; i++, upper >>= 4)
            h ^= s->fold[i][upper & 15];
    if (s->hash_bits > s->bits) /* of 0..2^16-1, equal shares of each place */
        h = (uint32_t)((uint64_t)h * s->n >> s->hash_bits);
    return h;
}

/* block / n: with a product in place of the division, which is less by one at
 * most. */
static inline uint64_t mem_spread_upper(const mem_spread *s, uint64_t block)
{
    if (s->pow2)
        return block >> s->bits;
    uint64_t q = (uint64_t)((unsigned __int128)block * s->per_block >> 64);
    return q + (block - q * s->n >= s->n);
}

/* The place of a block, 0..n-1. *upper may be what else names it. */
static inline uint32_t mem_spread_of(const mem_spread *s, uint64_t block,
                                     uint64_t *upper)
{
    *upper = mem_spread_upper(s, block);
    if (s->pow2)
        return ((uint32_t)block & (s->n - 1)) ^ mem_spread_hash(s, *upper);
    uint32_t at = (uint32_t)(block - *upper * s->n);
    for (at += mem_spread_hash(s, *upper); at >= s->n; at -= s->n) {
        /* twice at most: the hash is below 2n */
    }
    return at;
}

/* Where an address lives beyond the network. */
typedef struct mem_route {
    mem_spread spread;
    uint32_t per_channel; /* slices */
    uint32_t shift;       /* log2 of the bytes that stay together */
} mem_route;

void mem_route_init(mem_route *r, const config *cfg);

static inline uint32_t mem_route_slice(const mem_route *r, uint64_t addr)
{
    uint64_t upper;

    return mem_spread_of(&r->spread, mem_place(addr) >> r->shift, &upper);
}

/* Channel c serves the slices c * per_channel and following. */
static inline uint32_t mem_route_channel(const mem_route *r, uint64_t addr)
{
    return mem_route_slice(r, addr) / r->per_channel;
}

/* Address within its slice, without holes: what the slice's sets are chosen
 * by. Of the whole address they would be chosen by bits that chose the slice,
 * and lines in a row would not reach all sets. */
static inline uint64_t mem_route_in_slice(const mem_route *r, uint64_t addr)
{
    uint64_t upper = mem_spread_upper(&r->spread, mem_place(addr) >> r->shift);

    return upper << r->shift | (addr & (((uint64_t)1 << r->shift) - 1));
}

/* Address within the channel, without holes: what its DRAM is addressed by. */
static inline uint64_t mem_route_local(const mem_route *r, uint64_t addr)
{
    uint64_t upper;
    uint32_t slice =
        mem_spread_of(&r->spread, mem_place(addr) >> r->shift, &upper);
    uint64_t block = upper * r->per_channel + slice % r->per_channel;

    return block << r->shift | (addr & (((uint64_t)1 << r->shift) - 1));
}

#endif
