/* Each thread follows links from its own start; each load needs the last. */
#include "../cuda_lite.h"

extern "C" __global__ void chase(const unsigned *next, unsigned *end,
                                 unsigned apart, unsigned steps)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = i * apart;

    while (steps--)
        at = next[at];
    end[i] = at;
}
