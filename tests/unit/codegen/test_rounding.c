/* Division, reciprocals and roots rounded in a direction, against the host's
 * arithmetic in that direction; subnormal numbers and overflow included. */
#define EXACT_ROUNDS 16
#include "exact.h"

#include <fenv.h>

static const struct {
    const char *text;
    int mode;
} directions[] = {
    {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

enum { DIV, RCP, SQRT };

/* Volatile: the rounding is set at run time. */
static double host64(int op, int mode, double a, double b)
{
    volatile double x = a, y = b, z;

    fesetround(mode);
    z = op == DIV ? x / y : op == RCP ? 1.0 / y : sqrt(x);
    fesetround(FE_TONEAREST);
    return z;
}

static float host32(int op, int mode, float a, float b)
{
    volatile float x = a, y = b, z;

    fesetround(mode);
    z = op == DIV ? x / y : op == RCP ? 1.0f / y : sqrtf(x);
    fesetround(FE_TONEAREST);
    return z;
}

/* Behind the same in all directions, whose rare halves must not be taken for
 * each other; the last result counts. */
static const char *text(int op, const char *direction, const char *type)
{
    static const char *const form[] = {"div.%s.%s z, x, y;", "rcp.%s.%s z, y;",
                                       "sqrt.%s.%s z, x;"};
    static char s[256];
    size_t n = 0;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    for (unsigned d = 0; d < sizeof directions / sizeof *directions; d++)
        n += (size_t)snprintf(s + n, sizeof s - n, form[op], directions[d].text,
                              type);
    snprintf(s + n, sizeof s - n, form[op], direction, type);
#pragma GCC diagnostic pop
    return s;
}

static void check64(int op)
{
    for (unsigned d = 0; d < sizeof directions / sizeof *directions; d++) {
        unsigned bad = 0;

        compute(text(op, directions[d].text, "f64"), "f64", 64, in64, out64);
        for (unsigned i = 0; i < N; i++)
            bad += !same64(out64[i],
                           host64(op, directions[d].mode, twice(in64[2 * i]),
                                  twice(in64[2 * i + 1])));
        CHECK_EQ(bad, 0);
    }
}

TEST(doubles_are_rounded_in_every_direction)
{
    fill();
    for (int op = DIV; op <= SQRT; op++)
        check64(op);
}

TEST(tiny_doubles_are_rounded_in_every_direction)
{
    fill_tiny();
    check64(DIV);
}

TEST(singles_are_rounded_in_every_direction)
{
    fill();
    for (int op = DIV; op <= SQRT; op++)
        for (unsigned d = 0; d < sizeof directions / sizeof *directions; d++) {
            unsigned bad = 0;

            compute(text(op, directions[d].text, "f32"), "f32", 32, in32,
                    out32);
            for (unsigned i = 0; i < N; i++)
                bad += !same32(out32[i], host32(op, directions[d].mode,
                                                single(in32[2 * i]),
                                                single(in32[2 * i + 1])));
            CHECK_EQ(bad, 0);
        }
}

/* A NaN of all ones marks an element out of bounds: the product is zero. */
TEST(products_out_of_bounds_are_zero)
{
    static const uint32_t in[4][2] = {{0x3c004000, 0x40003c00},
                                      {0xffff4000, 0x40003c00},
                                      {0x3c00ffff, 0xffff3c00},
                                      {0x7fff4000, 0x40003c00}};
    static const uint32_t want[4] = {0x42004200, 0x00004200, 0, 0x7fff4200};

    for (unsigned i = 0; i < 4; i++) {
        in32[2 * i] = in[i][0];
        in32[2 * i + 1] = in[i][1];
    }
    compute("{.reg .b32 c; mov.b32 c, 0x3c003c00; "
            "fma.rn.oob.f16x2 z, x, y, c;}",
            "b32", 32, in32, out32);
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQ(out32[i], want[i]);
    compute("{.reg .b32 c; mov.b32 c, 0xbc00c400; "
            "fma.rn.oob.relu.f16x2 z, x, y, c;}",
            "b32", 32, in32, out32);
    CHECK_EQ(out32[0], 0x3c000000);
    CHECK_EQ(out32[1], 0);
}
