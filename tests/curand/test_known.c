/* Generators against what their publications say. */
#include <math.h>
#include <string.h>

#include "test.h"

#include "curand/recurrence.h"
#include "rand.h"

enum { STREAMS = 4096 };

/* The known answers that come with the authors' Random123. */
TEST(philox_has_the_published_answers)
{
    static const struct {
        rand_u32 counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0},
         {0, 0},
         {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0u, ~0u, ~0u, ~0u},
         {~0u, ~0u},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < 3; i++) {
        rand_u32 x[4];
        memcpy(x, known[i].counter, sizeof x);
        rand_philox(x, known[i].key[0], known[i].key[1]);
        for (int k = 0; k < 4; k++)
            CHECK_EQ(x[k], known[i].out[k]);
    }
    unsigned *words = host_words(CURAND_RNG_PSEUDO_PHILOX4_32_10, 0, 4);
    for (int k = 0; k < 4; k++)
        CHECK_EQ(words[k], known[0].out[k]);
    free(words);
}

/* The authors' first outputs of init_genrand(5489), and the 10,000th, which
 * the C++ standard names. */
TEST(mt19937_has_the_published_answers)
{
    unsigned *words = host_words(CURAND_RNG_PSEUDO_MT19937, 5489, 10000);

    CHECK_EQ(words[0], 3499211612);
    CHECK_EQ(words[1], 581869302);
    CHECK_EQ(words[2], 3890346734);
    CHECK_EQ(words[3], 3586334585);
    CHECK_EQ(words[4], 545404204);
    CHECK_EQ(words[9999], 4123659995);
    free(words);
    /* Python: random.seed(0x123456789abcdef); random.getrandbits(32) */
    words = host_words(CURAND_RNG_PSEUDO_MT19937, 0x123456789abcdef, 4);
    CHECK_EQ(words[0], 0xe58d45a7);
    CHECK_EQ(words[1], 0x59363fc1);
    CHECK_EQ(words[2], 0x64a9486c);
    CHECK_EQ(words[3], 0x470c2e3d);
    free(words);
}

/* ---- MRG32k3a ---- */

/* Its words as doubles: U01 of the authors' RngStreams. */
static double *mrg_doubles(size_t count)
{
    curandGenerator_t g = host_generator(CURAND_RNG_PSEUDO_MRG32K3A);
    double *out = array(count, sizeof *out);

    CHECK_EQ(curandGenerateUniformDouble(g, out, count), OK);
    curandDestroyGenerator(g);
    return out;
}

static void mrg_transform(const uint64_t a[3][3], uint64_t m, rand_u32 x[3])
{
    unsigned __int128 out[3] = {0};

    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[i] += (unsigned __int128)a[i][k] * x[k];
    for (int i = 0; i < 3; i++)
        x[i] = (rand_u32)(out[i] % m);
}

/* RngStreams begins with 12345 six times; its substreams are 2^76 apart, by the
 * matrices that it has. */
TEST(mrg32k3a_has_the_published_answers)
{
    static const double first[] = {0.12701112204657714, 0.3185275653967945,
                                   0.3091860155832701, 0.8258468629271136,
                                   0.2216299157820229};
    static const uint64_t a1p76[3][3] = {{82758667, 1871391091, 4127413238},
                                         {3672831523, 69195019, 1871391091},
                                         {3672091415, 3528743235, 69195019}};
    static const uint64_t a2p76[3][3] = {{1511326704, 3759209742, 1610795712},
                                         {4292754251, 1511326704, 3889917532},
                                         {3859662829, 4292754251, 3708466080}};
    const double norm = 2.328306549295727688e-10;
    double *u = mrg_doubles(5 * STREAMS);
    rand_mrg s = {{12345, 12345, 12345, 12345, 12345, 12345}};

    for (int i = 0; i < 5; i++)
        CHECK(fabs(u[STREAMS * i] - first[i]) < 1e-15);
    for (int stream = 0; stream < STREAMS; stream++) {
        rand_mrg now = s;
        CHECK(u[stream] == rand_mrg_next(&now) * norm);
        CHECK(u[STREAMS + stream] == rand_mrg_next(&now) * norm);
        mrg_transform(a1p76, 4294967087, s.x);
        mrg_transform(a2p76, 4294944443, s.x + 3);
    }
    free(u);
}

/* ---- XORWOW ---- */

/* The program in Marsaglia's paper, with its state; without the counter d. */
static uint32_t marsaglia(uint32_t s[5])
{
    uint32_t t = s[0] ^ (s[0] >> 2);

    s[0] = s[1], s[1] = s[2], s[2] = s[3], s[3] = s[4];
    return s[4] = (s[4] ^ (s[4] << 4)) ^ (t ^ (t << 1));
}

static const uint32_t marsaglia_state[5] = {123456789, 362436069, 521288629,
                                            88675123, 5783321};
static const uint32_t marsaglia_d = 6615241;

TEST(xorwow_is_marsaglias)
{
    unsigned *words = host_words(CURAND_RNG_PSEUDO_XORWOW, 0, 1000 * STREAMS);
    uint32_t s[5], d = marsaglia_d;

    memcpy(s, marsaglia_state, sizeof s);
    for (int i = 0; i < 1000; i++) {
        uint32_t v = marsaglia(s);
        CHECK_EQ(words[(size_t)STREAMS * i], (d += 362437) + v);
    }
    free(words);
}

/* Polynomials over two elements, up to degree 319. */
typedef struct poly {
    bool x[320];
} poly;

enum { DEGREE = 160 };

/* The shortest recurrence of a sequence of bits (Berlekamp and Massey):
 * the sum of c[i] s[n - i], i from 0 to its length, is 0. */
static unsigned recurrence(const bool *s, unsigned n, bool *c)
{
    bool b[400] = {true}, t[400];
    unsigned length = 0, m = 1;

    memset(c, 0, 400);
    c[0] = true;
    for (unsigned i = 0; i < n; i++) {
        bool d = s[i];
        for (unsigned k = 1; k <= length; k++)
            d ^= c[k] & s[i - k];
        if (d) {
            memcpy(t, c, sizeof t);
            for (unsigned k = 0; k + m < 400; k++)
                c[k + m] ^= b[k];
            if (2 * length <= i) {
                length = i + 1 - length;
                memcpy(b, t, sizeof b);
                m = 0;
            }
        }
        m++;
    }
    return length;
}

/* p * p modulo the characteristic polynomial of the recurrence. */
static void poly_square(poly *p, const bool *c)
{
    poly q = {{false}};

    for (int i = 0; i < DEGREE; i++)
        q.x[2 * i] = p->x[i];
    for (int i = 2 * DEGREE - 1; i >= DEGREE; i--)
        if (q.x[i])
            for (int k = 0; k <= DEGREE; k++)
                q.x[i - k] ^= c[k];
    *p = q;
}

/* 2^67 steps by x^(2^67) modulo the characteristic polynomial: no matrices. */
TEST(xorwow_streams_are_2_to_67_words_apart)
{
    unsigned *words = host_words(CURAND_RNG_PSEUDO_XORWOW, 0, 400 * STREAMS);
    uint32_t v[400];
    bool low[400], c[400];
    poly p = {{false, true}};

    for (unsigned i = 0; i < 400; i++) {
        v[i] = words[(size_t)i * STREAMS] - (marsaglia_d + 362437 * (i + 1));
        low[i] = v[i] & 1;
    }
    CHECK_EQ(recurrence(low, 400, c), DEGREE);
    for (int i = 0; i < 67; i++)
        poly_square(&p, c);
    for (unsigned stream = 0; stream < STREAMS - 1; stream += 455)
        for (unsigned k = 0; k < 3; k++) {
            uint32_t here = 0, d = marsaglia_d + 362437 * (k + 1);
            for (unsigned i = 0; i < DEGREE; i++)
                if (p.x[i]) {
                    unsigned at = i + k;
                    uint32_t w = words[(size_t)at * STREAMS + stream];
                    here ^= w - (marsaglia_d + 362437 * (at + 1));
                }
            CHECK_EQ(words[(size_t)k * STREAMS + stream + 1], here + d);
        }
    free(words);
}

/* ---- Sobol ---- */

/* What the authors' program says of ten points in three dimensions. */
TEST(sobol_has_the_published_points)
{
    static const double known[10][3] = {{0, 0, 0},
                                        {0.5, 0.5, 0.5},
                                        {0.75, 0.25, 0.25},
                                        {0.25, 0.75, 0.75},
                                        {0.375, 0.375, 0.625},
                                        {0.875, 0.875, 0.125},
                                        {0.625, 0.125, 0.875},
                                        {0.125, 0.625, 0.375},
                                        {0.1875, 0.3125, 0.9375},
                                        {0.6875, 0.8125, 0.4375}};
    curandGenerator_t g = host_generator(CURAND_RNG_QUASI_SOBOL32);
    curandGenerator_t wide = host_generator(CURAND_RNG_QUASI_SOBOL64);
    unsigned x[30];
    unsigned long long y[30];

    CHECK_EQ(curandSetQuasiRandomGeneratorDimensions(g, 3), OK);
    CHECK_EQ(curandSetQuasiRandomGeneratorDimensions(wide, 3), OK);
    CHECK_EQ(curandGenerate(g, x, 30), OK);
    CHECK_EQ(curandGenerateLongLong(wide, y, 30), OK);
    for (int i = 0; i < 10; i++)
        for (int d = 0; d < 3; d++) {
            CHECK_EQ(x[10 * d + i], (unsigned)(known[i][d] * 0x1p32));
            CHECK_EQ(y[10 * d + i], (uint64_t)(known[i][d] * 0x1p32) << 32);
        }
    curandDestroyGenerator(g);
    curandDestroyGenerator(wide);
}

/* The last line of the table that we have: `20000 18 110614 1 3 1 15 ...`. */
TEST(the_last_dimension_is_that_of_the_table)
{
    static const unsigned m[18] = {1,    3,    1,     15,    27,    37,
                                   63,   253,  1,     855,   1651,  3111,
                                   6693, 1825, 22549, 64189, 18347, 253425};
    const unsigned degree = 18, a = 110614;
    curandDirectionVectors32_t *v;
    curandDirectionVectors64_t *w;

    CHECK_EQ(
        curandGetDirectionVectors32(&v, CURAND_DIRECTION_VECTORS_32_JOEKUO6),
        OK);
    CHECK_EQ(
        curandGetDirectionVectors64(&w, CURAND_DIRECTION_VECTORS_64_JOEKUO6),
        OK);
    unsigned long long full[64];
    for (unsigned k = 0; k < 64; k++) {
        if (k < degree) {
            full[k] = (unsigned long long)m[k] << (63 - k);
        } else {
            full[k] = full[k - degree] ^ full[k - degree] >> degree;
            for (unsigned i = 1; i < degree; i++)
                if (a >> (degree - 1 - i) & 1)
                    full[k] ^= full[k - i];
        }
        CHECK_EQ(w[19999][k], full[k]);
        if (k < degree)
            CHECK_EQ(v[19999][k], m[k] << (31 - k));
    }
}

/* Whatever is scrambled: of 1024 points one is in each 1024th. */
TEST(scrambled_sobol_fills_every_interval)
{
    enum { N = 1024, D = 40 };
    curandGenerator_t g = host_generator(CURAND_RNG_QUASI_SCRAMBLED_SOBOL32);
    unsigned *x = array((size_t)N * D, sizeof *x), first = 0;

    CHECK_EQ(curandSetQuasiRandomGeneratorDimensions(g, D), OK);
    CHECK_EQ(curandGenerate(g, x, (size_t)N * D), OK);
    for (unsigned d = 0; d < D; d++) {
        bool seen[N] = {false};
        for (unsigned i = 0; i < N; i++) {
            CHECK(!seen[x[d * N + i] >> 22]);
            seen[x[d * N + i] >> 22] = true;
        }
        first += x[d * N] == 0;
    }
    CHECK_EQ(first, 0);
    curandDestroyGenerator(g);
    free(x);
}
