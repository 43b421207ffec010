#include "gpu/dispatch/place.h"

#include "test.h"

enum { MB = 1 << 20 };

static const isa_kernel short_one = {.code_count = 10},
                        long_one = {.code_count = 1000};

TEST(launches_of_a_kernel_share_its_code_and_nothing_else)
{
    static places p;
    sm_place a, b, c;

    places_clear(&p);
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
    places_clear(&p);
    c = places_take(&p, &long_one, ARCH_VOLTA, MB);
    CHECK(!c.code && !c.constants && !c.local);
}

/* More than there are addresses lies where the first did. */
TEST(local_memory_stays_in_its_region)
{
    static places p;
    uint64_t most = SM_LOCAL_BYTES / 4 + 128, at = 0;

    places_clear(&p);
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
