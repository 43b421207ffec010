/* src/curand/generator.h - a generator, and what every call begins and ends
 * with. As in cuRAND, one generator is for one thread at a time. */
#ifndef CURAND_GENERATOR_H
#define CURAND_GENERATOR_H

#include <stdbool.h>

#include "curand/discrete.h"
#include "curand/rand_api.h"
#include "curand/results.h"

/* Memory that words are made from is the host's, or the device's. */
struct curandGenerator_st {
    uint32_t magic;
    curandRngType_t type; /* no DEFAULT */
    bool host;
    curandOrdering_t order;
    cudaStream_t stream;
    uint64_t seed, offset;
    unsigned dimensions;
    bool ready;                /* what follows fits to what is above */
    uint64_t position;         /* words taken, or points of each dimension */
    uint32_t *state;           /* streams, or of MT19937, or NULL */
    uint32_t used;             /* MT19937: words of the state that are taken */
    void *vectors, *constants; /* of Sobol sequences, or NULL */
    rand_table table;          /* of the last Poisson distribution */
    double mean;               /* its mean */
    uint64_t *limits;          /* table.limits, where words are made */
};

bool rand_is_quasi(const struct curandGenerator_st *g);
bool rand_is_sobol64(const struct curandGenerator_st *g);

/* ---- Calls ---- */

/* At the head of every function with a generator. */
#define RAND_CALL(g)                                                           \
    do {                                                                       \
        if (!rand_generator_good(__func__, g))                                 \
            return CURAND_STATUS_NOT_INITIALIZED;                              \
    } while (0)

/* False: it is none of curandCreateGenerator, reported. */
bool rand_generator_good(const char *function, curandGenerator_t g);

/* Returns `code`; with HEDDLE_LOG=1 function and printf-style sentence are on
 * stderr. */
curandStatus_t rand_fail(const char *function, curandStatus_t code,
                         const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns `code`, with a reason, unless `good`. */
#define RAND_NEED(good, code, ...)                                             \
    do {                                                                       \
        if (!(good))                                                           \
            return rand_fail(__func__, code, __VA_ARGS__);                     \
    } while (0)

/* What the library returns where the runtime returned `code`. */
curandStatus_t rand_status(const char *function, cudaError_t code);

/* ---- Where words are made (rand_memory.c) ---- */

/* `*at` of *size* bytes, with what is at `from`; what was there is freed.
 * `from` is the caller's again. */
cudaError_t rand_place(struct curandGenerator_st *g, void *at, size_t size,
                       const void *from);
void rand_unplace(struct curandGenerator_st *g, void *at);

/* ---- Words and numbers, on the host and on the device ---- */

/* `count` words at `out`, each in 64 bits if `wide`; count is a multiple of
 * the dimensions. The generator is ready. */
void rand_words_host(struct curandGenerator_st *g, void *out, uint64_t count,
                     bool wide);
cudaError_t rand_words_device(struct curandGenerator_st *g, void *out,
                              uint64_t count, bool wide);

/* What becomes of words in their place. */
typedef struct rand_change {
    enum { RAND_KEEP, RAND_UNIFORM, RAND_NORMAL, RAND_DISCRETE } what;
    bool wide;
    int kind;   /* of the words */
    bool quasi; /* each number from one word */
    rand_normal normal;
    rand_limits limits;
} rand_change;

void rand_change_host(const rand_change *c, void *at, uint64_t count);
cudaError_t rand_change_device(const rand_change *c, void *at, uint64_t count,
                               cudaStream_t stream);

#endif
