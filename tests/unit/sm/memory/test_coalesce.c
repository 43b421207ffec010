/* tests/unit/sm/memory/test_coalesce.c - lanes to transactions and shared
 * passes, against counting done the plain way. */
#include "base/bits.h"
#include "base/must.h"
#include "base/rng.h"
#include "mem/image.h"
#include "sm/memory/coalesce.h"
#include "test.h"

static uint64_t addr[ISA_WARP];

static void stride(uint64_t first, uint64_t step)
{
    for (unsigned l = 0; l < ISA_WARP; l++)
        addr[l] = first + l * step;
}

static unsigned passes(uint32_t mask, unsigned size, unsigned width)
{
    const sm_banks of = {.count = 32, .width = width};

    return sm_shared_passes(addr, mask, size, &of);
}

static unsigned transactions(unsigned size)
{
    static sm_txs t;

    t.count = 0;
    sm_coalesce(&t, addr, UINT32_MAX, size);
    return t.count;
}

TEST(consecutive_words_are_one_line)
{
    stride(0x1000, 4);
    CHECK_EQ(transactions(4), 1);
    stride(0x1000 + 64, 4); /* straddles two */
    CHECK_EQ(transactions(4), 2);
    stride(0x1000, 8);
    CHECK_EQ(transactions(8), 2);
    stride(0x1000, 16);
    CHECK_EQ(transactions(16), 4);
    stride(0x1000, 0);
    CHECK_EQ(transactions(4), 1);
    stride(0x1000, 128);
    CHECK_EQ(transactions(4), 32);
}

/* Every lane is in the transaction of its line, every byte accounted. */
TEST(transactions_cover_what_lanes_access)
{
    static sm_txs t;
    rng r;

    rng_init(&r, 1, "coalesce");
    for (unsigned round = 0; round < 3000; round++) {
        unsigned size = 1u << rng_below(&r, 5);
        unsigned span = 1u << (5 + rng_below(&r, 10));
        uint32_t mask = rng_below(&r, 3) ? (uint32_t)rng_u64(&r) : UINT32_MAX;
        bool run = rng_below(&r, 3) == 0;
        uint64_t base = rng_below(&r, 64) * (uint64_t)size;

        for (unsigned l = 0; l < ISA_WARP; l++)
            addr[l] = run ? base + (uint64_t)l * size
                          : rng_below(&r, span) / size * (uint64_t)size;
        t.count = 0;
        sm_coalesce(&t, addr, mask, size);
        uint32_t lanes = 0;
        for (unsigned i = 0; i < t.count; i++) {
            const sm_tx *x = &t.tx[i];
            uint64_t bytes[2] = {0, 0};
            unsigned sectors = 0;

            CHECK_EQ(x->lanes & lanes, 0);
            lanes |= x->lanes;
            for (unsigned k = 0; k < i; k++)
                CHECK(t.tx[k].line != x->line);
            for (unsigned l = 0; l < ISA_WARP; l++) {
                if (!(mask >> l & 1))
                    continue;
                CHECK_EQ(x->lanes >> l & 1,
                         addr[l] / MEM_LINE * MEM_LINE == x->line);
                if (!(x->lanes >> l & 1))
                    continue;
                for (unsigned b = 0; b < size; b++) {
                    unsigned at = (unsigned)(addr[l] + b - x->line);
                    bytes[at / 64] |= (uint64_t)1 << at % 64;
                    sectors |= 1u << at / MEM_SECTOR;
                }
            }
            CHECK_EQ(x->bytes[0], bytes[0]);
            CHECK_EQ(x->bytes[1], bytes[1]);
            CHECK_EQ(x->sectors, sectors);
        }
        CHECK_EQ(lanes, mask);
    }
}

TEST(strides_conflict_by_their_power_of_two)
{
    static const struct {
        unsigned words, passes;
    } row[] = {{0, 1}, {1, 1},   {2, 2},   {3, 1},  {4, 4},
               {8, 8}, {16, 16}, {32, 32}, {33, 1}, {24, 8}};

    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
        stride(256, 4 * row[i].words);
        CHECK_EQ(passes(UINT32_MAX, 4, 4), row[i].passes);
    }
}

/* What a developer of the vendor says of devices of 7.0 to 7.5: pairs of lanes
 * with the same addresses take half the requests [NVFORUM:77228]. */
TEST(pairs_of_lanes_share_what_wide_loads_return)
{
    static const struct {
        unsigned step, size, passes;
    } row[] = {{1, 8, 1},  {2, 8, 1},  {4, 8, 2},   {1, 16, 2}, {2, 16, 2},
               {4, 16, 4}, {32, 8, 1}, {32, 16, 2}, {1, 4, 1}};

    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
        const sm_banks of = {.count = 32, .width = 4, .pair = true};

        for (unsigned l = 0; l < ISA_WARP; l++) /* no gaps, so no conflicts */
            addr[l] = (l / (2 * row[i].step) * row[i].step + l % row[i].step) *
                      row[i].size;
        if (row[i].step == ISA_WARP) /* all the same */
            stride(0, 0);
        CHECK_EQ(sm_shared_passes(addr, UINT32_MAX, row[i].size, &of),
                 row[i].passes);
    }
}

/* Lanes that do not take part are no obstacle; one that differs is. */
TEST(pairs_are_those_of_active_lanes)
{
    const sm_banks of = {.count = 32, .width = 4, .pair = true};

    stride(0, 0);
    addr[7] = 16;
    CHECK_EQ(sm_shared_passes(addr, UINT32_MAX, 16, &of), 4);
    CHECK_EQ(sm_shared_passes(addr, UINT32_MAX & ~(1u << 7), 16, &of), 2);
}

TEST(wide_accesses_go_by_halves_and_quarters)
{
    stride(0, 8);
    CHECK_EQ(passes(UINT32_MAX, 8, 4), 2);
    CHECK_EQ(passes(UINT32_MAX, 8, 8), 1); /* Kepler */
    stride(0, 16);
    CHECK_EQ(passes(UINT32_MAX, 16, 4), 4);
    CHECK_EQ(passes(UINT32_MAX, 16, 8), 2);
    stride(0, 16); /* 64 bits, every other pair: 2-way */
    CHECK_EQ(passes(UINT32_MAX, 8, 4), 4);
    stride(0, 0); /* all the same */
    CHECK_EQ(passes(UINT32_MAX, 8, 4), 2);
}

TEST(two_words_of_a_wide_bank_do_not_conflict)
{
    for (unsigned l = 0; l < ISA_WARP; l++)
        addr[l] = l % 2 * 4 + l / 2 * 8;
    CHECK_EQ(passes(UINT32_MAX, 4, 8), 1);
    for (unsigned l = 0; l < ISA_WARP; l++)
        addr[l] = l * 256; /* one bank, 32 words */
    CHECK_EQ(passes(UINT32_MAX, 4, 8), 32);
}

static unsigned plain_passes(uint32_t mask, unsigned size, unsigned width)
{
    unsigned words = size > width ? size / width : 1, total = 0;

    for (unsigned first = 0; first < 32; first += 32 / words) {
        unsigned most = 0;
        for (unsigned bank = 0; bank < 32; bank++) {
            uint64_t seen[64];
            unsigned n = 0;
            for (unsigned l = first; l < first + 32 / words; l++) {
                for (unsigned k = 0; k < words; k++) {
                    uint64_t w = addr[l] / width + k;
                    bool known = !(mask >> l & 1) || w % 32 != bank;
                    for (unsigned i = 0; i < n; i++)
                        known |= seen[i] == w;
                    if (!known)
                        seen[n++] = w;
                }
            }
            most = n > most ? n : most;
        }
        total += most;
    }
    return total ? total : 1;
}

TEST(passes_agree_with_plain_counting)
{
    static sm_pattern note;
    rng r;

    rng_init(&r, 2, "banks");
    for (unsigned round = 0; round < 3000; round++) {
        unsigned size = 1u << rng_below(&r, 5), width = 4 << rng_below(&r, 2);
        unsigned span = 1u << (6 + rng_below(&r, 10));
        uint32_t mask = rng_below(&r, 2) ? (uint32_t)rng_u64(&r) : UINT32_MAX;

        for (unsigned l = 0; l < ISA_WARP; l++)
            addr[l] = rng_below(&r, span) / size * (uint64_t)size;
        const sm_banks of = {.count = 32, .width = width};
        unsigned want = plain_passes(mask, size, width);
        CHECK_EQ(passes(mask, size, width), want);
        /* Through the note: new, repeated, and shifted by a few words. */
        for (unsigned shift = 0; shift < 3; shift++) {
            CHECK_EQ(sm_shared_passes_noted(&note, size << 8 | width, addr,
                                            mask, size, &of),
                     want);
            for (unsigned l = 0; l < ISA_WARP; l++)
                addr[l] += 16;
        }
    }
}

TEST(atomics_on_one_word_take_turns)
{
    stride(64, 0);
    CHECK_EQ(sm_shared_atomic_passes(addr, UINT32_MAX, 32, 4), 32);
    CHECK_EQ(sm_shared_atomic_passes(addr, 0xff, 32, 4), 8);
    stride(64, 4);
    CHECK_EQ(sm_shared_atomic_passes(addr, UINT32_MAX, 32, 4), 1);
}

static sm_txs perfectly(unsigned size)
{
    sm_txs t = {.count = 0};

    sm_coalesce(&t, addr, UINT32_MAX, size);
    sm_coalesce_perfectly(&t, addr[0], size);
    return t;
}

static unsigned sectors_of(const sm_txs *t)
{
    unsigned n = 0;

    for (unsigned i = 0; i < t->count; i++)
        n += bits_popcount32(t->tx[i].sectors);
    return n;
}

TEST(perfect_accesses_take_the_sectors_of_their_bytes)
{
    static const struct {
        unsigned step, size, count, sectors;
    } row[] = {
        {128, 4, 1, 4}, {4, 4, 1, 4},     {0, 4, 1, 1}, /* all one word */
        {256, 8, 2, 8}, {160, 16, 4, 16}, {64, 1, 1, 1},
    };

    for (unsigned i = 0; i < COUNTOF(row); i++) {
        stride(0x10000, row[i].step);
        sm_txs t = perfectly(row[i].size);
        CHECK_EQ(t.count, row[i].count);
        CHECK_EQ(sectors_of(&t), row[i].sectors);
    }
    stride(0x10000 + 64, 4); /* in a row, across two lines */
    sm_txs t = perfectly(4);
    CHECK_EQ(t.count, 1);
    CHECK_EQ(sectors_of(&t), 4);
}

/* Warps that go down the columns of 32 rows touch 32 lines in all, each of
 * them once: what moves is what would with rows. */
TEST(perfect_accesses_of_neighbours_go_through_all_lines_once)
{
    uint32_t seen = 0;

    for (unsigned column = 0; column < 32; column++) {
        stride(0x100000 + 4 * column, 4096);
        sm_txs t = perfectly(4);
        CHECK_EQ(t.count, 1);
        unsigned row = (unsigned)((t.tx[0].line - 0x100000) / 4096);
        CHECK(row < 32 && !(seen >> row & 1));
        seen |= 1u << row;
    }
    CHECK_EQ(seen, UINT32_MAX);
}
