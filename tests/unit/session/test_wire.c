/* src/session/wire.h: what is written is read back; what is cut off or wrong
 * is found. */
#include "session/wire.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

TEST(values_survive_the_wire)
{
    const uint64_t numbers[] = {0, 127, 128, UINT64_MAX, 1u << 14};
    const uint32_t triple[3] = {1, 2, UINT32_MAX};
    arena *mem = arena_new();
    strbuf b = {0};
    wire w;
    uint8_t kind;
    size_t used, n;
    uint32_t got[3];

    size_t at = wire_begin(&b, 77);
    wire_put_u8(&b, 200);
    wire_put_u32(&b, 0x89abcdef);
    wire_put_u64(&b, 0x0123456789abcdef);
    wire_put_real(&b, -0.1);
    wire_put_text(&b, "vecadd");
    wire_put_text(&b, NULL);
    wire_put_text(&b, "");
    wire_put_triple(&b, triple);
    wire_put_numbers(&b, numbers, 5);
    wire_put_bytes(&b, "a\0b", 3);
    wire_end(&b, at);
    CHECK_EQ(wire_next(b.text, b.size, &kind, &w, &used), WIRE_WHOLE);
    CHECK_EQ(used, b.size);
    CHECK_EQ(kind, 77);
    CHECK_EQ(wire_get_u8(&w), 200);
    CHECK_EQ(wire_get_u32(&w), 0x89abcdef);
    CHECK_EQ(wire_get_u64(&w), 0x0123456789abcdef);
    CHECK(wire_get_real(&w) == -0.1);
    CHECK_STR(wire_get_text(&w, mem), "vecadd");
    CHECK(!wire_get_text(&w, mem));
    CHECK_STR(wire_get_text(&w, mem), "");
    wire_get_triple(&w, got);
    CHECK(!memcmp(got, triple, sizeof got));
    uint64_t *v = wire_get_numbers(&w, 5, &n);
    CHECK_EQ(n, 5);
    CHECK(v && !memcmp(v, numbers, sizeof numbers));
    free(v);
    CHECK(!memcmp(wire_get_bytes(&w, &n), "a\0b", 3));
    CHECK_EQ(n, 3);
    CHECK_EQ(w.left, 0);
    CHECK(!w.bad);
    strbuf_fini(&b);
    arena_free(mem);
}

TEST(reading_past_the_end_is_noticed)
{
    wire w = {.at = (const unsigned char *)"\1\2\3", .left = 3};
    size_t n;

    CHECK_EQ(wire_get_u32(&w), 0);
    CHECK(w.bad);
    w = (wire){.at = (const unsigned char *)"\5\0\0\0abcd", .left = 8};
    CHECK(!wire_get_bytes(&w, &n));
    CHECK_EQ(n, 0);
    CHECK(w.bad);
    /* a list that claims more numbers than there are bytes */
    w = (wire){.at = (const unsigned char *)"\377\377\377\177abcd", .left = 8};
    CHECK(!wire_get_numbers(&w, SIZE_MAX, &n));
    CHECK(w.bad);
    /* a number without an end */
    w = (wire){.at = (const unsigned char *)"\1\0\0\0\377\377\377\377\377\377"
                                            "\377\377\377\377\377\1",
               .left = 16};
    CHECK(!wire_get_numbers(&w, 5, &n));
    CHECK(w.bad);
}

TEST(messages_are_cut_out_of_a_stream)
{
    strbuf b = {0};
    wire w;
    uint8_t kind;
    size_t used;

    for (unsigned i = 0; i < 3; i++) {
        size_t at = wire_begin(&b, (uint8_t)i);
        for (unsigned k = 0; k < i * 100; k++)
            wire_put_u8(&b, (uint8_t)k);
        wire_end(&b, at);
    }
    for (size_t n = 0; n < WIRE_HEADER; n++)
        CHECK_EQ(wire_next(b.text, n, &kind, &w, &used), WIRE_MORE);
    CHECK_EQ(wire_next(b.text, b.size, &kind, &w, &used), WIRE_WHOLE);
    CHECK_EQ(used, WIRE_HEADER);
    CHECK_EQ(wire_next(b.text + used, b.size - used, &kind, &w, &used),
             WIRE_WHOLE);
    CHECK_EQ(kind, 1);
    CHECK_EQ(w.left, 100);
    CHECK_EQ(wire_next(b.text, b.size - 1, &kind, &w, &used), WIRE_WHOLE);
    CHECK_EQ(wire_next(b.text + 2 * WIRE_HEADER + 100,
                       b.size - 2 * WIRE_HEADER - 101, &kind, &w, &used),
             WIRE_MORE);
    strbuf_fini(&b);
}

TEST(what_is_no_message_of_ours_is_refused)
{
    char good[WIRE_HEADER] = {'H', 'D', 'L', WIRE_VERSION, 1};
    char bad[WIRE_HEADER];
    wire w;
    uint8_t kind;
    size_t used;

    CHECK_EQ(wire_next(good, sizeof good, &kind, &w, &used), WIRE_WHOLE);
    CHECK_EQ(wire_next("G", 1, &kind, &w, &used), WIRE_BAD);
    CHECK_EQ(wire_next("HDX", 3, &kind, &w, &used), WIRE_BAD);
    memcpy(bad, good, sizeof bad);
    bad[3]++; /* another version */
    CHECK_EQ(wire_next(bad, sizeof bad, &kind, &w, &used), WIRE_BAD);
    memcpy(bad, good, sizeof bad);
    bad[11] = 0x7f; /* 2 GiB */
    CHECK_EQ(wire_next(bad, sizeof bad, &kind, &w, &used), WIRE_BAD);
}
