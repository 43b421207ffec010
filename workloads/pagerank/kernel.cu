/* One step of page rank: each thread gathers the rank of the vertices that link
 * to its own, each divided among that vertex's links. */
#include "../cuda_lite.h"

extern "C" __global__ void gather(const unsigned *start, const unsigned *from,
                                  const float *share, const float *rank,
                                  float *next, unsigned n)
{
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v >= n)
        return;
    float sum = 0;
    for (unsigned i = start[v]; i < start[v + 1]; i++)
        sum += rank[from[i]] * share[from[i]];
    next[v] = 0.125f + 0.875f * sum;
}
