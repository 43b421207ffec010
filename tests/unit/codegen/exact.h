/* tests/unit/codegen/exact.h - one operation on many pairs of operands, and
 * operands that are hard to round. EXACT_ROUNDS: pairs of each thread. */
#ifndef EXACT_H
#define EXACT_H

#include <math.h>

#include "base/rng.h"
#include "rig.h"
#include "test.h"

#ifndef EXACT_ROUNDS
#define EXACT_ROUNDS 256
#endif

enum { THREADS = 256, ROUNDS = EXACT_ROUNDS, CTAS = 4 };
enum { N = THREADS * ROUNDS * CTAS };

/* Of two operations of a kind the rare halves are called, not part of the
 * kernel; the first result is overwritten. */
#define TWICE(first, second) first "\n" second

/* Each thread takes every (256 * 4)'th pair of operands; `op` computes z from
 * x and y, all registers of `bits` bits of kind `type`. */
static inline char *kernel(const char *op, const char *type, unsigned bits)
{
    static char text[2048];

    snprintf(text, sizeof text,
             ".version 7.0\n.target sm_70\n.address_size 64\n"
             ".visible .entry test(.param .u64 in, .param .u64 out)\n{\n"
             ".reg .b32 r<8>;\n.reg .b64 d<8>;\n.reg .pred p;\n"
             ".reg .%s x, y, z;\n"
             "mov.u32 r0, %%tid.x;\nmov.u32 r1, %%ctaid.x;\n"
             "mad.lo.u32 r2, r1, %d, r0;\nld.param.u64 d0, [in];\n"
             "ld.param.u64 d1, [out];\n"
             "LOOP: mad.wide.u32 d2, r2, %u, d0;\n"
             "mad.wide.u32 d3, r2, %u, d1;\n"
             "ld.global.%s x, [d2];\nld.global.%s y, [d2+%u];\n%s\n"
             "st.global.%s [d3], z;\nadd.u32 r2, r2, %d;\n"
             "setp.lt.u32 p, r2, %d;\n@p bra LOOP;\nret;\n}\n",
             type, THREADS, bits / 4, bits / 8, type, type, bits / 8, op, type,
             THREADS * CTAS, N);
    return text;
}

/* Runs it over `in`; the results are copied to `out`. */
static inline void compute(const char *op, const char *type, unsigned bits,
                           const void *in, void *out)
{
    const uint32_t grid[3] = {CTAS, 1, 1}, cta[3] = {THREADS, 1, 1};
    cg_options o = cg_default_options(ARCH_VOLTA);
    uint64_t a, b;
    rig r;
    status st = rig_compile(&r, op, kernel(op, type, bits), &o);

    if (st == ST_OK) {
        rig_prepare(&r, NULL, o.arch, grid, cta, 0);
        a = rig_alloc(&r, "in", (uint64_t)N * bits / 4, in);
        b = rig_alloc(&r, "out", (uint64_t)N * bits / 8, NULL);
        rig_param(&r, &a, 8);
        rig_param(&r, &b, 8);
        st = rig_run(&r);
    }
    if (st == ST_OK)
        memcpy(out, mem_host(r.image, b), (size_t)N * bits / 8);
    else
        rig_tell(&r, st);
    rig_free(&r);
    CHECK_EQ(st, ST_OK);
}

/* Bits with any exponent, near a power of two, or few of them set. */
static inline uint64_t random_bits(rng *r, unsigned width)
{
    uint64_t v = rng_u64(r);

    switch (rng_below(r, 4)) {
    case 0:
        v &= rng_u64(r) & rng_u64(r);
        break;
    case 1:
        v |= rng_u64(r) | rng_u64(r);
        break;
    case 2:
        v >>= rng_below(r, width);
        break;
    default:
        break;
    }
    return width == 32 ? (uint32_t)v : v;
}

static uint32_t in32[2 * N], out32[N];
static uint64_t in64[2 * N], out64[N];

/* Doubles around 1 as often as any others: their quotients are the hard ones.
 * The same for single precision. */
static inline void fill(void)
{
    rng r;

    rng_init(&r, 1, "exact");
    for (unsigned i = 0; i < 2 * N; i++) {
        in32[i] = (uint32_t)random_bits(&r, 32);
        in64[i] = random_bits(&r, 64);
        if (i % 4 < 2)
            continue;
        in32[i] = (in32[i] & 0x807fffff) | (120 + rng_below(&r, 16)) << 23;
        in64[i] = (in64[i] & 0x800fffffffffffff) |
                  (uint64_t)(1016 + rng_below(&r, 16)) << 52;
    }
}

static inline float single(uint32_t b)
{
    float f;

    memcpy(&f, &b, 4);
    return f;
}

static inline double twice(uint64_t b)
{
    double d;

    memcpy(&d, &b, 8);
    return d;
}

static inline bool same32(uint32_t got, float want)
{
    return want != want ? got == 0x7fffffff
                        : single(got) == want && !(got >> 31) == !signbit(want);
}

static inline bool same64(uint64_t got, double want)
{
    double d = twice(got);

    return want != want ? d != d : d == want && !signbit(d) == !signbit(want);
}

/* Quotients in and around the subnormal numbers. */
static inline void fill_tiny(void)
{
    rng r;

    rng_init(&r, 2, "tiny");
    for (unsigned i = 0; i < 2 * N; i += 2) {
        uint32_t e = rng_below(&r, 900);

        in64[i] = rng_u64(&r) >> 12 | (uint64_t)e << 52;
        e = e + 1023 + rng_below(&r, 60) - 2;
        in64[i + 1] = (rng_u64(&r) >> 12 & -(uint64_t)rng_below(&r, 2)) |
                      (uint64_t)(e > 2046 ? 2046 : e) << 52;
    }
}

#endif
