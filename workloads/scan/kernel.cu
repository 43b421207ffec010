/* Exclusive prefix sum of 32-bit integers in three launches: scan_blocks on
 * chunks of 256, scan_blocks on their sums, add_sums. At most 65,536 items. */
#include "../cuda_lite.h"

extern "C" __global__ void scan_blocks(const unsigned *in, unsigned *out,
                                       unsigned *sums, unsigned n)
{
    __shared__ unsigned warp_sum[8];
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;
    unsigned own = i < n ? in[i] : 0, sum = own;

    for (unsigned d = 1; d < 32; d *= 2) {
        unsigned left = __shfl_up_sync(~0u, sum, d);
        if (t % 32 >= d)
            sum += left;
    }
    if (t % 32 == 31)
        warp_sum[t / 32] = sum;
    __syncthreads();
    for (unsigned w = 0; w < t / 32; w++)
        sum += warp_sum[w];
    if (i < n)
        out[i] = sum - own;
    if (t == 255)
        sums[blockIdx.x] = sum;
}

extern "C" __global__ void add_sums(unsigned *out, const unsigned *sums,
                                    unsigned n)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x;

    if (i < n)
        out[i] += sums[blockIdx.x];
}
