/* Kernels of cuRAND's host API: words of generators, and numbers of
 * distributions in their place. Every kernel does what words_host.c does on
 * the host. ptxcc: -ffp-contract=off -I src */
#include "curand/recurrence.h"
#include "curand/results.h"

#define KERNEL extern "C" __global__ void

typedef unsigned word;
typedef unsigned long long word64;

__device__ __forceinline__ word64 thread()
{
    return (word64)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ word64 threads()
{
    return (word64)gridDim.x * blockDim.x;
}

/* ---- Generators ---- */

/* A thread is a stream, the first one that whose turn it is. The states go
 * on. */
template <typename state, int words, word (*next)(state *), typename out_word>
__device__ __forceinline__ void
stream_words(out_word *out, word64 count, word *states, word streams, word turn)
{
    word64 i = thread();
    word stream = (word)(i + turn) % streams;

    if (i >= streams || i >= count)
        return;
    state s;
    for (int k = 0; k < words; k++)
        s.x[k] = states[k * streams + stream];
    for (; i < count; i += streams)
        out[i] = next(&s);
    for (int k = 0; k < words; k++)
        states[k * streams + stream] = s.x[k];
}

KERNEL heddle_rand_xorwow(word *out, word64 count, word *states, word streams,
                          word turn)
{
    stream_words<rand_xorwow, RAND_XORWOW_WORDS, rand_xorwow_next>(
        out, count, states, streams, turn);
}

KERNEL heddle_rand_mrg32k3a(word *out, word64 count, word *states, word streams,
                            word turn)
{
    stream_words<rand_mrg, RAND_MRG_WORDS, rand_mrg_next>(out, count, states,
                                                          streams, turn);
}

KERNEL heddle_rand_mrg32k3a_wide(word64 *out, word64 count, word *states,
                                 word streams, word turn)
{
    stream_words<rand_mrg, RAND_MRG_WORDS, rand_mrg_next>(out, count, states,
                                                          streams, turn);
}

/* A thread makes four words at a time, of counter `first` / 4 on. */
KERNEL heddle_rand_philox(word *out, word64 count, word64 seed, word64 first)
{
    word64 end = first + count;

    for (word64 block = first / 4 + thread(); block * 4 < end;
         block += threads()) {
        word x[4] = {(word)block, (word)(block >> 32), 0, 0};
        rand_philox(x, (word)seed, (word)(seed >> 32));
        for (int k = 0; k < 4; k++)
            if (block * 4 + k >= first && block * 4 + k < end)
                out[block * 4 + k - first] = x[k];
    }
}

/* One block: 227 words can be made at once, as each needs the one 227 before
 * it. `used` of the state's words are taken. */
KERNEL heddle_rand_mt19937(word *out, word64 count, word *state, word used)
{
    __shared__ word x[RAND_MT_WORDS];
    const word at = threadIdx.x, step = RAND_MT_WORDS - RAND_MT_MIDDLE;

    for (word k = at; k < RAND_MT_WORDS; k += blockDim.x)
        x[k] = state[k];
    __syncthreads();
    for (word64 done = 0; done < count;) {
        if (used == RAND_MT_WORDS) {
            for (word base = 0; base < RAND_MT_WORDS; base += step) {
                word k = base + at, made = 0;
                bool mine = at < step && k < RAND_MT_WORDS;
                if (mine)
                    made =
                        rand_mt_twist(x[k], x[(k + 1) % RAND_MT_WORDS],
                                      x[(k + RAND_MT_MIDDLE) % RAND_MT_WORDS]);
                __syncthreads();
                if (mine)
                    x[k] = made;
                __syncthreads();
            }
            used = 0;
        }
        word take = RAND_MT_WORDS - used;
        if (take > count - done)
            take = (word)(count - done);
        for (word k = at; k < take; k += blockDim.x)
            out[done + k] = rand_mt_temper(x[used + k]);
        used += take;
        done += take;
    }
    for (word k = at; k < RAND_MT_WORDS; k += blockDim.x)
        state[k] = x[k];
}

/* `count` points of each dimension, one dimension after the other, of point
 * `first` on. */
template <typename vector, typename out_word>
__device__ __forceinline__ void
sobol_words(out_word *out, word64 count, word64 first, word dimensions,
            const vector *vectors, const vector *constants, int shift)
{
    const int bits = 8 * sizeof(vector);

    for (word d = blockIdx.y; d < dimensions; d += gridDim.y) {
        const vector *v = vectors + (word64)bits * d;
        for (word64 i = thread(); i < count; i += threads()) {
            vector x = sizeof(vector) == 4
                           ? rand_sobol32(first + i, (const rand_u32 *)v)
                           : rand_sobol64(first + i, (const rand_u64 *)v);
            out[d * count + i] = (out_word)((x ^ constants[d]) >> shift);
        }
    }
}

KERNEL heddle_rand_sobol32(word *out, word64 count, word64 first,
                           word dimensions, const word *vectors,
                           const word *constants)
{
    sobol_words(out, count, first, dimensions, vectors, constants, 0);
}

KERNEL heddle_rand_sobol32_wide(word64 *out, word64 count, word64 first,
                                word dimensions, const word *vectors,
                                const word *constants)
{
    sobol_words(out, count, first, dimensions, vectors, constants, 0);
}

KERNEL heddle_rand_sobol64(word64 *out, word64 count, word64 first,
                           word dimensions, const word64 *vectors,
                           const word64 *constants)
{
    sobol_words(out, count, first, dimensions, vectors, constants, 0);
}

/* The upper halves. */
KERNEL heddle_rand_sobol64_narrow(word *out, word64 count, word64 first,
                                  word dimensions, const word64 *vectors,
                                  const word64 *constants)
{
    sobol_words(out, count, first, dimensions, vectors, constants, 32);
}

/* ---- Distributions: numbers in the place of words ---- */

KERNEL heddle_rand_uniform(word *at, word64 count, int kind)
{
    for (word64 i = thread(); i < count; i += threads())
        rand_put_uniform(at + i, kind);
}

KERNEL heddle_rand_uniform_double(word64 *at, word64 count, int kind)
{
    for (word64 i = thread(); i < count; i += threads())
        rand_put_uniform_double(at + i, kind);
}

KERNEL heddle_rand_normal(word *at, word64 pairs, int kind, rand_normal normal)
{
    for (word64 i = thread(); i < pairs; i += threads())
        rand_put_normals(at + 2 * i, kind, &normal);
}

KERNEL heddle_rand_normal_double(word64 *at, word64 pairs, int kind,
                                 rand_normal normal)
{
    for (word64 i = thread(); i < pairs; i += threads())
        rand_put_normals_double(at + 2 * i, kind, &normal);
}

KERNEL heddle_rand_quasi_normal(word *at, word64 count, int kind,
                                rand_normal normal)
{
    for (word64 i = thread(); i < count; i += threads())
        rand_put_normal(at + i, kind, &normal);
}

KERNEL heddle_rand_quasi_normal_double(word64 *at, word64 count, int kind,
                                       rand_normal normal)
{
    for (word64 i = thread(); i < count; i += threads())
        rand_put_normal_double(at + i, kind, &normal);
}

KERNEL heddle_rand_discrete(word *at, word64 count, int kind,
                            rand_limits limits)
{
    for (word64 i = thread(); i < count; i += threads())
        rand_put_discrete(at + i, kind, &limits);
}
