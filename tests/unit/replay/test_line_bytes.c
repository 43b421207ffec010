/* Lines as bytes, and back. */
#include "test.h"

#include "base/bits.h"
#include "base/rng.h"
#include "replay/line_bytes.h"

enum { LINES = 5000 };

static replay_record random_record(rng *r)
{
    replay_record is = {.inst = (uint32_t)rng_below(r, 300)};
    uint64_t base = rng_u64(r) >> rng_below(r, 60), by = rng_below(r, 64);

    if (rng_below(r, 50) == 0)
        is.inst = UINT32_MAX;
    is.mask = rng_below(r, 3) ? UINT32_MAX : (uint32_t)rng_u64(r);
    if (rng_below(r, 10) == 0)
        is.mask = 0;
    is.has_addresses = rng_below(r, 2);
    for (unsigned l = 0; l < ISA_WARP; l++)
        is.addr[l] = rng_below(r, 2) && by > 32 ? rng_u64(r) : base + l * by;
    return is;
}

TEST(what_is_put_comes_back)
{
    static replay_record put[LINES];
    replay_cursor to = {0}, from = {0};
    strbuf bytes = {0};
    rng r;

    rng_init(&r, 7, "lines");
    for (unsigned i = 0; i < LINES; i++) {
        put[i] = random_record(&r);
        replay_record_put(&to, &put[i], &bytes);
    }
    from.at = (const uint8_t *)bytes.text;
    from.left = LINES;
    for (unsigned i = 0; i < LINES; i++) {
        bool has = put[i].has_addresses && put[i].mask;
        uint64_t addr[ISA_WARP];

        replay_record_head(&from);
        CHECK_EQ(from.inst, put[i].inst);
        CHECK_EQ(from.mask, put[i].mask);
        CHECK_EQ(from.how != 0, has);
        CHECK_EQ(replay_record_addresses(&from, i % 3 ? addr : NULL), has);
        for (uint32_t left = has && i % 3 ? put[i].mask : 0; left;
             left &= left - 1)
            CHECK_EQ(addr[bits_ctz32(left)], put[i].addr[bits_ctz32(left)]);
    }
    CHECK_EQ(from.left, 0);
    CHECK_EQ((const char *)from.at - bytes.text, bytes.size);
    strbuf_fini(&bytes);
}

/* The loops of kernels: the next instruction, the same lanes. */
TEST(most_lines_take_a_byte)
{
    replay_cursor to = {0};
    strbuf bytes = {0};

    for (uint32_t i = 0; i < 1000; i++)
        replay_record_put(&to, &(replay_record){.inst = i, .mask = UINT32_MAX},
                          &bytes);
    CHECK(bytes.size < 1010);
    strbuf_fini(&bytes);
}
