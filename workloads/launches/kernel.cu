#include "../cuda_lite.h"

extern "C" __global__ void step_once(unsigned *x, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    x[i] = x[i] * 1664525u + k;
}
