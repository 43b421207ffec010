/* Direction vectors and scramble constants that programs give to their own
 * kernels. They are made at the first call and stay. */
#include <pthread.h>
#include <stdlib.h>

#include "curand/directions.h"
#include "curand/generator.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *vectors[4], *constants[2]; /* by set, by width */

static void fill_vectors(void *out, int set)
{
    bool scrambled = set % 2;

    if (set < 2)
        rand_directions32(RAND_DIMENSIONS_MAX, scrambled, out);
    else
        rand_directions64(RAND_DIMENSIONS_MAX, scrambled, out);
}

static void fill_constants(void *out, int wide)
{
    for (unsigned d = 0; d < RAND_DIMENSIONS_MAX; d++)
        if (wide)
            ((uint64_t *)out)[d] = rand_scramble_constant(d);
        else
            ((uint32_t *)out)[d] = (uint32_t)rand_scramble_constant(d);
}

/* The table at *slot, of `size` bytes; NULL if memory runs out. */
static void *table(void **slot, size_t size, void (*fill)(void *out, int which),
                   int which)
{
    pthread_mutex_lock(&lock);
    if (!*slot && (*slot = malloc(size)))
        fill(*slot, which);
    void *found = *slot;
    pthread_mutex_unlock(&lock);
    return found;
}

static curandStatus_t give_vectors(const char *function, void *out,
                                   curandDirectionVectorSet_t set, bool wide)
{
    int which = (int)set - CURAND_DIRECTION_VECTORS_32_JOEKUO6;
    size_t size = (wide ? 64 * sizeof(uint64_t) : 32 * sizeof(uint32_t)) *
                  RAND_DIMENSIONS_MAX;

    if (!out || which / 2 != wide || which < 0)
        return rand_fail(function, CURAND_STATUS_OUT_OF_RANGE,
                         "%d is no set of direction vectors of %d bits",
                         (int)set, wide ? 64 : 32);
    *(void **)out = table(&vectors[which], size, fill_vectors, which);
    return *(void **)out ? CURAND_STATUS_SUCCESS
                         : rand_fail(function, CURAND_STATUS_ALLOCATION_FAILED,
                                     "no memory");
}

static curandStatus_t give_constants(const char *function, void *out, bool wide)
{
    size_t size =
        (wide ? sizeof(uint64_t) : sizeof(uint32_t)) * RAND_DIMENSIONS_MAX;

    if (!out)
        return rand_fail(function, CURAND_STATUS_OUT_OF_RANGE,
                         "no place for the constants");
    *(void **)out = table(&constants[wide], size, fill_constants, wide);
    return *(void **)out ? CURAND_STATUS_SUCCESS
                         : rand_fail(function, CURAND_STATUS_ALLOCATION_FAILED,
                                     "no memory");
}

EXPORT curandStatus_t curandGetDirectionVectors32(
    curandDirectionVectors32_t **out, curandDirectionVectorSet_t set)
{
    return give_vectors(__func__, out, set, false);
}

EXPORT curandStatus_t curandGetDirectionVectors64(
    curandDirectionVectors64_t **out, curandDirectionVectorSet_t set)
{
    return give_vectors(__func__, out, set, true);
}

EXPORT curandStatus_t curandGetScrambleConstants32(unsigned **out)
{
    return give_constants(__func__, out, false);
}

EXPORT curandStatus_t curandGetScrambleConstants64(unsigned long long **out)
{
    return give_constants(__func__, out, true);
}
