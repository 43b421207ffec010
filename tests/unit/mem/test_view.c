/* tests/unit/mem/test_view.c - who sees which write when. */
#include "test.h"

#include "base/rng.h"
#include "mem/view.h"

TEST(own_writes_are_seen_at_once_others_after_commit)
{
    mem_image *m = mem_image_new(1 << 20);
    uint64_t a = mem_alloc(m, 4096, "a");
    mem_view *v = mem_view_new(m, false), *w = mem_view_new(m, false);
    uint32_t x = 7, y = 0;

    CHECK(mem_view_empty(v));
    mem_view_write(v, a + 4, &x, 4);
    CHECK(!mem_view_empty(v));
    CHECK(!mem_view_clean(v, a));
    CHECK(mem_view_clean(v, a + 128));
    CHECK(mem_view_clean(w, a));
    mem_view_read(v, a + 4, &y, 4);
    CHECK_EQ(y, 7);
    mem_view_read(w, a + 4, &y, 4);
    CHECK_EQ(y, 0);
    mem_view_commit(v);
    CHECK(mem_view_empty(v));
    CHECK(mem_view_clean(v, a));
    mem_view_read(w, a + 4, &y, 4);
    CHECK_EQ(y, 7);
    mem_view_free(v);
    mem_view_free(w);
    mem_image_free(m);
}

TEST(direct_view_writes_through)
{
    mem_image *m = mem_image_new(1 << 20);
    uint64_t a = mem_alloc(m, 128, "a");
    mem_view *v = mem_view_new(m, true);

    mem_view_write(v, a + 3, "xyz", 3);
    CHECK(mem_view_empty(v));
    CHECK_EQ(memcmp(mem_host(m, a), "\0\0\0xyz\0", 7), 0);
    CHECK(mem_view_image(v) == m);
    mem_view_free(v);
    mem_image_free(m);
}

TEST(unwritten_bytes_of_a_logged_line_come_from_the_image)
{
    mem_image *m = mem_image_new(1 << 20);
    uint64_t a = mem_alloc(m, 128, "a");
    mem_view *v = mem_view_new(m, false);
    uint8_t got[128];

    mem_view_write(v, a + 63, "\1\2", 2); /* across the halves of the mask */
    memset(mem_host(m, a), 0xee, 128);
    mem_view_read(v, a, got, 128);
    for (unsigned i = 0; i < 128; i++)
        CHECK_EQ(got[i], i == 63 ? 1 : i == 64 ? 2 : 0xee);
    mem_view_free(v);
    mem_image_free(m);
}

TEST(the_view_committed_last_wins)
{
    mem_image *m = mem_image_new(1 << 20);
    uint64_t a = mem_alloc(m, 128, "a");
    mem_view *v = mem_view_new(m, false), *w = mem_view_new(m, false);

    mem_view_write(w, a, "w", 1);
    mem_view_write(v, a, "v", 1);
    mem_view_commit(v);
    mem_view_commit(w);
    CHECK_EQ(mem_host(m, a)[0], 'w');
    mem_view_free(v);
    mem_view_free(w);
    mem_image_free(m);
}

/* Random reads and writes of every size against a plain copy; few lines at
 * first, then many, so that the table grows and both ways to clear it run. */
TEST(random_accesses_agree_with_a_plain_array)
{
    enum { BYTES = 64 * 1024 };
    mem_image *m = mem_image_new(1 << 20);
    uint64_t a = mem_alloc(m, BYTES, "a");
    mem_view *v = mem_view_new(m, false);
    uint8_t *want = calloc(1, BYTES), got[128], data[128];
    rng r;

    rng_init(&r, 1, "view");
    for (unsigned round = 0; round < 60; round++) {
        unsigned lines = round < 30 ? 4 : BYTES / MEM_LINE;
        for (unsigned k = 0; k < 500; k++) {
            unsigned size = 1 + rng_below(&r, MEM_LINE);
            unsigned at = rng_below(&r, lines) * MEM_LINE +
                          rng_below(&r, MEM_LINE + 1 - size);
            mem_view_read(v, a + at, got, size);
            CHECK_EQ(memcmp(got, want + at, size), 0);
            for (unsigned i = 0; i < size; i++)
                data[i] = (uint8_t)rng_u64(&r);
            mem_view_write(v, a + at, data, size);
            memcpy(want + at, data, size);
        }
        if (round % 3)
            continue;
        mem_view_commit(v);
        CHECK_EQ(memcmp(mem_host(m, a), want, BYTES), 0);
    }
    free(want);
    mem_view_free(v);
    mem_image_free(m);
}
