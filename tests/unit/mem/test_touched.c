/* tests/unit/mem/test_touched.c - lines that were written are told once, and
 * no others. */
#include "test.h"

#include <string.h>

#include "base/rng.h"
#include "mem/touched.h"
#include "mem/view.h"

enum { LINES = 4096 }; /* eight pieces */

/* A bit a line. */
static void mark(void *arg, uint64_t addr, uint64_t bytes)
{
    uint8_t *told = arg;

    CHECK_EQ((addr | bytes) % MEM_LINE, 0);
    CHECK(bytes && bytes <= MEM_PIECE);
    for (uint64_t at = addr; at < addr + bytes; at += MEM_LINE)
        told[(at - MEM_BASE) / MEM_LINE]++;
}

TEST(written_lines_are_told_once)
{
    mem_touched *t = mem_touched_new();
    static uint8_t want[LINES], told[LINES];
    rng r;

    rng_init(&r, 3, "touched");
    for (unsigned round = 0; round < 50; round++) {
        memset(want, 0, sizeof want);
        memset(told, 0, sizeof told);
        for (unsigned i = 0; i < 40; i++) {
            unsigned at = rng_below(&r, LINES * MEM_LINE - 300000);
            unsigned n = 1 + rng_below(&r, i % 8 ? 128 : 300000);

            mem_touch(t, MEM_BASE + at, n);
            for (unsigned l = at / MEM_LINE; l <= (at + n - 1) / MEM_LINE; l++)
                want[l] = 1;
        }
        /* Some are forgotten, some are taken apart from the others. */
        unsigned from = rng_below(&r, LINES - 100), to = from + 100;
        mem_touched_take(t, MEM_BASE + from * MEM_LINE + 5, 99 * MEM_LINE, NULL,
                         NULL);
        memset(want + from, 0, to - from);
        from = rng_below(&r, LINES);
        mem_touched_take(t, MEM_BASE + from * MEM_LINE, 1, mark, told);
        for (unsigned l = 0; l < LINES; l++)
            CHECK_EQ(told[l], l == from && want[l]);
        mem_touched_take(t, 0, UINT64_MAX, mark, told);
        CHECK_EQ(memcmp(told, want, sizeof want), 0);
    }
    mem_touched_free(t);
}

TEST(recent_pieces_are_those_since_the_last_call)
{
    mem_touched *t = mem_touched_new();
    static uint8_t told[LINES];

    mem_touch(t, MEM_BASE, 4);
    mem_touch(t, MEM_BASE + 3 * (uint64_t)MEM_PIECE + 7, 4);
    mem_touched_recent(t, mark, told);
    CHECK(told[0] == 1 && told[512] == 0 && told[3 * 512] == 1);
    mem_touch(t, MEM_BASE + MEM_PIECE, 4);
    mem_touched_recent(t, mark, told);
    CHECK(told[0] == 1 && told[512] == 1 && told[3 * 512] == 1);
    mem_touched_recent(t, mark, told);
    CHECK_EQ(told[512], 1);
    mem_touched_free(t);
}

TEST(direct_views_tell_what_they_write)
{
    mem_image *m = mem_image_new(1 << 20);
    mem_touched *t = mem_touched_new();
    static uint8_t told[LINES];
    uint64_t a = mem_alloc(m, 4096, "a");

    mem_view *before = mem_view_new(m, true);
    mem_image_track(m, t);
    mem_image *seen = mem_image_share(m);
    mem_view *v = mem_view_new(seen, true);
    mem_view_write(before, a, "abcd", 4);
    mem_view_write(v, a + 256, "abcd", 4);
    mem_touched_take(t, 0, UINT64_MAX, mark, told);
    CHECK_EQ(told[(a - MEM_BASE) / MEM_LINE], 0);
    CHECK_EQ(told[(a - MEM_BASE) / MEM_LINE + 2], 1);
    mem_view_free(v);
    mem_view_free(before);
    mem_image_free(seen);
    mem_image_free(m);
    mem_touched_free(t);
}
