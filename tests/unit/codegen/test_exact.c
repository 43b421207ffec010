/* Division and roots over many operands, against the host's IEEE 754 and
 * integer arithmetic: random bits, and values next to powers of two. */
#include "exact.h"

TEST(single_division_is_exact)
{
    unsigned bad = 0;

    fill();
    compute("div.rn.f32 z, x, y;", "f32", 32, in32, out32);
    for (unsigned i = 0; i < N; i++)
        bad += !same32(out32[i], single(in32[2 * i]) / single(in32[2 * i + 1]));
    CHECK_EQ(bad, 0);
    compute(TWICE("rcp.rn.f32 z, x;", "rcp.rn.f32 z, y;"), "f32", 32, in32,
            out32);
    for (unsigned i = 0; i < N; i++)
        bad += !same32(out32[i], 1.0f / single(in32[2 * i + 1]));
    CHECK_EQ(bad, 0);
}

TEST(single_root_is_exact)
{
    unsigned bad = 0;

    fill();
    compute(TWICE("sqrt.rn.f32 z, y;", "sqrt.rn.f32 z, x;"), "f32", 32, in32,
            out32);
    for (unsigned i = 0; i < N; i++)
        bad += !same32(out32[i], sqrtf(single(in32[2 * i])));
    CHECK_EQ(bad, 0);
}

TEST(double_division_is_exact)
{
    unsigned bad = 0;

    fill();
    compute("div.rn.f64 z, x, y;", "f64", 64, in64, out64);
    for (unsigned i = 0; i < N; i++)
        bad += !same64(out64[i], twice(in64[2 * i]) / twice(in64[2 * i + 1]));
    CHECK_EQ(bad, 0);
    compute(TWICE("rcp.rn.f64 z, x;", "rcp.rn.f64 z, y;"), "f64", 64, in64,
            out64);
    for (unsigned i = 0; i < N; i++)
        bad += !same64(out64[i], 1.0 / twice(in64[2 * i + 1]));
    CHECK_EQ(bad, 0);
}

TEST(tiny_double_quotients_are_rounded_once)
{
    unsigned bad = 0;

    fill_tiny();
    compute(TWICE("div.rn.f64 z, y, x;", "div.rn.f64 z, x, y;"), "f64", 64,
            in64, out64);
    for (unsigned i = 0; i < N; i++)
        bad += !same64(out64[i], twice(in64[2 * i]) / twice(in64[2 * i + 1]));
    CHECK_EQ(bad, 0);
}

TEST(double_root_is_exact)
{
    unsigned bad = 0;

    fill();
    compute(TWICE("sqrt.rn.f64 z, y;", "sqrt.rn.f64 z, x;"), "f64", 64, in64,
            out64);
    for (unsigned i = 0; i < N; i++)
        bad += !same64(out64[i], sqrt(twice(in64[2 * i])));
    CHECK_EQ(bad, 0);
}

TEST(integer_division_is_exact)
{
    unsigned bad = 0;

    fill();
    compute("div.u32 z, x, y;", "u32", 32, in32, out32);
    for (unsigned i = 0; i < N; i++) {
        uint32_t a = in32[2 * i], b = in32[2 * i + 1];

        bad += out32[i] != (b ? a / b : UINT32_MAX);
    }
    CHECK_EQ(bad, 0);
    compute("rem.s32 z, x, y;", "s32", 32, in32, out32);
    for (unsigned i = 0; i < N; i++) {
        int64_t a = (int32_t)in32[2 * i], b = (int32_t)in32[2 * i + 1];

        bad += (int32_t)out32[i] != (b ? a % b : -1);
    }
    CHECK_EQ(bad, 0);
}

TEST(wide_integer_division_is_exact)
{
    unsigned bad = 0;

    fill();
    compute("div.u64 z, x, y;", "u64", 64, in64, out64);
    for (unsigned i = 0; i < N; i++) {
        uint64_t a = in64[2 * i], b = in64[2 * i + 1];

        bad += out64[i] != (b ? a / b : UINT64_MAX);
    }
    CHECK_EQ(bad, 0);
    compute("rem.s64 z, x, y;", "s64", 64, in64, out64);
    for (unsigned i = 0; i < N; i++) {
        __int128 a = (int64_t)in64[2 * i], b = (int64_t)in64[2 * i + 1];

        bad += (int64_t)out64[i] != (int64_t)(b ? a % b : -1);
    }
    CHECK_EQ(bad, 0);
}
