/* How each generation of tensor cores sums: the experiments of [FASI], and
 * random sums against exact integers of 128 bits that are cut by hand. */
#include <math.h>

#include "config/config.h"
#include "exec/half.h"
#include "isa/tensor.h"
#include "machine.h"

static machine M;

enum { RA = 8, RB = 16, RC = 24, RD = 32 }; /* groups of registers */
enum { F16, BF16, TF32, E4M3, E5M2, FORMS };

/* ---- one dot product ---------------------------------------------------- */

/* digits of exponent, of fraction, bias */
static const int layout[FORMS][3] = {
    {5, 10, 15}, {8, 7, 127}, {8, 10, 127}, {4, 3, 7}, {5, 2, 15}};

/* The bits of a number that the format has. */
static uint32_t encode(int form, double v)
{
    int digits = layout[form][1], e, field;
    double m = frexp(fabs(v), &e) * 2;
    uint32_t u;

    field = e - 1 + layout[form][2];
    if (v == 0)
        return 0;
    if (field < 1) {
        m = ldexp(m, field - 1);
        field = 0;
    }
    u = (uint32_t)ldexp(m, digits) & ((1u << digits) - 1);
    u |= (uint32_t)field << digits;
    u |= (v < 0 ? 1u : 0u) << (digits + layout[form][0]);
    return form == TF32 ? u << 13 : u;
}

static isa_inst product(int form, bool half)
{
    isa_inst in = isa_new(form >= E4M3 ? ISA_QMMA : ISA_HMMA);

    in.dst = RD;
    in.src[0] = RA;
    in.src[1] = RB;
    in.src[2] = RC;
    for (unsigned i = 0; i < 3; i++)
        in.src_kind[i] = SRC_REG;
    ISA_PUT(&in, MMAD, half);
    if (form >= E4M3) {
        ISA_PUT(&in, QFORMA, form - E4M3);
        ISA_PUT(&in, QFORMB, form - E4M3);
    } else {
        ISA_PUT(&in, HFORM, form);
        ISA_PUT(&in, HSHAPE, form == TF32 ? 0 : 1);
    }
    isa_finish(&in);
    return in;
}

static unsigned depth(int form)
{
    return form == TF32 ? 8 : form >= E4M3 ? 32 : 16;
}

/* c + a . b as row 0, column 0 of a product [PTX85:mma]. */
static double sum(cfg_numerics g, int form, bool half, const double *a,
                  const double *b, double c, unsigned level)
{
    unsigned bits = form == TF32 ? 32 : form >= E4M3 ? 8 : 16, p = 32 / bits;
    isa_inst in = product(form, half);

    memset(M.reg, 0, sizeof M.reg);
    for (unsigned k = 0; k < depth(form); k++) {
        unsigned lane = k / p % 4, r = k / (4 * p), at = k % p * bits;

        M.reg[RA + 2 * r][lane] |= encode(form, a[k]) << at;
        M.reg[RB + r][lane] |= encode(form, b[k]) << at;
    }
    M.reg[RC][0] =
        half ? half_f16_from_float((float)c) : bits_of_float((float)c);
    M.launch.numerics = (uint8_t)g;
    if (isa_check(&in, ARCH_VOLTA))
        TEST_FAIL("%s", isa_check(&in, ARCH_VOLTA));
    M.warp.ops = exec_ops_level(level);
    CHECK_EQ(machine_one(&M, in, UINT32_MAX), EXEC_DONE);
    return half ? half_f16_to_float(M.reg[RD][0] & 0xffff)
                : float_of_bits(M.reg[RD][0]);
}

/* ---- what was measured -------------------------------------------------- */

static void start(void)
{
    machine_init(&M, ARCH_VOLTA);
    machine_start(&M, 0);
}

/* c and products of powers of two, each at its place. */
static double powers(cfg_numerics g, double c, unsigned n, const int at[],
                     const double value[])
{
    double a[32] = {0}, b[32] = {0};

    for (unsigned i = 0; i < n; i++) {
        int e;

        frexp(value[i], &e);
        a[at[i]] = ldexp(1, e / 2);
        b[at[i]] = value[i] / a[at[i]];
    }
    return sum(g, F16, false, a, b, c, 0);
}

/* Four products that are each below the last bit of c, together above it:
 * how many bits below it are kept decides from which size on they count. */
TEST(bits_below_those_of_a_float)
{
    static const int at[4] = {0, 1, 2, 3};
    static const struct {
        cfg_numerics g;
        int extra;
    } all[] = {{CFG_NUMERICS_VOLTA, 0},
               {CFG_NUMERICS_AMPERE, 1},
               {CFG_NUMERICS_INSTRUCTION, 1}, /* HMMA came with the A100 */
               {CFG_NUMERICS_HOPPER, 2}};

    start();
    for (size_t i = 0; i < COUNTOF(all); i++)
        for (int e = 23; e <= 27; e++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double s = ldexp(sign, -e), v[4] = {s, s, s, s};
                double want = sign;

                if (e <= 23 + all[i].extra) /* kept; then cut to 2^-23 */
                    want = sign * (1 + floor(ldexp(4, 23 - e)) * 0x1p-23);
                CHECK_EQ(bits_of_float((float)powers(all[i].g, sign, 4, at, v)),
                         bits_of_float((float)want));
            }
}

/* 2^25 and -2^25 in the first two places swallow a 1 in the same block. */
TEST(products_are_summed_in_blocks)
{
    static const struct {
        cfg_numerics g;
        int block;
    } all[] = {{CFG_NUMERICS_VOLTA, 4},
               {CFG_NUMERICS_AMPERE, 8},
               {CFG_NUMERICS_HOPPER, 16}};
    static const double v[3] = {0x1p26, -0x1p26, 1};

    start();
    for (size_t i = 0; i < COUNTOF(all); i++)
        for (int k = 2; k < 16; k++) {
            int at[3] = {0, 1, k};

            CHECK_EQ((int)powers(all[i].g, 0, 3, at, v), k >= all[i].block);
        }
    for (int k = 2; k < 16; k++) {
        int at[3] = {0, 1, k};

        CHECK_EQ((int)powers(CFG_NUMERICS_EXACT, 0, 3, at, v), 1);
    }
}

/* Within a block the order does not matter, though sums are not exact. */
TEST(order_within_a_block_does_not_matter)
{
    uint64_t seed = 5;

    start();
    for (int g = CFG_NUMERICS_VOLTA; g <= CFG_NUMERICS_HOPPER; g++)
        for (int n = 0; n < 200; n++) {
            double a[32] = {0}, b[32] = {0}, first;
            double c = ldexp(1 + (double)(noise(&seed) % 99), -4);

            for (int k = 0; k < 4; k++) {
                a[k] = ldexp((double)(noise(&seed) % 2001) - 1000, -10);
                b[k] = ldexp((double)(noise(&seed) % 2001) - 1000,
                             -(int)(noise(&seed) % 13));
            }
            first = sum((cfg_numerics)g, F16, false, a, b, c, 0);
            for (int turn = 0; turn < 3; turn++) {
                double x = a[0], y = b[0];

                memmove(a, a + 1, 3 * sizeof *a);
                memmove(b, b + 1, 3 * sizeof *b);
                a[3] = x;
                b[3] = y;
                CHECK(sum((cfg_numerics)g, F16, false, a, b, c, 0) == first);
            }
        }
}

/* To zero for floats, to nearest for halves, on either side. */
TEST(results_are_cut_or_rounded)
{
    double a[32] = {1, 1}, b[32] = {1, 0x1p-11}, m[32] = {-1, -1};

    start();
    for (int g = CFG_NUMERICS_VOLTA; g <= CFG_NUMERICS_HOPPER; g++) {
        /* 1 + 2^-11 lies between two halves, a little more is above */
        b[1] = 0x1p-11;
        CHECK(sum((cfg_numerics)g, F16, true, a, b, 0, 0) == 1);
        b[1] = 0x1.004p-11;
        CHECK(sum((cfg_numerics)g, F16, true, a, b, 0, 0) == 1 + 0x1p-10);
        CHECK(sum((cfg_numerics)g, F16, true, m, b, 0, 0) == -1 - 0x1p-10);
        /* 2^24 + 2 + 1 has 25 digits */
        b[0] = 2;
        b[1] = 1;
        CHECK(sum((cfg_numerics)g, F16, false, a, b, 0x1p24, 0) == 0x1p24 + 2);
        CHECK(sum((cfg_numerics)g, F16, false, m, b, -0x1p24, 0) ==
              -0x1p24 - 2);
        b[0] = 1;
    }
}

/* Denormal factors, accumulators and results are numbers like others. */
TEST(denormals_are_kept)
{
    double a[32] = {0x1p-24}, one[32] = {1}, none[32] = {0};

    start();
    for (int g = CFG_NUMERICS_VOLTA; g <= CFG_NUMERICS_EXACT; g++) {
        CHECK(sum((cfg_numerics)g, F16, false, a, one, 0, 0) == 0x1p-24);
        CHECK(sum((cfg_numerics)g, F16, true, a, one, 0, 0) == 0x1p-24);
        CHECK(sum((cfg_numerics)g, F16, false, none, none, 0x1p-149, 0) ==
              0x1p-149);
    }
}

/* ---- random sums against exact integers --------------------------------- */

typedef __int128 wide; /* in units of 2^-LOW */
enum { LOW = 90 };

static wide whole(double v) { return (wide)ldexp(v, LOW); }

/* |v| cut to a multiple of 2^unit. */
static wide cut(wide v, int unit)
{
    wide m = v < 0 ? -v : v, one;

    if (unit + LOW <= 0)
        return v;
    one = (wide)1 << (unit + LOW);
    m = m / one * one;
    return v < 0 ? -m : m;
}

static int top_of(wide v)
{
    int e = -LOW - 1;

    for (wide m = v < 0 ? -v : v; m; m >>= 1)
        e++;
    return e;
}

static wide nearest(wide v, int unit)
{
    wide one = (wide)1 << (unit + LOW), low = cut(v < 0 ? -v : v, unit);
    wide rest = (v < 0 ? -v : v) - low;

    if (rest * 2 > one || (rest * 2 == one && low / one % 2))
        low += one;
    return v < 0 ? -low : low;
}

typedef struct generation {
    cfg_numerics g;
    int block, tf32, extra;
} generation;

static const generation generations[] = {{CFG_NUMERICS_VOLTA, 4, 4, 0},
                                         {CFG_NUMERICS_AMPERE, 8, 4, 1},
                                         {CFG_NUMERICS_HOPPER, 16, 8, 2}};

/* Only halves are Volta's own, and FP8 is the same everywhere. */
static bool is_own(const generation *r, int form)
{
    return r->g != CFG_NUMERICS_VOLTA || form == F16 || form >= E4M3;
}

/* An exponent that is not below the format's least. */
static int exponent(int form, double v)
{
    int e, least = 1 - layout[form][2];

    frexp(v, &e);
    return e - 1 > least ? e - 1 : least;
}

static double reference(const generation *r, int form, bool half,
                        const double *a, const double *b, double c)
{
    int block = form == TF32 ? r->tf32 : form >= E4M3 ? 32 : r->block;
    int kept = form >= E4M3 ? 13 : 23 + r->extra;
    int digits = form >= E4M3 ? 13 : 23;
    wide s = whole(c);

    for (unsigned k = 0; k < depth(form); k += (unsigned)block) {
        int top = -200, unit;
        wide t = 0;

        if (s)
            top = top_of(s);
        for (int i = 0; i < block; i++)
            if (a[k + i] != 0 && b[k + i] != 0) {
                int e = exponent(form, a[k + i]) + exponent(form, b[k + i]);
                top = e > top ? e : top;
            }
        if (half && form < E4M3 && top < -19 - r->extra)
            top = -19 - r->extra;
        unit = top - kept;
        for (int i = 0; i < block; i++)
            t += cut(whole(a[k + i] * b[k + i]), unit);
        t += cut(s, unit);
        unit = top_of(t) - (half ? 10 : digits);
        s = half ? nearest(t, unit > -24 ? unit : -24) : cut(t, unit);
        if (half && ldexp(fabs((double)s), -LOW) > 65504)
            return s < 0 ? -INFINITY : INFINITY;
    }
    return ldexp((double)s, -LOW);
}

static double random_factor(uint64_t *seed, int form)
{
    uint64_t r = noise(seed);
    int digits = layout[form][1], e = (int)(r >> 40) % 9 - 6;
    double m = 1 + ldexp((double)(r & ((1u << digits) - 1)), -digits);

    if (r >> 60 == 0)
        return 0;
    return ldexp(r >> 20 & 1 ? -m : m, e);
}

TEST(random_sums_are_those_of_exact_integers)
{
    uint64_t seed = 77;

    start();
    for (unsigned n = 0; n < 3000; n++) {
        const generation *r = &generations[n % 3];
        int form = (int)(n / 3 % FORMS);
        bool half = form != BF16 && form != TF32 && n / 15 % 2;
        double a[32], b[32], c, want;

        if (!is_own(r, form))
            continue;
        for (unsigned k = 0; k < 32; k++) {
            a[k] = random_factor(&seed, form);
            b[k] = random_factor(&seed, form);
        }
        c = ldexp((double)(noise(&seed) % 2048) - 1024,
                  (int)(noise(&seed) % 13) - 16);
        want = reference(r, form, half, a, b, c);
        EACH_LEVEL(level)
        if (sum(r->g, form, half, a, b, c, level) != want)
            TEST_FAIL("form %d half %d generation %d: %a, not %a", form, half,
                      r->g, sum(r->g, form, half, a, b, c, level), want);
    }
}

/* Sixteen products just below four times their exponent's power fill 31 bits
 * with the two that Hopper keeps; the accumulator carries into the next. */
TEST(the_largest_sums_lose_no_carry)
{
    start();
    for (unsigned n = 0; n < 3 * FORMS * 4; n++) {
        const generation *r = &generations[n % 3];
        int form = (int)(n / 3 % FORMS), sign = n / (3 * FORMS) % 2 ? -1 : 1;
        double one = sign * (2 - ldexp(1, -layout[form][1])), a[32], b[32];
        double c = sign * (n / (6 * FORMS) ? 2 - 0x1p-23 : 0), want;

        if (!is_own(r, form))
            continue;
        for (unsigned k = 0; k < 32; k++) {
            a[k] = one;
            b[k] = fabs(one);
        }
        want = reference(r, form, false, a, b, c);
        EACH_LEVEL(level)
        if (sum(r->g, form, false, a, b, c, level) != want)
            TEST_FAIL("form %d generation %d: %a, not %a", form, r->g,
                      sum(r->g, form, false, a, b, c, level), want);
    }
}

TEST(exact_sums_are_rounded_once)
{
    uint64_t seed = 3;

    start();
    for (unsigned n = 0; n < 500; n++) {
        bool half = n % 2;
        double a[32], b[32],
            c = ldexp((double)(noise(&seed) % 2048) - 1024, -9);
        wide s = whole(c);

        for (unsigned k = 0; k < 16; k++) {
            a[k] = random_factor(&seed, F16);
            b[k] = random_factor(&seed, F16);
            s += whole(a[k] * b[k]);
        }
        s = nearest(s, top_of(s) - (half ? 10 : 23));
        CHECK(sum(CFG_NUMERICS_EXACT, F16, half, a, b, c, 0) ==
              ldexp((double)s, -LOW));
    }
}

/* ---- whole products ----------------------------------------------------- */

/* A number of the format: neither infinity nor NaN, exponents `width` of all
 * from `first` on, so that any sums of two meet; zero now and then. */
static uint32_t random_bits(uint64_t *seed, int form, unsigned first,
                            unsigned width)
{
    int digits = layout[form][1], ones = (1 << layout[form][0]) - 1;
    uint64_t r = noise(seed);
    unsigned field = (first + (unsigned)(r >> 40) % width) % (unsigned)ones;
    uint32_t u = (uint32_t)r & ((1u << digits) - 1);

    if (r >> 60 == 0)
        return 0;
    u |= field << digits | (uint32_t)(r >> 32 & 1)
                               << (digits + layout[form][0]);
    return form == TF32 ? u << 13 : u;
}

/* The value of bits of the format. */
static double decode(int form, uint32_t u)
{
    int digits = layout[form][1], ones = (1 << layout[form][0]) - 1;
    int field, part;

    u >>= form == TF32 ? 13 : 0;
    field = (int)(u >> digits) & ones;
    part = (int)u & ((1 << digits) - 1);
    part |= field ? 1 << digits : 0;
    if (u >> (digits + layout[form][0]) & 1)
        part = -part;
    return ldexp(part, (field ? field : 1) - layout[form][2] - digits);
}

typedef struct whole_product {
    double a[16][32], b[8][32], c[16][8];
} whole_product;

/* Random factors and accumulators, in registers and as values [PTX85:mma]. */
static void fill_product(uint64_t *seed, int form, bool half, unsigned first,
                         unsigned width, whole_product *to)
{
    unsigned bits = form == TF32 ? 32 : form >= E4M3 ? 8 : 16, p = 32 / bits;

    memset(M.reg, 0, sizeof M.reg);
    for (unsigned k = 0; k < depth(form); k++) {
        unsigned j = k / p % 4, r = k / (4 * p), at = k % p * bits;

        for (unsigned i = 0; i < 16; i++) {
            uint32_t u = random_bits(seed, form, first, width);

            M.reg[RA + 2 * r + i / 8][i % 8 * 4 + j] |= u << at;
            to->a[i][k] = decode(form, u);
        }
        for (unsigned i = 0; i < 8; i++) {
            uint32_t u = random_bits(seed, form, first, width);

            M.reg[RB + r][i * 4 + j] |= u << at;
            to->b[i][k] = decode(form, u);
        }
    }
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 8; j++) {
            unsigned lane = i % 8 * 4 + j / 2;
            float c = ldexpf((float)(noise(seed) % 8192) - 4096,
                             (int)(noise(seed) % 20) - 20);
            uint32_t h = half_f16_from_float(c);

            to->c[i][j] = half ? half_f16_to_float(h) : c;
            if (half)
                M.reg[RC + i / 8][lane] |= h << 16 * (j % 2);
            else
                M.reg[RC + i / 8 * 2 + j % 2][lane] = bits_of_float(c);
        }
}

static double result_at(bool half, unsigned i, unsigned j)
{
    unsigned lane = i % 8 * 4 + j / 2;

    if (half)
        return half_f16_to_float(M.reg[RD + i / 8][lane] >> 16 * (j % 2) &
                                 0xffff);
    return float_of_bits(M.reg[RD + i / 8 * 2 + j % 2][lane]);
}

static void run_product(cfg_numerics g, int form, bool half, unsigned level)
{
    M.launch.numerics = (uint8_t)g;
    M.warp.ops = exec_ops_level(level);
    CHECK_EQ(machine_one(&M, product(form, half), UINT32_MAX), EXEC_DONE);
}

/* Every place of a product, also far from the others in size. */
TEST(every_element_is_that_of_exact_integers)
{
    uint64_t seed = 9;

    start();
    for (unsigned n = 0; n < 300; n++) {
        const generation *r = &generations[n % 3];
        int form = (int)(n / 3 % FORMS);
        bool half = form != BF16 && form != TF32 && n / 15 % 2;
        /* exponents of 8 bits would leave the integers of the reference */
        bool far = form == BF16 || form == TF32;
        unsigned first = far ? 105 + n % 16 : n % 37, width = 1 + n % 15;
        whole_product m;

        if (!is_own(r, form))
            continue;
        EACH_LEVEL(level)
        {
            uint64_t from = seed;

            fill_product(&from, form, half, first, width, &m);
            run_product(r->g, form, half, level);
            for (unsigned i = 0; i < 16; i++)
                for (unsigned j = 0; j < 8; j++)
                    if (result_at(half, i, j) !=
                        reference(r, form, half, m.a[i], m.b[j], m.c[i][j]))
                        TEST_FAIL("form %d half %d generation %d at %u, %u: "
                                  "%a, not %a",
                                  form, half, r->g, i, j, result_at(half, i, j),
                                  reference(r, form, half, m.a[i], m.b[j],
                                            m.c[i][j]));
        }
        noise(&seed);
    }
}

/* An infinity in the last row of A makes all the product take the way of any
 * numbers, element by element: no other row may change, whatever the sizes. */
TEST(quick_products_have_the_bits_of_slow_ones)
{
    uint64_t seed = 21;

    start();
    for (unsigned n = 0; n < 1500; n++) {
        const generation *r = &generations[n % 3];
        int form = (int)(n / 3 % FORMS);
        bool half = form != BF16 && form != TF32 && n / 15 % 2;
        unsigned bits = form == TF32 ? 32 : form >= E4M3 ? 8 : 16;
        uint32_t all = bits == 32 ? 0x7fffffff : (1u << (bits - 1)) - 1;
        uint32_t quick[15][8];
        whole_product m;

        EACH_LEVEL(level)
        {
            uint64_t from = seed + n;

            fill_product(&from, form, half, n * 7 % 256, 1 + n % 96, &m);
            run_product(r->g, form, half, level);
            for (unsigned i = 0; i < 15; i++)
                for (unsigned j = 0; j < 8; j++)
                    quick[i][j] = bits_of_float((float)result_at(half, i, j));
            M.reg[RA + 1][28] |= all;
            memset(M.reg[RD], 0, 4 * sizeof M.reg[RD]);
            run_product(r->g, form, half, level);
            CHECK(isnan(result_at(half, 15, 0)));
            for (unsigned i = 0; i < 15; i++)
                for (unsigned j = 0; j < 8; j++)
                    if (bits_of_float((float)result_at(half, i, j)) !=
                        quick[i][j])
                        TEST_FAIL("form %d half %d generation %d at %u, %u: "
                                  "%a, not %a",
                                  form, half, r->g, i, j,
                                  float_of_bits(quick[i][j]),
                                  result_at(half, i, j));
        }
    }
}
