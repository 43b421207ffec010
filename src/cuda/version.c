/* Which versions the driver stands for. */
#include "cuda/door.h"
#include "cuda/generation.h"

/* As the macros of the interface have it: 13000 is 13.0. */
static int version_of(cu_generation g) { return (int)g * 1000; }

EXPORT cudaError_t cudaRuntimeGetVersion(int *out)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = version_of(cu_program_generation());
    return cudaSuccess;
}

/* The newest interface: programs of older ones run on newer drivers. */
EXPORT cudaError_t cudaDriverGetVersion(int *out)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = version_of(CUDA_13);
    return cudaSuccess;
}
