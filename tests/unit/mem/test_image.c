/* tests/unit/mem/test_image.c - allocation, validity and contents. */
#include "test.h"

#include "base/rng.h"
#include "mem/image.h"

static const uint64_t MIB = 1 << 20;

TEST(first_allocation_is_at_the_base_and_zero)
{
    mem_image *m = mem_image_new(MIB);
    uint64_t a = mem_alloc(m, 1000, "a");

    CHECK_EQ(a, MEM_BASE);
    for (unsigned i = 0; i < 1000; i++)
        CHECK_EQ(mem_host(m, a)[i], 0);
    CHECK_EQ(mem_used(m), 1000);
    mem_image_free(m);
}

TEST(ranges_are_aligned_and_never_adjacent)
{
    mem_image *m = mem_image_new(MIB);
    uint64_t end = 0;

    for (uint64_t size = 0; size < 1200; size += 37) {
        uint64_t a = mem_alloc(m, size, "x");
        CHECK(a != 0);
        CHECK_EQ(a % 256, 0);
        if (end)
            CHECK(a >= end + 256);
        end = a + size;
    }
    mem_image_free(m);
}

TEST(valid_only_inside_one_live_range)
{
    mem_image *m = mem_image_new(MIB);
    uint64_t a = mem_alloc(m, 100, "a"), b = mem_alloc(m, 512, "b");
    unsigned hint = 0;

    for (int with = 0; with < 2; with++) {
        unsigned *h = with ? &hint : NULL;
        CHECK(mem_valid(m, a, 100, h));
        CHECK(mem_valid(m, a + 96, 4, h));
        CHECK(!mem_valid(m, a + 97, 4, h));
        CHECK(!mem_valid(m, a + 100, 1, h));
        CHECK(!mem_valid(m, a - 1, 1, h));
        CHECK(mem_valid(m, b + 508, 4, h));
        CHECK(mem_valid(m, a, 1, h));
        CHECK(!mem_valid(m, b + 511, UINT64_MAX, h));
        CHECK(!mem_valid(m, 0, 4, h));
    }
    CHECK(mem_release(m, a));
    CHECK(!mem_valid(m, a, 4, &hint));
    CHECK(!mem_release(m, a));
    CHECK(!mem_release(m, b + 4));
    CHECK_EQ(mem_used(m), 512);
    mem_image_free(m);
}

TEST(nearest_names_the_range_and_the_distance)
{
    mem_image *m = mem_image_new(MIB);
    int64_t d;

    CHECK(mem_nearest(m, MEM_BASE, &d) == NULL);
    uint64_t a = mem_alloc(m, 100, "a"), b = mem_alloc(m, 100, "b");
    const mem_range *r = mem_nearest(m, a + 99, &d);
    CHECK_STR(r->name, "a");
    CHECK_EQ(d, 0);
    CHECK_STR(mem_nearest(m, a + 100, &d)->name, "a");
    CHECK_EQ(d, 1);
    CHECK_STR(mem_nearest(m, b - 3, &d)->name, "b");
    CHECK_EQ(d, -3);
    CHECK_STR(mem_nearest(m, a - 8, &d)->name, "a");
    CHECK_EQ(d, -8);
    CHECK_STR(mem_nearest(m, b + 1000, &d)->name, "b");
    CHECK_EQ(d, 901);
    mem_release(m, b);
    r = mem_nearest(m, b + 1, &d);
    CHECK_STR(r->name, "b");
    CHECK(!r->live);
    CHECK_EQ(r->number, 1);
    CHECK_EQ(d, 0);
    mem_image_free(m);
}

TEST(nearest_of_a_name_is_alive)
{
    mem_image *m = mem_image_new(MIB);

    CHECK(mem_nearest_named(m, MEM_BASE, "a") == NULL);
    uint64_t a = mem_alloc(m, 100, "a"), b = mem_alloc(m, 100, "b");
    uint64_t c = mem_alloc(m, 100, "a");
    CHECK_EQ(mem_nearest_named(m, b, "a")->addr, a);
    CHECK_EQ(mem_nearest_named(m, b + 99, "a")->addr, c);
    CHECK_EQ(mem_reach(mem_nearest_named(m, b, "a"), b, 4), b + 4 - a - 100);
    CHECK_EQ(mem_reach(mem_nearest_named(m, c + 99, "b"), c - 8, 4),
             c - 8 + 4 - b - 100);
    CHECK_EQ(mem_reach(mem_nearest_named(m, c, "a"), c - 8, 4), 8);
    mem_release(m, a);
    CHECK_EQ(mem_nearest_named(m, a, "a")->addr, c);
    mem_image_free(m);
}

TEST(freed_space_is_used_last_and_comes_back_zeroed)
{
    mem_image *m = mem_image_new(64 * 1024);
    uint64_t a = mem_alloc(m, 20000, "a"), b = mem_alloc(m, 20000, "b");

    memset(mem_host(m, a), 0xff, 20000);
    mem_release(m, a);
    uint64_t c = mem_alloc(m, 20000, "c"); /* above b, not in the hole */
    CHECK(c > b);
    uint64_t d = mem_alloc(m, 10000, "d");
    CHECK_EQ(d, a);
    for (unsigned i = 0; i < 10000; i++)
        CHECK_EQ(mem_host(m, d)[i], 0);
    CHECK(mem_valid(m, d, 10000, NULL));
    CHECK(!mem_valid(m, d, 20000, NULL)); /* nothing of the old range left */
    CHECK_EQ(mem_alloc(m, 20000, "e"), 0);
    CHECK_EQ(mem_alloc(m, UINT64_MAX, "f"), 0);
    mem_image_free(m);
}

/* Every range against a plain list, over many allocations and releases. */
TEST(what_was_never_handed_out_is_told_from_holes)
{
    mem_image *m = mem_image_new(MIB);
    uint64_t a = mem_alloc(m, MIB / 2, "a"), b;

    CHECK(mem_is_new(m, MIB / 4, 1));
    CHECK(!mem_is_new(m, MIB / 2, 1)); /* no room for its guard */
    CHECK(!mem_is_new(m, 2 * MIB, 1) && !mem_is_new(m, UINT64_MAX, 1));
    CHECK(!mem_is_new(m, 1, 1ull << 40));
    CHECK(mem_release(m, a));
    CHECK(!mem_is_new(m, MIB / 2, 1));
    b = mem_alloc(m, MIB / 4, "b");
    CHECK(b > a + MIB / 2);
    CHECK(!mem_is_new(m, MIB / 4, 1));
    CHECK_EQ(mem_alloc(m, MIB / 4, "c"), a);
    mem_image_free(m);
}

TEST(random_allocation_agrees_with_a_list)
{
    enum { N = 40 };
    mem_image *m = mem_image_new(256 * 1024);
    struct {
        uint64_t addr, size;
    } live[N] = {0};
    rng r;

    rng_init(&r, 1, "image");
    for (unsigned step = 0; step < 4000; step++) {
        unsigned i = rng_below(&r, N);
        if (live[i].addr) {
            CHECK(mem_release(m, live[i].addr));
            live[i].addr = 0;
        } else {
            live[i].size = 1 + rng_below(&r, 12000);
            live[i].addr = mem_alloc(m, live[i].size, "x");
        }
        uint64_t at = MEM_BASE + rng_below(&r, 256 * 1024), used = 0;
        bool inside = false;
        for (unsigned k = 0; k < N; k++) {
            if (!live[k].addr)
                continue;
            used += live[k].size;
            inside |= at >= live[k].addr && at < live[k].addr + live[k].size;
        }
        CHECK_EQ(mem_valid(m, at, 1, NULL), inside);
        CHECK_EQ(mem_used(m), used);
    }
    mem_image_free(m);
}

TEST(alignment_is_kept_on_top_and_in_holes)
{
    mem_image *m = mem_image_new(64 * 1024);
    uint64_t a = mem_alloc(m, 100, "a");
    uint64_t b = mem_alloc_aligned(m, 8192, 16384, "b");
    uint64_t c = mem_alloc(m, 39000, "c");

    CHECK_EQ(b, MEM_BASE + 16384);
    CHECK(a && c > b);
    CHECK(mem_release(m, b));
    CHECK_EQ(mem_alloc_aligned(m, 4096, 8192, "d"), MEM_BASE + 8192);
    CHECK_EQ(mem_alloc_aligned(m, 4096, 32768, "e"), 0); /* c is there */
    CHECK_EQ(mem_alloc_aligned(m, 4096, 16, "f"), MEM_BASE + 8192 + 4352);
    CHECK(!mem_valid(m, b + 4352, 1, NULL));
    mem_image_free(m);
}

/* Small ranges share pages: what lives on one keeps its bytes, and what was
 * freed is zero when it comes back. */
TEST(clearing_keeps_what_lives_on_the_same_page)
{
    mem_image *m = mem_image_new(32 * 1024);
    uint64_t a[65], n = 0;

    while ((a[n] = mem_alloc(m, 256, "x")))
        memset(mem_host(m, a[n++]), 0xff, 256);
    CHECK_EQ(n, 64);
    for (unsigned i = 0; i < 64; i++)
        if (i != 3 && i != 10)
            CHECK(mem_release(m, a[i]));
    for (unsigned i = 0; i < 256; i++) {
        CHECK_EQ(mem_host(m, a[3])[i], 0xff);
        CHECK_EQ(mem_host(m, a[10])[i], 0xff);
    }
    for (unsigned i = 0; i < 62; i++) {
        uint64_t b = mem_alloc(m, 256, "y");

        for (unsigned k = 0; k < 256; k++)
            CHECK_EQ(mem_host(m, b)[k], 0);
    }
    CHECK_EQ(mem_alloc(m, 256, "z"), 0);
    mem_image_free(m);
}

TEST(the_copy_of_the_list_stays_as_it_was)
{
    mem_image *m = mem_image_new(MIB), *s = mem_image_share(m);
    uint64_t a = mem_alloc(m, 100, "a"), b;

    CHECK(!mem_valid(s, a, 100, NULL));
    mem_image_update(s);
    CHECK(mem_valid(s, a, 100, NULL));
    b = mem_alloc(m, 100, "b");
    mem_release(m, a);
    CHECK(mem_valid(s, a, 100, NULL));
    CHECK(!mem_valid(s, b, 1, NULL));
    CHECK(mem_host(s, b) == mem_host(m, b));
    mem_image_update(s);
    CHECK(!mem_valid(s, a, 100, NULL));
    CHECK(mem_valid(s, b, 100, NULL));
    CHECK_STR(mem_nearest(s, b, NULL)->name, "b");
    mem_image_free(s);
    mem_image_free(m);
}

TEST(only_one_image_is_where_its_addresses_say)
{
    mem_image *m = mem_image_new(MIB), *n = mem_image_new(MIB);
    uint64_t a = mem_alloc(m, 100, "a");
    bool first = mem_identity(m), second = mem_identity(n);
    uint64_t at = (uintptr_t)mem_host(m, a);

    mem_image_free(m);
    mem_image_free(n);
    CHECK(!second);
    if (!first)
        TEST_SKIP("the host's address MEM_BASE is not free");
    CHECK_EQ(at, a);
    n = mem_image_new(MIB);
    CHECK(mem_identity(n));
    mem_image_free(n);
}

/* Forty thousand live ranges, of which many come and go when no new space
 * is left: quick, or the limit of the test's time is reached. */
TEST(many_ranges_are_no_burden)
{
    enum { N = 10000 };
    mem_image *m = mem_image_new((uint64_t)2 * N * 512);
    uint64_t *a = malloc(N * sizeof *a);
    rng r;

    rng_init(&r, 1, "many");
    for (unsigned i = 0; i < N; i++)
        CHECK((a[i] = mem_alloc(m, 64, "x")) != 0);
    for (unsigned i = 0; i < 3 * N; i++) {
        unsigned k = rng_below(&r, N);

        CHECK(mem_release(m, a[k]));
        CHECK((a[k] = mem_alloc(m, 64, "y")) != 0);
    }
    CHECK_EQ(mem_used(m), 64 * (uint64_t)N);
    free(a);
    mem_image_free(m);
}

TEST(hash_depends_on_contents_and_place)
{
    mem_image *m = mem_image_new(MIB), *n = mem_image_new(MIB);
    uint64_t a = mem_alloc(m, 100, "a");

    mem_alloc(n, 100, "b");
    CHECK_EQ(mem_hash(m), mem_hash(n)); /* names do not count */
    mem_host(m, a)[99] = 1;
    CHECK(mem_hash(m) != mem_hash(n));
    mem_host(m, a)[99] = 0;
    mem_alloc(m, 100, "c");
    CHECK(mem_hash(m) != mem_hash(n));
    mem_image_free(m);
    mem_image_free(n);
}

/* ---- beside ranges ---- */

enum { PAGE = 4096 };

/* Where bytes at `addr` are: 0: nowhere. */
static uint64_t beside(const mem_image *m, uint64_t addr)
{
    return mem_beside(m, &addr, PAGE) ? addr : 0;
}

TEST(beside_a_range_there_is_memory_to_the_end_of_its_pages)
{
    mem_image *m = mem_image_new(MIB);
    uint64_t a = mem_alloc(m, 100, "a"), b;

    CHECK_EQ(beside(m, a + 100), a + 100); /* its own */
    CHECK_EQ(beside(m, a + 511), a + 511);
    CHECK(beside(m, a + 512) && beside(m, a + 512) != a + 512);
    CHECK(beside(m, a + PAGE - 1));
    CHECK(!beside(m, a + PAGE));
    CHECK(beside(m, a - 256)); /* in front of the first page, a little */
    CHECK(!beside(m, a - 257));
    CHECK(!beside(m, 0));
    CHECK(!beside(m, ~0ull));
    CHECK(!beside(m, MEM_BASE + MIB));
    b = mem_alloc_aligned(m, 2 * PAGE, PAGE, "b");
    CHECK_EQ(b, a + PAGE);
    CHECK(beside(m, b + 2 * PAGE)); /* behind its last page, a little */
    CHECK(!beside(m, b + 2 * PAGE + 256));
    mem_image_free(m);
}

TEST(what_is_written_beside_ranges_is_in_none)
{
    mem_image *m = mem_image_new(MIB);
    uint64_t a = mem_alloc(m, 100, "a"), in_front = beside(m, a - 8);
    uint64_t apart = beside(m, a + 1024), end = beside(m, a + PAGE - 4);

    memset(mem_host(m, a + 100), 1, 412); /* up to the end of the guard */
    memset(mem_host(m, in_front), 2, 8);
    memset(mem_host(m, apart), 3, 16);
    memset(mem_host(m, end), 4, 4);
    CHECK_EQ(mem_host(m, beside(m, a - 1))[0], 2); /* consecutive bytes */
    CHECK_EQ(mem_host(m, beside(m, a + 1039))[0], 3);
    uint64_t b = mem_alloc(m, 3 * PAGE, "b"); /* where they would have been */
    CHECK_EQ(b, a + 512);
    for (unsigned i = 0; i < 3 * PAGE; i++)
        CHECK_EQ(mem_host(m, b)[i], 0);
    for (unsigned i = 0; i < 100; i++)
        CHECK_EQ(mem_host(m, a)[i], 0);
    mem_image_free(m);
}

TEST(a_new_range_is_zero_where_an_old_one_had_its_guard)
{
    mem_image *m = mem_image_new(16 * PAGE);
    uint64_t a = mem_alloc(m, 100, "a"), all;

    memset(mem_host(m, a + 100), 1, 412);
    CHECK(mem_release(m, a));
    CHECK(!beside(m, a + 100)); /* nothing lives in that page */
    all = mem_alloc(m, 15 * PAGE, "all");
    CHECK_EQ(all, a + 512);
    mem_release(m, all);
    CHECK_EQ(mem_alloc(m, 15 * PAGE + 256, "again"), a);
    for (unsigned i = 0; i < 15 * PAGE; i++)
        CHECK_EQ(mem_host(m, a)[i], 0);
    mem_image_free(m);
}

/* Reserved addresses are nobody's else, and valid where they are live. */
TEST(addresses_are_reserved)
{
    mem_image *m = mem_image_new(1 << 20);
    uint64_t at = mem_reserve(m, 16384, 4096, "addresses");
    uint64_t next = mem_alloc(m, 4, "next");
    int64_t distance;

    CHECK_EQ(at % 4096, 0);
    CHECK(next >= at + 16384 + 256);
    CHECK(!mem_valid(m, at, 1, NULL));
    CHECK_EQ(mem_used(m), 4);
    mem_reserved_set(m, at + 4096, 4096, true);
    mem_reserved_set(m, at + 8192, 4096, true);
    CHECK_EQ(mem_used(m), 4 + 8192);
    CHECK(mem_valid(m, at + 4096, 8192, NULL));
    CHECK(!mem_valid(m, at + 4095, 2, NULL));
    CHECK(!mem_valid(m, at + 4096, 8193, NULL));
    CHECK(!mem_nearest(m, at + 1, &distance)->live);
    CHECK(mem_nearest(m, at + 1, &distance)->reserved);
    mem_reserved_set(m, at + 4096, 4096, false);
    CHECK(!mem_valid(m, at + 8191, 1, NULL));
    CHECK(mem_valid(m, at + 8192, 4096, NULL));
    mem_reserved_set(m, at + 8192, 4096, false);
    CHECK_EQ(mem_nearest(m, at + 9999, &distance)->size, 16384);
    CHECK(mem_release(m, next));
    CHECK(!mem_release(m, at));
    CHECK(!mem_alloc(m, (1 << 20) - 8192, "all but what is reserved"));
    mem_unreserve(m, at);
    CHECK(mem_alloc(m, (1 << 20) - 8192, "all"));
    mem_image_free(m);
}
