/* Words of generators, and numbers from them, by kernels. */
#include "cuda_library/code.h"
#include "curand/directions.h"
#include "curand/generator.h"
#include "curand/recurrence.h"
#include "curand/streams.h"

enum { BLOCK = 256, BLOCKS_MAX = 1024 };

extern library_code LIBRARY_CODE(curand, rand);

#define KERNEL(name)                                                           \
    static library_kernel name = {&LIBRARY_CODE(curand, rand),                 \
                                  "heddle_rand_" #name, NULL}
KERNEL(xorwow);
KERNEL(mrg32k3a);
KERNEL(mrg32k3a_wide);
KERNEL(philox);
KERNEL(mt19937);
KERNEL(sobol32);
KERNEL(sobol32_wide);
KERNEL(sobol64);
KERNEL(sobol64_narrow);
KERNEL(uniform);
KERNEL(uniform_double);
KERNEL(normal);
KERNEL(normal_double);
KERNEL(quasi_normal);
KERNEL(quasi_normal_double);
KERNEL(discrete);

/* Blocks for that many threads, of which each may have several times. */
static unsigned blocks(uint64_t threads)
{
    uint64_t count = (threads + BLOCK - 1) / BLOCK;

    return count < BLOCKS_MAX ? (unsigned)count : BLOCKS_MAX;
}

static cudaError_t launch(library_kernel *k, unsigned x, unsigned y,
                          void **args, cudaStream_t stream)
{
    return library_launch(k, (dim3){x, y, 1}, (dim3){BLOCK, 1, 1}, args,
                          stream);
}

/* ---- Words ---- */

static cudaError_t launch_streams(struct curandGenerator_st *g,
                                  library_kernel *k, void *out, uint64_t count)
{
    uint32_t streams = RAND_STREAMS;
    uint32_t turn = (uint32_t)(g->position % RAND_STREAMS);
    void *args[] = {&out, &count, &g->state, &streams, &turn};

    return launch(k, blocks(count < streams ? count : streams), 1, args,
                  g->stream);
}

static cudaError_t launch_philox(struct curandGenerator_st *g, void *out,
                                 uint64_t count)
{
    void *args[] = {&out, &count, &g->seed, &g->position};

    return launch(&philox, blocks(count / 4 + 2), 1, args, g->stream);
}

static cudaError_t launch_mt(struct curandGenerator_st *g, void *out,
                             uint64_t count)
{
    void *args[] = {&out, &count, &g->state, &g->used};
    cudaError_t code = launch(&mt19937, 1, 1, args, g->stream);

    g->used = (uint32_t)((g->used + count - 1) % RAND_MT_WORDS + 1);
    return code;
}

static cudaError_t launch_sobol(struct curandGenerator_st *g, void *out,
                                uint64_t points, bool wide)
{
    void *args[] = {&out,           &points,     &g->position,
                    &g->dimensions, &g->vectors, &g->constants};
    library_kernel *k = rand_is_sobol64(g) ? wide ? &sobol64 : &sobol64_narrow
                        : wide             ? &sobol32_wide
                                           : &sobol32;

    _Static_assert(RAND_DIMENSIONS_MAX < 1 << 16, "as many rows of blocks");
    return launch(k, blocks(points), g->dimensions, args, g->stream);
}

cudaError_t rand_words_device(struct curandGenerator_st *g, void *out,
                              uint64_t count, bool wide)
{
    uint64_t halves = wide ? 2 * count : count;

    switch (g->type) {
    case CURAND_RNG_PSEUDO_XORWOW:
        return launch_streams(g, &xorwow, out, halves);
    case CURAND_RNG_PSEUDO_MRG32K3A:
        return launch_streams(g, wide ? &mrg32k3a_wide : &mrg32k3a, out, count);
    case CURAND_RNG_PSEUDO_MT19937:
        return launch_mt(g, out, halves);
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
        return launch_philox(g, out, halves);
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
        return launch_sobol(g, out, count / g->dimensions, wide);
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_MTGP32:
    case CURAND_RNG_QUASI_DEFAULT:
        break; /* no generator is of these */
    }
    return cudaErrorUnknown;
}

/* ---- Numbers ---- */

static library_kernel *kernel_of(const rand_change *c)
{
    if (c->what == RAND_DISCRETE)
        return &discrete;
    if (c->what == RAND_UNIFORM)
        return c->wide ? &uniform_double : &uniform;
    if (c->quasi)
        return c->wide ? &quasi_normal_double : &quasi_normal;
    return c->wide ? &normal_double : &normal;
}

cudaError_t rand_change_device(const rand_change *c, void *at, uint64_t count,
                               cudaStream_t stream)
{
    bool pairs = c->what == RAND_NORMAL && !c->quasi;
    uint64_t times = pairs ? count / 2 : count;
    rand_change change = *c;
    void *args[] = {&at, &times, &change.kind,
                    c->what == RAND_DISCRETE ? (void *)&change.limits
                                             : (void *)&change.normal};

    return c->what == RAND_KEEP
               ? cudaSuccess
               : launch(kernel_of(c), blocks(times), 1, args, stream);
}
