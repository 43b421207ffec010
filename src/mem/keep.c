/* src/mem/keep.c - see the header.
 *
 * A range counts in blocks of 2^(12+k) bytes: 55..52 and 47 hold k, 46..24 are
 * for the first block, modulo 2^23, 23..12 for how many are chosen, 11..0 for
 * how many there are in all. */
#include "mem/keep.h"

#include <string.h>

#include "base/bits.h"

enum { FRACTION = 1, RANGE = 2, BLOCK = 12, BLOCKS = 4095, FIRST_BITS = 23 };

/* Priorities in a policy. */
static const uint8_t code[] = {[MEM_KEEP_NORMAL] = 0,
                               [MEM_KEEP_UNCHANGED] = 1,
                               [MEM_KEEP_FIRST] = 2,
                               [MEM_KEEP_LAST] = 4};

static mem_keep priority(unsigned of)
{
    static const uint8_t meaning[] = {MEM_KEEP_NORMAL, MEM_KEEP_UNCHANGED,
                                      MEM_KEEP_FIRST, MEM_KEEP_DEFAULT,
                                      MEM_KEEP_LAST};

    return of < sizeof meaning ? (mem_keep)meaning[of] : MEM_KEEP_DEFAULT;
}

static uint64_t both(unsigned kind, mem_keep chosen, mem_keep rest)
{
    return (uint64_t)kind << 60 | (uint64_t)code[chosen] << 56 |
           (uint64_t)code[rest] << 48;
}

uint64_t mem_keep_fraction(mem_keep chosen, mem_keep rest, uint32_t fraction)
{
    float share;
    unsigned n;

    memcpy(&share, &fraction, sizeof share);
    n = !(share > 0) ? 1 : share >= 1 ? 16 : (unsigned)(share * 16 + 0.5f);
    return both(FRACTION, chosen, rest) | (uint64_t)(n > 1 ? n - 1 : 0) << 52;
}

uint64_t mem_keep_range(mem_keep chosen, mem_keep rest, uint64_t at,
                        uint64_t primary, uint64_t total)
{
    unsigned k = 0;

    total = total < primary ? primary : total;
    while (bits_div_up(total, 1ull << (BLOCK + k)) > BLOCKS)
        k++;
    uint64_t block = 1ull << (BLOCK + k);
    uint64_t first = at / block & bits_mask64(FIRST_BITS);

    return both(RANGE, chosen, rest) | (uint64_t)(k & 15) << 52 |
           (uint64_t)(k >> 4) << 47 | first << 24 |
           bits_div_up(primary, block) << 12 | bits_div_up(total, block);
}

static mem_keep of_range(uint64_t p, uint64_t line)
{
    unsigned k = (unsigned)(p >> 52 & 15) | (unsigned)(p >> 47 & 1) << 4;
    uint64_t first = p >> 24 & bits_mask64(FIRST_BITS);
    uint64_t chosen = p >> 12 & BLOCKS, all = p & BLOCKS;
    uint64_t after = ((line >> (BLOCK + k)) - first) & bits_mask64(FIRST_BITS);
    uint64_t before = -after & bits_mask64(FIRST_BITS);

    if (after < chosen)
        return priority(p >> 56 & 15);
    return after < all || before <= all - chosen ? priority(p >> 48 & 15)
                                                 : MEM_KEEP_DEFAULT;
}

mem_keep mem_keep_of(uint64_t policy, uint64_t line)
{
    unsigned kind = (unsigned)(policy >> 60);

    if (kind == RANGE)
        return of_range(policy, line);
    if (kind != FRACTION)
        return MEM_KEEP_DEFAULT;
    /* Multiplicative hash of the line's number, by the golden ratio. */
    unsigned of = (unsigned)((line >> 7) * 0x9e3779b97f4a7c15 >> 60);
    return of <= (policy >> 52 & 15) ? priority(policy >> 56 & 15)
                                     : priority(policy >> 48 & 15);
}
