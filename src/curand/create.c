/* Generators and their options. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "curand/directions.h"
#include "curand/generator.h"

enum { MAGIC = 0x646e6172 };

/* ---- Calls ---- */

static const char *status_name(curandStatus_t code)
{
    switch (code) {
#define STATUS(id, number)                                                     \
    case CURAND_STATUS_##id:                                                   \
        return "CURAND_STATUS_" #id;
#include "curand/rand_status.def"
#undef STATUS
    }
    return "an unknown status";
}

curandStatus_t rand_fail(const char *function, curandStatus_t code,
                         const char *fmt, ...)
{
    const char *log = getenv("HEDDLE_LOG");
    char reason[256];
    va_list ap;

    if (!log || strcmp(log, "1") != 0)
        return code;
    va_start(ap, fmt);
    vsnprintf(reason, sizeof reason, fmt, ap);
    va_end(ap);
    fprintf(stderr, "heddle: %s: %s: %s\n", function, status_name(code),
            reason);
    return code;
}

bool rand_generator_good(const char *function, curandGenerator_t g)
{
    if (g && g->magic == MAGIC)
        return true;
    rand_fail(function, CURAND_STATUS_NOT_INITIALIZED,
              "the generator is none of curandCreateGenerator");
    return false;
}

curandStatus_t rand_status(const char *function, cudaError_t code)
{
    if (code == cudaSuccess)
        return CURAND_STATUS_SUCCESS;
    return rand_fail(function,
                     code == cudaErrorMemoryAllocation
                         ? CURAND_STATUS_ALLOCATION_FAILED
                         : CURAND_STATUS_LAUNCH_FAILURE,
                     "%s", cudaGetErrorString(code));
}

/* ---- Generators ---- */

bool rand_is_quasi(const struct curandGenerator_st *g)
{
    return g->type >= CURAND_RNG_QUASI_DEFAULT;
}

bool rand_is_sobol64(const struct curandGenerator_st *g)
{
    return g->type == CURAND_RNG_QUASI_SOBOL64 ||
           g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}

static bool type_good(curandRngType_t type)
{
    switch (type) {
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
        return true;
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_PSEUDO_MTGP32:
        break;
    }
    return false;
}

static curandStatus_t create(const char *function, curandGenerator_t *out,
                             curandRngType_t type, bool host)
{
    curandGenerator_t g;

    if (!out)
        return rand_fail(function, CURAND_STATUS_NOT_INITIALIZED,
                         "no place for the generator");
    if (type == CURAND_RNG_PSEUDO_DEFAULT)
        type = CURAND_RNG_PSEUDO_XORWOW;
    if (type == CURAND_RNG_QUASI_DEFAULT)
        type = CURAND_RNG_QUASI_SOBOL32;
    if (type == CURAND_RNG_PSEUDO_MTGP32)
        fputs("heddle: Heddle's cuRAND has no MTGP32, whose parameters are the "
              "vendor's: use CURAND_RNG_PSEUDO_MT19937 or another generator\n",
              stderr);
    if (!type_good(type))
        return rand_fail(function, CURAND_STATUS_TYPE_ERROR,
                         "there is no generator of type %d", (int)type);
    if (!host && cudaFree(NULL) != cudaSuccess)
        return rand_fail(function, CURAND_STATUS_INITIALIZATION_FAILED,
                         "there is no device");
    if (!(g = calloc(1, sizeof *g)))
        return rand_fail(function, CURAND_STATUS_ALLOCATION_FAILED,
                         "no memory");
    g->magic = MAGIC;
    g->type = type;
    g->host = host;
    g->dimensions = 1;
    g->order = type >= CURAND_RNG_QUASI_DEFAULT
                   ? CURAND_ORDERING_QUASI_DEFAULT
                   : CURAND_ORDERING_PSEUDO_DEFAULT;
    *out = g;
    return CURAND_STATUS_SUCCESS;
}

EXPORT curandStatus_t curandCreateGenerator(curandGenerator_t *out,
                                            curandRngType_t type)
{
    return create(__func__, out, type, false);
}

EXPORT curandStatus_t curandCreateGeneratorHost(curandGenerator_t *out,
                                                curandRngType_t type)
{
    return create(__func__, out, type, true);
}

EXPORT curandStatus_t curandDestroyGenerator(curandGenerator_t g)
{
    RAND_CALL(g);
    rand_unplace(g, &g->state);
    rand_unplace(g, &g->vectors);
    rand_unplace(g, &g->constants);
    rand_unplace(g, &g->limits);
    rand_table_free(&g->table);
    g->magic = 0;
    free(g);
    return CURAND_STATUS_SUCCESS;
}

/* ---- Options ---- */

EXPORT curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream)
{
    RAND_CALL(g);
    g->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

EXPORT curandStatus_t
curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed)
{
    RAND_CALL(g);
    RAND_NEED(!rand_is_quasi(g), CURAND_STATUS_TYPE_ERROR,
              "quasirandom generators have no seed");
    g->seed = seed;
    g->ready = false;
    return CURAND_STATUS_SUCCESS;
}

EXPORT curandStatus_t curandSetGeneratorOffset(curandGenerator_t g,
                                               unsigned long long offset)
{
    RAND_CALL(g);
    RAND_NEED(g->type != CURAND_RNG_PSEUDO_MT19937, CURAND_STATUS_TYPE_ERROR,
              "MT19937 cannot skip");
    g->offset = offset;
    g->ready = false;
    return CURAND_STATUS_SUCCESS;
}

EXPORT curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g,
                                                 curandOrdering_t order)
{
    RAND_CALL(g);
    bool good = rand_is_quasi(g) ? order == CURAND_ORDERING_QUASI_DEFAULT
                                 : order >= CURAND_ORDERING_PSEUDO_BEST &&
                                       order <= CURAND_ORDERING_PSEUDO_DYNAMIC;
    RAND_NEED(good, CURAND_STATUS_OUT_OF_RANGE,
              "%d is no ordering of this generator", (int)order);
    RAND_NEED(order != CURAND_ORDERING_PSEUDO_SEEDED ||
                  g->type == CURAND_RNG_PSEUDO_XORWOW,
              CURAND_STATUS_OUT_OF_RANGE,
              "only XORWOW has the ordering CURAND_ORDERING_PSEUDO_SEEDED");
    g->order = order;
    g->ready = false;
    return CURAND_STATUS_SUCCESS;
}

EXPORT curandStatus_t curandSetQuasiRandomGeneratorDimensions(
    curandGenerator_t g, unsigned dimensions)
{
    RAND_CALL(g);
    RAND_NEED(rand_is_quasi(g), CURAND_STATUS_TYPE_ERROR,
              "pseudorandom generators have no dimensions");
    RAND_NEED(dimensions >= 1 && dimensions <= RAND_DIMENSIONS_MAX,
              CURAND_STATUS_OUT_OF_RANGE, "%u dimensions: 1 to %d are there",
              dimensions, RAND_DIMENSIONS_MAX);
    g->dimensions = dimensions;
    g->ready = false;
    return CURAND_STATUS_SUCCESS;
}

/* ---- Versions ---- */

enum { MAJOR = 10, MINOR = 4, PATCH = 0 }; /* of the interface */

EXPORT curandStatus_t curandGetVersion(int *out)
{
    RAND_NEED(out, CURAND_STATUS_OUT_OF_RANGE, "no place for the version");
    *out = MAJOR * 1000 + MINOR * 100 + PATCH;
    return CURAND_STATUS_SUCCESS;
}

/* `what` is 0, 1, 2 for the parts of the version. */
EXPORT curandStatus_t curandGetProperty(int what, int *out)
{
    static const int parts[] = {MAJOR, MINOR, PATCH};

    RAND_NEED(out, CURAND_STATUS_OUT_OF_RANGE, "no place for the version");
    RAND_NEED(what >= 0 && what <= 2, CURAND_STATUS_OUT_OF_RANGE,
              "there is no property %d", what);
    *out = parts[what];
    return CURAND_STATUS_SUCCESS;
}
