/* Atomics on halves: every first value against some second ones, by the values
 * as doubles; and 128 bits as a whole. */
#include <math.h>
#include <string.h>

#include "exec/atom.h"
#include "test.h"

static double value(bool brain, uint32_t h)
{
    unsigned fraction = brain ? 7 : 10, bias = brain ? 127 : 15;
    unsigned e = (h & 0x7fff) >> fraction, f = h & ((1u << fraction) - 1);
    unsigned top = brain ? 255 : 31;
    double v;

    if (e == top)
        v = f ? NAN : INFINITY;
    else if (e)
        v = ldexp(f + (1u << fraction), (int)(e - bias - fraction));
    else
        v = ldexp(f, 1 - (int)(bias + fraction));
    return h & 0x8000 ? -v : v;
}

static uint32_t lesser(bool brain, bool max, uint32_t x, uint32_t y)
{
    double a = value(brain, x), b = value(brain, y);

    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? 0x7fff : isnan(a) ? y : x;
    if (a == b) /* zeros: minus is less */
        return (x >> 15 != 0) != max ? x : y;
    return (a < b) != max ? x : y;
}

static const uint16_t seconds[] = {0,      0x8000, 1,      0x8001, 0x3c00,
                                   0xbc00, 0x3f80, 0x7c00, 0xfc00, 0x7f80,
                                   0x7fff, 0x7c01, 0xffff, 0x7bff, 0x1234};

TEST(least_and_greatest_halves)
{
    unsigned bad = 0;

    for (uint32_t x = 0; x < 0x10000; x++)
        for (unsigned k = 0; k < sizeof seconds / sizeof *seconds; k++)
            for (unsigned how = 0; how < 4; how++) {
                uint32_t y = seconds[k], want, got;
                bool brain = how & 1, max = how & 2;
                unsigned op = max ? ATOM_MAX : ATOM_MIN;

                want = lesser(brain, max, x, y);
                got = (uint32_t)exec_atom_apply(
                    op, brain ? ATYPE_BF16 : ATYPE_F16, x, y, 0, false);
                bad += got != want;
                got = (uint32_t)exec_atom_apply(
                    op, brain ? ATYPE_BF16X2 : ATYPE_F16X2, x | y << 16,
                    y | x << 16, 0, false);
                bad += (got & 0xffff) != want;
                bad += got >> 16 != lesser(brain, max, y, x);
            }
    CHECK_EQ(bad, 0);
}

TEST(all_of_128_bits_are_compared)
{
    mem_atom a = {.op = ATOM_CAS, .type = ATYPE_B128};
    uint8_t was[16], now[16];

    for (unsigned bit = 0; bit <= 128; bit++) {
        memset(was, 0x5a, sizeof was);
        a.a[3] = a.upper[0][3] = 0x5a5a5a5a5a5a5a5a;
        a.b[3] = 1;
        a.upper[1][3] = 2;
        if (bit < 128)
            was[bit / 8] ^= (uint8_t)(1 << bit % 8);
        exec_atom_lane(&a, 3, was, now, true);
        CHECK(!memcmp(&a.old[3], was, 8));
        CHECK(!memcmp(&a.upper[2][3], was + 8, 8));
        if (bit < 128)
            CHECK(!memcmp(now, was, 16));
        else
            CHECK(now[0] == 1 && now[8] == 2 && now[1] == 0 && now[9] == 0);
    }
}
