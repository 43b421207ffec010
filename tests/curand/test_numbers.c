/* Numbers of distributions. */
#include <math.h>

#include "test.h"

#include "curand/results.h"
#include "rand.h"

enum { N = 200000 };

/* ---- The functions that they are made with ---- */

/* Within `units` of the last place of a double or, `single`, a float. */
static bool near(double got, double want, double units, bool single)
{
    double unit = fabs(want) * (single ? 0x1p-23 : 0x1p-52);

    return fabs(got - want) <= units * (unit + 1e-300);
}

TEST(elementary_functions_are_those_of_the_library)
{
    for (int i = 1; i <= 20000; i++) {
        double u = i / 20000.0 * pow(0.5, i % 50), sine, cosine;
        float f = (float)u, s, c;
        CHECK(near(rand_log(u), log(u), 2, false));
        CHECK(near(rand_log_f(f), log(f), 2, true));
        double x = (i - 10000) / 14.2;
        CHECK(near(rand_exp(x), exp(x), 3, false));
        float y = (float)(x / 9);
        CHECK(near(rand_exp_f(y), exp(y), 3, true));
        double v = i / 20000.0;
        rand_turn(v, &sine, &cosine);
        CHECK(fabs(sine - sin(v * 6.283185307179586477)) < 1e-15);
        CHECK(fabs(cosine - cos(v * 6.283185307179586477)) < 1e-15);
        rand_turn_f((float)v, &s, &c);
        CHECK(fabs(s - sin((float)v * 6.283185307179586477)) < 3e-7);
        CHECK(fabs(c - cos((float)v * 6.283185307179586477)) < 3e-7);
    }
    CHECK(rand_log(1) == 0 && rand_exp(0) == 1 && rand_exp_f(0) == 1);
    CHECK(isinf(rand_exp(1000)) && rand_exp(-1000) == 0);
    CHECK(isinf(rand_exp_f(100)) && rand_exp_f(-200) == 0);
    CHECK(isnan(rand_exp(NAN)) && isnan(rand_exp_f(NAN)));
}

TEST(the_inverse_normal_inverts)
{
    for (int i = 0; i <= 1600; i++) {
        double x = i / 100.0 - 8, p = erfc(-x / sqrt(2)) / 2;
        if (p < 1)
            CHECK(fabs(rand_normal_inverse(p) - x) <
                  1e-14 * (1 + 1 / exp(-x * x / 2)) + 1e-14);
    }
    CHECK(fabs(rand_normal_inverse(0.975) - 1.959963984540054) < 1e-14);
    CHECK(fabs(rand_normal_inverse(1e-20) + 9.262340089798408) < 1e-13);
}

/* ---- Moments ---- */

typedef struct moments {
    double mean, variance, skew, kurtosis, low, high;
} moments;

static moments moments_of(const double *x, size_t n)
{
    moments m = {.low = x[0], .high = x[0]};

    for (size_t i = 0; i < n; i++) {
        m.mean += x[i] / n;
        m.low = fmin(m.low, x[i]);
        m.high = fmax(m.high, x[i]);
    }
    for (size_t i = 0; i < n; i++)
        m.variance += pow(x[i] - m.mean, 2) / n;
    for (size_t i = 0; i < n; i++) {
        double z = (x[i] - m.mean) / sqrt(m.variance);
        m.skew += pow(z, 3) / n;
        m.kurtosis += pow(z, 4) / n;
    }
    return m;
}

/* The same distribution, in both precisions. */
typedef struct pair {
    moments single, wide;
} pair;

static pair draw(curandRngType_t type, bool normal, bool log, double mean,
                 double deviation)
{
    curandGenerator_t g = host_generator(type);
    double *x = array(N, sizeof *x);
    float *f = array(N, sizeof *f);
    pair p;

    CHECK_EQ(!normal ? curandGenerateUniformDouble(g, x, N)
             : log   ? curandGenerateLogNormalDouble(g, x, N, mean, deviation)
                     : curandGenerateNormalDouble(g, x, N, mean, deviation),
             OK);
    p.wide = moments_of(x, N);
    CHECK_EQ(
        !normal ? curandGenerateUniform(g, f, N)
        : log ? curandGenerateLogNormal(g, f, N, (float)mean, (float)deviation)
              : curandGenerateNormal(g, f, N, (float)mean, (float)deviation),
        OK);
    for (int i = 0; i < N; i++)
        x[i] = f[i];
    p.single = moments_of(x, N);
    curandDestroyGenerator(g);
    free(x);
    free(f);
    return p;
}

static void check_uniform(const moments *m)
{
    CHECK(fabs(m->mean - 0.5) < 0.003);
    CHECK(fabs(m->variance - 1 / 12.0) < 0.001);
    CHECK(m->low > 0 && m->low < 1e-4);
    CHECK(m->high <= 1 && m->high > 1 - 1e-4);
}

static void check_normal(const moments *m)
{
    CHECK(fabs(m->mean - 3) < 0.02);
    CHECK(fabs(m->variance - 4) < 0.06);
    CHECK(fabs(m->skew) < 0.03);
    CHECK(fabs(m->kurtosis - 3) < 0.08);
    CHECK(m->high > 3 + 2 * 4 && m->high < 3 + 2 * 9);
    CHECK(m->low < 3 - 2 * 4 && m->low > 3 - 2 * 9);
}

/* ln x has mean 1/2 and deviation 1/4. */
static void check_log_normal(const moments *m)
{
    double mean = exp(0.5 + 0.03125), factor = exp(0.0625) - 1;

    CHECK(fabs(m->mean - mean) < 0.006);
    CHECK(fabs(m->variance - factor * mean * mean) < 0.01);
    CHECK(m->low > 0);
}

static void check_type(curandRngType_t type)
{
    pair p = draw(type, false, false, 0, 0);

    check_uniform(&p.single);
    check_uniform(&p.wide);
    p = draw(type, true, false, 3, 2);
    check_normal(&p.single);
    check_normal(&p.wide);
    p = draw(type, true, true, 0.5, 0.25);
    check_log_normal(&p.single);
    check_log_normal(&p.wide);
}

TEST(distributions_have_their_moments)
{
    for (int i = 0; i < 4; i++) {
        check_type(pseudo_types[i]);
        check_type(quasi_types[i]);
    }
}

/* The ends of what a word can be. */
TEST(uniform_numbers_are_above_0_and_up_to_1)
{
    CHECK(rand_uniform_f(0, RAND_WORD_BITS) > 0);
    CHECK(rand_uniform_f(~0u, RAND_WORD_BITS) == 1);
    CHECK(rand_uniform_d(0, RAND_WORD_BITS) == 0x1p-53);
    CHECK(rand_uniform_d(~0ull, RAND_WORD_BITS) == 1);
    CHECK(rand_uniform_d(0, RAND_WORD_HALF) == 0x1p-33);
    CHECK(rand_uniform_d(~0u, RAND_WORD_HALF) == 1 - 0x1p-33);
    CHECK(isfinite(rand_normal_of(0, RAND_WORD_HALF)));
    CHECK(isfinite(rand_normal_of(~0u, RAND_WORD_HALF)));
    CHECK(isfinite(rand_normal_of(0, RAND_WORD_BITS)));
    CHECK(isfinite(rand_normal_of(~0ull, RAND_WORD_BITS)));
}

/* Pairs come of pairs of words [Box and Muller]. */
TEST(normal_numbers_are_those_of_box_and_muller)
{
    curandGenerator_t g = host_generator(CURAND_RNG_PSEUDO_PHILOX4_32_10);
    double u[1000], x[1000];
    const double turn = 6.283185307179586477;

    CHECK_EQ(curandGenerateUniformDouble(g, u, 1000), OK);
    CHECK_EQ(curandSetGeneratorOffset(g, 0), OK);
    CHECK_EQ(curandGenerateNormalDouble(g, x, 1000, 10, 3), OK);
    for (int i = 0; i < 1000; i += 2) {
        double r = sqrt(-2 * log(u[i]));
        CHECK(fabs(x[i] - (10 + 3 * r * sin(turn * u[i + 1]))) < 1e-13);
        CHECK(fabs(x[i + 1] - (10 + 3 * r * cos(turn * u[i + 1]))) < 1e-13);
    }
    curandDestroyGenerator(g);
}

/* ---- Poisson ---- */

static double poisson_chance(double mean, unsigned k)
{
    return exp(k * log(mean) - mean - lgamma(k + 1.0));
}

/* Pearson's chi square, of numbers that are expected often enough, is about
 * their count. */
static void check_poisson(curandRngType_t type, double mean)
{
    curandGenerator_t g = host_generator(type);
    unsigned *x = array(N, sizeof *x), kinds = 0;
    unsigned size = (unsigned)(mean + 20 * sqrt(mean) + 20);
    double *count = array(size, sizeof *count), chi = 0, sum = 0;

    CHECK_EQ(curandGeneratePoisson(g, x, N, mean), OK);
    for (int i = 0; i < N; i++) {
        CHECK(x[i] < size);
        count[x[i]]++;
        sum += x[i];
    }
    CHECK(fabs(sum / N - mean) < 5 * sqrt(mean / N));
    for (unsigned k = 0; k < size; k++) {
        double want = N * poisson_chance(mean, k);
        if (want < 10)
            continue;
        chi += pow(count[k] - want, 2) / want;
        kinds++;
    }
    CHECK(chi < kinds + 5 * sqrt(2 * kinds) + 10);
    curandDestroyGenerator(g);
    free(x);
    free(count);
}

TEST(poisson_numbers_are_exact)
{
    static const double means[] = {0.01, 1, 9.5, 70, 4000};

    for (int i = 0; i < 5; i++) {
        check_poisson(CURAND_RNG_PSEUDO_XORWOW, means[i]);
        check_poisson(CURAND_RNG_PSEUDO_MRG32K3A, means[i]);
        check_poisson(CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, means[i]);
    }
    check_poisson(CURAND_RNG_PSEUDO_MT19937, 400000);
}

/* What a program's kernel draws from: a bar is chosen, and one of its parts. */
TEST(histograms_for_kernels_are_exact)
{
    static const double means[] = {0.3, 5, 1000};

    if (cudaFree(NULL) == cudaErrorInitializationError)
        TEST_SKIP("simulated memory cannot lie at its own address here");
    for (int i = 0; i < 3; i++) {
        curandDiscreteDistribution_t d;
        CHECK_EQ(curandCreatePoissonDistribution(means[i], &d), OK);
        CHECK_EQ(d->method, CURAND_M2);
        unsigned n = d->M2->length;
        double *chance = array(n, sizeof *chance);
        for (unsigned j = 0; j < n; j++) {
            double own = d->M2->histogram->V[j] - (double)j / n;
            CHECK(own > -1e-12 && own < 1.0 / n + 1e-12);
            CHECK(d->M2->histogram->K[j] < n);
            chance[j] += own;
            chance[d->M2->histogram->K[j]] += 1.0 / n - own;
        }
        for (unsigned j = 0; j < n; j++)
            CHECK(fabs(chance[j] - poisson_chance(means[i], d->M2->shift + j)) <
                  1e-12);
        CHECK_EQ(curandDestroyDistribution(d), OK);
        free(chance);
    }
}
