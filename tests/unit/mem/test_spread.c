/* tests/unit/mem/test_spread.c - placement of blocks, and clock ratios. */
#include "test.h"

#include "base/rng.h"
#include "mem/clock.h"
#include "mem/spread.h"

static const cfg_index kinds[] = {CFG_INDEX_MOD, CFG_INDEX_XOR,
                                  CFG_INDEX_IPOLY};

TEST(n_consecutive_blocks_go_to_n_places)
{
    for (unsigned k = 0; k < 3; k++)
        for (uint32_t n = 1; n <= 70; n++) {
            mem_spread s;
            mem_spread_init(&s, n, kinds[k]);
            for (uint64_t first = 0; first < 100 * n; first += n) {
                uint64_t upper;
                bool seen[70] = {false};
                for (uint32_t i = 0; i < n; i++) {
                    uint32_t at = mem_spread_of(&s, first + i, &upper);
                    CHECK(at < n);
                    CHECK_EQ(upper, first / n);
                    CHECK(!seen[at]);
                    seen[at] = true;
                }
            }
        }
}

TEST(upper_is_the_quotient_of_any_block)
{
    rng g;

    rng_init(&g, 1, "upper");
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t block = rng_u64(&g) >> rng_below(&g, 64), upper;
        uint32_t n = 1 + rng_below(&g, i % 2 ? 70 : 1u << MEM_SPREAD_BITS);
        mem_spread s;
        mem_spread_init(&s, n, CFG_INDEX_MOD);
        if (i % 4 >= 2) /* where it steps */
            block = block / n * n - i % 2;
        CHECK_EQ(mem_spread_of(&s, block, &upper), block % n);
        CHECK_EQ(upper, block / n);
    }
}

TEST(mod_and_xor_are_the_low_bits_and_those_mixed)
{
    mem_spread m, x;
    uint64_t upper;

    mem_spread_init(&m, 32, CFG_INDEX_MOD);
    mem_spread_init(&x, 32, CFG_INDEX_XOR);
    CHECK_EQ(mem_spread_of(&m, 0x12345, &upper), 0x05);
    CHECK_EQ(mem_spread_of(&x, 0x12345, &upper), 0x05 ^ (0x12345 >> 5 & 31));
}

/* Remainder by long division, bit by bit, of the definition. */
static uint64_t remainder_of(uint64_t a, uint64_t p, unsigned degree)
{
    for (int i = 63; i >= (int)degree; i--)
        if (a >> i & 1)
            a ^= p << (i - (int)degree);
    return a;
}

TEST(ipoly_is_the_remainder_by_an_irreducible_polynomial)
{
    for (unsigned bits = 1; bits <= 12; bits++) {
        mem_spread s;
        uint64_t upper;
        mem_spread_init(&s, 1u << bits, CFG_INDEX_IPOLY);
        /* x^bits modulo the polynomial is the polynomial without its head. */
        uint64_t p = (uint64_t)1 << bits |
                     mem_spread_of(&s, (uint64_t)1 << bits, &upper);
        for (uint64_t d = 2; d < (uint64_t)1 << (bits / 2 + 1); d++) {
            unsigned degree = 63 - (unsigned)__builtin_clzll(d);
            if (degree < bits)
                CHECK(remainder_of(p, d, degree) != 0);
        }
        for (uint64_t a = 1; a; a = a * 3 + (a >> 61 ? -a * 3 : 0))
            CHECK_EQ(mem_spread_of(&s, a, &upper), remainder_of(a, p, bits));
    }
}

/* The reason to hash: power-of-two strides reach all places. */
TEST(ipoly_spreads_power_of_two_strides)
{
    mem_spread s;
    uint64_t upper;

    mem_spread_init(&s, 64, CFG_INDEX_IPOLY);
    for (unsigned stride = 0; stride < 20; stride++) {
        bool seen[64] = {false};
        unsigned places = 0;
        for (uint64_t i = 0; i < 64; i++) {
            uint32_t at = mem_spread_of(&s, i << stride, &upper);
            places += !seen[at];
            seen[at] = true;
        }
        CHECK_EQ(places, 64);
    }
}

/* The most blocks in a place of `n`, in the mean of 1, for a stride. */
static double crowding(const mem_spread *s, uint64_t stride, uint64_t from)
{
    enum { EACH = 64 };
    unsigned most = 0, in[256] = {0};
    uint64_t upper;

    for (uint64_t i = 0; i < (uint64_t)EACH * s->n; i++) {
        unsigned *at = &in[mem_spread_of(s, from + i * stride, &upper)];

        most = ++*at > most ? *at : most;
    }
    return (double)most / EACH;
}

/* A hundred balls a place, thrown at random, make 1.4 times the mean in the
 * fullest of 96. Of n that are no powers of two, multiples of n are the worst
 * for low bits: all go to one place. */
TEST(ipoly_spreads_strides_over_any_number_of_places)
{
    static const uint32_t places[] = {10, 40, 48, 80, 96};

    for (unsigned k = 0; k < 5; k++) {
        uint32_t n = places[k];
        mem_spread s, mod;

        mem_spread_init(&s, n, CFG_INDEX_IPOLY);
        mem_spread_init(&mod, n, CFG_INDEX_MOD);
        CHECK(crowding(&mod, n, 0) > n - 1);
        for (uint64_t stride = 1; stride <= 1 << 16; stride *= 2)
            for (uint64_t odd = 1; odd < 12; odd += 2) {
                uint64_t by[2] = {stride * odd, stride * odd * n};

                for (unsigned i = 0; i < 2; i++)
                    if (crowding(&s, by[i], 12345) > 2)
                        TEST_FAIL("%u places, stride %" PRIu64 ": %.2f", n,
                                  by[i], crowding(&s, by[i], 12345));
            }
    }
}

TEST(route_is_one_to_one)
{
    config cfg;
    mem_route r;

    memset(&cfg, 0, sizeof cfg);
    cfg.l2.slices = 12;
    cfg.dram.channels = 6;
    cfg.l2.interleave = 256;
    cfg.l2.slice_hash = CFG_INDEX_XOR;
    mem_route_init(&r, &cfg);
    enum { BYTES = 12 * 256 * 64 };
    static bool seen[6][BYTES / 6 / 128];
    for (uint64_t a = 0; a < BYTES; a += 128) {
        uint64_t local = mem_route_local(&r, a);
        uint32_t c = mem_route_channel(&r, a);
        CHECK_EQ(mem_route_slice(&r, a) / 2, c);
        CHECK_EQ(mem_route_slice(&r, a), mem_route_slice(&r, a | 128));
        CHECK_EQ(mem_route_local(&r, a + 77), local + 77);
        CHECK(local < BYTES / 6); /* no holes */
        CHECK(!seen[c][local / 128]);
        seen[c][local / 128] = true;
    }
}

TEST(each_cycle_of_a_domain_belongs_to_one_core_cycle)
{
    static const config_ratio ratios[] = {{1, 1},      {1, 2},  {3, 4},
                                          {850, 1132}, {13, 7}, {1300, 706}};

    for (unsigned i = 0; i < 6; i++) {
        config_ratio r = ratios[i];
        uint64_t own = 0;
        for (uint64_t t = 0; t < 5000; t++) {
            CHECK_EQ(mem_clock_from_core(r, t), own);
            for (; own < mem_clock_from_core(r, t + 1); own++) {
                CHECK_EQ(mem_clock_to_core(r, own), t);
                CHECK(own * r.den >= t * r.num);
            }
        }
        CHECK_EQ(mem_clock_to_core(r, NEVER), NEVER);
    }
}
