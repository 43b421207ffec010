/* Estimates pi: each thread draws `draws` points of the unit square with its
 * own 64-bit generator and counts those in the quarter circle, in double
 * precision. 26-bit coordinates make the test exact. */
#include "../cuda_lite.h"

extern "C" __global__ void montecarlo(unsigned long long *total, unsigned *hits,
                                      unsigned n, unsigned draws)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    unsigned long long state = (i + 1) * 0x9e3779b97f4a7c15ull;
    unsigned count = 0;
    for (unsigned d = 0; d < draws; d++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        double x = (double)(state & 0x3ffffff) / 67108864.0;
        double y = (double)(state >> 38) / 67108864.0;
        if (x * x + y * y < 1.0)
            count++;
    }
    hits[i] = count;
    atomicAdd(total, (unsigned long long)count);
}
