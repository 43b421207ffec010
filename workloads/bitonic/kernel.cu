/* Bitonic sort of 2^k keys, 512 or more. bitonic_local sorts chunks of 512 in
 * shared memory, in alternating directions; for every longer run length `k`
 * bitonic_global compares at distances >= 512 and bitonic_merge finishes the
 * distances below. Each thread compares one pair. */
#include "../cuda_lite.h"

static __device__ __forceinline__ void order(unsigned *a, unsigned *b, bool up)
{
    unsigned x = *a, y = *b;

    if ((x > y) == up) {
        *a = y;
        *b = x;
    }
}

/* The chunk's keys, compared at distances j, j/2, ... 1 for run length k. */
static __device__ __forceinline__ void
merge(unsigned *key, unsigned t, unsigned first, unsigned k, unsigned j)
{
    for (; j; j /= 2) {
        unsigned i = 2 * t - (t & (j - 1));
        __syncthreads();
        order(&key[i], &key[i + j], ((first + i) & k) == 0);
    }
}

extern "C" __global__ void bitonic_local(unsigned *data)
{
    __shared__ unsigned key[512];
    unsigned t = threadIdx.x, first = blockIdx.x * 512;

    key[t] = data[first + t];
    key[t + 256] = data[first + t + 256];
    for (unsigned k = 2; k <= 512; k *= 2)
        merge(key, t, first, k, k / 2);
    __syncthreads();
    data[first + t] = key[t];
    data[first + t + 256] = key[t + 256];
}

extern "C" __global__ void bitonic_global(unsigned *data, unsigned k,
                                          unsigned j)
{
    unsigned t = blockIdx.x * 256 + threadIdx.x;
    unsigned i = 2 * t - (t & (j - 1));

    order(&data[i], &data[i + j], (i & k) == 0);
}

extern "C" __global__ void bitonic_merge(unsigned *data, unsigned k)
{
    __shared__ unsigned key[512];
    unsigned t = threadIdx.x, first = blockIdx.x * 512;

    key[t] = data[first + t];
    key[t + 256] = data[first + t + 256];
    merge(key, t, first, k, 256);
    __syncthreads();
    data[first + t] = key[t];
    data[first + t + 256] = key[t + 256];
}
