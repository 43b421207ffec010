/* Kernels of which groups of unequal size, need and duration are mixed; see
 * kernel.cl. */
#include "../cuda_lite.h"

#define POTENTIAL(name, room, each)                                            \
    extern "C" __global__ void name(const float4 *charge,                      \
                                    const unsigned *count, float *v,           \
                                    unsigned first_group, unsigned first_item) \
    {                                                                          \
        __shared__ float4 tile[room];                                          \
        unsigned own = threadIdx.x;                                            \
        unsigned i = first_item + blockIdx.x * blockDim.x + own;               \
        unsigned n = count[first_group + blockIdx.x];                          \
        float x = 0.5f * (i & 31), y = 0.5f * (i >> 5 & 31);                   \
        float z = 0.5f * (i >> 10), sum = 0;                                   \
                                                                               \
        for (unsigned from = 0; from < n; from += room) {                      \
            unsigned here = n - from < room ? n - from : room;                 \
                                                                               \
            for (unsigned k = own; k < here; k += blockDim.x)                  \
                tile[k] = charge[from + k];                                    \
            __syncthreads();                                                   \
            for (unsigned k = 0; k < here; k += 4)                             \
                _Pragma("unroll") for (unsigned m = 0; m < 4; m++)             \
                {                                                              \
                    float4 c = tile[k + m];                                    \
                    float dx = c.x - x, dy = c.y - y, dz = c.z - z;            \
                    float yz = dy * dy + dz * dz;                              \
                                                                               \
                    _Pragma("unroll") for (unsigned p = 0; p < each; p++)      \
                    {                                                          \
                        float d = dx - 0.125f * p;                             \
                                                                               \
                        sum += c.w * rsqrtf(d * d + yz);                       \
                    }                                                          \
                }                                                              \
            __syncthreads();                                                   \
        }                                                                      \
        v[i] = sum / each;                                                     \
    }

POTENTIAL(potential, 64, 1)
POTENTIAL(potential_mid, 256, 2)
POTENTIAL(potential_wide, 768, 4)

extern "C" __global__ void multiply(const float *a, const float *b, float *c,
                                    unsigned first)
{
    __shared__ float ta[16][16], tb[16][16];
    unsigned own = threadIdx.x, row = own / 16, column = own % 16;
    unsigned tile = first + blockIdx.x;
    float sum = 0;

    for (unsigned from = 0; from < 64; from += 16) {
        ta[row][column] = a[(tile * 16 + row) * 64 + from + column];
        tb[row][column] = b[(from + row) * 16 + column];
        __syncthreads();
        for (unsigned k = 0; k < 16; k++)
            sum += ta[row][k] * tb[k][column];
        __syncthreads();
    }
    c[tile * 256 + own] = sum;
}

extern "C" __global__ void add(const float *x, const float *y, float *z,
                               unsigned first)
{
    unsigned i = (first + blockIdx.x) * 1024 + threadIdx.x;

    for (unsigned k = 0; k < 8; k++, i += 128)
        z[i] = x[i] + y[i];
}

extern "C" __global__ void follow(const unsigned *next, unsigned *end,
                                  unsigned first, unsigned steps)
{
    unsigned i = first * 32 + blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = i & 16383;

    while (steps--)
        at = next[at];
    end[i] = at;
}
