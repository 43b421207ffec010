/* tests/unit/base/test_arena.c - alignment, zeroing, growth. */
#include "base/arena.h"

#include "test.h"

TEST(memory_is_zeroed_and_aligned)
{
    arena *a = arena_new();

    for (size_t size = 0; size < 300; size += 7) {
        unsigned char *p = arena_alloc(a, size);

        CHECK_EQ((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < size; i++)
            CHECK_EQ(p[i], 0);
        memset(p, 0xff, size);
    }
    arena_free(a);
}

TEST(large_pieces_leave_earlier_ones_alone)
{
    arena *a = arena_new();
    char *small = arena_strdup(a, "kept");
    char *large = arena_alloc(a, 1 << 20);
    char *next = arena_strdup(a, "also kept");

    memset(large, 'x', 1 << 20);
    CHECK_STR(small, "kept");
    CHECK_STR(next, "also kept");
    CHECK(arena_bytes(a) > 1 << 20);
    CHECK(arena_bytes(a) < 2 << 20);
    arena_free(a);
}

TEST(pieces_do_not_overlap)
{
    enum { N = 5000 };
    arena *a = arena_new();
    unsigned **p = ARENA_ARRAY(a, unsigned *, N);

    for (unsigned i = 0; i < N; i++) {
        p[i] = ARENA_ARRAY(a, unsigned, 1 + i % 97);
        for (unsigned k = 0; k < 1 + i % 97; k++)
            p[i][k] = i;
    }
    for (unsigned i = 0; i < N; i++)
        for (unsigned k = 0; k < 1 + i % 97; k++)
            CHECK_EQ(p[i][k], i);
    arena_free(a);
}

TEST(an_array_grows_and_keeps_what_it_has)
{
    enum { N = 1000 };
    arena *a = arena_new();
    uint32_t *p = NULL, count = 0, room = 0, moves = 0;

    for (; count < N; count++) {
        const uint32_t *was = p;

        ARENA_GROW(a, p, count, room);
        CHECK(room > count);
        CHECK_EQ(p[count], 0); /* what is new is zeroed */
        p[count] = 3 * count;
        moves += p != was;
    }
    for (uint32_t i = 0; i < N; i++)
        CHECK_EQ(p[i], 3 * i);
    CHECK(moves < 12); /* room doubles */
    arena_free(a);
}

TEST(an_array_becomes_as_long_as_wanted)
{
    arena *a = arena_new();
    static const char from[] = "sm";
    char *p = arena_renew(a, from, 2, 9, 1);

    CHECK_STR(p, "sm");
    for (size_t i = 2; i < 9; i++)
        CHECK_EQ(p[i], 0);
    p = arena_renew(a, NULL, 0, 4, 1);
    CHECK_STR(p, "");
    arena_free(a);
}

TEST(texts_are_copied)
{
    arena *a = arena_new();
    char text[] = "sm.warps";

    char *whole = arena_strdup(a, text), *part = arena_strndup(a, text, 2);
    char *made = arena_printf(a, "%s=%d", text, 48);
    text[0] = 'X';
    CHECK_STR(whole, "sm.warps");
    CHECK_STR(part, "sm");
    CHECK_STR(made, "sm.warps=48");
    arena_free(a);
    arena_free(NULL);
}
