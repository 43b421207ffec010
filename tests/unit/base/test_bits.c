/* tests/unit/base/test_bits.c - against loops over single bits. */
#include "base/bits.h"

#include "test.h"

TEST(counts_agree_with_a_loop)
{
    for (unsigned i = 0; i < 64; i++) {
        uint64_t one = (uint64_t)1 << i;

        CHECK_EQ(bits_ctz64(one), i);
        CHECK_EQ(bits_clz64(one), 63 - i);
        CHECK_EQ(bits_log2(one), i);
        CHECK_EQ(bits_log2_up(one), i);
        CHECK_EQ(bits_popcount64(one | one >> 1), i ? 2 : 1);
        CHECK(bits_is_pow2(one));
        if (i > 1) {
            CHECK_EQ(bits_log2_up(one - 1), i);
            CHECK_EQ(bits_log2(one - 1), i - 1);
            CHECK(!bits_is_pow2(one - 1));
        }
    }
    CHECK_EQ(bits_ctz32(0x80000000), 31);
    CHECK_EQ(bits_clz32(1), 31);
    CHECK_EQ(bits_popcount32(0xf0f0), 8);
    CHECK(!bits_is_pow2(0));
}

TEST(masks_reach_the_whole_word)
{
    CHECK_EQ(bits_mask32(0), 0);
    CHECK_EQ(bits_mask32(31), 0x7fffffff);
    CHECK_EQ(bits_mask32(32), 0xffffffff);
    CHECK_EQ(bits_mask64(0), 0);
    CHECK_EQ(bits_mask64(33), 0x1ffffffff);
    CHECK_EQ(bits_mask64(64), UINT64_MAX);
}

TEST(rounding)
{
    CHECK_EQ(bits_align_up(0, 128), 0);
    CHECK_EQ(bits_align_up(1, 128), 128);
    CHECK_EQ(bits_align_up(128, 128), 128);
    CHECK_EQ(bits_align_down(255, 128), 128);
    CHECK_EQ(bits_div_up(10, 3), 4);
    CHECK_EQ(bits_div_up(9, 3), 3);
    CHECK_EQ(bits_div_up(UINT64_MAX, 2), (uint64_t)1 << 63);
    CHECK_EQ(bits_round_up(10, 3), 12);
}
