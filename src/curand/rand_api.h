/* src/curand/rand_api.h - types and functions of cuRAND's host API, under the
 * names that programs are compiled with [CUDA13:curand]. They are the binary
 * interface: numbers and sizes are what counts. */
#ifndef CURAND_RAND_API_H
#define CURAND_RAND_API_H

#include <stddef.h>
#include <stdint.h>

#include "cuda/functions.h"

typedef enum curandStatus {
#define STATUS(id, code) CURAND_STATUS_##id = (code),
#include "curand/rand_status.def"
#undef STATUS
} curandStatus_t;

typedef enum curandRngType {
    CURAND_RNG_PSEUDO_DEFAULT = 100,
    CURAND_RNG_PSEUDO_XORWOW = 101,
    CURAND_RNG_PSEUDO_MRG32K3A = 121,
    CURAND_RNG_PSEUDO_MTGP32 = 141,
    CURAND_RNG_PSEUDO_MT19937 = 142,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
    CURAND_RNG_QUASI_DEFAULT = 200,
    CURAND_RNG_QUASI_SOBOL32 = 201,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
    CURAND_RNG_QUASI_SOBOL64 = 203,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
} curandRngType_t;

typedef enum curandOrdering {
    CURAND_ORDERING_PSEUDO_BEST = 100,
    CURAND_ORDERING_PSEUDO_DEFAULT = 101,
    CURAND_ORDERING_PSEUDO_SEEDED = 102,
    CURAND_ORDERING_PSEUDO_LEGACY = 103,
    CURAND_ORDERING_PSEUDO_DYNAMIC = 104,
    CURAND_ORDERING_QUASI_DEFAULT = 201
} curandOrdering_t;

typedef enum curandDirectionVectorSet {
    CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101,
    CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 = 102,
    CURAND_DIRECTION_VECTORS_64_JOEKUO6 = 103,
    CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 = 104
} curandDirectionVectorSet_t;

typedef uint32_t curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

typedef struct curandGenerator_st *curandGenerator_t;

/* ---- Distributions that kernels draw from (curand_discrete) ---- */

typedef enum curandMethod { CURAND_M2 = 5 } curandMethod_t;

typedef struct curandHistogramM2_st {
    double *V, *host_V;
    uint32_t *K, *host_K;
    uint32_t host_gen;
} curandHistogramM2_st;

typedef struct curandDistributionM2Shift_st {
    curandHistogramM2_st *histogram, *host_histogram;
    uint32_t shift, length, host_gen;
} curandDistributionM2Shift_st;

typedef struct curandDiscreteDistribution_st {
    struct curandDiscreteDistribution_st *self_host_ptr;
    curandDistributionM2Shift_st *M2, *host_M2;
    double stddev, mean;
    curandMethod_t method;
    uint32_t host_gen;
} * curandDiscreteDistribution_t;

/* ---- Functions ---- */

/* create.c */
EXPORT curandStatus_t curandCreateGenerator(curandGenerator_t *out,
                                            curandRngType_t type);
EXPORT curandStatus_t curandCreateGeneratorHost(curandGenerator_t *out,
                                                curandRngType_t type);
EXPORT curandStatus_t curandDestroyGenerator(curandGenerator_t g);
EXPORT curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream);
EXPORT curandStatus_t curandSetPseudoRandomGeneratorSeed(
    curandGenerator_t g, unsigned long long seed);
EXPORT curandStatus_t curandSetGeneratorOffset(curandGenerator_t g,
                                               unsigned long long offset);
EXPORT curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g,
                                                 curandOrdering_t order);
EXPORT curandStatus_t curandSetQuasiRandomGeneratorDimensions(
    curandGenerator_t g, unsigned dimensions);
EXPORT curandStatus_t curandGetVersion(int *out);
EXPORT curandStatus_t curandGetProperty(int what, int *out);

/* generate.c */
EXPORT curandStatus_t curandGenerateSeeds(curandGenerator_t g);
EXPORT curandStatus_t curandGenerate(curandGenerator_t g, unsigned *out,
                                     size_t count);
EXPORT curandStatus_t curandGenerateLongLong(curandGenerator_t g,
                                             unsigned long long *out,
                                             size_t count);
EXPORT curandStatus_t curandGenerateUniform(curandGenerator_t g, float *out,
                                            size_t count);
EXPORT curandStatus_t curandGenerateUniformDouble(curandGenerator_t g,
                                                  double *out, size_t count);
EXPORT curandStatus_t curandGenerateNormal(curandGenerator_t g, float *out,
                                           size_t count, float mean,
                                           float deviation);
EXPORT curandStatus_t curandGenerateNormalDouble(curandGenerator_t g,
                                                 double *out, size_t count,
                                                 double mean, double deviation);
EXPORT curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *out,
                                              size_t count, float mean,
                                              float deviation);
EXPORT curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g,
                                                    double *out, size_t count,
                                                    double mean,
                                                    double deviation);
EXPORT curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned *out,
                                            size_t count, double mean);
EXPORT curandStatus_t curandGeneratePoissonMethod(curandGenerator_t g,
                                                  unsigned *out, size_t count,
                                                  double mean, int method);

/* histogram.c */
EXPORT curandStatus_t
curandCreatePoissonDistribution(double mean, curandDiscreteDistribution_t *out);
EXPORT curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t d);

/* vectors.c */
EXPORT curandStatus_t curandGetDirectionVectors32(
    curandDirectionVectors32_t **out, curandDirectionVectorSet_t set);
EXPORT curandStatus_t curandGetDirectionVectors64(
    curandDirectionVectors64_t **out, curandDirectionVectorSet_t set);
EXPORT curandStatus_t curandGetScrambleConstants32(unsigned **out);
EXPORT curandStatus_t curandGetScrambleConstants64(unsigned long long **out);

#endif
