#include "sm/memory/coalesce.h"

#include <string.h>

#include "base/bits.h"
#include "mem/image.h"

/* Transactions by line while a warp's accesses are added, once there are more
 * than a few: 0, or number + 1. A quarter of the slots are taken at most, so
 * the table is no larger than the list needs. */
enum { FEW = 8, TABLE = 4 * COALESCE_MAX };
typedef struct table {
    unsigned slots; /* a power of two; 0: not built */
    uint16_t slot[TABLE];
} table;

static unsigned slot_of(const sm_txs *out, const table *t, uint64_t line)
{
    uint64_t n = line / MEM_LINE;
    unsigned at = (n ^ n >> 9) & (t->slots - 1);

    while (t->slot[at] && out->tx[t->slot[at] - 1].line != line)
        at = (at + 1) & (t->slots - 1);
    return at;
}

static void build(const sm_txs *out, table *t)
{
    t->slots = 4 * ISA_WARP;
    while (t->slots < 4 * (out->count + ISA_WARP) && t->slots < TABLE)
        t->slots *= 2;
    memset(t->slot, 0, t->slots * sizeof t->slot[0]);
    for (unsigned i = 0; i < out->count; i++)
        t->slot[slot_of(out, t, out->tx[i].line)] = (uint16_t)(i + 1);
}

static sm_tx *add(sm_txs *out, uint64_t line)
{
    sm_tx *x = &out->tx[out->count++];

    *x = (sm_tx){.line = line};
    return x;
}

static sm_tx *find_transaction(sm_txs *out, table *t, uint64_t line)
{
    if (out->count < FEW) {
        for (unsigned i = out->count; i-- > 0;)
            if (out->tx[i].line == line)
                return &out->tx[i];
        return add(out, line);
    }
    if (!t->slots)
        build(out, t);
    unsigned at = slot_of(out, t, line);
    if (t->slot[at])
        return &out->tx[t->slot[at] - 1];
    sm_tx *x = add(out, line);
    t->slot[at] = (uint16_t)out->count;
    return x;
}

/* True if all lanes access consecutive items. */
static bool is_contiguous(const uint64_t addr[ISA_WARP], unsigned size)
{
    uint64_t differ = 0;

    for (unsigned l = 0; l < ISA_WARP; l++)
        differ |= addr[l] ^ (addr[0] + (uint64_t)l * size);
    return !differ;
}

/* Consecutive items of a full warp, in an empty list. */
static void list_contiguous(sm_txs *out, uint64_t addr, unsigned size)
{
    uint64_t end = addr + (uint64_t)ISA_WARP * size;
    unsigned lane = 0;

    while (addr < end) {
        uint64_t line = addr & ~(uint64_t)(MEM_LINE - 1);
        uint64_t stop = line + MEM_LINE < end ? line + MEM_LINE : end;
        unsigned from = (unsigned)(addr - line), to = (unsigned)(stop - line);
        unsigned lanes = (unsigned)(stop - addr) / size;
        unsigned first = from / MEM_SECTOR, last = (to - 1) / MEM_SECTOR;

        out->tx[out->count++] = (sm_tx){
            .line = line,
            .bytes = {bits_mask64(to) & ~bits_mask64(from),
                      to > 64 ? bits_mask64(to - 64) &
                                    ~bits_mask64(from > 64 ? from - 64 : 0)
                              : 0},
            .lanes = bits_mask32(lanes) << lane,
            .sectors = (uint8_t)(bits_mask32(last + 1) & ~bits_mask32(first)),
        };
        lane += lanes;
        addr = stop;
    }
}

void sm_coalesce(sm_txs *out, const uint64_t addr[ISA_WARP], uint32_t mask,
                 unsigned size)
{
    if (mask == UINT32_MAX && !out->count && is_contiguous(addr, size)) {
        list_contiguous(out, addr[0], size);
        return;
    }
    uint64_t ones = bits_mask64(size);
    sm_tx *t = NULL;
    table by_line;

    by_line.slots = 0;

    for (; mask; mask &= mask - 1) {
        unsigned l = bits_ctz32(mask);
        uint64_t line = addr[l] & ~(uint64_t)(MEM_LINE - 1);
        unsigned at = addr[l] & (MEM_LINE - 1);

        if (!t || t->line != line)
            t = find_transaction(out, &by_line, line);
        t->lanes |= 1u << l;
        t->sectors |= (uint8_t)(1u << (at / MEM_SECTOR));
        t->bytes[at / 64] |= ones << (at % 64);
    }
}

unsigned sm_coalesce_bytes(const sm_txs *x)
{
    unsigned n = 0;

    for (unsigned i = 0; i < x->count; i++)
        n += bits_popcount64(x->tx[i].bytes[0]) +
             bits_popcount64(x->tx[i].bytes[1]);
    return n;
}

void sm_coalesce_perfectly(sm_txs *x, uint64_t addr, unsigned size)
{
    unsigned sectors = (unsigned)bits_div_up(sm_coalesce_bytes(x), MEM_SECTOR);
    unsigned count = (unsigned)bits_div_up(sectors, MEM_LINE / MEM_SECTOR);
    unsigned word = (unsigned)(addr % MEM_LINE) / size, old = 0;
    sm_tx kept[COALESCE_MAX];

    for (unsigned i = 0; i < x->count; i++)
        old += bits_popcount32(x->tx[i].sectors);
    if (sectors >= old && count >= x->count)
        return;
    for (unsigned i = 0; i < count; i++) {
        unsigned here =
            sectors < MEM_LINE / MEM_SECTOR ? sectors : MEM_LINE / MEM_SECTOR;

        kept[i] = x->tx[(word * count + i) % x->count];
        kept[i].sectors = (uint8_t)bits_mask32(here);
        kept[i].bytes[0] = bits_mask64(here * MEM_SECTOR);
        kept[i].bytes[1] = here > 2 ? bits_mask64((here - 2) * MEM_SECTOR) : 0;
        sectors -= here;
    }
    memcpy(x->tx, kept, count * sizeof *kept);
    x->count = count;
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

/* All lanes n and n^step that are both active have the same address. */
static bool have_pairs(const uint64_t addr[ISA_WARP], uint32_t mask,
                       unsigned step)
{
    for (unsigned l = 0; l < ISA_WARP; l++)
        if (mask >> l & mask >> (l ^ step) & 1 && addr[l] != addr[l ^ step])
            return false;
    return true;
}

unsigned sm_shared_passes(const uint64_t addr[ISA_WARP], uint32_t mask,
                          unsigned size, const sm_banks *of)
{
    unsigned words = size > of->width ? size / of->width : 1;
    unsigned lanes = ISA_WARP / words; /* served together */
    unsigned passes = 0;

    if (of->pair && words > 1 &&
        (have_pairs(addr, mask, 1) || have_pairs(addr, mask, 2)))
        lanes *= 2;

    for (unsigned l = 0; l < ISA_WARP; l += lanes) {
        uint32_t group = mask & (bits_mask32(lanes) << l);
        if (group)
            passes += group_passes(addr, group, words, of->count, of->width);
    }
    return passes ? passes : 1;
}

unsigned sm_shared_passes_noted(sm_pattern *p, uint32_t key,
                                const uint64_t addr[ISA_WARP], uint32_t mask,
                                unsigned size, const sm_banks *of)
{
    unsigned shift = of->width == 4 ? 2 : 3;
    uint32_t delta[ISA_WARP], first = (uint32_t)addr[0] >> shift, same = 0;

    for (unsigned l = 0; l < ISA_WARP; l++)
        delta[l] = ((uint32_t)addr[l] >> shift) - first;
    for (unsigned l = 0; l < ISA_WARP; l++)
        same |= delta[l] ^ p->delta[l];
    if (same || p->mask != mask || p->key != key || !p->passes) {
        memcpy(p->delta, delta, sizeof delta);
        p->mask = mask;
        p->key = key;
        p->passes = sm_shared_passes(addr, mask, size, of);
    }
    return p->passes;
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
