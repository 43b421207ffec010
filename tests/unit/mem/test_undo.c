/* tests/unit/mem/test_undo.c - what was published is taken back, and nothing
 * else. */
#include "test.h"

#include "base/rng.h"
#include "mem/undo.h"
#include "mem/view.h"

enum { BYTES = 1 << 14 };

TEST(random_writes_are_taken_back)
{
    mem_image *m = mem_image_new(1 << 20);
    uint64_t a = mem_alloc(m, BYTES, "a");
    mem_view *v[2] = {mem_view_new(m, false), mem_view_new(m, false)};
    mem_undo *u = mem_undo_new();
    static uint8_t was[BYTES];
    rng r;

    rng_init(&r, 1, "undo");
    for (unsigned round = 0; round < 20; round++) {
        for (unsigned i = 0; i < BYTES; i++)
            was[i] = mem_host(m, a)[i] = (uint8_t)rng_below(&r, 256);
        mem_image_watch(m, u);
        for (unsigned i = 0; i < 2000; i++) {
            unsigned at = rng_below(&r, BYTES), n = 1 + rng_below(&r, 16);
            uint64_t x[2] = {rng_u64(&r), rng_u64(&r)};

            if (at % MEM_LINE + n > MEM_LINE || at + n > BYTES)
                continue;
            mem_view_write(v[i % 2], a + at, x, n);
            if (rng_below(&r, 100) == 0)
                mem_view_commit(v[rng_below(&r, 2)]);
        }
        mem_view_commit(v[0]);
        mem_view_commit(v[1]);
        mem_image_watch(m, NULL);
        CHECK(memcmp(was, mem_host(m, a), BYTES) != 0);
        mem_undo_apply(u, m);
        CHECK_EQ(memcmp(was, mem_host(m, a), BYTES), 0);
    }
    mem_undo_free(u);
    mem_view_free(v[0]);
    mem_view_free(v[1]);
    mem_image_free(m);
}

TEST(bytes_that_others_write_stay)
{
    mem_image *m = mem_image_new(1 << 20);
    uint64_t a = mem_alloc(m, 128, "a");
    mem_view *v = mem_view_new(m, false);
    mem_undo *u = mem_undo_new();

    mem_image_watch(m, u);
    mem_view_write(v, a + 63, "\1\2", 2);
    mem_view_commit(v);
    memset(mem_host(m, a), 7, 63); /* the host, around it */
    memset(mem_host(m, a) + 65, 7, 63);
    mem_image_watch(m, NULL);
    mem_view_write(v, a + 127, "\3", 1); /* nobody is told */
    mem_view_commit(v);
    mem_undo_apply(u, m);
    for (unsigned i = 0; i < 128; i++)
        CHECK_EQ(mem_host(m, a)[i], i == 127 ? 3 : i == 63 || i == 64 ? 0 : 7);
    mem_undo_free(u);
    mem_view_free(v);
    mem_image_free(m);
}
