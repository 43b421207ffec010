/* tests/unit/base/test_map.c - against plain arrays. */
#include "base/map.h"

#include "base/rng.h"
#include "test.h"

/* Keys 0..N-1, times a stride, put, replaced and deleted at random. */
static void exercise(uint64_t stride)
{
    enum { N = 512 };
    uint64_t want[N];
    bool there[N] = {false};
    size_t count = 0;
    map *m = map_new();
    rng r;

    rng_init(&r, stride, "map");
    for (int step = 0; step < 20000; step++) {
        uint32_t k = rng_below(&r, N);
        uint64_t got = 0;

        CHECK_EQ(map_get(m, k * stride, &got), there[k]);
        if (there[k])
            CHECK_EQ(got, want[k]);
        if (rng_below(&r, 3)) {
            want[k] = rng_u64(&r);
            map_put(m, k * stride, want[k]);
            count += !there[k];
            there[k] = true;
        } else {
            CHECK_EQ(map_del(m, k * stride), there[k]);
            count -= there[k];
            there[k] = false;
        }
        CHECK_EQ(map_count(m), count);
    }
    map_free(m);
}

TEST(agrees_with_an_array) { exercise(1); }
TEST(agrees_with_an_array_for_line_addresses) { exercise(128); }
TEST(agrees_with_an_array_for_high_bits) { exercise((uint64_t)1 << 48); }

TEST(extreme_keys_are_ordinary)
{
    map *m = map_new();
    uint64_t v;

    CHECK(!map_get(m, 0, &v));
    map_put(m, 0, 1);
    map_put(m, UINT64_MAX, 2);
    CHECK(map_get(m, 0, &v) && v == 1);
    CHECK(map_get(m, UINT64_MAX, &v) && v == 2);
    CHECK(map_del(m, 0));
    CHECK(!map_del(m, 0));
    map_free(m);
    map_free(NULL);
}

TEST(strings_are_found_by_content)
{
    enum { N = 1000 };
    static char key[N][8], again[8];
    static int value[N];
    strmap *m = strmap_new();

    CHECK(strmap_get(m, "absent") == NULL);
    for (int i = 0; i < N; i++) {
        snprintf(key[i], sizeof key[i], "r%d", i);
        strmap_put(m, key[i], &value[i]);
    }
    CHECK_EQ(strmap_count(m), N);
    for (int i = 0; i < N; i++) {
        snprintf(again, sizeof again, "r%d", i);
        CHECK(strmap_get(m, again) == &value[i]);
    }
    strmap_put(m, "r7", &value[8]);
    CHECK(strmap_get(m, "r7") == &value[8]);
    CHECK_EQ(strmap_count(m), N);
    CHECK(strmap_get(m, "") == NULL);
    strmap_free(m);
    strmap_free(NULL);
}
