/* Numbers of all distributions: words are made first, then changed in their
 * place. */
#include <stdlib.h>

#include "curand/directions.h"
#include "curand/generator.h"
#include "curand/streams.h"

/* ---- The state ---- */

static cudaError_t place_streams(struct curandGenerator_st *g)
{
    size_t size = sizeof(uint32_t) * RAND_XORWOW_WORDS * RAND_STREAMS;
    uint32_t *words = malloc(size);
    cudaError_t code = cudaErrorMemoryAllocation;

    _Static_assert((int)RAND_XORWOW_WORDS == (int)RAND_MRG_WORDS, "one size");
    if (!words)
        return code;
    if (g->type == CURAND_RNG_PSEUDO_MRG32K3A) {
        rand_mrg_streams(g->seed, g->offset, words);
        code = rand_place(g, &g->state, size, words);
    } else if (rand_xorwow_streams(g->seed, g->offset,
                                   g->order == CURAND_ORDERING_PSEUDO_SEEDED,
                                   words)) {
        code = rand_place(g, &g->state, size, words);
    }
    free(words);
    return code;
}

static cudaError_t place_mt(struct curandGenerator_st *g)
{
    uint32_t words[RAND_MT_WORDS];

    rand_mt_seed(g->seed, words);
    g->used = RAND_MT_WORDS;
    return rand_place(g, &g->state, sizeof words, words);
}

/* Direction vectors and what each dimension is scrambled with, of `width` bits
 * each. */
static cudaError_t place_vectors(struct curandGenerator_st *g, unsigned width)
{
    bool scrambled = g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 ||
                     g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
    size_t size = (size_t)width / 8 * g->dimensions;
    void *vectors = malloc(width * size), *constants = calloc(1, size);
    cudaError_t code = cudaErrorMemoryAllocation;

    if (!vectors || !constants)
        goto done;
    if (width == 32)
        rand_directions32(g->dimensions, scrambled, vectors);
    else
        rand_directions64(g->dimensions, scrambled, vectors);
    for (unsigned d = 0; scrambled && d < g->dimensions; d++)
        if (width == 32)
            ((uint32_t *)constants)[d] = (uint32_t)rand_scramble_constant(d);
        else
            ((uint64_t *)constants)[d] = rand_scramble_constant(d);
    code = rand_place(g, &g->vectors, width * size, vectors);
    if (code == cudaSuccess)
        code = rand_place(g, &g->constants, size, constants);
done:
    free(vectors);
    free(constants);
    return code;
}

static cudaError_t make_ready(struct curandGenerator_st *g)
{
    cudaError_t code = cudaSuccess;

    if (g->ready)
        return cudaSuccess;
    if (rand_is_quasi(g))
        code = place_vectors(g, rand_is_sobol64(g) ? 64 : 32);
    else if (g->type == CURAND_RNG_PSEUDO_MT19937)
        code = place_mt(g);
    else if (g->type != CURAND_RNG_PSEUDO_PHILOX4_32_10)
        code = place_streams(g);
    g->position = g->offset;
    g->ready = code == cudaSuccess;
    return code;
}

EXPORT curandStatus_t curandGenerateSeeds(curandGenerator_t g)
{
    RAND_CALL(g);
    return rand_status(__func__, make_ready(g));
}

/* ---- Words and what becomes of them ---- */

static int kind_of(const struct curandGenerator_st *g, const rand_change *c)
{
    if (g->type == CURAND_RNG_PSEUDO_MRG32K3A)
        return RAND_WORD_MRG;
    if (!rand_is_quasi(g))
        return RAND_WORD_BITS;
    if (c->wide)
        return rand_is_sobol64(g) ? RAND_WORD_BITS : RAND_WORD_HALF;
    return c->what == RAND_NORMAL ? RAND_WORD_HALF : RAND_WORD_BITS;
}

static uint64_t taken(const struct curandGenerator_st *g, uint64_t count,
                      bool wide)
{
    if (rand_is_quasi(g))
        return count / g->dimensions;
    return wide && g->type != CURAND_RNG_PSEUDO_MRG32K3A ? 2 * count : count;
}

static curandStatus_t generate(const char *function,
                               struct curandGenerator_st *g, void *out,
                               size_t count, rand_change change)
{
    cudaError_t code, before = g->host ? cudaSuccess : cudaPeekAtLastError();

    if (count % g->dimensions)
        return rand_fail(function, CURAND_STATUS_LENGTH_NOT_MULTIPLE,
                         "%zu numbers are no multiple of %u dimensions", count,
                         g->dimensions);
    change.quasi = rand_is_quasi(g);
    if (change.what == RAND_NORMAL && !change.quasi && count % 2)
        return rand_fail(function, CURAND_STATUS_LENGTH_NOT_MULTIPLE,
                         "normal numbers come in pairs: %zu is odd", count);
    if (!count)
        return CURAND_STATUS_SUCCESS;
    change.kind = kind_of(g, &change);
    code = make_ready(g);
    if (code == cudaSuccess && g->host) {
        rand_words_host(g, out, count, change.wide);
        rand_change_host(&change, out, count);
    } else if (code == cudaSuccess) {
        code = rand_words_device(g, out, count, change.wide);
        if (code == cudaSuccess)
            code = rand_change_device(&change, out, count, g->stream);
    }
    if (code != cudaSuccess && code == before)
        return rand_fail(function, CURAND_STATUS_PREEXISTING_FAILURE,
                         "the device has failed before: %s",
                         cudaGetErrorString(code));
    g->position += taken(g, count, change.wide);
    return rand_status(function, code);
}

EXPORT curandStatus_t curandGenerate(curandGenerator_t g, unsigned *out,
                                     size_t count)
{
    RAND_CALL(g);
    RAND_NEED(!rand_is_sobol64(g), CURAND_STATUS_TYPE_ERROR,
              "numbers of 64-bit generators: use curandGenerateLongLong");
    return generate(__func__, g, out, count, (rand_change){.what = RAND_KEEP});
}

EXPORT curandStatus_t curandGenerateLongLong(curandGenerator_t g,
                                             unsigned long long *out,
                                             size_t count)
{
    RAND_CALL(g);
    RAND_NEED(rand_is_sobol64(g), CURAND_STATUS_TYPE_ERROR,
              "only the generators SOBOL64 have 64 bits");
    return generate(__func__, g, out, count,
                    (rand_change){.what = RAND_KEEP, .wide = true});
}

EXPORT curandStatus_t curandGenerateUniform(curandGenerator_t g, float *out,
                                            size_t count)
{
    RAND_CALL(g);
    return generate(__func__, g, out, count,
                    (rand_change){.what = RAND_UNIFORM});
}

EXPORT curandStatus_t curandGenerateUniformDouble(curandGenerator_t g,
                                                  double *out, size_t count)
{
    RAND_CALL(g);
    return generate(__func__, g, out, count,
                    (rand_change){.what = RAND_UNIFORM, .wide = true});
}

static rand_change normal_change(double mean, double deviation, bool log,
                                 bool wide)
{
    return (rand_change){
        .what = RAND_NORMAL, .wide = wide, .normal = {mean, deviation, log}};
}

EXPORT curandStatus_t curandGenerateNormal(curandGenerator_t g, float *out,
                                           size_t count, float mean,
                                           float deviation)
{
    RAND_CALL(g);
    return generate(__func__, g, out, count,
                    normal_change(mean, deviation, false, false));
}

EXPORT curandStatus_t curandGenerateNormalDouble(curandGenerator_t g,
                                                 double *out, size_t count,
                                                 double mean, double deviation)
{
    RAND_CALL(g);
    return generate(__func__, g, out, count,
                    normal_change(mean, deviation, false, true));
}

EXPORT curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *out,
                                              size_t count, float mean,
                                              float deviation)
{
    RAND_CALL(g);
    return generate(__func__, g, out, count,
                    normal_change(mean, deviation, true, false));
}

EXPORT curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g,
                                                    double *out, size_t count,
                                                    double mean,
                                                    double deviation)
{
    RAND_CALL(g);
    return generate(__func__, g, out, count,
                    normal_change(mean, deviation, true, true));
}

/* ---- Poisson ---- */

static cudaError_t place_table(struct curandGenerator_st *g, double mean)
{
    rand_table table;
    cudaError_t code;

    if (g->table.count && g->mean == mean)
        return cudaSuccess;
    if (!rand_table_poisson(mean, &table))
        return cudaErrorMemoryAllocation;
    code = rand_place(g, &g->limits, table.count * sizeof *table.limits,
                      table.limits);
    rand_table_free(&g->table);
    if (code != cudaSuccess) {
        rand_table_free(&table);
        return code;
    }
    g->table = table;
    g->mean = mean;
    return cudaSuccess;
}

static curandStatus_t poisson(const char *function, curandGenerator_t g,
                              unsigned *out, size_t count, double mean)
{
    cudaError_t code;

    if (!(mean > 0 && mean <= RAND_POISSON_MAX))
        return rand_fail(function, CURAND_STATUS_OUT_OF_RANGE,
                         "a mean of %g: above 0 and up to %d are there", mean,
                         RAND_POISSON_MAX);
    if ((code = place_table(g, mean)) != cudaSuccess)
        return rand_status(function, code);
    return generate(function, g, out, count,
                    (rand_change){.what = RAND_DISCRETE,
                                  .limits = {(const rand_u64 *)g->limits,
                                             g->table.count, g->table.first}});
}

EXPORT curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned *out,
                                            size_t count, double mean)
{
    RAND_CALL(g);
    return poisson(__func__, g, out, count, mean);
}

/* All methods give the same distribution. */
EXPORT curandStatus_t curandGeneratePoissonMethod(curandGenerator_t g,
                                                  unsigned *out, size_t count,
                                                  double mean, int method)
{
    (void)method;
    RAND_CALL(g);
    return poisson(__func__, g, out, count, mean);
}
