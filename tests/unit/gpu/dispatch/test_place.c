#include "gpu/dispatch/place.h"

#include "test.h"

enum { MB = 1 << 20 };

static const isa_kernel short_one = {.code_count = 10},
                        long_one = {.code_count = 1000};

TEST(launches_of_a_kernel_share_its_code_and_nothing_else)
{
    static places p;
    sm_place a, b, c;

    places_begin(&p, false);
    a = places_take(&p, &short_one, ARCH_VOLTA, 3 * MB);
    b = places_take(&p, &long_one, ARCH_VOLTA, MB);
    c = places_take(&p, &short_one, ARCH_VOLTA, 3 * MB);
    CHECK_EQ(a.code, 0);
    CHECK_EQ(b.code, 256); /* 11 instructions of 16 bytes end at 176 */
    CHECK_EQ(c.code, a.code);
    CHECK_EQ(a.constants, 0);
    CHECK_EQ(b.constants, MB);
    CHECK_EQ(c.constants, 2 * MB);
    CHECK_EQ(a.local, 0);
    CHECK_EQ(b.local, 3 * MB);
    CHECK_EQ(c.local, 4 * MB);
}

/* Groups of launches one after the other: code stays, so that caches still have
 * it; constants are new unless the launch comes again. */
TEST(code_keeps_its_place_and_constants_get_a_new_one)
{
    static places p;
    isa_kernel other = long_one;
    sm_place a, b;

    CHECK(places_begin(&p, false));
    places_take(&p, &short_one, ARCH_VOLTA, MB);
    a = places_take(&p, &other, ARCH_VOLTA, MB);
    CHECK(places_begin(&p, false));
    b = places_take(&p, &other, ARCH_VOLTA, MB);
    CHECK_EQ(b.code, a.code);
    CHECK_EQ(b.constants, 2 * MB);
    CHECK_EQ(b.local, 0);
    CHECK(places_begin(&p, true));
    CHECK_EQ(places_take(&p, &other, ARCH_VOLTA, MB).constants, 2 * MB);
    other.serial++; /* another one at the same address of the host */
    CHECK(places_take(&p, &other, ARCH_VOLTA, MB).code > a.code);
}

/* The first bank of none lies where that of another did, and all lie in their
 * window. */
TEST(launches_have_constants_of_their_own)
{
    enum { LAUNCHES = 60000, BANK = 8192 };
    static uint8_t taken[(UINT64_C(0x700000000) - SM_CONST_BASE) / BANK];
    static places p;

    for (unsigned i = 0; i < LAUNCHES; i++) {
        uint64_t at;

        places_begin(&p, false);
        at = places_take(&p, &short_one, ARCH_VOLTA, 0).constants;
        CHECK_EQ(at % BANK, 0);
        CHECK(at + SM_CONST_BYTES <= COUNTOF(taken) * (uint64_t)BANK);
        CHECK(!taken[at / BANK]);
        taken[at / BANK] = 1;
    }
}

/* Caches may not take new code or constants for what they hold. */
TEST(addresses_that_come_again_empty_the_caches)
{
    static places p;
    isa_kernel many[PLACE_KERNELS] = {{.code_count = 1}};
    unsigned emptied = 0;

    for (unsigned i = 0; i < 10000; i++) {
        emptied += !places_begin(&p, false);
        places_take(&p, &short_one, ARCH_VOLTA, 0);
    }
    CHECK_EQ(emptied, 2); /* after each 3839 banks of constants */
    CHECK(places_begin(&p, true));
    for (unsigned i = 0; i < PLACE_KERNELS; i++) {
        many[i].code_count = 1;
        places_take(&p, &many[i], ARCH_VOLTA, 0);
    }
    CHECK(!places_begin(&p, true));
    CHECK_EQ(places_take(&p, &many[7], ARCH_VOLTA, 0).code, 0);
}

/* More than there are addresses lies where the first did. */
TEST(local_memory_stays_in_its_region)
{
    static places p;
    uint64_t most = SM_LOCAL_BYTES / 4 + 128, at = 0;

    places_begin(&p, false);
    for (unsigned i = 0; i < 10; i++) {
        sm_place one = places_take(&p, &short_one, ARCH_VOLTA, most);

        CHECK_EQ(one.local, i % 3 * most);
        at = one.local > at ? one.local : at;
    }
    CHECK(at + most <= SM_LOCAL_BYTES);
    /* A launch that has more than that wraps around within itself. */
    CHECK_EQ(places_take(&p, &short_one, ARCH_VOLTA, 2 * SM_LOCAL_BYTES).local,
             0);
    CHECK_EQ(places_take(&p, &short_one, ARCH_VOLTA, 128).local, 0);
}
