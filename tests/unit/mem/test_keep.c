/* tests/unit/mem/test_keep.c - cache policies: what they choose. */
#include "mem/keep.h"

#include "test.h"

/* The values that CUTLASS has for them [CUTLASS:CacheHintSm90]. */
TEST(constants_of_programs_mean_what_their_names_say)
{
    for (uint64_t line = 0; line < 1 << 20; line += 128) {
        CHECK_EQ(mem_keep_of(0x1000000000000000, line), MEM_KEEP_NORMAL);
        CHECK_EQ(mem_keep_of(0x12f0000000000000, line), MEM_KEEP_FIRST);
        CHECK_EQ(mem_keep_of(0x14f0000000000000, line), MEM_KEEP_LAST);
    }
    CHECK_EQ(mem_keep_fraction(MEM_KEEP_FIRST, MEM_KEEP_NORMAL, 0x3f800000),
             0x12f0000000000000);
    CHECK_EQ(mem_keep_fraction(MEM_KEEP_LAST, MEM_KEEP_NORMAL, 0x3f800000),
             0x14f0000000000000);
}

TEST(a_fraction_chooses_that_share_of_the_lines)
{
    static const uint32_t share[] = {0x3e800000, 0x3f000000, 0x3f400000};

    for (unsigned i = 0; i < 3; i++) { /* 1/4, 1/2, 3/4 */
        uint64_t p =
            mem_keep_fraction(MEM_KEEP_LAST, MEM_KEEP_UNCHANGED, share[i]);
        unsigned last = 0, rest = 0;

        for (uint64_t n = 0; n < 64000; n++) {
            mem_keep k = mem_keep_of(p, n * 128);

            last += k == MEM_KEEP_LAST;
            rest += k == MEM_KEEP_UNCHANGED;
            CHECK_EQ(k, mem_keep_of(p, n * 128)); /* always the same */
        }
        CHECK_EQ(last + rest, 64000);
        CHECK(last > 15840 * (i + 1) && last < 16160 * (i + 1));
    }
}

TEST(a_range_is_chosen_by_blocks_and_what_is_around_it_is_the_rest)
{
    static const uint64_t at[] = {0x7f0000000000, 0x7f0012345000, 0x100000};
    static const uint64_t primary[] = {64 << 10, 1 << 20, 300 << 20};
    static const uint64_t total[] = {64 << 10, 16 << 20, 4095ull << 20};

    for (unsigned i = 0; i < 3; i++) {
        uint64_t block = 4096;
        while ((total[i] + block - 1) / block > 4095)
            block *= 2;
        uint64_t from = at[i] / block * block;
        uint64_t p = mem_keep_range(MEM_KEEP_LAST, MEM_KEEP_FIRST, at[i],
                                    primary[i], total[i]);

        CHECK_EQ(mem_keep_of(p, from), MEM_KEEP_LAST);
        CHECK_EQ(mem_keep_of(p, from + primary[i] - block), MEM_KEEP_LAST);
        CHECK_EQ(mem_keep_of(p, from + total[i] + block), MEM_KEEP_DEFAULT);
        CHECK_EQ(mem_keep_of(p, from - (total[i] - primary[i]) - 2 * block),
                 MEM_KEEP_DEFAULT);
        if (primary[i] == total[i])
            continue;
        CHECK_EQ(mem_keep_of(p, from + primary[i] + block), MEM_KEEP_FIRST);
        CHECK_EQ(mem_keep_of(p, from + total[i] - 2 * block), MEM_KEEP_FIRST);
        CHECK_EQ(mem_keep_of(p, from - block), MEM_KEEP_FIRST);
    }
}

TEST(other_values_say_nothing)
{
    for (uint64_t kind = 0; kind < 16; kind++)
        if (kind != 1 && kind != 2)
            CHECK_EQ(mem_keep_of(kind << 60 | 0x04f0000000000000, 128),
                     MEM_KEEP_DEFAULT);
}
