/* What cannot be done returns what the documentation says. */
#include "test.h"

#include "rand.h"

static unsigned words[64];
static float floats[64];
static double doubles[64];

TEST(generators_that_are_none)
{
    curandGenerator_t g = NULL;

    CHECK_EQ(curandDestroyGenerator(g), CURAND_STATUS_NOT_INITIALIZED);
    CHECK_EQ(curandGenerate(g, words, 8), CURAND_STATUS_NOT_INITIALIZED);
    CHECK_EQ(curandSetStream(g, NULL), CURAND_STATUS_NOT_INITIALIZED);
    CHECK_EQ(curandCreateGeneratorHost(&g, (curandRngType_t)7),
             CURAND_STATUS_TYPE_ERROR);
    CHECK_EQ(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MTGP32),
             CURAND_STATUS_TYPE_ERROR);
    CHECK(g == NULL);
}

TEST(options_that_a_type_does_not_have)
{
    curandGenerator_t pseudo = host_generator(CURAND_RNG_PSEUDO_DEFAULT);
    curandGenerator_t quasi = host_generator(CURAND_RNG_QUASI_DEFAULT);
    curandGenerator_t mt = host_generator(CURAND_RNG_PSEUDO_MT19937);

    CHECK_EQ(curandSetPseudoRandomGeneratorSeed(quasi, 1),
             CURAND_STATUS_TYPE_ERROR);
    CHECK_EQ(curandSetQuasiRandomGeneratorDimensions(pseudo, 1),
             CURAND_STATUS_TYPE_ERROR);
    CHECK_EQ(curandSetQuasiRandomGeneratorDimensions(quasi, 0),
             CURAND_STATUS_OUT_OF_RANGE);
    CHECK_EQ(curandSetQuasiRandomGeneratorDimensions(quasi, 20001),
             CURAND_STATUS_OUT_OF_RANGE);
    CHECK_EQ(curandSetQuasiRandomGeneratorDimensions(quasi, 20000), OK);
    CHECK_EQ(curandSetGeneratorOffset(mt, 1), CURAND_STATUS_TYPE_ERROR);
    CHECK_EQ(curandSetGeneratorOrdering(quasi, CURAND_ORDERING_PSEUDO_DEFAULT),
             CURAND_STATUS_OUT_OF_RANGE);
    CHECK_EQ(curandSetGeneratorOrdering(pseudo, CURAND_ORDERING_QUASI_DEFAULT),
             CURAND_STATUS_OUT_OF_RANGE);
    CHECK_EQ(curandSetGeneratorOrdering(mt, CURAND_ORDERING_PSEUDO_SEEDED),
             CURAND_STATUS_OUT_OF_RANGE);
    for (int order = CURAND_ORDERING_PSEUDO_BEST;
         order <= CURAND_ORDERING_PSEUDO_DYNAMIC; order++)
        CHECK_EQ(curandSetGeneratorOrdering(pseudo, (curandOrdering_t)order),
                 OK);
    curandDestroyGenerator(pseudo);
    curandDestroyGenerator(quasi);
    curandDestroyGenerator(mt);
}

TEST(lengths_and_types_that_do_not_fit)
{
    curandGenerator_t pseudo = host_generator(CURAND_RNG_PSEUDO_DEFAULT);
    curandGenerator_t quasi = host_generator(CURAND_RNG_QUASI_DEFAULT);
    curandGenerator_t wide = host_generator(CURAND_RNG_QUASI_SOBOL64);

    CHECK_EQ(curandGenerateNormal(pseudo, floats, 7, 0, 1),
             CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    CHECK_EQ(curandGenerateLogNormalDouble(pseudo, doubles, 7, 0, 1),
             CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    CHECK_EQ(curandGenerateNormal(quasi, floats, 7, 0, 1), OK);
    CHECK_EQ(curandGenerateUniform(pseudo, floats, 7), OK);
    CHECK_EQ(curandSetQuasiRandomGeneratorDimensions(quasi, 3), OK);
    CHECK_EQ(curandGenerateUniform(quasi, floats, 7),
             CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    CHECK_EQ(curandGenerate(wide, words, 8), CURAND_STATUS_TYPE_ERROR);
    CHECK_EQ(curandGenerateLongLong(pseudo, (unsigned long long *)doubles, 8),
             CURAND_STATUS_TYPE_ERROR);
    CHECK_EQ(curandGenerate(pseudo, words, 0), OK);
    curandDestroyGenerator(pseudo);
    curandDestroyGenerator(quasi);
    curandDestroyGenerator(wide);
}

TEST(distributions_out_of_range)
{
    curandGenerator_t g = host_generator(CURAND_RNG_PSEUDO_DEFAULT);
    curandDiscreteDistribution_t d;
    curandDirectionVectors32_t *v;
    int version = 0;

    CHECK_EQ(curandGeneratePoisson(g, words, 8, 0), CURAND_STATUS_OUT_OF_RANGE);
    CHECK_EQ(curandGeneratePoisson(g, words, 8, 400001),
             CURAND_STATUS_OUT_OF_RANGE);
    CHECK_EQ(curandCreatePoissonDistribution(-1, &d),
             CURAND_STATUS_OUT_OF_RANGE);
    CHECK_EQ(curandCreatePoissonDistribution(1, NULL),
             CURAND_STATUS_NOT_INITIALIZED);
    CHECK_EQ(curandDestroyDistribution(NULL), CURAND_STATUS_NOT_INITIALIZED);
    CHECK_EQ(
        curandGetDirectionVectors32(&v, CURAND_DIRECTION_VECTORS_64_JOEKUO6),
        CURAND_STATUS_OUT_OF_RANGE);
    CHECK_EQ(curandGetProperty(3, &version), CURAND_STATUS_OUT_OF_RANGE);
    CHECK_EQ(curandGetProperty(0, &version), OK);
    CHECK_EQ(version, 10);
    CHECK_EQ(curandGetVersion(&version), OK);
    CHECK(version / 1000 == 10);
    curandDestroyGenerator(g);
}
