#include "sm/coalesce.h"

#include "base/bits.h"
#include "mem/image.h"

static sm_tx *find(sm_txs *out, uint64_t line)
{
    for (unsigned i = out->count; i-- > 0;)
        if (out->tx[i].line == line)
            return &out->tx[i];
    sm_tx *t = &out->tx[out->count++];
    *t = (sm_tx){.line = line};
    return t;
}

void sm_coalesce(sm_txs *out, const uint64_t addr[ISA_WARP], uint32_t mask,
                 unsigned size)
{
    uint64_t ones = bits_mask64(size);
    sm_tx *t = NULL;

    for (; mask; mask &= mask - 1) {
        unsigned l = bits_ctz32(mask);
        uint64_t line = addr[l] & ~(uint64_t)(MEM_LINE - 1);
        unsigned at = addr[l] & (MEM_LINE - 1);

        if (!t || t->line != line)
            t = find(out, line);
        t->lanes |= 1u << l;
        t->sectors |= (uint8_t)(1u << (at / MEM_SECTOR));
        t->bytes[at / 64] |= ones << (at % 64);
    }
}

/* Passes of a group of lanes, each of which touches `words` banks. */
static unsigned group_passes(const uint64_t addr[ISA_WARP], uint32_t mask,
                             unsigned words, unsigned banks, unsigned width)
{
    uint8_t first[64] = {0}; /* by bank: list of its words, number + 1 */
    uint8_t length[64] = {0};
    uint8_t next[64];
    uint32_t word[64];
    unsigned count = 0, most = 1;

    for (; mask; mask &= mask - 1) {
        uint32_t w = (uint32_t)(addr[bits_ctz32(mask)] / width);
        for (unsigned k = 0; k < words; k++, w++) {
            unsigned bank = w & (banks - 1), i = first[bank];

            while (i && word[i - 1] != w)
                i = next[i - 1];
            if (i)
                continue;
            word[count] = w;
            next[count] = first[bank];
            first[bank] = (uint8_t)++count;
            if (++length[bank] > most)
                most = length[bank];
        }
    }
    return most;
}

unsigned sm_shared_passes(const uint64_t addr[ISA_WARP], uint32_t mask,
                          unsigned size, unsigned banks, unsigned width)
{
    unsigned words = size > width ? size / width : 1;
    unsigned lanes = ISA_WARP / words; /* served together */
    unsigned passes = 0;

    for (unsigned l = 0; l < ISA_WARP; l += lanes) {
        uint32_t group = mask & (bits_mask32(lanes) << l);
        if (group)
            passes += group_passes(addr, group, words, banks, width);
    }
    return passes ? passes : 1;
}

unsigned sm_shared_atomic_passes(const uint64_t addr[ISA_WARP], uint32_t mask,
                                 unsigned banks, unsigned width)
{
    uint8_t lanes[64] = {0};
    unsigned most = 1;

    for (; mask; mask &= mask - 1) {
        unsigned bank = addr[bits_ctz32(mask)] / width & (banks - 1);
        if (++lanes[bank] > most)
            most = lanes[bank];
    }
    return most;
}
